/*
 * soak.h: random systems of every family, one after the other and several at once, until time is over.
 *
 * A system has a number and random numbers of its own, drawn from the run's seed and that number alone. So one system can
 * be repeated by itself. Its number also says which family it belongs to. Eight systems in a row make a group: their handles
 * live together, take turns, and are destroyed in random order. After a group no device buffer is left.
 *
 * A family draws a system and describes it (begin), makes its rounds (step) and destroys its handle (end). Each public call
 * goes through soak_call, which checks all arrays of the system: what lies around the elements, what is only read, and what
 * must be as it was after a failure. Now and then soak_call fails an allocation or a driver call, then calls again.
 */
#ifndef CLSOLVE_TEST_SOAK_H
#define CLSOLVE_TEST_SOAK_H

#include <clsolve/clsolve.h>

#include "support/test_support.h"

/* How a call treats an array. */
typedef enum soak_use {
    SOAK_READ,   /* never changed */
    SOAK_RESULT, /* changed when the status is OK */
    SOAK_ITERATE /* changed when the status is OK or a numerical outcome */
} soak_use;

/* Element (i, j, k) of d[0] x d[1] x d[2] at data[i * s[0] + j * s[1] + k * s[2]], or at offsets[k] instead of k * s[2]. */
typedef struct soak_array {
    clsolve_type type; /* 0: int64_t; a complex element is two numbers, one behind the other */
    int64_t d[3], s[3];
    int64_t *offsets;
    clsolve_layout layout; /* of a matrix or a batch */
    int64_t ld;
    soak_use use;
    int64_t bytes;       /* of memory, which begins before data and ends behind the last element */
    void *memory, *data; /* the spare elements hold NaN */
    void *kept;          /* memory as it was before the call */
    struct soak_array *next;
} soak_array;

/* One system. */
typedef struct soak {
    test_random random;
    clsolve_context *context;
    clsolve_device_info device;
    int quick;       /* few sizes and shapes, so that few kernels are compiled */
    int64_t faults;  /* calls that were made to fail so far, in all systems */
    int64_t refused; /* handles that were not made, for their memory limit is too small */
    soak_array *arrays;
    char what[640];   /* all that was drawn */
    char wrong[1024]; /* the first thing that is wrong; "": nothing */
} soak;

typedef struct soak_family {
    const char *name;
    void *(*begin)(soak *s);          /* never NULL */
    int (*step)(soak *s, void *task); /* 0: it was the last one */
    void (*end)(soak *s, void *task);
} soak_family;

extern const soak_family soak_lu, soak_solve, soak_enqueue, soak_gauss_jordan, soak_gauss_jordan_batch, soak_band,
    soak_band_batch, soak_tridiagonal, soak_grid, soak_cholesky, soak_ldl, soak_cholesky_batch, soak_band_cholesky,
    soak_sparse;
/* Gives back what soak_enqueue has made of `context`, and sets *left to the buffers that are left there. */
void soak_enqueue_close(int64_t *left);

/* ---- words ---- */

