/*
 * The product of cl/gemm_mma.cl, with its copies beside the work-items and its fragments in lanes, on groups of emulated work-items in
 * orders drawn from the seed. Whole numbers: the product is exact in any order. Without EVERY: each form in half
 * of the sizes.
 */
#include "kernels/gemm_mma_form.h"

#include "support/test_support.h"

enum { UNTOUCHED = -77 };
static test_random numbers;
static int long_numbers; /* elements are no small whole numbers but such as lose most in two parts of tf32 */

static int64_t between(int64_t low, int64_t high) {
    return test_random_between(&numbers, low, high);
}

/* A matrix of rows x cols between places that hold `around`; in double here, whatever the form's type. */
typedef struct place {
    double *all;
    int64_t offset, ld, count;
} place;

/* The lower 13 bits of its fraction are ones: cut off there, 11 of them are what the other part takes. */
static double long_number(void) {
    const double x = 1 + (double)(8192 * between(1, 1023) - 1) * 0x1p-23;
    return between(0, 1) ? x : -x;
}

/* VECTOR elements are read as one: offsets and leading dimensions are multiples of it. */
static place make(const gemm_mma_form *form, int64_t rows, int64_t cols, double around, int64_t most) {
    place p = {.offset = between(0, 3) * form->vector, .ld = rows + between(0, 3)};
    p.ld = (p.ld + form->vector - 1) / form->vector * form->vector;
    p.count = p.offset + p.ld * cols + 9;
    p.all = malloc((size_t)p.count * sizeof *p.all);
    assert_non_null(p.all);
    for (int64_t at = 0; at < p.count; at++) p.all[at] = around;
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            p.all[p.offset + i + j * p.ld] = long_numbers ? long_number() : (double)between(-most, most);
    return p;
}

/* The elements in the form's type. */
static void *typed(const gemm_mma_form *form, const place *p) {
    if (form->in_double) return p->all;
    float *singles = malloc((size_t)p->count * sizeof *singles);
    assert_non_null(singles);
    for (int64_t e = 0; e < p->count; e++) singles[e] = (float)p->all[e];
    return singles;
}

static void untyped(const gemm_mma_form *form, void *elements, place *back) {
    const float *singles = elements;
    if (form->in_double) return;
    for (int64_t e = 0; back && e < back->count; e++) back->all[e] = (double)singles[e];
    free(elements);
}

static double at(const place *p, int trans, int64_t i, int64_t j) {
    return trans ? p->all[p->offset + j + i * p->ld] : p->all[p->offset + i + j * p->ld];
}

static void say(const gemm_mma_form *form, const gemm_mma_product *p, const char *what) {
    fail_msg("%s, tiles of %d x %d, A%s B%s by %d: m %d, n %d, k %d, alpha %g, beta %g: %s",
             form->in_double ? "double" : "float", form->bm, form->bn, form->trans_a ? "'" : "",
             form->trans_b ? "'" : "", form->vector, (int)p->m, (int)p->n, (int)p->k, p->alpha, p->beta, what);
}

static void check(const gemm_mma_form *form, const gemm_mma_product *p, const place *A, const place *B, const place *C,
                  const double *before) {
    char text[120];
    for (int64_t k = 0; k < C->count; k++) {
        int64_t i = (k - C->offset) % C->ld, j = (k - C->offset) / C->ld;
        double expected = before[k], size = 0;
        const int left = p->lower && j / form->bn * form->bn >= i / form->bm * form->bm + form->bm;
        if (k >= C->offset && i < p->m && j < p->n && !left) {
            double sum = 0;
            for (int64_t l = 0; l < p->k; l++) {
                const double product = at(A, form->trans_a, i, l) * at(B, form->trans_b, l, j);
                sum += product;
                size += fabs(product);
            }
            expected = p->alpha * sum + (p->beta != 0 ? p->beta * before[k] : 0);
        }
        if (C->all[k] == expected) continue;
        if (long_numbers && fabs(C->all[k] - expected) <= (double)(p->k + 20) * 0x1p-24 * size) continue;
        (void)snprintf(text, sizeof text, "element (%d, %d): %.17g, and plainly %.17g", (int)i, (int)j, C->all[k],
                       expected);
        say(form, p, text);
    }
}

