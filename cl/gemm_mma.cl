/*
 * gemm_mma.cl: C = alpha op(A) op(B) + beta C by NVIDIA's matrix instruction (PTX mma, compute capability 8.0 and
 * later), C m x n, inner size k, all column-major; in double, or in float by numbers of tf32, whose fractions have 10
 * bits: x = large
 * + small, large the nearest of tf32, and op(A) op(B) without small * small (M. Fasi, N. J. Higham, F. Lopez, T. Mary,
 * M. Mikaitis, Matrix multiplication in multiword arithmetic, SIAM J. Sci. Comput. 45 (2023), section 2). small has 11
 * bits of its 12 or 13: a product's error is below 20 times float's rounding, most of it from there. Inf, and
 * numbers within a 4096th of the largest float, become NaN.
 *
 * A work-group computes a tile of C, BM x BN, walking along k in slices of BK; STAGES slices of A and B lie in local
 * memory, filled by asynchronous copies (cp.async) while an earlier slice is multiplied. A slice's first fragments are
 * read while the slice before is still multiplied, so that few groups keep a compute unit's matrix unit busy. A warp
 * has WM x WN of the tile, in registers from the first slice to the last. With |alpha| = 1 they start from C, so that
 * reading C hides under the first copies, and the result is only written.
 *
 * How an instruction's fragment is found. mma.m16n8k8 takes from lane 4 g + t of A the rows g, g + 8 and of A and B the
 * inner indices t, t + 4. The inner indices may be any permutation, the same for A and B; rows (columns) may be
 * permuted too, if C is. A word is 16 bytes, PER elements; lane t has the PER inner indices from PER t on, two for each
 * of a slice's instructions:
 *
 *     slice kept along k  ("far", op(A) = A^T, op(B) = B)     element (i, l) in word  4 i + l / PER
 *     slice kept along i  ("near", op(A) = A, op(B) = B^T)    element (i, l) in word
 *                                                            l W / PER + (i / PER ^ 2 (l / PER mod 4)),
 *                                                            rows PER g ... are one read; W = BM or BN
 *
 * Either way 8 lanes read 8 different words of the banks.
 *
 * Copies take a word where offsets and leading dimensions are multiples of PER (VECTOR PER), an element else (VECTOR
 * 1). Places beyond m, n or k are filled by zeros, and never read.
 *
 * `lower`: C is square, and the tiles above its diagonal are left as they are.
 *
 * Work-groups: BM / WM * BN / WN warps, a tile each. Tiles are numbered in bands of BAND tiles of rows, so that groups
 * that run together share A and B in cache. Local memory: STAGES * (BM + BN) * 64 bytes.
 *
 * The file is long because copies, fragments and the loop share the layout of a slice: all its macros are about that.
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
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef BAND
#define BAND 8
#endif
#if CLS_DOUBLE
#define PER   2
#define WORD  double2
#define TERMS 1
#else
#define PER   4
#define WORD  float4
#define TERMS 3
#endif
#ifndef VECTOR
#define VECTOR PER
#endif
#define BK         (4 * PER)
#define INSIDE     (PER / 2) /* instructions along a slice */
#define WARPS_M    (BM / WM)
#define THREADS    (BM / WM * (BN / WN) * 32)
#define TILES_M    (WM / 16)
#define TILES_N    (WN / 8)
#define HALF_M     ((TILES_M + 1) / 2)
#define READ_TILES (PER / 2)              /* tiles of A of which a near read has rows */
#define READS_M    (TILES_M / READ_TILES) /* such reads */
#define WORDS_A    (BM * 4)               /* of a slice */
#define WORDS_B    (BN * 4)
#define SLICE      (16 * (WORDS_A + WORDS_B)) /* bytes */
#define LAST_SLICE ((STAGES - 1) * SLICE)
#define ROUND      (STAGES % 2 ? 2 * STAGES : STAGES) /* slices after which all is where it was */
#define BYTES_EACH (16 / PER)                         /* bytes */
#define NEAR_A     (!TRANS_A)
#define NEAR_B     TRANS_B

#if CLS_UNIT >= 80

#define UNROLLED(i, from, to)                                                                                          \
    UNROLL                                                                                                             \
    for (int i = from; i < (to); ++i)

