/* fitted_file.c: a record of sizes as a text and as a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/kernels.h"
#include "device/program_cache.h"
#include "tuning/fitted.h"

enum { MEMBERS = 14, MOST_ORDER = 1000000, MOST_SECONDS = 1000000 };

static const char format[] = "clsolve sizes record 1";

/* What a factorization runs, but for products, whose records have a hash of their own. */
static int counts(const char *name) {
    return strncmp(name, "lu_", 3) == 0 || strcmp(name, "substitute") == 0 || strncmp(name, "trsm", 4) == 0;
}

static void hash_kernels(char text[33]) {
    enum { MOST = 64 };
    const char *sources[MOST];
    size_t count = 0;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name && count < MOST; s++)
        if (counts(s->name)) sources[count++] = s->text;
    cls_origin_hash(sources, count, text);
}

/* ---- to a text ---- */

static json_t *blocks_of(const cls_fitted *f) {
    json_t *object = json_object();
    int fine = object != NULL;
    for (int k = 0; k < CLS_FITTED_ORDERS && fine; k++) {
        char order[24];
        (void)snprintf(order, sizeof order, "%lld", (long long)cls_fitted_orders[k]);
        fine = json_object_set_new(object, order, json_integer(f->block[k])) == 0;
    }
    if (fine) return object;
    json_decref(object);
    return NULL;
}

static json_t *trials_of(const cls_fit_record *record) {
    json_t *list = json_array();
    int fine = list != NULL;
    for (int t = 0; t < record->count && fine; t++) {
        const cls_fit_trial *trial = &record->trials[t];
        fine = json_array_append_new(list, json_pack("[s, i, i, f]", cls_fit_part_name(trial->part), trial->n,
                                                     trial->value, trial->seconds)) == 0;
    }
    if (fine) return list;
    json_decref(list);
    return NULL;
}

int cls_fit_print(const cls_fit_record *record, const cls_device *device, const char *products, clsolve_type type,
                  char *text, size_t size) {
    const cls_fitted *f = &record->fitted;
    char kernels[33], *made = NULL;
    json_t *root = json_object();
    hash_kernels(kernels);
    if (root && json_object_set_new(root, "format", json_string(format)) == 0 &&
        cls_origin_put(root, &device->info, type) && json_object_set_new(root, "kernels", json_string(kernels)) == 0 &&
        json_object_set_new(root, "products", json_string(products)) == 0 &&
        json_object_set_new(root, "matrix_unit", json_integer(device->matrix_unit)) == 0 &&
        json_object_set_new(root, "leaf", json_integer(f->leaf)) == 0 &&
        json_object_set_new(root, "by_steps", json_boolean(f->by_steps)) == 0 &&
        json_object_set_new(root, "blocks", blocks_of(f)) == 0 &&
        json_object_set_new(root, "ahead_from", json_integer(f->ahead_from)) == 0 &&
        json_object_set_new(root, "substitution", json_integer(f->few)) == 0 &&
        json_object_set_new(root, "measured", trials_of(record)) == 0)
        made = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(5));
    json_decref(root);
    const int fine = made && strlen(made) < size;
    if (size > 0) (void)snprintf(text, size, "%s", fine ? made : "");
    free(made);
    return fine;
}

/* ---- and back ---- */

static int read_number(const json_t *number, int64_t most, int32_t *value) {
    const json_int_t given = json_integer_value(number);
    *value = (int32_t)given;
    return json_is_integer(number) && given >= -most && given <= most;
}

static int read_sizes(const json_t *root, cls_fitted *f) {
    const json_t *blocks = json_object_get(root, "blocks"), *by_steps = json_object_get(root, "by_steps");
    int fine = json_is_boolean(by_steps) && read_number(json_object_get(root, "leaf"), MOST_ORDER, &f->leaf) &&
               read_number(json_object_get(root, "ahead_from"), MOST_ORDER, &f->ahead_from) &&
               read_number(json_object_get(root, "substitution"), MOST_ORDER, &f->few) &&
               json_object_size(blocks) == CLS_FITTED_ORDERS;
    f->by_steps = json_is_true(by_steps);
    for (int k = 0; k < CLS_FITTED_ORDERS && fine; k++) {
        char order[24];
        (void)snprintf(order, sizeof order, "%lld", (long long)cls_fitted_orders[k]);
        fine = read_number(json_object_get(blocks, order), MOST_ORDER, &f->block[k]);
    }
    return fine;
}

