/* record.c: see record.h. */
#include "blas/record.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "device/kernels.h"
#include "device/program_cache.h"

enum { MOST_TEXT = 4096, MOST_FIELD = 1000000, MOST_RATE = 1000000000, MOST_RATIO = 1000000, MEMBERS = 11 };

static const char format[] = "clsolve tuning record 3";

const cls_record_shape cls_record_shapes[CLS_RECORD_SHAPES] = {{32, 32}, {0, 32}, {0, 128}, {0, 512}};
static const char *const op_names[CLS_RECORD_OPS] = {"AB", "AtB", "ABt", "AtBt"};
static const char *const tile_names[CLS_TILE_FIELDS] = {"tile_m", "tile_n",  "slice",   "item_m", "item_n",
                                                        "vector", "local_a", "local_b", "ahead"};

/* ---- the choice ---- */

/* On a device that other work shares two measurements differ by as much. */
static int is_faster(double ratio) {
    return ratio > 1.05;
}

int cls_record_takes(const cls_record *record, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k) {
    const int op = (op_a != CLSOLVE_NO_TRANS) + 2 * (op_b != CLSOLVE_NO_TRANS);
    const int narrow = m <= 64 || n <= 64;
    /* Between the measured ranks their geometric middle divides: 64 between 32 and 128, 256 between 128 and 512. */
    const int shape = narrow ? 0 : k <= 64 ? 1 : k <= 256 ? 2 : 3;
    return is_faster(record->against[op][shape]);
}

double cls_record_best(const cls_record *record) {
    double best = 0;
    for (int op = 0; op < CLS_RECORD_OPS; op++)
        for (int s = 0; s < CLS_RECORD_SHAPES; s++)
            if (is_faster(record->against[op][s]) && record->against[op][s] > best) best = record->against[op][s];
    return best;
}

/* ---- JSON ---- */

static double rounded(double value, double most) {
    return value > 0 && value < most ? round(100 * value) / 100 : 0;
}

static void hash_kernel(char text[33]) {
    const char *sources[2] = {NULL, NULL};
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        if (strcmp(s->name, "dialect") == 0) sources[0] = s->text;
        if (strcmp(s->name, "gemm_tiled") == 0) sources[1] = s->text;
    }
    cls_origin_hash(sources, 2, text);
}

static json_t *tile_object(const cls_tile *t) {
    const int32_t value[CLS_TILE_FIELDS] = {t->tile_m, t->tile_n,  t->slice,   t->item_m, t->item_n,
                                            t->vector, t->local_a, t->local_b, t->ahead};
    json_t *object = json_object();
    int fine = object != NULL;
    for (int f = 0; f < CLS_TILE_FIELDS && fine; f++)
        fine = json_object_set_new(object, tile_names[f], json_integer(value[f])) == 0;
    if (fine) return object;
    json_decref(object);
    return NULL;
}

static json_t *against_object(const cls_record *record) {
    json_t *object = json_object();
    int fine = object != NULL;
    for (int op = 0; op < CLS_RECORD_OPS && fine; op++) {
        json_t *ratios = json_array();
        for (int s = 0; s < CLS_RECORD_SHAPES && fine; s++)
            fine = json_array_append_new(ratios, json_real(rounded(record->against[op][s], MOST_RATIO))) == 0;
        if (json_object_set_new(object, op_names[op], ratios) != 0) fine = 0;
    }
    if (fine) return object;
    json_decref(object);
    return NULL;
}

int cls_record_print(const cls_record *record, const clsolve_device_info *info, clsolve_type type, char *text,
                     size_t size) {
    char kernel[33], *made = NULL;
    json_t *root = json_object();
    hash_kernel(kernel);
    if (root && json_object_set_new(root, "format", json_string(format)) == 0 && cls_origin_put(root, info, type) &&
        json_object_set_new(root, "kernel", json_string(kernel)) == 0 &&
        json_object_set_new(root, "tile", tile_object(&record->tile)) == 0 &&
        json_object_set_new(root, "against", against_object(record)) == 0 &&
        json_object_set_new(root, "gflops", json_real(rounded(record->gflops, MOST_RATE))) == 0 &&
        json_object_set_new(root, "searched", json_real(rounded(record->searched, MOST_RATE))) == 0 &&
        json_object_set_new(root, "compared", json_integer(record->compared)) == 0)
        made = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
    const int fine = made && strlen(made) < size;
    if (size > 0) (void)snprintf(text, size, "%s", fine ? made : "");
    free(made);
    return fine;
}

/* ---- and back ---- */

