/*
 * ran.h: what a test program really ran as, and whether that is what its name says.
 *
 *     ctest registers            NAME, and the variables that make the configuration (CLSOLVE_TEST_REGISTERED)
 *     the linker (ran.wrap)      puts wrappers before calls that open devices and destroy handles: they note what was in effect
 *     the end of the program     compares the two, fails where they differ, and writes the record
 *
 * A program fails, whatever its functions say, when
 *   - a variable CLSOLVE_* of its environment is unknown (a misspelt one);
 *   - a registered variable is not there, has another value, or was never asked for;
 *   - the program asked for CLSOLVE_TEST_DEVICE, but opened no device that it names;
 *   - a device was opened with double, as a CPU or with another BLAS provider although the environment says otherwise;
 *   - a handle was made with another panel than its options name, or none with that of the environment;
 *   - OpenCL's compiler warned of a kernel, as far as its log says;
 *   - the teardown of its group fails.
 *
 * The record is one line in the file NAME.tsv of the folder CLSOLVE_TEST_RECORDS (default: the build's tests/ran), its fields
 * separated by tabs:
 *
 *     name, program, outcome (passed, failed, skipped), functions run, functions skipped, functions failed,
 *     devices, backends, device types (CPU, GPU, treated as GPU), double (yes, no, hidden), BLAS providers,
 *     panels, pivotings, precisions (with the number of handles of each), date and time
 *
 * No field is empty: "-" says that there was none. A program that ctest did not start has no name and leaves no record.
 */
#ifndef CLSOLVE_TEST_RAN_H
#define CLSOLVE_TEST_RAN_H

#include <clsolve/context.h>

/* Distinct texts and how often each was noted. */
enum { RAN_TEXTS = 12, RAN_LENGTH = 400 };
typedef struct ran_tally {
    int count;
    char text[RAN_TEXTS][RAN_LENGTH];
    long times[RAN_TEXTS];
} ran_tally;

/* What was in effect since the program began. Noted under a lock: tests have threads. */
typedef struct ran_facts {
    ran_tally devices, backends, types, doubles, providers; /* of each device that was opened */
    ran_tally panels, pivotings, precisions;                /* of each handle that was destroyed */
    int as_named;                                           /* devices opened that CLSOLVE_TEST_DEVICE names */
    char wrong[RAN_LENGTH];                                 /* the first thing seen that must not be; "" for none */
} ran_facts;

ran_facts *ran_lock(void);
void ran_unlock(void);
void ran_note(ran_tally *tally, const char *text);

/* Checked against what the environment asks for; `provider` is the device's; NULL: it has none yet. */
void ran_note_device(const clsolve_device_info *info, const char *provider);

/* How many CLSOLVE_ variables nobody knows; each is told. For programs that run long before they ask ran_finish. */
int ran_check_names(void);

/* The end of a program's functions, `lost` of them failed: checks and writes the record. Returns `lost` and the checks that failed; a
 * program without cmocka makes it its exit status. cmocka's groups call it by themselves. */
int ran_finish(int functions, int lost);

/* Is the variable one that a test or the library knows? */
int ran_knows(const char *name);

/* A variable was asked for by the program. test_env does it. */
void ran_asked(const char *name);

#endif
