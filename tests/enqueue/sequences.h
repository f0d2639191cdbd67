/*
 * sequences.h: calls of LU, Cholesky and LDL^T in random order on one handle: factorizations that wait, that do not, and
 * imports, of good, singular and NaN matrices, and solves of both kinds behind each. Nothing of an earlier call may
 * change what a later one does: behind a good factorization X is right, behind a bad one B is as it was and the caller
 * learns it. The program defines what families.h says.
 */
#include "support/test_support.h"

enum { KINDS = 3, SEQUENCES = 3, STEPS = 8, MOST_ROWS = 300, TWO_SIDES = 2 };
enum { WAITS, WAITS_HOST, ENQUEUES, IMPORTS, WAYS };

typedef struct sequence {
    int kind;
    int64_t n;
    test_random random;
    clsolve_lu *lu;
    clsolve_cholesky *cholesky;
    clsolve_ldl *ldl;
    double A[MOST_ROWS * MOST_ROWS];
    int64_t ipiv[MOST_ROWS];
} sequence;

#define EACH_KIND(s, of_lu, of_cholesky, of_ldl) ((s)->kind == 0 ? (of_lu) : (s)->kind == 1 ? (of_cholesky) : (of_ldl))

static void sequence_open(sequence *s) {
    const clsolve_lu_options lu = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_cholesky_options cholesky = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    const clsolve_ldl_options ldl = {.where = CLSOLVE_WHERE_DEVICE, .precision = CLSOLVE_PRECISION_WORKING};
    s->lu = NULL;
    s->cholesky = NULL;
    s->ldl = NULL;
    ENQUEUED(EACH_KIND(s, clsolve_lu_create(caller_context, s->n, caller_type, &lu, &s->lu),
                       clsolve_cholesky_create(caller_context, s->n, caller_type, &cholesky, &s->cholesky),
                       clsolve_ldl_create(caller_context, s->n, caller_type, &ldl, &s->ldl)));
}

static void sequence_close(sequence *s) {
    clsolve_lu_destroy(s->lu);
    clsolve_cholesky_destroy(s->cholesky);
    clsolve_ldl_destroy(s->ldl);
}

/* A symmetric positive definite matrix, or such a one spoilt; imported factors are those of a multiple of I. */
static void sequence_matrix(sequence *s, spoil how, int imports) {
    const int64_t n = s->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
            const double a = imports ? 0 : test_rounded(caller_type, test_random_signed(&s->random)) / 2;
            s->A[i + j * n] = s->A[j + i * n] = i == j ? imports ? 2 : (double)n : a;
        }
    const int64_t k = test_random_between(&s->random, 0, n - 1);
    for (int64_t i = 0; i < n && how == SINGULAR; i++) s->A[i + k * n] = s->A[k + i * n] = 0;
    if (how == NAN_IN_MATRIX) s->A[k + k * n] = NAN;
}

static clsolve_status sequence_factor(sequence *s, int way, const array *device, const test_matrix *host) {
    const clsolve_matrix *A = way == WAITS || way == ENQUEUES ? &device->view : &host->view;
    if (way == IMPORTS)
        return EACH_KIND(s, clsolve_lu_import(s->lu, A, s->ipiv),
                         clsolve_cholesky_import(s->cholesky, CLSOLVE_LOWER, A),
                         clsolve_ldl_import(s->ldl, A, s->ipiv));
    if (way == ENQUEUES)
        return EACH_KIND(s, clsolve_lu_factor_enqueue(s->lu, A, NULL),
                         clsolve_cholesky_factor_enqueue(s->cholesky, CLSOLVE_LOWER, A, NULL),
                         clsolve_ldl_factor_enqueue(s->ldl, CLSOLVE_LOWER, A, NULL));
    return EACH_KIND(s, clsolve_lu_factor(s->lu, A), clsolve_cholesky_factor(s->cholesky, CLSOLVE_LOWER, A),
                     clsolve_ldl_factor(s->ldl, CLSOLVE_LOWER, A));
}

