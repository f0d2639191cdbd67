#include "block_gs/grid_test.h"

clsolve_context *context;
clsolve_type usual;
clsolve_device_info kept;

int grid_open(void **state) {
    context = test_context(1);
    kept = clsolve_context_device(context);
    usual = kept.fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

int grid_close(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

int grid_said(const char *words) {
    return strstr(clsolve_context_message(context), words) != NULL;
}

void need_double(void) {
    if (usual != CLSOLVE_F64) skip();
}

int in_gpu_shape(void) {
    return test_pretends("gpu");
}

double *zeros(int64_t n) {
    double *made = test_doubles(n + 1);
    return made;
}

clsolve_report result_of(const clsolve_block_gs *handle) {
    clsolve_report result;
    assert_int_equal(clsolve_block_gs_report(handle, &result), CLSOLVE_OK);
    return result;
}

clsolve_grid grid_view(const grid_problem *p, double *data) {
    return clsolve_grid_f64(p->N, p->M, data);
}

clsolve_status grid_set_again(clsolve_block_gs *handle, const grid_problem *p) {
    const clsolve_grid up = grid_view(p, p->up), a = grid_view(p, p->a), c = grid_view(p, p->c), b = grid_view(p, p->b),
                       down = grid_view(p, p->down);
    return clsolve_block_gs_factor(handle, &up, &a, &c, &b, &down);
}
