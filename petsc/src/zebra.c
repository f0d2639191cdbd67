/*
 * zebra.c: -pc_type clsolvezebra, line relaxation in two colours ("zebra", red-black block Gauss-Seidel).
 *
 *     for each colour c, red first:   y_c := y_c + T_c^-1 (b_c - A_c y)
 *
 * A_c holds the rows of the colour's lines. T_c has the tridiagonal couplings within these lines, factored on the
 * device (tridiagonal_batch.h). MatMult with A_c fetches from other processes what these rows need: on a slab of a grid
 * of two dimensions one line of each neighbour. Any couplings between lines work; lines of one colour are solved at
 * once, also where they are coupled (corners of a box in three dimensions).
 */
#include "plugin.h"

#include <math.h>

#if !CLSOLVE_PETSC_OTHER_SCALARS

typedef struct {
    PetscInt lines;  /* of this colour on this process */
    PetscInt *index; /* local row of unknown k of the colour's line i: index[i * length + k] */
    Mat A;           /* the rows of the colour */
    Vec r;           /* b_c - A_c y, line after line */
    clsolve_tridiagonal_batch *T;
    int64_t *info;
} Colour;

typedef struct {
    char device[CLSOLVE_PETSC_SELECTOR];
    PetscInt along;  /* 0: the first direction that is not divided; 1, 2, 3: x, y, z */
    PetscInt length; /* of a line, for matrices without a DMDA; 0: not given */
    PetscInt sweeps;
    PetscInt first;      /* colour that a sweep begins with */
    PetscBool symmetric; /* a sweep ends with that colour too */
    PC twin;             /* another such PC with the same matrix and lines, whose colours this one uses; NULL: none */
    clsolve_context *context;
    ClsolveLines lines;
    Colour colours[2];
    PetscObjectId matrix;     /* the one that A_c were taken from, */
    PetscObjectState pattern; /* and the state of its nonzeros then */
    PetscBool ready, failed;
    PetscInt solves; /* half-sweeps */
} Zebra;

