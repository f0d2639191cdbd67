/* band_csr.c: the factorization of a band that comes as a sparse matrix. */
#include "api/band.h"
#include "api/validate.h"
#include "method/band/entries.h"

clsolve_status clsolve_band_factor_csr(clsolve_band *band, const clsolve_csr *A, const int64_t *rows,
                                       const int64_t *columns) {
    static const char call[] = "clsolve_band_factor_csr";
    if (!band) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    clsolve_context *context = band->context;
    cls_error *error = &context->error;
    cls_band_entries entries = {0};
    cls_enter(context);

    band->message.text[0] = 0;
    clsolve_status status = cls_validate_type(error, call, "the type of the handle", band->direct.type, CLS_REAL_TYPES);
    if (status == CLSOLVE_OK)
        status = cls_band_entries_check(error, call, band->n, band->kl, band->ku, A, rows, columns);
    if (status == CLSOLVE_OK) status = cls_band_entries_take(error, A, rows, columns, &entries);
    if (status == CLSOLVE_OK) {
        band->band.entries = &entries;
        status = cls_direct_factor(&band->direct, call, NULL);
        band->band.entries = NULL;
    }
    cls_band_entries_free(&entries);
    band->status = status;
    return cls_leave(context, status);
}
