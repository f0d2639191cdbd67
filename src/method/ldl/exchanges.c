/* exchanges.c: an order of rows as exchanges, one a column, as LAPACK has pivots. */
#include "base/memory.h"
#include "method/ldl/ldl.h"

static int is_zero(const cls_ldl *ldl, const void *values, int64_t k) {
    const int64_t parts = cls_type_parts(ldl->type);
    return cls_type_get(ldl->type, values, k * parts) == 0 &&
           (parts == 1 || cls_type_get(ldl->type, values, k * parts + 1) == 0);
}

/* Column k is exchanged with the place where the row is that row k becomes. `rows`, `places`: which row is at each
 * place meanwhile, and where each row is. */
static int find(cls_ldl *ldl, const int64_t *order, int64_t *rows, int64_t *places) {
    int second = 0;

    for (int64_t k = 0; k < ldl->n; ++k) rows[k] = places[k] = k;
    for (int64_t k = 0; k < ldl->n; ++k) {
        if (order[k] < 0 || order[k] >= ldl->n) return 0;
        const int64_t place = places[order[k]], row = rows[k];
        const int first = !second && k + 1 < ldl->n && !is_zero(ldl, ldl->e, k);
        rows[place] = row;
        places[row] = place;
        places[order[k]] = k;
        ldl->ipiv[k] = first || second ? -(place + 1) : place + 1;
        second = first;
        if (place < k) return 0; /* a row that comes twice */
        if (first && ldl->partial && place != k) return 0;
    }
    return 1;
}

clsolve_status cls_ldl_find_exchanges(cls_ldl *ldl, const int64_t *order, int *found) {
    int64_t *rows = cls_alloc((size_t)(2 * ldl->n), sizeof *rows);
    *found = 0;
    if (!rows) return cls_no_memory(ldl->device->error, "exchanges of rows");
    *found = find(ldl, order, rows, rows + ldl->n);
    cls_free(rows);
    return CLSOLVE_OK;
}

int64_t cls_ldl_first_zero(const cls_ldl *ldl) {
    for (int64_t k = 0; k < ldl->n; ++k)
        if (ldl->ipiv[k] > 0 && is_zero(ldl, ldl->d, k)) return k + 1;
    return 0;
}
