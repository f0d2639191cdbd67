/*
 * Every allocation of a sparse system fails in turn: those of the library, of plain malloc and of SuiteSparse. The call
 * returns ERROR_OUT_OF_MEMORY, B stays, nothing is lost, and the same handle works afterwards.
 */
#include <suitesparse/SuiteSparse_config.h>

#include "sparse/patterns.h"
#include "support/faults.h"

static clsolve_context *context;

/* ---- allocations that are not cls_alloc's ---- */

static int64_t left = INT64_MAX; /* so many succeed before one fails */
static int64_t seen;

static int fails_now(void) {
    seen++;
    return left-- == 0;
}

WRAPS(void *, malloc, (size_t bytes)) {
    return fails_now() ? NULL : __real_malloc(bytes);
}

#if SUITESPARSE_MAIN_VERSION < 6
static void *count_malloc(size_t bytes) {
    return fails_now() ? NULL : __real_malloc(bytes);
}

static void *count_calloc(size_t count, size_t bytes) {
    return fails_now() ? NULL : calloc(count, bytes);
}

static void *count_realloc(void *memory, size_t bytes) {
    return fails_now() ? NULL : realloc(memory, bytes);
}

static void watch_suitesparse(void) {
    SuiteSparse_config.malloc_func = count_malloc;
    SuiteSparse_config.calloc_func = count_calloc;
    SuiteSparse_config.realloc_func = count_realloc;
}
#else
static void watch_suitesparse(void) {}
#endif

/* ---- a scenario ---- */

typedef struct scenario {
    const char *name;
    clsolve_type type;
    clsolve_sparse_options options;
    int values_later; /* create gets the pattern alone */
    pattern kind;
    int64_t n, stride; /* one of so many allocations fails, drawn at random */
} scenario;

static const scenario scenarios[] = {
    {"auto", CLSOLVE_F64, {.rcond = 1}, 0, PATTERN_RANDOM, 40, 1},
    {"fronts", CLSOLVE_F64, {.engine = CLSOLVE_SPARSE_MULTIFRONTAL, .rcond = 1}, 0, PATTERN_GRID2, 49, 1},
    {"matching", CLSOLVE_C32, {.engine = CLSOLVE_SPARSE_MULTIFRONTAL}, 1, PATTERN_PERMUTED, 40, 1},
    {"delayed",
     CLSOLVE_F64,
     {.engine = CLSOLVE_SPARSE_MULTIFRONTAL, .matching = CLSOLVE_CHOICE_OFF, .order = CLSOLVE_ORDER_METIS},
     0,
     PATTERN_SADDLE,
     45,
     1},
    {"klu", CLSOLVE_C64, {.engine = CLSOLVE_SPARSE_KLU}, 1, PATTERN_BLOCKS, 40, 1},
    {"klu natural",
     CLSOLVE_F32,
     {.engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_NATURAL},
     0,
     PATTERN_RANDOM,
     20,
     1},
    {"ldl", CLSOLVE_C64, {.form = CLSOLVE_SPARSE_HERMITIAN, .rcond = 1}, 1, PATTERN_SADDLE, 40, 1},
    {"ldl of a triangle",
     CLSOLVE_F64,
     {.form = CLSOLVE_SPARSE_SYMMETRIC, .part = CLSOLVE_SPARSE_UPPER},
     0,
     PATTERN_SADDLE,
     40,
     1},
    {"ldl delayed",
     CLSOLVE_C32,
     {.form = CLSOLVE_SPARSE_SYMMETRIC, .matching = CLSOLVE_CHOICE_OFF, .order = CLSOLVE_ORDER_METIS},
     0,
     PATTERN_SADDLE,
     45,
     1},
    {"cholesky", CLSOLVE_C64, {.form = CLSOLVE_SPARSE_POSITIVE_DEFINITE}, 0, PATTERN_GRID2, 49, 1},
    {"threads", CLSOLVE_F64, {.engine = CLSOLVE_SPARSE_MULTIFRONTAL}, 0, PATTERN_GRID3, 1728, 60}};

enum { RIGHT = 3 };

typedef struct run {
    const scenario *what;
    triplets A;
    csr rows;
    clsolve_sparse *sparse;
    int64_t *order;
    double *B, *X;
    test_matrix b;
} run;

static clsolve_status use_once(run *r) {
    clsolve_csr view = r->rows.view;
    clsolve_report report;
    if (r->what->values_later) view.values = NULL;
    clsolve_status status = CLSOLVE_OK;
    if (!r->sparse) {
        status = clsolve_sparse_create_csr(context, &view, &r->what->options, &r->sparse);
        assert_true((status == CLSOLVE_OK) == (r->sparse != NULL));
    }
    if (status == CLSOLVE_OK) status = clsolve_sparse_factor_csr(r->sparse, &r->rows.view);
    if (status == CLSOLVE_OK) status = clsolve_sparse_permutations(r->sparse, r->order, r->order + r->A.n);
    if (status == CLSOLVE_OK) status = clsolve_sparse_report(r->sparse, &report);
    if (status == CLSOLVE_OK) status = clsolve_sparse_solve(r->sparse, CLSOLVE_TRANS, &r->b.view);
    return status;
}

