/* small_solve.c: solves with few rows: all of it in one launch; or the moves of rows alone. */
#include "device/staging.h"
#include "method/lu/small.h"

enum { ITEMS = 128 }; /* as in cl/lu_small_solve.cl */

clsolve_status cls_lu_small_move(cls_lu *lu, int64_t cols, int reverse) {
    int32_t n = (int32_t)lu->n, backwards = reverse;

    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&lu->B, c, cols);
        cls_ref B = cls_matrix_at(&lu->B, 0, c);
        cls_grid grid = {{(size_t)run * ITEMS, 1, 1}, {ITEMS, 1, 1}};
        cls_arg args[] = {CLS_REF(B), CLS_VALUE(n), CLS_BUFFER(lu->small.rows), CLS_VALUE(backwards)};
        CLS_TRY(cls_launch(lu->device, CLS_COMPUTE, lu->small.move, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

int cls_lu_small_solves(const cls_lu *lu, const clsolve_matrix *B) {
    return lu->small.sides && B->cols <= CLS_LU_SMALL_SIDES;
}

/* B's lines, in the caller's layout but tight, at the begin of lu->small.sides; behind them the words of the kernel. */
typedef struct sides {
    int64_t length, lines; /* elements of a line */
    int64_t row_step, column_step;
    size_t bytes, words_at, all; /* of the lines, rounded up to words; where the words are, and their end */
} sides;

static sides sides_of(const cls_lu *lu, const clsolve_matrix *B) {
    int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    sides s = {.length = by_column ? lu->n : B->cols, .lines = by_column ? B->cols : lu->n};
    s.row_step = by_column ? 1 : B->cols;
    s.column_step = by_column ? lu->n : 1;
    s.bytes = (size_t)(lu->n * B->cols * cls_type_size(lu->type));
    s.words_at = (s.bytes + sizeof(int64_t) - 1) / sizeof(int64_t);
    s.all = (s.words_at + (size_t)(2 * B->cols)) * sizeof(int64_t);
    return s;
}

/* The place of right-hand sides, with any strides. */
typedef struct place {
    cls_buffer *buffer;
    int64_t offset, row_step, column_step;
} place;

static place place_in_sides(const cls_lu *lu, const sides *s) {
    return (place){lu->small.sides, 0, s->row_step, s->column_step};
}

static clsolve_status launch(cls_lu *lu, clsolve_op op, int64_t cols, const sides *s, const place *B, const place *X) {
    cls_lu_small *small = &lu->small;
    cls_ref A = cls_matrix_at(&lu->A, 0, 0);
    int32_t n = (int32_t)lu->n, trans = cls_lu_trans_of(op);
    int64_t words_at = (int64_t)s->words_at;
    cls_grid grid = {{(size_t)cols * ITEMS, 1, 1}, {ITEMS, 1, 1}};
    cls_arg args[] = {CLS_REF(A),
                      CLS_VALUE(n),
                      CLS_BUFFER(small->rows),
                      CLS_VALUE(trans),
                      CLS_BUFFER(B->buffer),
                      CLS_VALUE(B->offset),
                      CLS_VALUE(B->row_step),
                      CLS_VALUE(B->column_step),
                      CLS_BUFFER(X->buffer),
                      CLS_VALUE(X->offset),
                      CLS_VALUE(X->row_step),
                      CLS_VALUE(X->column_step),
                      CLS_BUFFER(small->sides),
                      CLS_VALUE(words_at)};
    return cls_launch(lu->device, CLS_COMPUTE, small->solve, &grid, CLS_ARGS(args));
}

/* Reads the bytes from..all of the sides, waits, and takes the words apart. */
static clsolve_status read_back(cls_lu *lu, int64_t cols, const sides *s, size_t from, char *room, cls_place *in,
                                cls_place *out) {
    cls_device *device = lu->device;
    const size_t bytes = s->all - from;
    cls_rect rect = {bytes, 1, from, bytes, bytes};

    clsolve_status status = device->ops->read(device, CLS_COMPUTE, lu->small.sides, room + from, &rect, NULL, NULL);
    clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
    CLS_TRY(status);
    CLS_TRY(waited);
    const int64_t *words = (const int64_t *)(const void *)room + s->words_at;
    for (int64_t c = 0; c < cols; ++c) {
        if (words[2 * c] >= 0 && in->row < 0) *in = (cls_place){words[2 * c], c};
        if (words[2 * c + 1] >= 0 && out->row < 0) *out = (cls_place){words[2 * c + 1], c};
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_from_host(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, const sides *s, char *room,
                                      cls_place *in, cls_place *out) {
    cls_device *device = lu->device;
    size_t size = (size_t)cls_type_size(lu->type), line = (size_t)s->length * size;
    cls_rect lines = {line, (size_t)s->lines, 0, line, (size_t)B->ld * size},
             packed = {s->bytes, 1, 0, s->bytes, s->bytes};

    const place here = place_in_sides(lu, s);
    cls_rect_pack(room, B->data, &lines);
    clsolve_status status = device->ops->write(device, CLS_COMPUTE, lu->small.sides, room, &packed, NULL, NULL);
    if (status == CLSOLVE_OK) status = launch(lu, op, B->cols, s, &here, &here);
    if (status != CLSOLVE_OK) {
        (void)device->ops->finish(device, CLS_COMPUTE); /* the room is others' too */
        return status;
    }
    CLS_TRY(read_back(lu, B->cols, s, 0, room, in, out));
    if (in->row < 0 && out->row < 0) cls_rect_unpack(B->data, room, &lines, false);
    return CLSOLVE_OK;
}

/* One right-hand side is solved in place, because its group knows whether B is to stay as it is. With more of them X
 * is copied when all are known to be right, and a buffer that is not for kernels is copied before too. */
static clsolve_status solve_adopted(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, const sides *s, char *room,
                                    cls_buffer *buffer, cls_place *in, cls_place *out) {
    cls_device *device = lu->device;
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t size = cls_type_size(lu->type);
    const size_t line = (size_t)(s->length * size), lead = (size_t)(B->ld * size), at = (size_t)(B->offset * size);
    const cls_span lines = {line, (size_t)s->lines, 0, line, at, lead};
    const cls_span there = {line, (size_t)s->lines, at, lead, 0, line};
    const place theirs = {buffer, B->offset, by_column ? 1 : B->ld, by_column ? B->ld : 1};
    const place here = place_in_sides(lu, s);
    const int is_read = cls_buffer_takes_kernels(buffer, B->offset, size, 0);
    const int in_place = B->cols == 1 && is_read && cls_buffer_takes_kernels(buffer, B->offset, size, 1);

    if (!is_read) CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, buffer, lu->small.sides, &there));
    CLS_TRY(launch(lu, op, B->cols, s, is_read ? &theirs : &here, in_place ? &theirs : &here));
    CLS_TRY(read_back(lu, B->cols, s, s->words_at * sizeof(int64_t), room, in, out));
    if (in->row >= 0 || out->row >= 0 || in_place) return CLSOLVE_OK;
    clsolve_status status = device->ops->copy_rect(device, CLS_COMPUTE, lu->small.sides, buffer, &lines);
    clsolve_status waited = device->ops->finish(device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : waited;
}

clsolve_status cls_lu_small_solve(cls_lu *lu, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out) {
    const sides s = sides_of(lu, B);
    cls_buffer *buffer;
    void *room;

    CLS_TRY(cls_staging_scratch(lu->device, s.all, &room));
    if (B->place != CLSOLVE_ON_DEVICE) return solve_from_host(lu, op, B, &s, room, in, out);
    CLS_TRY(cls_transfer_adopt(lu->device, B, &buffer));
    clsolve_status status = solve_adopted(lu, op, B, &s, room, buffer, in, out);
    lu->device->ops->buffer_destroy(lu->device, buffer);
    return status;
}
