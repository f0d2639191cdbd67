/*
 * tune_share.c: what is stored for a device as one block of text: a comment, and rows for tuning/known_devices.inc.
 *
 *      (* clsolve 0.1.0, tuned on: AMD Radeon RX 7900 XTX, GPU, 48 compute units at 2304 MHz, ...
 *       * double: product 512.3 GFLOP/s; LU n = 4096 43.7 ms, 1.05 TFLOP/s; ... *)
 *      CLS_KNOWN_PRODUCT("AMD Accelerated Parallel Processing", "gfx1100", GPU, F64, 512.3, {...}, {...})
 *      CLS_KNOWN_SIZES("AMD Accelerated Parallel Processing", "gfx1100", GPU, F64, "CLBlast", ...)
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <clsolve/version.h>

#include "api/context.h"
#include "api/tuning.h"
#include "api/validate.h"
#include "blas/blas.h"
#include "blas/record.h"
#include "tuning/fitted.h"

/* Text that grows to the end of its room; `wanted` is what all of it takes. */
typedef struct block {
    char *text;
    size_t size, wanted;
} block;

static void put(block *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(block *b, const char *format, ...) {
    const size_t at = b->wanted < b->size ? b->wanted : b->size;
    va_list list;
    va_start(list, format);
    const int more = vsnprintf(b->text + at, b->size - at, format, list);
    va_end(list);
    if (more > 0) b->wanted += (size_t)more;
}

/* What a driver says, for a comment and for a string of C: no quote, no backslash, and neither end of a comment. */
static const char *safe(const char *from, char to[128]) {
    cls_origin_plain(from, to, 128);
    for (char *c = to; *c; c++)
        if (*c == '"' || *c == '\\' || *c == '*' || (*c == '?' && c[1] == '?')) *c = '.';
    return to;
}

static const char *kind_of(clsolve_device_type type) {
    return type == CLSOLVE_DEVICE_GPU ? "GPU" : type == CLSOLVE_DEVICE_CPU ? "CPU" : "OTHER";
}

static const char *name_of(clsolve_type type) {
    return type == CLSOLVE_F64 ? "F64" : "F32";
}

/* ---- the comment ---- */

static void put_device(block *b, const clsolve_device_info *info) {
    char text[128];
    put(b, "/* clsolve %s on %s, %s.\n", clsolve_version(), safe(info->name, text), kind_of(info->type));
    put(b, " * %d compute units at %d MHz, %lld MiB, %lld KiB local memory, groups of %lld.\n",
        (int)info->compute_units, (int)info->clock_mhz, (long long)(info->global_memory >> 20),
        (long long)(info->local_memory >> 10), (long long)info->max_work_group);
    put(b, " * Vendor: %s.\n", safe(info->vendor, text));
    put(b, " * Platform: %s.\n", safe(info->platform, text));
    put(b, " * Driver: %s.\n", safe(info->driver, text));
    put(b, " * Version: %s.\n", safe(info->version, text));
}

/* The fastest factorization of each order. */
static void put_rates(block *b, const cls_fit_record *sizes) {
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) {
        const double n = (double)cls_fitted_orders[k];
        double best = 0;
        for (int t = 0; t < sizes->count; t++) {
            const cls_fit_trial *trial = &sizes->trials[t];
            if (trial->n == cls_fitted_orders[k] && trial->part != CLS_FIT_FEW && trial->seconds > 0 &&
                (best == 0 || trial->seconds < best))
                best = trial->seconds;
        }
        if (best > 0)
            put(b, "\n *   LU n = %5d  %10.3f ms  %9.1f GFLOP/s", (int)n, 1e3 * best, 2e-9 / 3 * n * n * n / best);
    }
    const cls_fit_trial *few = NULL;
    for (int t = 0; t < sizes->count; t++)
        if (sizes->trials[t].part == CLS_FIT_FEW) few = cls_fit_best(sizes, CLS_FIT_FEW, sizes->trials[t].n);
    if (few) put(b, "\n *   solve n = %2d  %10.3f ms", (int)few->n, 1e3 * few->seconds);
}

/* ---- the rows ---- */

static void put_row(block *b, const char *macro, const clsolve_device_info *info, clsolve_type type) {
    char text[128];
    put(b, "%s(\"%s\",\n", macro, safe(info->platform, text));
    put(b, "    \"%s\", %s, %s, ", safe(info->name, text), kind_of(info->type), name_of(type));
}

