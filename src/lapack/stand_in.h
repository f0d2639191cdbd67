/* stand_in.h (private): in the place of calls of draft.h that decide where a call goes, by those that the library has. */
#ifndef CLS_LAPACK_STAND_IN_H
#define CLS_LAPACK_STAND_IN_H

#include <stdint.h>

#include <clsolve/clsolve.h>

/* What a handle says that it expects, for orders up to 2048; beyond, in proportion. 0: it does not say. */
int cls_stand_in_predict(int64_t n, int64_t nrhs, clsolve_type type, double *device, double *host);

/* Solves a system on the device. */
clsolve_status cls_stand_in_warm(int64_t n, clsolve_type type);

#endif
