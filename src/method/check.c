#include "method/check.h"

#include <stdio.h>
#include <string.h>

clsolve_status cls_check_create(cls_device *device, clsolve_type type, cls_check *check) {
    cls_program *program;
    char options[128];

    check->work_group = device->info.type == CLSOLVE_DEVICE_CPU ? 1 : cls_work_group(device, 256);
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)check->work_group);
    CLS_TRY(device->ops->program_get(device, "finite", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "find_nonfinite", &check->kernel));
    return device->ops->buffer_create(device, CLS_CHECK_WORDS * sizeof(int64_t), &check->partial);
}

void cls_check_destroy(cls_device *device, cls_check *check) {
    device->ops->kernel_destroy(device, check->kernel);
    device->ops->buffer_destroy(device, check->partial);
    *check = (cls_check){0};
}

/* The smallest index found in the columns begin .. begin + cols - 1, which lie in one slab; INT64_MAX for none. */
static clsolve_status search_slab(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                  int64_t cols, int64_t *smallest) {
    int64_t words[CLS_CHECK_WORDS];
    cls_ref ref = cls_matrix_at(matrix, 0, begin);
    int64_t rows = matrix->rows;
    int64_t down = (rows + 4 * check->work_group - 1) / (4 * check->work_group);
    int64_t across = cols < 64 ? cols : 64;
    if (down > CLS_CHECK_WORDS / across) down = CLS_CHECK_WORDS / across;

    cls_grid grid = {{(size_t)(down * check->work_group), (size_t)across, 1}, {(size_t)check->work_group, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),         CLS_VALUE(rows),
                      CLS_VALUE(cols),        CLS_VALUE(begin),      CLS_BUFFER(check->partial)};
    CLS_TRY(device->ops->launch(device, CLS_COMPUTE, check->kernel, &grid, args, 7, NULL, NULL));

    size_t bytes = (size_t)(down * across) * sizeof *words;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    CLS_TRY(device->ops->read(device, CLS_COMPUTE, check->partial, words, &rect, NULL, NULL));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    *smallest = INT64_MAX;
    for (int64_t w = 0; w < down * across; ++w)
        if (words[w] < *smallest) *smallest = words[w];
    return CLSOLVE_OK;
}

/* The same in the host's own memory. */
static int finite_f64(const double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return (bits & UINT64_C(0x7ff0000000000000)) != UINT64_C(0x7ff0000000000000);
}

static int finite_f32(const float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    return (bits & UINT32_C(0x7f800000)) != UINT32_C(0x7f800000);
}

static int64_t search_column(const cls_matrix *matrix, int64_t j) {
    const void *column = cls_matrix_host(matrix, 0, j);
    const double *d = column;
    const float *f = column;
    int bad = 0;

    /* Without a way out of the loop, so that it vectorises; where it is needs no speed. */
    if (matrix->type == CLSOLVE_F64)
        for (int64_t i = 0; i < matrix->rows; ++i) bad |= !finite_f64(d + i);
    else
        for (int64_t i = 0; i < matrix->rows; ++i) bad |= !finite_f32(f + i);
    for (int64_t i = 0; bad && i < matrix->rows; ++i)
        if (matrix->type == CLSOLVE_F64 ? !finite_f64(d + i) : !finite_f32(f + i)) return i;
    return -1;
}

static void search_mapped(const cls_matrix *matrix, int64_t cols, int64_t *row, int64_t *column) {
    for (int64_t j = 0; j < cols && *row < 0; ++j) {
        *row = search_column(matrix, j);
        *column = *row < 0 ? -1 : j;
    }
}

clsolve_status cls_check_finite(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                int64_t *row, int64_t *column) {
    *row = *column = -1;
    if (matrix->rows == 0) return CLSOLVE_OK;
    if (matrix->mapped) {
        search_mapped(matrix, cols, row, column);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0; j < cols;) {
        int64_t run = cls_matrix_run(matrix, j, cols), smallest;
        CLS_TRY(search_slab(device, check, matrix, j, run, &smallest));
        if (smallest != INT64_MAX) {
            *row = smallest % matrix->rows;
            *column = smallest / matrix->rows;
            return CLSOLVE_OK;
        }
        j += run;
    }
    return CLSOLVE_OK;
}