static PetscErrorCode ZebraReset(Zebra *zebra) {
    PetscFunctionBegin;
    for (int c = 0; c < 2; ++c) {
        Colour *colour = &zebra->colours[c];
        clsolve_tridiagonal_batch_destroy(colour->T);
        colour->T = NULL;
        PetscCall(MatDestroy(&colour->A));
        PetscCall(VecDestroy(&colour->r));
        PetscCall(PetscFree(colour->index));
        PetscCall(PetscFree(colour->info));
        colour->lines = 0;
    }
    PetscCall(ClsolveLinesDestroy(&zebra->lines));
    PetscCall(ClsolveContextRestore(&zebra->context));
    zebra->ready = PETSC_FALSE;
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraDestroy(void *data) {
    Zebra *zebra = (Zebra *)data;
    PetscFunctionBegin;
    PetscCall(ZebraReset(zebra));
    PetscCall(PCDestroy(&zebra->twin));
    PetscCall(PetscFree(zebra));
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraOptions(PC pc, ClsolveOptionItems PetscOptionsObject) {
    static const char *const colours[] = {"red", "black"}, *const directions[] = {"auto", "x", "y", "z"};
    Zebra *zebra;
    PetscInt length;
    PetscBool set[2];
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    length = zebra->length;
    PetscOptionsHeadBegin(PetscOptionsObject, "Options of clsolve's zebra");
    PetscCall(PetscOptionsString("-pc_clsolvezebra_device", CLSOLVE_PETSC_DEVICE_HELP, "PCCLSOLVEZEBRA", zebra->device,
                                 zebra->device, sizeof zebra->device, &set[0]));
    PetscCall(PetscOptionsEList("-pc_clsolvezebra_lines",
                                "Direction of the lines on a DMDA; auto: one that is not divided", "PCCLSOLVEZEBRA",
                                directions, 4, directions[zebra->along], &zebra->along, &set[1]));
    PetscCall(PetscOptionsInt("-pc_clsolvezebra_line_length", "Rows of a line, without a DMDA",
                              "PCClsolveSetLineLength", zebra->length, &zebra->length, NULL));
    PetscCall(PetscOptionsInt("-pc_clsolvezebra_sweeps", "Sweeps of one application", "PCCLSOLVEZEBRA", zebra->sweeps,
                              &zebra->sweeps, NULL));
    PetscCheck(zebra->sweeps > 0, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_clsolvezebra_sweeps is %" PetscInt_FMT ": 1 at least", zebra->sweeps);
    PetscCall(PetscOptionsEList("-pc_clsolvezebra_first", "Colour that a sweep begins with", "PCCLSOLVEZEBRA", colours,
                                2, colours[zebra->first], &zebra->first, NULL));
    PetscCall(PetscOptionsBool("-pc_clsolvezebra_symmetric", "A sweep is red, black, red, as CG needs it",
                               "PCCLSOLVEZEBRA", zebra->symmetric, &zebra->symmetric, NULL));
    PetscOptionsHeadEnd();
    if (set[0] || set[1] || length != zebra->length) zebra->ready = PETSC_FALSE; /* what was set up may not fit */
    PetscFunctionReturn(0);
}

/* ---- setting up ---- */

/* The rows of each colour, in the order of the lines. */
static PetscErrorCode ColoursCreate(Zebra *zebra) {
    const ClsolveLines *lines = &zebra->lines;
    PetscFunctionBegin;
    for (PetscInt i = 0; i < lines->count; ++i) ++zebra->colours[lines->colour[i]].lines;
    for (int c = 0; c < 2; ++c) {
        PetscCall(PetscMalloc1(PetscMax(zebra->colours[c].lines * lines->length, 1), &zebra->colours[c].index));
        PetscCall(PetscMalloc1(PetscMax(zebra->colours[c].lines, 1), &zebra->colours[c].info));
        zebra->colours[c].lines = 0;
    }
    for (PetscInt i = 0; i < lines->count; ++i) {
        Colour *colour = &zebra->colours[lines->colour[i]];
        PetscCall(PetscArraycpy(colour->index + colour->lines * lines->length, lines->index + i * lines->length,
                                lines->length));
        ++colour->lines;
    }
    PetscFunctionReturn(0);
}

/* A_c: at first, or with new values in the old pattern. */
static PetscErrorCode ColourRows(Zebra *zebra, Colour *colour, Mat A, MatReuse reuse) {
    const PetscInt rows = colour->lines * zebra->lines.length;
    PetscInt first, first_column, end_column, *global;
    IS of_rows, of_columns;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, NULL));
    PetscCall(MatGetOwnershipRangeColumn(A, &first_column, &end_column));
    PetscCall(PetscMalloc1(PetscMax(rows, 1), &global));
    for (PetscInt r = 0; r < rows; ++r) global[r] = first + colour->index[r];
    PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)A), rows, global, PETSC_OWN_POINTER, &of_rows));
    PetscCall(ISCreateStride(PetscObjectComm((PetscObject)A), end_column - first_column, first_column, 1, &of_columns));
    PetscCall(MatCreateSubMatrix(A, of_rows, of_columns, reuse, &colour->A));
    PetscCall(ISDestroy(&of_rows));
    PetscCall(ISDestroy(&of_columns));
    if (!colour->r) PetscCall(MatCreateVecs(colour->A, NULL, &colour->r));
    PetscFunctionReturn(0);
}

/* The tridiagonal parts: dl, d and du have an element for each row of the colour. */
static PetscErrorCode ColourTridiagonal(const Zebra *zebra, const Colour *colour, Mat A, double *dl, double *d,
                                        double *du) {
    const PetscInt length = zebra->lines.length, rows = colour->lines * length;
    PetscInt first;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, NULL));
    for (PetscInt r = 0; r < rows; ++r) {
        const PetscInt k = r % length, here = first + colour->index[r];
        const PetscInt before = k > 0 ? first + colour->index[r - 1] : -1;
        const PetscInt behind = k + 1 < length ? first + colour->index[r + 1] : -1;
        const PetscInt *columns;
        const PetscScalar *values;
        PetscInt entries;
        dl[r] = d[r] = du[r] = 0;
        PetscCall(MatGetRow(A, here, &entries, &columns, &values));
        for (PetscInt e = 0; e < entries; ++e) {
            if (columns[e] == here) d[r] += values[e];
            if (columns[e] == before) dl[r] += values[e];
            if (columns[e] == behind) du[r] += values[e];
        }
        PetscCall(MatRestoreRow(A, here, &entries, &columns, &values));
    }
    PetscFunctionReturn(0);
}

