/*
 * gauss_jordan.c: the operations of Gauss-Jordan elimination with what each reads and writes, in the study's first
 * version: B scales M_jk by the multiplier, C subtracts M_ik from it (docs/gauss-jordan.md has the table). The stable
 * form's one kernel for both touches what both touch.
 */
#include "schedule/schedule.h"

/* The cells: M row by row, then the multipliers a_ij, then the reciprocals d_i; i, j and k from 1. */
static int64_t element(int64_t n, int64_t i, int64_t k) {
    return (i - 1) * (n + 1) + k - 1;
}

static int64_t multiplier(int64_t n, int64_t i, int64_t j) {
    return n * (n + 1) + (i - 1) * n + j - 1;
}

static int64_t reciprocal(int64_t n, int64_t i) {
    return n * (n + 1) + n * n + i - 1;
}

static schedule_operation operation(char letter, int32_t indices, int64_t i, int64_t j, int64_t k) {
    schedule_operation made = {.letter = letter, .indices = indices, .index = {(int32_t)i, (int32_t)j, (int32_t)k}};
    return made;
}

static void touches(schedule_operation *made, int64_t cell, bool written) {
    made->cell[made->cells] = cell;
    made->written[made->cells++] = written;
}

/* Row j against the pivot i. */
static bool add_row(int64_t n, int64_t i, int64_t j, schedule *s) {
    schedule_operation a = operation('A', 2, i, j, 0);
    touches(&a, element(n, i, i), false);
    touches(&a, element(n, j, i), false);
    touches(&a, multiplier(n, i, j), true);
    if (!schedule_add(s, &a)) return false;
    for (int64_t k = 1; k <= n + 1; k++) {
        schedule_operation b = operation('B', 3, i, j, k), c = operation('C', 3, i, j, k);
        touches(&b, multiplier(n, i, j), false);
        touches(&b, element(n, j, k), true);
        touches(&c, element(n, i, k), false);
        touches(&c, element(n, j, k), true);
        if (!schedule_add(s, &b) || !schedule_add(s, &c)) return false;
    }
    return true;
}

static bool add_normalisation(int64_t n, int64_t i, schedule *s) {
    schedule_operation d = operation('D', 1, i, 0, 0);
    touches(&d, element(n, i, i), false);
    touches(&d, reciprocal(n, i), true);
    if (!schedule_add(s, &d)) return false;
    for (int64_t k = i; k <= n + 1; k++) {
        schedule_operation e = operation('E', 2, i, k, 0);
        touches(&e, reciprocal(n, i), false);
        touches(&e, element(n, i, k), true);
        if (!schedule_add(s, &e)) return false;
    }
    return true;
}

bool schedule_gauss_jordan(int64_t n, schedule *s) {
    for (int64_t i = 1; i <= n; i++)
        for (int64_t j = 1; j <= n; j++)
            if (j != i && !add_row(n, i, j, s)) return false;
    for (int64_t i = 1; i <= n; i++)
        if (!add_normalisation(n, i, s)) return false;
    return true;
}
