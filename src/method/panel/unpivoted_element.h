/* unpivoted_element.h: a small square without pivots, for each type: unpivoted_host.c includes it by
 * elements_each.h. */

/* The number of the first column whose pivot is not larger than `tiny`, from 1, or 0. */
static int64_t NAME(unblocked)(ELEMENT *A, int64_t n, int64_t ld, double tiny) {
    for (int64_t t = 0; t < n; ++t) {
        const ELEMENT pivot = A[t + t * ld];
        if (!((double)SIZE(pivot) > tiny)) return t + 1;
        for (int64_t i = t + 1; i < n; ++i) A[i + t * ld] = OVER(A[i + t * ld], pivot);
        for (int64_t k = t + 1; k < n; ++k)
            for (int64_t i = t + 1; i < n; ++i)
                A[i + k * ld] = LESS_PRODUCT(A[i + k * ld], A[i + t * ld], A[t + k * ld]);
    }
    return 0;
}
