/* Real matrices by AUTO, as they are and transposed: a backward error as small as promised. */
#include "io/matrix_market.h"
#include "solve/sparse_support.h"

static const char *const names[] = {"1138_bus", "e05r0500", "gre__115", "jpwh_991", "lns__131",
                                    "olm500",   "pde900",   "sherman1", "west0479"};

/* Compressed columns are the compressed rows of the transpose. */
static void solve(const char *name, const mm_matrix *M, clsolve_op op) {
    sparse A = {M->rows, M->entries, M->start, M->row, M->value};
    clsolve_csr view = sparse_view(&A);
    test_random random = test_random_start((uint64_t)op);
    SCRATCH double *b = calloc(2 * (size_t)A.n, sizeof *b), *x = calloc(2 * (size_t)A.n, sizeof *x);
    clsolve_solve_report report;
    test_random_fill(&random, b, 2 * A.n);
    for (int64_t i = 0; i < 2 * A.n; i++) x[i] = b[i];
    clsolve_matrix B = clsolve_matrix_f64(A.n, 2, x);
    clsolve_status status = clsolve_solve_csr(context, op, &view, &B, NULL, &report);
    if (status != CLSOLVE_OK) fail_msg("%s: %s", name, clsolve_context_message(context));
    double backward = sparse_backward(&A, op == CLSOLVE_TRANS, 2, b, x);
    printf("%s: %s, backward error %.2g, %s\n", name, report.name, backward, report.reason);
    if (!(backward <= sparse_promised(A.n, CLSOLVE_F64))) fail_msg("%s: backward error %g", name, backward);
}

TEST(test_matrices) {
    int found = 0;
    if (!clsolve_context_device(context).fp64) skip();
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        const char *path = test_matrix_path(names[f]);
        mm_matrix M;
        if (path == NULL) continue;
        assert_int_equal(mm_read(path, &M, NULL), MM_OK);
        solve(names[f], &M, CLSOLVE_TRANS);
        solve(names[f], &M, CLSOLVE_NO_TRANS);
        mm_free(&M);
        found++;
    }
    if (found == 0) skip();
}

TEST_PROGRAM(sparse_set_up, sparse_tear_down)
