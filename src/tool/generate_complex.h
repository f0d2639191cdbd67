/* generate_complex.h: kinds of complex elements, for generate.c. */
#ifndef CLS_TOOL_GENERATE_COMPLEX_H
#define CLS_TOOL_GENERATE_COMPLEX_H

#include <stdint.h>

#include "io/matrix_market.h"

mm_result generate_random_complex(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message);
mm_result generate_hermitian(int64_t n, uint64_t seed, mm_matrix *A, mm_message *message);
/* Makes Helmholtz's operator of the matrix of `poisson`. A failure frees the matrix. */
mm_result generate_helmholtz_of(mm_matrix *A, mm_message *message);

#endif
