#include "kernels/small_support.h"

static cls_error error;
cls_device *small_device;

double *small_doubles(int64_t count) {
    double *memory = test_doubles(count + 1);
    return memory;
}

int small_has(clsolve_type type) {
    return type == CLSOLVE_F32 || small_device->info.fp64;
}

void small_up(cls_lu *lu, const test_matrix *from, const cls_matrix *to) {
    assert_ok(small_device, cls_upload(small_device, &lu->transfer, &from->view, 0, from->view.cols, to, &lu->scratch));
}

void small_down(cls_lu *lu, const cls_matrix *from, const test_matrix *to) {
    assert_ok(small_device, cls_download(small_device, &lu->transfer, from, to->view.cols, &to->view, 0, &lu->scratch));
}

int small_open(void **state) {
    small_device = test_blas_device(NULL, &error);
    return 0;
}

int small_close(void **state) {
    int64_t left = small_device->counters.buffers;
    small_device->ops->destroy(small_device);
    return left == 0 ? 0 : -1;
}
