/*
 * equilibrate.cl: rows and columns brought to about the same size: A becomes diag(r) A diag(c).
 *
 * row_measures     the largest |a(i,j)| and the sum of |a(i,j)| * 2^-16 of each row (the factor keeps it finite), over
 *                  the columns of one slab, joined with `more` to what is there; LS x SIDES work-items of ROWS rows
 *                  each: on a GPU ROWS is 1, neighbours are on neighbouring rows and the sides share the columns, which
 *                  2 LS SIDES elements of local memory bring together; on a CPU LS and SIDES are 1 and the loop over
 *                  ROWS is what the compiler vectorises.
 * column_largest   the largest |a(i,j)| r(i) of each column, LEAST where it underflows; LS work-items and LS elements
 *                  of local memory a column.
 * scale_to         T(i,j) = a(i,j) c(j) r(i); T may be A itself or, narrowed, of type OUT. ACROSS x 1 work-items,
 *                  dimension 0 along rows, a group goes on to column + GROUPS(1). c(j) comes first: it is 1 or more
 *                  where rows are scaled, a(i,j) c(j) is about 1 / r(i) at most, and a(i,j) r(i) may underflow.
 * scale_rows       b(i,j) = b(i,j) v(i); the same shape.
 * row_residual     r = r - A x, one vector: as row_measures on a GPU, a work-item on one row; LS SIDES elements of
 *                  local memory.
 */
#ifndef LS
#define LS 32
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef SIDES
#define SIDES 1
#endif
#define SMALL ((REAL)1.52587890625e-05f) /* 2^-16 */
#if CLS_DOUBLE
#define LEAST ((REAL)2.2250738585072014e-308) /* normal number */
#else
#define LEAST ((REAL)1.17549435e-38f)
#endif
#ifndef OUT
#define OUT REAL
#endif
#ifndef ACROSS
#define ACROSS 32
#endif

KERNEL WORK_GROUP(LS, SIDES, 1) void row_measures(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows,
                                                  idx_t cols, int more, GLOBAL REAL *largest, GLOBAL REAL *sums) {
    REAL most[ROWS], sum[ROWS];
    const idx_t side = LOCAL_ID(1);
#if SIDES > 1
    LOCAL_ARRAY(REAL, side_most, LS * SIDES);
    LOCAL_ARRAY(REAL, side_sum, LS * SIDES);
#endif
    const idx_t first = GROUP_ID(0) * LS * ROWS + LOCAL_ID(0);
    const idx_t left = rows - first;
    const int mine = (int)(left >= LS * (ROWS - 1) + 1 ? ROWS : left <= 0 ? 0 : (left + LS - 1) / LS);

    for (int r = 0; r < mine; ++r) {
        most[r] = more && side == 0 ? largest[first + r * LS] : 0;
        sum[r] = more && side == 0 ? sums[first + r * LS] : 0;
    }
    for (idx_t j = side; j < cols; j += SIDES) {
        GLOBAL const ELEMENT *column = A + (offset + j * ld + first);
        for (int r = 0; r < mine; ++r) {
            const ELEMENT at = column[r * LS];
            const REAL a = LARGER_PART(at);
            most[r] = a > most[r] ? a : most[r];
            sum[r] += MODULUS_BY(at, SMALL);
        }
    }
#if SIDES > 1
    side_most[LOCAL_ID(0) + side * LS] = mine > 0 ? most[0] : 0;
    side_sum[LOCAL_ID(0) + side * LS] = mine > 0 ? sum[0] : 0;
    LOCAL_BARRIER();
    if (side > 0 || mine == 0) return;
    for (int s = 1; s < SIDES; ++s) {
        const REAL a = side_most[LOCAL_ID(0) + s * LS];
        most[0] = a > most[0] ? a : most[0];
        sum[0] += side_sum[LOCAL_ID(0) + s * LS];
    }
#endif
    for (int r = 0; r < mine; ++r) {
        largest[first + r * LS] = most[r];
        sums[first + r * LS] = sum[r];
    }
}

KERNEL WORK_GROUP(LS, 1, 1) void column_largest(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                                idx_t first_column, GLOBAL const REAL *r, GLOBAL REAL *largest) {
    LOCAL_ARRAY(REAL, lane, LS);
    const idx_t lid = LOCAL_ID(0);

    for (idx_t j = GROUP_ID(0); j < cols; j += GROUPS(0)) {
        GLOBAL const ELEMENT *column = A + (offset + j * ld);
        REAL most = 0;
        for (idx_t i = lid; i < rows; i += LS) {
            const REAL size = LARGER_PART(column[i]), a = size * r[i];
            most = a > most ? a : most;
            most = size > 0 && LEAST > most ? LEAST : most;
        }
        lane[lid] = most;
        BARRIER();
        for (int step = LS / 2; step > 0; step /= 2) {
            if (lid < step && lane[lid + step] > lane[lid]) lane[lid] = lane[lid + step];
            BARRIER();
        }
        if (lid == 0) largest[first_column + j] = lane[0];
        BARRIER();
    }
}

KERNEL WORK_GROUP(ACROSS, 1, 1) void scale_to(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                              idx_t first_column, GLOBAL const REAL *r, GLOBAL const REAL *c,
                                              GLOBAL OUT *T, idx_t t_offset, idx_t t_ld) {
    const idx_t i = GROUP_ID(0) * ACROSS + LOCAL_ID(0);
    if (i >= rows) return;
    const REAL row = r[i];
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1))
        STORE_AS(OUT, T, t_offset + i + j * t_ld, BY_REAL(BY_REAL(A[offset + i + j * ld], c[first_column + j]), row));
}

KERNEL WORK_GROUP(ACROSS, 1, 1) void scale_rows(GLOBAL ELEMENT *B, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                                GLOBAL const REAL *v) {
    const idx_t i = GROUP_ID(0) * ACROSS + LOCAL_ID(0);
    if (i >= rows) return;
    for (idx_t j = GROUP_ID(1); j < cols; j += GROUPS(1)) {
        const REAL factor = v[i];
        B[offset + i + j * ld] = BY_REAL(B[offset + i + j * ld], factor);
    }
}

KERNEL WORK_GROUP(LS, SIDES, 1) void row_residual(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows,
                                                  idx_t cols, GLOBAL const ELEMENT *X, idx_t x_offset,
                                                  GLOBAL ELEMENT *R, idx_t r_offset) {
    LOCAL_ARRAY(ELEMENT, part, LS * SIDES);
    const idx_t lid = LOCAL_ID(0), side = LOCAL_ID(1), i = GROUP_ID(0) * LS + lid;
    ELEMENT sum = ZERO;

    for (idx_t j = side; i < rows && j < cols; j += SIDES) ADD_PRODUCT(sum, A[offset + i + j * ld], X[x_offset + j]);
    part[lid + side * LS] = sum;
    LOCAL_BARRIER();
    if (side == 0 && i < rows) {
        for (int s = 1; s < SIDES; ++s) ADD(sum, part[lid + s * LS]);
        R[r_offset + i] = MINUS(R[r_offset + i], sum);
    }
}
