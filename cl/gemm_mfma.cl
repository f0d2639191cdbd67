/*
 * gemm_mfma.cl: C = alpha op(A) op(B) + beta C by AMD's matrix instructions, C m x n, inner size k, all column-major:
 * v_mfma_f64_16x16x4f64 in double and v_mfma_f32_16x16x4f32 in float, both by clang's builtins, on gfx90a and gfx942.
 * Both multiply whole numbers of the type: float loses neither fraction nor exponent. If the compiler does not know
 * the builtin, the file is empty. The kernel has never run on such a GPU: the tests run it with an emulated
 * instruction.
 *
 * The instruction adds a product of 16 x 4 and 4 x 16 numbers to a D of 16 x 16, spread over the 64 lanes of a wave:
 *
 *     first operand (16 x 4)     lane 16 t + x has row x, inner index t
 *     second operand (4 x 16)    lane 16 t + x has column x, inner index t
 *     D (16 x 16)                lane 16 t + x has column x, and in its element g
 *                                the row 4 g + t (double) or 4 t + g (float)
 *
 * (AMD, CDNA4 Instruction Set Architecture, 7.1.3.4 in double and 7.1.4 for both; AMD's matrix instruction calculator,
 * ROCm/amd_matrix_instruction_calculator, tells it for each GPU.) All lanes take part, whatever the mask of a branch.
 *
 * Neighbouring lanes have neighbouring columns of D, and C is stored by columns. So D is the transpose of a tile of C:
 * the first operand is of op(B), the second of op(A), and 16 neighbouring lanes have 16 places of a column of C.
 *
 * A work-group computes a tile of C, BM x BN, walking along k in slices of BK. A wave has WM x WN of the tile, in
 * registers from the first slice to the last. With |alpha| = 1 those of a whole tile start from C, so that reading C
 * hides under the first reads of A and B. Two slices of A and B lie in local memory. While one is multiplied, the
 * work-items read the next from global memory into registers; then they store it to the other place, and a barrier
 * follows.
 *
 * A slice in local memory lies along rows (columns), whatever op is; what lies along k in memory is turned while it is
 * stored. A word is 16 bytes, PER elements. Element (i, l) of a slice lies in
 *
 *     word  l W / PER + (i / PER ^ TURN(l)),   W = BM or BN
 *     TURN(l) = 2 (l / PER mod 4) in double,  2 (l / PER mod 4) ^ 4 (l mod 2) in float
 *
 * 16 neighbouring lanes read 16 neighbouring places of a row of the slice, some words in another order. The exclusive
 * or keeps neighbouring lanes in different banks where they store what is turned and, in float, where they read two
 * rows.
 *
 * Words of A and B need the alignment of an element alone. Elements beyond m, n or k are never read.
 *
 * Work-groups: BM / WM * BN / WN waves of 64, a tile each. Tiles are numbered in bands of BAND tiles of rows, so that
 * groups that run together share A and B in cache. Local memory: 2 * (BM + BN) * 64 bytes. EACH_UNIT: waves that run at
 * a time on each of a compute unit's four units; the compiler leaves registers for them.
 */
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 64
#endif
#ifndef EACH_UNIT
#define EACH_UNIT 2
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef BAND
#define BAND 8
#endif

/* MFMA(d, first, second): the instruction. The tests have their own, and local memory for it in MFMA_LOCAL. */
#if !defined(MFMA) && (defined(__gfx90a__) || defined(__gfx942__))
#if CLS_DOUBLE && __has_builtin(__builtin_amdgcn_mfma_f64_16x16x4f64)
#define MFMA(d, first, second) (d) = __builtin_amdgcn_mfma_f64_16x16x4f64(first, second, d, 0, 0, 0)
#elif !CLS_DOUBLE && __has_builtin(__builtin_amdgcn_mfma_f32_16x16x4f32)
#define MFMA(d, first, second) (d) = __builtin_amdgcn_mfma_f32_16x16x4f32(first, second, d, 0, 0, 0)
#endif
#define WAVES_A_UNIT(count) __attribute__((amdgpu_waves_per_eu(count)))
#endif

#ifdef MFMA

