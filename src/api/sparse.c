/* sparse.c: the handle of a sparse system: arguments, and right-hand sides of any type and place. */
#include "api/sparse.h"

#include <math.h>

#include "api/beside.h"
#include "api/enqueue.h"
#include "api/host.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/memory.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"
#include "method/transfer.h"

/* ---- create, destroy ---- */

static const char create_call[] = "clsolve_sparse_create_csr";

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

static clsolve_status check_choices(cls_error *error, const clsolve_sparse_options *o) {
    if (o->form < CLSOLVE_SPARSE_GENERAL || o->form > CLSOLVE_SPARSE_HERMITIAN)
        REFUSE("%s: there is no form %d: see clsolve_sparse_form", create_call, (int)o->form);
    if (o->part < CLSOLVE_SPARSE_WHOLE || o->part > CLSOLVE_SPARSE_UPPER)
        REFUSE("%s: there is no part %d: see clsolve_sparse_part", create_call, (int)o->part);
    if (o->part != CLSOLVE_SPARSE_WHOLE && o->form == CLSOLVE_SPARSE_GENERAL)
        REFUSE("%s: part LOWER and UPPER are no options of GENERAL: leave it 0", create_call);
    if (o->order < CLSOLVE_ORDER_AUTO || o->order > CLSOLVE_ORDER_GIVEN)
        REFUSE("%s: there is no order %d: see clsolve_sparse_order", create_call, (int)o->order);
    if ((o->order == CLSOLVE_ORDER_GIVEN) != (o->permutation != NULL))
        REFUSE("%s: order GIVEN and permutation belong together: give both or none", create_call);
    if (o->engine < CLSOLVE_SPARSE_AUTO || o->engine > CLSOLVE_SPARSE_KLU)
        REFUSE("%s: there is no engine %d: see clsolve_sparse_engine", create_call, (int)o->engine);
    if (o->matching < CLSOLVE_CHOICE_AUTO || o->matching > CLSOLVE_CHOICE_OFF ||
        o->amalgamation < CLSOLVE_CHOICE_AUTO || o->amalgamation > CLSOLVE_CHOICE_OFF)
        REFUSE("%s: matching is %d and amalgamation %d: see clsolve_choice", create_call, (int)o->matching,
               (int)o->amalgamation);
    return CLSOLVE_OK;
}

static clsolve_status check_options(cls_error *error, const cls_device *device, const clsolve_sparse_options *o) {
    CLS_TRY(check_choices(error, o));
    if (!(o->threshold >= 0 && o->threshold <= 1))
        REFUSE("%s: threshold is %g: give 0, or more than 0 and at most 1", create_call, o->threshold);
    if (o->threads < 0 || o->memory_limit < 0 || o->device_memory_limit < 0)
        REFUSE("%s: threads is %d, memory_limit %lld and device_memory_limit %lld: give 0 or more", create_call,
               (int)o->threads, (long long)o->memory_limit, (long long)o->device_memory_limit);
    CLS_TRY(cls_validate_flag(error, create_call, "rcond", o->rcond));
    if (o->where < CLSOLVE_WHERE_AUTO || o->where > CLSOLVE_WHERE_HOST)
        REFUSE("%s: where is %d: see clsolve_where", create_call, (int)o->where);
    CLS_TRY(CLS_VALIDATE_RESERVED(error, create_call, o->reserved));
    if (o->where == CLSOLVE_WHERE_DEVICE && o->engine == CLSOLVE_SPARSE_KLU)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: KLU works on the host: give where AUTO or HOST",
                        create_call);
    if (o->where == CLSOLVE_WHERE_DEVICE && !cls_sparse_device_may(device))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: the device has no kernels of sparse systems: give where AUTO or HOST", create_call);
    if (o->engine == CLSOLVE_SPARSE_KLU &&
        (o->form != CLSOLVE_SPARSE_GENERAL || o->order == CLSOLVE_ORDER_METIS || o->order == CLSOLVE_ORDER_NESTED))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: KLU factors GENERAL matrices, in any order but NESTED and METIS", create_call);
    if (o->engine == CLSOLVE_SPARSE_KLU && o->matching == CLSOLVE_CHOICE_ON)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: KLU has no matching by values: leave matching AUTO, or take the engine MULTIFRONTAL",
                        create_call);
    return CLSOLVE_OK;
}

