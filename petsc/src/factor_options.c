/*
 * factor_options.c: the options of -pc_factor_mat_solver_type clsolve, and what -ksp_view prints of a factor.
 */
#include "factor.h"

#if !CLSOLVE_PETSC_OTHER_SCALARS

/* The method of a factor whose options name none. Options that no sparse method has leave AUTO, which looks for one
 * that has them. */
static PetscErrorCode MethodFind(Mat A, const ClsolveFactor *factor, PetscInt *method) {
    const clsolve_solver_options *o = &factor->options;
    PetscBool known, definite;
    PetscFunctionBegin;
    PetscCall(MatIsSPDKnown(A, &known, &definite));
    definite = known && definite ? PETSC_TRUE : PETSC_FALSE;
    *method = CLSOLVE_METHOD_AUTO;
    if (!factor->cholesky && o->order) *method = CLSOLVE_METHOD_SPARSE_LU;
    if (!factor->cholesky) PetscFunctionReturn(0);
    if (factor->dense)
        *method = definite ? CLSOLVE_METHOD_CHOLESKY : CLSOLVE_METHOD_LDL;
    else if (o->order || (!o->equilibrate && !o->refine && !o->block && !o->panel && !o->pivoting &&
                          o->precision != CLSOLVE_PRECISION_MIXED))
        *method = definite ? CLSOLVE_METHOD_SPARSE_CHOLESKY : CLSOLVE_METHOD_SPARSE_LDL;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveFactorOptions(Mat F, Mat A, ClsolveFactor *factor) {
    /* By number, as clsolve_method. */
    static const char *const methods[] = {"auto",     "lu",        "gauss-jordan",    "band", "block-gs",
                                          "cholesky", "sparse-lu", "sparse-cholesky", "ldl",  "sparse-ldl"};
    static const char *const orders[] = {"auto", "amd", "metis", "natural", "nested"};
    static const char *const precisions[] = {"auto", "mixed", "working"};
    static const char *const panels[] = {"auto", "native", "hybrid"};
    /* By number, as clsolve_pivoting; the library refuses tournament. */
    static const char *const pivotings[] = {"auto", "partial", "none", "tournament", "rbt"};
    static const char *const places[] = {"auto", "device", "host"};
    const char *prefix, *of_F;
    PetscInt method = CLSOLVE_METHOD_AUTO, precision = 0, panel = 0, pivoting = 0, where = 0, block = 0, nrhs = 1,
             order = 0;
    PetscReal memory = 0;
    PetscBool equilibrate = PETSC_FALSE, refine = PETSC_FALSE, named = PETSC_FALSE;
    PetscFunctionBegin;
    if (factor->options_read) PetscFunctionReturn(0);
    factor->options_read = PETSC_TRUE;
    PetscCall(MatGetOptionsPrefix(A, &prefix));
    PetscCall(MatGetOptionsPrefix(F, &of_F));
    if (of_F) prefix = of_F;

    PetscOptionsBegin(PetscObjectComm((PetscObject)F), prefix, "Options of clsolve's LU", "Mat");
    PetscCall(PetscOptionsString("-mat_clsolve_device", CLSOLVE_PETSC_DEVICE_HELP, "MATSOLVERCLSOLVE", factor->device,
                                 factor->device, sizeof factor->device, NULL));
    PetscCall(PetscOptionsEList("-mat_clsolve_method", "Method; band reorders the matrix where that saves work",
                                "MATSOLVERCLSOLVE", methods, 10, methods[method], &method, &named));
    PetscCall(PetscOptionsEList("-mat_clsolve_order", "Order of elimination of the sparse methods", "MATSOLVERCLSOLVE",
                                orders, 5, orders[order], &order, NULL));
    PetscCall(PetscOptionsEList("-mat_clsolve_precision", "Factors in double, or in float and refined (mixed)",
                                "MATSOLVERCLSOLVE", precisions, 3, precisions[precision], &precision, NULL));
    PetscCall(PetscOptionsEList("-mat_clsolve_panel", "Panels on the device (native) or by LAPACK on the host (hybrid)",
                                "MATSOLVERCLSOLVE", panels, 3, panels[panel], &panel, NULL));
    PetscCall(PetscOptionsEList("-mat_clsolve_pivoting", "Pivoting", "MATSOLVERCLSOLVE", pivotings, 5,
                                pivotings[pivoting], &pivoting, NULL));
    PetscCall(PetscOptionsEList("-mat_clsolve_where", "On the device or on the host", "MATSOLVERCLSOLVE", places, 3,
                                places[where], &where, NULL));
    PetscCall(PetscOptionsInt("-mat_clsolve_block", "Columns in a block; 0: chosen", "MATSOLVERCLSOLVE", block, &block,
                              NULL));
    PetscCall(PetscOptionsReal("-mat_clsolve_memory_limit", "Bytes of device memory; 0: all", "MATSOLVERCLSOLVE",
                               memory, &memory, NULL));
    PetscCall(PetscOptionsInt("-mat_clsolve_nrhs", "Right-hand sides expected of each factorization",
                              "MATSOLVERCLSOLVE", nrhs, &nrhs, NULL));
    PetscCall(PetscOptionsBool("-mat_clsolve_equilibrate", "Scale rows and columns", "MATSOLVERCLSOLVE", equilibrate,
                               &equilibrate, NULL));
    PetscCall(
        PetscOptionsBool("-mat_clsolve_refine", "Refine each solution", "MATSOLVERCLSOLVE", refine, &refine, NULL));
    PetscCall(PetscOptionsBool("-mat_clsolve_error_if_failure", "A failure is an error at once, on its process alone",
                               "MATSOLVERCLSOLVE", factor->raise, &factor->raise, NULL));
    PetscOptionsEnd();

    factor->options.order = (clsolve_sparse_order)order;
    factor->options.precision = (clsolve_precision)precision;
    factor->options.panel = (clsolve_panel)panel;
    factor->options.pivoting = (clsolve_pivoting)pivoting;
    factor->options.where = (clsolve_where)where;
    factor->options.block = (int32_t)block;
    factor->options.memory_limit = (int64_t)memory;
    factor->options.nrhs = nrhs;
    factor->options.equilibrate = equilibrate ? 1 : 0;
    factor->options.refine = refine ? 1 : 0;
    if (!named || (order && method == CLSOLVE_METHOD_AUTO)) PetscCall(MethodFind(A, factor, &method));
    factor->options.method = (clsolve_method)method;
    PetscFunctionReturn(0);
}

int ClsolveFactorAnalysis(const ClsolveFactor *factor, clsolve_sparse_analysis *analysis) {
    const clsolve_method method = factor->report.method;
    return factor->solver &&
           (method == CLSOLVE_METHOD_SPARSE_LU || method == CLSOLVE_METHOD_SPARSE_CHOLESKY ||
            method == CLSOLVE_METHOD_SPARSE_LDL) &&
           clsolve_solver_sparse_analysis(factor->solver, analysis) == CLSOLVE_OK;
}

static PetscErrorCode AnalysisPrint(const clsolve_sparse_analysis *analysis, PetscViewer viewer) {
    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "order %s, entries of the factors %.0f, operations %.3g, delayed pivots %lld\n", analysis->order,
        analysis->factor_entries, analysis->operations, (long long)analysis->delayed));
    if (analysis->fronts > 0)
        PetscCall(PetscViewerASCIIPrintf(viewer, "fronts %lld, rows of the largest %lld, levels %lld\n",
                                         (long long)analysis->fronts, (long long)analysis->largest_front,
                                         (long long)analysis->levels));
    else
        PetscCall(PetscViewerASCIIPrintf(viewer, "diagonal blocks %lld, rows of the largest %lld\n",
                                         (long long)analysis->blocks, (long long)analysis->largest_block));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveFactorPrint(const ClsolveFactor *factor, PetscViewer viewer) {
    const clsolve_report *report = &factor->report.report;
    clsolve_sparse_analysis analysis;
    char device[CLSOLVE_PETSC_TEXT];
    PetscFunctionBegin;
    if (factor->context) {
        PetscCall(ClsolveContextDescribe(factor->context, device));
        PetscCall(PetscViewerASCIIPrintf(viewer, "clsolve: device %s\n", device));
    }
    if (factor->failure[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "no factors: %s\n", factor->failure));
    if (factor->report.name) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "method %s: %s\n", factor->report.name, factor->report.reason));
        if (factor->report.method == CLSOLVE_METHOD_BAND)
            PetscCall(PetscViewerASCIIPrintf(viewer, "diagonals below %lld, above %lld%s, block %lld\n",
                                             (long long)factor->report.lower, (long long)factor->report.upper,
                                             factor->report.reordered ? " (reordered)" : "",
                                             (long long)report->band.block));
        if (ClsolveFactorAnalysis(factor, &analysis)) PetscCall(AnalysisPrint(&analysis, viewer));
        if (factor->report.iteration[0])
            PetscCall(PetscViewerASCIIPrintf(viewer, "iteration %s\n", factor->report.iteration));
        PetscCall(PetscViewerASCIIPrintf(viewer, "precision %s, on the %s\n",
                                         report->precision ? report->precision : "?",
                                         report->where ? report->where : "device"));
        PetscCall(PetscViewerASCIIPrintf(viewer, "device memory %lld bytes, host memory %lld bytes\n",
                                         (long long)report->device_bytes, (long long)report->host_bytes));
    }
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "analyses %" PetscInt_FMT ", factorizations %" PetscInt_FMT ", right-hand sides %" PetscInt_FMT "\n",
        factor->analyses, factor->factorizations, factor->solves));
    PetscFunctionReturn(0);
}

#endif
