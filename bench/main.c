/* clsolve-bench TABLE [options]: the measured tables of docs/performance.md, made anew on this machine. */
#include <string.h>

#include "bench.h"
#include "options.h"

static const struct {
    const char *name, *summary;
    int (*run)(const bench_options *options);
    int has_types; /* else it is in double alone */
} tables[] = {
    {"lu", "dense LU against a study's OpenCL schemes and LAPACK's dgesv", bench_lu, 1},
    {"batch-there", "LU factorizations, or --family cholesky, of members on the device, enqueued", bench_batch_there,
     1},
    {"lu-batch", "many LU factorizations and solves against a loop of LAPACK calls", bench_lu_batch, 1},
    {"cholesky", "Cholesky against LAPACK's posv, with dense LU beside it", bench_cholesky, 1},
    {"ldl", "LDL^T of a symmetric matrix against LAPACK's sysv, with dense LU beside it", bench_ldl, 1},
    {"cholesky-batch", "many small Cholesky factorizations and solves against a loop of LAPACK calls",
     bench_cholesky_batch, 1},
    {"ldl-batch", "many small LDL^T factorizations and solves against a loop of LAPACK calls", bench_ldl_batch, 1},
    {"band-cholesky", "Cholesky of a band against LAPACK's pbsv, with band LU beside it", bench_band_cholesky, 1},
    {"gauss-jordan", "Gauss-Jordan: the studies' schemes against the library's variants", bench_gauss_jordan, 0},
    {"batched", "many small inverses against a loop of LAPACK calls", bench_batched, 1},
    {"inverse", "Gauss-Jordan inverse against LAPACK's getrf and getri", bench_inverse, 1},
    {"band", "band LU over n, half-bandwidth and block order against LAPACK's gbtrf; overlap of copies", bench_band, 1},
    {"block-gs", "block-tridiagonal systems: the study's tables, an iteration, time to 1e-10", bench_block_gs, 0},
    {"peers", "each family on several devices and through NVIDIA's own libraries, side by side", bench_peers, 1},
    {"sparse", "sparse systems of any pattern on the host, beside KLU, UMFPACK, CHOLMOD and MUMPS; with -d on devices",
     bench_sparse, 0},
    {"sparse-batch", "many sparse matrices of one pattern against KLU's refactorization and solve on all cores",
     bench_sparse_batch, 0},
    {"many", "dense LU over several devices beside one, and cusolverMgGetrf", bench_many, 0},
    {"auto", "what the library chooses by itself, beside each choice by name and LAPACK", bench_auto, 0}};
enum { TABLES = sizeof tables / sizeof *tables };

static int usage(const char *what) {
    fprintf(stderr, "clsolve-bench: %s; the tables:", what);
    for (int t = 0; t < TABLES; ++t) fprintf(stderr, " %s", tables[t].name);
    fprintf(stderr, "; see --help\n");
    return 2;
}

static int run(const char *name, const bench_options *options) {
    for (int t = 0; t < TABLES; ++t)
        if (strcmp(name, tables[t].name) == 0) {
            if (options->type != CLSOLVE_F64 && !tables[t].has_types) return usage("this table is in f64 alone");
            return tables[t].run(options);
        }
    return usage("there is no such table");
}

int main(int argc, const char **argv) {
    bench_given given;
    const char *wrong = bench_given_read(argc, argv, &given);
    int code = wrong ? usage(wrong) : run(given.table, &given.options);
    bench_given_free(&given);
    return code;
}