static clsolve_status sequence_solve(sequence *s, int waits, clsolve_matrix *B) {
    if (waits)
        return EACH_KIND(s, clsolve_lu_solve(s->lu, CLSOLVE_NO_TRANS, B), clsolve_cholesky_solve(s->cholesky, B),
                         clsolve_ldl_solve(s->ldl, B));
    const clsolve_status status =
        EACH_KIND(s, clsolve_lu_solve_enqueue(s->lu, CLSOLVE_NO_TRANS, B, NULL),
                  clsolve_cholesky_solve_enqueue(s->cholesky, B, NULL), clsolve_ldl_solve_enqueue(s->ldl, B, NULL));
    if (status != CLSOLVE_OK) return status;
    return EACH_KIND(s, clsolve_lu_status(s->lu), clsolve_cholesky_status(s->cholesky), clsolve_ldl_status(s->ldl));
}

/* max |A X - B| / (n max |X|), with the imported matrix: 2 I, or what L = 2 I and its transpose come to. */
static double sequence_residual(const sequence *s, int imported, const double *X, const double *B) {
    const int64_t n = s->n;
    const double scale = imported && s->kind == 1 ? 2 : 1;
    double most = 0, size = 0;
    for (int64_t c = 0; c < TWO_SIDES; c++)
        for (int64_t i = 0; i < n; i++) {
            double sum = -B[i + c * n];
            for (int64_t j = 0; j < n; j++) sum += scale * s->A[i + j * n] * X[j + c * n];
            if (!(fabs(sum) <= most)) most = fabs(sum);
            size = fmax(size, fabs(X[i + c * n]));
        }
    return most / ((double)n * size);
}

static void sequence_step(sequence *s) {
    static const char *const words[] = {"waits", "waits for the host's", "enqueued", "imported"};
    const int way = (int)test_random_between(&s->random, 0, WAYS - 1);
    const int64_t draw = test_random_between(&s->random, 0, 3), n = s->n;
    const spoil how = way == IMPORTS || draw < 2 ? GOOD : draw == 2 ? SINGULAR : NAN_IN_MATRIX;
    const double eps = caller_type == CLSOLVE_F64 ? 0x1p-52 : 0x1p-23;
    double B[MOST_ROWS * TWO_SIDES], X[MOST_ROWS * TWO_SIDES];
    sequence_matrix(s, how, way == IMPORTS);
    for (int64_t k = 0; k < n * TWO_SIDES; k++) B[k] = test_rounded(caller_type, test_random_signed(&s->random));
    scratch_array a = array_put(n, n, s->A);
    scratch_matrix host = test_matrix_make(caller_type, CLSOLVE_COLUMN_MAJOR, n, n, 1);
    test_matrix_set(&host, s->A);
    const clsolve_status factored = sequence_factor(s, way, &a, &host);
    if (way == ENQUEUES || how == GOOD)
        ENQUEUED(factored);
    else
        assert_true(factored != CLSOLVE_OK);
    for (int again = 0; again < 2; again++) {
        scratch_array b = array_put(n, TWO_SIDES, B);
        const int waits = (int)test_random_between(&s->random, 0, 1);
        const clsolve_status status = sequence_solve(s, waits, &b.view);
        array_get(&b, X);
        const int kept = memcmp(X, B, sizeof(double) * (size_t)(n * TWO_SIDES)) == 0;
        const double residual = how == GOOD ? sequence_residual(s, way == IMPORTS, X, B) : 0;
        if (how == GOOD ? status != CLSOLVE_OK || !(residual < 30 * eps) : status == CLSOLVE_OK || !kept)
            fail_msg("family %d, n = %d, a matrix %d that is %s, and a solve that %s: status %d, residual %g; %s",
                     s->kind, (int)n, (int)how, words[way], waits ? "waits" : "does not", (int)status, residual,
                     clsolve_context_message(caller_context));
    }
}

TEST(calls_in_any_order) {
    static const int64_t orders[] = {1, 5, 33, 64, 65, 130, 257, 300};
    SCRATCH sequence *s = test_room(1, sizeof *s);
    s->random = test_random_start(0x0dde5);
    for (int k = 0; k < MOST_ROWS; k++) s->ipiv[k] = k + 1;
    for (s->kind = 0; s->kind < KINDS; s->kind++)
        for (int r = 0; r < SEQUENCES; r++) {
            s->n = orders[test_random_between(&s->random, 0, (int64_t)(sizeof orders / sizeof *orders) - 1)];
            sequence_open(s);
            for (int k = 0; k < STEPS; k++) sequence_step(s);
            sequence_close(s);
        }
}
