/* Kernels of sparse systems at sizes that a simulator can run, in one slab and in several; Oclgrind looks for races, barriers
 * and bounds meanwhile (tests/kernels/check_oclgrind.sh). */
#include "sparse/patterns.h"
#include "support/fixture.h"

static void check(clsolve_status status, const char *call) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", call, clsolve_context_message(context));
}

/* By the device's factors, with A and A^T. */
static void solve(const triplets *A, clsolve_sparse *sparse, clsolve_type type) {
    for (int op = 0; op < 2; op++) {
        SCRATCH double *B = test_elements(type, 2 * A->n), *X = test_elements(type, 2 * A->n);
        scratch_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, A->n, 2, 0);
        clsolve_report report;
        for (int64_t k = 0; k < test_numbers(type, 2 * A->n); k++) B[k] = (double)(k % 5) - 1;
        test_matrix_set(&b, B);
        check(clsolve_sparse_solve(sparse, (clsolve_op)op, &b.view), "solve");
        check(clsolve_sparse_report(sparse, &report), "report");
        assert_string_equal(report.where, "device");
        test_matrix_get(&b, X);
        assert_true(triplets_backward(A, type, (clsolve_op)op, 2, B, X) <= triplets_bound(A->n, type));
    }
}

static void run(clsolve_sparse_form form, clsolve_type type, int64_t n) {
    test_random random = test_random_start(4);
    scratch_triplets A = form == CLSOLVE_SPARSE_GENERAL     ? pattern_make(PATTERN_GRID2, n, &random)
                         : form == CLSOLVE_SPARSE_SYMMETRIC ? pattern_make_symmetric(PATTERN_GRID2, n, form, 0, &random)
                                                            : pattern_make_definite(PATTERN_GRID2, n, 0, &random);
    triplets_round(&A, type);
    scratch_csr rows = csr_make(&A, &(csr_form){.type = type, .index = CLSOLVE_I32}, &random);
    clsolve_sparse_analysis found;
    for (int64_t limit = 0, streams = 0; !streams;) {
        const clsolve_sparse_options options = {.form = form,
                                                .where = CLSOLVE_WHERE_DEVICE,
                                                .matching = CLSOLVE_CHOICE_OFF,
                                                .order = CLSOLVE_ORDER_NESTED,
                                                .device_memory_limit = limit};
        clsolve_sparse *sparse = NULL;
        check(clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
        check(clsolve_sparse_get_analysis(sparse, &found), "get_analysis");
        streams = found.streamed_bytes > 0;
        if (limit == 0 || streams) check(clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
        if (limit == 0 || streams) solve(&A, sparse, type);
        clsolve_sparse_destroy(sparse);
        limit = (limit > 0 ? limit : (int64_t)found.device_bytes) - 256;
    }
}

TEST(test_kernels) {
    (void)state;
    run(CLSOLVE_SPARSE_GENERAL, CLSOLVE_F64, 49);
    run(CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_F64, 49);
    run(CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_F64, 49);
}

TEST_PROGRAM_BY(require_fronts(), open_context, close_context)
