#include "method/band/few.h"

#include <math.h>

#include "base/clones.h"

#define CLS_FEW_CLONES CLS_CLONES

#define REAL        double
#define ABSOLUTE(x) fabs(x)
#define NAME(x)     x##_f64
#include "method/band/few_real.h"
#undef REAL
#undef ABSOLUTE
#undef NAME

#define REAL        float
#define ABSOLUTE(x) fabsf(x)
#define NAME(x)     x##_f32
#include "method/band/few_real.h"
