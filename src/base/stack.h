/*
 * stack.h: work that needs more stack than a thread of the caller's may have.
 *
 * The calls of this library need little. OpenBLAS 0.3.21 keeps tables for all threads that it may ever have on the
 * stack of getrf, once for each level of its recursion: 4.3 MB with two threads. Threads of Java, Rust or musl have 2
 * MB or less.
 */
#ifndef CLS_STACK_H
#define CLS_STACK_H

#include <stddef.h>

/* work(what), on the caller's thread where its stack is of `bytes` or more, or is not known; else on a thread that is
 * made for it. */
void cls_stack_run(size_t bytes, void (*work)(void *what), void *what);

#endif
