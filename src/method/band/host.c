/* host.c: panels by LAPACK: in place where the window is mapped, else down, LAPACK, and up again while the device is
 * busy. */
#include <math.h>
#include <string.h>

#include "method/band/band.h"

/* ---- one panel ---- */

/* An element; the imaginary part of a real one is 0. */
typedef struct number {
    double re, im;
} number;

static number get(clsolve_type type, const void *A, int64_t k) {
    if (!cls_is_complex(type)) return (number){cls_type_get(type, A, k), 0};
    return (number){cls_type_get(type, A, 2 * k), cls_type_get(type, A, 2 * k + 1)};
}

static void put(clsolve_type type, void *A, int64_t k, number value) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, A, parts * k, value.re);
    if (parts == 2) cls_type_put(type, A, 2 * k + 1, value.im);
}

static double larger_part(number a) {
    return fmax(fabs(a.re), fabs(a.im));
}

static double size_of(number a) {
    return fabs(a.re) + fabs(a.im);
}

/* Divides `a` by two to *exponent, which leaves a number of size 1. */
static number split(number a, int *exponent) {
    *exponent = larger_part(a) > 0 ? ilogb(larger_part(a)) : 0;
    return (number){ldexp(a.re, -*exponent), ldexp(a.im, -*exponent)};
}

static number quotient(number a, number b) {
    int of_a, of_b;
    if (b.im == 0 && a.im == 0) return (number){a.re / b.re, 0};
    const number p = split(a, &of_a), q = split(b, &of_b);
    const double d = q.re * q.re + q.im * q.im;
    return (number){ldexp((p.re * q.re + p.im * q.im) / d, of_a - of_b),
                    ldexp((p.im * q.re - p.re * q.im) / d, of_a - of_b)};
}

/*
 * Many a LAPACK multiplies by the reciprocal of a pivot, which overflows for one that is subnormal. For a complex pivot
 * it computes squares or sums that overflow before the pivot does.
 */
static int has_extreme_pivot(clsolve_type type, int64_t width, const void *A, int64_t ld) {
    const double least = cls_type_least(type) * (cls_is_complex(type) ? 4 : 1);
    const double most = cls_is_complex(type) ? cls_type_most(type) / 8 : cls_type_most(type);
    for (int64_t t = 0; t < width; ++t) {
        double u = larger_part(get(type, A, t + t * ld));
        if (u != 0 && !(u >= least && u <= most)) return 1;
    }
    return 0;
}

static number less_product(number a, number l, number u) {
    return (number){a.re - l.re * u.re + l.im * u.im, a.im - l.re * u.im - l.im * u.re};
}

static void eliminate(clsolve_type type, int64_t m, int64_t width, int64_t t, void *A, int64_t ld) {
    const number pivot = get(type, A, t + t * ld);
    for (int64_t i = t + 1; i < m; ++i) put(type, A, i + t * ld, quotient(get(type, A, i + t * ld), pivot));
    for (int64_t c = t + 1; c < width; ++c) {
        const number u = get(type, A, t + c * ld);
        for (int64_t i = t + 1; i < m && size_of(u) != 0; ++i)
            put(type, A, i + c * ld, less_product(get(type, A, i + c * ld), get(type, A, i + t * ld), u));
    }
}

/* getf2, plainly, with quotients. For the rare panel that wants it, so nothing here is fast. */
static int64_t careful_panel(clsolve_type type, int64_t m, int64_t width, void *A, int64_t ld, int *pivots) {
    int64_t info = 0;
    for (int64_t t = 0; t < width; ++t) {
        int64_t p = t;
        for (int64_t i = t + 1; i < m; ++i)
            if (size_of(get(type, A, i + t * ld)) > size_of(get(type, A, p + t * ld))) p = i;
        pivots[t] = (int)p + 1;
        for (int64_t c = 0; c < width && p != t; ++c) {
            const number x = get(type, A, t + c * ld);
            put(type, A, t + c * ld, get(type, A, p + c * ld));
            put(type, A, p + c * ld, x);
        }
        if (size_of(get(type, A, t + t * ld)) != 0)
            eliminate(type, m, width, t, A, ld);
        else if (info == 0)
            info = t + 1;
    }
    return info;
}

