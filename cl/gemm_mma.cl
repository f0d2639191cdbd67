/*
 * gemm_mma.cl: C = alpha op(A) op(B) + beta C in double by NVIDIA's matrix instruction (PTX mma, compute capability 8.0
 * and later), C m x n, inner size k, all column-major.
 *
 * A work-group computes a tile of C, BM x BN, walking along k in slices of BK = 8; STAGES slices of A and B lie in
 * local memory, filled by asynchronous copies (cp.async) while an earlier slice is multiplied. A slice's first
 * fragments are read while the slice before is still multiplied, so that few groups keep a compute unit's matrix unit
 * busy. A warp has WM x WN of the tile, in registers from the first slice to the last. With |alpha| = 1 they start from
 * C, so that reading C hides under the first copies, and the result is only written.
 *
 * How an instruction's fragment is found. mma.m16n8k8 takes from lane 4 g + t of A the rows g, g + 8 and of A and B the
 * inner indices t, t + 4. The inner indices may be any permutation, the same for A and B: t stands for 2 t, t + 4 for 2
 * t + 1, so that two doubles that lie side by side along k are one 16-byte read. Rows (columns) may be permuted too, if
 * C is:
 *
 *     slice kept along k  ("far", op(A) = A^T, op(B) = B)     element (i, l) in 16-byte word  4 i + l / 2
 *     slice kept along i  ("near", op(A) = A, op(B) = B^T)    element (i, l) in word  l W / 2 + (i / 2 ^ 2 (l / 2 mod 4))
 *                                                            rows 2 g, 2 g + 1 are one read; W = BM or BN
 *
 * Either way 8 lanes read 8 different 16-byte words of the banks. Word = two doubles.
 *
 * Copies take 16 bytes where offsets and leading dimensions are even (VECTOR 2), 8 bytes else (VECTOR 1). What lies
 * beyond m, n or k is filled by zeros, and never read.
 *
 * Work-groups: BM / WM * BN / WN warps, a tile each. Tiles are numbered in bands of BAND tiles of rows, so that groups
 * that run together share A and B in cache. Local memory: STAGES * (BM + BN) * 64 bytes.
 */
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 64
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 32
#endif
#ifndef STAGES
#define STAGES 4
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
#ifndef BAND
#define BAND 8
#endif
#define BK         8
#define WARPS_M    (BM / WM)
#define THREADS    (BM / WM * (BN / WN) * 32)
#define TILES_M    (WM / 16)
#define TILES_N    (WN / 8)
#define WORDS_A    (BM * BK / 2) /* of a slice */
#define WORDS_B    (BN * BK / 2)
#define SLICE      (16 * (WORDS_A + WORDS_B)) /* bytes */
#define LAST_SLICE ((STAGES - 1) * SLICE)
#define NEAR_A     (!TRANS_A)
#define NEAR_B     TRANS_B

#if CLS_DOUBLE && CLS_UNIT >= 80

/* Word of element (i, l), l even where the slice is kept along k, i even where along i. */
#define WORD_FAR(i, l)         (4 * (i) + (l) / 2)
#define WORD_NEAR(i, l, width) ((l) * ((width) / 2) + ((i) / 2 ^ 2 * ((l) / 2 % 4)))

#ifndef COPY_ASYNC /* the tests have their own, and their own MULTIPLY */
/* Copies `bytes` (0, 8 or 16) of the COPY bytes at `from`; the rest of them becomes zeros. */
#if VECTOR == 2
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory")
#define COPY_ASYNC_WHOLE(to, from)                                                                                     \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory")
#else
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory")
#define COPY_ASYNC_WHOLE(to, from)                                                                                     \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory")
#endif
#define COPY_COMMIT()    asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(count) asm volatile("cp.async.wait_group %0;" ::"n"(count) : "memory")
#endif

/*
 * A work-item's share of a slice of one operand, width W: COPIES of VECTOR elements, each so many inner indices (kept
 * near) or rows (far) behind the one before; so all that changes from slice to slice is one address, and the first copy
 * of a near slice follows the last of the slice before.
 */
#define COPIES(width)     ((width)*BK / VECTOR / THREADS)
#define NEAR_APART(width) (THREADS * VECTOR / (width)) /* inner indices between two copies */
#define FAR_APART         (THREADS * VECTOR / BK)      /* rows */
#define NEAR_I(width)     (lid % ((width) / VECTOR) * VECTOR)
#define NEAR_L(width)     (lid / ((width) / VECTOR))
#define FAR_I             (lid / (BK / VECTOR))
#define FAR_L             (lid % (BK / VECTOR) * VECTOR)

