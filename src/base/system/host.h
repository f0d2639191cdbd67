/*
 * host.h: what this host has: cores, memory and its pages.
 *
 * The folder base/system is all that knows which system this is. Each header has its functions twice, in posix/ and in
 * windows/, and the build compiles one of the folders. Nothing here allocates by cls_alloc, because the command uses
 * the folder without the library.
 */
#ifndef CLS_SYSTEM_HOST_H
#define CLS_SYSTEM_HOST_H

#include <stddef.h>
#include <stdint.h>

/* The cores that this process may run on, from 1: a container or a batch system may have given it a few of many. */
int cls_host_cores(void);

/* Bytes of memory that this host has, used or not; 0: unknown. Systems that promise more than there is end a process
 * that takes it at its word: what can never fit is better not asked for. */
int64_t cls_host_memory(void);

/* Asks for large pages for memory that nobody has touched: it comes into being in a fraction of the time then. */
void cls_large_pages(void *memory, size_t bytes);

/* 1: the system says that the first whole page of these bytes is not in memory yet. */
int cls_host_untouched(const void *memory, size_t bytes);

#endif
