/* The types of elements that each call takes: a complex one where it is not computed is refused, in a line that says so. */
#include <clsolve/clsolve.h>

#include "support/fixture.h"

/* Each makes one call with the type and gives back what it made. The arguments suit but for the type. */
typedef clsolve_status attempt(clsolve_type type);

#define ATTEMPT_CREATE(family, ...)                                                                                    \
    static clsolve_status create_##family(clsolve_type type) {                                                         \
        clsolve_##family *handle = NULL;                                                                               \
        clsolve_status status = clsolve_##family##_create(context, __VA_ARGS__, type, NULL, &handle);                  \
        assert_true((handle != NULL) == (status == CLSOLVE_OK));                                                       \
        clsolve_##family##_destroy(handle);                                                                            \
        return status;                                                                                                 \
    }
ATTEMPT_CREATE(gauss_jordan, 2)
ATTEMPT_CREATE(gauss_jordan_batch, 2, 3)
ATTEMPT_CREATE(band, 4, 1, 1)
ATTEMPT_CREATE(band_batch, 4, 1, 1, 3)
ATTEMPT_CREATE(tridiagonal_batch, 4, 3)
ATTEMPT_CREATE(block_gs, 4, 4)
ATTEMPT_CREATE(lu, 2)

static clsolve_status create_grid_slab(clsolve_type type) {
    OWNED(grid_slab) *slab = NULL;
    return clsolve_grid_slab_create(context, 4, 4, 0, 4, type, &slab);
}

/* A diagonal band of LAPACK's, 4 x 4. */
static clsolve_status band_in_place(clsolve_type type) {
    double ab[2 * 4] = {1, 1, 1, 1, 1, 1, 1, 1};
    int64_t ipiv[4];
    clsolve_matrix AB = {type, CLSOLVE_COLUMN_MAJOR, 1, 4, 1, ab, CLSOLVE_ON_HOST, 0};
    return clsolve_band_factor_in_place(context, 4, 4, 0, 0, &AB, ipiv, NULL, NULL);
}

static clsolve_status band_predict(clsolve_type type) {
    double device, host;
    return clsolve_band_predict(context, 4, 4, 1, 1, 1, type, &device, &host);
}

static clsolve_status band_warm(clsolve_type type) {
    return clsolve_band_warm(context, 4, 1, 1, type);
}

static clsolve_status tune(clsolve_type type) {
    return clsolve_tune(context, type, NULL, NULL);
}

static clsolve_status tune_describe(clsolve_type type) {
    char text[64];
    return clsolve_tune_describe(context, type, text, sizeof text);
}

static clsolve_status tune_share(clsolve_type type) {
    char text[64];
    return clsolve_tune_share_type(context, type, text, sizeof text);
}

static clsolve_status calibrate(clsolve_type type) {
    return clsolve_calibrate(context, type);
}

/* Room for elements of any type, and a matrix of them. */
typedef struct elements {
    double numbers[8];
} elements;

static clsolve_matrix square_of(clsolve_type type, elements *room) {
    memset(room, 0, sizeof *room);
    return (clsolve_matrix){type, CLSOLVE_COLUMN_MAJOR, 1, 1, 1, room, CLSOLVE_ON_HOST, 0};
}

static clsolve_status gauss_jordan_in_one_call(clsolve_type type) {
    elements a, b;
    clsolve_matrix A = square_of(type, &a), B = square_of(type, &b);
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_GAUSS_JORDAN};
    return clsolve_solve(context, CLSOLVE_NO_TRANS, &A, &B, &options, NULL);
}

static clsolve_status sparse_in_one_call(clsolve_type type) {
    elements a, b;
    const int32_t start[] = {0, 1}, column[] = {0};
    clsolve_csr A = {type, CLSOLVE_I32, 0, 1, 1, start, column, &a};
    clsolve_matrix B = square_of(type, &b);
    memset(&a, 0, sizeof a);
    return clsolve_solve_csr(context, CLSOLVE_NO_TRANS, &A, &B, NULL, NULL);
}

