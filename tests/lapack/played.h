/*
 * played.h: a libclsolve that is played by the host's LAPACK, for doubles, so that a test decides what it says of times and
 * kernels, and which call fails. It lies beside a copy of libclsolve_lapack.so, which loads it as the real one.
 */
#ifndef CLS_TEST_PLAYED_H
#define CLS_TEST_PLAYED_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include <clsolve/status.h>

typedef struct played_state {
    /* What the test sets. */
    double host_rate, device_rate; /* operations a second; the device takes device_fixed seconds more */
    double device_fixed, compile_seconds;
    const char *failing;   /* name of the call that fails: "lu_solve"; NULL: none */
    clsolve_status status; /* with this status */
    int blocks;            /* 1: compiling waits for `release` */
    sem_t release;
    pthread_t tester; /* other threads' dense systems are not counted, and take no time: the library measures them */
    /* The clock of the library under test. stands = 1: only calls move it, of the device's and of the played host's
     * (played_clock.c), by so many nanoseconds; 0: by what the model says. */
    int stands;
    int64_t device_takes, host_takes;
    atomic_llong clock;
    /* What it sees. */
    /* Contexts that were made; handles that are not destroyed; calls of any kind, and factorizations. */
    atomic_int contexts, handles, calls, factored;
    atomic_int warming, warm;              /* dense kernels: calls that compile them; 1: they are there */
    atomic_int band_warming, band_warm[2]; /* of bands; [float] */
    atomic_int cholesky_warm;              /* 1: the kernels of Cholesky are there */
    int64_t band[3];                       /* n, kl and ku of the last call that compiled them */
} played_state;

/* The one object, under this name in the played library. */
#define PLAYED_STATE "played"

#endif
