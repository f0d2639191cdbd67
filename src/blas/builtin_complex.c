/*
 * builtin_complex.c: products of complex matrices by the built-in products of real ones (cl/gemm_complex.cl), which do
 * the same multiplications. op(A) is copied, in parts of up to ROWS x COLUMNS; B and C are real matrices as they lie,
 * and a B that is to be transposed is copied too, COLUMNS x SIDES at a time.
 *
 * A unit lower triangle becomes one of twice the order, because 1 becomes a unit matrix of 2 x 2, and the transpose of
 * its real form is that of the conjugate transpose. So real triangular solves serve too.
 */
#include "blas/builtin.h"

#include "base/type.h"

enum {
    ROWS = 4096,
    COLUMNS = 256,
    SIDES = 4096,
    TILE = 16
}; /* of complex doubles 48 MB a queue; TILE as in the kernel */

static int64_t at_most(int64_t value, int64_t most) {
    return value < most ? value : most;
}

static int64_t rounded_up(int64_t value, int64_t step) {
    return (value + step - 1) / step * step;
}

/* The place of a real matrix, counted in real numbers. */
static cls_ref real_ref(cls_ref ref) {
    return (cls_ref){ref.buffer, 2 * ref.offset, 2 * ref.ld};
}

/* The real product for `rows` rows of C and `columns` of op(A). */
static cls_product real_product(const cls_product *p, int64_t rows, int64_t columns) {
    return (cls_product){.options = p->options,
                         .type = cls_real_type(p->type),
                         .op_a = CLSOLVE_NO_TRANS,
                         .op_b = CLSOLVE_NO_TRANS,
                         .m = 2 * rows,
                         .n = p->n,
                         .k = 2 * columns,
                         .alpha = p->alpha,
                         .beta = p->beta,
                         .A = {NULL, 0, 2 * rows},
                         .B = real_ref(p->B),
                         .C = real_ref(p->C)};
}

int cls_builtin_complex_suits(cls_device *device, const cls_product *p) {
    if (!cls_is_complex(p->type)) return 0;
    const cls_product real = real_product(p, at_most(p->m, ROWS), at_most(p->k, COLUMNS));
    return cls_builtin_mma_takes(device, &real) || cls_builtin_tiled_suits(device, &real);
}

/* The queue's room for so many bytes. A smaller one goes when what is enqueued with it has run. */
static clsolve_status get_room(cls_device *device, cls_queue queue, cls_room *of_queue, size_t bytes,
                               cls_buffer **room) {
    if (of_queue->bytes < bytes) {
        if (of_queue->buffer) CLS_TRY(device->ops->finish(device, queue));
        device->ops->buffer_destroy(device, of_queue->buffer);
        *of_queue = (cls_room){0};
        CLS_TRY(device->ops->buffer_create(device, bytes, &of_queue->buffer));
        of_queue->bytes = bytes;
    }
    *room = of_queue->buffer;
    return CLSOLVE_OK;
}

static clsolve_status get_kernel(cls_device *device, clsolve_type type, cls_kernel **kernel) {
    cls_builtin *builtin;
    CLS_TRY(cls_builtin_get(device, &builtin));
    cls_kernel **slot = &builtin->complex_form[cls_is_double(type)];
    CLS_TRY(cls_builtin_kernel(device, slot, "gemm_complex", "gemm_complex", type, ""));
    *kernel = *slot;
    return CLSOLVE_OK;
}

/* How a part is copied. */
typedef struct copy {
    cls_device *device;
    cls_queue queue;
    cls_kernel *kernel;
    clsolve_op op;
    int32_t unit, once; /* as in the kernel */
} copy;

/* rows x columns of op(A), whose first element is at `from`, to the room. */
static clsolve_status copy_part(const copy *how, int64_t rows, int64_t columns, cls_ref from, cls_buffer *room) {
    const int32_t trans = (int32_t)how->op, unit = how->unit, once = how->once;
    const cls_grid grid = {{(size_t)rounded_up(rows, TILE), (size_t)rounded_up(columns, TILE), 1}, {TILE, TILE, 1}};
    cls_arg args[] = {CLS_VALUE(rows), CLS_VALUE(columns), CLS_VALUE(trans), CLS_VALUE(unit),
                      CLS_VALUE(once), CLS_REF(from),      CLS_BUFFER(room)};
    return cls_launch(how->device, how->queue, how->kernel, &grid, CLS_ARGS(args));
}

/* A part of C, with op(B)'s part of so many rows and columns at `B`: a product for each part of op(A)'s rows. `l` is
 * op(A)'s first column of them. */