/* The byte of copy c in a slice in local memory. */
#define NEAR_BYTE(width, c)                                                                                            \
    (16 * WORD_NEAR(NEAR_I(width), NEAR_L(width) + (c)*NEAR_APART(width), width) + 8 * (NEAR_I(width) % 2))
#define FAR_BYTE(c) (16 * WORD_FAR(FAR_I + (c)*FAR_APART, FAR_L) + 8 * (FAR_L % 2))

/* How many bytes of a copy are there, `left` elements from its first one on. */
HELPER unsigned bytes_there(idx_t left) {
    return left <= 0 ? 0 : left >= VECTOR ? 8 * VECTOR : 8;
}

/* One 16 x 8 tile of C, inner size 8. */
#ifndef MULTIPLY
#define MULTIPLY(c, a, b) multiply(c, a, b)
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
#endif

/* The thread's rows of a 16-row tile and columns of an 8-column tile, as the head says. */
#define ROW_0(i)       ((i)*16 + (NEAR_A ? 2 * g : g))
#define ROW_1(i)       ((i)*16 + (NEAR_A ? 2 * g + 1 : g + 8))
#define ROW(i, q)      ((q) < 2 ? ROW_0(i) : ROW_1(i))
#define COLUMN(j, one) ((j) / 2 * 16 + (NEAR_B ? 2 * (2 * t + (one)) + (j) % 2 : 8 * ((j) % 2) + 2 * t + (one)))

#define FOR_TILES                                                                                                      \
    _Pragma("unroll") for (int i = 0; i < TILES_M; ++i) _Pragma("unroll") for (int j = 0; j < TILES_N; ++j)
#define FOR_FOUR _Pragma("unroll") for (int q = 0; q < 4; ++q)

/* The first word of a lane's fragments in its warp's part of a slice; those of other tiles are so many words behind
 * it. */
#define LANE_NEAR(part, width) (2 * t * ((width) / 2) + (part) / 2 + (g ^ 2 * t))
#define LANE_FAR(part)         (4 * ((part) + g) + t)

/* Fragments of the slice at `slice`: of A's tile i, of all of B's. */
#define READ_A(i)                                                                                                      \
    {                                                                                                                  \
        const LOCAL_PTR double2 *const of_a = slice + lane_a;                                                          \
        const double2 x = of_a[NEAR_A ? 8 * (i) : 64 * (i)], y = of_a[NEAR_A ? 8 * (i) + BM / 2 : 64 * (i) + 32];      \
        fa[i][0] = x.x, fa[i][1] = NEAR_A ? x.y : y.x;                                                                 \
        fa[i][2] = NEAR_A ? y.x : x.y, fa[i][3] = y.y;                                                                 \
    }
#define READ_B(fb)                                                                                                     \
    {                                                                                                                  \
        const LOCAL_PTR double2 *const of_b = slice + WORDS_A + lane_b;                                                \
        _Pragma("unroll") for (int j = 0; j < TILES_N; j += 2) {                                                       \
            const double2 x = of_b[NEAR_B ? 4 * j : 32 * j], y = of_b[NEAR_B ? 4 * j + BN / 2 : 32 * j + 32];          \
            fb[j][0] = x.x, fb[j][1] = NEAR_B ? y.x : x.y;                                                             \
            fb[j + 1][0] = NEAR_B ? x.y : y.x, fb[j + 1][1] = y.y;                                                     \
        }                                                                                                              \
    }
#define MULTIPLY_TILES(first, last)                                                                                    \
    _Pragma("unroll") for (int i = first; i < last; ++i) _Pragma("unroll") for (int j = 0; j < TILES_N; ++j)           \
        MULTIPLY(sum[i][j], fa[i], fb[j])

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

    /* Of A's copies and B's: from where, how far apart, and where in a slice. */
    const GLOBAL double *a_next =
        a + a_offset + (NEAR_A ? row + NEAR_I(BM) + NEAR_L(BM) * lda : (row + FAR_I) * lda + FAR_L);
    const GLOBAL double *b_next =
        b + b_offset + (NEAR_B ? column + NEAR_I(BN) + NEAR_L(BN) * ldb : (column + FAR_I) * ldb + FAR_L);
    const idx_t a_apart = (NEAR_A ? NEAR_APART(BM) : FAR_APART) * lda;
    const idx_t b_apart = (NEAR_B ? NEAR_APART(BN) : FAR_APART) * ldb;
    unsigned a_byte[COPIES(BM)], b_byte[COPIES(BN)];
