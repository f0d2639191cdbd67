/* draw.c: words, random sizes and dense systems, and their checks. See soak.h. */
#include <complex.h>
#include <stdarg.h>

#include "base/type.h"
#include "lu/ratios.h"
#include "soak/soak.h"
#include "support/faults.h"

void soak_say(soak *s, const char *format, ...) {
    size_t length = strlen(s->what);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->what + length, sizeof s->what - length, format, arguments);
    va_end(arguments);
}

void soak_wrong(soak *s, const char *format, ...) {
    va_list arguments;
    if (s->wrong[0]) return;
    va_start(arguments, format);
    (void)vsnprintf(s->wrong, sizeof s->wrong, format, arguments);
    va_end(arguments);
}

void soak_expect(soak *s, const char *call, clsolve_status got, clsolve_status wanted, clsolve_status also) {
    if (got != wanted && got != also)
        soak_wrong(s, "%s gave %s where %s is due: %.500s", call, clsolve_status_name(got), clsolve_status_name(wanted),
                   got == CLSOLVE_OK ? "" : clsolve_context_message(s->context));
}

/* ---- random draws ---- */

int64_t soak_between(soak *s, int64_t low, int64_t high) {
    return test_random_between(&s->random, low, high);
}

int soak_one_in(soak *s, int64_t k) {
    return soak_between(s, 1, k) == 1;
}

int64_t soak_size(soak *s, int64_t most) {
    static const int64_t all[] = {0,  1,   2,   3,   4,   5,   7,   8,   9,   13,  15,  16, 17,
                                  23, 29,  31,  32,  33,  47,  48,  49,  61,  63,  64,  65, 97,
                                  99, 127, 128, 129, 131, 191, 192, 193, 251, 255, 256, 257};
    static const int64_t few[] = {0, 1, 2, 3, 5, 17, 33, 65};
    int64_t draw = soak_between(s, 1, 100), size;
    if (s->quick)
        size = few[soak_between(s, 0, draw <= 90 ? 6 : 7)];
    else if (draw <= 70)
        size = all[soak_between(s, 0, 17)];
    else if (draw <= 98)
        size = all[soak_between(s, 17, 37)];
    else
        size = soak_between(s, 130, most > 130 ? most : 130);
    return size < most ? size : most;
}

int64_t soak_nrhs(soak *s) {
    static const int64_t all[] = {1, 1, 1, 2, 3, 0, 5, 8, 9, 15, 16, 17, 31, 33};
    return all[soak_between(s, 0, s->quick ? 5 : 13)];
}

void soak_diagonals(soak *s, int64_t most, int64_t *kl, int64_t *ku) {
    static const int64_t pairs[][2] = {{1, 1}, {17, 8}, {2, 1}, {0, 3},   {2, 2},  {0, 0},
                                       {5, 0}, {1, 4},  {7, 8}, {16, 16}, {33, 31}};
    const int64_t *pair = pairs[soak_between(s, 0, s->quick ? 1 : 10)];
    *kl = pair[0], *ku = pair[1];
    if (!s->quick && soak_one_in(s, 15)) *kl = soak_between(s, 0, most), *ku = soak_between(s, 0, most);
    if (*kl > most) *kl = most;
    if (*ku > most) *ku = most;
}

static clsolve_type draw_real(soak *s) {
    clsolve_type type = soak_one_in(s, 3) ? CLSOLVE_F32 : CLSOLVE_F64;
    if (s->quick)
        type = test_seed() % 3 == 0 ? CLSOLVE_F32 : CLSOLVE_F64; /* one in the whole run: half of the kernels */
    return type;
}

clsolve_type soak_real_type(soak *s) {
    const clsolve_type type = draw_real(s);
    soak_say(s, " %s", cls_type_name(type));
    return type;
}

clsolve_type soak_type(soak *s) {
    clsolve_type type = draw_real(s);
    if (soak_one_in(s, 3)) type = type == CLSOLVE_F32 ? CLSOLVE_C32 : CLSOLVE_C64;
    soak_say(s, " %s", cls_type_name(type));
    return type;
}

clsolve_op soak_op(soak *s, clsolve_type type) {
    if (!soak_one_in(s, 3)) return CLSOLVE_NO_TRANS;
    return cls_is_complex(type) && soak_one_in(s, 2) ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
}

