#include "method/gauss_jordan/host_small.h"

#include <string.h>

#include "base/clones.h"
#include "method/gauss_jordan/batch.h"

enum { LARGEST = 64 };

#define EACH_ELEMENT "method/gauss_jordan/host_small_element.h"
#include "method/elements_each.h"

int cls_gj_host_small_suits(const cls_gj *gj) {
    return gj->in_place && gj->device->no_kernels && gj->n > 0 && gj->n <= CLS_GJ_HOST_SMALL_MOST &&
           gj->A.ld == gj->n && gj->A.slabs == 1;
}

static cls_gj_strides strides_of(const clsolve_matrix *m) {
    return m->layout == CLSOLVE_COLUMN_MAJOR ? (cls_gj_strides){1, m->ld, 0} : (cls_gj_strides){m->ld, 1, 0};
}

/* As cls_gj_host_small_invert, into the room. */
static int invert(const cls_gj *gj, const clsolve_matrix *A, void *room, double *rcond) {
    const cls_gj_strides a = strides_of(A);
    int *pivots = gj->panel.host_pivots;
    return CLS_FOR_TYPE(gj->type, invert, A->data, a, gj->n, room, pivots, rcond);
}

static void deliver(const cls_gj *gj, const clsolve_matrix *X, const void *room) {
    CLS_FOR_TYPE(gj->type, scatter, X->data, strides_of(X), gj->n, gj->n, room);
}

int cls_gj_host_small_invert(cls_gj *gj, const clsolve_matrix *A, const clsolve_matrix *X, double *rcond) {
    void *room = cls_matrix_host(&gj->A, 0, 0);

    if (A->place != CLSOLVE_ON_HOST || X->place != CLSOLVE_ON_HOST) return 0;
    if (!invert(gj, A, room, rcond)) return 0;
    if (gj->progress) gj->progress(gj->progress_user, "eliminate", 1);
    deliver(gj, X, room);
    return 1;
}
