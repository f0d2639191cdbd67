/*
 * environment.h: the environment variables CLSOLVE_* of the library, and which values each of them may have.
 *
 *      CLS_TRY(cls_environment_check(&error));        // when a context is made: refuses what is not allowed
 *      if (cls_environment_pretends("no-fp64")) ...   // then anywhere
 *
 * An empty variable counts as not set. Tests and callers may change variables after a context was made, so that a value
 * that is not allowed counts as not set here too.
 */
#ifndef CLS_ENVIRONMENT_H
#define CLS_ENVIRONMENT_H

#include "base/error.h"

/* ERROR_INVALID_ARGUMENT, with the variable, its value and what is allowed: a value is not allowed. */
clsolve_status cls_environment_check(cls_error *error);

/* NULL: it is not set. */
const char *cls_environment_word(const char *name);

/* How many numbers CLSOLVE_SHARES has, and these; 0: it is not set. */
enum { CLS_ENVIRONMENT_LIST = 64 };
int cls_environment_shares(int numbers[CLS_ENVIRONMENT_LIST]);

/* Is the word in CLSOLVE_PRETEND (docs/contributing.md)? 0: it is not; else 1, or the number that
 * stands behind it. The first of several counts. */
int cls_environment_pretends(const char *word);

#endif
