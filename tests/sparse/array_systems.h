/*
 * array_systems.h: sparse systems whose values lie in the caller's memory on the device. The program defines before it
 * includes this file:
 *
 *   array, array_put(layout, rows, cols, values), array_put_late(rows, cols, values, &event), array_get(&a, values),
 *   array_drop(&a)                                 a matrix of caller_type, from and to doubles; a late one is not there
 *                                                  before its event
 *   event, event_finish(event)
 *   EVENTS(count, wait, done), OTHER_EVENTS        events of this backend and of the other, for an enqueueing call
 *   caller_context, caller_type
 */
#include "api/sparse.h"
#include "base/type.h"
#include "blas/blas.h"
#include "method/lu/lu.h"
#include "sparse/patterns.h"

#define scratch_array SCRATCH_BY(array_drop) array

/* `power`: A is multiplied by 2 to that power. */
typedef struct kind {
    const char *name;
    pattern pattern;
    int64_t n;
    clsolve_type type;
    clsolve_sparse_form form;
    clsolve_sparse_part part;
    clsolve_choice matching;
    int power, unsorted;
} kind;

#define DEFINITE CLSOLVE_SPARSE_POSITIVE_DEFINITE
static const kind kinds[] = {
    {"LU", PATTERN_GRID2, 150, CLSOLVE_F64, 0, 0, 0, 0, 0},
    {"matched LU", PATTERN_SCALED, 90, CLSOLVE_F64, 0, 0, CLSOLVE_CHOICE_ON, 0, 0},
    {"large values", PATTERN_RANDOM, 60, CLSOLVE_F64, 0, 0, 0, 100, 0},
    {"matched complex LU", PATTERN_SCALED, 90, CLSOLVE_C64, 0, 0, CLSOLVE_CHOICE_ON, 0, 0},
    {"complex Cholesky", PATTERN_GRID2, 150, CLSOLVE_C64, DEFINITE, 0, 0, 0, 0},
    {"complex lower triangle", PATTERN_GRID2, 150, CLSOLVE_C64, DEFINITE, CLSOLVE_SPARSE_LOWER, 0, -50, 0},
    {"complex upper triangle", PATTERN_GRID2, 90, CLSOLVE_C64, DEFINITE, CLSOLVE_SPARSE_UPPER, 0, 0, 0},
    {"matched L D L^T", PATTERN_SADDLE, 90, CLSOLVE_F64, CLSOLVE_SPARSE_SYMMETRIC, 0, CLSOLVE_CHOICE_ON, 0, 0},
    {"complex L D L^T", PATTERN_GRID2, 90, CLSOLVE_C64, CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_SPARSE_LOWER, 0, 0, 0},
    {"float", PATTERN_GRID2, 60, CLSOLVE_F32, 0, 0, 0, 0, 0},
    {"unsorted", PATTERN_GRID2, 60, CLSOLVE_F64, 0, 0, 0, 0, 1}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A matrix, its values on the device, and a handle. */
typedef struct system {
    const kind *kind;
    triplets A;
    csr rows;
    array values;
    clsolve_sparse *sparse;
} system_of;

#define OK(call) TEST_EXPECT(caller_context, call, CLSOLVE_OK, "")

static double *doubles_of(const system_of *s) {
    double *values = test_elements(s->kind->type, s->rows.count);
    for (int64_t k = 0; k < test_numbers(s->kind->type, s->rows.count); k++)
        values[k] = cls_type_get(s->kind->type, s->rows.values, k);
    return values;
}

static void open_handle(system_of *s, clsolve_where where, clsolve_sparse **sparse) {
    const clsolve_sparse_options options = {.form = s->kind->form,
                                            .part = s->kind->part,
                                            .matching = s->kind->matching,
                                            .engine = CLSOLVE_SPARSE_MULTIFRONTAL,
                                            .where = where};
    OK(clsolve_sparse_create_csr(caller_context, &s->rows.view, &options, sparse));
}

/* Takes A over. `there` NULL: the values are on the device at once. */
static system_of open_of(const kind *kind, triplets A, event *there) {
    test_random random = test_random_start(8);
    system_of s = {.kind = kind, .A = A};
    const csr_form form = {kind->type, CLSOLVE_I32, 1, kind->unsorted, kind->unsorted};
    triplets_round(&s.A, kind->type);
    s.rows = csr_make(&s.A, &form, &random);
    caller_type = kind->type;
    double *values = doubles_of(&s);
    s.values = there ? array_put_late(s.rows.count, 1, values, there)
                     : array_put(CLSOLVE_COLUMN_MAJOR, s.rows.count, 1, values);
    free(values);
    open_handle(&s, CLSOLVE_WHERE_DEVICE, &s.sparse);
    return s;
}

static system_of open_system(const kind *kind, event *there) {
    test_random random = test_random_start(7);
    const int is_complex = cls_type_parts(kind->type) == 2;
    triplets A = kind->form == CLSOLVE_SPARSE_GENERAL ? pattern_make(kind->pattern, kind->n, &random)
                 : kind->form == DEFINITE
                     ? pattern_make_definite(kind->pattern, kind->n, is_complex, &random)
                     : pattern_make_symmetric(kind->pattern, kind->n, kind->form, is_complex, &random);
    for (int64_t e = 0; e < A.count; e++) A.at[e].value *= exp2(kind->power);
    return open_of(kind, A, there);
}

static void close_system(system_of *s) {
    clsolve_sparse_destroy(s->sparse);
    array_drop(&s->values);
    csr_free(&s->rows);
    triplets_free(&s->A);
}

static int has_double(void) {
    return clsolve_context_device(caller_context).fp64;
}

/* Factors of this type are the device's in double, and its values stay there. */
static int stays(const kind *kind) {
    return has_double() && cls_is_double(kind->type) && caller_context->device->double_ratio < 16 && !kind->unsorted;
}

static double *sides_of(const system_of *s, int64_t nrhs) {
    test_random random = test_random_start(3);
    double *B = test_elements(s->kind->type, s->A.n * nrhs);
    test_random_fill(&random, B, test_numbers(s->kind->type, s->A.n * nrhs));
    for (int64_t k = 0; k < test_numbers(s->kind->type, s->A.n * nrhs); k++) B[k] = test_rounded(s->kind->type, B[k]);
    return B;
}

static cls_counters counters(void) {
    return caller_context->device->counters;
}
