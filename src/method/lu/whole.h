/*
 * whole.h: the columns of a dense matrix in the memory of one device, for the loop (factor.h): all of them, those of a
 * window on a larger matrix, or of one that arrives while it is factored.
 */
#ifndef CLS_LU_WHOLE_H
#define CLS_LU_WHOLE_H

#include "method/lu/factor.h"
#include "method/lu/lu.h"

typedef struct cls_lu_whole {
    cls_lu *lu;
    const cls_matrix *A; /* lu->A, or a window on it */
    int64_t *info;       /* of panels on the host */
} cls_lu_whole;

/* The columns begin .. end-1. Their holder stays where it is. */
cls_columns cls_lu_whole_columns(cls_lu_whole *whole, int64_t begin, int64_t end);

/* Who hears of the progress; `options` may be NULL. */
static inline void cls_lu_tell_progress(cls_columns *columns, const clsolve_lu_options *options) {
    if (!options) return;
    columns->progress = options->progress;
    columns->progress_user = options->progress_user;
    columns->power = 3;
}

#endif
