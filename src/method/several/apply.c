/* apply.c: what a block column of L or of U does to the columns of B that a device has. */
#include "method/several/several.h"

static clsolve_status triangle(cls_several_part *part, clsolve_op op, int64_t b, cls_ref at, int64_t c, int64_t run) {
    cls_lu *lu = &part->lu;
    const cls_several *several = part->several;
    const int64_t j = cls_several_column(several, b);
    const cls_ref T = several->half == CLS_LOWER_UNIT ? at : cls_ref_at(at, j, 0);
    return cls_trsm(lu->device, CLS_BLAS_DEFAULT, lu->type, several->half, op, cls_several_width(several, b), run, T,
                    cls_matrix_at(&lu->B, j, c));
}

/* Applies the part off the diagonal: for A its rows of B receive, for A^T they give. */
static clsolve_status off_diagonal(cls_several_part *part, clsolve_op op, int64_t b, cls_ref at, int64_t c,
                                   int64_t run) {
    cls_lu *lu = &part->lu;
    const cls_several *several = part->several;
    const int64_t j = cls_several_column(several, b), width = cls_several_width(several, b),
                  lower = several->half == CLS_LOWER_UNIT;
    const int64_t first = lower ? j + width : 0, rows = lower ? several->n - first : j;
    const cls_ref rest = lower ? cls_ref_at(at, width, 0) : at;

    if (rows == 0) return CLSOLVE_OK;
    const cls_ref mine = cls_matrix_at(&lu->B, j, c), others = cls_matrix_at(&lu->B, first, c);
    if (op == CLSOLVE_NO_TRANS)
        return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, op, CLSOLVE_NO_TRANS, rows, run, width, -1.0, rest,
                        mine, 1.0, others);
    return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, op, CLSOLVE_NO_TRANS, width, run, rows, -1.0, rest, others,
                    1.0, mine);
}

static clsolve_status move(cls_several_part *part, clsolve_op op, int64_t b) {
    cls_lu *lu = &part->lu;
    const int64_t j = cls_several_column(part->several, b), end = cls_several_column(part->several, b + 1);
    return cls_panel_move_rows(&lu->panel, CLS_COMPUTE, &lu->B, 0, part->sides, part->sides, 0, j, end,
                               op != CLSOLVE_NO_TRANS);
}

clsolve_status cls_several_apply(cls_several_part *part, clsolve_op op, int64_t b, cls_ref at) {
    const int lower = part->several->half == CLS_LOWER_UNIT, plain = op == CLSOLVE_NO_TRANS;

    if (lower && plain) CLS_TRY(move(part, op, b));
    for (int64_t c = 0, run; c < part->sides; c += run) {
        run = cls_matrix_run(&part->lu.B, c, part->sides);
        if (!plain) CLS_TRY(off_diagonal(part, op, b, at, c, run));
        CLS_TRY(triangle(part, op, b, at, c, run));
        if (plain) CLS_TRY(off_diagonal(part, op, b, at, c, run));
    }
    return lower && !plain ? move(part, op, b) : CLSOLVE_OK;
}
