/* given_real.h: the passes over A of given.c, for one type: REAL, NAME. No guard: it is included once a type. */

/* r = r - sum of x[l] a(., l), s = s + sum of |x[l]| |a(., l)| over lines l of `length` elements. */
static void NAME(add_lines)(const REAL *a, int64_t ld, int64_t lines, int64_t length, const double *x, double *r,
                            double *s) {
    for (int64_t l = 0; l < lines; ++l, a += ld) {
        const double factor = x[l], size = fabs(factor);
        for (int64_t k = 0; k < length; ++k) {
            r[k] -= (double)a[k] * factor;
            s[k] += fabs((double)a[k]) * size;
        }
    }
}

/* r[l] = r[l] - (a(., l), x), s[l] = s[l] + (|a(., l)|, |x|). */
static void NAME(dot_lines)(const REAL *a, int64_t ld, int64_t lines, int64_t length, const double *x, double *r,
                            double *s) {
    for (int64_t l = 0; l < lines; ++l, a += ld) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < length; ++k) {
            sum += (double)a[k] * x[k];
            size += fabs((double)a[k] * x[k]);
        }
        r[l] -= sum;
        s[l] += size;
    }
}
