/* generate_sparse.h: kinds of any pattern, for generate.c. */
#ifndef CLS_TOOL_GENERATE_SPARSE_H
#define CLS_TOOL_GENERATE_SPARSE_H

#include <stdint.h>

#include "io/matrix_market.h"

mm_result generate_poisson_3d(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message);
mm_result generate_circuit(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message);

#endif