static int read_tile(const json_t *object, cls_tile *tile) {
    int32_t value[CLS_TILE_FIELDS] = {0};
    int fine = json_object_size(object) == CLS_TILE_FIELDS;
    for (int f = 0; f < CLS_TILE_FIELDS && fine; f++) {
        const json_t *field = json_object_get(object, tile_names[f]);
        const json_int_t number = json_integer_value(field);
        fine = json_is_integer(field) && number >= 0 && number < MOST_FIELD;
        value[f] = fine ? (int32_t)number : 0;
    }
    *tile = (cls_tile){value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8]};
    return fine;
}

static int read_against(const json_t *object, cls_record *record) {
    int fine = json_object_size(object) == CLS_RECORD_OPS;
    for (int op = 0; op < CLS_RECORD_OPS && fine; op++) {
        const json_t *ratios = json_object_get(object, op_names[op]);
        fine = json_array_size(ratios) == CLS_RECORD_SHAPES;
        for (int s = 0; s < CLS_RECORD_SHAPES && fine; s++) {
            const json_t *ratio = json_array_get(ratios, (size_t)s);
            const double value = json_number_value(ratio);
            fine = json_is_number(ratio) && !signbit(value) && value < MOST_RATIO;
            record->against[op][s] = value;
        }
    }
    return fine;
}

static int read_real(const json_t *number, double *value) {
    *value = json_number_value(number);
    return json_is_number(number) && !signbit(*value) && *value < MOST_RATE;
}

/* How far the search came. */
static int read_state(const json_t *root, cls_record *record) {
    const json_t *compared = json_object_get(root, "compared");
    const json_int_t ops = json_integer_value(compared);
    if (!json_is_integer(compared) || ops < 0 || ops >= 1 << CLS_RECORD_OPS) return 0;
    record->compared = (int32_t)ops;
    return read_real(json_object_get(root, "gflops"), &record->gflops) &&
           read_real(json_object_get(root, "searched"), &record->searched);
}

static cls_record_outcome read_root(const json_t *root, const clsolve_device_info *info, clsolve_type type,
                                    cls_record *record) {
    char kernel[33];
    const cls_record_outcome form = cls_origin_format(root, format);
    if (form != CLS_RECORD_FOUND) return form;
    if (json_object_size(root) != MEMBERS) return CLS_RECORD_BROKEN;
    if (!cls_origin_is(root, info, type)) return CLS_RECORD_OTHER;
    hash_kernel(kernel);
    if (!cls_origin_text_is(root, "kernel", kernel)) return CLS_RECORD_OLD;
    if (!read_tile(json_object_get(root, "tile"), &record->tile) ||
        !read_against(json_object_get(root, "against"), record) || !read_state(root, record))
        return CLS_RECORD_BROKEN;
    return cls_tile_fits(&record->tile, info, type) ? CLS_RECORD_FOUND : CLS_RECORD_UNFIT;
}

cls_record_outcome cls_record_parse(const char *text, size_t bytes, const clsolve_device_info *info, clsolve_type type,
                                    cls_record *record) {
    cls_record read = {.compared = 0};
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    cls_record_outcome outcome = root ? read_root(root, info, type, &read) : CLS_RECORD_BROKEN;
    json_decref(root);
    if (outcome == CLS_RECORD_FOUND) *record = read;
    return outcome;
}

/* ---- files ---- */

cls_record_outcome cls_record_load(const char *folder, const clsolve_device_info *info, clsolve_type type,
                                   cls_record *record) {
    char name[64], text[MOST_TEXT];
    size_t bytes = 0;
    if (!folder) return CLS_RECORD_NONE;
    cls_origin_file("product", info, type, name);
    if (!cls_cache_read(folder, name, text, sizeof text, &bytes)) return CLS_RECORD_NONE;
    return bytes == sizeof text ? CLS_RECORD_BROKEN : cls_record_parse(text, bytes, info, type, record);
}

int cls_record_store(const char *folder, const cls_record *record, const clsolve_device_info *info, clsolve_type type,
                     char *path, size_t size, char *why, size_t why_size) {
    char name[64], text[MOST_TEXT];
    cls_origin_file("product", info, type, name);
    if (size > 0) (void)snprintf(path, size, "%s%s", folder, name);
    if (!cls_record_print(record, info, type, text, sizeof text)) {
        if (why_size > 0) (void)snprintf(why, why_size, "out of memory");
        return 0;
    }
    return cls_cache_replace(folder, name, NULL, 0, text, strlen(text), why, why_size);
}
