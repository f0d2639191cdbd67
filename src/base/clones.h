/*
 * clones.h: CLS_CLONES before a function: the compiler makes it for CPUs with wide vectors too, and the one for this
 * CPU runs. Where compiler, C library or a sanitizer do not do that, it is one function as ever. CLS_RARE: the function
 * is rarely called, and must not make those that are often called any slower by what it shares with them.
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

#if defined(__GNUC__)
#define CLS_RARE __attribute__((cold, noinline))
#else
#define CLS_RARE
#endif

#endif