/* ---- calls ---- */

/* What may come of a call that was made to fail: that it tells so, or does without. */
static void check_fault(soak *s, const char *name, const char *failed, fault_kind kind, clsolve_status status) {
    int right = status == CLSOLVE_ERROR_OUT_OF_MEMORY || status == CLSOLVE_ERROR_NONFINITE; /* NaN is told first */
    if (kind == FAULT_DEVICE)
        right = right || status == CLSOLVE_ERROR_DEVICE || status == CLSOLVE_ERROR_BUILD ||
                status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || status == CLSOLVE_ERROR_NO_DEVICE;
    if (!right) soak_wrong(s, "%s gave %s after %s failed", name, clsolve_status_name(status), failed);
    if (clsolve_context_message(s->context)[0] == '\0') soak_wrong(s, "%s says nothing after %s failed", name, failed);
}

static clsolve_status with_fault(soak *s, const char *name, clsolve_status (*call)(void *task), void *task) {
    fault_kind kind = soak_one_in(s, 2) ? FAULT_ALLOCATION : FAULT_DEVICE;
    faults_arm(kind, soak_between(s, 0, (INT64_C(1) << soak_between(s, 0, 7)) - 1));
    clsolve_status status = call(task);
    const char *failed = faults_disarm();
    if (!failed) return status;
    ++s->faults;
    if (status >= 0) {
        soak_say(s, " (%s: %s failed, done without)", name, failed);
        return status;
    }
    check_fault(s, name, failed, kind, status);
    soak_arrays_check(s, name, status, status == CLSOLVE_ERROR_DEVICE);
    soak_arrays_restore(s);
    status = call(task);
    if (!s->wrong[0]) soak_say(s, " (%s: %s failed before)", name, failed);
    return status;
}

clsolve_status soak_call_unharmed(soak *s, const char *name, clsolve_status (*call)(void *task), void *task) {
    soak_arrays_keep(s);
    clsolve_status status = call(task);
    soak_arrays_check(s, name, status, 0);
    return status;
}

clsolve_status soak_call(soak *s, const char *name, clsolve_status (*call)(void *task), void *task) {
    if (!soak_one_in(s, 10)) return soak_call_unharmed(s, name, call, task);
    soak_arrays_keep(s);
    clsolve_status status = with_fault(s, name, call, task);
    soak_arrays_check(s, name, status, 0);
    return status;
}

void *soak_task(soak *s, size_t size) {
    soak **task = calloc(1, size);
    if (!task) abort();
    *task = s;
    return task;
}

/* ---- dense systems ---- */

const char *const soak_kind_names[] = {"dominant",    "permuted", "random",   "scaled",
                                       "zero column", "zero row", "nonfinite"};

void soak_put_conjugate(clsolve_type type, double *values, int64_t to, int64_t from) {
    double *e = &values[soak_index(type, to)];
    const double *other = &values[soak_index(type, from)];
    e[0] = other[0];
    if (cls_is_complex(type)) e[1] = to == from ? 0 : -other[1];
}

double *soak_doubles(int64_t count) {
    double *values = calloc((size_t)count + 1, sizeof *values);
    if (!values) abort();
    return values;
}

double *soak_elements(clsolve_type type, int64_t count) {
    return soak_doubles(test_numbers(type, count));
}

int64_t soak_index(clsolve_type type, int64_t at) {
    return cls_type_parts(type) * at;
}

void soak_fill(soak *s, clsolve_type type, double *values, int64_t count) {
    const int64_t numbers = test_numbers(type, count);
    test_random_fill(&s->random, values, numbers);
    for (int64_t k = 0; k < numbers; ++k) values[k] = test_rounded(type, values[k]);
}

static void swap_rows(clsolve_type type, int64_t n, double *a, int64_t i, int64_t other) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t p = 0; p < cls_type_parts(type); ++p) {
            double *one = &a[soak_index(type, i + j * n) + p], *two = &a[soak_index(type, other + j * n) + p], t = *one;
            *one = *two;
            *two = t;
        }
}