/* Clang 14 has the sums in other registers than what is read, and no room for all of C in both. */
#ifndef C_FIRST
#if defined(__clang_major__) && __clang_major__ < 15
#define C_FIRST 0
#else
#define C_FIRST 1
#endif
#endif
#ifndef WAVES_A_UNIT
#define WAVES_A_UNIT(count)
#endif
#ifndef MFMA_LOCAL
#define MFMA_LOCAL
#endif

#if CLS_DOUBLE
#define PER 2
typedef double2 word_t;
typedef double4 tile_t; /* a lane's part of a tile of C */
#else
#define PER 4
typedef float4 word_t;
typedef float4 tile_t;
#endif
typedef word_t loose_word_t __attribute__((aligned(16 / PER)));
#define WAVE    64
#define BK      (4 * PER)
#define WAVES_M (BM / WM)
#define THREADS (BM / WM * (BN / WN) * WAVE)
#define TILES_M (WM / 16)
#define TILES_N (WN / 16)
#define WORDS_A (BM * 4) /* of a slice */
#define WORDS_B (BN * 4)
#define SLICE   (WORDS_A + WORDS_B)
#define NEAR_A  (!TRANS_A) /* it lies along its rows in memory */
#define NEAR_B  TRANS_B

#define UNROLLED(i, count)                                                                                             \
    UNROLL                                                                                                             \
    for (int i = 0; i < (count); ++i)

/* The word of element (i, l) in a slice, and the element. */
#if CLS_DOUBLE
#define TURN(l) (2 * ((l) / PER % 4))
#else
#define TURN(l) (2 * ((l) / PER % 4) ^ 4 * ((l) % 2))
#endif
#define WORD_AT(i, l, width)    ((l) * ((width) / PER) + ((i) / PER ^ TURN(l)))
#define ELEMENT_AT(i, l, width) (WORD_AT(i, l, width) * PER + (i) % PER)

#ifndef WORD_FROM /* the tests look at what is read */
#define WORD_FROM(p)    (*(const GLOBAL loose_word_t *)(p))
#define ELEMENT_FROM(p) (*(p))
#endif

/* The place of element (i, l) of a slice in global memory. */
#define PLACE_OF(i, l, near, ld) ((near) ? (i) + (l) * (ld) : (l) + (i) * (ld))

/*
 * A work-item's share of a slice of one operand, width W: COPIES words. Each begins with element (COPY_I, COPY_L) and
 * lies so many inner indices (kept near) or rows (far) behind the one before.
 */
#define COPIES(width)           ((width)*4 / THREADS)
#define COPY_APART(near, width) ((near) ? THREADS * PER / (width) : THREADS / 4)
#define COPY_I(near, width, q)  ((near) ? lid % ((width) / PER) * PER : lid / 4 + (q)*COPY_APART(near, width))
#define COPY_L(near, width, q)  ((near) ? lid / ((width) / PER) + (q)*COPY_APART(near, width) : lid % 4 * PER)

/*
 * The next slice of an operand into registers. `at` is the work-item's first word in the slice that begins at `slice`.
 * At an edge only the `there` rows (columns) and `inner` inner indices are read, without a branch between
 * the reads: beyond, the last one is read again. Rows beyond count for nothing; inner indices beyond become zeros on
 * the way to local memory (CUT), so that no read is waited for here.
 */
#define HOLD(held, at, slice, ld, near, width, there, inner)                                                           \
    if ((there) == (width) && (inner) == BK) {                                                                         \
        UNROLLED (q, COPIES(width)) held[q] = WORD_FROM((at) + q * COPY_APART(near, width) * (ld));                    \
    } else {                                                                                                           \
        UNROLLED (q, COPIES(width))                                                                                    \
            UNROLLED (e, PER) {                                                                                        \
                const int i = COPY_I(near, width, q) + (near ? e : 0), l = COPY_L(near, width, q) + (near ? 0 : e);    \
                const int last_i = i < (there) ? i : (there)-1, last_l = l < (inner) ? l : (inner)-1;                  \
                held[q][e] = ELEMENT_FROM((slice) + PLACE_OF(last_i, last_l, near, ld));                               \
            }                                                                                                          \
    }

