/* solving.c: see solving.h. */
#include "sparse/solving.h"

#include "api/context.h"
#include "base/type.h"

clsolve_context *context;
int on_device;
int64_t there, alone;

/* ---- how a system is solved ---- */

typedef struct setup {
    clsolve_sparse_engine engine;
    clsolve_sparse_order order;
    clsolve_choice matching, amalgamation;
    double threshold;
} setup;

static const setup setups[SETUPS] = {
    {0},
    {.engine = FRONTS},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_AMD, .amalgamation = OFF},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_METIS, .amalgamation = ON},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_NATURAL},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_GIVEN},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_AMD, .matching = OFF},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_NESTED, .matching = OFF, .amalgamation = OFF},
    {.engine = FRONTS, .order = CLSOLVE_ORDER_GIVEN, .matching = ON, .threshold = 1},
    {.order = CLSOLVE_ORDER_AMD, .matching = ON},
    {.engine = CLSOLVE_SPARSE_KLU},
    {.engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_NATURAL},
    {.engine = CLSOLVE_SPARSE_KLU, .order = CLSOLVE_ORDER_GIVEN, .threshold = 0.5}};

void check(const trial *t, clsolve_status status, const char *call) {
    if (status != CLSOLVE_OK)
        fail_msg("%s: %s gave %s: %s", t->about, call, clsolve_status_name(status), clsolve_context_message(context));
}

/* Engine and order are those asked for. */
static void check_analysis(const trial *t, clsolve_sparse *sparse) {
    static const char *const orders[] = {"", "amd", "metis", "natural", "nested", "given"};
    const clsolve_sparse_options *o = &t->options;
    clsolve_sparse_analysis found;
    check(t, clsolve_sparse_get_analysis(sparse, &found), "get_analysis");
    const int fronts = strcmp(found.engine, "multifrontal") == 0;
    assert_int_equal(found.n, t->A->n);
    assert_int_equal(found.entries, t->A->count);
    assert_int_equal(found.structural_rank, t->A->n);
    assert_true(found.seconds >= 0 && found.host_bytes >= 0 && found.operations >= 0);
    assert_true(found.factor_entries >= (double)t->A->n);
    if (!fronts) assert_string_equal(found.engine, "klu");
    if (o->engine == FRONTS || o->matching == ON) assert_true(fronts);
    if (o->where == CLSOLVE_WHERE_DEVICE && t->A->n > 0) assert_true(fronts);
    if (o->engine == CLSOLVE_SPARSE_KLU && t->A->n > 0) assert_false(fronts);
    if (o->matching != CLSOLVE_CHOICE_AUTO) assert_int_equal(found.matched, o->matching == ON);
    if (fronts) assert_true(found.largest_front <= t->A->n && found.fronts <= t->A->n && found.levels <= found.fronts);
    if (o->order == CLSOLVE_ORDER_AUTO)
        assert_true(strcmp(found.order, "amd") == 0 || strcmp(found.order, "nested") == 0);
    else if ((o->order != CLSOLVE_ORDER_METIS && o->order != CLSOLVE_ORDER_NESTED) ||
             t->A->count > 2 * t->A->n) /* a graph without edges has AMD's order */
        assert_string_equal(found.order, orders[o->order]);
}

static void check_order(const trial *t, clsolve_sparse *sparse) {
    SCRATCH int64_t *order = test_room((2 * t->A->n) + 1, sizeof *order);
    check(t, clsolve_sparse_permutations(sparse, order, order + t->A->n), "permutations");
    assert_true(is_permutation(order, t->A->n) && is_permutation(order + t->A->n, t->A->n));
}

/* One right-hand side of several is zero. */
static void fill(const trial *t, double *B, test_random *random) {
    const int64_t numbers = test_numbers(t->type, t->A->n);
    test_random_fill(random, B, numbers * t->nrhs);
    for (int64_t k = 0; k < numbers && t->nrhs > 1; k++) B[numbers + k] = 0;
    for (int64_t k = 0; k < numbers * t->nrhs; k++) B[k] = test_rounded(t->type, B[k]);
}

