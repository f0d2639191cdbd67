/*
 * gemm_mma.cl: C = alpha op(A) op(B) + beta C in double by NVIDIA's matrix instruction (PTX mma, compute capability 9.0
 * and later), C m x n, inner size k, all column-major.
 *
 * A work-group computes a tile of C, BM x BN, walking along k in slices of BK = 8; STAGES slices of A and B lie in local
 * memory, filled by asynchronous copies (cp.async) while an earlier slice is multiplied. A warp has WM x WN of the tile,
 * in registers from the first slice to the last. With |alpha| = 1 they start from C, so that reading C hides under the
 * first copies, and the result is only written.
 *
 * How an instruction's fragment is found. mma.m16n8k8 takes from lane 4 g + t of A the rows g, g + 8 and of A and B the
 * inner indices t, t + 4. The inner indices may be any permutation, the same for A and B: t stands for 2 t, t + 4 for 2 t + 1,
 * so that two doubles that lie side by side along k are one 16-byte read. Rows (columns) may be permuted too, if C is:
 *
 *     slice kept along k  ("far", op(A) = A^T, op(B) = B)     element (i, l) in 16-byte word  4 i + l / 2
 *     slice kept along i  ("near", op(A) = A, op(B) = B^T)    element (i, l) in word  l W / 2 + (i / 2 ^ 2 (l / 2 mod 4))
 *                                                            rows 2 g, 2 g + 1 are one read; W = BM or BN
 *
 * Either way 8 lanes read 8 different 16-byte words of the banks. Word = two doubles.
 *
 * Copies take 16 bytes where offsets and leading dimensions are even (VECTOR 2), 8 bytes else (VECTOR 1). What lies beyond
 * m, n or k is filled by zeros, and never read.
 *
 * Work-groups: BM / WM * BN / WN warps, a tile each. Tiles are numbered in bands of BAND tiles of rows, so that groups that run
 * together share A and B in cache. Local memory: STAGES * (BM + BN) * 64 bytes.
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
#define WN 32
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef VECTOR
#define VECTOR 2
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#define BK      8
#define BAND    8
#define WARPS_M (BM / WM)
#define THREADS (BM / WM * (BN / WN) * 32)
#define TILES_M (WM / 16)
#define TILES_N (WN / 8)
#define WORDS_A (BM * BK / 2) /* of a slice */
#define WORDS_B (BN * BK / 2)
#define NEAR_A  (!TRANS_A)
#define NEAR_B  TRANS_B

#if CLS_DOUBLE && CLS_UNIT >= 80

/* Word of element (i, l), l even where the slice is kept along k, i even where along i. */
#define WORD_FAR(i, l)         (4 * (i) + (l) / 2)
#define WORD_NEAR(i, l, width) ((l) * ((width) / 2) + ((i) / 2 ^ 2 * ((l) / 2 % 4)))

/* Copies `bytes` (0, 8 or 16) of the COPY bytes at `from`; the rest of them becomes zeros. */
#if VECTOR == 2
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory")
#else
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory")
#endif
#define COPY_COMMIT()    asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")

/* One slice of an operand, W rows (or columns) by BK, starting at `origin`: rows_left and inner_left are what is there. */
HELPER void copy_near(unsigned local_address, int width, const GLOBAL double *origin, idx_t ld, int rows_left,
                      int inner_left, int lid) {
    const int per_inner = width / VECTOR;
#pragma unroll
    for (int c = 0; c < width * BK / VECTOR; c += THREADS) {
        const int l = (c + lid) / per_inner, i = (c + lid) % per_inner * VECTOR;
        const unsigned to = local_address + (unsigned)(16 * WORD_NEAR(i, l, width) + 8 * (i % 2));
        int there = l < inner_left ? rows_left - i : 0;
        there = there < 0 ? 0 : there > VECTOR ? VECTOR : there;
        COPY_ASYNC(to, there > 0 ? origin + i + l * ld : origin, 8 * there);
    }
}

HELPER void copy_far(unsigned local_address, int width, const GLOBAL double *origin, idx_t ld, int rows_left,
                     int inner_left, int lid) {
    const int per_row = BK / VECTOR;
#pragma unroll
    for (int c = 0; c < width * BK / VECTOR; c += THREADS) {
        const int i = (c + lid) / per_row, l = (c + lid) % per_row * VECTOR;
        const unsigned to = local_address + (unsigned)(16 * WORD_FAR(i, l) + 8 * (l % 2));
        int there = i < rows_left ? inner_left - l : 0;
        there = there < 0 ? 0 : there > VECTOR ? VECTOR : there;
        COPY_ASYNC(to, there > 0 ? origin + l + i * ld : origin, 8 * there);
    }
}

