/*
 * rates.h: the one clock of the models of the time, and the numbers that it takes.
 *
 *      seconds = calls call + columns column + operations (1 + half / size) / rate + bytes / stream
 *
 * The models count work, and the clock makes seconds of it:
 *
 *      where.h         a call on the device and on the host
 *      methods.h       the methods for a sparse matrix
 *      band_blocks.h   mode and blocks of a band
 *      sparse.h        sparse factorizations
 *
 * rates.c has all numbers, with the machine that they were measured on. For others they are orders of magnitude, scaled
 * with compute units, cores and clock. For the choice between device and host, samples that were measured on the
 * machine itself take their place (where.h). docs/solve.md says what is chosen by them.
 */
#ifndef CLS_COST_RATES_H
#define CLS_COST_RATES_H

#include <clsolve/context.h>
#include <clsolve/matrix.h>

/* ---- the clock ---- */

/* Seconds of a call, and of a column, however small; operations a second, and the size at which a half of them is
 * reached; bytes a second, 0: bytes take no time. */
typedef struct cls_pace {
    double call, column, rate, half, stream;
    double slowest; /* small sizes are slower by this factor at most; 0: no bound */
} cls_pace;

typedef struct cls_work {
    double calls, columns, operations, size, bytes;
} cls_work;

static inline double cls_clock(const cls_pace *pace, const cls_work *work) {
    double seconds = work->calls * pace->call + work->columns * pace->column;
    if (work->operations > 0) {
        const double slower = 1 + pace->half / work->size, most = pace->slowest;
        seconds += work->operations * (most > 0 && slower > most ? most : slower) / pace->rate;
    }
    return pace->stream > 0 ? seconds + work->bytes / pace->stream : seconds;
}

/* ---- a device, or a host alone ---- */

typedef struct cls_rates {
    int in_place; /* dense LU and bands work in the host's memory, without kernels */
    /* Narrow: of few diagonals. A column of a grid: the launches of one level in one cycle. */
    cls_pace dense, cholesky, band, narrow, band_cholesky, grid;
    double memory, memory_of_band; /* bytes a second that solves read; of a band */
    double host, bus;              /* bytes a second: a matrix laid out by the host, and sent; bus 0: there is none */
    double compile, load;          /* seconds to compile a kernel, and to load a program */
} cls_rates;

cls_rates cls_rates_of(const clsolve_device_info *info, clsolve_type type);

/* Seconds until a device can begin with a family's call: nothing is compiled; or an earlier process has compiled it. */
double cls_rates_first_call(const clsolve_device_info *info);
double cls_rates_loaded_call(void);

/* Seconds. A grid that a direct method solves in less, its kernels built, goes to the direct method. */
#define CLS_MOMENT 0.1
/* The same where the kernels for grids are built too. */
#define CLS_SHORT_MOMENT 0.005
/* The time of Cholesky of a band on the host, by that of band LU there. */
#define CLS_CHOLESKY_OF_BAND 0.6

/* ---- calls on the device or on the host, until they are measured ---- */

/* Tridiagonal lines: of a call, of a step from one unknown to the next, and of an unknown of many. */
typedef struct cls_lines_pace {
    double call, step, unknown;
} cls_lines_pace;

/* A member of a batch is a column; `alone`: of a batch that wakes no threads. `serial`: a batch of fewer operations
 * wakes none; lines of fewer unknowns. */
typedef struct cls_call_rates {
    cls_pace dense, ldl, band, batch, alone;
    cls_lines_pace lines;
    double serial, serial_lines;
} cls_call_rates;

/* Real types. */
cls_call_rates cls_call_rates_of_host(int32_t cores, clsolve_type type);
cls_call_rates cls_call_rates_of_device(const clsolve_device_info *info, clsolve_type type);

/* The powers of the order by which the time of a dense call grows behind the last sample, at least and at most. */
enum { CLS_GROWTH_MOST = 3 };
#define CLS_GROWTH_LEAST     1.5
#define CLS_GROWTH_LEAST_LDL 1.1

/* ---- block columns of a band ---- */

typedef struct cls_band_machine {
    int in_place;        /* hybrid works in the host's memory */
    int64_t leaf;        /* blocks are multiples of it */
    int64_t widest;      /* block that is worth its memory */
    cls_pace update;     /* the product of a block column: a call is its launches and waits */
    cls_pace panel;      /* on the device: a column at least, panels and triangular solves; a call is a leaf but the
                            first */
    cls_pace host_panel; /* by LAPACK */
    cls_pace trip;       /* a panel to the host and back: a call, and bytes each way */
    cls_pace narrow;     /* the kernels for few diagonals */
} cls_band_machine;

/* A CPU whose memory is the host's (`in_place`: its BLAS works there), or a GPU of so many compute units. */
cls_band_machine cls_band_machine_of(int host_memory, int in_place, int64_t compute_units);

/* ---- sparse factorizations on the host ---- */

typedef struct cls_sparse_rates {
    cls_pace klu, fronts; /* operations, bytes are entries of the factors; a column is a front */
    cls_pace solve;       /* a column is a row */
    double order;         /* operations a second of one thread in fronts, for the choice of an order on any CPU */
} cls_sparse_rates;

/* `lanes`: doubles in a vector of the host's products. */
cls_sparse_rates cls_sparse_rates_of(int lanes);

#endif
