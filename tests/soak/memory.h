/* memory.h: does memory stay flat? What the library holds is counted exactly, the resident set by its trend. */
#ifndef CLSOLVE_TEST_SOAK_MEMORY_H
#define CLSOLVE_TEST_SOAK_MEMORY_H

#include <stdint.h>

/* Bytes that are resident, from /proc/self/statm; 0: unknown. */
int64_t memory_resident(void);

/* Takes down what is resident after so many systems. */
void memory_sample(int64_t systems);

/*
 * Has the resident set grown without end? Drivers keep each kernel that they compile, so early growth says nothing. Compared
 * are the medians of the third and the last quarter of the samples. Allowed are MEMORY_ALLOWED bytes and
 * MEMORY_ALLOWED_EACH more for each 1000 systems in between. 0: no, or too few systems to tell. *growth: bytes for each 1000.
 */
int memory_grows(int64_t *growth);

enum { MEMORY_ALLOWED = 24 << 20, MEMORY_ALLOWED_EACH = 2 << 20, MEMORY_LEAST = 4000 };

#endif