/* Word of element (i, l). */
#define WORD_FAR(i, l)         (4 * (i) + (l) / PER)
#define WORD_NEAR(i, l, width) ((l) * ((width) / PER) + ((i) / PER ^ 2 * ((l) / PER % 4)))

#ifndef COPY_ASYNC /* the tests have their own, and their own MMA */
/* Copies `bytes` (0 or all, or whole elements) of the VECTOR elements at `from`; the rest of them becomes zeros. */
#if VECTOR == PER
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory")
#define COPY_ASYNC_WHOLE(to, from)                                                                                     \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory")
#else
#define COPY_ASYNC(to, from, bytes)                                                                                    \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(bytes), "n"(BYTES_EACH)     \
                 : "memory")
#define COPY_ASYNC_WHOLE(to, from)                                                                                     \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES_EACH) : "memory")
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
    (16 * WORD_NEAR(NEAR_I(width), NEAR_L(width) + (c)*NEAR_APART(width), width) + BYTES_EACH * (NEAR_I(width) % PER))
#define FAR_BYTE(c) (16 * WORD_FAR(FAR_I + (c)*FAR_APART, FAR_L) + BYTES_EACH * (FAR_L % PER))

/* How many bytes of a copy are there, `left` elements from its first one on. */
HELPER unsigned bytes_there(idx_t left) {
    return left <= 0 ? 0 : left >= VECTOR ? BYTES_EACH * VECTOR : BYTES_EACH * (unsigned)left;
}

/* The instruction: one 16 x 8 tile of C, inner size 8. */
#ifndef MMA
#if !CLS_DOUBLE
#define MMA(c, a, b)                                                                                                   \
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                               \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#elif CLS_UNIT >= 90
#define MMA(c, a, b)                                                                                                   \
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"       \
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])                                                               \
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]))
#else
#define MMA_8(x, y, a, b)                                                                                              \
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"                                \
        : "+d"(x), "+d"(y)                                                                                             \
        : "d"(a), "d"(b))
#define MMA(c, a, b)                                                                                                   \
    {                                                                                                                  \
        MMA_8(c[0], c[1], a[0], b[0]);                                                                                 \
        MMA_8(c[2], c[3], a[1], b[0]);                                                                                 \
        MMA_8(c[0], c[1], a[2], b[1]);                                                                                 \
        MMA_8(c[2], c[3], a[3], b[1]);                                                                                 \
    }
#endif
#endif

/* The product of two fragments; of TERMS terms the one of that number, the smallest first. */
#if CLS_DOUBLE
HELPER void multiply(double *c, const double *a, const double *b, int term) {
    (void)term;
    MMA(c, a, b);
}
#else
/* The part of x that an operand of the term has, in the upper 19 bits, which are all that the instruction reads. */
HELPER unsigned part_of(float x, int small) {
    const unsigned large = (FLOAT_TO_BITS(x) + 0x1000u) & 0xffffe000u; /* of NaN 0 may become: then small is NaN */
    return small ? FLOAT_TO_BITS(x - BITS_TO_FLOAT(large)) : large;
}
HELPER void multiply(float *c, const float *a, const float *b, int term) {
    unsigned of_a[4], of_b[2];
    UNROLLED (q, 0, 4) of_a[q] = part_of(a[q], term == 0);
    UNROLLED (q, 0, 2) of_b[q] = part_of(b[q], term == 1);
    MMA(c, of_a, of_b);
}
#endif

/* The thread's rows of tile i and columns of tile j, as the head says. */
#define ROW(i, q)                                                                                                      \
    (NEAR_A ? (i) / READ_TILES * 8 * PER + PER * g + (i) % READ_TILES * 2 + (q) / 2 : (i)*16 + g + (q) / 2 * 8)
#define COLUMN(j, one) (NEAR_B ? (j) / PER * 8 * PER + PER * (2 * t + (one)) + (j) % PER : (j)*8 + 2 * t + (one))

#define FOR_TILES                                                                                                      \
    UNROLLED (i, 0, TILES_M)                                                                                           \
        UNROLLED (j, 0, TILES_N)
