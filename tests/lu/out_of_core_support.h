/* out_of_core_support.h: what the tests of out-of-core LU share: handles under a limit, and what they took of it. */
#ifndef CLSOLVE_TEST_OUT_OF_CORE_SUPPORT_H
#define CLSOLVE_TEST_OUT_OF_CORE_SUPPORT_H

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "lu/ratios.h"
#include "support/test_support.h"

extern clsolve_context *ooc_context;
extern clsolve_type ooc_type; /* double where the device has it */

/* Device memory before a test began to watch, and the most that was taken beyond it since. */
extern int64_t ooc_base, ooc_peak;
void ooc_start_watch(void);

/* The device call, of those that take memory, copy, launch or mark, that fails: 1 is the next; 0: none, and so it is after
 * one has failed. */
extern int64_t ooc_fail_at;

double *ooc_doubles(int64_t count); /* room for so many elements of any type */
int64_t ooc_size_of(clsolve_type t);

#define OOC_EXPECT(call, wanted, words) TEST_EXPECT(ooc_context, call, wanted, words)

/* The least that the refusal asks for; `block` 0: the library's choice. */
int64_t ooc_least_limit(clsolve_type t, int64_t n, int32_t block);
/* A handle with these options (NULL: none) and the panel that the environment says. */
clsolve_lu *ooc_make(clsolve_type t, int64_t n, const clsolve_lu_options *options);
clsolve_report ooc_report_of(const clsolve_lu *lu);

/* Factors, exports and solves both ways; everything within the limit. `singular`: info expected, 0: none. */
void ooc_check(clsolve_lu *lu, test_random *random, clsolve_type t, clsolve_layout layout, int64_t n, int64_t nrhs,
               const double *A, int64_t singular);

/* Set-up and tear-down of a group. */
int ooc_open(void **state);
int ooc_close(void **state);

#endif
