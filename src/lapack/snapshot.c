#define _GNU_SOURCE

#include "lapack/snapshot.h"

#include <signal.h>
#include <sys/mman.h>

#include "lapack/copy.h"
#include "lapack/state.h"

/* Bytes for a thread: to start one takes as long as to copy some hundred kilobytes. */
enum { WORTH_A_THREAD = 1 << 20 };
/* Bytes from which on one thread is slower than the device. */
enum { WORTH_MORE = 1 << 24 };

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
    cls_snapshot_part *part = user;
    cls_device_copy(&part->from, &part->copy);
    return NULL;
}

/* The program's signals are for the program's threads. */
static int start(cls_snapshot_part *part) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&part->thread, NULL, copy, part);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

static int threads_for(size_t bytes) {
    const double cores = cls_lapack.options.cores;
    if (bytes < WORTH_A_THREAD) return 0;
    if (bytes < WORTH_MORE) return 1;
    return cores < CLS_SNAPSHOT_THREADS ? (int)cores : CLS_SNAPSHOT_THREADS;
}

static void take_columns(clsolve_matrix *view, int64_t first, int64_t cols) {
    view->data = (char *)view->data + cls_device_size(view->type) * (size_t)(first * view->ld);
    view->cols = cols;
}

/* By so many threads; what none could be started for, or is left, is copied now. */
static void copy_by(cls_snapshot *snapshot, int threads) {
    const int64_t cols = snapshot->from.cols, each = threads > 0 ? (cols + threads - 1) / threads : cols;
    for (int64_t first = 0; first < cols; first += each) {
        cls_snapshot_part *part = &snapshot->parts[snapshot->copying];
        *part = (cls_snapshot_part){.from = snapshot->from, .copy = snapshot->copy};
        take_columns(&part->from, first, cols - first < each ? cols - first : each);
        take_columns(&part->copy, first, part->from.cols);
        if (threads > 0 && start(part))
            snapshot->copying++;
        else
            (void)copy(part);
    }
}

clsolve_status cls_snapshot_take(cls_snapshot *snapshot, const clsolve_matrix *from) {
    const size_t bytes = (size_t)from->rows * (size_t)from->cols * cls_device_size(from->type);
    *snapshot = (cls_snapshot){.from = *from, .copy = *from};
    snapshot->copy.ld = from->rows;
    snapshot->copy.data = room(bytes);
    if (!snapshot->copy.data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    copy_by(snapshot, threads_for(bytes));
    return CLSOLVE_OK;
}

void cls_snapshot_wait(cls_snapshot *snapshot) {
    while (snapshot->copying > 0) (void)pthread_join(snapshot->parts[--snapshot->copying].thread, NULL);
}

void cls_snapshot_end(cls_snapshot *snapshot, clsolve_status status) {
    if (!snapshot->copy.data) return;
    cls_snapshot_wait(snapshot);
    if (status != CLSOLVE_OK && status != CLSOLVE_SINGULAR) cls_device_copy(&snapshot->copy, &snapshot->from);
    (void)madvise(cls_lapack.snapshot, cls_lapack.snapshot_bytes, MADV_FREE);
}
