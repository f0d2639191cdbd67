/*
 * faults.h: the k-th allocation on the host, or the k-th call of the driver, fails. The linker puts the functions of
 * faults.c in the place of cls_alloc and of every driver call of the library (the list is in faults.wrap, see
 * clsolve_link_faults in CMakeLists.txt), so the library itself carries nothing for it; the test faults_complete
 * compares the list with the library's symbols, so that no call is forgotten.
 *
 * A call that fails is not made, and gives the code that a driver would; a wait that fails has waited all the same, for
 * the memory of work that is still under way could not be given back.
 */
#ifndef CLSOLVE_TEST_FAULTS_H
#define CLSOLVE_TEST_FAULTS_H

#include <stdint.h>

typedef enum fault_kind { FAULT_ALLOCATION, FAULT_DEVICE } fault_kind;

/* From now on the call number `k` (from 0) of that kind fails, once. One thread
 * arms and disarms; the calls may be of several. */
void faults_arm(fault_kind kind, int64_t k);

/* The same among the driver's calls of this name only. */
void faults_arm_call(const char *name, int64_t k);

/* None fails any more. The name of the one that has, or NULL: then there were not that many. */
const char *faults_disarm(void);

/* How many calls of the armed kind and name there were since the last arming, the one that failed not counted. */
int64_t faults_seen(void);

/* The driver's objects that were created or retained and not released. */
int64_t faults_objects(void);

/* The library's allocations on the host that were made and not given back. */
int64_t faults_allocations(void);

/* In a build with CUDA: a function that the library loads and that has no wrapper in faults_cuda.c, or NULL. Known once a
 * device was opened. */
const char *faults_cuda_forgotten(void);

/* For the wrappers in faults_cuda.c: does this call of the driver fail now? And objects that were made, or with -1 released. */
int faults_fails(const char *name);
void faults_count(int64_t change);

#endif