void soak_say(soak *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void soak_wrong(soak *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Wrong unless `got` is `wanted`, or `also`. */
void soak_expect(soak *s, const char *call, clsolve_status got, clsolve_status wanted, clsolve_status also);

/* ---- random draws ---- */

int64_t soak_between(soak *s, int64_t low, int64_t high);
int soak_one_in(soak *s, int64_t k);
/* Mostly small, tile edges and primes among them, seldom up to `most`. */
int64_t soak_size(soak *s, int64_t most);
int64_t soak_nrhs(soak *s);
/* Diagonals below and above the main one; few pairs, because narrow bands have kernels of their own for each. */
void soak_diagonals(soak *s, int64_t most, int64_t *kl, int64_t *ku);
clsolve_type soak_real_type(soak *s);
clsolve_type soak_type(soak *s); /* any of the four */
clsolve_op soak_op(soak *s, clsolve_type type);

/* ---- arrays ---- */

soak_array *soak_matrix(soak *s, clsolve_type type, int64_t rows, int64_t cols);
/* written: members may not overlap nor lie between each other's lines. */
soak_array *soak_batch(soak *s, clsolve_type type, int64_t rows, int64_t cols, int64_t count);
/* N lines of M points, nrhs times. */
soak_array *soak_points(soak *s, clsolve_type type, int64_t N, int64_t M, int64_t nrhs);
soak_array *soak_words(soak *s, int64_t count);
void soak_drop(soak *s, soak_array *a);
void soak_drop_all(soak *s);

clsolve_matrix soak_matrix_view(const soak_array *a);
clsolve_batch soak_batch_view(const soak_array *a);
clsolve_grid soak_grid_view(const soak_array *a);

/* An element's first number, which is the real part. */
double soak_at(const soak_array *a, int64_t i, int64_t j, int64_t k);
void soak_set(const soak_array *a, int64_t i, int64_t j, int64_t k, double value);
/* From and to tight doubles, element (i, j, k) at i + d[0] * (j + d[1] * k); complex ones as two doubles. */
void soak_put(const soak_array *a, const double *values);
void soak_get(const soak_array *a, double *values);
int64_t soak_word(const soak_array *a, int64_t i);

/* ---- calls ---- */

/*
 * Makes the call and returns its status, with all arrays checked. A call that was made to fail is checked likewise and made
 * again. `task` holds what the call needs; it must give the same when it is made again.
 */
clsolve_status soak_call(soak *s, const char *name, clsolve_status (*call)(void *task), void *task);
/* A function for it; t is the task. */
#define SOAK_CALL(name, task_type, call)                                                                               \
    static clsolve_status name(void *task) {                                                                           \
        task_type *t = task;                                                                                           \
        return call;                                                                                                   \
    }

/* A task of zeros, which begins with a pointer to the soak. */
void *soak_task(soak *s, size_t size);
/* The same without a failing driver: of calls that change what they read. */
clsolve_status soak_call_unharmed(soak *s, const char *name, clsolve_status (*call)(void *task), void *task);

/* Of all arrays of the system, for soak_call: keep them, compare with what was kept, put that back. `partly`: a driver that failed
 * may have left part of a result. */
void soak_arrays_keep(soak *s);
void soak_arrays_check(soak *s, const char *call, clsolve_status status, int partly);
void soak_arrays_restore(soak *s);

/* ---- dense systems ---- */

typedef enum soak_kind {
    SOAK_DOMINANT,    /* a large diagonal */
    SOAK_PERMUTED,    /* the same with its rows exchanged */
    SOAK_RANDOM,      /* elements in [-1, 1) */
    SOAK_SCALED,      /* permuted, and all times a power of two */
    SOAK_ZERO_COLUMN, /* column `at` is zero */
    SOAK_ZERO_ROW,    /* row `at` is zero */
    SOAK_NONFINITE    /* one element is NaN or Inf */
} soak_kind;
extern const char *const soak_kind_names[];

/* Room for `count` doubles, or for the doubles of so many elements, zeroed. */
double *soak_doubles(int64_t count);
double *soak_elements(clsolve_type type, int64_t count);
/* The first double of element `at`. */
int64_t soak_index(clsolve_type type, int64_t at);
/* Element `to` becomes the conjugate of element `from`; one of the diagonal becomes real. */
void soak_put_conjugate(clsolve_type type, double *values, int64_t to, int64_t from);
/* Draws the kind and the n x n matrix, tight column-major. *at: the zero column or row, from 0. */
soak_kind soak_dense(soak *s, clsolve_type type, int64_t n, double *a, int64_t *at);
void soak_dense_of(soak *s, soak_kind kind, clsolve_type type, int64_t n, double *a, int64_t *at);
/* `count` elements, rounded to the type. */
void soak_fill(soak *s, clsolve_type type, double *values, int64_t count);
/* Wrong where LAPACK's ratio of op(A) X = B is not below its bound. */
void soak_check_solution(soak *s, clsolve_type type, clsolve_op op, int64_t n, int64_t nrhs, const double *a,
                         const double *x, const double *b);

/*
 * Right-hand sides for op of a matrix of the elements `values`, whose factorization ended as `factored`; one may have a NaN.
 * `view` becomes theirs, and `call` solves for them.
 */
void soak_solve_for(soak *s, clsolve_type type, clsolve_op op, int64_t n, const double *values, clsolve_status factored,
                    clsolve_matrix *view, clsolve_status (*call)(void *task), void *task);
/* Wrong where ||A X - I|| / (||A|| ||X|| n eps) is not. */
void soak_check_inverse(soak *s, clsolve_type type, int64_t n, const double *a, const double *x);
/* Puts a NaN or an Inf somewhere into the array, which is not empty. */
void soak_poison(soak *s, const soak_array *a);

#endif
