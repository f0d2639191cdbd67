/* played_host.h: what the files of the played libclsolve (played.h) share. */
#ifndef CLS_TEST_PLAYED_HOST_H
#define CLS_TEST_PLAYED_HOST_H

#include <stdint.h>

#include <clsolve/clsolve.h>

#include "lapack/played.h"

extern played_state played;

/* A routine of the host's LAPACK. */
void *played_lapack(const char *symbol);

/* The clock moves by what a call of so many operations takes the device, its transfers included. */
void played_device_works(double operations);

/* The operations of a factorization. */
double played_dense(int64_t n);
double played_band(int64_t n, int64_t kl, int64_t ku);

/* 1: the test wants this call to fail. */
int played_fails(const char *call);

/* One triangle of the n x n array `a` goes to `m` (to = 1), or comes from there. */
void played_move(int32_t n, double *a, clsolve_uplo uplo, const clsolve_matrix *m, int to);

#endif
