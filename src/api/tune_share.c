/*
 * tune_share.c: what is stored for a device as one block of text: a comment, and rows for tuning/known_devices.inc.
 *
 *      (* clsolve 0.1.0, tuned on: AMD Radeon RX 7900 XTX, GPU, 48 compute units at 2304 MHz, ...
 *       * double: product 512.3 GFLOP/s *)
 *      CLS_KNOWN_PRODUCT("AMD Accelerated Parallel Processing", "gfx1100", GPU, F64, 512.3, {...}, {...})
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <clsolve/tune.h>
#include <clsolve/version.h>

#include "api/context.h"
#include "api/validate.h"
#include "blas/record.h"

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

/* A driver's text, for a comment and for a string of C: no quote, no backslash, and neither end of a comment. */
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

/* ---- the rows ---- */

static void put_product(block *b, const clsolve_device_info *info, clsolve_type type, const cls_record *record) {
    const cls_tile *t = &record->tile;
    char text[128];
    put(b, "CLS_KNOWN_PRODUCT(\"%s\",\n", safe(info->platform, text));
    put(b, "    \"%s\", %s, %s, ", safe(info->name, text), kind_of(info->type), name_of(type));
    put(b, "%.2f, {%d, %d, %d, %d, %d, %d, %d, %d, %d},\n    {", record->gflops, (int)t->tile_m, (int)t->tile_n,
        (int)t->slice, (int)t->item_m, (int)t->item_n, (int)t->vector, (int)t->local_a, (int)t->local_b, (int)t->ahead);
    for (int op = 0; op < CLS_RECORD_OPS; op++) {
        const double *a = record->against[op];
        put(b, "%s{%.2f, %.2f, %.2f, %.2f}", op ? ", " : "", a[0], a[1], a[2], a[3]);
    }
    put(b, "})\n");
}

/* `only`: one type; NULL: both. */
static clsolve_status share(cls_device *device, const clsolve_type *only, char *text, size_t size) {
    static const clsolve_type types[2] = {CLSOLVE_F64, CLSOLVE_F32};
    const clsolve_device_info *info = &device->info;
    cls_record records[2];
    int has[2] = {0, 0};
    block b = {text, size, 0};

    if (!text || size == 0)
        return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "clsolve_tune_share: there is no room for text");
    text[0] = '\0';
    for (int t = 0; t < 2; t++)
        if (!only || *only == types[t])
            has[t] = cls_record_load(device->cache_folder, info, types[t], &records[t]) == CLS_RECORD_FOUND;
    if (!has[0] && !has[1])
        return cls_fail(device->error, CLSOLVE_ERROR_STATE,
                        "clsolve_tune_share: no tuning record of %s is stored: call clsolve_tune", info->name);
    put_device(&b, info);
    for (int t = 0; t < 2; t++)
        if (has[t]) put(&b, " * %s: product %.1f GFLOP/s\n", cls_origin_type(types[t]), records[t].gflops);
    put(&b, " */\n");
    for (int t = 0; t < 2; t++)
        if (has[t]) put_product(&b, info, types[t], &records[t]);
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