/* Factors in double, made by the device: it refines too. A solution that the host's vectors had to save is as accurate, but
 * B has gone up once more. */
static void check_refined_there(const trial *t, const clsolve_report *report, const cls_counters *before) {
    const int64_t bytes = test_numbers(t->type, t->A->n) * t->nrhs * (int64_t)sizeof(double);
    const cls_counters moved = cls_counters_since(&context->device->counters, before);
    if (strcmp(report->where, "device") != 0 || strcmp(report->precision, "double") != 0) return;
    if (t->options.device_memory_limit > 0) return; /* factors go up too */
    if (report->refinement.gmres_iterations == 0) assert_int_equal(moved.bytes_up, bytes);
}

/* `again`: the device has the pattern. */
static void solve_once(const trial *t, clsolve_sparse *sparse, int again, test_random *random) {
    scratch_matrix b = test_matrix_make(t->type, t->layout, t->A->n, t->nrhs, t->spare);
    SCRATCH double *B = test_elements(t->type, t->A->n * t->nrhs), *X = test_elements(t->type, t->A->n * t->nrhs);
    clsolve_report report;
    fill(t, B, random);
    test_matrix_set(&b, B);
    const cls_counters before = context->device->counters;
    check(t, clsolve_sparse_solve(sparse, t->op, &b.view), "solve");
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    const double error = triplets_backward(t->A, t->type, t->op, t->nrhs, B, X);
    if (!(error <= triplets_bound(t->A->n, t->type)))
        fail_msg("%s: backward error %.2g above %.2g", t->about, error, triplets_bound(t->A->n, t->type));
    check(t, clsolve_sparse_report(sparse, &report), "report");
    assert_int_equal(report.nrhs, t->nrhs);
    assert_int_equal(report.info, 0);
    if (on_device && t->options.where == CLSOLVE_WHERE_DEVICE && t->A->n > 0) {
        *(strcmp(report.where, "device") == 0 ? &there : &alone) += 1;
        if (again) check_refined_there(t, &report, &before);
        if (t->A->n >= 350) { /* refinement could mend wrong factors, or what a substitution left out */
            assert_true(report.iterations <= 1);
            if (strcmp(report.precision, "double") == 0) assert_true(report.refinement.history[0] < 1e-9);
        }
    }
    if (t->nrhs > 0 && t->A->n > 0) assert_true(report.refinement.backward_error <= triplets_bound(t->A->n, t->type));
}

void run(const trial *t, test_random *random) {
    OWNED(sparse) *sparse = NULL;
    check(t, clsolve_sparse_create_csr(context, &t->rows->view, &t->options, &sparse), "create");
    check(t, clsolve_sparse_factor_csr(sparse, &t->rows->view), "factor");
    check_analysis(t, sparse);
    solve_once(t, sparse, 0, random);
    check(t, clsolve_sparse_factor_csr(sparse, &t->rows->view), "second factor");
    solve_once(t, sparse, 1, random);
    check_order(t, sparse);
}

/* ---- the cases ---- */

static const clsolve_op ops[] = {CLSOLVE_NO_TRANS, CLSOLVE_TRANS, CLSOLVE_CONJ_TRANS};
static const int64_t right_sides[] = {1, 3, 70, 33, 0};