static void put_product(block *b, const clsolve_device_info *info, clsolve_type type, const cls_record *record) {
    const cls_tile *t = &record->tile;
    put_row(b, "CLS_KNOWN_PRODUCT", info, type);
    put(b, "%.2f, {%d, %d, %d, %d, %d, %d, %d, %d, %d},\n    {", record->gflops, (int)t->tile_m, (int)t->tile_n,
        (int)t->slice, (int)t->item_m, (int)t->item_n, (int)t->vector, (int)t->local_a, (int)t->local_b, (int)t->ahead);
    for (int op = 0; op < CLS_RECORD_OPS; op++) {
        const double *a = record->against[op];
        put(b, "%s{%.2f, %.2f, %.2f, %.2f}", op ? ", " : "", a[0], a[1], a[2], a[3]);
    }
    put(b, "})\n");
}

static void put_sizes(block *b, const cls_device *device, clsolve_type type, const cls_fitted *f) {
    put_row(b, "CLS_KNOWN_SIZES", &device->info, type);
    put(b, "\"%s\", %d, %d, %d, {", device->blas->name, device->matrix_unit, (int)f->leaf, (int)f->by_steps);
    for (int k = 0; k < CLS_FITTED_ORDERS; k++) put(b, "%s%d", k ? ", " : "", (int)f->block[k]);
    put(b, "}, %d, %d)\n", (int)f->ahead_from, (int)f->few);
}

typedef struct stored {
    int has_product, has_sizes;
    cls_record product;
    cls_fit_record sizes;
} stored;

static void load(const cls_device *device, clsolve_type type, stored *s) {
    s->has_product = cls_record_load(device->cache_folder, &device->info, type, &s->product) == CLS_RECORD_FOUND;
    s->has_sizes = cls_fit_load(device, device->blas->name, type, &s->sizes) == CLS_RECORD_FOUND;
}

static void put_comment(block *b, clsolve_type type, const stored *s) {
    if (!s->has_product && !s->has_sizes) return;
    put(b, " * %s:", cls_origin_type(type));
    if (s->has_product) put(b, " product %.1f GFLOP/s%s", s->product.gflops, s->has_sizes ? "," : "");
    if (s->has_sizes) {
        put(b, " dense LU:");
        put_rates(b, &s->sizes);
    }
    put(b, "\n");
}

/* `only`: one type; NULL: both. */
static clsolve_status share(cls_device *device, const clsolve_type *only, char *text, size_t size) {
    static const clsolve_type types[2] = {CLSOLVE_F64, CLSOLVE_F32};
    stored s[2] = {{0}};
    block b = {text, size, 0};

    if (!text || size == 0)
        return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_tune_share: there is no room for text");
    text[0] = '\0';
    for (int t = 0; t < 2; t++)
        if (!only || *only == types[t]) load(device, types[t], &s[t]);
    if (!s[0].has_product && !s[0].has_sizes && !s[1].has_product && !s[1].has_sizes)
        return cls_fail(
            device->error, CLSOLVE_ERROR_STATE,
            "clsolve_tune_share: no tuning record of %s is stored: call clsolve_tune and clsolve_tune_sizes",
            device->info.name);
    put_device(&b, &device->info);
    for (int t = 0; t < 2; t++) put_comment(&b, types[t], &s[t]);
    put(&b, " */\n");
    for (int t = 0; t < 2; t++) {
        if (s[t].has_product) put_product(&b, &device->info, types[t], &s[t].product);
        if (s[t].has_sizes) put_sizes(&b, device, types[t], &s[t].sizes.fitted);
    }
    if (b.wanted < size) return CLSOLVE_OK;
    text[0] = '\0';
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "clsolve_tune_share: the text takes %zu bytes, and there are %zu", b.wanted + 1, size);
}

clsolve_status clsolve_tune_share(clsolve_context *context, char *text, size_t size) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    return cls_leave(context, share(context->device, NULL, text, size));
}

clsolve_status clsolve_tune_share_type(clsolve_context *context, clsolve_type type, char *text, size_t size) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    clsolve_status status = CLSOLVE_OK;
    if (text && size > 0) text[0] = '\0';
    status = cls_validate_type(&context->error, "clsolve_tune_share_type", "type", type, CLS_REAL_TYPES);
    if (status == CLSOLVE_OK) status = share(context->device, &type, text, size);
    return cls_leave(context, status);
}