/* Factors the lines of a colour. *singular counts lines without an inverse. */
static PetscErrorCode ColourFactor(Zebra *zebra, Colour *colour, Mat A, clsolve_status *status,
                                   char message[CLSOLVE_PETSC_TEXT], PetscInt *singular) {
    const PetscInt length = zebra->lines.length, rows = colour->lines * length;
    double *bands[3];
    clsolve_batch DL, D, DU;
    PetscFunctionBegin;
    if (rows == 0) PetscFunctionReturn(0);
    PetscCall(PetscMalloc3(rows, &bands[0], rows, &bands[1], rows, &bands[2]));
    PetscCall(ColourTridiagonal(zebra, colour, A, bands[0], bands[1], bands[2]));
    DL = clsolve_batch_f64(colour->lines, length, 1, bands[0]);
    D = clsolve_batch_f64(colour->lines, length, 1, bands[1]);
    DU = clsolve_batch_f64(colour->lines, length, 1, bands[2]);
    *status = CLSOLVE_OK;
    if (!colour->T)
        *status =
            clsolve_tridiagonal_batch_create(zebra->context, length, colour->lines, CLSOLVE_F64, NULL, &colour->T);
    if (*status == CLSOLVE_OK) *status = clsolve_tridiagonal_batch_factor(colour->T, &DL, &D, &DU, colour->info);
    if (*status != CLSOLVE_OK) ClsolveMessage(zebra->context, *status, message);
    for (PetscInt i = 0; *status == CLSOLVE_OK && i < colour->lines; ++i) *singular += colour->info[i] != 0;
    PetscCall(PetscFree3(bands[0], bands[1], bands[2]));
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraSetUp(PC pc) {
    Zebra *zebra;
    Mat A;
    PetscObjectId matrix;
    PetscObjectState pattern;
    PetscInt singular = 0, all_singular;
    MatReuse reuse;
    clsolve_status status = CLSOLVE_OK;
    char message[CLSOLVE_PETSC_TEXT] = "";
    const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    if (zebra->twin) {
        PetscCall(PCSetUp(zebra->twin));
        PetscCall(ZebraReset(zebra));
        PetscFunctionReturn(0);
    }
    PetscCall(PCGetOperators(pc, NULL, &A));
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.zebra_setup, pc, A, 0, 0));
    PetscCall(MatGetNonzeroState(A, &pattern));
    PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
    reuse =
        zebra->ready && matrix == zebra->matrix && pattern == zebra->pattern ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    zebra->failed = PETSC_FALSE;
    PetscCall(PCSetFailedReason(pc, PC_NOERROR)); /* of the matrix before */
    if (reuse == MAT_INITIAL_MATRIX) {
        PetscCall(ZebraReset(zebra));
        PetscCall(
            ClsolveLinesCreate(pc, A, zebra->length, zebra->along ? (char)('w' + zebra->along) : '\0', &zebra->lines));
        PetscCall(ColoursCreate(zebra));
        PetscCall(ClsolveContextGet(zebra->device, &zebra->context, &status, message));
        PetscCall(ClsolveAgree(comm, status, message));
    }
    for (int c = 0; c < 2; ++c) PetscCall(ColourRows(zebra, &zebra->colours[c], A, reuse));
    for (int c = 0; c < 2 && status == CLSOLVE_OK; ++c)
        PetscCall(ColourFactor(zebra, &zebra->colours[c], A, &status, message, &singular));
    PetscCall(ClsolveAgree(comm, status, message));
    zebra->ready = PETSC_TRUE;
    zebra->matrix = matrix;
    zebra->pattern = pattern;
    PetscCallMPI(MPI_Allreduce(&singular, &all_singular, 1, MPIU_INT, MPI_SUM, comm));
    if (all_singular) {
        PetscCall(PetscInfo(pc, "%" PetscInt_FMT " lines are singular by themselves\n", all_singular));
        PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
    }
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.zebra_setup, pc, A, 0, 0));
    PetscFunctionReturn(0);
}