/* In float, elements of one operand that want both parts: of both operands their product would not be exact. */
static void run_part(const gemm_mma_form *form, int64_t m, int64_t n, int64_t k, double alpha, double beta, int lower) {
    const int64_t few = 9, many = form->in_double ? few : 8000;
    const int64_t wide = between(0, 1);
    place A = make(form, form->trans_a ? k : m, form->trans_a ? m : k, NAN, wide ? many : few);
    place B = make(form, form->trans_b ? n : k, form->trans_b ? k : n, NAN, wide ? few : many);
    place C = make(form, m, n, UNTOUCHED, few);
    if (beta == 0) /* what C held does not count then */
        for (int64_t e = 0; e < m * n; e++) C.all[C.offset + e % m + e / m * C.ld] = NAN;
    SCRATCH double *before = malloc((size_t)C.count * sizeof *before);
    emulator_words none = {0, 0, 0, 0};
    void *of_a = typed(form, &A), *of_b = typed(form, &B), *of_c = typed(form, &C);
    gemm_mma_product p = {m,        n,    k,    alpha, of_a,     A.offset, A.ld,  of_b,
                          B.offset, B.ld, beta, of_c,  C.offset, C.ld,     lower, 0};
    emulator_launch it = {.groups = (int)((m + form->bm - 1) / form->bm * ((n + form->bn - 1) / form->bn)),
                          .items = form->items,
                          .kernel = form->kernel,
                          .arguments = &p,
                          .words = &none,
                          .count = 1,
                          .seed = test_random_bits(&numbers),
                          .late = -1};

    assert_non_null(before);
    for (int64_t e = 0; e < C.count; e++) before[e] = C.all[e];
    const char *error = emulator_run(&it);
    if (error) say(form, &p, error);
    untyped(form, of_a, NULL);
    untyped(form, of_b, NULL);
    untyped(form, of_c, &C);
    if (p.outside) say(form, &p, "read outside of A and B");
    check(form, &p, &A, &B, &C, before);
    free(A.all);
    free(B.all);
    free(C.all);
}

static void run(const gemm_mma_form *form, int64_t m, int64_t n, int64_t k, double alpha, double beta) {
    run_part(form, m, n, k, alpha, beta, 0);
}

/* Without EVERY: half of the forms in one test, the others in the next. */
static int left_out(int form, int half) {
    return !EVERY && form % 2 != half;
}

/* Inner sizes around a slice, around as many slices as local memory holds, twice as many, and beyond; of each form one, drawn. */
TEST(inner_sizes) {
    for (int f = 0; f < FORMS; f++) {
        const gemm_mma_form *form = FORM_AT(gemm_mma_form, f);
        if (left_out(f, 0)) continue;
        const int64_t s = form->slice,
                      inner[] = {7 * s, between(11, 12) * s + between(-1, 1), between(1, 11) * s + between(-1, 1)};
        run(form, form->bm, form->bn, inner[between(0, 2)], -1, 1);
    }
}

/* Each form: a tile, a part of one, and the tiles at two edges. */
TEST(edges) {
    for (int f = 0; f < FORMS; f++) {
        const gemm_mma_form *form = FORM_AT(gemm_mma_form, f);
        if (left_out(f, 1)) continue;
        run(form, form->bm + between(1, 5), between(1, 5), between(1, 20), -1, 1);
        run(form, between(1, form->bm - 1), form->bn + between(1, 9), between(1, 9 * form->slice),
            between(0, 1) ? 1 : 2, (double)between(0, 3));
    }
}

TEST(factors) {
    static const double alphas[] = {1, -1, 3}, betas[] = {1, -1, 0, 2};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 4; b++)
            run(FORM_AT(gemm_mma_form, (int)between(0, FORMS - 1)), between(1, 40), between(1, 40), between(1, 40),
                alphas[a], betas[b]);
    /* Whose product is beyond the type. */
    for (int f = 0; f < FORMS; f++) {
        const double huge = FORM_AT(gemm_mma_form, f)->in_double ? 0x1p600 : 0x1p80;
        run(FORM_AT(gemm_mma_form, f), between(1, 9), between(1, 9), between(1, 9), huge, huge);
    }
}

/* The tiles that the diagonal passes, and those below it. */
TEST(triangles) {
    for (int turn = 0; turn < (EVERY ? 4 : 2); turn++) {
        const gemm_mma_form *form = FORM_AT(gemm_mma_form, (int)between(0, FORMS - 1));
        const int64_t n = form->bm + form->bn + between(1, 9);
        run_part(form, n, n, between(1, 9), -1, 1, 1);
    }
}

/* In float, to 20 roundings a product: the larger part is the nearest, or they would be 28. */
TEST(parts) {
    long_numbers = 1;
    for (int f = 0; f < FORMS; f++)
        if (!FORM_AT(gemm_mma_form, f)->in_double)
            run(FORM_AT(gemm_mma_form, f), FORM_AT(gemm_mma_form, f)->bm, between(1, 9), 1, 1, 0);
    long_numbers = 0;
}

TEST_PROGRAM_BY(numbers = test_random_start(0x6e3), NULL, emulator_close)
