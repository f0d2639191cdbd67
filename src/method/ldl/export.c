/*
 * export.c: the factors as LAPACK's sytrf_rook or sytrf leaves them, to the caller and from him.
 *
 * sytrf_rook does not apply an exchange to the columns of L before it, and D's elements below the diagonal lie in the
 * place of L's zeros. LAPACK's syconvf_rook turns one form into the other, as here. sytrf's form differs in the pivots
 * of a block of order 2: its first row stays, and both have the exchange of the second one.
 *
 * The factored matrix is S A S, with S = diag(s) of powers of two, or a power of two times A. With t = P^T s the
 * factors of A itself are diag(t)^-1 L diag(t), whose diagonal is 1 too, and diag(t)^-1 D diag(t)^-1.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/direct/half.h"
#include "method/ldl/direct.h"

/* ---- exchanges ---- */

static void exchange(char *column, size_t size, int64_t i, int64_t k) {
    char element[16];

    if (i == k) return;
    memcpy(element, column + (size_t)i * size, size);
    memcpy(column + (size_t)i * size, column + (size_t)k * size, size);
    memcpy(column + (size_t)k * size, element, size);
}

static int64_t place_of(int64_t pivot) {
    return (pivot < 0 ? -pivot : pivot) - 1;
}

/* In column j, with the pivots of all blocks behind its own: in their order, or with `undo` the other way round. */
static void exchange_rows(const cls_ldl *ldl, int64_t j, int undo, char *column, size_t size) {
    const int64_t *ipiv = ldl->ipiv, n = ldl->n;

    if (undo)
        for (int64_t k = n - 1; k > j; --k) exchange(column, size, k, place_of(ipiv[k]));
    else
        for (int64_t k = j + 1; k < n; ++k) exchange(column, size, k, place_of(ipiv[k]));
}

/* The last row of column j's block: its exchanges are in the columns before the block alone. */
static int64_t last_of_block(const cls_ldl *ldl, int64_t j, int second) {
    return cls_ldl_is_pair(ldl, j) && !second ? j + 1 : j;
}

/* ---- scaling ---- */

/* Element k becomes that times `a` / b / c. 0: the type does not hold it. */
static int rescale(clsolve_type type, void *values, int64_t k, double a, double b, double c) {
    const int64_t parts = cls_type_parts(type);
    int holds = 1;

    for (int64_t p = 0; p < parts; ++p) {
        const double product = cls_type_get(type, values, k * parts + p) * a / b / c;
        holds &= fabs(product) <= cls_type_most(type);
        cls_type_put(type, values, k * parts + p, product);
    }
    return holds;
}

/* t = P^T s, or NULL where nothing is scaled row by row. */
static clsolve_status permuted(const cls_direct *direct, const cls_ldl *ldl, double **t) {
    const cls_scaling *scaling = cls_direct_scaling(direct);

    *t = NULL;
    if (!cls_direct_scaled_lines(direct)) return CLSOLVE_OK;
    *t = cls_alloc((size_t)ldl->n, sizeof **t);
    if (!*t) return cls_no_memory(direct->device->error, "a scaling");
    memcpy(*t, scaling->host_r, (size_t)ldl->n * sizeof **t);
    exchange_rows(ldl, -1, 0, (char *)*t, sizeof **t);
    return CLSOLVE_OK;
}

/* T and e. 0: the type does not hold the factors of A itself. */
static int unscale(const cls_direct *direct, const cls_ldl *ldl, const double *t, void *T, void *e) {
    const double whole = direct->copies ? direct->copy.unit : t ? 1 : cls_direct_uniform(direct);
    const int64_t n = ldl->n;
    int holds = 1;

    if (!t && whole == 1) return 1;
    for (int64_t j = 0; j < n; ++j) {
        const double first = t ? t[j] : 1, second = t && j + 1 < n ? t[j + 1] : 1;
        holds &= rescale(ldl->type, T, j * (n + 1), 1 / whole, first, first);
        holds &= rescale(ldl->type, e, j, 1 / whole, first, second);
        for (int64_t i = j + 1; i < n && t; ++i) holds &= rescale(ldl->type, T, i + j * n, t[j], t[i], 1);
    }
    return holds;
}

/* ---- to the caller ---- */