/* ---- sweeps ---- */

/*
 * One half-sweep. `y` counts as zero if `zero` is set. A device that fails makes Inf of this process's part, which all
 * processes see in their norms: the sweep itself is collective, so no process may leave it.
 */
static PetscErrorCode HalfSweep(Zebra *zebra, Colour *colour, Vec b, Vec y, PetscBool zero) {
    const PetscInt length = zebra->lines.length, rows = colour->lines * length;
    const PetscScalar *of_b;
    PetscScalar *r, *of_y;
    clsolve_status status = CLSOLVE_OK;
    PetscFunctionBegin;
    if (zero)
        PetscCall(VecSet(colour->r, 0.0));
    else
        PetscCall(MatMult(colour->A, y, colour->r));
    PetscCall(VecGetArrayRead(b, &of_b));
    PetscCall(VecGetArray(colour->r, &r));
    PetscCall(VecGetArray(y, &of_y));
    for (PetscInt i = 0; i < rows; ++i) r[i] = of_b[colour->index[i]] - r[i];
    if (rows > 0) {
        clsolve_batch R = clsolve_batch_f64(colour->lines, length, 1, r);
        status = clsolve_tridiagonal_batch_solve(colour->T, CLSOLVE_NO_TRANS, &R, colour->info);
    }
    for (PetscInt i = 0; i < rows; ++i) {
        const PetscBool fine = status == CLSOLVE_OK && colour->info[i / length] == 0 ? PETSC_TRUE : PETSC_FALSE;
        of_y[colour->index[i]] = fine ? of_y[colour->index[i]] + r[i] : (PetscScalar)INFINITY;
    }
    PetscCall(VecRestoreArrayRead(b, &of_b));
    PetscCall(VecRestoreArray(colour->r, &r));
    PetscCall(VecRestoreArray(y, &of_y));
    PetscCall(PetscLogFlops(10.0 * (PetscLogDouble)rows));
    ++zebra->solves;
    if (status < 0 && !zebra->failed) {
        char message[CLSOLVE_PETSC_TEXT];
        zebra->failed = PETSC_TRUE;
        ClsolveMessage(zebra->context, status, message);
        PetscCall(ClsolveSay(message));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraSweeps(PC pc, Vec b, Vec y, PetscInt sweeps, PetscBool zero) {
    Zebra *zebra, *lines;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    lines = zebra;
    if (zebra->twin) PetscCall(ClsolveShellGet(zebra->twin, &lines));
    Colour *const first = &lines->colours[zebra->first], *const second = &lines->colours[1 - zebra->first];
    PetscCall(PetscLogEventBegin(clsolve_petsc_events.zebra_sweep, pc, b, y, 0));
    if (zero) PetscCall(VecSet(y, 0.0));
    for (PetscInt s = 0; s < sweeps; ++s) {
        PetscCall(HalfSweep(lines, first, b, y, zero && s == 0 ? PETSC_TRUE : PETSC_FALSE));
        PetscCall(HalfSweep(lines, second, b, y, PETSC_FALSE));
        if (zebra->symmetric) PetscCall(HalfSweep(lines, first, b, y, PETSC_FALSE));
    }
    if (lines->failed) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR)); /* KSP asks all processes when it meets Inf */
    PetscCall(PetscLogEventEnd(clsolve_petsc_events.zebra_sweep, pc, b, y, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraApply(PC pc, Vec b, Vec y) {
    Zebra *zebra;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    PetscCall(ZebraSweeps(pc, b, y, zebra->sweeps, PETSC_TRUE));
    PetscFunctionReturn(0);
}

/* Richardson's iteration with this preconditioner is the sweeps themselves: no residual between them. */
static PetscErrorCode ZebraApplyRichardson(PC pc, Vec b, Vec y, Vec work, PetscReal rtol, PetscReal abstol,
                                           PetscReal dtol, PetscInt iterations, PetscBool zero, PetscInt *done,
                                           PCRichardsonConvergedReason *reason) {
    Zebra *zebra;
    PetscFunctionBegin;
    (void)work;
    (void)rtol;
    (void)abstol;
    (void)dtol;
    PetscCall(ClsolveShellGet(pc, &zebra));
    PetscCall(ZebraSweeps(pc, b, y, iterations * zebra->sweeps, zero));
    *done = iterations;
    *reason = PCRICHARDSON_CONVERGED_ITS;
    PetscFunctionReturn(0);
}

/* ---- the rest ---- */

static PetscErrorCode ZebraView(PC pc, PetscViewer viewer) {
    Zebra *zebra;
    PetscBool ascii;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (!ascii) PetscFunctionReturn(0);
    PetscCall(ClsolveShellGet(pc, &zebra));
    PetscCall(PetscViewerASCIIPrintf(viewer, "sweeps %" PetscInt_FMT ", each %s, %s%s\n", zebra->sweeps,
                                     zebra->first ? "black" : "red", zebra->first ? "red" : "black",
                                     zebra->symmetric ? zebra->first ? ", black" : ", red" : ""));
    if (zebra->twin) PetscCall(PetscViewerASCIIPrintf(viewer, "with the lines of the other smoother of this level\n"));
    if (zebra->ready) {
        char device[CLSOLVE_PETSC_TEXT];
        clsolve_report reports[2] = {{0}};
        PetscCall(ClsolveContextDescribe(zebra->context, device));
        for (int c = 0; c < 2; ++c)
            if (zebra->colours[c].T) (void)clsolve_tridiagonal_batch_report(zebra->colours[c].T, &reports[c]);
        PetscCall(PetscViewerASCIIPrintf(viewer, "%" PetscInt_FMT " lines along %s of %" PetscInt_FMT " unknowns\n",
                                         zebra->lines.all, zebra->lines.along, zebra->lines.length));
        PetscCall(PetscViewerASCIIPushSynchronized(viewer));
        PetscCall(PetscViewerASCIISynchronizedPrintf(
            viewer,
            "clsolve: device %s: %" PetscInt_FMT " lines, device memory %lld "
            "bytes, half-sweeps %" PetscInt_FMT "\n",
            device, zebra->lines.count, (long long)(reports[0].device_bytes + reports[1].device_bytes), zebra->solves));
        PetscCall(PetscViewerFlush(viewer));
        PetscCall(PetscViewerASCIIPopSynchronized(viewer));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode ZebraSetLineLength(PC pc, PetscInt length) {
    Zebra *zebra;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    if (length != zebra->length) zebra->ready = PETSC_FALSE;
    zebra->length = length;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveZebraSetDevice(PC pc, const char selector[]) {
    Zebra *zebra;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    PetscCall(PetscStrncpy(zebra->device, selector, sizeof zebra->device));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveZebraShare(PC pc, PC twin, PetscInt first) {
    Zebra *zebra;
    PetscFunctionBegin;
    PetscCall(ClsolveShellGet(pc, &zebra));
    zebra->first = first;
    if (twin) PetscCall(PetscObjectReference((PetscObject)twin));
    PetscCall(PCDestroy(&zebra->twin));
    zebra->twin = twin;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveZebraCreate(PC pc) {
    Zebra *zebra;
    PetscFunctionBegin;
    PetscCall(PetscNew(&zebra));
    PetscCall(PetscStrncpy(zebra->device, "auto", sizeof zebra->device));
    zebra->sweeps = 1;
    PetscCall(ClsolveShellCreate(pc, PCCLSOLVEZEBRA, zebra, ZebraDestroy, ZebraOptions));
    PetscCall(PCShellSetSetUp(pc, ZebraSetUp));
    PetscCall(PCShellSetApply(pc, ZebraApply));
    PetscCall(PCShellSetApplyRichardson(pc, ZebraApplyRichardson));
    PetscCall(PCShellSetView(pc, ZebraView));
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCClsolveSetLineLength_C", ZebraSetLineLength));
    PetscFunctionReturn(0);
}

#endif
