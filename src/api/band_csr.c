/* band_csr.c: the factorization of a band that comes as a sparse matrix. */
#include "api/band.h"
#include "method/entries.h"

clsolve_status clsolve_band_factor_csr(clsolve_band *band, const clsolve_csr *A, const int64_t *rows,
                                       const int64_t *columns) {
    static const char call[] = "clsolve_band_factor_csr";
    CLS_TRY(cls_head_enter((cls_head *)band));
    clsolve_context *context = band->it.head.context;
    cls_error *error = &context->error;
    const cls_entries_shape shape = {band->it.shape.n, band->it.shape.kl, band->it.shape.ku, band->it.direct.type};
    cls_entries entries = {0};

    clsolve_status status = cls_entries_check(error, call, &shape, A, rows, columns);
    if (status == CLSOLVE_OK) status = cls_entries_take(error, A, rows, columns, &entries);
    if (status == CLSOLVE_OK) {
        band->band.entries = &entries;
        status = cls_direct_factor(&band->it.direct, call, NULL);
        band->band.entries = NULL;
    }
    cls_entries_free(&entries);
    return cls_head_end(&band->it.head, NULL, status);
}