#define FOR_FOUR UNROLLED (q, 0, 4)

/*
 * For the elements of C that are there: column of tiles j comes to the place of column 0 of `sum` and then goes behind
 * the last. A loop that stays one is a quarter of the code, and of the compiler's time.
 */
#define OF_TILE(j) tile[ROW(i, q) + COLUMN(j, q % 2) * ldc]
#define BY_COLUMNS(action)                                                                                             \
    _Pragma("unroll 1") for (int j = 0; j < TILES_N; ++j) {                                                            \
        UNROLLED (i, 0, TILES_M)                                                                                       \
            FOR_FOUR {                                                                                                 \
                if (ROW(i, q) < rows_left && COLUMN(j, q % 2) < columns_left) action;                                  \
            }                                                                                                          \
        UNROLLED (i, 0, TILES_M)                                                                                       \
            FOR_FOUR {                                                                                                 \
                const REAL first = sum[i][0][q];                                                                       \
                UNROLLED (next, 1, TILES_N) sum[i][next - 1][q] = sum[i][next][q];                                     \
                sum[i][TILES_N - 1][q] = first;                                                                        \
            }                                                                                                          \
    }

#if PER == 2
#define SPREAD(word, e0, e1, e2, e3) (e0) = (word).x, (e1) = (word).y
#define GATHER(word, e0, e1, e2, e3) (word).x = (e0), (word).y = (e1)
#else
#define SPREAD(word, e0, e1, e2, e3) (e0) = (word).x, (e1) = (word).y, (e2) = (word).z, (e3) = (word).w
#define GATHER(word, e0, e1, e2, e3) (word).x = (e0), (word).y = (e1), (word).z = (e2), (word).w = (e3)
#endif
/* A word of C: rows PER g ... of read r, column q of tile j. */
#define OF_C(action, word, r, j, q)                                                                                    \
    action(word, sum[(r)*READ_TILES][j][q], sum[(r)*READ_TILES][j][(q) + 2],                                           \
           sum[(r)*READ_TILES + READ_TILES - 1][j][q], sum[(r)*READ_TILES + READ_TILES - 1][j][(q) + 2])
#define FOR_WORDS                                                                                                      \
    UNROLLED (r, 0, READS_M)                                                                                           \
        UNROLLED (j, 0, TILES_N)                                                                                       \
            UNROLLED (q, 0, 2)

/* The first word of a lane's fragments in its warp's part of a slice; those of other tiles are so many words behind
 * it. */
#define LANE_NEAR(part, width) (PER * t * ((width) / PER) + (part) / PER + (g ^ 2 * t))
#define LANE_FAR(part)         (4 * ((part) + g) + t)

/* Fragments of the slice at `slice` into half h of the registers: of A's tiles of read r, of all of B's. */
#define READ_A(h, r, slice)                                                                                            \
    {                                                                                                                  \
        const LOCAL_PTR WORD *const of_a = (slice) + lane_a;                                                           \
        if (NEAR_A)                                                                                                    \
            UNROLLED (e, 0, PER) {                                                                                     \
                const WORD w = of_a[8 * (r) + e * (BM / PER)];                                                         \
                SPREAD(w, fa[h][e / 2][(r)*READ_TILES][e % 2 * 2], fa[h][e / 2][(r)*READ_TILES][e % 2 * 2 + 1],        \
                       fa[h][e / 2][(r)*READ_TILES + READ_TILES - 1][e % 2 * 2],                                       \
                       fa[h][e / 2][(r)*READ_TILES + READ_TILES - 1][e % 2 * 2 + 1]);                                  \
            }                                                                                                          \
        else                                                                                                           \
            UNROLLED (i, (r)*READ_TILES, (r)*READ_TILES + READ_TILES)                                                  \
                UNROLLED (e, 0, 2) {                                                                                   \
                    const WORD w = of_a[64 * i + 32 * e];                                                              \
                    SPREAD(w, fa[h][0][i][e], fa[h][0][i][e + 2], fa[h][INSIDE - 1][i][e],                             \
                           fa[h][INSIDE - 1][i][e + 2]);                                                               \
                }                                                                                                      \
    }