/* Kernels of the first `count` devices; a context that compiles has one device. All begin before one is waited for. */
static cls_front_built build_beside(void *builder, int64_t count, const cls_front_shape *shape, double seconds) {
    clsolve_context *lead = builder;
    cls_front_built worst = CLS_FRONT_BUILT;
    for (int64_t d = 1; d < count; d++) (void)cls_beside_ask_sparse(lead->peers[d - 1], shape, 0);
    const double end = cls_seconds() + seconds;
    for (int64_t d = 0; d < count; d++) {
        const cls_beside_state state =
            cls_beside_ask_sparse(d == 0 ? lead : lead->peers[d - 1], shape, end - cls_seconds());
        if (state == CLS_BESIDE_FAILED) return CLS_FRONT_NOT_BUILT;
        if (state == CLS_BESIDE_BUSY) worst = CLS_FRONT_BUILDING;
    }
    return worst;
}

/* The devices that may share a matrix: all, if they are alike or CLSOLVE_SHARES says how fast they are. */
static cls_sparse_company company_of(clsolve_context *context) {
    int numbers[CLS_ENVIRONMENT_LIST], sum = 0;
    int64_t count;
    cls_device *const *devices = cls_context_devices(context, &count);
    const int given = count > 1 ? cls_environment_shares(numbers) : 0;
    cls_sparse_company company = {.devices = devices, .count = 1, .shares = {1}, .always = given > 0};
    if (cls_host_forced(CLSOLVE_WHERE_AUTO) == CLSOLVE_WHERE_AUTO) {
        company.build = build_beside;
        company.builder = context;
    }
    int may = given > 0 || cls_context_is_uniform(context);
    for (int64_t d = 0; d < count; d++)
        may &= cls_sparse_device_may(devices[d]) && devices[d]->info.fp64 == devices[0]->info.fp64;
    if (count == 1 || !may || (given > 0 && given != count)) return company;
    company.count = count;
    company.drivers = cls_context_drivers(context);
    for (int64_t d = 0; d < given; d++) sum += numbers[d];
    for (int64_t d = 0; d < count; d++) company.shares[d] = given > 0 ? (double)numbers[d] / sum : 1 / (double)count;
    return company;
}

typedef struct sparse_asked {
    const clsolve_csr *A;
    const clsolve_sparse_options *options;
} sparse_asked;

static clsolve_status check_create(clsolve_context *context, const void *asked) {
    const sparse_asked *matrix = asked;
    cls_error *error = &context->error;
    if (!matrix->A) REFUSE("%s: A is NULL", create_call);
    return matrix->options ? check_options(error, context->device, matrix->options) : CLSOLVE_OK;
}

static clsolve_status setup(cls_head *head, const void *asked) {
    static const clsolve_sparse_options defaults = {0};
    const sparse_asked *matrix = asked;
    clsolve_sparse *sparse = (clsolve_sparse *)head;
    const cls_sparse_company company = company_of(head->context);
    CLS_TRY(cls_sparse_open(&head->context->error, create_call, &company, matrix->A,
                            matrix->options ? matrix->options : &defaults, &sparse->engine));
    sparse->is_open = 1;
    return CLSOLVE_OK;
}

static void release(cls_head *head) {
    clsolve_sparse *sparse = (clsolve_sparse *)head;
    if (sparse->is_open) cls_sparse_close(&sparse->engine);
}

static const cls_head_kind kind = {.create = create_call,
                                   .argument = "sparse",
                                   .handle = "a handle",
                                   .bytes = sizeof(clsolve_sparse),
                                   .check = check_create,
                                   .setup = setup,
                                   .release = release};

clsolve_status clsolve_sparse_create_csr(clsolve_context *context, const clsolve_csr *A,
                                         const clsolve_sparse_options *options, clsolve_sparse **sparse) {
    return cls_head_create(&kind, context, &(sparse_asked){A, options}, sparse);
}

void clsolve_sparse_destroy(clsolve_sparse *sparse) {
    cls_head_destroy((cls_head *)sparse);
}

/* ---- factor, solve ---- */

