#include "device/matrix.h"

#include <string.h>

#include "base/memory.h"
#include "device/buffer.h"

enum { SHORT = 1024 /* bytes of a column */ };

/* Columns start on 128-byte lines; a stride of a multiple of 2 KiB would put a row's elements into few cache sets. */
int64_t cls_matrix_ld(int64_t rows, int64_t size) {
    int64_t line = 128 / size;
    int64_t ld = (rows + line - 1) / line * line;
    if (ld == 0) ld = line;
    if (ld * size % 2048 == 0) ld += line;
    return ld;
}

static clsolve_status take_slabs(cls_device *device, cls_matrix *m) {
    int64_t size = cls_type_size(m->type);

    m->slab = cls_alloc((size_t)m->slabs, sizeof *m->slab);
    if (!m->slab) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of buffers");
    for (int64_t s = 0; s < m->slabs; ++s) {
        int64_t cols = m->cols - s * m->slab_cols;
        if (cols > m->slab_cols) cols = m->slab_cols;
        CLS_TRY(device->ops->buffer_create(device, (size_t)(m->ld * cols * size), &m->slab[s]));
        m->bytes += m->ld * cols * size;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_matrix_create(cls_device *device, clsolve_type type, int64_t rows, int64_t cols, int64_t align,
                                 int64_t max_bytes, cls_matrix *matrix) {
    int64_t size = cls_type_size(type);
    cls_matrix m = {.type = type, .rows = rows, .cols = cols};

    memset(matrix, 0, sizeof *matrix);
    if (rows > INT64_MAX / 16 - 4096 || (cols > 0 && cls_matrix_ld(rows, size) > INT64_MAX / size / cols))
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a %lld x %lld matrix has more bytes than 64 bits can count", (long long)rows, (long long)cols);
    /* Short columns of the host's lie one behind the other: no vector unit wants them on lines, and half of the memory
     * would be gaps. */
    m.ld = device->no_kernels && rows > 0 && rows * size <= SHORT ? rows : cls_matrix_ld(rows, size);

    int64_t limit = device->info.max_allocation;
    if (max_bytes > 0 && (max_bytes < limit || limit <= 0)) limit = max_bytes;
    /* A driver that does not tell its limit refuses by itself what is too much. */
    m.slab_cols = limit > 0 ? limit / (m.ld * size) : cols;
    if (m.slab_cols >= cols) {
        m.slab_cols = cols > 0 ? cols : 1;
    } else {
        m.slab_cols -= m.slab_cols % align;
        if (m.slab_cols == 0) m.slab_cols = align; /* the driver then says that it is too much */
    }
    m.slabs = cols > 0 ? (cols + m.slab_cols - 1) / m.slab_cols : 0;

    clsolve_status status = take_slabs(device, &m);
    if (status != CLSOLVE_OK)
        cls_matrix_destroy(device, &m);
    else
        *matrix = m;
    return status;
}

void cls_matrix_destroy(cls_device *device, cls_matrix *matrix) {
    if (matrix->mapped)
        for (int64_t s = 0; s < matrix->slabs; ++s)
            if (matrix->mapped[s]) (void)device->ops->unmap(device, matrix->slab[s], matrix->mapped[s]);
    cls_free(matrix->mapped);
    if (matrix->slab)
        for (int64_t s = 0; s < matrix->slabs; ++s) device->ops->buffer_destroy(device, matrix->slab[s]);
    cls_free(matrix->slab);
    memset(matrix, 0, sizeof *matrix);
}

cls_matrix cls_matrix_from(const cls_matrix *matrix, int64_t origin) {
    cls_matrix moved = *matrix;
    moved.origin = origin;
    return moved;
}

cls_matrix cls_matrix_in(cls_buffer **buffer, clsolve_type type, int64_t rows, int64_t cols) {
    cls_matrix m = {.type = type, .rows = rows, .cols = cols, .slab_cols = cols > 0 ? cols : 1, .slabs = 1};
    m.slab = buffer;
    m.ld = cls_matrix_ld(rows, cls_type_size(type));
    return m;
}

clsolve_status cls_matrix_map(cls_device *device, cls_matrix *matrix) {
    matrix->mapped = cls_alloc((size_t)matrix->slabs, sizeof *matrix->mapped);
    if (!matrix->mapped)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of mappings");
    for (int64_t s = 0; s < matrix->slabs; ++s) CLS_TRY(device->ops->map(device, matrix->slab[s], &matrix->mapped[s]));
    return CLSOLVE_OK;
}

void *cls_matrix_host(const cls_matrix *matrix, int64_t i, int64_t j) {
    int64_t s = matrix->slabs == 1 ? 0 : (j - matrix->origin) / matrix->slab_cols; /* divisions take long */
    return (char *)matrix->mapped[s] +
           (matrix->offset + i + (j - matrix->origin - s * matrix->slab_cols) * matrix->ld) *
               cls_type_size(matrix->type);
}

cls_ref cls_matrix_at(const cls_matrix *matrix, int64_t i, int64_t j) {
    int64_t here = j - matrix->origin, s = here / matrix->slab_cols;
    cls_ref ref = {matrix->slab[s],
                   matrix->offset + i - s * matrix->shift + (here - s * matrix->slab_cols) * matrix->ld, matrix->ld};
    return ref;
}

int64_t cls_matrix_run(const cls_matrix *matrix, int64_t j, int64_t limit) {
    int64_t end = ((j - matrix->origin) / matrix->slab_cols + 1) * matrix->slab_cols + matrix->origin;
    return (end < limit ? end : limit) - j;
}

clsolve_status cls_matrix_reserve(cls_device *device, clsolve_type type, int64_t rows, int64_t cols, int64_t max_bytes,
                                  int mapped, cls_matrix *matrix) {
    if (matrix->slab && matrix->rows >= rows && matrix->cols >= cols) return CLSOLVE_OK;
    cls_matrix_destroy(device, matrix);
    CLS_TRY(cls_matrix_create(device, type, rows, cols, 1, max_bytes, matrix));
    clsolve_status status = mapped ? cls_matrix_map(device, matrix) : CLSOLVE_OK;
    if (status != CLSOLVE_OK) cls_matrix_destroy(device, matrix); /* half mapped it would be taken for ready */
    return status;
}

void *cls_buffer_handle(const cls_buffer *buffer) {
    return buffer->memory;
}

cls_buffer_range cls_buffer_place(const cls_buffer *buffer) {
    return (cls_buffer_range){buffer->whole, buffer->begin, buffer->bytes};
}

int cls_buffer_takes_kernels(const cls_buffer *buffer, int64_t offset, int64_t size, int written) {
    const size_t begin = buffer->begin + (size_t)offset * (size_t)size;
    return !buffer->unread && !(written && buffer->unwritten) && begin % (size_t)size == 0;
}