#define READ_B(h, slice)                                                                                               \
    {                                                                                                                  \
        const LOCAL_PTR WORD *const of_b = (slice) + WORDS_A + lane_b;                                                 \
        if (NEAR_B)                                                                                                    \
            UNROLLED (j, 0, TILES_N / PER)                                                                             \
                UNROLLED (e, 0, PER) {                                                                                 \
                    const WORD w = of_b[8 * j + e * (BN / PER)];                                                       \
                    SPREAD(w, fb[h][e / 2][j * PER][e % 2], fb[h][e / 2][j * PER + 1][e % 2],                          \
                           fb[h][e / 2][j * PER + PER - 2][e % 2], fb[h][e / 2][j * PER + PER - 1][e % 2]);            \
                }                                                                                                      \
        else                                                                                                           \
            UNROLLED (j, 0, TILES_N) {                                                                                 \
                const WORD w = of_b[32 * j];                                                                           \
                SPREAD(w, fb[h][0][j][0], fb[h][0][j][1], fb[h][INSIDE - 1][j][0], fb[h][INSIDE - 1][j][1]);           \
            }                                                                                                          \
    }

/* The products of the tiles from .. to - 1 of A, `between` before each; `product` is its number. */
#define MULTIPLY_TILES(h, from, to, between)                                                                           \
    UNROLLED (inner, 0, INSIDE)                                                                                        \
        UNROLLED (term, 0, TERMS)                                                                                      \
            UNROLLED (i, from, to)                                                                                     \
                UNROLLED (j, 0, TILES_N) {                                                                             \
                    const int product = ((inner * TERMS + term) * ((to) - (from)) + i - (from)) * TILES_N + j;         \
                    between;                                                                                           \
                    multiply(sum[i][j], fa[h][inner][i], fb[h][inner][j], term);                                       \
                }
#define LATER_PRODUCTS ((TILES_M - HALF_M) * TILES_N * INSIDE * TERMS)
#define ALL_COPIES     (COPIES(BM) + COPIES(BN))

/*
 * The slice at `slice` is multiplied, its fragments being in half h, and the first of the next slice's are read into
 * the other. When the next one has come, none reads the slice before this one any longer: into it `fetch` copies all at
 * once, or `between` copy by copy between the products.
 */
#define STEP(h, slice, next, fetch, between)                                                                           \
    {                                                                                                                  \
        UNROLLED (r, 1, READS_M) {                                                                                     \
            READ_A(h, r, slice)                                                                                        \
        }                                                                                                              \
        MULTIPLY_TILES(h, 0, HALF_M, (void)product) COPY_WAIT(STAGES - 3);                                             \
        LOCAL_BARRIER();                                                                                               \
        fetch;                                                                                                         \
        READ_A(1 - (h), 0, next)                                                                                       \
        READ_B(1 - (h), next)                                                                                          \
        MULTIPLY_TILES(h, HALF_M, TILES_M, between)                                                                    \
        COPY_COMMIT();                                                                                                 \
    }

