/*
 * builtin_trsm_test.c: triangular solves with a known result, by which kernels are tried before they are used; in the
 * queue BESIDE, as the products of builtin_test.c are.
 *
 * X has small whole numbers, T sixteenths left and right of a diagonal of powers of two: so every step of a
 * substitution is exact, in float too, and T's inverse has no large numbers. A complex X is X + i Y, Y its rows in
 * another order, and a complex T has imaginary parts off its diagonal, which is one of powers of two and of i.
 */
#include "blas/builtin.h"

#include <complex.h>

#include "base/memory.h"

/* One of the cases: two triangles, and two or three operations. m x m triangle, m x n right-hand sides; both at
 * `offset` and with the leading dimension `ld`. */
typedef struct trial {
    clsolve_type type;
    cls_uplo uplo;
    clsolve_op op;
    int64_t m, n, ld, offset;
} trial;

static double complex value_of_t(const trial *t, int64_t i, int64_t k) {
    const int lower = t->uplo == CLS_LOWER_UNIT, is_complex = cls_is_complex(t->type);
    if (i == k) return lower ? 1 : (double)(1 << i % 3) * (is_complex && i % 2 ? I : 1);
    if ((i > k) != lower) return 0;
    const double im = is_complex ? (double)((5 * i + k) % 3 - 1) / 16 : 0;
    return (double)((7 * i + 3 * k + i * k) % 3 - 1) / 16 + im * I;
}

static double complex value_of_x(const trial *t, int64_t i, int64_t j) {
    const double im = cls_is_complex(t->type) ? (double)((3 * i + j) % 5 - 2) : 0;
    return (double)((i + 2 * j + i * j) % 7 - 3) + im * I;
}

/* B = op(T) X */
static double complex value_of_b(const trial *t, int64_t i, int64_t j) {
    double complex sum = 0;
    for (int64_t k = 0; k < t->m; k++) {
        double complex e = t->op != CLSOLVE_NO_TRANS ? value_of_t(t, k, i) : value_of_t(t, i, k);
        sum += (t->op == CLSOLVE_CONJ_TRANS ? conj(e) : e) * value_of_x(t, k, j);
    }
    return sum;
}

static void put(const trial *t, void *to, int64_t i, int64_t j, double complex value) {
    const int64_t parts = cls_type_parts(t->type), at = parts * (t->offset + i + j * t->ld);
    cls_type_put(t->type, to, at, creal(value));
    if (parts == 2) cls_type_put(t->type, to, at + 1, cimag(value));
}

static double complex get(const trial *t, const void *from, int64_t at) {
    const int64_t parts = cls_type_parts(t->type);
    return cls_type_get(t->type, from, parts * at) + (parts == 2 ? cls_type_get(t->type, from, parts * at + 1) * I : 0);
}

enum { OTHER = 77 }; /* what T has in its other triangle, and the memory around B */

static int64_t room_for(const trial *t, int64_t columns) {
    return t->offset + t->ld * (columns + 1);
}

static void fill_with(const trial *t, void *to, int64_t room, double value) {
    const trial all = {.type = t->type, .ld = room};
    for (int64_t at = 0; at < room; at++) put(&all, to, at, 0, value);
}

static void fill_triangle(const trial *t, void *to) {
    fill_with(t, to, room_for(t, t->m), OTHER);
    for (int64_t k = 0; k < t->m; k++)
        for (int64_t i = 0; i < t->m; i++)
            if (i == k ? t->uplo != CLS_LOWER_UNIT : (i > k) == (t->uplo == CLS_LOWER_UNIT))
                put(t, to, i, k, value_of_t(t, i, k));
}

static void fill_right_sides(const trial *t, void *to) {
    fill_with(t, to, room_for(t, t->n), OTHER);
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i < t->m; i++) put(t, to, i, j, value_of_b(t, i, j));
}

static int is_right(const trial *t, const void *from) {
    const double bound = cls_is_double(t->type) ? 1e-9 : 1e-3;
    for (int64_t at = 0; at < room_for(t, t->n); at++) {
        const int64_t i = (at - t->offset) % t->ld, j = (at - t->offset) / t->ld;
        const int inside = at >= t->offset && i < t->m && j < t->n;
        if (!(cabs(get(t, from, at) - (inside ? value_of_x(t, i, j) : OTHER)) <= bound)) return 0;
    }
    return 1;
}

/* The buffer with what `host` has. */
static clsolve_status send(cls_device *device, const trial *t, int64_t columns, const void *host, cls_buffer **buffer) {
    const size_t bytes = (size_t)(room_for(t, columns) * cls_type_size(t->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    CLS_TRY(device->ops->buffer_create(device, bytes, buffer));
    CLS_TRY(device->ops->write(device, CLS_BESIDE, *buffer, host, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_BESIDE);
}

static clsolve_status try_case(cls_device *device, const cls_trsm_form *form, const trial *t, void *host, int *right) {
    const size_t bytes = (size_t)(room_for(t, t->n) * cls_type_size(t->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    cls_triangle triangle = {cls_blas_in(CLS_BESIDE), t->type, t->uplo, t->op, t->m, t->n, {NULL, t->offset, t->ld},
                             {NULL, t->offset, t->ld}};
    clsolve_status status;

    fill_triangle(t, host);
    CLS_TRY_GOTO(status, send(device, t, t->m, host, &triangle.T.buffer), end);
    fill_right_sides(t, host);
    CLS_TRY_GOTO(status, send(device, t, t->n, host, &triangle.B.buffer), end);
    CLS_TRY_GOTO(status, form->launch(device, form->how, &triangle), end);
    CLS_TRY_GOTO(status, device->ops->read(device, CLS_BESIDE, triangle.B.buffer, host, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, device->ops->finish(device, CLS_BESIDE), end);
    *right = is_right(t, host);
end:
    device->ops->buffer_destroy(device, triangle.T.buffer);
    device->ops->buffer_destroy(device, triangle.B.buffer);
    return status;
}

clsolve_status cls_builtin_trsm_test(cls_device *device, const cls_trsm_form *form, int *right) {
    const cls_counters before = device->counters; /* what the test moves is no caller's */
    const int64_t columns = form->columns + 5;    /* a group, and a few of another */
    const trial largest = {.type = form->type, .m = form->order, .n = columns, .ld = form->order + 3, .offset = 5};
    const int64_t square = room_for(&largest, form->order), side = room_for(&largest, columns);
    void *host = cls_alloc((size_t)(square > side ? square : side), 2 * sizeof(double)); /* room for any type */
    clsolve_status status = CLSOLVE_OK;

    *right = 1;
    if (!host) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    const int cases = cls_is_complex(form->type) ? 6 : 4;
    for (int c = 0; c < cases && *right && status == CLSOLVE_OK; c++) {
        trial t = largest;
        t.uplo = c & 1 ? CLS_UPPER : CLS_LOWER_UNIT;
        t.op = c & 4 ? CLSOLVE_CONJ_TRANS : c & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
        if (c == 1 || c == 2) t.m -= 3; /* no multiple of what a kernel has at once */
        *right = 0;
        status = try_case(device, form, &t, host, right);
    }
    device->counters = before;
    cls_free(host);
    return status;
}