clsolve_status cls_sparse_check_array(clsolve_sparse *sparse, const char *call, const clsolve_matrix *values) {
    cls_error *error = &sparse->head.context->error;
    const cls_sparse *engine = &sparse->engine;
    CLS_TRY(cls_validate_matrix(error, call, "values", values, engine->type, engine->A.given, 1));
    if (values->layout == CLSOLVE_ROW_MAJOR && values->ld > 1 && values->rows > 1)
        REFUSE("%s: values have gaps of %lld elements: give one after the other", call, (long long)values->ld - 1);
    return cls_transfer_fits(sparse->head.context->device, values);
}

void cls_sparse_settle_pending(clsolve_sparse *sparse) {
    cls_error *error = &sparse->head.context->error;
    const cls_error before = *error;
    const int factor = sparse->pending_factor, solve = sparse->pending_solve;
    if (!factor && !solve) return;
    sparse->pending_factor = sparse->pending_solve = 0;
    sparse->head.status = cls_sparse_land(error, "clsolve_sparse_status", &sparse->engine, factor, solve);
    if (factor)
        sparse->head.outcome =
            cls_enqueue_is_outcome(sparse->head.status) && !sparse->engine.factored ? sparse->head.status : CLSOLVE_OK;
    cls_enqueue_save(sparse->head.context, sparse->head.status, &sparse->head.message);
    *error = before;
}

void cls_sparse_begin_call(clsolve_sparse *sparse, int factor) {
    sparse->head.message.text[0] = 0;
    sparse->head.status = CLSOLVE_OK;
    sparse->nrhs = 0;
    sparse->solve_seconds = 0;
    sparse->solved = (cls_counters){0};
    if (!factor) return;
    sparse->head.outcome = CLSOLVE_OK;
    sparse->build_seconds = sparse->factor_seconds = 0;
    sparse->factored = (cls_counters){0};
}

/* For clsolve_context_share_at; the host has none. */
static void note_shares(const clsolve_sparse *sparse) {
    double shares[CLS_DEVICES_MOST] = {0};
    const int64_t count = sparse->engine.company.count;
    for (int64_t d = 0; d < count && sparse->engine.made_there; d++)
        shares[d] = cls_front_share_of(sparse->engine.there, d).operations;
    cls_context_note_shares(sparse->head.context, shares);
}

clsolve_status cls_sparse_factor_now(clsolve_sparse *sparse, const char *call, const clsolve_csr *A,
                                     const clsolve_matrix *values) {
    cls_error *error = &sparse->head.context->error;
    const double start = cls_seconds(), built = cls_context_build_seconds(sparse->head.context);
    const cls_counters before = cls_context_counters(sparse->head.context);
    sparse->nrhs = 0;
    sparse->head.outcome = CLSOLVE_OK;
    const clsolve_status status = values ? cls_sparse_factor_array(error, call, values, &sparse->engine)
                                         : cls_sparse_factor(error, call, A, &sparse->engine);
    if (status > 0) sparse->head.outcome = status; /* of the numbers; refused values leave their factors */
    sparse->build_seconds = cls_context_build_seconds(sparse->head.context) - built;
    sparse->factor_seconds = cls_seconds() - start - sparse->build_seconds;
    sparse->solve_seconds = 0;
    const cls_counters now = cls_context_counters(sparse->head.context);
    sparse->factored = cls_counters_since(&now, &before);
    sparse->solved = (cls_counters){0};
    note_shares(sparse);
    return status;
}

clsolve_status clsolve_sparse_factor_csr(clsolve_sparse *sparse, const clsolve_csr *A) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    cls_sparse_settle_pending(sparse);
    return cls_head_end(&sparse->head, NULL, cls_sparse_factor_now(sparse, "clsolve_sparse_factor_csr", A, NULL));
}

clsolve_status clsolve_sparse_factor_values(clsolve_sparse *sparse, const clsolve_matrix *values) {
    static const char call[] = "clsolve_sparse_factor_values";
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    cls_sparse_settle_pending(sparse);
    clsolve_status status = cls_sparse_check_array(sparse, call, values);
    if (status == CLSOLVE_OK) status = cls_sparse_factor_now(sparse, call, NULL, values);
    return cls_head_end(&sparse->head, NULL, status);
}

