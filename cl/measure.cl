/*
 * measure.cl: one pass over a matrix that says where its first NaN or Inf is, its largest |a(i,j)| and its 1-norm. For
 * complex numbers it is the largest real or imaginary part, because a modulus may overflow.
 *
 *     sum(j) = sum over i of |a(i,j)| * 2^-16        norm = max over j of sum(j)
 *
 * The factor 2^-16 keeps the sum of a column of huge finite entries finite, so a sum that is not finite means an entry
 * that is not, and only then is the column searched, and those after it. `triangle`:
 *
 *     0  the whole matrix
 *     1  the largest |a(i,j)| is that of the upper triangle, the U of L\U; the sums are of whole columns all the same
 *     2  of each column the rows from the diagonal on alone, the sums and the search too
 *
 * measure: LX x LY work-items, LX along a column, a column for each of the LY; group g takes columns g * LY, then
 * g + GROUPS(0), and so on, and leaves one value of each kind. Neighbours on neighbouring rows; BUNCH sums a work-item,
 * so that a CPU's compiler has something to vectorise and a GPU loads in flight. Other loops are unrolled a little, for
 * the same; whole, they would take compilers twice the time. Local memory: LX * LY + LY elements and LY indices.
 *
 * measure_join: one group of JOIN: all groups' values into the record of 8-byte words
 *     0  first i + j * rows of a NaN or Inf, or NONE     1  largest (a REAL)     2  norm (a REAL)
 * and, with `more`, together with what is in the record already: that of the slabs before.
 *
 * lu_det, lu_mend: what is asked of factors when they are measured. A program takes a compiler long however small it
 * is, so these have none of their own.
 */
#ifndef LX
#define LX 32
#endif
#ifndef LY
#define LY 2
#endif
#define BUNCH 8
#define SMALL ((REAL)1.52587890625e-05f) /* 2^-16 */
#ifndef JOIN
#define JOIN 32
#endif

#define NONE         ((idx_t)0x7fffffffffffffff)
#define IS_FINITE(x) ((x) - (x) == 0)

/* Rows begin + lx, + LX, ... < end of a column: adds to sums[], and to largest[] where `look`. */
HELPER void look_at(GLOBAL const ELEMENT *column, idx_t begin, idx_t end, idx_t lx, int look, REAL *sums,
                    REAL *largest) {
    idx_t i = begin + lx;
    for (; i + (BUNCH - 1) * LX < end; i += BUNCH * LX)
        for (int b = 0; b < BUNCH; ++b) {
            const ELEMENT at = column[i + b * LX];
            const REAL a = LARGER_PART(at);
            sums[b] += MODULUS_BY(at, SMALL);
            if (look) largest[b] = a > largest[b] ? a : largest[b];
        }
    for (; i < end; i += LX) {
        const ELEMENT at = column[i];
        const REAL a = LARGER_PART(at);
        sums[0] += MODULUS_BY(at, SMALL);
        if (look) largest[0] = a > largest[0] ? a : largest[0];
    }
}

KERNEL WORK_GROUP(LX, LY, 1) void measure(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t rows, idx_t cols,
                                          idx_t first_column, int triangle, GLOBAL idx_t *firsts, GLOBAL REAL *largests,
                                          GLOBAL REAL *norms) {
    LOCAL_ARRAY(REAL, lane, LX * LY);
    LOCAL_ARRAY(idx_t, found, LY);
    LOCAL_ARRAY(REAL, sum_of, LY);
    const idx_t lx = LOCAL_ID(0), ly = LOCAL_ID(1), lid = lx + ly * LX;
    REAL largest[BUNCH], norm = 0;
    idx_t first = NONE, suspect = NONE;

    for (int b = 0; b < BUNCH; ++b) largest[b] = 0;
    for (idx_t base = GROUP_ID(0) * LY; base < cols; base += GROUPS(0) * LY) {
        const idx_t j = base + ly;
        GLOBAL const ELEMENT *column = A + (offset + (j < cols ? j : 0) * ld);
        REAL sums[BUNCH], sum = 0;
        for (int b = 0; b < BUNCH; ++b) sums[b] = 0;
        if (j < cols) {
            const idx_t diagonal = first_column + j + 1, end = triangle == 1 && diagonal < rows ? diagonal : rows;
            const idx_t begin = triangle == 2 ? diagonal - 1 : 0;
#pragma unroll 1
            for (int rest = 0; rest < 2; ++rest)
                look_at(column, rest ? end : begin, rest ? rows : end, lx, !rest, sums, largest);
        }
        for (int b = 0; b < BUNCH; ++b) sum += sums[b];
        lane[lid] = sum;
        BARRIER();
        if (lx == 0 && j < cols) {
#pragma unroll 8
            for (int k = 1; k < LX; ++k) sum += lane[lid + k];
            if (!IS_FINITE(sum)) suspect = suspect == NONE ? j : suspect;
            if (IS_FINITE(sum) && sum > norm) norm = sum;
        }
        BARRIER();
    }

    /* Only now, for a search inside the loop between its barriers is more than PoCL 5.0's compiler can take. */
    for (idx_t j = suspect; lx == 0 && j < cols && first == NONE; j += GROUPS(0) * LY)
#pragma unroll 1
        for (idx_t i = triangle == 2 ? first_column + j : 0; i < rows && first == NONE; ++i)
            if (!IS_FINITE_ELEMENT(A[offset + i + j * ld])) first = i + (first_column + j) * rows;

    for (int b = 1; b < BUNCH; ++b) largest[0] = largest[b] > largest[0] ? largest[b] : largest[0];
    lane[lid] = largest[0];
    if (lx == 0) {
        found[ly] = first;
        sum_of[ly] = norm;
    }
    BARRIER();
    if (lid == 0) {
        REAL most = 0;
#pragma unroll 8
        for (int k = 0; k < LX * LY; ++k) most = lane[k] > most ? lane[k] : most;
#pragma unroll 1
        for (int k = 1; k < LY; ++k) {
            first = found[k] < first ? found[k] : first;
            norm = sum_of[k] > norm ? sum_of[k] : norm;
        }
        firsts[GROUP_ID(0)] = first;
        largests[GROUP_ID(0)] = most;
        norms[GROUP_ID(0)] = norm;
    }
}

