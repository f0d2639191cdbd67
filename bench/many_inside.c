/*
 * bench_many DEVICES N[,N...] [WIDTH[,WIDTH...] [REPEAT [INVERSE [GROUP]]]]: dense LU over several devices, below the public
 * calls: the factorization alone, with the matrix on the devices; a solve with one right-hand side; and with INVERSE 1
 * one with n of them. DEVICES: "cuda:0,1", "opencl:0,opencl:1", "cuda:0,cuda:0". WIDTH 0: the library's choice. The
 * first device alone is timed beside them, where the matrix fits it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "method/several/several.h"

enum { DEVICES = 8, LIST = 16 };

static double now(void) {
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(double *a, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        a[i] = (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
    }
}

static int parse(const char *text, int64_t *list) {
    int count = 0;
    char *end = NULL;
    for (const char *p = text; *p && count < LIST; p = *end ? end + 1 : end) list[count++] = strtoll(p, &end, 10);
    return count;
}

static clsolve_context
    *contexts[DEVICES + 1]; /* the first device alone, and the others beside it, or all together last */
static cls_device *devices[DEVICES];

static int open_one(const char *selector, clsolve_context **context) {
    char said[1024];
    const clsolve_context_options options = {.selector = selector, .message = said, .message_size = sizeof said};
    if (clsolve_context_create_with(&options, context) == CLSOLVE_OK) return 1;
    (void)fprintf(stderr, "%s: %s\n", selector, said);
    return 0;
}

/* As one context of several devices, by which they reach each other; where a device is named twice, each by itself. */
static int open_devices(char *text) {
    char backend[32] = "cuda", selectors[DEVICES][64];
    const char *list[DEVICES];
    int count = 0;
    for (char *rest = NULL, *word = strtok_r(text, ",", &rest); word && count < DEVICES;
         word = strtok_r(NULL, ",", &rest)) {
        const char *colon = strchr(word, ':');
        if (colon) (void)snprintf(backend, sizeof backend, "%.*s", (int)(colon - word), word);
        if (colon || strcmp(word, "host") == 0)
            (void)snprintf(selectors[count], sizeof selectors[count], "%s", word);
        else
            (void)snprintf(selectors[count], sizeof selectors[count], "%s:%s", backend, word);
        list[count] = selectors[count];
        ++count;
    }
    if (count == 0 || !open_one(list[0], &contexts[0])) return 0;
    int64_t there;
    if (count > 1 && clsolve_context_create_many(NULL, count, list, &contexts[DEVICES]) == CLSOLVE_OK) {
        for (int d = 0; d < count; ++d) devices[d] = cls_context_devices(contexts[DEVICES], &there)[d];
    } else {
        for (int d = 0; d < count; ++d) {
            if (d > 0 && !open_one(list[d], &contexts[d])) return 0;
            devices[d] = contexts[d]->device;
        }
    }
    for (int d = 0; d < count; ++d) (void)printf("# %s: %s\n", devices[d]->info.selector, devices[d]->info.name);
    return count;
}

/* ||b - A x|| / (||A|| ||x|| n eps) with bounds for the norms. */
static double ratio(int64_t n, const double *A, const double *x, const double *b) {
    double worst = 0, size = 0, *r = malloc((size_t)n * sizeof *r);
    if (!r) return NAN;
    memcpy(r, b, (size_t)n * sizeof *r);
    for (int64_t j = 0; j < n; ++j) {
        size += fabs(x[j]);
        for (int64_t i = 0; i < n; ++i) r[i] -= A[i + j * n] * x[j];
    }
    for (int64_t i = 0; i < n; ++i) worst += fabs(r[i]);
    free(r);
    return worst / (0.5 * (double)n * size * (double)n * 0x1p-53);
}

static void alone(clsolve_context *context, int64_t n, double *A, int repeat) {
    clsolve_matrix view = clsolve_matrix_f64(n, n, A);
    const clsolve_lu_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_lu *lu = NULL;
    double best = 1e30, whole = 1e30;
    clsolve_status status = clsolve_lu_create(context, n, CLSOLVE_F64, &options, &lu);
    for (int r = 0; r < repeat + 1 && status == CLSOLVE_OK; ++r) {
        clsolve_report report;
        status = clsolve_lu_factor(lu, &view);
        (void)clsolve_lu_report(lu, &report);
        best = fmin(best, report.seconds.factor);
        whole = fmin(whole, report.seconds.total);
    }
    if (status != CLSOLVE_OK)
        (void)printf("n %lld one device: %s\n", (long long)n, clsolve_context_message(context));
    else
        (void)printf("n %lld one device: factor %.2f ms (it may overlap the way up), in all %.2f ms\n", (long long)n,
                     1e3 * best, 1e3 * whole);
    clsolve_lu_destroy(lu);
}

