/* array.c: the caller's arrays, with spare elements between their lines and around them. See soak.h. */
#include "base/type.h"
#include "soak/soak.h"

enum { GUARD = 24 }; /* elements before and behind */

static int64_t size_of(const soak_array *a) {
    return a->type ? cls_type_size(a->type) : 8;
}

static int64_t index_of(const soak_array *a, int64_t i, int64_t j, int64_t k) {
    return i * a->s[0] + j * a->s[1] + (a->offsets ? a->offsets[k] : k * a->s[2]);
}

static void spare(const soak_array *a) {
    const float single = NAN;
    const double real = NAN;
    const int64_t word = -7725;
    const int is_single = a->type && !cls_is_double(a->type);
    int64_t size = is_single ? 4 : 8;
    const void *from = !a->type ? (const void *)&word : is_single ? (const void *)&single : &real;
    for (int64_t k = 0; k < a->bytes; k += size) memcpy((char *)a->memory + k, from, (size_t)size);
}

static void *room(int64_t bytes) {
    void *memory = calloc(1, (size_t)bytes + 1);
    if (!memory) abort();
    return memory;
}

/* Sizes, strides and offsets are in `shape`. */
static soak_array *make(soak *s, const soak_array *shape) {
    soak_array *a = room((int64_t)sizeof *a);
    int64_t extent = 0;
    *a = *shape;
    for (int64_t k = 0; k < a->d[2] && a->d[0] > 0 && a->d[1] > 0; ++k) {
        int64_t last = index_of(a, a->d[0] - 1, a->d[1] - 1, k) + 1;
        if (last > extent) extent = last;
    }
    a->bytes = (extent + 2 * GUARD) * size_of(a);
    a->memory = room(a->bytes);
    a->kept = room(a->bytes);
    a->data = (char *)a->memory + GUARD * size_of(a);
    spare(a);
    a->next = s->arrays;
    s->arrays = a;
    return a;
}

static int64_t gap(soak *s) {
    static const int64_t gaps[] = {0, 0, 0, 1, 3, 17};
    return gaps[soak_between(s, 0, 5)];
}

static soak_array plane(soak *s, clsolve_type type, int64_t rows, int64_t cols) {
    soak_array a = {.type = type, .d = {rows, cols, 1}};
    a.layout = soak_one_in(s, 3) ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
    int64_t line = a.layout == CLSOLVE_COLUMN_MAJOR ? rows : cols;
    a.ld = (line > 0 ? line : 1) + gap(s);
    a.s[0] = a.layout == CLSOLVE_COLUMN_MAJOR ? 1 : a.ld;
    a.s[1] = a.layout == CLSOLVE_COLUMN_MAJOR ? a.ld : 1;
    return a;
}

soak_array *soak_matrix(soak *s, clsolve_type type, int64_t rows, int64_t cols) {
    soak_array a = plane(s, type, rows, cols);
    return make(s, &a);
}

soak_array *soak_batch(soak *s, clsolve_type type, int64_t rows, int64_t cols, int64_t count) {
    soak_array a = plane(s, type, rows, cols);
    a.d[2] = count;
    a.s[2] = a.ld * (a.layout == CLSOLVE_COLUMN_MAJOR ? cols : rows) + gap(s);
    if (soak_one_in(s, 3)) { /* offsets in random order, with gaps */
        a.offsets = room(count * 8);
        int64_t at = 0;
        for (int64_t k = 0; k < count; ++k, at += a.s[2] + gap(s)) a.offsets[k] = at;
        for (int64_t k = count - 1; k > 0; --k) {
            int64_t other = soak_between(s, 0, k), t = a.offsets[k];
            a.offsets[k] = a.offsets[other];
            a.offsets[other] = t;
        }
    }
    return make(s, &a);
}

soak_array *soak_points(soak *s, clsolve_type type, int64_t N, int64_t M, int64_t nrhs) {
    soak_array a = {.type = type, .d = {N, M, nrhs}};
    int order = (int)soak_between(s, 0, 3); /* mostly line after line */
    int64_t step = order == 1 ? soak_between(s, 2, 3) : 1;
    if (order < 2) {
        a.s[1] = step, a.s[0] = step * M + gap(s), a.s[2] = a.s[0] * N + gap(s);
    } else if (order == 2) { /* the lines are columns */
        a.s[0] = 1, a.s[1] = N + gap(s), a.s[2] = a.s[1] * M + gap(s);
    } else { /* right-hand sides side by side */
        a.s[2] = 1, a.s[1] = nrhs + gap(s), a.s[0] = a.s[1] * M + gap(s);
    }
    return make(s, &a);
}

soak_array *soak_words(soak *s, int64_t count) {
    soak_array a = {.d = {count, 1, 1}, .s = {1, count, count}};
    return make(s, &a);
}

void soak_drop(soak *s, soak_array *a) {
    soak_array **at = &s->arrays;
    if (!a) return;
    while (*at != a) at = &(*at)->next;
    *at = a->next;
    free(a->memory);
    free(a->kept);
    free(a->offsets);
    free(a);
}

