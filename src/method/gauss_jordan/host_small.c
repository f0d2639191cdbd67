#include "method/gauss_jordan/host_small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "method/gauss_jordan/batch.h"

enum { LARGEST = 64 };

#define REAL        double
#define LEAST       DBL_MIN
#define ABSOLUTE(x) fabs(x)
#define NAME(x)     x##_f64
#include "method/gauss_jordan/eliminate_real.h"
#include "method/gauss_jordan/host_small_real.h"
#undef REAL
#undef LEAST
#undef ABSOLUTE
#undef NAME

#define REAL        float
#define LEAST       FLT_MIN
#define ABSOLUTE(x) fabsf(x)
#define NAME(x)     x##_f32
#include "method/gauss_jordan/eliminate_real.h"
#include "method/gauss_jordan/host_small_real.h"

int cls_gj_host_small_suits(const cls_gj *gj) {
    return gj->in_place && gj->device->no_kernels && gj->n > 0 && gj->n <= CLS_GJ_HOST_SMALL_MOST &&
           gj->A.ld == gj->n && gj->A.slabs == 1;
}

static cls_gj_strides strides_of(const clsolve_matrix *m) {
    return m->layout == CLSOLVE_COLUMN_MAJOR ? (cls_gj_strides){1, m->ld} : (cls_gj_strides){m->ld, 1};
}

int cls_gj_host_small_invert(cls_gj *gj, const clsolve_matrix *A, const clsolve_matrix *X, double *rcond) {
    void *room = cls_matrix_host(&gj->A, 0, 0);
    int *pivots = gj->panel.host_pivots, is_double = gj->type == CLSOLVE_F64;

    if (A->place != CLSOLVE_ON_HOST || X->place != CLSOLVE_ON_HOST) return 0;
    if (!(is_double ? invert_f64(A->data, strides_of(A), gj->n, room, pivots, rcond)
                    : invert_f32(A->data, strides_of(A), gj->n, room, pivots, rcond)))
        return 0;
    if (gj->progress) gj->progress(gj->progress_user, "eliminate", 1);
    if (is_double)
        scatter_f64(X->data, strides_of(X), gj->n, gj->n, room);
    else
        scatter_f32(X->data, strides_of(X), gj->n, gj->n, room);
    return 1;
}
