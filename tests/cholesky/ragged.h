/* ragged.h: members of orders of their own in the host's memory, in any layout, with numbers around them that must stay. */
#ifndef RAGGED_H
#define RAGGED_H

#include <complex.h>

#include <clsolve/batch.h>

enum { RAGGED_COUNT = 11, RAGGED_MOST = 70, RAGGED_SIDES = 3 };

/* Members of a view: square matrices, or RAGGED_SIDES right-hand sides. */
typedef struct ragged {
    clsolve_batch view;
    const int64_t *orders;
    int64_t offsets[RAGGED_COUNT], elements;
    int square;
} ragged;

typedef double complex ragged_values[RAGGED_COUNT][RAGGED_MOST * RAGGED_MOST]; /* tight, column-major */

/* how: 0 tight, one behind the other; 1 tight, the last first, with gaps; 2 padded, by stride; 4 more: by rows. The
 * caller frees view.data. */
ragged ragged_make(clsolve_type type, const int64_t *orders, int square, int how);

enum { RAGGED_ALL = -1 };

/* Each value of all members, or of a triangle, in turn: from the view (`load`), or into it. Values outside are as they
 * were. */
void ragged_move(ragged *r, ragged_values values, int uplo, int load);

#endif