static clsolve_status multiply_rows(cls_device *device, const cls_product *p, const copy *of_a, int64_t l,
                                    int64_t columns, cls_ref B, cls_ref C, int64_t n, cls_buffer *room) {
    for (int64_t top = 0; top < p->m; top += ROWS) {
        const int64_t rows = at_most(p->m - top, ROWS);
        const cls_ref part = p->op_a == CLSOLVE_NO_TRANS ? cls_ref_at(p->A, top, l) : cls_ref_at(p->A, l, top);
        cls_product real = real_product(p, rows, columns);
        if (!device->announcing) CLS_TRY(copy_part(of_a, rows, columns, part, room));
        real.n = n;
        real.A.buffer = room;
        real.B = B;
        real.C = cls_ref_at(real_ref(C), 2 * top, 0);
        if (l > 0) real.beta = 1;
        CLS_TRY(device->blas->provider->gemm(device, &real));
        if (device->announcing) return CLSOLVE_OK;
    }
    return CLSOLVE_OK;
}

/* C's columns from `left` on, `n` of them. `turned`: room for op(B)'s part, where B is to be transposed. */
static clsolve_status multiply_columns(cls_device *device, const cls_product *p, cls_kernel *kernel, int64_t left,
                                       int64_t n, cls_buffer *room, cls_buffer *turned) {
    const copy of_a = {device, p->options.queue, kernel, p->op_a, 0, 0};
    const copy of_b = {device, p->options.queue, kernel, p->op_b, 0, 1};
    for (int64_t l = 0; l < p->k; l += COLUMNS) {
        const int64_t columns = at_most(p->k - l, COLUMNS);
        cls_ref B = real_ref(cls_ref_at(p->B, l, left));
        if (p->op_b != CLSOLVE_NO_TRANS) {
            if (!device->announcing) CLS_TRY(copy_part(&of_b, columns, n, cls_ref_at(p->B, left, l), turned));
            B = (cls_ref){turned, 0, 2 * columns};
        }
        CLS_TRY(multiply_rows(device, p, &of_a, l, columns, B, cls_ref_at(p->C, 0, left), n, room));
        if (device->announcing) return CLSOLVE_OK;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_builtin_complex(cls_device *device, const cls_product *p) {
    const int turns = p->op_b != CLSOLVE_NO_TRANS;
    const int64_t sides = turns ? SIDES : p->n, size = cls_type_size(p->type);
    const size_t wanted = (size_t)(2 * at_most(p->m, ROWS) * at_most(p->k, COLUMNS) * size);
    const size_t of_b = (size_t)(at_most(p->n, SIDES) * at_most(p->k, COLUMNS) * size);
    cls_buffer *room = NULL, *turned = NULL;
    cls_kernel *kernel;
    CLS_TRY(get_kernel(device, p->type, &kernel));
    if (!device->announcing) {
        cls_builtin *builtin = device->blas->builtin;
        CLS_TRY(get_room(device, p->options.queue, &builtin->room[p->options.queue], wanted, &room));
        if (turns) CLS_TRY(get_room(device, p->options.queue, &builtin->turned[p->options.queue], of_b, &turned));
    }
    for (int64_t left = 0; left < p->n; left += sides)
        CLS_TRY(multiply_columns(device, p, kernel, left, at_most(p->n - left, sides), room, turned));
    return CLSOLVE_OK;
}

/* ---- triangles ---- */

int cls_builtin_complex_solves(const cls_device *device, const cls_triangle *t) {
    enum { FEW = 16, MANY = 2048 }; /* columns: the copy is too much; the portable solve's groups fill the device */
    return device->matrix_unit > 0 && t->type == CLSOLVE_C64 && t->uplo == CLS_LOWER_UNIT && t->op != CLSOLVE_TRANS &&
           t->n >= FEW && t->n <= MANY;
}

clsolve_status cls_builtin_complex_triangle(cls_device *device, const cls_triangle *t, int64_t m, cls_ref T, cls_ref B,
                                            cls_triangle *real) {
    const int64_t order = CLS_COMPLEX_ORDER;
    cls_buffer *room = NULL;
    cls_kernel *kernel;
    CLS_TRY(get_kernel(device, t->type, &kernel));
    if (!device->announcing) {
        const copy how = {device, t->options.queue, kernel, CLSOLVE_NO_TRANS, 1, 0};
        CLS_TRY(get_room(device, t->options.queue, &device->blas->builtin->room[t->options.queue],
                         (size_t)(2 * order * order * cls_type_size(t->type)), &room));
        CLS_TRY(copy_part(&how, m, m, T, room));
    }
    *real = (cls_triangle){.options = t->options,
                           .type = cls_real_type(t->type),
                           .uplo = CLS_LOWER_UNIT,
                           .op = t->op == CLSOLVE_NO_TRANS ? CLSOLVE_NO_TRANS : CLSOLVE_TRANS,
                           .m = 2 * m,
                           .n = t->n,
                           .T = {room, 0, 2 * m},
                           .B = real_ref(B)};
    return CLSOLVE_OK;
}
