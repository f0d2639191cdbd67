/*
 * names.h (private): the one table of what the library exports, as a list for the preprocessor.
 *
 *     LAPACK_ENTRIES(X)   X(id, symbol, routine, type, variant, kind, calls, arity, chars, order)
 *
 *   id        names the entry: PLAIN_d_getrf
 *   symbol    what is exported: dgetrf_
 *   routine   getrf
 *   type      s, d, c, z, ds of dsgesv, or zc of zcgesv
 *   variant   PLAIN, ... : the way in which a LAPACK decorates its names
 *   kind      of lapack_kind (state.h): DENSE, ...
 *   calls     cls_lapack_<calls> checks and does it (call.h)
 *   arity     arguments, each of them an address; without the lengths of texts that Fortran appends
 *   chars     how many of the arguments are texts
 *   order     which argument, counted from 0, is the order of the matrix
 *
 *   variant          symbol            integers, usually   known from
 *   PLAIN            dgetrf_           32 bits             everywhere
 *   SUFFIX_64_       dgetrf_64_        64                  OpenBLAS and LAPACK with an index of 64 bits, Julia
 *   SUFFIX64_        dgetrf64_         64                  some builds of SuiteSparse and MATLAB
 *   SCIPY            scipy_dgetrf_     32                  wheels of SciPy
 *   SCIPY_64_        scipy_dgetrf_64_  64                  wheels of NumPy
 *
 * The width of the integers is asked of the host's library (host.h): a name alone promises none.
 */
#ifndef CLS_LAPACK_NAMES_H
#define CLS_LAPACK_NAMES_H

typedef enum lapack_variant { PLAIN, SUFFIX_64_, SUFFIX64_, SCIPY, SCIPY_64_, LAPACK_VARIANTS } lapack_variant;

