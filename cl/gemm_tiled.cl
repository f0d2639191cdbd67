/*
 * gemm_tiled.cl: C = alpha op(A) op(B) + beta C, C m x n, inner size k, all column-major, on any device: every size
 * below is a parameter, and `clsolve_tune` searches for those that suit a device.
 *
 * A work-group computes a tile of C, TILE_M x TILE_N; a work-item ITEM_M x ITEM_N of it, in registers from the first
 * product to the last, as vectors of VECTOR rows. With |alpha| = 1 they start from C, so that reading C hides under the
 * first reads of A and B. The group walks along k in slices of SLICE.
 *
 *              column  tn * ITEM_N + j, j < ITEM_N
 *            +--------------------------------+
 *            |       tile of C                |     tm = lid % (TILE_M / ITEM_M),  tn = lid / (TILE_M / ITEM_M)
 *     row    |  [v0] item's vectors of rows   |
 *  (i ITEMS_M|  [v1] lie ITEMS_M vectors apart|     neighbouring items read and write neighbouring vectors
 *   + tm) V  |                                |
 *            +--------------------------------+
 *
 * PAIRED, where both slices go through local memory: an item's columns are vectors too, ITEMS_N vectors apart, and
 * items 2 p and 2 p + 1 have the same rows. Then neighbouring items read the same word of A, and every second one the
 * same of B. Local memory may serve equal addresses at once (docs/findings/products.md has the gain).
 *
 * LOCAL_A, LOCAL_B: slices of op(A), op(B) go through local memory, element (i, l) of a slice at i + l * pitch whatever
 * op is; a slice that lies along k in memory is turned while it is stored, its pitch a vector longer against bank
 * conflicts. Else items read A, B where they lie. AHEAD: an item holds its words of the next slice in registers while
 * this one is multiplied; with AHEAD 2 they go into another place than this one's, so that a slice has one barrier and
 * not two.
 *
 * VECTOR words of A and B are read at once along memory; ALIGNED says that offsets and leading dimensions are multiples
 * of VECTOR. At the edges elements are read one by one: beyond m, n or k nothing is read, local slices are filled up by
 * zeros, and what an item computes of rows and columns that are not there comes from the last ones and is not stored.
 *
 * Work-groups: TILE_M / ITEM_M * TILE_N / ITEM_N work-items in one dimension, a tile each, numbered in bands of BAND
 * tiles of rows, so that groups that run together share A and B in cache. Local memory: SLICE * (TILE_M + TILE_N)
 * elements and the pitches', with AHEAD 2 twice that.
 * VECTOR divides ITEM_M; with local memory also SLICE, and with LOCAL_B TILE_N; and the group's items divide the words
 * of a slice.
 */
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef SLICE
#define SLICE 16
#endif
#ifndef ITEM_M
#define ITEM_M 4
#endif
#ifndef ITEM_N
#define ITEM_N 4
#endif
#ifndef VECTOR
#define VECTOR 2
#endif
#ifndef LOCAL_A
#define LOCAL_A 1
#endif
#ifndef LOCAL_B
#define LOCAL_B 1
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef VECTORS /* the dialect has no arithmetic on vectors: each is one element */
#undef VECTOR
#define VECTOR 1
#endif

#define ITEMS_M (TILE_M / ITEM_M)
#define ITEMS_N (TILE_N / ITEM_N)
#define ITEMS   (ITEMS_M * ITEMS_N)
#define ROWS    (ITEM_M / VECTOR) /* vectors of rows that an item has */
#define BAND    8
#define PAIRED  (LOCAL_A && LOCAL_B && ITEMS_N % 2 == 0 && ITEM_N % VECTOR == 0)
/* A slice lies in memory along its rows (columns), "near", or along k. */
#define NEAR_A         (!TRANS_A)
#define NEAR_B         TRANS_B
#define WORDS_A        (SLICE * TILE_M / VECTOR)
#define WORDS_B        (SLICE * TILE_N / VECTOR)
#define PITCH_A        (TILE_M / VECTOR + (NEAR_A ? 0 : 1)) /* in words of VECTOR elements */
#define PITCH_B        (TILE_N / VECTOR + (NEAR_B ? 0 : 1))
#define PLACES         (AHEAD == 2 ? 2 : 1) /* for slices */
#define A_SLICE(place) (a_slices + (place)*SLICE * PITCH_A)
#define B_SLICE(place) (b_slices + (place)*SLICE * PITCH_B)