void take_turn(int64_t turn, int definite, trial *t, csr_form *form, test_random *random) {
    static const clsolve_type types[] = {CLSOLVE_F64, CLSOLVE_C64, CLSOLVE_F32, CLSOLVE_C32};
    clsolve_type type = types[turn % 4];
    if (on_device) type = turn % 2 == 0 ? CLSOLVE_F64 : definite ? CLSOLVE_C32 : CLSOLVE_C64;
    const uint64_t bits = test_random_bits(random);
    *t = (trial){.type = type,
                 .op = ops[turn % 3],
                 .nrhs = right_sides[turn % 5],
                 .layout = bits & 1 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR,
                 .spare = bits & 2 ? 3 : 0};
    *form =
        (csr_form){t->type, bits & 4 ? CLSOLVE_I32 : CLSOLVE_I64, (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
}

static clsolve_where where_of(clsolve_sparse_engine engine) {
    return on_device && engine != CLSOLVE_SPARSE_KLU ? CLSOLVE_WHERE_DEVICE : CLSOLVE_WHERE_AUTO;
}

void run_general(pattern kind, int64_t n, int64_t turn, test_random *random) {
    trial t;
    csr_form form;
    char about[200];
    const setup *s = &setups[turn % SETUPS];
    take_turn(turn, 0, &t, &form, random);
    scratch_triplets A = pattern_make(kind, n, random);
    triplets_round(&A, t.type);
    scratch_csr rows = csr_make(&A, &form, random);
    SCRATCH int64_t *given = s->order == CLSOLVE_ORDER_GIVEN ? permutation_make(A.n, random) : NULL;
    (void)snprintf(about, sizeof about, "%s, n %d, turn %d, setup %d", pattern_names[kind], (int)n, (int)turn,
                   (int)(turn % SETUPS));
    t.A = &A;
    t.rows = &rows;
    t.about = about;
    t.options = (clsolve_sparse_options){.engine = s->engine,
                                         .order = s->order,
                                         .permutation = given,
                                         .matching = s->matching,
                                         .amalgamation = s->amalgamation,
                                         .where = where_of(s->engine),
                                         .threshold = s->threshold};
    run(&t, random);
}

/* ---- one triangle ---- */

/* Entries of the other triangle: they are there with wrong values, or not there. */
static triplets one_triangle(const triplets *A, clsolve_sparse_part part, int rubbish) {
    triplets made = {.n = A->n};
    for (int64_t e = 0; e < A->count; e++) {
        const entry *x = &A->at[e];
        if (part == CLSOLVE_SPARSE_WHOLE || (part == CLSOLVE_SPARSE_LOWER ? x->row >= x->column : x->row <= x->column))
            triplets_add(&made, x->row, x->column, x->value);
        else if (rubbish)
            triplets_add(&made, x->row, x->column, 1e6);
    }
    return made;
}

void run_one_sided(clsolve_sparse_form of, pattern kind, int64_t n, int64_t turn, test_random *random) {
    const clsolve_sparse_part part = (clsolve_sparse_part)((turn / 4 + turn / 12) % 3);
    trial t;
    csr_form form;
    char about[200];
    take_turn(turn, 1, &t, &form, random);
    scratch_triplets A = of == CLSOLVE_SPARSE_POSITIVE_DEFINITE
                             ? pattern_make_definite(kind, n, cls_is_complex(t.type), random)
                             : pattern_make_symmetric(kind, n, of, cls_is_complex(t.type), random);
    triplets_round(&A, t.type);
    scratch_triplets read = one_triangle(&A, part, turn % 2 == 0);
    scratch_csr rows = csr_make(&read, &form, random);
    static const double thresholds[] = {0, 1e-8, 0.1, 1};
    clsolve_sparse_options options = {.form = of,
                                      .part = part,
                                      .where = where_of(FRONTS),
                                      .order =
                                          (clsolve_sparse_order)test_random_between(random, 0, CLSOLVE_ORDER_GIVEN),
                                      .amalgamation = turn % 7 == 0 ? OFF : CLSOLVE_CHOICE_AUTO};
    SCRATCH int64_t *given = options.order == CLSOLVE_ORDER_GIVEN ? permutation_make(A.n, random) : NULL;
    (void)snprintf(about, sizeof about, "form %d, %s, n %d, turn %d", (int)of, pattern_names[kind], (int)n, (int)turn);
    if (of != CLSOLVE_SPARSE_POSITIVE_DEFINITE) {
        options.matching = (clsolve_choice)(turn % 3);
        options.threshold = thresholds[turn / 3 % 4];
    }
    options.permutation = given;
    t.A = &A;
    t.rows = &rows;
    t.options = options;
    t.about = about;
    OWNED(sparse) *sparse = NULL;
    check(&t, clsolve_sparse_create_csr(context, &rows.view, &options, &sparse), "create");
    check(&t, clsolve_sparse_factor_csr(sparse, &rows.view), "factor");
    for (int again = 0; again < 2; again++) solve_once(&t, sparse, again, random);
    check_order(&t, sparse);
}