#define LAPACK_IN_ALL_VARIANTS(X, type, routine, ...)                                                                  \
    X(PLAIN_##type##_##routine, type##routine##_, routine, type, PLAIN, __VA_ARGS__)                                   \
    X(SUFFIX_64__##type##_##routine, type##routine##_64_, routine, type, SUFFIX_64_, __VA_ARGS__)                      \
    X(SUFFIX64__##type##_##routine, type##routine##64_, routine, type, SUFFIX64_, __VA_ARGS__)                         \
    X(SCIPY_##type##_##routine, scipy_##type##routine##_, routine, type, SCIPY, __VA_ARGS__)                           \
    X(SCIPY_64__##type##_##routine, scipy_##type##routine##_64_, routine, type, SCIPY_64_, __VA_ARGS__)

/* Dense LU and Cholesky: all four types. */
#define LAPACK_OF_TYPE(X, type)                                                                                        \
    LAPACK_IN_ALL_VARIANTS(X, type, getrf, DENSE, getrf, 6, 0, 1)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, getrf2, DENSE, getrf, 6, 0, 1)                                                     \
    LAPACK_IN_ALL_VARIANTS(X, type, getrs, DENSE, getrs, 9, 1, 1)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, getri, DENSE, getri, 7, 0, 0)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, gesv, DENSE, gesv, 8, 0, 0)                                                        \
    LAPACK_IN_ALL_VARIANTS(X, type, gecon, DENSE, gecon, 9, 1, 1)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, gerfs, DENSE, gerfs, 17, 1, 1)                                                     \
    LAPACK_IN_ALL_VARIANTS(X, type, gesvx, DENSE, gesvx, 22, 3, 2)                                                     \
    LAPACK_IN_ALL_VARIANTS(X, type, potrf, SYMMETRIC, potrf, 5, 1, 1)                                                  \
    LAPACK_IN_ALL_VARIANTS(X, type, potrs, SYMMETRIC, potrs, 8, 1, 1)                                                  \
    LAPACK_IN_ALL_VARIANTS(X, type, potri, SYMMETRIC, potri, 5, 1, 1)                                                  \
    LAPACK_IN_ALL_VARIANTS(X, type, posv, SYMMETRIC, posv, 8, 1, 1)                                                    \
    LAPACK_IN_ALL_VARIANTS(X, type, pocon, SYMMETRIC, pocon, 9, 1, 1)

/* LDL^T of symmetric (sy) or of hermitian matrices (he), with partial pivots, or with rook pivots (_rook). */
#define LAPACK_OF_PIVOTS(X, type, sy, rook, condition)                                                                 \
    LAPACK_IN_ALL_VARIANTS(X, type, sy##trf##rook, LDL, sytrf, 8, 1, 1)                                                \
    LAPACK_IN_ALL_VARIANTS(X, type, sy##trs##rook, LDL, sytrs, 9, 1, 1)                                                \
    LAPACK_IN_ALL_VARIANTS(X, type, sy##tri##rook, LDL, sytri, 7, 1, 1)                                                \
    LAPACK_IN_ALL_VARIANTS(X, type, sy##sv##rook, LDL, sysv, 11, 1, 1)                                                 \
    LAPACK_IN_ALL_VARIANTS(X, type, sy##con##rook, LDL, sycon, condition, 1, 1)
#define LAPACK_OF_LDL(X, type, sy, condition)                                                                          \
    LAPACK_OF_PIVOTS(X, type, sy, , condition)                                                                         \
    LAPACK_OF_PIVOTS(X, type, sy, _rook, condition)

#define LAPACK_OF_REAL_TYPE(X, type)                                                                                   \
    LAPACK_OF_TYPE(X, type)                                                                                            \
    LAPACK_IN_ALL_VARIANTS(X, type, gbtrf, BAND, gbtrf, 8, 0, 1)                                                       \
    LAPACK_IN_ALL_VARIANTS(X, type, gbtrs, BAND, gbtrs, 11, 1, 1)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, gbcon, BAND, gbcon, 12, 1, 1)                                                      \
    LAPACK_IN_ALL_VARIANTS(X, type, gbsv, BAND, gbsv, 10, 0, 0)

#define LAPACK_ENTRIES(X)                                                                                              \
    LAPACK_OF_REAL_TYPE(X, s)                                                                                          \
    LAPACK_OF_REAL_TYPE(X, d)                                                                                          \
    LAPACK_OF_TYPE(X, c)                                                                                               \
    LAPACK_OF_TYPE(X, z)                                                                                               \
    LAPACK_OF_LDL(X, s, sy, 10)                                                                                        \
    LAPACK_OF_LDL(X, d, sy, 10)                                                                                        \
    LAPACK_OF_LDL(X, c, sy, 9)                                                                                         \
    LAPACK_OF_LDL(X, z, sy, 9)                                                                                         \
    LAPACK_OF_LDL(X, c, he, 9)                                                                                         \
    LAPACK_OF_LDL(X, z, he, 9)                                                                                         \
    LAPACK_IN_ALL_VARIANTS(X, ds, gesv, DENSE, mixed, 13, 0, 0)                                                        \
    LAPACK_IN_ALL_VARIANTS(X, zc, gesv, DENSE, mixed, 14, 0, 0)

/*
 * Always the host's: libblastrampoline forwards a library's names only if it finds these there.
 *
 *     LAPACK_FORWARDED(X)   X(symbol, result); a subroutine's result is int, and nobody reads it
 */
#define LAPACK_FORWARDED(X)                                                                                            \
    X(ilaver_, int)                                                                                                    \
    X(ilaver_64_, int)                                                                                                 \
    X(sdot_, float)                                                                                                    \
    X(sdot_64_, float)                                                                                                 \
    X(cdotc_, float _Complex)                                                                                          \
    X(cdotc_64_, float _Complex)                                                                                       \
    X(zdotc_, double _Complex)                                                                                         \
    X(zdotc_64_, double _Complex)

#define LAPACK_ENTRY_ID(id, ...)            LAPACK_##id,
#define LAPACK_FORWARDED_ID(symbol, result) LAPACK_FORWARDED_##symbol,
enum { LAPACK_ENTRIES(LAPACK_ENTRY_ID) LAPACK_ENTRY_COUNT };
enum { LAPACK_FORWARDED(LAPACK_FORWARDED_ID) LAPACK_FORWARDED_COUNT };

#endif