/* The inner indices of the held words that are not there become zeros. */
#define CUT(held, near, width, inner)                                                                                  \
    UNROLLED (q, COPIES(width))                                                                                        \
        UNROLLED (e, PER) held[q][e] = COPY_L(near, width, q) + (near ? 0 : e) < (inner) ? held[q][e] : 0;

/* The held words to a slice in local memory. */
#define PLACE(held, slice, near, width)                                                                                \
    UNROLLED (q, COPIES(width)) {                                                                                      \
        const int i = COPY_I(near, width, q), l = COPY_L(near, width, q);                                              \
        if (near)                                                                                                      \
            (slice)[WORD_AT(i, l, width)] = held[q];                                                                   \
        else                                                                                                           \
            UNROLLED (e, PER) ((LOCAL_PTR REAL *)(slice))[ELEMENT_AT(i, l + e, width)] = held[q][e];                   \
    }

/* A lane's elements of a slice for the inner indices 4 step .. 4 step + 3: of `tiles` tiles, from row `first` on. */
#define READ(elements, slice, first, width, tiles, step)                                                               \
    UNROLLED (f, tiles)                                                                                                \
        elements[f] = ((const LOCAL_PTR REAL *)(slice))[ELEMENT_AT((first) + 16 * f + x, 4 * (step) + t, width)];

/* The slice at `slice` times the other one behind it. */
#define MULTIPLY(slice)                                                                                                \
    UNROLLED (step, BK / 4) {                                                                                          \
        REAL of_a[TILES_M], of_b[TILES_N];                                                                             \
        READ(of_a, slice, wave_m, BM, TILES_M, step)                                                                   \
        READ(of_b, (slice) + WORDS_A, wave_n, BN, TILES_N, step)                                                       \
        FOR_TILES                                                                                                      \
            MFMA(sum[i][j], of_b[j], of_a[i]);                                                                         \
    }

/* The lane's row of tile i of its wave's part of C, and its columns of tile j. */
#define ROW(i) (16 * (i) + x)
#if CLS_DOUBLE
#define COLUMN(j, g) (16 * (j) + 4 * (g) + t)
#else
#define COLUMN(j, g) (16 * (j) + 4 * t + (g))
#endif
#define LAST(i, there) ((i) < (there) ? (i) : (there)-1)
#define FOR_TILES_M    UNROLLED (i, TILES_M)
#define FOR_TILES_N    UNROLLED (j, TILES_N)
#define FOR_TILES                                                                                                      \
    FOR_TILES_N                                                                                                        \
    FOR_TILES_M
#define FOR_COLUMN_TILE                                                                                                \
    UNROLLED (g, 4) FOR_TILES_M

KERNEL WORK_GROUP(THREADS, 1, 1)
    WAVES_A_UNIT(EACH_UNIT) void gemm_mfma(idx_t m, idx_t n, idx_t k, REAL alpha, const GLOBAL REAL *RESTRICT a,
                                           idx_t a_offset, idx_t lda, const GLOBAL REAL *RESTRICT b, idx_t b_offset,
                                           idx_t ldb, REAL beta, GLOBAL REAL *RESTRICT c, idx_t c_offset, idx_t ldc,
                                           int lower) {
    LOCAL_ARRAY(word_t, slices, 2 * SLICE);
    MFMA_LOCAL
    const int lid = (int)LOCAL_ID(0), wave = lid / WAVE, t = lid % WAVE / 16, x = lid % 16;
    const int wave_m = wave % WAVES_M * WM, wave_n = wave / WAVES_M * WN;

    /* The tile: bands of BAND tile rows, column by column inside a band. */
    const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);
    const int number = (int)GROUP_ID(0), band = number / (BAND * tiles_n), inside = number % (BAND * tiles_n);
    const int height = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
    const idx_t row = (idx_t)(band * BAND + inside % height) * BM, column = (idx_t)(inside / height) * BN;
    if (lower && column >= row + BM) return;
    const int rows = m - row < BM ? (int)(m - row) : BM, columns = n - column < BN ? (int)(n - column) : BN;

    const GLOBAL REAL *a_slice = a + a_offset + (NEAR_A ? row : row * lda);
    const GLOBAL REAL *b_slice = b + b_offset + (NEAR_B ? column : column * ldb);
    const GLOBAL REAL *a_at = a_slice + PLACE_OF(COPY_I(NEAR_A, BM, 0), COPY_L(NEAR_A, BM, 0), NEAR_A, lda);
    const GLOBAL REAL *b_at = b_slice + PLACE_OF(COPY_I(NEAR_B, BN, 0), COPY_L(NEAR_B, BN, 0), NEAR_B, ldb);
    word_t a_held[COPIES(BM)], b_held[COPIES(BN)];
    idx_t left = k; /* not brought yet */
    int inner;      /* of the held slice */
