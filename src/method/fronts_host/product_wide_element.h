/*
 * product_wide_element.h: C -= A B or A conj(B) by vectors of LANES doubles, included by product_wide.c for kinds of
 * CPUs, for real and for complex numbers (PARTS doubles a number).
 *
 *             COLUMNS / PARTS numbers
 *             +-------+
 *             |   B   |  k <= DEPTH, as it lies in memory
 *             +-------+
 *      +---+  +-------+
 *      | A |  |   C   |  up to VECTORS vectors of rows; this tile of C is in registers
 *      +---+  +-------+
 *      packed: the rows of one column behind each other
 *
 * A packed strip of A and a strip of B are in the first cache (K. Goto, R. A. van de Geijn, Anatomy of high-performance
 * matrix multiplication, ACM TOMS 34, 2008). Real parts of a complex A are one vector, imaginary parts another; a
 * complex column of B is two real ones. So a complex product is four real ones, summed where the tile is added to C.
 */

typedef double NAME(lanes) __attribute__((vector_size(8 * LANES)));
typedef double NAME(loose) __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* ROWS: of a tile, in doubles. STEP: numbers of a tile's rows. */
enum { NAME(VECTORS) = PARTS == 1 ? 3 : 2, NAME(ROWS) = NAME(VECTORS) * LANES, NAME(STEP) = NAME(ROWS) / PARTS };

/* C -= A B in doubles. Column j of B begins at B + j / PARTS * across + j % PARTS. */
typedef struct NAME(tile) {
    int64_t k;
    const double *A; /* vector v of column l: A + l * step + v * LANES */
    int64_t step;
    const double *B;
    int64_t down, across;
    double *C;
    int64_t ldc;
} NAME(tile);

static TARGET __attribute__((always_inline)) inline void NAME(multiply)(const NAME(tile) * t, const int vectors,
                                                                        const int columns) {
    const double *a = t->A, *b = t->B;
    const int64_t down = t->down, across = t->across, step = t->step;
    NAME(lanes) sum[3 * COLUMNS], x[3];
    UNROLL
    for (int c = 0; c < vectors * columns; c++) sum[c] = (NAME(lanes)){0};
    for (int64_t l = 0; l < t->k; l++, a += step, b += down) {
        UNROLL
        for (int v = 0; v < vectors; v++) x[v] = *(const NAME(loose) *)(a + v * LANES);
        UNROLL
        for (int c = 0; c < vectors * columns; c++) {
            const int j = c / vectors;
            sum[c] += x[c % vectors] * b[j / PARTS * across + j % PARTS];
        }
    }
    UNROLL
    for (int c = 0; c < vectors * columns; c++)
        *(NAME(loose) *)(t->C + c % vectors * LANES + c / vectors * t->ldc) -= sum[c];
}

static TARGET void NAME(multiply_2)(const NAME(tile) * t, int few) {
    if (few)
        NAME(multiply)(t, 2, 4);
    else
        NAME(multiply)(t, 2, COLUMNS);
}

#if PARTS == 1
static TARGET void NAME(multiply_1)(const NAME(tile) * t, int few) {
    if (few)
        NAME(multiply)(t, 1, 4);
    else
        NAME(multiply)(t, 1, COLUMNS);
}

static TARGET void NAME(multiply_3)(const NAME(tile) * t, int few) {
    if (few)
        NAME(multiply)(t, 3, 4);
    else
        NAME(multiply)(t, 3, COLUMNS);
}
#endif

/* `few`: 4 columns of doubles, not COLUMNS. */
static void NAME(run)(const NAME(tile) * t, int vectors, int few) {
#if PARTS == 1
    if (vectors == 1) NAME(multiply_1)(t, few);
    if (vectors == 3) NAME(multiply_3)(t, few);
#endif
    if (vectors == 2) NAME(multiply_2)(t, few);
}