#if VECTOR == 1
typedef REAL word_t;
#define LOAD(p)        (*(p))
#define STORE(p, x)    (*(p) = (x))
#define PLACE_OF(x, e) (x)
#else
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
typedef PASTE(REAL, VECTOR) word_t;
#if ALIGNED
#define LOAD(p)     (*(const GLOBAL word_t *)(p))
#define STORE(p, x) (*(GLOBAL word_t *)(p) = (x))
#else
#define LOAD(p)     PASTE(vload, VECTOR)(0, p)
#define STORE(p, x) PASTE(vstore, VECTOR)(x, 0, p)
#endif
#define PLACE_OF(x, e) (((REAL *)&(x))[e])
#endif

#define FOR_VECTOR                                                                                                     \
    UNROLL                                                                                                             \
    for (int e = 0; e < VECTOR; ++e)

#if LOCAL_A || LOCAL_B
/* Word w of a slice at x: `width` rows (or columns) by SLICE; with `edge` only `there` of them and `inner` of k are
 * there. */
HELPER word_t word_of(const GLOBAL REAL *x, idx_t ld, int near, int width, int w, int there, int inner, int edge) {
    const int across = (near ? width : SLICE) / VECTOR;
    const int line = w / across, first = w % across * VECTOR;
    const GLOBAL REAL *at = x + first + line * ld;
    if (!edge) return LOAD(at);
    const int left = line < (near ? inner : there) ? (near ? there : inner) - first : 0;
    word_t word = (word_t)(0);
    FOR_VECTOR if (e < left) PLACE_OF(word, e) = at[e];
    return word;
}

HELPER void put_word(LOCAL_PTR word_t *slice, int near, int width, int pitch, int w, word_t word) {
    const int across = (near ? width : SLICE) / VECTOR;
    const int line = w / across, first = w % across;
    if (near)
        slice[line * pitch + first] = word;
    else
        FOR_VECTOR((LOCAL_PTR REAL *)slice)[(first * VECTOR + e) * pitch * VECTOR + line] = PLACE_OF(word, e);
}
#endif

#if !LOCAL_A
/* VECTOR rows of op(A) from `row` on at inner index l; with `edge` the rows beyond `last` are that one again. */
HELPER word_t rows_of(const GLOBAL REAL *a, idx_t lda, int row, int l, int last, int edge) {
#if NEAR_A
    if (!edge) return LOAD(a + row + l * lda);
#endif
    word_t word = (word_t)(0);
    FOR_VECTOR {
        const int r = edge && row + e > last ? last : row + e;
        PLACE_OF(word, e) = NEAR_A ? a[r + l * lda] : a[l + r * lda];
    }
    return word;
}
#endif

#define FOR_ITEM                                                                                                       \
    UNROLL                                                                                                             \
    for (int j = 0; j < ITEM_N; ++j) UNROLL                                                                            \
    for (int i = 0; i < ROWS; ++i)
#define ROW(i) (((i)*ITEMS_M + tm) * VECTOR)
#if PAIRED
#define COLUMN(j) (((j) / VECTOR * ITEMS_N + tn) * VECTOR + (j) % VECTOR)
#else
#define COLUMN(j) (tn * ITEM_N + (j))
#endif

/* Does `action` with each of an item's words of a slice. */
#define WORDS_OF_A(action)                                                                                             \
    UNROLL                                                                                                             \
    for (int q = 0; q < WORDS_A / ITEMS; ++q) {                                                                        \
        const int w = q * ITEMS + lid;                                                                                 \
        action;                                                                                                        \
    }
#define WORDS_OF_B(action)                                                                                             \
    UNROLL                                                                                                             \
    for (int q = 0; q < WORDS_B / ITEMS; ++q) {                                                                        \
        const int w = q * ITEMS + lid;                                                                                 \
        action;                                                                                                        \
    }
