/* trial.h: a system of a family's on one side, for measurements: made once, run as often as is wanted. */
#ifndef CLS_API_TRIAL_H
#define CLS_API_TRIAL_H

#include "cost/where.h"
#include "method/band/direct.h"
#include "method/block_gs/members.h"
#include "method/block_gs/members_host.h"
#include "method/cholesky/band.h"
#include "method/cholesky/direct.h"
#include "method/gauss_jordan/batch.h"
#include "method/gauss_jordan/whole.h"
#include "method/lu/direct.h"

/* n, and k diagonals, members or nothing. Members that a family does not use are zeroed. */
typedef struct cls_trial {
    cls_device *device;
    cls_family family;
    clsolve_type type;
    int64_t n, k;
    clsolve_matrix data[4]; /* A and b; below, on and above the diagonal and b; -1, 4 and b of a grid */
    int32_t *infos;
    cls_lu lu;
    cls_cholesky cholesky;
    cls_band band;
    cls_band_cholesky band_cholesky;
    cls_direct direct;
    cls_gj gj;
    cls_gj_batch batch;
    cls_bt_members lines;
    cls_host_lines host_lines;
} cls_trial;

/* `trial` has device, family, type, n and k, else zeros. On failure the caller still calls cls_trial_close. */
clsolve_status cls_trial_open(cls_trial *trial);
/* A call as a caller's, from host to host. */
clsolve_status cls_trial_run(cls_trial *trial);
void cls_trial_close(cls_trial *trial);

#endif
