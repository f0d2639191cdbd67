/* fall_back.c: better factors of the copy of A, in the place of those that are no use. */
#include "base/memory.h"
#include "method/direct/direct.h"

clsolve_status cls_direct_repivot(cls_direct *direct, const char *why) {
    direct->repivoted = why;
    clsolve_status status = direct->ops->factor_pivoted(direct);
    /* The factors lie where those without pivots lay, so a failure in between leaves none. */
    if (status != CLSOLVE_OK) direct->factored = 0;
    return status;
}

const char *cls_direct_fallback_text(const cls_direct *direct, clsolve_fallback why) {
    static const char *const texts[] = {
        [CLSOLVE_FALLBACK_NONE] = NULL,
        [CLSOLVE_FALLBACK_SINGULAR] = "the single-precision factors have a zero pivot",
        [CLSOLVE_FALLBACK_OVERFLOW] = "the single-precision factors left the range of float",
        [CLSOLVE_FALLBACK_NOT_CONVERGED] = "refinement with single-precision factors did not converge",
        [CLSOLVE_FALLBACK_CONDITION] = "single-precision factors only bound the condition number",
        [CLSOLVE_FALLBACK_FACTORS] = "the factors were asked for",
    };
    if (why == CLSOLVE_FALLBACK_SINGULAR && direct->ops->positive_definite)
        return "a minor of the matrix is not positive in single precision";
    return texts[why];
}

clsolve_status cls_direct_widen(cls_direct *direct, clsolve_fallback why) {
    cls_error *error = direct->device->error;
    cls_growth growth = cls_growth_unknown();
    int64_t info = 0;
    void *wide = cls_alloc(1, direct->ops->factors_size);

    if (!wide) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the double factors");
    clsolve_status status = direct->ops->factor_wide(direct, wide, &info, &growth);
    if (status != CLSOLVE_OK) { /* the float factors are still there, and the next solve may have more memory */
        cls_error first = *error;
        direct->ops->release(wide);
        cls_free(wide);
        *error = first;
        return status;
    }
    direct->wide = wide;
    direct->fallback = why;
    direct->info = info;
    direct->growth = growth;
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}

static clsolve_status widen_and_judge(cls_direct *direct) {
    CLS_TRY(cls_direct_widen(direct, CLSOLVE_FALLBACK_FACTORS));
    if (direct->growth.row >= 0) direct->outcome = CLSOLVE_OVERFLOW;
    if (direct->growth.row < 0 && direct->info > 0)
        direct->outcome = direct->ops->positive_definite ? CLSOLVE_NOT_POSITIVE_DEFINITE : CLSOLVE_SINGULAR;
    return CLSOLVE_OK;
}

clsolve_status cls_direct_show(cls_direct *direct) {
    if (!direct->precision.automatic || !direct->factored || !cls_direct_can_widen(direct)) return CLSOLVE_OK;
    return widen_and_judge(direct);
}

clsolve_status cls_direct_prepare_inverse(cls_direct *direct) {
    const cls_error before = *direct->device->error;
    if (!direct->factored || !cls_direct_can_widen(direct)) return CLSOLVE_OK;
    const clsolve_status status = widen_and_judge(direct);
    if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && status != CLSOLVE_ERROR_OUT_OF_MEMORY) return status;
    *direct->device->error = before;
    return CLSOLVE_OK;
}
