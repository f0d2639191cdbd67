/* complex.h: <complex.h> with C11's CMPLX, which some C libraries lack. */
#ifndef CLS_SYSTEM_COMPLEX_H
#define CLS_SYSTEM_COMPLEX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#endif

#endif