static void to_rook(const cls_ldl *ldl, const void *e, void *T) {
    const size_t size = (size_t)cls_type_size(ldl->type);
    const int64_t n = ldl->n;
    int second = 0;

    for (int64_t j = 0; j < n; ++j) {
        char *column = (char *)T + (size_t)(j * n) * size;
        const int pair = cls_ldl_is_pair(ldl, j) && !second;
        exchange_rows(ldl, last_of_block(ldl, j, second), 1, column, size);
        if (pair) memcpy(column + (size_t)(j + 1) * size, (const char *)e + (size_t)j * size, size);
        second = pair;
    }
}

/* LAPACK's last block of order 2 has no exchanges, and some of its routines take that for granted. Its two rows in the
 * other order are the same block with D turned round; the columns before, whose exchanges are undone, stay. */
static void settle_last(const cls_ldl *ldl, void *T, int64_t *ipiv) {
    const clsolve_type type = ldl->type;
    const int64_t n = ldl->n, k = n - 2, size = cls_type_size(type);
    char first[16];

    if (n < 2 || ipiv[k] != -n || ipiv[n - 1] != -n) return;
    if (k > 0 && ipiv[k - 1] < 0) { /* is k the first row of a block? */
        int64_t pivots = 0;
        for (int64_t j = k - 1; j >= 0 && ipiv[j] < 0; --j) ++pivots;
        if (pivots % 2) return;
    }
    char *a = (char *)T + k * (n + 1) * size, *c = (char *)T + (k + 1) * (n + 1) * size, *b = a + size;
    memcpy(first, a, (size_t)size);
    memcpy(a, c, (size_t)size);
    memcpy(c, first, (size_t)size);
    if (cls_is_complex(type) && ldl->hermitian) cls_type_put(type, b, 1, -cls_type_get(type, b, 1));
    ipiv[k] = -(k + 1);
}

/* sytrf's two pivots of a block are alike: the exchange of its second row. */
static void to_partial(const cls_ldl *ldl, int64_t *ipiv) {
    for (int64_t k = 0; k + 1 < ldl->n; ++k)
        if (ipiv[k] < 0) {
            ipiv[k] = ipiv[k + 1];
            ++k;
        }
}

static clsolve_status convert(const cls_direct *direct, const char *call, const cls_ldl *ldl, void *T, void *e) {
    double *t;

    memcpy(e, ldl->e, (size_t)(ldl->n * cls_type_size(ldl->type)));
    CLS_TRY(permuted(direct, ldl, &t));
    const int holds = unscale(direct, ldl, t, T, e);
    cls_free(t);
    if (holds) return CLSOLVE_OK;
    return cls_fail(direct->device->error, CLSOLVE_OVERFLOW,
                    "%s: the factors of A leave the range of their type: choose CLSOLVE_PRECISION_WORKING, or scale A",
                    call);
}

void cls_ldl_give_exchanges(const cls_ldl *ldl, const void *e, void *T, int64_t *ipiv) {
    memcpy(ipiv, ldl->ipiv, (size_t)ldl->n * sizeof *ipiv);
    to_rook(ldl, e, T);
    if (ldl->partial)
        to_partial(ldl, ipiv);
    else
        settle_last(ldl, T, ipiv);
}

clsolve_status cls_ldl_export(cls_direct *direct, const char *call, const clsolve_matrix *F, int64_t *ipiv) {
    cls_ldl *ldl = cls_direct_in_use(direct);
    const int64_t n = ldl->n, size = cls_type_size(ldl->type);
    const cls_triangle_view view = cls_symmetric_view(F, CLSOLVE_LOWER);
    clsolve_matrix T = *F;

    if (n == 0) return CLSOLVE_OK;
    T.layout = CLSOLVE_COLUMN_MAJOR;
    T.ld = n;
    T.data = cls_alloc((size_t)n, (size_t)(n * size));
    void *e = cls_alloc((size_t)n, (size_t)size);
    clsolve_status status = T.data && e ? CLSOLVE_OK
                                        : cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                                                   "%s: no host memory for factors of order %lld", call, (long long)n);
    if (status == CLSOLVE_OK) status = cls_symmetric_download(ldl->device, &ldl->transfer, &ldl->A, 0, &T);
    if (status == CLSOLVE_OK) status = convert(direct, call, ldl, T.data, e);
    if (status == CLSOLVE_OK) {
        cls_ldl_give_exchanges(ldl, e, T.data, ipiv);
        cls_symmetric_copy(n, T.data, 0, &view);
    }
    cls_free(T.data);
    cls_free(e);
    return status;
}

