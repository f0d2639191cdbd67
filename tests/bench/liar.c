/*
 * liar.c: put before libclsolve (LD_PRELOAD), it lets solvers do nothing, or fail, from the K-th call on, or tells which device each
 * call was for: LIAR=idle:K, fail:K, log. So that it is seen what the benchmark believes.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clsolve/clsolve.h>

enum { MOST = 64 };
static int calls, handles;
static struct {
    const void *handle;
    char device[32];
} made[MOST];

static int begins(const char *what) {
    const char *wanted = getenv("LIAR");
    size_t length = strlen(what);
    return wanted && strncmp(wanted, what, length) == 0 && calls >= atoi(wanted + length);
}

static void remember(clsolve_context *context, const void *handle) {
    int at = 0;
    while (at < handles && made[at].handle != handle) ++at; /* its memory may have been another's */
    if (at == MOST) return;
    made[at].handle = handle;
    clsolve_device_info info = clsolve_context_device(context);
    (void)snprintf(made[at].device, sizeof made[at].device, "%s", info.selector);
    if (at == handles) ++handles;
}

/* 0: the call is to be made. */
static int lies(const char *name, const void *handle, clsolve_status *status) {
    int idle = begins("idle:"), fail = begins("fail:");
    for (int at = 0; at < handles && getenv("LIAR") && strcmp(getenv("LIAR"), "log") == 0; ++at)
        if (made[at].handle == handle) fprintf(stderr, "liar: %s on %s\n", name, made[at].device);
    ++calls;
    *status = fail ? CLSOLVE_ERROR_DEVICE : CLSOLVE_OK;
    return idle || fail;
}

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

#define CALL(name, params, args)                                                                                       \
    clsolve_status name params {                                                                                       \
        clsolve_status(*call) params, status;                                                                          \
        void *found = real(#name);                                                                                     \
        memcpy(&call, &found, sizeof call);                                                                            \
        return lies(#name, handle, &status) ? status : call args;                                                      \
    }
#define CREATE(name, params, args)                                                                                     \
    clsolve_status name params {                                                                                       \
        clsolve_status(*call) params;                                                                                  \
        void *found = real(#name);                                                                                     \
        memcpy(&call, &found, sizeof call);                                                                            \
        clsolve_status status = call args;                                                                             \
        if (status == CLSOLVE_OK) remember(context, *out);                                                             \
        return status;                                                                                                 \
    }

CREATE(clsolve_lu_create,
       (clsolve_context * context, int64_t n, clsolve_type type, const clsolve_lu_options *options, clsolve_lu **out),
       (context, n, type, options, out))
CREATE(clsolve_gauss_jordan_create,
       (clsolve_context * context, int64_t n, clsolve_type type, const clsolve_gauss_jordan_options *options,
        clsolve_gauss_jordan **out),
       (context, n, type, options, out))
CALL(clsolve_lu_solve, (clsolve_lu * handle, clsolve_op op, clsolve_matrix *B), (handle, op, B))
CALL(clsolve_gauss_jordan_solve,
     (clsolve_gauss_jordan * handle, clsolve_op op, const clsolve_matrix *A, clsolve_matrix *B), (handle, op, A, B))
CALL(clsolve_gauss_jordan_invert, (clsolve_gauss_jordan * handle, const clsolve_matrix *A, clsolve_matrix *X),
     (handle, A, X))
CREATE(clsolve_gauss_jordan_batch_create,
       (clsolve_context * context, int64_t n, int64_t count, clsolve_type type,
        const clsolve_gauss_jordan_batch_options *options, clsolve_gauss_jordan_batch **out),
       (context, n, count, type, options, out))
CALL(clsolve_gauss_jordan_batch_invert,
     (clsolve_gauss_jordan_batch * handle, const clsolve_batch *A, clsolve_batch *X, int64_t *info),
     (handle, A, X, info))
CALL(clsolve_band_factor, (clsolve_band * handle, const clsolve_matrix *AB), (handle, AB))
CALL(clsolve_band_solve, (clsolve_band * handle, clsolve_op op, clsolve_matrix *B), (handle, op, B))
CALL(clsolve_block_gs_solve, (clsolve_block_gs * handle, const clsolve_grid *F, clsolve_grid *Y, int64_t nrhs),
     (handle, F, Y, nrhs))