void soak_dense_of(soak *s, soak_kind kind, clsolve_type type, int64_t n, double *a, int64_t *at) {
    const int range = cls_is_double(type) ? 200 : 30;
    const double large = (double)n * (cls_is_complex(type) ? 1.25 : 0.75); /* an element is larger with two parts */
    soak_fill(s, type, a, n * n);
    for (int64_t i = 0; i < n && kind != SOAK_RANDOM; ++i) {
        double *e = &a[soak_index(type, i + i * n)];
        *e = *e < 0 ? -large : large;
    }
    if (kind == SOAK_PERMUTED || kind == SOAK_SCALED)
        for (int64_t i = n - 1; i > 0; --i) swap_rows(type, n, a, i, soak_between(s, 0, i));
    *at = n > 0 ? soak_between(s, 0, n - 1) : 0;
    int scale = (int)soak_between(s, -range, range);
    if (kind == SOAK_SCALED) soak_say(s, " 2^%d", scale);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t p = 0; p < cls_type_parts(type); ++p) {
                double *e = &a[soak_index(type, i + j * n) + p];
                if (kind == SOAK_SCALED) *e = ldexp(*e, scale);
                if ((kind == SOAK_ZERO_COLUMN && j == *at) || (kind == SOAK_ZERO_ROW && i == *at)) *e = 0;
                *e = test_rounded(type, *e);
            }
}

soak_kind soak_dense(soak *s, clsolve_type type, int64_t n, double *a, int64_t *at) {
    static const soak_kind kinds[] = {SOAK_DOMINANT,    SOAK_DOMINANT, SOAK_PERMUTED, SOAK_PERMUTED, SOAK_RANDOM,
                                      SOAK_RANDOM,      SOAK_SCALED,   SOAK_SCALED,   SOAK_PERMUTED, SOAK_RANDOM,
                                      SOAK_ZERO_COLUMN, SOAK_ZERO_ROW, SOAK_NONFINITE};
    soak_kind kind = kinds[soak_between(s, 0, 12)];
    if (n == 0) kind = SOAK_DOMINANT;
    soak_say(s, " %s", soak_kind_names[kind]);
    soak_dense_of(s, kind, type, n, a, at);
    if (kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW) soak_say(s, " %d", (int)*at);
    return kind;
}

void soak_check_solution(soak *s, clsolve_type type, clsolve_op op, int64_t n, int64_t nrhs, const double *a,
                         const double *x, const double *b) {
    double ratio = ratio_solve(type, op, n, nrhs, a, x, b);
    if (!(ratio < RATIO_BOUND)) soak_wrong(s, "the residual's ratio is %g", ratio);
}

void soak_check_inverse(soak *s, clsolve_type type, int64_t n, const double *a, const double *x) {
    const double ratio = ratio_inverse(type, n, a, x);
    if (!(ratio < RATIO_BOUND)) soak_wrong(s, "the inverse's ratio is %g", ratio);
}

void soak_solve_for(soak *s, clsolve_type type, clsolve_op op, int64_t n, const double *values, clsolve_status factored,
                    clsolve_matrix *view, clsolve_status (*call)(void *task), void *task) {
    const int64_t nrhs = soak_nrhs(s), count = n * nrhs;
    const int poisoned = count > 0 && soak_one_in(s, 15);
    soak_array *B = soak_matrix(s, type, n, nrhs);
    double *b = soak_elements(type, count), *x = soak_elements(type, count);
    soak_fill(s, type, b, count);
    soak_put(B, b);
    soak_say(s, " solve %d", (int)nrhs);
    if (poisoned) soak_poison(s, B);
    B->use = SOAK_RESULT;
    *view = soak_matrix_view(B);
    const clsolve_status status = soak_call(s, "solve", call, task);
    const clsolve_status due = factored > 0   ? factored
                               : factored < 0 ? CLSOLVE_ERROR_STATE
                               : poisoned     ? CLSOLVE_ERROR_NONFINITE
                                              : CLSOLVE_OK;
    soak_expect(s, "solve", status, due, due);
    if (status == CLSOLVE_OK && factored == CLSOLVE_OK) {
        soak_get(B, x);
        soak_check_solution(s, type, op, n, nrhs, values, x, b);
    }
    free(b);
    free(x);
    soak_drop(s, B);
}