/* ---- from the caller ---- */

void cls_ldl_from_partial(int64_t n, int64_t *ipiv) {
    for (int64_t k = 0; k + 1 < n; ++k)
        if (ipiv[k] < 0) {
            ipiv[k] = -(k + 1);
            ++k;
        }
}

/* F's lower triangle, column by column, as elements of T; *nonfinite: the first NaN or Inf. Hermitian diagonals are
 * real. */
static void gather(const cls_ldl *ldl, const clsolve_matrix *F, char *T, cls_place *nonfinite) {
    const int64_t n = ldl->n, size = cls_type_size(ldl->type), parts = cls_type_parts(ldl->type);
    const int64_t down = F->layout == CLSOLVE_ROW_MAJOR ? F->ld : 1,
                  across = F->layout == CLSOLVE_ROW_MAJOR ? 1 : F->ld;

    *nonfinite = (cls_place){-1, -1};
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j; i < n; ++i) {
            char *to = T + (i + j * n) * size;
            memcpy(to, (const char *)F->data + (i * down + j * across) * size, (size_t)size);
            if (i == j && parts == 2 && ldl->hermitian) cls_type_put(ldl->type, to, 1, 0);
            const double sum = cls_type_get(ldl->type, to, 0) + (parts == 2 ? cls_type_get(ldl->type, to, 1) : 0);
            if (!isfinite(sum - sum) && nonfinite->row < 0) *nonfinite = (cls_place){i, j};
        }
    }
}

void cls_ldl_take_exchanges(cls_ldl *ldl, void *T, int64_t ld) {
    const size_t size = (size_t)cls_type_size(ldl->type);
    const int64_t n = ldl->n;
    int second = 0;

    for (int64_t j = 0; j < n; ++j) {
        char *column = (char *)T + (size_t)(j * ld) * size, *e = (char *)ldl->e + (size_t)j * size;
        const int pair = cls_ldl_is_pair(ldl, j) && !second;
        memset(e, 0, size);
        if (pair) {
            memcpy(e, column + (size_t)(j + 1) * size, size);
            memset(column + (size_t)(j + 1) * size, 0, size);
        }
        memcpy((char *)ldl->d + (size_t)j * size, column + (size_t)j * size, size);
        exchange_rows(ldl, last_of_block(ldl, j, second), 0, column, size);
        second = pair;
    }
}

static clsolve_status take(cls_direct *direct, cls_ldl *ldl, clsolve_matrix *T) {
    ldl->pending = 0;
    cls_ldl_take_exchanges(ldl, T->data, T->ld);
    CLS_TRY(cls_symmetric_upload(ldl->device, &ldl->transfer, T, 0, &ldl->A));
    if (ldl->engine->put) CLS_TRY(ldl->engine->put(ldl));
    CLS_TRY(cls_scaling_uniform(ldl->device, &direct->scaling, ldl->A.mapped != NULL, 1)); /* of the matrix before */
    direct->info = cls_ldl_zero_pivot(ldl);
    return cls_ldl_examine(ldl, &direct->growth);
}

clsolve_status cls_ldl_import(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv) {
    cls_ldl *ldl = direct->factors;
    const int64_t n = ldl->n;
    clsolve_matrix T = *F;
    cls_place nonfinite;

    T.layout = CLSOLVE_COLUMN_MAJOR;
    T.ld = n;
    T.place = CLSOLVE_ON_HOST;
    T.data = cls_alloc((size_t)n, (size_t)(n * cls_type_size(T.type)));
    if (!T.data) return cls_no_memory(direct->device->error, "factors of order %lld", (long long)n);
    memcpy(ldl->ipiv, ipiv, (size_t)n * sizeof *ipiv);
    if (ldl->partial) cls_ldl_from_partial(n, ldl->ipiv);
    gather(ldl, F, T.data, &nonfinite);
    direct->growth = cls_growth_begin();
    direct->growth.row = nonfinite.row;
    direct->growth.column = nonfinite.column;
    const clsolve_status status = nonfinite.row >= 0 ? CLSOLVE_OK : take(direct, ldl, &T);
    cls_free(T.data);
    return status;
}
