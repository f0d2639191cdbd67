#include "solve/search.h"

#include "api/door.h"
#include "base/type.h"

/* A block and its mirror stay in the nearest cache. Pieces are so small that a transfer's copies, which go before
 * them, wait less than a millisecond for a thread. From MANY columns on threads are worth their while. */
enum { BLOCK = 16, PIECE_COLUMNS = 128, PIECE_ROWS = 512, MANY = 1024, LINE = 64 };

#define REAL    double
#define NAME(x) x##_f64
#include "solve/search_real.h"
#undef REAL
#undef NAME

#define REAL    float
#define NAME(x) x##_f32
#include "solve/search_real.h"

typedef int (*differs)(int64_t j0, int64_t j1, int64_t i0, int64_t i1, const void *data, int64_t ld, int sign);

static differs differs_of(clsolve_type type) {
    if (cls_is_complex(type)) return type == CLSOLVE_C64 ? differs_complex_f64 : differs_complex_f32;
    return type == CLSOLVE_F64 ? differs_real_f64 : differs_real_f32;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The block whose first element is (i, j): its lines lie far apart, where no cache expects the next one. */
static void prefetch(const clsolve_matrix *A, int64_t i, int64_t j) {
    const int64_t size = cls_type_size(A->type), height = least(BLOCK, A->rows - i), width = least(BLOCK, A->rows - j);
    for (int64_t column = j; column < j + width; ++column) {
        const char *at = (const char *)A->data + (i + column * A->ld) * size;
        for (int64_t byte = 0; byte < height * size; byte += LINE) __builtin_prefetch(at + byte);
    }
}

/* The first pair that differs in the block at (i, j), of `height` and `width`, which has one. */
static void locate(cls_search *s, int64_t i, int64_t height, int64_t j, int64_t width) {
    const differs differ = differs_of(s->A->type);
    for (int64_t column = j; column < j + width; ++column)
        for (int64_t row = i; row < i + height; ++row) {
            if (!differ(column, column + 1, row, row + 1, s->A->data, s->A->ld, s->sign)) continue;
            s->row = row;
            s->column = column;
            return;
        }
}

/* 1: a pair differs, and with `locates` s->row and s->column name it. */
static int look_at(cls_search *s, int64_t piece, int locates) {
    const clsolve_matrix *A = s->A;
    const differs differ = differs_of(A->type);
    const int64_t n = A->rows, left = piece / s->down * PIECE_COLUMNS, top = piece % s->down * PIECE_ROWS;
    const int64_t right = least(left + PIECE_COLUMNS, n), bottom = least(top + PIECE_ROWS, n);

    for (int64_t j = left; j < right; j += BLOCK)
        for (int64_t i = top > j ? top : j; i < bottom; i += BLOCK) {
            const int64_t height = least(BLOCK, bottom - i), width = least(BLOCK, right - j);
            if (i + BLOCK < bottom) {
                prefetch(A, i + BLOCK, j);
                prefetch(A, j, i + BLOCK);
            }
            if (!differ(j, j + width, i, i + height, A->data, A->ld, s->sign)) continue;
            if (locates) locate(s, i, height, j, width);
            return 1;
        }
    return 0;
}

/* Searches one of the pieces behind the first. */
static void look_at_part(void *what, int64_t part) {
    cls_search *s = what;
    const int64_t piece = part + 1;
    int64_t first = atomic_load(&s->first);
    if (piece >= first || !look_at(s, piece, 0)) return;
    while (piece < first && !atomic_compare_exchange_weak(&s->first, &first, piece)) continue;
}

static int name_pair(cls_search *s) {
    const int64_t first = atomic_load(&s->first);
    return first != INT64_MAX && look_at(s, first, 1);
}

void cls_search_start(cls_search *s, const clsolve_matrix *A, clsolve_symmetry symmetry) {
    const int64_t n = A->rows;

    *s = (cls_search){.A = A, .row = -1, .column = -1, .first = INT64_MAX};
    s->sign = symmetry == CLSOLVE_SYMMETRY_TRANSPOSE ? 1 : -1;
    s->down = (n + PIECE_ROWS - 1) / PIECE_ROWS;
    s->pieces = s->down * ((n + PIECE_COLUMNS - 1) / PIECE_COLUMNS);
    s->job = (cls_job){.work = look_at_part, .what = s, .parts = s->pieces > 0 ? s->pieces - 1 : 0};
}

int cls_search_first(cls_search *s) {
    return s->pieces > 0 && look_at(s, 0, 1);
}

int cls_search_run(clsolve_context *context, cls_search *s) {
    if (s->A->rows >= MANY)
        cls_context_run(context, &s->job);
    else
        for (int64_t part = 0; part < s->job.parts; ++part) look_at_part(s, part);
    return name_pair(s);
}

int cls_search_begin(clsolve_context *context, cls_search *s) {
    return cls_context_begin(context, &s->job);
}

int cls_search_end(clsolve_context *context, cls_search *s) {
    cls_context_end(context, &s->job);
    return name_pair(s);
}

int cls_search_diagonal(const clsolve_matrix *A) {
    const int64_t step = (A->ld + 1) * cls_type_parts(A->type);
    return cls_is_double(A->type) ? is_positive_f64(A->rows, A->data, step) : is_positive_f32(A->rows, A->data, step);
}
