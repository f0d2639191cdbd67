/*
 * tune_support.h: what the tests of the search and of what comes of it share. The linker puts an idle CLBlast in the
 * place of the real one, whose first use would cost seconds: it counts its calls and is as slow as a case wants, so
 * that which of the two is faster does not depend on the machine. cls_builtin_test_right and cls_builtin_kernel are
 * wrapped likewise, for a device that errs, and cls_seconds, for a comparison that has time.
 */
#ifndef CLSOLVE_TEST_TUNE_SUPPORT_H
#define CLSOLVE_TEST_TUNE_SUPPORT_H

#include <clsolve/clsolve.h>

#include "blas/tune.h"
#include "support/test_support.h"

extern int calls;          /* of CLBlast's product */
extern long pause_ms;      /* that each takes */
extern int wrong, refused; /* how many tests are still to be wrong; kernels of `refused_file` not built */
extern const char *refused_file;
extern int clock_back;     /* it is earlier than it was: time suffices */
extern double clock_ahead; /* seconds that have gone by besides */

/* Where tuning records and programs are kept, for a group of tests. */
extern char folder[64];
int make_folder(void **state);
int remove_folder(void **state);
/* With the names of compiled programs or without; gives back how many tuning records there are. */
int clear_folder(int records_only);

extern const cls_blas_provider *chosen; /* the device's own provider, */
extern int64_t work_group;              /* and its limit */
/* A device with CLBlast as its provider, whatever it is. */
clsolve_context *open_context(const char *cache);

/* LU's kernels with the device's own provider, for an idle one makes them wrong; and those of products. */
void self_test_says(clsolve_context *context, clsolve_type type, const char *what);
void is_said(clsolve_context *context, const char *what);
/* C -= A B of order N by the provider; 1 where CLBlast was called for it, else C is checked. */
int multiplies_by_clblast(clsolve_context *context);

#endif