KERNEL WORK_GROUP(THREADS, 1, 1) void gemm_mma(idx_t m, idx_t n, idx_t k, REAL alpha, const GLOBAL REAL *RESTRICT a,
                                               idx_t a_offset, idx_t lda, const GLOBAL REAL *RESTRICT b, idx_t b_offset,
                                               idx_t ldb, REAL beta, GLOBAL REAL *RESTRICT c, idx_t c_offset, idx_t ldc,
                                               int lower) {
    LOCAL_ARRAY(WORD, slices, STAGES * (WORDS_A + WORDS_B));
    const int lid = (int)LOCAL_ID(0), warp = lid / 32, g = lid % 32 / 4, t = lid % 4;
    const int warp_m = warp % WARPS_M * WM, warp_n = warp / WARPS_M * WN;

    const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);

    const int number = (int)GROUP_ID(0);
    /* The tile: bands of BAND tile rows, column by column inside a band. */
    const int band = number / (BAND * tiles_n), inside = number % (BAND * tiles_n);
    const int height = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
    const idx_t row = (idx_t)(band * BAND + inside % height) * BM, column = (idx_t)(inside / height) * BN;
    if (lower && column >= row + BM) return;
    const int rows = m - row < BM ? (int)(m - row) : BM, columns = n - column < BN ? (int)(n - column) : BN;

    /* A's copies and B's: from where, how far apart, how far from a slice's last to the next one's first, and where
     * in a slice. */
    const GLOBAL REAL *a_next =
        a + a_offset + (NEAR_A ? row + NEAR_I(BM) + NEAR_L(BM) * lda : (row + FAR_I) * lda + FAR_L);
    const GLOBAL REAL *b_next =
        b + b_offset + (NEAR_B ? column + NEAR_I(BN) + NEAR_L(BN) * ldb : (column + FAR_I) * ldb + FAR_L);
    const idx_t a_apart = (NEAR_A ? NEAR_APART(BM) : FAR_APART) * lda;
    const idx_t b_apart = (NEAR_B ? NEAR_APART(BN) : FAR_APART) * ldb;
    const idx_t a_on = NEAR_A ? a_apart : BK - (COPIES(BM) - 1) * a_apart;
    const idx_t b_on = NEAR_B ? b_apart : BK - (COPIES(BN) - 1) * b_apart;
    unsigned a_byte[COPIES(BM)], b_byte[COPIES(BN)];
    UNROLLED (copy, 0, COPIES(BM)) a_byte[copy] = (unsigned)(NEAR_A ? NEAR_BYTE(BM, copy) : FAR_BYTE(copy));
    UNROLLED (copy, 0, COPIES(BN))
        b_byte[copy] = (unsigned)(16 * WORDS_A + (NEAR_B ? NEAR_BYTE(BN, copy) : FAR_BYTE(copy)));
    const int full = rows == BM && columns == BN, steps = (int)((k + BK - 1) / BK);
    const unsigned base = LOCAL_ADDRESS(slices);
    unsigned to = base; /* the slice that is filled next */
    idx_t left = k;

/* Copies of a slice of which a part may not be there: zeros. */
#define BYTES(near, width, there, copy)                                                                                \
    (near ? NEAR_L(width) + (copy)*NEAR_APART(width) < left ? bytes_there(there - NEAR_I(width)) : 0                   \
     : FAR_I + (copy)*FAR_APART < there ? bytes_there(left - FAR_L)                                                    \
                                        : 0)
/* Copy number `copy` of a slice, by `of_a` or `of_b`. */
#define COPY(copy, of_a, of_b)                                                                                         \
    if ((copy) < COPIES(BM)) {                                                                                         \
        of_a;                                                                                                          \
        a_next += (copy) == COPIES(BM) - 1 ? a_on : a_apart;                                                           \
    } else {                                                                                                           \
        of_b;                                                                                                          \
        b_next += (copy) == ALL_COPIES - 1 ? b_on : b_apart;                                                           \
    }
#define OF_B(copy)                                                                                                     \
    ((copy) < COPIES(BM) ? 0 : (copy)-COPIES(BM)) /* no index beyond an array, if only in what is left out */
#define OF_A(copy) ((copy) < COPIES(BM) ? (copy) : 0)
#define COPY_WHOLE(copy, to)                                                                                           \
    COPY(copy, COPY_ASYNC_WHOLE((to) + a_byte[OF_A(copy)], a_next), COPY_ASYNC_WHOLE((to) + b_byte[OF_B(copy)], b_next))
#define COPY_PART(copy, to)                                                                                            \
    COPY(copy, COPY_ASYNC((to) + a_byte[OF_A(copy)], a_next, BYTES(NEAR_A, BM, rows, OF_A(copy))),                     \
         COPY_ASYNC((to) + b_byte[OF_B(copy)], b_next, BYTES(NEAR_B, BN, columns, OF_B(copy))))
/* A slice, of which all or a part is there. The loop over whole slices has copies of its own. */
#define FETCH()                                                                                                        \
    {                                                                                                                  \
        UNROLLED (copy, 0, ALL_COPIES) COPY_PART(copy, to)                                                             \
        left -= BK;                                                                                                    \
        to = to == base + LAST_SLICE ? base : to + SLICE;                                                              \
    }
