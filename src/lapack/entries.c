/* entries.c: the functions that are exported, made of the table in names.h. gate.h says what each does. */
#include <stddef.h>

#include "lapack/gate.h"

#define EXPORTED __attribute__((visibility("default")))

/* Arguments by number: as parameters, and as they are passed on. Fortran passes the length of each text behind them. */
#define PARAMETERS_5  void *a0, void *a1, void *a2, void *a3, void *a4
#define PARAMETERS_6  PARAMETERS_5, void *a5
#define PARAMETERS_7  PARAMETERS_6, void *a6
#define PARAMETERS_8  PARAMETERS_7, void *a7
#define PARAMETERS_9  PARAMETERS_8, void *a8
#define PARAMETERS_10 PARAMETERS_9, void *a9
#define PARAMETERS_11 PARAMETERS_10, void *a10
#define PARAMETERS_12 PARAMETERS_11, void *a11
#define PARAMETERS_13 PARAMETERS_12, void *a12
#define PARAMETERS_14 PARAMETERS_13, void *a13
#define PARAMETERS_17 PARAMETERS_14, void *a14, void *a15, void *a16
#define PARAMETERS_22 PARAMETERS_17, void *a17, void *a18, void *a19, void *a20, void *a21
#define ARGUMENTS_5   a0, a1, a2, a3, a4
#define ARGUMENTS_6   ARGUMENTS_5, a5
#define ARGUMENTS_7   ARGUMENTS_6, a6
#define ARGUMENTS_8   ARGUMENTS_7, a7
#define ARGUMENTS_9   ARGUMENTS_8, a8
#define ARGUMENTS_10  ARGUMENTS_9, a9
#define ARGUMENTS_11  ARGUMENTS_10, a10
#define ARGUMENTS_12  ARGUMENTS_11, a11
#define ARGUMENTS_13  ARGUMENTS_12, a12
#define ARGUMENTS_14  ARGUMENTS_13, a13
#define ARGUMENTS_17  ARGUMENTS_14, a14, a15, a16
#define ARGUMENTS_22  ARGUMENTS_17, a17, a18, a19, a20, a21
#define LENGTH_TYPES_0
#define LENGTH_TYPES_1 , size_t
#define LENGTH_TYPES_3 , size_t, size_t, size_t
#define LENGTHS_0
#define LENGTHS_1 , (size_t)1
#define LENGTHS_3 , (size_t)1, (size_t)1, (size_t)1

typedef union address {
    void *object;
    void (*function)(void);
} address;

#define ENTRY(id, symbol, routine, type, variant, kind, calls, arity, chars, order)                                    \
    EXPORTED void symbol(PARAMETERS_##arity);                                                                          \
    void symbol(PARAMETERS_##arity) {                                                                                  \
        typedef void host_function(PARAMETERS_##arity LENGTH_TYPES_##chars);                                           \
        address host;                                                                                                  \
        lapack_timed timed = {0};                                                                                      \
        lapack_offer offer = OFFER_HOST;                                                                               \
        if (cls_lapack_is_inside) {                                                                                    \
            host.object = cls_lapack_inner(LAPACK_##id);                                                               \
        } else if (!cls_lapack_is_small(LAPACK_##id, variant, KIND_##kind, LAPACK_TYPE_OF_##type, a##order,            \
                                        &host.object)) {                                                               \
            void *const args[] = {ARGUMENTS_##arity};                                                                  \
            host.object = cls_lapack_host(LAPACK_##id);                                                                \
            offer = cls_lapack_offer(LAPACK_##id, args, &timed);                                                       \
            if (offer == OFFER_DONE) return;                                                                           \
        }                                                                                                              \
        ((host_function *)host.function)(ARGUMENTS_##arity LENGTHS_##chars);                                           \
        if (offer == OFFER_HOST_TIMED) cls_lapack_spent(KIND_##kind, &timed);                                          \
    }

LAPACK_ENTRIES(ENTRY)

/* Six addresses are all that any of these takes, a result's address included. */
#define FORWARDED(symbol, result)                                                                                      \
    EXPORTED result symbol(PARAMETERS_6);                                                                              \
    result symbol(PARAMETERS_6) {                                                                                      \
        typedef result host_function(PARAMETERS_6);                                                                    \
        address host;                                                                                                  \
        host.object = cls_lapack_host_forwarded(LAPACK_FORWARDED_##symbol);                                            \
        return ((host_function *)host.function)(ARGUMENTS_6);                                                          \
    }

LAPACK_FORWARDED(FORWARDED)