/* LAPACK works on the panel in place and leaves nothing to begin anew from: `spare` has the panel as it was. */
static void keep_or_restore(cls_band *band, int64_t m, int64_t width, char *A, int64_t ld, int restore) {
    int64_t size = cls_type_size(band->type);
    char *kept = band->spare;
    for (int64_t c = 0; c < width; ++c, A += ld * size, kept += m * size)
        memcpy(restore ? A : kept, restore ? kept : A, (size_t)(m * size));
}

/* LAPACK's pivots of the panel count from its first row, the state's from the lead. */
static void note(cls_band *band, int64_t j, int64_t panel_info) {
    int64_t width = cls_band_width(band, j), lead = cls_band_lead(band, j), here = j - lead;
    int *pivots = band->panel.host_pivots + here;

    if (panel_info > 0 && band->info == 0) band->info = j + panel_info;
    for (int64_t t = 0; t < width; ++t) {
        pivots[t] += (int)here;
        int64_t reached = lead + pivots[t] + band->ku;
        if (reached > band->reached) band->reached = reached;
    }
}

/* ---- a mapped window ---- */

static void panel_mapped(cls_band *band, int64_t j) {
    int64_t width = cls_band_width(band, j), m = cls_band_below(band, j) - j, ld = band->window.ld - 1;
    int *pivots = band->panel.host_pivots + j;
    void *A = cls_band_host(band, j, j);

    keep_or_restore(band, m, width, A, ld, 0);
    int64_t info = cls_panel_lapack(band->type, m, width, A, ld, pivots);
    if (has_extreme_pivot(band->type, width, A, ld)) {
        keep_or_restore(band, m, width, A, ld, 1);
        info = careful_panel(band->type, m, width, A, ld, pivots);
    }
    note(band, j, info);
}

/* ---- panels that travel ---- */

/* The panel at j down into the host's memory, as the device has it; waits. */
static clsolve_status fetch(cls_band *band, const cls_ref *ref, const cls_rect *rect, cls_event *ready) {
    const cls_device_ops *ops = band->device->ops;
    cls_wait wait = {ready ? 1 : 0, &ready};
    cls_event *event = NULL;

    CLS_TRY(ops->read(band->device, CLS_DOWN, ref->buffer, band->panel.staged, rect, &wait, &event));
    clsolve_status status = ops->event_wait(band->device, event);
    ops->event_release(band->device, event);
    return status;
}

clsolve_status cls_band_host_panel(cls_band *band, int64_t j, cls_event *ready) {
    cls_device *device = band->device;
    const cls_device_ops *ops = device->ops;
    int64_t width = cls_band_width(band, j), m = cls_band_below(band, j) - j, size = cls_type_size(band->type);
    cls_event *event = NULL;

    if (band->window.mapped) {
        panel_mapped(band, j);
        return CLSOLVE_OK;
    }
    cls_ref ref = cls_band_at(band, j, j);
    cls_rect rect = {(size_t)(m * size), (size_t)width, (size_t)(ref.offset * size), (size_t)(ref.ld * size),
                     (size_t)(m * size)};
    int *pivots = band->panel.host_pivots + (j - cls_band_lead(band, j));
    CLS_TRY(fetch(band, &ref, &rect, ready));
    int64_t info = cls_panel_lapack(band->type, m, width, band->panel.staged, m, pivots);
    if (has_extreme_pivot(band->type, width, band->panel.staged, m)) {
        CLS_TRY(fetch(band, &ref, &rect, NULL));
        info = careful_panel(band->type, m, width, band->panel.staged, m, pivots);
    }
    note(band, j, info);
    CLS_TRY(cls_panel_send_moves(&band->panel, j - cls_band_lead(band, j), width));
    CLS_TRY(ops->write(device, CLS_UP, ref.buffer, band->panel.staged, &rect, NULL, &event));
    clsolve_status status = ops->flush(device, CLS_UP);
    if (status == CLSOLVE_OK) status = ops->queue_wait(device, CLS_COMPUTE, event);
    ops->event_release(device, event);
    if (status == CLSOLVE_OK && device->blas->in_place) status = ops->finish(device, CLS_UP);
    return status;
}