/* X in double, of whose columns the largest element has to be a normal number of the type. */
static clsolve_status check_range(cls_error *error, const char *call, clsolve_type type, const double *x, int64_t count,
                                  int64_t nrhs) {
    for (int64_t j = 0; j < nrhs && !cls_is_double(type); j++) {
        double most = 0;
        for (int64_t k = j * count; k < (j + 1) * count; k++) most = fmax(most, fabs(x[k]));
        if (most > FLT_MAX)
            return cls_fail(error, CLSOLVE_OVERFLOW, "%s: X is beyond the range of %s", call, cls_type_name(type));
        if (most > 0 && most < FLT_MIN)
            return cls_fail(error, CLSOLVE_NOT_CONVERGED, "%s: X is below the range of %s: scale A or B", call,
                            cls_type_name(type));
    }
    return CLSOLVE_OK;
}

/* The engine works in the view's memory. */
static int is_tight(const clsolve_matrix *view) {
    return cls_is_double(view->type) && view->layout == CLSOLVE_COLUMN_MAJOR &&
           (view->ld == view->rows || view->cols == 1);
}

clsolve_status cls_sparse_check_sides(clsolve_sparse *sparse, const char *call, clsolve_op op,
                                      const clsolve_matrix *B) {
    cls_error *error = &sparse->head.context->error;
    CLS_TRY(cls_validate_op(error, call, op));
    CLS_TRY(cls_validate_matrix(error, call, "B", B, sparse->engine.type, sparse->engine.A.n, -1));
    return cls_transfer_fits(sparse->head.context->device, B);
}

/* B, or a copy of it on the host that goes back. */
static clsolve_status solve_here(clsolve_sparse *sparse, const char *call, clsolve_op op, clsolve_matrix *B) {
    cls_error *error = &sparse->head.context->error;
    cls_sparse *engine = &sparse->engine;
    cls_device *device = sparse->head.context->device;
    cls_fetched there;
    const int64_t n = engine->A.n, nrhs = B->cols, count = n * nrhs * engine->A.parts;
    CLS_TRY(cls_fetch(device, B, &there));
    const int tight = is_tight(&there.view);
    double *x = tight ? there.view.data : cls_alloc((size_t)count + 1, sizeof *x);
    clsolve_status status = CLSOLVE_OK;
    if (!x && !tight) status = cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "%s: no host memory for a copy of B", call);
    if (status == CLSOLVE_OK) {
        if (!tight) cls_vectors_get(&there.view, 0, nrhs, x);
        status = cls_sparse_solve(error, call, engine, op, x, nrhs);
        if (status == CLSOLVE_OK) status = check_range(error, call, engine->type, x, n * engine->A.parts, nrhs);
        if (status == CLSOLVE_OK) {
            if (!tight) cls_vectors_put(&there.view, 0, nrhs, x);
            status = cls_store(device, &there, B);
        }
    }
    if (!tight) cls_free(x);
    cls_fetched_free(&there);
    return status;
}

static clsolve_status solve(clsolve_sparse *sparse, const char *call, clsolve_op op, clsolve_matrix *B) {
    cls_error *error = &sparse->head.context->error;
    int done = 0;
    CLS_TRY(cls_sparse_check_sides(sparse, call, op, B));
    CLS_TRY(cls_sparse_check_factors(error, call, &sparse->engine));
    CLS_TRY(cls_sparse_solve_array(&sparse->engine, op, B, &done));
    return done ? CLSOLVE_OK : solve_here(sparse, call, op, B);
}

clsolve_status cls_sparse_solve_now(clsolve_sparse *sparse, const char *call, clsolve_op op, clsolve_matrix *B) {
    const double start = cls_seconds();
    const cls_counters before = cls_context_counters(sparse->head.context);
    const clsolve_status status = solve(sparse, call, op, B);
    sparse->nrhs = B ? B->cols : 0;
    sparse->solve_seconds = cls_seconds() - start;
    const cls_counters now = cls_context_counters(sparse->head.context);
    sparse->solved = cls_counters_since(&now, &before);
    return status;
}

clsolve_status clsolve_sparse_solve(clsolve_sparse *sparse, clsolve_op op, clsolve_matrix *B) {
    CLS_TRY(cls_head_enter((cls_head *)sparse));
    cls_sparse_settle_pending(sparse);
    return cls_head_end(&sparse->head, NULL, cls_sparse_solve_now(sparse, "clsolve_sparse_solve", op, B));
}