#pragma unroll
    for (int c = 0; c < COPIES(BM); ++c) a_byte[c] = (unsigned)(NEAR_A ? NEAR_BYTE(BM, c) : FAR_BYTE(c));
#pragma unroll
    for (int c = 0; c < COPIES(BN); ++c)
        b_byte[c] = (unsigned)(16 * WORDS_A + (NEAR_B ? NEAR_BYTE(BN, c) : FAR_BYTE(c)));
    const int full = rows == BM && columns == BN, steps = (int)((k + BK - 1) / BK);
    const unsigned base = LOCAL_ADDRESS(slices);
    unsigned to = base; /* the slice that is filled next */
    idx_t left = k;

/* Copy c of a slice where a part of it may not be there: zeros. */
#define BYTES(near, width, there, c)                                                                                   \
    (near ? NEAR_L(width) + (c)*NEAR_APART(width) < left ? bytes_there(there - NEAR_I(width)) : 0                      \
     : FAR_I + (c)*FAR_APART < there ? bytes_there(left - FAR_L)                                                       \
                                     : 0)
#define FETCH_OPERAND(copy_a, copy_b)                                                                                  \
    {                                                                                                                  \
        const GLOBAL double *from = a_next;                                                                            \
        _Pragma("unroll") for (int c = 0; c < COPIES(BM); ++c) {                                                       \
            copy_a;                                                                                                    \
            from += a_apart;                                                                                           \
        }                                                                                                              \
        a_next = NEAR_A ? from : a_next + BK;                                                                          \
        from = b_next;                                                                                                 \
        _Pragma("unroll") for (int c = 0; c < COPIES(BN); ++c) {                                                       \
            copy_b;                                                                                                    \
            from += b_apart;                                                                                           \
        }                                                                                                              \
        b_next = NEAR_B ? from : b_next + BK;                                                                          \
    }
#define FETCH()                                                                                                        \
    {                                                                                                                  \
        if (full && left >= BK)                                                                                        \
            FETCH_OPERAND(COPY_ASYNC_WHOLE(to + a_byte[c], from), COPY_ASYNC_WHOLE(to + b_byte[c], from))              \
        else                                                                                                           \
            FETCH_OPERAND(COPY_ASYNC(to + a_byte[c], from, BYTES(NEAR_A, BM, rows, c)),                                \
                          COPY_ASYNC(to + b_byte[c], from, BYTES(NEAR_B, BN, columns, c)))                             \
        left -= BK;                                                                                                    \
        to = to == base + LAST_SLICE ? base : to + SLICE;                                                              \
    }

#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) FETCH();
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

    const int lane_a = NEAR_A ? LANE_NEAR(warp_m, BM) : LANE_FAR(warp_m);
    const int lane_b = NEAR_B ? LANE_NEAR(warp_n, BN) : LANE_FAR(warp_n);
    const LOCAL_PTR double2 *slice = slices;
    double fa[TILES_M][4], fb[TILES_N][2];

    COPY_WAIT(STAGES - 2);
    LOCAL_BARRIER();
    READ_A(0);
    READ_B(fb);
    for (int step = 0; step < steps; ++step) {
        double fb_next[TILES_N][2];
#pragma unroll
        for (int i = 1; i < TILES_M; ++i) READ_A(i);
        MULTIPLY_TILES(0, TILES_M / 2);
        /* The slice before this one is no longer read, the next one has come: its first fragments arrive while the
         * other half is multiplied. */
        COPY_WAIT(STAGES - 3);
        LOCAL_BARRIER();
        if (step + STAGES - 1 < steps) FETCH();
        COPY_COMMIT();
        slice = slice == slices + LAST_SLICE / 16 ? slices : slice + SLICE / 16;
        READ_A(0);
        READ_B(fb_next);
        MULTIPLY_TILES(TILES_M / 2, TILES_M);
#pragma unroll
        for (int j = 0; j < TILES_N; ++j) fb[j][0] = fb_next[j][0], fb[j][1] = fb_next[j][1];
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