#define BRING()                                                                                                        \
    {                                                                                                                  \
        inner = left < BK ? (int)left : BK;                                                                            \
        HOLD(a_held, a_at, a_slice, lda, NEAR_A, BM, rows, inner)                                                      \
        HOLD(b_held, b_at, b_slice, ldb, NEAR_B, BN, columns, inner)                                                   \
        a_slice += PLACE_OF(0, BK, NEAR_A, lda), a_at += PLACE_OF(0, BK, NEAR_A, lda);                                 \
        b_slice += PLACE_OF(0, BK, NEAR_B, ldb), b_at += PLACE_OF(0, BK, NEAR_B, ldb);                                 \
        left -= BK;                                                                                                    \
    }
#define TO_LOCAL(to)                                                                                                   \
    {                                                                                                                  \
        if (inner < BK) {                                                                                              \
            CUT(a_held, NEAR_A, BM, inner)                                                                             \
            CUT(b_held, NEAR_B, BN, inner)                                                                             \
        }                                                                                                              \
        PLACE(a_held, to, NEAR_A, BM)                                                                                  \
        PLACE(b_held, (to) + WORDS_A, NEAR_B, BN)                                                                      \
        LOCAL_BARRIER();                                                                                               \
    }
    BRING()

    GLOBAL REAL *const of_group = c + c_offset + row + column * ldc, *const tile = of_group + wave_m + wave_n * ldc;
    const int rows_left = rows - wave_m, columns_left = columns - wave_n;
    const int whole = rows_left >= WM && columns_left >= WN;
    const int from_c = C_FIRST && whole && (alpha == (REAL)1 || alpha == (REAL)-1) && beta != (REAL)0;
    tile_t sum[TILES_M][TILES_N];

    /* All reads before the first use, without a branch between them: else each would wait for the one before. */
    if (from_c) {
        FOR_TILES_N {
            FOR_COLUMN_TILE sum[i][j][g] = tile[ROW(i) + COLUMN(j, g) * ldc];
        }
        if (alpha * beta != (REAL)1) { /* beta / alpha */
            FOR_TILES
                sum[i][j] *= alpha * beta;
        }
    } else {
        FOR_TILES_N {
            FOR_COLUMN_TILE sum[i][j][g] = 0;
        }
    }

    TO_LOCAL(slices)
    int here = 0;
    while (left > 0) {
        BRING()
        MULTIPLY(slices + here)
        here = SLICE - here; /* where none reads any longer, since the barrier before */
        TO_LOCAL(slices + here)
    }
    MULTIPLY(slices + here)

    FOR_TILES_N {
        FOR_TILES_M sum[i][j] *= alpha;
        if (!from_c && beta != (REAL)0) {
            tile_t old[TILES_M];
            FOR_COLUMN_TILE {
                old[i][g] = of_group[LAST(wave_m + ROW(i), rows) + LAST(wave_n + COLUMN(j, g), columns) * ldc];
            }
            FOR_TILES_M sum[i][j] += beta * old[i];
        }
        if (whole) {
            FOR_COLUMN_TILE tile[ROW(i) + COLUMN(j, g) * ldc] = sum[i][j][g];
        } else {
            FOR_COLUMN_TILE {
                if (ROW(i) < rows_left && COLUMN(j, g) < columns_left) tile[ROW(i) + COLUMN(j, g) * ldc] = sum[i][j][g];
            }
        }
    }
}

#endif
