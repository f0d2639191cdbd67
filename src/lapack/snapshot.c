#define _GNU_SOURCE

#include "lapack/snapshot.h"

#include <signal.h>
#include <sys/mman.h>

#include "lapack/copy.h"
#include "lapack/state.h"

/* Bytes from which on a thread copies: to start one takes as long as to copy some hundred kilobytes. */
enum { WORTH_A_THREAD = 1 << 20 };

/* Few large pages: to touch new ones for the first time takes longer than to copy. */
static void *room(size_t bytes) {
    if (bytes <= cls_lapack.snapshot_bytes) return cls_lapack.snapshot;
    if (cls_lapack.snapshot) (void)munmap(cls_lapack.snapshot, cls_lapack.snapshot_bytes);
    cls_lapack.snapshot = NULL;
    cls_lapack.snapshot_bytes = 0;
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return NULL;
    (void)madvise(made, bytes, MADV_HUGEPAGE);
    cls_lapack.snapshot = made;
    cls_lapack.snapshot_bytes = bytes;
    return made;
}

static void *copy(void *user) {
    cls_snapshot *snapshot = user;
    cls_device_copy(&snapshot->from, &snapshot->copy);
    return NULL;
}

/* The program's signals are for the program's threads. */
static int start(cls_snapshot *snapshot) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&snapshot->thread, NULL, copy, snapshot);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

clsolve_status cls_snapshot_take(cls_snapshot *snapshot, const clsolve_matrix *from) {
    const size_t bytes = (size_t)from->rows * (size_t)from->cols * cls_device_size(from->type);
    *snapshot = (cls_snapshot){.from = *from, .copy = *from};
    snapshot->copy.ld = from->rows;
    snapshot->copy.data = room(bytes);
    if (!snapshot->copy.data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    snapshot->copying = bytes >= WORTH_A_THREAD && start(snapshot);
    if (!snapshot->copying) (void)copy(snapshot);
    return CLSOLVE_OK;
}

void cls_snapshot_wait(cls_snapshot *snapshot) {
    if (snapshot->copying) (void)pthread_join(snapshot->thread, NULL);
    snapshot->copying = 0;
}

void cls_snapshot_end(cls_snapshot *snapshot, clsolve_status status) {
    if (!snapshot->copy.data) return;
    cls_snapshot_wait(snapshot);
    if (status != CLSOLVE_OK && status != CLSOLVE_SINGULAR) cls_device_copy(&snapshot->copy, &snapshot->from);
    (void)madvise(cls_lapack.snapshot, cls_lapack.snapshot_bytes, MADV_FREE);
}