/* Rows of A, zeros below them up to whole vectors: columns of `vectors` vectors. */
static TARGET void NAME(pack)(int64_t rows, int64_t k, const ELEMENT *A, int64_t lda, int vectors, double *to) {
    const int64_t step = vectors * LANES;
    for (int64_t l = 0; l < k; l++, A += lda, to += step) {
        const double *from = (const double *)A;
#if PARTS == 1
        if (rows == step) {
            for (int v = 0; v < vectors; v++)
                *(NAME(loose) *)(to + v * LANES) = *(const NAME(loose) *)(from + v * LANES);
            continue;
        }
        *(NAME(loose) *)to = (NAME(lanes)){0}; /* one vector */
        for (int64_t i = 0; i < rows; i++) to[i] = from[i];
#else
        for (int64_t i = 0; i < rows; i++) {
            to[i] = from[2 * i];
            to[i + LANES] = from[2 * i + 1];
        }
        for (int64_t i = rows; i < LANES; i++) to[i] = to[i + LANES] = 0;
#endif
    }
}

/* Adds a tile that was computed on its own. `sign` -1: B counts as its conjugate. */
static TARGET void NAME(add)(int64_t rows, int64_t columns, const double *tile, double sign, ELEMENT *C, int64_t ldc) {
    for (int64_t j = 0; j < columns; j++, C += ldc) {
        const double *from = tile + j * PARTS * NAME(ROWS);
#if PARTS == 1
        (void)sign;
        for (int64_t i = 0; i < rows; i++) C[i] += from[i];
#else
        double *to = (double *)C;
        const double *imaginary = from + NAME(ROWS);
        for (int64_t i = 0; i < rows; i++) {
            to[2 * i] += from[i] - sign * imaginary[i + LANES];
            to[2 * i + 1] += sign * imaginary[i] + from[i + LANES];
        }
#endif
    }
}

/*
 * A strip of A's rows by all columns of B, which are 4 or more. The last tile begins so far left that it is whole, and
 * adds its last columns.
 */
static void NAME(strip)(NAME(tile) * t, double sign, int64_t rows, int64_t n, int vectors, ELEMENT *C, int64_t ldc) {
    const double *B = t->B;
    double tile[NAME(ROWS) * COLUMNS];
    for (int64_t j = 0, columns; j < n; j += columns) {
        const int few = (n - j) * PARTS <= 4 || n * PARTS < COLUMNS;
        const int64_t width = (few ? 4 : COLUMNS) / PARTS;
        columns = least(width, n - j);
        t->B = B + (j + columns - width) * t->across;
        if (PARTS == 1 && columns == width && rows == vectors * LANES) {
            t->C = (double *)(C + j * ldc);
            t->ldc = ldc;
            NAME(run)(t, vectors, few);
            continue;
        }
        memset(tile, 0, sizeof tile);
        t->C = tile;
        t->ldc = NAME(ROWS);
        NAME(run)(t, vectors, few);
        NAME(add)
        (rows, columns, tile + (width - columns) * PARTS * NAME(ROWS), sign, C + j * ldc, ldc);
    }
}

/* The rows of the next strip: whole vectors of them, or the last few. */
static int64_t NAME(rows_of)(int64_t left) {
    if (left >= NAME(STEP)) return NAME(STEP);
    return PARTS == 1 && left > LANES ? left - left % LANES : left;
}

static void NAME(subtract)(int64_t m, int64_t n, int64_t k, const ELEMENT *A, int64_t lda, const ELEMENT *B,
                           int64_t down, int64_t across, int conjugated, ELEMENT *C, int64_t ldc) {
    double packed[NAME(ROWS) * DEPTH] __attribute__((aligned(64)));
    for (int64_t l = 0; l < k; l += DEPTH)
        for (int64_t i = 0, rows; i < m; i += rows) {
            rows = NAME(rows_of)(m - i);
            const int vectors = PARTS == 2 ? 2 : (int)((rows + LANES - 1) / LANES);
            NAME(tile)
            t = {.k = least(DEPTH, k - l),
                 .A = packed,
                 .step = vectors * LANES,
                 .B = (const double *)(B + l * down),
                 .down = down * PARTS,
                 .across = across * PARTS};
            if (PARTS == 1 && n <= 2 * COLUMNS && rows == vectors * LANES) {
                t.A = (const double *)(A + i + l * lda); /* too few columns for packing to pay */
                t.step = lda;
            } else {
                NAME(pack)(rows, t.k, A + i + l * lda, lda, vectors, packed);
            }
            NAME(strip)(&t, conjugated ? -1 : 1, rows, n, vectors, C + i, ldc);
        }
}
