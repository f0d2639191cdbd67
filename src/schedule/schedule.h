/*
 * schedule.h: which operations of an algorithm must follow which, and how early each can run.
 *
 * An algorithm is given as its operations in sequential order, each with the cells (memory words, under numbers of the
 * caller's choice from 0 on) that it reads and writes. Two operations depend on each other when they touch the same
 * cell and one of them writes it; all else commutes. From that follow
 *
 *   the Foata normal form  the word as a product of classes, each of operations that are independent of each other,
 *                          each operation in the first class that its dependences leave open: what one parallel step
 *                          may hold (P. Cartier, D. Foata, Problemes combinatoires de commutation et rearrangements,
 *                          1969);
 *   the Diekert graph      an edge for each dependence that no others imply
 *                          (V. Diekert, G. Rozenberg, The Book of Traces, 1995, chapters 1 and 2).
 *
 * Not part of the library: the command prints schedules, and tests hold recorded launches against them.
 */
#ifndef CLS_SCHEDULE_H
#define CLS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SCHEDULE_CELLS = 4 }; /* the most that one operation touches */

typedef struct schedule_operation {
    char letter;
    int32_t indices;
    int32_t index[3]; /* written "B(1,2,3)" */
    int32_t cells;
    int64_t cell[SCHEDULE_CELLS];
    bool written[SCHEDULE_CELLS]; /* else only read; a cell that is read and written counts as written */
    int64_t level;                /* set by schedule_add: the Foata class, from 1 */
    int64_t first_edge, edges;    /* and its dependences on earlier operations, in schedule.edge */
} schedule_operation;

/* A zeroed one is empty. */
typedef struct schedule {
    schedule_operation *operation; /* in the order they were added */
    int64_t operations, operation_room;
    int64_t *edge; /* an earlier operation's number each; enough to imply all dependences */
    int64_t edges, edge_room;
    int64_t levels; /* Foata classes */

    struct schedule_cell *cell; /* what was done to each cell last */
    int64_t cells;
    struct schedule_reader *reader;
    int64_t readers, reader_room;
} schedule;

/* Takes a copy. False: out of memory. */
bool schedule_add(schedule *s, const schedule_operation *operation);
void schedule_free(schedule *s);

/* Do the two touch a cell that one of them writes? */
bool schedule_dependent(const schedule_operation *a, const schedule_operation *b);

/* "B(1,2,3)" into the caller's room; returns it. */
const char *schedule_name(const schedule_operation *operation, char room[48]);

/* The Foata classes, one a line, the operations of a class in the order they were added. False: out of memory. */
bool schedule_print_foata(const schedule *s, FILE *file);
/* The Diekert graph for Graphviz, a row for each class. */
bool schedule_print_dot(const schedule *s, const char *title, FILE *file);

/*
 * Gauss-Jordan without pivoting on M = (A|b), n x (n+1), as the operations of S. Tasior, Parallel Gauss-Jordan
 * elimination through trace theory (2025), indices from 1:
 *   for i = 1..n, for each j != i:  A(i,j) a_j = multiplier of row j from M_ii and M_ji
 *                                   for k = 1..n+1: B(i,j,k) M_jk is scaled by it, C(i,j,k) M_jk -= M_ik
 *   for i = 1..n: D(i) d_i = 1 / M_ii, then for k = i..n+1: E(i,k) M_ik *= d_i
 */
bool schedule_gauss_jordan(int64_t n, schedule *s);

#endif