static int read_trial(const json_t *from, cls_fit_trial *trial) {
    const char *name = json_string_value(json_array_get(from, 0));
    const json_t *seconds = json_array_get(from, 3);
    int part = 0;
    if (json_array_size(from) != 4 || !name || !json_is_number(seconds)) return 0;
    while (part < CLS_FIT_PARTS && strcmp(cls_fit_part_name((cls_fit_part)part), name) != 0) part++;
    trial->part = (cls_fit_part)part;
    trial->seconds = json_number_value(seconds);
    return part < CLS_FIT_PARTS && read_number(json_array_get(from, 1), MOST_ORDER, &trial->n) && trial->n > 0 &&
           read_number(json_array_get(from, 2), MOST_ORDER, &trial->value) && !signbit(trial->seconds) &&
           trial->seconds < MOST_SECONDS;
}

static int read_trials(const json_t *list, cls_fit_record *record) {
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > CLS_FIT_TRIALS) return 0;
    for (size_t t = 0; t < count; t++)
        if (!read_trial(json_array_get(list, t), &record->trials[t])) return 0;
    record->count = (int32_t)count;
    return 1;
}

static cls_record_outcome read_root(const json_t *root, const cls_device *device, const char *products,
                                    clsolve_type type, cls_fit_record *record) {
    char kernels[33];
    int32_t unit;
    const cls_record_outcome form = cls_origin_format(root, format);
    if (form != CLS_RECORD_FOUND) return form;
    if (json_object_size(root) != MEMBERS || !read_number(json_object_get(root, "matrix_unit"), MOST_ORDER, &unit))
        return CLS_RECORD_BROKEN;
    if (!cls_origin_is(root, &device->info, type) || !cls_origin_text_is(root, "products", products) ||
        unit != device->matrix_unit)
        return CLS_RECORD_OTHER;
    hash_kernels(kernels);
    if (!cls_origin_text_is(root, "kernels", kernels)) return CLS_RECORD_OLD;
    if (!read_sizes(root, &record->fitted) || !read_trials(json_object_get(root, "measured"), record))
        return CLS_RECORD_BROKEN;
    return cls_fitted_fits(&record->fitted) ? CLS_RECORD_FOUND : CLS_RECORD_UNFIT;
}

cls_record_outcome cls_fit_parse(const char *text, size_t bytes, const cls_device *device, const char *products,
                                 clsolve_type type, cls_fit_record *record) {
    cls_fit_record read = {.count = 0};
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    cls_record_outcome outcome = root ? read_root(root, device, products, type, &read) : CLS_RECORD_BROKEN;
    json_decref(root);
    if (outcome == CLS_RECORD_FOUND) *record = read;
    return outcome;
}

/* ---- files ---- */

/* A device with and without its matrix unit, or with another provider, has a file for each. */
static void name_of(const cls_device *device, const char *products, clsolve_type type, char name[64]) {
    char more[96];
    (void)snprintf(more, sizeof more, "%.64s %d", products, device->matrix_unit);
    cls_origin_file("sizes", more, &device->info, type, name);
}

cls_record_outcome cls_fit_load(const cls_device *device, const char *products, clsolve_type type,
                                cls_fit_record *record) {
    char name[64], text[CLS_FIT_TEXT];
    size_t bytes = 0;
    if (!device->cache_folder) return CLS_RECORD_NONE;
    name_of(device, products, type, name);
    if (!cls_cache_read(device->cache_folder, name, text, sizeof text, &bytes)) return CLS_RECORD_NONE;
    return bytes == sizeof text ? CLS_RECORD_BROKEN : cls_fit_parse(text, bytes, device, products, type, record);
}

int cls_fit_store(const cls_device *device, const char *products, clsolve_type type, const cls_fit_record *record,
                  char *path, size_t size, char *why, size_t why_size) {
    char name[64];
    char *text = cls_alloc(1, CLS_FIT_TEXT);
    int fine = 0;
    name_of(device, products, type, name);
    if (size > 0) (void)snprintf(path, size, "%s%s", device->cache_folder, name);
    if (text && cls_fit_print(record, device, products, type, text, CLS_FIT_TEXT))
        fine = cls_cache_replace(device->cache_folder, name, NULL, 0, text, strlen(text), why, why_size);
    else if (why_size > 0)
        (void)snprintf(why, why_size, "out of memory");
    cls_free(text);
    return fine;
}
