/*
 * elements_each.h: includes the file that EACH_ELEMENT names four times: for doubles, floats and the complex numbers of
 * both. The file has the words of elements_words.h, and NAME(x), x behind which its type is told: x_f64, x_f32, x_c64
 * and x_c32; REAL, what parts of an element are; LEAST, its smallest normal number, and TINY, that by the distance from
 * 1 to the next; BITS, the integer as wide; COMPLEX, 0 or 1.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/type.h"
#include "method/elements_host.h"

#define REAL        double
#define ABSOLUTE(x) fabs(x)
#define LEAST       DBL_MIN
#define TINY        (DBL_MIN / DBL_EPSILON)
#define BITS        int64_t
#define NAME(x)     x##_f64
#define COMPLEX     0
#include "method/elements_words.h"
#include EACH_ELEMENT
#undef NAME
#undef COMPLEX

#define NAME(x) x##_c64
#define COMPLEX 1
#include "method/elements_words.h"
#include EACH_ELEMENT
#undef REAL
#undef ABSOLUTE
#undef LEAST
#undef TINY
#undef BITS
#undef NAME
#undef COMPLEX

#define REAL        float
#define ABSOLUTE(x) fabsf(x)
#define LEAST       FLT_MIN
#define TINY        (FLT_MIN / FLT_EPSILON)
#define BITS        int32_t
#define NAME(x)     x##_f32
#define COMPLEX     0
#include "method/elements_words.h"
#include EACH_ELEMENT
#undef NAME
#undef COMPLEX

#define NAME(x) x##_c32
#define COMPLEX 1
#include "method/elements_words.h"
#include EACH_ELEMENT
#undef REAL
#undef ABSOLUTE
#undef LEAST
#undef TINY
#undef BITS
#undef NAME
#undef COMPLEX
#undef EACH_ELEMENT
