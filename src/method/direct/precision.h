/*
 * precision.h: whether a matrix of doubles is factored in float: what the options say, or how slow double is here.
 *
 * A device's double may be 2 to 64 times slower than its float. NVIDIA's GPUs tell the ratio. Elsewhere it is measured
 * once (cl/rate.cl, a few milliseconds) and kept by the name "direct.double_ratio": with the open device, and with the
 * programs on disk.
 */
#ifndef CLS_PRECISION_H
#define CLS_PRECISION_H

#include <clsolve/factorization.h>

#include "device/device.h"

typedef struct cls_precision {
    int mixed;          /* factors in float, answers in double */
    int automatic;      /* the option left the choice: nothing but speed may tell the answers from those of double */
    const char *reason; /* a static string */
} cls_precision;

/*
 * For a dense matrix of order n. `may`: the other options leave room for the choice. AUTO takes float only on a device
 * with memory of its own, which holds the float factors, A, and double factors to fall back to.
 */
clsolve_status cls_precision_choose(cls_device *device, int64_t n, clsolve_type type, clsolve_precision asked, int may,
                                    cls_precision *choice);

/* From this ratio on factors are in float. It is between 8 and 16: a device of 1/16 counts where the measurement is
 * somewhat low. */
enum { CLS_DOUBLE_SLOW = 12 };

/* How many times as many products a second the device adds in float as in double: at least 1; 0: it has no double.
 * CLSOLVE_PRETEND=double-ratio=... stands in its place, for tests. */
clsolve_status cls_double_ratio(cls_device *device, int *ratio);
/* The same without a measurement, which compiles two programs and runs them; 0 also where it is not known. */
int cls_double_ratio_known(cls_device *device);

#endif
