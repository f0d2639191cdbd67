/*
 * given_real.h: the passes over A of given.c, for one type: REAL, NAME. No guard: it is included once a type. With
 * `parts` 2 elements are complex, `conjugate` those of A taken so, and |z| is |re| + |im|, as in LAPACK's zgerfs.
 */

/* r = r - sum of x[l] a(., l), s = s + sum of |x[l]| |a(., l)| over lines l of `length` elements. */
static void NAME(add_lines)(const REAL *a, int64_t ld, int64_t lines, int64_t length, int64_t parts, int conjugate,
                            const double *x, double *r, double *s) {
    for (int64_t l = 0; l < lines; ++l, a += ld * parts) {
        const double factor = x[l * parts], imaginary = parts == 2 ? x[2 * l + 1] : 0;
        const double size = fabs(factor) + fabs(imaginary);
        for (int64_t k = 0; k < length && parts == 1; ++k) {
            r[k] -= (double)a[k] * factor;
            s[k] += fabs((double)a[k]) * size;
        }
        for (int64_t k = 0; k < length && parts == 2; ++k) {
            const double re = (double)a[2 * k], im = conjugate ? -(double)a[2 * k + 1] : (double)a[2 * k + 1];
            r[2 * k] -= re * factor - im * imaginary;
            r[2 * k + 1] -= re * imaginary + im * factor;
            s[k] += (fabs(re) + fabs(im)) * size;
        }
    }
}

/* r[l] = r[l] - (a(., l), x), s[l] = s[l] + (|a(., l)|, |x|). */
static void NAME(dot_lines)(const REAL *a, int64_t ld, int64_t lines, int64_t length, int64_t parts, int conjugate,
                            const double *x, double *r, double *s) {
    for (int64_t l = 0; l < lines; ++l, a += ld * parts) {
        double sum = 0, imaginary = 0, size = 0;
        for (int64_t k = 0; k < length && parts == 1; ++k) {
            sum += (double)a[k] * x[k];
            size += fabs((double)a[k] * x[k]);
        }
        for (int64_t k = 0; k < length && parts == 2; ++k) {
            const double re = (double)a[2 * k], im = conjugate ? -(double)a[2 * k + 1] : (double)a[2 * k + 1];
            sum += re * x[2 * k] - im * x[2 * k + 1];
            imaginary += re * x[2 * k + 1] + im * x[2 * k];
            size += (fabs(re) + fabs(im)) * (fabs(x[2 * k]) + fabs(x[2 * k + 1]));
        }
        r[l * parts] -= sum;
        if (parts == 2) r[2 * l + 1] -= imaginary;
        s[l] += size;
    }
}