#if LOCAL_A
#define GET_A(edge)   word_of(a_at, lda, NEAR_A, TILE_M, w, rows, inner, edge)
#define PUT_A(word)   put_word(A_SLICE(to), NEAR_A, TILE_M, PITCH_A, w, word)
#define HOLD_A(edge)  WORDS_OF_A(a_held[q] = GET_A(edge))
#define COPY_A(edge)  WORDS_OF_A(PUT_A(GET_A(edge)))
#define PLACE_A       WORDS_OF_A(PUT_A(a_held[q]))
#define ROWS_AT(edge) A_SLICE(place)[l * PITCH_A + i * ITEMS_M + tm]
#else
#define HOLD_A(edge)
#define COPY_A(edge)
#define PLACE_A
#define ROWS_AT(edge) rows_of(a_at, lda, ROW(i), l, rows - 1, edge)
#endif
#if LOCAL_B
#define GET_B(edge)     word_of(b_at, ldb, NEAR_B, TILE_N, w, columns, inner, edge)
#define PUT_B(word)     put_word(B_SLICE(to), NEAR_B, TILE_N, PITCH_B, w, word)
#define HOLD_B(edge)    WORDS_OF_B(b_held[q] = GET_B(edge))
#define COPY_B(edge)    WORDS_OF_B(PUT_B(GET_B(edge)))
#define PLACE_B         WORDS_OF_B(PUT_B(b_held[q]))
#define COLUMN_AT(edge) ((const LOCAL_PTR REAL *)B_SLICE(place))[l * (PITCH_B * VECTOR) + COLUMN(j)]
#else
#define HOLD_B(edge)
#define COPY_B(edge)
#define PLACE_B
#define LAST(j, edge)   ((edge) && COLUMN(j) >= columns ? columns - 1 : COLUMN(j))
#define COLUMN_AT(edge) b_at[NEAR_B ? LAST(j, edge) + l * ldb : l + LAST(j, edge) * ldb]
#endif

/* An operand in local memory goes on when it was brought, another one when it was multiplied. */
#define STEP_A a_at += TRANS_A ? SLICE : SLICE * lda
#define STEP_B b_at += TRANS_B ? SLICE * ldb : SLICE

/* The next slices of both, into registers (HOLD) or local memory (COPY); whole ones without a branch between the
 * reads. */
#define BRING(how)                                                                                                     \
    {                                                                                                                  \
        const int inner = left < SLICE ? (int)left : SLICE;                                                            \
        if (whole && inner == SLICE) {                                                                                 \
            how##_A(0);                                                                                                \
            how##_B(0);                                                                                                \
        } else {                                                                                                       \
            how##_A(1);                                                                                                \
            how##_B(1);                                                                                                \
        }                                                                                                              \
        if (LOCAL_A) STEP_A;                                                                                           \
        if (LOCAL_B) STEP_B;                                                                                           \
        left -= SLICE;                                                                                                 \
    }

/* One inner index. */
#define MULTIPLY(edge)                                                                                                 \
    {                                                                                                                  \
        word_t of_a[ROWS];                                                                                             \
        REAL of_b[ITEM_N];                                                                                             \
        UNROLL                                                                                                         \
        for (int i = 0; i < ROWS; ++i) of_a[i] = ROWS_AT(edge);                                                        \
        UNROLL                                                                                                         \
        for (int j = 0; j < ITEM_N; ++j) of_b[j] = COLUMN_AT(edge);                                                    \
        FOR_ITEM sum[i][j] += of_a[i] * of_b[j];                                                                       \
    }

