/*
 * state.h (private): all that changes while the library is loaded. LAPACK's calls carry no handle, so this library,
 * alone in the project, keeps a state of the process. It is one object, defined in state.c.
 *
 * Threads. The fields that a call reads before it is known to be large are atomic, each by itself: a stale value sends
 * the call to the host. All else is written by whoever holds `inside` (the device), or before `phase` is published.
 */
#ifndef CLS_LAPACK_STATE_H
#define CLS_LAPACK_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "lapack/library.h"
#include "lapack/names.h"

/* Routines that share the least order of the device. */
typedef enum lapack_kind { KIND_DENSE, KIND_SYMMETRIC, KIND_BAND, KIND_LDL, LAPACK_KINDS } lapack_kind;

/* Arrays by type: clsolve_type is the index, from CLSOLVE_F32 on. */
enum { LAPACK_TYPES = CLSOLVE_C64 + 1 };

/* The type of a routine by the letters of its name. */
#define LAPACK_TYPE_OF_s  CLSOLVE_F32
#define LAPACK_TYPE_OF_d  CLSOLVE_F64
#define LAPACK_TYPE_OF_c  CLSOLVE_C32
#define LAPACK_TYPE_OF_z  CLSOLVE_C64
#define LAPACK_TYPE_OF_ds CLSOLVE_F64
#define LAPACK_TYPE_OF_zc CLSOLVE_C64

static inline int cls_lapack_is_complex(clsolve_type type) {
    return type >= CLSOLVE_C32;
}

static inline int cls_lapack_is_single(clsolve_type type) {
    return type == CLSOLVE_F32 || type == CLSOLVE_C32;
}

/* The way of a call. HOST_SMALL comes from the gate; the others were looked at. */
typedef enum lapack_way {
    ON_DEVICE,
    HOST_SMALL,    /* the host is expected to be faster, or the routine is the host's */
    HOST_ARGUMENT, /* an argument is wrong: the host's LAPACK says so */
    HOST_CLOSED,   /* no device is open, yet or at all */
    HOST_BUSY,     /* another thread is inside, or kernels are being compiled */
    HOST_FAILED,   /* the device could not do it, or found NaN, Inf or overflow */
    LAPACK_WAYS
} lapack_way;

typedef enum lapack_phase {
    PHASE_NEW,     /* the environment has not been read */
    PHASE_WAITING, /* no device was looked for: not enough work has come */
    PHASE_OPENING, /* a call looks for one */
    PHASE_OPEN,
    PHASE_HOST /* there is none, or it is not wanted, or this is the child of a fork */
} lapack_phase;

typedef enum lapack_mode { MODE_AUTO, MODE_OFF, MODE_ON } lapack_mode;

typedef struct lapack_options {
    lapack_mode mode;
    int verbose;
    const char *device; /* NULL: a GPU, or with MODE_ON any device */
    const char *host;   /* NULL: as host.c looks */
    const char *stats;  /* NULL: none; "1": to stderr; else the file */
    int64_t least;      /* order from which on all goes to the device; -1: the model decides */
    int64_t memory;     /* bytes; 0: half of the device's */
    double cores; /* of the host, at most 16: not a choice, but asked for once, because to ask takes microseconds */
} lapack_options;

typedef enum lapack_side { SIDE_HOST, SIDE_DEVICE, LAPACK_SIDES } lapack_side;

/* The times of a class of calls (measured.h). */
typedef struct lapack_measured {
    uint32_t class_key; /* 0: none yet */
    int calls[LAPACK_SIDES];
    double seconds[LAPACK_SIDES];
    double spent;     /* seconds since both sides were measured, or since the last trial */
    int tried, trial; /* the side that is tried, and calls of the trial that are left */
} lapack_measured;

enum { LAPACK_MEASURED = 256 }; /* places for classes: the hash has 8 bits */

/* Kernels that the thread is to compile. */
typedef struct lapack_wanted {
    int is_wanted;
    int64_t n, kl, ku; /* of the call that asked */
} lapack_wanted;

typedef struct lapack_state {
    /* ---- read by every call ---- */
    _Atomic(void *) host[LAPACK_ENTRY_COUNT];  /* NULL: not looked for yet */
    _Atomic(void *) inner[LAPACK_ENTRY_COUNT]; /* as `host`, for calls of libclsolve itself */
    _Atomic(void *) forwarded[LAPACK_FORWARDED_COUNT];
    atomic_int wide[LAPACK_VARIANTS];                  /* 1: integers of 64 bits; valid where a host was found */
    _Atomic int64_t least[LAPACK_KINDS][LAPACK_TYPES]; /* a smaller order goes to the host at once */
    atomic_int counting;                               /* 1: counts are wanted */
    atomic_llong counts[LAPACK_ENTRY_COUNT][LAPACK_WAYS];

    /* ---- read by calls that may be large ---- */
    atomic_int phase;
    atomic_flag inside;               /* taken: a thread works with the context */
    atomic_llong spent[LAPACK_KINDS]; /* nanoseconds of the host in calls that may be large, since last emptied */
    atomic_llong start[LAPACK_KINDS][LAPACK_TYPES]; /* nanoseconds that the kernels take to compile, or to load */
    atomic_llong look_at;                           /* nanoseconds of the clock from which on a device is looked for */
    lapack_options options;                         /* written once, before `phase` leaves PHASE_NEW */

    /* ---- under `inside` ---- */
    lapack_library library;
    void *library_handle; /* of dlopen */
    void *snapshot;       /* memory of snapshot.c; NULL: none */
    size_t snapshot_bytes;
    clsolve_context *context;
    int looks;                                  /* that have failed */
    double overhead[LAPACK_TYPES];              /* seconds of a dense call on top of the prediction */
    int no_kernels[LAPACK_KINDS][LAPACK_TYPES]; /* 1: they did not compile; such calls are the host's */
    lapack_measured measured[LAPACK_MEASURED];

    /* ---- of the thread ---- */
    pthread_once_t once;
    pthread_mutex_t registers; /* the end is being registered, or a fork begins */
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t changed;
    lapack_wanted wanted[LAPACK_KINDS][LAPACK_TYPES];
    int has_thread;
    int working; /* the thread is in a call of the library */
    int leaving; /* the process ends */
} lapack_state;

extern lapack_state cls_lapack;

/* Nanoseconds of a clock that only goes forward. */
int64_t cls_lapack_now(void);

/*
 * 1: this thread is in a call of libclsolve. It calls LAPACK too, with integers of 32 bits, and where its LAPACK was
 * loaded before it, such calls come here.
 */
extern _Thread_local int cls_lapack_is_inside __attribute__((tls_model("initial-exec")));

static inline void cls_lapack_count(int entry, lapack_way way) {
    if (atomic_load_explicit(&cls_lapack.counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&cls_lapack.counts[entry][way], 1, memory_order_relaxed);
}

/* From now on all goes to the host. */
void cls_lapack_close(void);

/* Sets `least` of all kinds and types. */
void cls_lapack_set_least(int64_t least);

/* A line to stderr, whatever CLSOLVE_LAPACK is: for a variable with a value that cannot be followed. */
void cls_lapack_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line to stderr if CLSOLVE_LAPACK=verbose. */
void cls_lapack_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