/* One 16 x 8 tile of C, inner size 8. */
HELPER void multiply(double *c, const double *a, const double *b) {
#if CLS_UNIT >= 90
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#define MULTIPLY_8(x, y, a, b)                                                                                         \
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"                                \
        : "+d"(x), "+d"(y)                                                                                             \
        : "d"(a), "d"(b))
    MULTIPLY_8(c[0], c[1], a[0], b[0]);
    MULTIPLY_8(c[2], c[3], a[1], b[0]);
    MULTIPLY_8(c[0], c[1], a[2], b[1]);
    MULTIPLY_8(c[2], c[3], a[3], b[1]);
#endif
}

/* The thread's rows of a 16-row tile and columns of an 8-column tile, as the head says. */
#define ROW_0(i)       ((i)*16 + (NEAR_A ? 2 * g : g))
#define ROW_1(i)       ((i)*16 + (NEAR_A ? 2 * g + 1 : g + 8))
#define ROW(i, q)      ((q) < 2 ? ROW_0(i) : ROW_1(i))
#define COLUMN(j, one) ((j) / 2 * 16 + (NEAR_B ? 2 * (2 * t + (one)) + (j) % 2 : 8 * ((j) % 2) + 2 * t + (one)))

#define FOR_TILES                                                                                                      \
    _Pragma("unroll") for (int i = 0; i < TILES_M; ++i) _Pragma("unroll") for (int j = 0; j < TILES_N; ++j)
#define FOR_FOUR _Pragma("unroll") for (int q = 0; q < 4; ++q)

/* The fragments of slice `step`. */
#define READ_FRAGMENTS(step)                                                                                           \
    {                                                                                                                  \
        const LOCAL_PTR double2 *of_a = slices + (step) % STAGES * (WORDS_A + WORDS_B), *of_b = of_a + WORDS_A;        \
        _Pragma("unroll") for (int i = 0; i < TILES_M; ++i) {                                                          \
            const double2 x =                                                                                          \
                NEAR_A ? of_a[WORD_NEAR(warp_m + ROW_0(i), 2 * t, BM)] : of_a[WORD_FAR(warp_m + ROW_0(i), 2 * t)];     \
            const double2 y =                                                                                          \
                NEAR_A ? of_a[WORD_NEAR(warp_m + ROW_0(i), 2 * t + 1, BM)] : of_a[WORD_FAR(warp_m + ROW_1(i), 2 * t)]; \
            fa[i][0] = x.x, fa[i][1] = NEAR_A ? x.y : y.x;                                                             \
            fa[i][2] = NEAR_A ? y.x : x.y, fa[i][3] = y.y;                                                             \
        }                                                                                                              \
        _Pragma("unroll") for (int j = 0; j < TILES_N; j += 2) {                                                       \
            const double2 x = NEAR_B ? of_b[WORD_NEAR(warp_n + 8 * j + 2 * g, 2 * t, BN)]                              \
                                     : of_b[WORD_FAR(warp_n + 8 * j + g, 2 * t)];                                      \
            const double2 y = NEAR_B ? of_b[WORD_NEAR(warp_n + 8 * j + 2 * g, 2 * t + 1, BN)]                          \
                                     : of_b[WORD_FAR(warp_n + 8 * j + 8 + g, 2 * t)];                                  \
            fb[j][0] = x.x, fb[j][1] = NEAR_B ? y.x : x.y;                                                             \
            fb[j + 1][0] = NEAR_B ? x.y : y.x, fb[j + 1][1] = y.y;                                                     \
        }                                                                                                              \
    }

KERNEL WORK_GROUP(THREADS, 1, 1) void gemm_mma(idx_t m, idx_t n, idx_t k, double alpha, const GLOBAL double *RESTRICT a,
                                               idx_t a_offset, idx_t lda, const GLOBAL double *RESTRICT b,
                                               idx_t b_offset, idx_t ldb, double beta, GLOBAL double *RESTRICT c,
                                               idx_t c_offset, idx_t ldc) {
    LOCAL_ARRAY(double2, slices, STAGES * (WORDS_A + WORDS_B));
    const int lid = (int)LOCAL_ID(0), warp = lid / 32, g = lid % 32 / 4, t = lid % 4;
    const int warp_m = warp % WARPS_M * WM, warp_n = warp / WARPS_M * WN;

    const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);

    const int number = (int)GROUP_ID(0);
    /* The tile: bands of BAND tile rows, column by column inside a band. */
    const int band = number / (BAND * tiles_n), inside = number % (BAND * tiles_n);
    const int height = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
    const idx_t row = (idx_t)(band * BAND + inside % height) * BM, column = (idx_t)(inside / height) * BN;
    const int rows = m - row < BM ? (int)(m - row) : BM, columns = n - column < BN ? (int)(n - column) : BN;

    const GLOBAL double *a_next = a + a_offset + (TRANS_A ? row * lda : row);
    const GLOBAL double *b_next = b + b_offset + (TRANS_B ? column : column * ldb);
    const idx_t a_step = TRANS_A ? BK : BK * lda, b_step = TRANS_B ? BK * ldb : BK;
    const int steps = (int)((k + BK - 1) / BK);
    const unsigned base = LOCAL_ADDRESS(slices);
    idx_t left = k;

