#include "method/direct/failure.h"

clsolve_status cls_nonfinite(cls_error *error, clsolve_status status, const char *call, const char *what, int64_t row,
                             int64_t column) {
    return cls_fail(error, status, "%s: %s(%lld,%lld), counted from 1, is NaN or Inf%s", call, what, (long long)row + 1,
                    (long long)column + 1,
                    status == CLSOLVE_OVERFLOW ? ": the matrix leaves the range of the type; scale it" : "");
}

clsolve_status cls_factors_overflow(cls_error *error, const char *call, const char *what, int64_t row, int64_t column,
                                    int scaled) {
    return cls_fail(
        error, CLSOLVE_OVERFLOW,
        "%s: %s(%lld,%lld), counted from 1, is NaN or Inf: the matrix leaves the range of the type; %sscale "
        "it",
        call, what, (long long)row + 1, (long long)column + 1, scaled ? "" : "use the option equilibrate, or ");
}

clsolve_status cls_singular(cls_error *error, const char *call, const char *factor, int64_t info, int scaled) {
    return cls_fail(error, CLSOLVE_SINGULAR, "%s: A is singular: %s(%lld,%lld), counted from 1, is exactly zero%s",
                    call, factor, (long long)info, (long long)info,
                    scaled ? "; A was scaled, and elements may have underflowed to 0" : "");
}

clsolve_status cls_not_positive_definite(cls_error *error, const char *call, int64_t info, int in_float) {
    return cls_fail(error, CLSOLVE_NOT_POSITIVE_DEFINITE,
                    "%s: A is not positive definite: its leading minor of order %lld is not positive%s", call,
                    (long long)info, in_float ? " in single precision; the device has no other here" : "");
}