static int fails(const cls_several *many, clsolve_status status) {
    if (status != CLSOLVE_OK) (void)printf("failed: %s\n", many->error->text);
    return status != CLSOLVE_OK;
}

static void together(int count, int64_t n, int64_t width, double *A, int repeat, int inverse, int64_t group) {
    cls_several many = {0};
    const cls_several_shape shape = {.n = n, .type = CLSOLVE_F64, .count = count, .width = width, .group = group};
    double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
    clsolve_matrix a = clsolve_matrix_f64(n, n, A), view = clsolve_matrix_f64(n, 1, x);
    double up = 1e30, factor = 1e30, solve = 1e30, start;
    cls_measures measures;
    cls_place in, out;
    int64_t info = 0;
    int again = 0;

    start = now();
    if (!b || !x || fails(&many, cls_several_setup(devices, &shape, &many))) goto end;
    const double create = now() - start;
    fill(b, n, 7);
    for (int r = 0; r < repeat + 1; ++r) {
        start = now();
        if (fails(&many, cls_several_upload(&many, &a, &measures))) goto end;
        up = fmin(up, now() - start);
        start = now();
        if (fails(&many, cls_several_factor(&many, &info, &again))) goto end;
        const double seconds = now() - start;
        (void)printf("n %lld width %lld run %d: factor %.2f ms%s\n", (long long)n, (long long)many.width, r,
                     1e3 * seconds, again ? " AGAIN" : "");
        factor = fmin(factor, seconds);
        memcpy(x, b, (size_t)n * sizeof *x);
        start = now();
        if (fails(&many, cls_several_solve(&many, CLSOLVE_NO_TRANS, &view, &in, &out))) goto end;
        solve = fmin(solve, now() - start);
    }
    (void)printf("n %lld width %lld devices %d: create %.0f up %.2f factor %.2f solve %.2f ms, info %lld, ratio %.2g\n",
                 (long long)n, (long long)many.width, count, 1e3 * create, 1e3 * up, 1e3 * factor, 1e3 * solve,
                 (long long)info, ratio(n, A, x, b));
    if (inverse) {
        double *X = calloc((size_t)n * (size_t)n, sizeof *X);
        clsolve_matrix all = clsolve_matrix_f64(n, n, X);
        for (int r = 0; r < 2 && X; ++r) {
            memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
            for (int64_t i = 0; i < n; ++i) X[i + i * n] = 1;
            start = now();
            if (fails(&many, cls_several_solve(&many, CLSOLVE_NO_TRANS, &all, &in, &out))) break;
            (void)printf("n %lld n right-hand sides: %.2f ms with both ways\n", (long long)n, 1e3 * (now() - start));
        }
        free(X);
    }
end:
    cls_several_release(&many);
    free(b);
    free(x);
}

int main(int argc, char **argv) {
    int64_t sizes[LIST], widths[LIST] = {0};
    if (argc < 3) return 2;
    const int count = open_devices(argv[1]), n_sizes = parse(argv[2], sizes);
    const int n_widths = argc > 3 ? parse(argv[3], widths) : 1, repeat = argc > 4 ? atoi(argv[4]) : 3;
    if (count == 0) return 1;
    for (int i = 0; i < n_sizes; ++i) {
        const int64_t n = sizes[i];
        double *A = malloc((size_t)n * (size_t)n * sizeof *A);
        if (!A) return 1;
        fill(A, n * n, (uint64_t)n);
        for (int w = 0; w < n_widths; ++w) {
            together(count, n, widths[w], A, repeat, argc > 5 && atoi(argv[5]), argc > 6 ? atoi(argv[6]) : 0);
            (void)fflush(stdout);
        }
        alone(contexts[0], n, A, repeat);
        (void)fflush(stdout);
        free(A);
    }
    for (int d = 0; d <= DEVICES; ++d) clsolve_context_destroy(contexts[d]);
    return 0;
}
