/* report.h: what a handle did: outcome, time by phase, what crossed the bus. */
#ifndef CLSOLVE_REPORT_H
#define CLSOLVE_REPORT_H

#include <stdint.h>

#include <clsolve/status.h>

/* Seconds of wall time, as the host sees them. */
typedef struct clsolve_seconds {
    double build;  /* compiling kernels, or fetching them from the cache */
    double upload; /* matrix and right-hand sides to the device */
    double factor;
    double solve;    /* the triangular solves, on the device */
    double download; /* the solution, back */
    double total;    /* all of it, the gaps between the phases too */
} clsolve_seconds;

typedef struct clsolve_report {
    clsolve_status status;
    const char *method; /* "lu", "gauss-jordan"; a static string */
    int64_t n, nrhs;
    int64_t info;            /* LAPACK's: k > 0 where the pivot of column k, counted from 1, is exactly zero; else 0 */
    int64_t iterations;      /* of refinement or of an iterative method; 0 for a direct one */
    clsolve_seconds seconds; /* of the last factor and the last solve */
    int64_t bytes_up, bytes_down;         /* host to device and back, in the last factor and the last solve */
    int64_t transfers_up, transfers_down; /* how many copies that took */
    int64_t device_bytes;                 /* device memory that the handle holds */
    double rcond;                         /* of an inverse: 1 / (||A||_1 ||A^-1||_1); 0 where none was computed */
} clsolve_report;

/*
 * Called now and then from the calling thread while long work runs; `fraction` grows from 0 to 1. It must not
 * call back into the library.
 */
typedef void (*clsolve_progress)(void *user, const char *phase, double fraction);

#endif