#define FETCH(step)                                                                                                    \
    {                                                                                                                  \
        const unsigned to_a = base + (unsigned)((step) % STAGES * (16 * (WORDS_A + WORDS_B)));                         \
        const unsigned to_b = to_a + 16 * WORDS_A;                                                                     \
        const int inner = left < BK ? (int)left : BK;                                                                  \
        if (NEAR_A) copy_near(to_a, BM, a_next, lda, rows, inner, lid);                                                \
        if (!NEAR_A) copy_far(to_a, BM, a_next, lda, rows, inner, lid);                                                \
        if (NEAR_B) copy_near(to_b, BN, b_next, ldb, columns, inner, lid);                                             \
        if (!NEAR_B) copy_far(to_b, BN, b_next, ldb, columns, inner, lid);                                             \
        a_next += a_step;                                                                                              \
        b_next += b_step;                                                                                              \
        left -= BK;                                                                                                    \
    }

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) FETCH(s);
        COPY_COMMIT();
    }

    GLOBAL double *tile = c + c_offset + (row + warp_m) + (column + warp_n) * ldc;
    const int rows_left = rows - warp_m, columns_left = columns - warp_n;
    const int whole = rows_left >= WM && columns_left >= WN, pairs = NEAR_A && (c_offset | ldc) % 2 == 0;
    const int from_c = (alpha == 1 || alpha == -1) && beta != 0;
    double sum[TILES_M][TILES_N][4]; /* rows 0 0 1 1, columns 0 1 0 1 */

    /* All reads before the first use, without a branch between them: else each would wait for the one before. */
    if (from_c && whole && pairs) {
        FOR_TILES
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const double2 pair = *(const GLOBAL double2 *)(tile + ROW_0(i) + COLUMN(j, q) * ldc);
            sum[i][j][q] = pair.x, sum[i][j][q + 2] = pair.y;
        }
    } else if (from_c && whole) {
        FOR_TILES
        FOR_FOUR sum[i][j][q] = tile[ROW(i, q) + COLUMN(j, q % 2) * ldc];
    } else {
        FOR_TILES
        FOR_FOUR sum[i][j][q] = from_c && ROW(i, q) < rows_left && COLUMN(j, q % 2) < columns_left
                                    ? tile[ROW(i, q) + COLUMN(j, q % 2) * ldc]
                                    : 0;
    }
    if (alpha * beta != 1) { /* beta / alpha */
        FOR_TILES
        FOR_FOUR sum[i][j][q] *= alpha * beta;
    }

    double fa[TILES_M][4], fb[TILES_N][2];
    for (int step = 0; step < steps; ++step) {
        COPY_WAIT(STAGES - 2);
        LOCAL_BARRIER();
        if (step + STAGES - 1 < steps) FETCH(step + STAGES - 1);
        COPY_COMMIT();
        READ_FRAGMENTS(step);
        FOR_TILES multiply(sum[i][j], fa[i], fb[j]);
    }

    if (alpha != 1) {
        FOR_TILES
        FOR_FOUR sum[i][j][q] *= alpha;
    }
    if (!from_c && beta != 0) {
        FOR_TILES
        FOR_FOUR if (ROW(i, q) < rows_left && COLUMN(j, q % 2) < columns_left) sum[i][j][q] +=
            beta * tile[ROW(i, q) + COLUMN(j, q % 2) * ldc];
    }
    if (whole && pairs) {
        FOR_TILES
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            double2 pair;
            pair.x = sum[i][j][q], pair.y = sum[i][j][q + 2];
            *(GLOBAL double2 *)(tile + ROW_0(i) + COLUMN(j, q) * ldc) = pair;
        }
    } else {
        FOR_TILES
        FOR_FOUR if (ROW(i, q) < rows_left && COLUMN(j, q % 2) < columns_left)
            tile[ROW(i, q) + COLUMN(j, q % 2) * ldc] = sum[i][j][q];
    }
}

#endif