void soak_drop_all(soak *s) {
    while (s->arrays) soak_drop(s, s->arrays);
}

/* ---- views ---- */

clsolve_matrix soak_matrix_view(const soak_array *a) {
    return (clsolve_matrix){a->type, a->layout, a->d[0], a->d[1], a->ld, a->data, CLSOLVE_ON_HOST, 0};
}

clsolve_batch soak_batch_view(const soak_array *a) {
    return (clsolve_batch){a->type, a->layout,  a->d[2], a->d[0],         a->d[1], a->ld,
                           a->s[2], a->offsets, a->data, CLSOLVE_ON_HOST, 0};
}

clsolve_grid soak_grid_view(const soak_array *a) {
    return (clsolve_grid){a->type, a->s[0], a->s[1], a->s[2], a->data, CLSOLVE_ON_HOST, 0};
}

/* ---- elements ---- */

/* Where the first number of the element is. */
static int64_t number_of(const soak_array *a, int64_t i, int64_t j, int64_t k) {
    return cls_type_parts(a->type) * index_of(a, i, j, k);
}

double soak_at(const soak_array *a, int64_t i, int64_t j, int64_t k) {
    return cls_type_get(a->type, a->data, number_of(a, i, j, k));
}

void soak_set(const soak_array *a, int64_t i, int64_t j, int64_t k, double value) {
    cls_type_put(a->type, a->data, number_of(a, i, j, k), value);
}

#define EACH(a)                                                                                                        \
    for (int64_t k = 0; k < (a)->d[2]; ++k)                                                                            \
        for (int64_t j = 0; j < (a)->d[1]; ++j)                                                                        \
            for (int64_t i = 0; i < (a)->d[0]; ++i)

void soak_put(const soak_array *a, const double *values) {
    const int64_t parts = cls_type_parts(a->type);
    EACH(a)
    for (int64_t p = 0; p < parts; ++p)
        cls_type_put(a->type, a->data, number_of(a, i, j, k) + p,
                     values[parts * (i + a->d[0] * (j + a->d[1] * k)) + p]);
}

void soak_get(const soak_array *a, double *values) {
    const int64_t parts = cls_type_parts(a->type);
    EACH(a)
    for (int64_t p = 0; p < parts; ++p)
        values[parts * (i + a->d[0] * (j + a->d[1] * k)) + p] =
            cls_type_get(a->type, a->data, number_of(a, i, j, k) + p);
}

int64_t soak_word(const soak_array *a, int64_t i) {
    return ((const int64_t *)a->data)[i];
}

void soak_poison(soak *s, const soak_array *a) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    double value = values[soak_between(s, 0, 2)];
    int64_t i = soak_between(s, 0, a->d[0] - 1), j = soak_between(s, 0, a->d[1] - 1);
    const int64_t part = cls_is_complex(a->type) ? soak_between(s, 0, 1) : 0;
    cls_type_put(a->type, a->data, number_of(a, i, j, soak_between(s, 0, a->d[2] - 1)) + part, value);
    soak_say(s, " %g at (%d,%d)", value, (int)i, (int)j);
}

/* ---- what a call left ---- */

static void array_keep(soak_array *a) {
    memcpy(a->kept, a->memory, (size_t)a->bytes);
}

static int array_same(const soak_array *a) {
    return memcmp(a->kept, a->memory, (size_t)a->bytes) == 0;
}

/* Is all but the elements as it was? */
static int array_around(const soak_array *a) {
    int64_t size = size_of(a);
    SCRATCH char *all = room(a->bytes);
    memcpy(all, a->memory, (size_t)a->bytes);
    EACH(a) {
        int64_t at = (GUARD + index_of(a, i, j, k)) * size;
        memcpy(all + at, (char *)a->kept + at, (size_t)size);
    }
    int same = memcmp(all, a->kept, (size_t)a->bytes) == 0;
    return same;
}

void soak_arrays_keep(soak *s) {
    for (soak_array *a = s->arrays; a; a = a->next) array_keep(a);
}

void soak_arrays_restore(soak *s) {
    for (soak_array *a = s->arrays; a; a = a->next) memcpy(a->memory, a->kept, (size_t)a->bytes);
}

void soak_arrays_check(soak *s, const char *call, clsolve_status status, int partly) {
    for (const soak_array *a = s->arrays; a; a = a->next) {
        int may = a->use == SOAK_RESULT ? status == CLSOLVE_OK : a->use == SOAK_ITERATE && status >= 0;
        if (partly && a->use != SOAK_READ) may = 1;
        if (array_same(a)) continue;
        if (!array_around(a))
            soak_wrong(s, "%s (%s) wrote outside of the elements of an array of %d x %d x %d", call,
                       clsolve_status_name(status), (int)a->d[0], (int)a->d[1], (int)a->d[2]);
        else if (!may)
            soak_wrong(s, "%s (%s) changed an array of %d x %d x %d that it %s", call, clsolve_status_name(status),
                       (int)a->d[0], (int)a->d[1], (int)a->d[2], a->use == SOAK_READ ? "only reads" : "must leave");
    }
}
