/* row.c: see row.h. Numbers are read and written without the locale: a comma for a point would break the file. */
#include "device/row.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/kernels.h"
#include "device/program_cache.h"

enum { MOST_TEXT = 4096 };

const cls_row_shape cls_row_shapes[CLS_ROW_SHAPES] = {{32, 32}, {0, 32}, {0, 128}, {0, 512}};
static const char *const op_names[CLS_ROW_OPS] = {"AB", "AtB", "ABt", "AtBt"};

/* ---- the choice ---- */

/* On a device that other work shares two measurements differ by as much. */
static int is_faster(double ratio) {
    return ratio > 1.05;
}

int cls_row_takes(const cls_row *row, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k) {
    const int op = (op_a == CLSOLVE_TRANS) + 2 * (op_b == CLSOLVE_TRANS);
    const int narrow = m <= 64 || n <= 64;
    /* Between the measured ranks their geometric middle divides: 64 between 32 and 128, 256 between 128 and 512. */
    const int shape = narrow ? 0 : k <= 64 ? 1 : k <= 256 ? 2 : 3;
    return is_faster(row->against[op][shape]);
}

double cls_row_best(const cls_row *row) {
    double best = 0;
    for (int op = 0; op < CLS_ROW_OPS; op++)
        for (int s = 0; s < CLS_ROW_SHAPES; s++)
            if (is_faster(row->against[op][s]) && row->against[op][s] > best) best = row->against[op][s];
    return best;
}

const char *cls_row_verdict_text(cls_row_verdict verdict) {
    switch (verdict) {
    case CLS_ROW_FOUND:
        return "a row is stored";
    case CLS_ROW_NONE:
        return "no row is stored";
    case CLS_ROW_BROKEN:
        return "the stored row is damaged and not used";
    case CLS_ROW_OTHER:
        return "the stored row is of another device or driver and not used";
    case CLS_ROW_OLD:
        return "the stored row is of another version of the kernel and not used";
    case CLS_ROW_UNFIT:
        return "the stored row has parameters that the device cannot have and is not used";
    }
    return "";
}

/* ---- text ---- */

typedef struct writer {
    char *at;
    size_t left;
} writer;

static void say(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->at, w->left, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length < w->left ? (size_t)length : w->left - 1;
    w->at += used;
    w->left -= used;
}

/* Hundredths, so that no locale has a say. */
static long long hundredths(double x) {
    return x > 0 && x < 1e6 ? llround(100 * x) : 0;
}

static const char *type_name(clsolve_type type) {
    return type == CLSOLVE_F64 ? "double" : "single";
}

static void hash_text(const char *const *fields, size_t count, char text[33]) {
    cls_cache_key key = cls_cache_key_of(fields, count);
    for (int i = 0; i < 16; i++) (void)snprintf(text + 2 * i, 3, "%02x", key.bytes[i]);
}

/* The lines before the parameters: what the row is of. */
static void print_head(writer *w, const clsolve_device_info *info, clsolve_type type, int with_kernel) {
    const char *sources[2] = {NULL, NULL};
    const char *const fields[][2] = {
        {"device", info->name}, {"driver", info->driver}, {"platform", info->platform}, {"type", type_name(type)}};
    char kernel[33];
    say(w, "clsolve product 1\n");
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        say(w, "%s ", fields[f][0]);
        for (const char *c = fields[f][1]; *c; c++) say(w, "%c", iscntrl((unsigned char)*c) ? '?' : *c);
        say(w, "\n");
    }
    if (!with_kernel) return;
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        if (strcmp(s->name, "dialect") == 0) sources[0] = s->text;
        if (strcmp(s->name, "gemm_tiled") == 0) sources[1] = s->text;
    }
    hash_text(sources, 2, kernel);
    say(w, "kernel %s\n", kernel);
}

void cls_row_print(const cls_row *row, const clsolve_device_info *info, clsolve_type type, char *text, size_t size) {
    const cls_tile *t = &row->tile;
    const int32_t fields[CLS_TILE_FIELDS] = {t->tile_m, t->tile_n,  t->slice,   t->item_m, t->item_n,
                                             t->vector, t->local_a, t->local_b, t->ahead};
    writer w = {text, size};
    print_head(&w, info, type, 1);
    say(&w, "tile");
    for (int f = 0; f < CLS_TILE_FIELDS; f++) say(&w, " %d", (int)fields[f]);
    say(&w, "\n");
    for (int op = 0; op < CLS_ROW_OPS; op++) {
        say(&w, "against %s", op_names[op]);
        for (int s = 0; s < CLS_ROW_SHAPES; s++) {
            long long value = hundredths(row->against[op][s]);
            say(&w, " %lld.%02lld", value / 100, value % 100);
        }
        say(&w, "\n");
    }
    say(&w, "end\n");
}

/* ---- and back ---- */

typedef struct reader {
    const char *at, *end;
    int fine;
} reader;

