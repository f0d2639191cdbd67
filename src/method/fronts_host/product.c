#include "method/fronts_host/product.h"

#include <cblas.h>

#include "base/clones.h"
#include "method/fronts_host/product_wide.h"

/* A product of fewer multiplications goes column by column, which takes less time than tiles, or a call of BLAS. BLOCK:
 * rows of a triangle that is not divided. TOGETHER: columns of B that are solved at once. */
enum { SHORT_PRODUCT = 500, SHORT_OF_BLAS = 2000, BLOCK = 16, TOGETHER = 8 };

static CBLAS_TRANSPOSE form_of(int form) {
    return form == CLS_PLAIN ? CblasNoTrans : form == CLS_TRANSPOSED ? CblasTrans : CblasConjTrans;
}

#define ELEMENT        double
#define NAME(x)        cls_##x##_real
#define CONJUGATE(x)   (x)
#define SIZE(x)        fabs(x)
#define QUOTIENT(x, t) ((x) / (t))
#define BLAS(x)        cblas_d##x
#define SCALAR(x)      (x)
#include "method/fronts_host/product_element.h"
#undef ELEMENT
#undef NAME
#undef CONJUGATE
#undef SIZE
#undef QUOTIENT
#undef BLAS
#undef SCALAR

#define ELEMENT        double complex
#define NAME(x)        cls_##x##_complex
#define CONJUGATE(x)   conj(x)
#define SIZE(x)        cls_size(x)
#define QUOTIENT(x, t) cls_quotient(x, t)
#define BLAS(x)        cblas_z##x
#define SCALAR(x)      (&(const double complex){(x)})
#include "method/fronts_host/product_element.h"