KERNEL WORK_GROUP(ITEMS, 1, 1) void gemm_tiled(idx_t m, idx_t n, idx_t k, REAL alpha, const GLOBAL REAL *RESTRICT a,
                                               idx_t a_offset, idx_t lda, const GLOBAL REAL *RESTRICT b, idx_t b_offset,
                                               idx_t ldb, REAL beta, GLOBAL REAL *RESTRICT c, idx_t c_offset,
                                               idx_t ldc) {
#if LOCAL_A
    LOCAL_ARRAY(word_t, a_slices, PLACES * SLICE * PITCH_A);
#endif
#if LOCAL_B
    LOCAL_ARRAY(word_t, b_slices, PLACES * SLICE * PITCH_B);
#endif
    const int lid = (int)LOCAL_ID(0);
#if PAIRED
    const int tm = (lid >> 1) % ITEMS_M, tn = (lid & 1) | (lid >> 1) / ITEMS_M << 1;
#else
    const int tm = lid % ITEMS_M, tn = lid / ITEMS_M;
#endif

    /* The tile: bands of BAND tile rows, column by column inside a band. */
    const idx_t tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
    const idx_t band = GROUP_ID(0) / (BAND * tiles_n), inside = GROUP_ID(0) % (BAND * tiles_n);
    const idx_t height = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
    const idx_t row = (band * BAND + inside % height) * TILE_M, column = inside / height * TILE_N;
    const int rows = m - row < TILE_M ? (int)(m - row) : TILE_M;
    const int columns = n - column < TILE_N ? (int)(n - column) : TILE_N;
    const int whole = rows == TILE_M && columns == TILE_N;

    GLOBAL REAL *const tile = c + c_offset + row + column * ldc;
    const int from_c = (alpha == (REAL)1 || alpha == (REAL)-1) && beta != (REAL)0;
    word_t sum[ROWS][ITEM_N];

    /* All reads before the first use, without a branch between them: else each would wait for the one before. */
    if (from_c && whole) {
        FOR_ITEM sum[i][j] = LOAD(tile + ROW(i) + COLUMN(j) * ldc);
    } else {
        FOR_ITEM {
            sum[i][j] = (word_t)(0);
            FOR_VECTOR if (from_c && ROW(i) + e < rows && COLUMN(j) < columns) PLACE_OF(sum[i][j], e) =
                tile[ROW(i) + e + COLUMN(j) * ldc];
        }
    }
    if (alpha * beta != (REAL)1) { /* beta / alpha */
        FOR_ITEM sum[i][j] *= alpha * beta;
    }

    const GLOBAL REAL *a_at = a + a_offset + (TRANS_A ? row * lda : row);
    const GLOBAL REAL *b_at = b + b_offset + (TRANS_B ? column : column * ldb);
#if LOCAL_A || LOCAL_B
    idx_t left = k; /* not brought yet */
#endif
#if AHEAD && LOCAL_A
    word_t a_held[WORDS_A / ITEMS];
#endif
#if AHEAD && LOCAL_B
    word_t b_held[WORDS_B / ITEMS];
#endif
#if AHEAD
    BRING(HOLD)
#endif
#if AHEAD == 2
    {
        const int to = 0;
        PLACE_A;
        PLACE_B;
        if (left > 0) BRING(HOLD)
    }
#endif
    for (idx_t at = 0; at < k;) {
        UNROLL
        for (int place = 0; place < PLACES; ++place) {
            const int to = PLACES - 1 - place;
#if AHEAD == 2
            if (at >= k) break;
            LOCAL_BARRIER(); /* this slice is there, and the one before no longer read */
            if (at + SLICE < k) {
                PLACE_A;
                PLACE_B;
                if (left > 0) BRING(HOLD)
            }
#elif LOCAL_A || LOCAL_B
            LOCAL_BARRIER(); /* the slice before is no longer read */
#if AHEAD
            PLACE_A;
            PLACE_B;
#else
            BRING(COPY)
#endif
            LOCAL_BARRIER();
#if AHEAD
            if (left > 0) BRING(HOLD)
#endif
#endif
#if LOCAL_A && LOCAL_B
            UNROLL
            for (int l = 0; l < SLICE; ++l) MULTIPLY(0)
#else
            if (whole && k - at >= SLICE) {
                UNROLL
                for (int l = 0; l < SLICE; ++l) MULTIPLY(0)
            } else {
                const int inner = k - at < SLICE ? (int)(k - at) : SLICE;
                for (int l = 0; l < inner; ++l) MULTIPLY(1)
            }
            if (!LOCAL_A) STEP_A;
            if (!LOCAL_B) STEP_B;
#endif
            (void)to;
            at += SLICE;
        }
    }

    if (alpha != (REAL)1) {
        FOR_ITEM sum[i][j] *= alpha;
    }
    if (whole) {
        if (!from_c && beta != (REAL)0) {
            FOR_ITEM sum[i][j] += beta * LOAD(tile + ROW(i) + COLUMN(j) * ldc);
        }
        FOR_ITEM STORE(tile + ROW(i) + COLUMN(j) * ldc, sum[i][j]);
    } else {
        FOR_ITEM FOR_VECTOR if (ROW(i) + e < rows && COLUMN(j) < columns) {
            GLOBAL REAL *const at = tile + ROW(i) + e + COLUMN(j) * ldc;
            *at = PLACE_OF(sum[i][j], e) + (!from_c && beta != (REAL)0 ? beta * *at : (REAL)0);
        }
    }
}
