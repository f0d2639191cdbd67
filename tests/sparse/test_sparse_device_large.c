/* Large fronts with a device's numbers (solving.h). PoCL compiles them with optimization, without which it loses work-items
 * in fronts of several hundred rows; test_sparse_device has all other kinds, and goes without. */
#include "api/context.h"
#include "blas/blas.h"
#include "sparse/solving.h"

static clsolve_sparse_analysis expected(const trial *t) {
    OWNED(sparse) *sparse = NULL;
    clsolve_sparse_analysis found;
    check(t, clsolve_sparse_create_csr(context, &t->rows->view, &t->options, &sparse), "create");
    check(t, clsolve_sparse_get_analysis(sparse, &found), "get_analysis");
    return found;
}

/* Dense blocks whose rows have to be exchanged, with `border` rows in common: they become fronts with a border, and
 * their parent has the common rows. With `streams` the last run has so little of the device's memory that factors pass
 * by, and large entries in each row keep A far from singular. */
static void run_blocks(int64_t blocks, int64_t size, int64_t border, int64_t turn, int streams, test_random *random) {
    trial t;
    csr_form form;
    scratch_triplets A = {.n = blocks * size + border};
    take_turn(turn, 0, &t, &form, random);
    for (int64_t i = 0; i < A.n; i++)
        for (int64_t j = 0; j < A.n; j++) {
            const int i_border = i >= blocks * size, j_border = j >= blocks * size;
            const int inside = !i_border && !j_border && i / size == j / size;
            const int across = i_border != j_border;
            if (i == j && i_border) triplets_add(&A, i, j, 8);
            if (!inside && !across) continue;
            triplets_add(&A, i, j,
                         test_random_signed(random) + (streams && inside && j % size == (i + 7) % size ? 64 : 0));
        }
    triplets_sort(&A);
    triplets_round(&A, t.type);
    scratch_csr rows = csr_make(&A, &form, random);
    t.A = &A;
    t.rows = &rows;
    t.about = "dense blocks with a border";
    t.options = (clsolve_sparse_options){.engine = FRONTS,
                                         .order = CLSOLVE_ORDER_NATURAL,
                                         .matching = OFF,
                                         .amalgamation = OFF,
                                         .where = CLSOLVE_WHERE_DEVICE};
    run(&t, random);
    const double whole = streams ? expected(&t).device_bytes : 0;
    for (int part = 39; streams; part--) {
        t.options.device_memory_limit = (int64_t)(whole * part / 40);
        if (expected(&t).streamed_bytes == 0) continue;
        run(&t, random);
        break;
    }
}

/* Fronts of several hundred rows, and one of more than 1,024, which is solved for by blocks. Each kind of front has programs
 * of its own: LU has large ones in double here, and Cholesky has them in complex below. */
TEST(test_large_fronts) {
    test_random random = test_random_start(3);
    const int64_t before = alone;
    run_general(PATTERN_RANDOM, 801, 26, &random);
    run_general(PATTERN_RANDOM, 1900, 16, &random);
    run_blocks(2, 270, 30, 16, 0, &random);
    run_blocks(2, 60, 300, 18, 0, &random); /* the border is applied by a launch of its own */
    run_blocks(2, 1030, 30, 18, !cls_in_place(context->device), &random); /* in place there is no engine */
    assert_int_equal(alone, before);
}

int main(void) {
    require_fronts();
    on_device = 1;
    context = test_context(1);
    const int failed = test_run(NULL, NULL);
    clsolve_context_destroy(context);
    return failed;
}
