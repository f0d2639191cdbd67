/*
 * snapshot.h (private): a copy of a matrix of the caller that is about to be overwritten, for the case that the device
 * fails while it writes. Threads copy while the device computes, so that the copy takes no time of the call.
 *
 *     cls_snapshot kept;
 *     status = cls_snapshot_take(&kept, &A);      // A may be read from here on, by anybody
 *     ... the device reads A and computes ...
 *     cls_snapshot_wait(&kept);                   // A may be written from here on
 *     ... the device writes A ...
 *     cls_snapshot_end(&kept, status);            // on a failure A is what it was
 *
 * One exists at a time, under `inside`. Its memory stays for the next call, and the system may take it when it is
 * short.
 */
#ifndef CLS_LAPACK_SNAPSHOT_H
#define CLS_LAPACK_SNAPSHOT_H

#include <pthread.h>

#include <clsolve/matrix.h>
#include <clsolve/status.h>

enum { CLS_SNAPSHOT_THREADS = 4 }; /* at most */

/* Columns that one thread copies. */
typedef struct cls_snapshot_part {
    clsolve_matrix from, copy;
    pthread_t thread;
} cls_snapshot_part;

typedef struct cls_snapshot {
    clsolve_matrix from, copy;
    cls_snapshot_part parts[CLS_SNAPSHOT_THREADS];
    int copying; /* so many threads are to be joined */
} cls_snapshot;

/* ERROR_OUT_OF_MEMORY: there is no copy, and nothing is to be ended. */
clsolve_status cls_snapshot_take(cls_snapshot *snapshot, const clsolve_matrix *from);

void cls_snapshot_wait(cls_snapshot *snapshot);

/* Copies back unless the status is OK or SINGULAR. */
void cls_snapshot_end(cls_snapshot *snapshot, clsolve_status status);

#endif