static clsolve_status sparse_solver(clsolve_type type) {
    elements a = {{0}};
    const int32_t start[] = {0, 1}, column[] = {0};
    clsolve_csr A = {type, CLSOLVE_I32, 0, 1, 1, start, column, &a};
    OWNED(solver) *solver = NULL;
    return clsolve_solver_create_csr(context, &A, NULL, &solver);
}

static clsolve_status sparse_grid(clsolve_type type) {
    elements a = {{0}};
    const int32_t start[] = {0, 1}, column[] = {0};
    clsolve_csr A = {type, CLSOLVE_I32, 0, 1, 1, start, column, &a};
    const clsolve_solver_options options = {.method = CLSOLVE_METHOD_BLOCK_GS};
    OWNED(solver) *solver = NULL;
    return clsolve_solver_create_csr(context, &A, &options, &solver);
}

static const struct {
    const char *call;
    attempt *make;
} refusing[] = {{"clsolve_tune", tune},
                {"clsolve_tune_describe", tune_describe},
                {"clsolve_tune_share_type", tune_share},
                {"clsolve_calibrate", calibrate}};

/* These take all four. */
static attempt *const taking[] = {create_lu,
                                  create_band,
                                  create_band_batch,
                                  create_tridiagonal_batch,
                                  create_block_gs,
                                  create_grid_slab,
                                  sparse_grid,
                                  band_in_place,
                                  band_predict,
                                  band_warm,
                                  sparse_in_one_call,
                                  sparse_solver,
                                  create_gauss_jordan,
                                  create_gauss_jordan_batch,
                                  gauss_jordan_in_one_call};

TEST(test_complex_is_taken) {
    for (size_t k = 0; k < sizeof taking / sizeof *taking; ++k)
        for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type)
            if (taking[k]((clsolve_type)type) != CLSOLVE_OK &&
                strstr(clsolve_context_message(context), "real matrices alone"))
                fail_msg("%d: %s", (int)k, clsolve_context_message(context));
}

TEST(test_complex_is_refused) {
    for (size_t k = 0; k < sizeof refusing / sizeof *refusing; ++k)
        for (int type = CLSOLVE_C32; type <= CLSOLVE_C64; ++type) {
            clsolve_status status = refusing[k].make((clsolve_type)type);
            const char *message = clsolve_context_message(context);
            if (status != CLSOLVE_ERROR_UNSUPPORTED) fail_msg("%s: status %d", refusing[k].call, (int)status);
            if (!strstr(message, "real matrices alone") || strchr(message, '\n'))
                fail_msg("%s: the message is \"%s\"", refusing[k].call, message);
        }
}

TEST(test_no_type) {
    static const int types[] = {-1, 0, 5};
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        for (size_t c = 0; c < sizeof refusing / sizeof *refusing; ++c)
            assert_int_equal(refusing[c].make((clsolve_type)types[k]), CLSOLVE_ERROR_INVALID_ARGUMENT);
        for (size_t c = 0; c < sizeof taking / sizeof *taking; ++c)
            assert_int_equal(taking[c]((clsolve_type)types[k]), CLSOLVE_ERROR_INVALID_ARGUMENT);
    }
}

/* Of a real matrix the conjugate transpose is the transpose. */
TEST(test_conjugate_of_real) {
    float a[4] = {1, 3, 2, 4}, b[2] = {5, 11};
    clsolve_matrix A = clsolve_matrix_f32(2, 2, a), B = clsolve_matrix_f32(2, 1, b);
    /* The transposed system is x + 3 y = 5, 2 x + 4 y = 11. */
    assert_int_equal(clsolve_solve(context, CLSOLVE_CONJ_TRANS, &A, &B, NULL, NULL), CLSOLVE_OK);
    assert_float_equal(b[0], 6.5, 1e-4);
    assert_float_equal(b[1], -0.5, 1e-4);
    assert_int_equal(clsolve_solve(context, (clsolve_op)3, &A, &B, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

TEST_PROGRAM(open_context, close_context)