/* The copies whose turn is before a product, evenly between all of them. */
#define COPIES_BETWEEN(to)                                                                                             \
    UNROLLED (copy, 0, ALL_COPIES) {                                                                                   \
        if (copy * LATER_PRODUCTS / ALL_COPIES == product) {                                                           \
            COPY_WHOLE(copy, to)                                                                                       \
        }                                                                                                              \
    }

#pragma unroll 1
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) FETCH();
        COPY_COMMIT();
    }

    GLOBAL REAL *tile = c + c_offset + (row + warp_m) + (column + warp_n) * ldc;
    const int rows_left = rows - warp_m, columns_left = columns - warp_n;
    const int whole = rows_left >= WM && columns_left >= WN, words = NEAR_A && (c_offset | ldc) % PER == 0;
    const int from_c = (alpha == 1 || alpha == -1) && beta != 0;
    REAL sum[TILES_M][TILES_N][4]; /* rows 0 0 1 1, columns 0 1 0 1 */

    /* All reads before the first use, without a branch between them: else each would wait for the one before. */
    if (words && whole && from_c) { /* words first: it may be constant, and clang warns of a constant on the right */
        FOR_WORDS {
            const WORD w = *(const GLOBAL WORD *)(tile + r * 8 * PER + PER * g + COLUMN(j, q) * ldc);
            OF_C(SPREAD, w, r, j, q);
        }
    } else if (from_c && whole) {
        FOR_TILES
            FOR_FOUR
                sum[i][j][q] = OF_TILE(j);
    } else {
        FOR_TILES
            FOR_FOUR
                sum[i][j][q] = 0;
        if (from_c) BY_COLUMNS(sum[i][0][q] = OF_TILE(j))
    }
    if (from_c && alpha * beta != 1) { /* beta / alpha */
        FOR_TILES
            FOR_FOUR
                sum[i][j][q] *= alpha * beta;
    }

    const int lane_a = NEAR_A ? LANE_NEAR(warp_m, BM) : LANE_FAR(warp_m);
    const int lane_b = NEAR_B ? LANE_NEAR(warp_n, BN) : LANE_FAR(warp_n);
    REAL fa[2][INSIDE][TILES_M][4], fb[2][INSIDE][TILES_N][2];
    int step = 0;

    COPY_WAIT(STAGES - 2);
    LOCAL_BARRIER();
    READ_A(0, 0, slices)
    READ_B(0, slices)
    /* While the slices that are fetched are whole, without a branch, and every place in local memory is known. */
    for (const int whole_steps = full ? (int)(k / BK) - (STAGES - 1) : 0; step + ROUND <= whole_steps; step += ROUND)
        UNROLLED (turn, 0, ROUND) {
            STEP(turn % 2, slices + turn % STAGES * (SLICE / 16), slices + (turn + 1) % STAGES * (SLICE / 16), (void)0,
                 COPIES_BETWEEN(base + (turn + STAGES - 1) % STAGES * SLICE))
        }
    left -= step * BK;
    for (const LOCAL_PTR WORD *slice = slices; step < steps; ++step) {
        const LOCAL_PTR WORD *const next = slice == slices + LAST_SLICE / 16 ? slices : slice + SLICE / 16;
        STEP(0, slice, next, if (step + STAGES - 1 < steps) FETCH(), (void)product)
        UNROLLED (s, 0, INSIDE) {
            UNROLLED (i, 0, READ_TILES)
                FOR_FOUR
                    fa[0][s][i][q] = fa[1][s][i][q];
            UNROLLED (j, 0, TILES_N) fb[0][s][j][0] = fb[1][s][j][0], fb[0][s][j][1] = fb[1][s][j][1];
        }
        slice = next;
    }

    if (alpha != 1) {
        FOR_TILES
            FOR_FOUR
                sum[i][j][q] *= alpha;
    }
    if (!from_c && beta != 0) BY_COLUMNS(sum[i][0][q] += beta * OF_TILE(j))
    if (words && whole) {
        FOR_WORDS {
            WORD w;
            OF_C(GATHER, w, r, j, q);
            *(GLOBAL WORD *)(tile + r * 8 * PER + PER * g + COLUMN(j, q) * ldc) = w;
        }
    } else {
        BY_COLUMNS(OF_TILE(j) = sum[i][0][q])
    }
}

#endif
