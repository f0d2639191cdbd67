#include "api/validate.h"

#include <stdint.h>

#include "base/type.h"
#include "method/direct/failure.h"

#define REFUSE(...) return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, __VA_ARGS__)

clsolve_status cls_validate_type(cls_error *error, const char *call, const char *what, clsolve_type type,
                                 cls_types taken) {
    if (!cls_type_is_known(type))
        REFUSE("%s: %s is %d%s: give CLSOLVE_F32 or CLSOLVE_F64%s", call, what, (int)type, cls_type_hint(type),
               taken == CLS_ALL_TYPES ? ", CLSOLVE_C32 or CLSOLVE_C64" : "");
    if (taken == CLS_ALL_TYPES || !cls_is_complex(type)) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: %s is %s: this call takes real matrices alone; give CLSOLVE_F32 or CLSOLVE_F64", call, what,
                    cls_type_name(type));
}

static clsolve_status validate_shape(cls_error *error, const char *call, const char *argument, const clsolve_matrix *m,
                                     int64_t rows, int64_t cols) {
    if (m->rows < 0 || m->cols < 0)
        REFUSE("%s: %s is %lld x %lld: sizes start at 0", call, argument, (long long)m->rows, (long long)m->cols);
    if (rows >= 0 && m->rows != rows)
        REFUSE("%s: %s has %lld rows where %lld are needed", call, argument, (long long)m->rows, (long long)rows);
    if (cols >= 0 && m->cols != cols)
        REFUSE("%s: %s has %lld columns where %lld are needed", call, argument, (long long)m->cols, (long long)cols);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_pointer(cls_error *error, const char *call, const char *argument, const void *pointer) {
    if (!pointer) REFUSE("%s: %s is NULL", call, argument);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_matrix(cls_error *error, const char *call, const char *argument, const clsolve_matrix *m,
                                   clsolve_type type, int64_t rows, int64_t cols) {
    if (!m) REFUSE("%s: %s is NULL", call, argument);
    if (m->type != type)
        REFUSE("%s: %s is of %s (%d)%s where the handle is of %s", call, argument, cls_type_name(m->type), (int)m->type,
               cls_type_hint(m->type), cls_type_name(type));
    if (m->layout != CLSOLVE_COLUMN_MAJOR && m->layout != CLSOLVE_ROW_MAJOR)
        REFUSE("%s: %s has layout %d: give CLSOLVE_COLUMN_MAJOR or CLSOLVE_ROW_MAJOR", call, argument, (int)m->layout);
    CLS_TRY(validate_shape(error, call, argument, m, rows, cols));

    int by_column = m->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t line = by_column ? m->rows : m->cols, lines = by_column ? m->cols : m->rows;
    if (m->ld < line || m->ld < 1)
        REFUSE("%s: the ld of %s is %lld, smaller than its %s (%lld)", call, argument, (long long)m->ld,
               by_column ? "rows" : "columns", (long long)(line > 0 ? line : 1));
    if (!cls_is_countable(lines, m->ld))
        REFUSE("%s: ld %lld times %lld of %s is more than memory can hold", call, (long long)m->ld, (long long)lines,
               argument);
    if (!m->data && line > 0 && lines > 0) REFUSE("%s: the data of %s is NULL", call, argument);
    if (m->place != CLSOLVE_ON_HOST && m->place != CLSOLVE_ON_DEVICE)
        REFUSE("%s: %s has place %d: give CLSOLVE_ON_HOST or CLSOLVE_ON_DEVICE", call, argument, (int)m->place);
    if (m->offset < 0 || m->offset > CLS_MOST_ELEMENTS || (m->place == CLSOLVE_ON_HOST && m->offset != 0))
        REFUSE("%s: the offset of %s is %lld: on the host it is 0, and on a device an element of its buffer", call,
               argument, (long long)m->offset);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_extent(cls_error *error, clsolve_status status, const char *call, int64_t lines,
                                   int64_t pitch) {
    if (cls_is_countable(lines, pitch)) return CLSOLVE_OK;
    return cls_fail(error, status, "%s: %lld x %lld elements are more than memory can hold", call, (long long)lines,
                    (long long)pitch);
}

clsolve_status cls_validate_reserved(cls_error *error, const char *call, const int64_t *reserved, size_t words) {
    for (size_t i = 0; i < words; ++i)
        if (reserved[i] != 0)
            REFUSE("%s: reserved[%d] of the options is not 0: set the options to zeros before any field", call, (int)i);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_double(const cls_device *device, const char *call, clsolve_type type) {
    if (!cls_is_double(type) || device->info.fp64) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "%s: %s does not compute in double: use %s or another device", call, device->info.name,
                    cls_is_complex(type) ? "CLSOLVE_C32" : "CLSOLVE_F32");
}

clsolve_status cls_validate_device(const cls_device *device, const char *call, clsolve_type type) {
    if (device->no_kernels)
        return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: this family works by kernels, and the host has none: choose a device, or another method",
                        call);
    return cls_validate_double(device, call, type);
}

/* The family's pivoting instead of TOURNAMENT, which no family has any more. */
static const char *instead_of_tournament(int taken) {
    if (taken & 1 << CLSOLVE_PIVOTING_RBT) return "CLSOLVE_PIVOTING_PARTIAL or CLSOLVE_PIVOTING_RBT";
    return taken & 1 << CLSOLVE_PIVOTING_PARTIAL ? "CLSOLVE_PIVOTING_PARTIAL" : "CLSOLVE_PIVOTING_AUTO";
}

clsolve_status cls_validate_pivoting(cls_error *error, const char *call, clsolve_pivoting pivoting, int taken) {
    static const char *const names[] = {"AUTO", "PARTIAL", "NONE", "TOURNAMENT", "RBT"};
    if ((int)pivoting < 0 || pivoting > CLSOLVE_PIVOTING_RBT)
        REFUSE("%s: pivoting is %d: see clsolve_pivoting", call, (int)pivoting);
    if (pivoting == CLSOLVE_PIVOTING_TOURNAMENT)
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED, "%s: CLSOLVE_PIVOTING_TOURNAMENT was removed: use %s", call,
                        instead_of_tournament(taken));
    if (!(taken & 1 << pivoting))
        return cls_fail(error, CLSOLVE_ERROR_UNSUPPORTED,
                        "%s: CLSOLVE_PIVOTING_%s is not for this family: see clsolve_pivoting for those that are", call,
                        names[pivoting]);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_op(cls_error *error, const char *call, clsolve_op op) {
    if ((int)op < CLSOLVE_NO_TRANS || op > CLSOLVE_CONJ_TRANS)
        REFUSE("%s: op is %d: give CLSOLVE_NO_TRANS, CLSOLVE_TRANS or CLSOLVE_CONJ_TRANS", call, (int)op);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_uplo(cls_error *error, const char *call, clsolve_uplo uplo) {
    if (uplo != CLSOLVE_LOWER && uplo != CLSOLVE_UPPER)
        REFUSE("%s: uplo is %d: give CLSOLVE_LOWER or CLSOLVE_UPPER", call, (int)uplo);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_flag(cls_error *error, const char *call, const char *option, int32_t value) {
    if (value != 0 && value != 1) REFUSE("%s: %s is %d: give 0 or 1", call, option, (int)value);
    return CLSOLVE_OK;
}

clsolve_status cls_validate_square(cls_error *error, const char *call, int64_t n, clsolve_type type) {
    if (n < 0) REFUSE("%s: n is %lld: sizes start at 0", call, (long long)n);
    CLS_TRY(cls_validate_type(error, call, "type", type, CLS_ALL_TYPES));
    return cls_validate_extent(error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, call, n, n);
}

clsolve_status cls_validate_options(cls_error *error, const char *call, const cls_common_options *o,
                                    clsolve_type type) {
    if (o->panel < CLSOLVE_PANEL_AUTO || o->panel > CLSOLVE_PANEL_HYBRID)
        REFUSE("%s: panel is %d: see clsolve_panel", call, (int)o->panel);
    if (o->block < 0 || o->slab_bytes < 0 || o->memory_limit < 0)
        REFUSE("%s: block is %d, slab_bytes %lld, memory_limit %lld: 0 means chosen, less than 0 nothing", call,
               (int)o->block, (long long)o->slab_bytes, (long long)o->memory_limit);
    if ((int)o->precision < CLSOLVE_PRECISION_AUTO || o->precision > CLSOLVE_PRECISION_WORKING)
        REFUSE("%s: precision is %d: see clsolve_precision", call, (int)o->precision);
    if (o->precision == CLSOLVE_PRECISION_MIXED && !cls_is_double(type))
        REFUSE("%s: mixed precision solves systems of doubles: give %s", call,
               cls_is_complex(type) ? "CLSOLVE_C64" : "CLSOLVE_F64");
    if (o->rcond != CLSOLVE_RCOND_IF_ILL && o->rcond != 0 && o->rcond != 1)
        REFUSE("%s: rcond is %d: give 0, 1 or CLSOLVE_RCOND_IF_ILL", call, (int)o->rcond);
    CLS_TRY(cls_validate_flag(error, call, "equilibrate", o->equilibrate));
    return cls_validate_flag(error, call, "refine", o->refine);
}

int cls_host_can(const cls_common_options *o) {
    return o->panel == CLSOLVE_PANEL_AUTO && o->block == 0 && o->slab_bytes == 0 && o->memory_limit == 0 &&
           o->precision != CLSOLVE_PRECISION_MIXED;
}

clsolve_status cls_validate_predict(cls_error *error, const char *call, int64_t nrhs, const double *device,
                                    const double *host) {
    if (nrhs >= 0 && device && host) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "%s: nrhs is %lld, and the addresses of two doubles are needed", call, (long long)nrhs);
}

clsolve_status cls_validate_factors(const cls_direct *direct, const char *call, const char *factor_call) {
    cls_error *error = direct->device->error;

    if (!direct->factored)
        return cls_fail(error, CLSOLVE_ERROR_STATE, "%s: there are no factors: call %s, and let it succeed, first",
                        call, factor_call);
    if (direct->outcome == CLSOLVE_SINGULAR || direct->outcome == CLSOLVE_NOT_POSITIVE_DEFINITE)
        return cls_direct_refuse(direct, call);
    if (direct->outcome != CLSOLVE_OK)
        return cls_fail(error, direct->outcome, "%s: the factors hold NaN or Inf: scale the matrix", call);
    return CLSOLVE_OK;
}
