/* system.h: the matrix and the right-hand sides as the library takes them: dense views, or compressed rows. */
#ifndef CLS_TOOL_SYSTEM_H
#define CLS_TOOL_SYSTEM_H

#include <clsolve/clsolve.h>

#include "tool/outcome.h"
#include "tool/solve_job.h"

typedef struct system_data {
    int sparse;          /* 1: `csr` is the matrix, else `A` */
    clsolve_csr csr;     /* entries other than zero, indices of 64 bits */
    clsolve_matrix A, B; /* the library overwrites B */
    void *owned_A, *owned_B;
    int64_t *row_start, *column;
    void *values;
} system_data;

typedef enum system_form { SYSTEM_AS_READ, SYSTEM_SPARSE, SYSTEM_DENSE } system_form;

/* Sparse where the file is, or as `form` says. Warns of entries that are 0 in single precision. */
exit_code system_make(solve_job *job, system_form form, system_data *data, outcome *out);
/* The matrix alone, as compressed rows in data->csr. */
exit_code system_make_rows(const solve_job *job, system_data *data, outcome *out);
/* The solution from data->B into job->X, in double. */
void system_take_solution(const system_data *data, mm_matrix *X);
void system_free(system_data *data);

#endif
