/*
 * mapped_real.h: the sum of |a_i| * 2^-16 of a column, and the largest |a_i| of its rows 0 .. end - 1; included by
 * mapped.c once for each type, with REAL, BITS (the integer as wide), HIGHEST (its sign bit) and NAME(x). Four vectors
 * of 16 bytes side by side, which every x86-64 and AArch64 CPU has: compilers do not vectorise a largest element, for
 * NaN.
 */
typedef REAL NAME(lanes) __attribute__((vector_size(16)));
typedef BITS NAME(masks) __attribute__((vector_size(16)));

static inline column_measures NAME(measure_one)(const REAL *a, int64_t rows, int64_t end) {
    enum { WIDE = 16 / sizeof(REAL), VECTORS = 4 };
    const REAL scale = (REAL)small;
    NAME(lanes) sums[VECTORS] = {{0}}, most[VECTORS] = {{0}};
    REAL sum = 0, largest = 0;
    int64_t i = 0;
    for (; i + VECTORS * WIDE <= end; i += VECTORS * WIDE)
        for (int v = 0; v < VECTORS; ++v) {
            NAME(lanes) x;
            memcpy(&x, a + i + v * WIDE, sizeof x);
            x = (NAME(lanes))((NAME(masks))x & ~((NAME(masks)){0} + HIGHEST));
            sums[v] += x * scale;
            NAME(masks) more = x > most[v];
            most[v] = (NAME(lanes))(((NAME(masks))x & more) | ((NAME(masks))most[v] & ~more));
        }
    for (; i < rows; ++i) {
        const REAL x = a[i] < 0 ? -a[i] : a[i];
        sum += x * scale;
        if (i < end && x > largest) largest = x;
    }
    for (int v = 0; v < VECTORS; ++v)
        for (int w = 0; w < (int)WIDE; ++w) {
            sum += sums[v][w];
            largest = most[v][w] > largest ? most[v][w] : largest;
        }
    return (column_measures){(double)sum, (double)largest};
}

/* The sum of the moduli of complex elements, where no square leaves the range of double. Several sums side by side
 * are what compilers make vectors of. */
CLS_CLONES
static double NAME(sum_moduli)(const REAL *a, int64_t rows) {
    enum { WIDE = 8 };
    double sums[WIDE] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + WIDE <= rows; i += WIDE)
        for (int v = 0; v < WIDE; ++v) {
            const double re = (double)a[2 * (i + v)], im = (double)a[2 * (i + v) + 1];
            sums[v] += sqrt(re * re + im * im);
        }
    for (; i < rows; ++i) {
        const double re = (double)a[2 * i], im = (double)a[2 * i + 1];
        sum += sqrt(re * re + im * im);
    }
    for (int v = 0; v < WIDE; ++v) sum += sums[v];
    return sum;
}

CLS_CLONES
static column_measures NAME(measure)(const REAL *a, int64_t rows, int64_t end) {
    return NAME(measure_one)(a, rows, end);
}

/* The largest of both of several columns; a sum that is not finite where one is not. */
CLS_CLONES
static column_measures NAME(measure_block)(const REAL *a, int64_t ld, int64_t rows, int64_t cols) {
    column_measures all = {0};
    double zeros = 0;
    for (int64_t j = 0; j < cols; ++j, a += ld) {
        const column_measures m = NAME(measure_one)(a, rows, rows);
        all.sum = m.sum > all.sum ? m.sum : all.sum;
        all.largest = m.largest > all.largest ? m.largest : all.largest;
        zeros += 0 * m.sum;
    }
    all.sum += zeros;
    return all;
}