/* Exactly this text comes next. */
static int expect(reader *r, const char *text) {
    size_t length = strlen(text);
    r->fine = r->fine && (size_t)(r->end - r->at) >= length && memcmp(r->at, text, length) == 0;
    if (r->fine) r->at += length;
    return r->fine;
}

/* Digits, at most six of them. */
static long digits(reader *r, int *count) {
    long value = 0;
    *count = 0;
    while (r->at < r->end && isdigit((unsigned char)*r->at) && *count < 6) {
        value = 10 * value + (*r->at++ - '0');
        (*count)++;
    }
    r->fine = r->fine && *count > 0;
    return value;
}

static double fraction(reader *r) {
    int count;
    double whole = (double)digits(r, &count);
    if (!expect(r, ".")) return 0;
    double rest = (double)digits(r, &count);
    r->fine = r->fine && count == 2;
    return whole + rest / 100;
}

static cls_tile read_tile(reader *r) {
    int32_t value[CLS_TILE_FIELDS];
    int count;
    (void)expect(r, "tile");
    for (int f = 0; f < CLS_TILE_FIELDS; f++) {
        (void)expect(r, " ");
        value[f] = (int32_t)digits(r, &count);
    }
    (void)expect(r, "\n");
    return (cls_tile){value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8]};
}

/* What the head does not agree in: a text that begins as ours does is a row of something else. */
static cls_row_verdict judge_head(reader *r, const clsolve_device_info *info, clsolve_type type) {
    char head[MOST_TEXT], of_device[MOST_TEXT];
    writer w = {head, sizeof head}, without = {of_device, sizeof of_device};
    print_head(&w, info, type, 1);
    print_head(&without, info, type, 0);
    reader all = *r;
    if (expect(&all, head)) {
        *r = all;
        return CLS_ROW_FOUND;
    }
    reader device = *r;
    if (expect(&device, of_device)) return expect(&device, "kernel ") ? CLS_ROW_OLD : CLS_ROW_BROKEN;
    reader format = *r;
    return expect(&format, "clsolve product 1\ndevice ") ? CLS_ROW_OTHER : CLS_ROW_BROKEN;
}

cls_row_verdict cls_row_parse(const char *text, size_t bytes, const clsolve_device_info *info, clsolve_type type,
                              cls_row *row) {
    static const char last[] = "\nend\n";
    reader r = {text, text + bytes, 1};
    cls_row read = {{0}, {{0}}};
    /* A file cut off anywhere has no end; one that goes on behind it is none of ours. */
    if (bytes < sizeof last || memcmp(text + bytes - (sizeof last - 1), last, sizeof last - 1) != 0)
        return CLS_ROW_BROKEN;
    cls_row_verdict verdict = judge_head(&r, info, type);
    if (verdict != CLS_ROW_FOUND) return verdict;
    read.tile = read_tile(&r);
    for (int op = 0; op < CLS_ROW_OPS; op++) {
        (void)expect(&r, "against ");
        (void)expect(&r, op_names[op]);
        for (int s = 0; s < CLS_ROW_SHAPES; s++) {
            (void)expect(&r, " ");
            read.against[op][s] = fraction(&r);
        }
        (void)expect(&r, "\n");
    }
    if (!expect(&r, "end\n") || r.at != r.end) return CLS_ROW_BROKEN;
    if (!cls_tile_fits(&read.tile, info, type)) return CLS_ROW_UNFIT;
    *row = read;
    return CLS_ROW_FOUND;
}

/* ---- files ---- */

static void name_of(const clsolve_device_info *info, clsolve_type type, char name[64]) {
    const char *fields[] = {"product", info->name, info->driver, info->platform, type_name(type)};
    char hash[33];
    hash_text(fields, sizeof fields / sizeof fields[0], hash);
    (void)snprintf(name, 64, "/product-%s.txt", hash);
}

cls_row_verdict cls_row_load(const char *folder, const clsolve_device_info *info, clsolve_type type, cls_row *row) {
    char name[64], text[MOST_TEXT];
    size_t bytes = 0;
    if (!folder) return CLS_ROW_NONE;
    name_of(info, type, name);
    if (!cls_cache_read(folder, name, text, sizeof text, &bytes)) return CLS_ROW_NONE;
    return bytes == sizeof text ? CLS_ROW_BROKEN : cls_row_parse(text, bytes, info, type, row);
}

int cls_row_store(const char *folder, const cls_row *row, const clsolve_device_info *info, clsolve_type type,
                  char *path, size_t size, char *why, size_t why_size) {
    char name[64], text[MOST_TEXT];
    name_of(info, type, name);
    cls_row_print(row, info, type, text, sizeof text);
    if (size > 0) (void)snprintf(path, size, "%s%s", folder, name);
    return cls_cache_replace(folder, name, NULL, 0, text, strlen(text), why, why_size);
}
