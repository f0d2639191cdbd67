/*
 * clones.h: CLS_CLONES before a function: the compiler makes it for CPUs with wide vectors too, and the one for this CPU
 * runs. Where compiler, C library or a sanitizer do not do that, it is one function as ever.
 */
#ifndef CLS_CLONES_H
#define CLS_CLONES_H

#include <limits.h> /* __GLIBC__ */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLS_CLONES __attribute__((target_clones("fma", "default")))
#else
#define CLS_CLONES
#endif

#endif