KERNEL WORK_GROUP(JOIN, 1, 1) void measure_join(GLOBAL const idx_t *firsts, GLOBAL const REAL *largests,
                                                GLOBAL const REAL *norms, idx_t groups, int more,
                                                GLOBAL idx_t *record) {
    LOCAL_ARRAY(idx_t, first, JOIN);
    LOCAL_ARRAY(REAL, largest, JOIN);
    LOCAL_ARRAY(REAL, norm, JOIN);
    GLOBAL REAL *largest_out = (GLOBAL REAL *)(record + 1), *norm_out = (GLOBAL REAL *)(record + 2);
    const idx_t lid = LOCAL_ID(0);

    idx_t where = lid == 0 && more ? record[0] : NONE;
    REAL most = lid == 0 && more ? largest_out[0] : 0, sum = lid == 0 && more ? norm_out[0] : 0;
    for (idx_t g = lid; g < groups; g += JOIN) {
        where = firsts[g] < where ? firsts[g] : where;
        most = largests[g] > most ? largests[g] : most;
        sum = norms[g] > sum ? norms[g] : sum;
    }
    first[lid] = where;
    largest[lid] = most;
    norm[lid] = sum;
    BARRIER();
    if (lid == 0) {
#pragma unroll 4
        for (int k = 1; k < JOIN; ++k) {
            where = first[k] < where ? first[k] : where;
            most = largest[k] > most ? largest[k] : most;
            sum = norm[k] > sum ? norm[k] : sum;
        }
        record[0] = where;
        largest_out[0] = most;
        norm_out[0] = sum;
    }
}

/* ---- of factors ---- */

/*
 * The determinant of P^T L U as mantissa * 2^exponent, which no order makes overflow: the product of U's diagonal, the
 * sign turned once for every row that was swapped; with `swapped` 0 the host sees to the signs.
 *
 *     det = (-1)^(number of i with ipiv(i) != i + 1) * product of u(i,i)
 *
 * The columns first .. first + cols - 1, which lie in one slab, in one launch of one group of JOIN work-items; each
 * multiplies every JOIN-th element and takes the exponent out after each. With `more` the result is joined to what
 * record holds: word 3 the exponent, from word 4 on the mantissa (an ELEMENT), 0.5 <= |mantissa| < 1 or 0, of a complex
 * one its larger part. Local memory: JOIN elements and indices. The diagonal is read with the stride ld + 1: n elements
 * out of n^2. Loops stay loops, for the compiler's time.
 */
KERNEL WORK_GROUP(JOIN, 1, 1) void lu_det(GLOBAL const ELEMENT *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                          GLOBAL const idx_t *ipiv, int swapped, int more, GLOBAL idx_t *record) {
    LOCAL_ARRAY(ELEMENT, mantissas, JOIN);
    LOCAL_ARRAY(idx_t, exponents, JOIN);
    GLOBAL ELEMENT *mantissa_out = (GLOBAL ELEMENT *)(record + 4);
    const idx_t lid = LOCAL_ID(0);
    ELEMENT mantissa = FROM_REAL(1);
    idx_t exponent = 0;
    int e;

#pragma unroll 1
    for (idx_t j = lid; j < cols; j += JOIN) {
        int own;
        const ELEMENT u = SPLIT(A[offset + first + j + j * ld], &own);
        mantissa = SPLIT(swapped && ipiv[first + j] != first + j + 1 ? TIMES(-mantissa, u) : TIMES(mantissa, u), &e);
        exponent += own + e;
    }
    mantissas[lid] = mantissa;
    exponents[lid] = exponent;
    BARRIER();
    if (lid > 0) return;
    if (more) {
        mantissa = TIMES(mantissa, mantissa_out[0]);
        exponent += record[3];
    }
#pragma unroll 1
    for (int k = 1; k < JOIN; ++k) {
        mantissa = SPLIT(TIMES(mantissa, mantissas[k]), &e);
        exponent += exponents[k] + e;
    }
    mantissa = SPLIT(mantissa, &e);
    record[3] = exponent + e;
    mantissa_out[0] = mantissa;
}

/* Zero pivots become `value`, so that the factors are those of a matrix nearby. One work-item a column. */
KERNEL WORK_GROUP(JOIN, 1, 1) void lu_mend(GLOBAL ELEMENT *A, idx_t offset, idx_t ld, idx_t first, idx_t cols,
                                           REAL value) {
    const idx_t j = GROUP_ID(0) * JOIN + LOCAL_ID(0);
    if (j < cols && IS_ZERO_ELEMENT(A[offset + first + j + j * ld])) A[offset + first + j + j * ld] = FROM_REAL(value);
}