static void expect_solved(run *r) {
    clsolve_report report;
    test_matrix_get(&r->b, r->X);
    assert_true(triplets_backward(&r->A, r->what->type, CLSOLVE_TRANS, RIGHT, r->B, r->X) <=
                triplets_bound(r->A.n, r->what->type));
    EXPECT(context, clsolve_sparse_report(r->sparse, &report), CLSOLVE_OK, "");
    assert_true(report.direct.log_abs_det != 0 && isfinite(report.direct.log_abs_det));
}

/* The call that failed has left no factors, or has left those that are there and B. */
static void expect_intact(run *r, clsolve_status status) {
    const size_t bytes = (size_t)test_numbers(r->what->type, r->A.n * RIGHT) * sizeof *r->B;
    if (status != CLSOLVE_ERROR_OUT_OF_MEMORY || !strstr(clsolve_context_message(context), "memory"))
        fail_msg("%s: %s: %s", r->what->name, clsolve_status_name(status), clsolve_context_message(context));
    test_matrix_get(&r->b, r->X);
    assert_memory_equal(r->B, r->X, bytes);
}

static void arm(int library, int64_t k) {
    if (library)
        faults_arm(FAULT_ALLOCATION, k);
    else
        left = k;
    seen = 0;
}

/* 1: the allocation number k was made fail. */
static int disarm(int library) {
    const int failed = library ? faults_disarm() != NULL : left < 0;
    left = INT64_MAX;
    return failed;
}

/* Runs with allocation number k failing, and then again on the same handle. *count: allocations of the whole run. */
static int run_with(run *r, int library, int64_t k, int *errors, int64_t *count) {
    const int64_t before = faults_allocations();
    test_matrix_set(&r->b, r->B);
    arm(library, k);
    clsolve_status status = use_once(r);
    *count = library ? faults_seen() : seen;
    const int failed = disarm(library);
    if (status == CLSOLVE_OK) {
        expect_solved(r);
    } else {
        assert_true(failed);
        ++*errors;
        expect_intact(r, status);
        status = use_once(r);
        if (status != CLSOLVE_OK) fail_msg("%s: again: %s", r->what->name, clsolve_context_message(context));
        expect_solved(r);
    }
    clsolve_sparse_destroy(r->sparse);
    r->sparse = NULL;
    if (faults_allocations() != before)
        fail_msg("%s: allocation %d: %d are left", r->what->name, (int)k, (int)(faults_allocations() - before));
    return failed;
}

static void each(const scenario *what, int library, test_random *random) {
    run r = {.what = what};
    const csr_form form = {what->type, CLSOLVE_I32, 0, 1, 1};
    int64_t count, ignored;
    int errors = 0;
    r.A = what->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE
              ? pattern_make_definite(what->kind, what->n, what->type >= CLSOLVE_C32, random)
          : what->options.form != CLSOLVE_SPARSE_GENERAL
              ? pattern_make_symmetric(what->kind, what->n, what->options.form, what->type >= CLSOLVE_C32, random)
              : pattern_make(what->kind, what->n, random);
    triplets_round(&r.A, what->type);
    r.rows = csr_make(&r.A, &form, random);
    r.order = calloc((size_t)(2 * r.A.n) + 1, sizeof *r.order);
    r.B = test_elements(what->type, r.A.n * RIGHT);
    r.X = test_elements(what->type, r.A.n * RIGHT);
    r.b = test_matrix_make(what->type, CLSOLVE_COLUMN_MAJOR, r.A.n, RIGHT, 1);
    test_random_fill(random, r.B, test_numbers(what->type, r.A.n * RIGHT));
    for (int64_t k = 0; k < test_numbers(what->type, r.A.n * RIGHT); k++) r.B[k] = test_rounded(what->type, r.B[k]);
    (void)run_with(&r, library, INT64_MAX - 1, &errors, &count);
    for (int64_t k = 0; k < count; k += what->stride == 1 ? 1 : test_random_between(random, 1, 2 * what->stride))
        (void)run_with(&r, library, k, &errors, &ignored);
    print_message("%s: %d allocations, %d errors\n", what->name, (int)count, errors);
    if (library) assert_true(errors > 0);
    test_matrix_free(&r.b);
    free(r.order);
    free(r.B);
    free(r.X);
    csr_free(&r.rows);
    triplets_free(&r.A);
}

TEST(test_library) {
    test_random random = test_random_start(1);
    for (size_t s = 0; s < sizeof scenarios / sizeof scenarios[0]; s++) each(&scenarios[s], 1, &random);
}

TEST(test_others) {
    test_random random = test_random_start(2);
    for (size_t s = 0; s < sizeof scenarios / sizeof scenarios[0]; s++) each(&scenarios[s], 0, &random);
}

int main(void) {
    if (clsolve_context_create("host", &context) != CLSOLVE_OK) return 1;
    watch_suitesparse();
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
