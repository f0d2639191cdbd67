/* trial.h: a system of a family's on one side, for measurements: made once, run as often as is wanted. */
#ifndef CLS_API_TRIAL_H
#define CLS_API_TRIAL_H

#include "cost/where.h"
#include "method/band/direct.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"
#include "method/cholesky/band.h"
#include "method/cholesky/direct.h"
#include "method/direct_batch/batch.h"
#include "method/gauss_jordan/batch.h"
#include "method/gauss_jordan/whole.h"
#include "method/ldl/direct.h"
#include "method/lu/direct.h"
#include "method/sparse_batch/batch.h"

/* n, and k diagonals below and above, members or nothing. Members that a family does not use are zeroed. */
typedef struct cls_trial {
    cls_device *device;
    cls_family family;
    clsolve_type type;
    int64_t n, k;
    int64_t more;           /* of a band: diagonals above beyond k */
    int32_t rcond;          /* with the condition number, as the front door asks for it */
    cls_members_kind kind;  /* of a batch */
    int64_t classes;        /* of members of orders of their own: one of each (cost/where.h) */
    clsolve_matrix data[4]; /* A and b; below, on and above the diagonal and b; -1, 4 and b of a grid */
    int32_t *infos;
    int64_t orders[CLS_DIRECT_BATCH_CLASSES], places[CLS_DIRECT_BATCH_CLASSES];
    union {
        clsolve_lu_options lu;
        clsolve_cholesky_options cholesky;
        clsolve_ldl_options ldl;
        clsolve_band_options band;
        clsolve_band_cholesky_options band_cholesky;
    } options;
    cls_lu lu;
    cls_cholesky cholesky;
    cls_ldl ldl;
    cls_band band;
    cls_band_cholesky band_cholesky;
    cls_direct direct;
    cls_gj gj;
    cls_gj_batch batch;
    cls_direct_batch direct_batch;
    cls_sparse_plan *plan;
    cls_sparse_batch sparse_batch;
    cls_bt_members lines;
    cls_host_lines host_lines;
} cls_trial;

/* `trial` has what stands above its data, else zeros. On failure the caller still calls cls_trial_close. */
clsolve_status cls_trial_open(cls_trial *trial);
/* A call as a caller's, from host to host. */
clsolve_status cls_trial_run(cls_trial *trial);
void cls_trial_close(cls_trial *trial);

#endif
