/*
 * The band table, host memory to host memory, random bands of half-bandwidth k = kl = ku that need pivots: seconds
 * of a factorization by LAPACK's gbtrf on all cores and by clsolve with panels on the device and on the host, over the block
 * order; the best against gbtrf; and of a window on the band, forced by a memory limit, its time against the larger of what the band
 * kept on the device takes and what its bytes take on the bus, and what of the copies it hides under the computation. On
 * several devices side by side, beside the same gbtrf.
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "link.h"

enum { MOST = 101 };

typedef struct band {
    const bench_options *options;
    const char *device;
    clsolve_context *context;
    FILE *csv;
    bench_link link;
    clsolve_type type;
    int64_t n, k;
    double gbtrf;            /* its seconds */
    void *AB, *work, *b, *x; /* plain form, 2k + 1 rows; gbtrf's, 3k + 1 */
    lapack_int *pivots;
} band;

static const char *const modes[] = {"auto", "native", "hybrid"}; /* in the order of clsolve_panel */

static int make(band *p) {
    size_t n = (size_t)p->n, rows = 2 * (size_t)p->k + 1, size = (size_t)cls_type_size(p->type);
    p->AB = malloc(n * rows * size);
    p->work = malloc(n * (rows + (size_t)p->k) * size);
    p->b = malloc(n * size);
    p->x = malloc(n * size);
    p->pivots = malloc(n * sizeof *p->pivots);
    if (!p->AB || !p->work || !p->b || !p->x || !p->pivots) return 0;
    bench_random_of(p->type, (uint64_t)(p->n + p->k), p->AB, p->n * (2 * p->k + 1));
    bench_random_of(p->type, (uint64_t)(p->n + p->k + 1), p->b, p->n);
    return 1;
}

static void discard(band *p) {
    free(p->AB);
    free(p->work);
    free(p->b);
    free(p->x);
    free(p->pivots);
}

static double work_of(const band *p) {
    return 4.0 * bench_operations(p->type) * (double)p->n * (double)p->k * (double)p->k;
}

/* ---- gbtrf ---- */

/* The copy that keeps A is inside the time, as the upload is inside ours. */
static double run_gbtrf(band *p) {
    lapack_int n = (lapack_int)p->n, k = (lapack_int)p->k;
    const int64_t rows = 2 * p->k + 1, ld = rows + p->k;
    const size_t column = (size_t)(rows * cls_type_size(p->type));
    double start = bench_seconds();
    for (int64_t j = 0; j < p->n; ++j)
        memcpy(bench_at(p->type, p->work, j * ld + p->k), bench_at(p->type, p->AB, j * rows), column);
    lapack_int info =
        BENCH_LAPACK(p->type, gbtrf_work, LAPACK_COL_MAJOR, n, n, k, k, p->work, (lapack_int)ld, p->pivots);
    return info == 0 ? bench_seconds() - start : -1;
}

static double time_gbtrf(band *p) {
    double times[MOST];
    if (run_gbtrf(p) < 0) return -1;
    for (int r = 0; r < p->options->repeat; ++r) times[r] = run_gbtrf(p);
    return bench_median(times, p->options->repeat);
}

/* ---- ours ---- */

typedef struct measured {
    double seconds; /* below 0: failed, or no memory */
    double factor,
        copy; /* of a band that is kept on the device: its computation; its way up and its factors' way down */
    int64_t bytes_up, bytes_down; /* of one factorization */
    clsolve_report report;
} measured;

/* The first run is verified by a solve. `message` where it fails for more than memory. */
static clsolve_status verify(band *p, clsolve_band *handle, const clsolve_matrix *AB) {
    clsolve_matrix X = bench_matrix(p->type, p->n, 1, p->x);
    memcpy(p->x, p->b, (size_t)(p->n * cls_type_size(p->type)));
    clsolve_status status = clsolve_band_factor(handle, AB);
    if (status == CLSOLVE_OK) status = clsolve_band_solve(handle, CLSOLVE_NO_TRANS, &X);
    if (status != CLSOLVE_OK) return status;
    double r = bench_ratio_band(p->type, p->n, p->k, p->AB, p->x, p->b);
    if (r < 30) return CLSOLVE_OK;
    fprintf(stderr, "clsolve-bench: band of %lld, k %lld, is wrong: ratio %g\n", (long long)p->n, (long long)p->k, r);
    return CLSOLVE_ERROR_DEVICE;
}

/* The factors' way down, as LAPACK has them. */
static double export_seconds(band *p, clsolve_band *handle) {
    clsolve_matrix AFB = bench_matrix(p->type, 3 * p->k + 1, p->n, p->work);
    double start = bench_seconds();
    return clsolve_band_factors(handle, &AFB, NULL) == CLSOLVE_OK ? bench_seconds() - start : 0;
}

static measured time_ours(band *p, clsolve_panel panel, int64_t block, int64_t memory_limit) {
    clsolve_band_options options = {
        .panel = panel, .block = (int32_t)block, .memory_limit = memory_limit, .where = CLSOLVE_WHERE_DEVICE};
    clsolve_matrix AB = bench_matrix(p->type, 2 * p->k + 1, p->n, p->AB);
    measured m = {.seconds = -1};
    clsolve_band *handle = NULL;
    double times[MOST];

    clsolve_status status = clsolve_band_create(p->context, p->n, p->k, p->k, p->type, &options, &handle);
    if (status == CLSOLVE_OK) status = verify(p, handle, &AB);
    for (int r = 0; r < p->options->repeat && status == CLSOLVE_OK; ++r) {
        double start = bench_seconds();
        status = clsolve_band_factor(handle, &AB);
        times[r] = bench_seconds() - start;
    }
    if (status == CLSOLVE_OK) status = clsolve_band_report(handle, &m.report);
    if (status == CLSOLVE_OK) {
        m.seconds = bench_median(times, p->options->repeat);
        m.factor = m.report.seconds.factor; /* nothing was solved since: the bytes are the factorization's, too */
        m.bytes_up = m.report.bytes_up;
        m.bytes_down = m.report.bytes_down;
        m.copy = m.report.seconds.upload + export_seconds(p, handle);
    } else if (status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY && memory_limit != p->options->memory_limit) {
        printf("# %s, n %lld, k %lld: no window in %lld bytes: the least is larger\n", p->device, (long long)p->n,
               (long long)p->k, (long long)memory_limit);
    } else {
        fprintf(stderr, "clsolve-bench: band of %lld, k %lld, %s: %s\n", (long long)p->n, (long long)p->k, modes[panel],
                clsolve_context_message(p->context));
    }
    clsolve_band_destroy(handle);
    return m;
}

/* ---- rows ---- */

static void print_row(band *p, const char *mode, const measured *m) {
    printf("%-9s %9lld %6lld  %-7s %6lld %12.6f %12.6f %12.6f %9.2f %9.2f\n", p->device, (long long)p->n,
           (long long)p->k, mode, (long long)m->report.band.block, m->seconds, m->factor, p->gbtrf,
           p->gbtrf / m->seconds, 1e-9 * work_of(p) / m->seconds);
    fflush(stdout);
    if (p->csv)
        fprintf(p->csv, "time,%lld,%lld,%s,%lld,%.9f,%.9f,%.9f,,,,,,%s\n", (long long)p->n, (long long)p->k, mode,
                (long long)m->report.band.block, m->seconds, m->factor, p->gbtrf, p->device);
}

/* A window of a third of the band, or of the limit: its time beside that of the band kept on the device, and beside what its bytes
 * take on the bus, each way for itself. */
static int overlap_row(band *p, clsolve_panel panel, const measured *own) {
    measured whole = own->report.slab_columns > 0 ? time_ours(p, panel, 0, 0) : *own;
    int64_t limit = p->options->memory_limit > 0 ? p->options->memory_limit : whole.report.device_bytes / 3;
    if (whole.seconds < 0 || whole.report.slab_columns > 0 || limit >= whole.report.device_bytes) return 1;
    measured window = own->report.slab_columns > 0 ? *own : time_ours(p, panel, 0, limit);
    if (window.seconds < 0) return 1; /* said why */
    double hidden = fmax(0, fmin(1, (whole.factor + whole.copy - window.seconds) / whole.copy));
    double up = (double)window.bytes_up, down = (double)window.bytes_down, bus = 0;
    if (p->link.up > 0 && p->link.down > 0) bus = fmax(up / p->link.up, down / p->link.down);
    double ratio = window.seconds / fmax(whole.seconds, bus);
    printf("%-9s %9lld %6lld  %-7s %6lld %12.6f   window of %lld columns in %lld bytes: %.2f times the larger of kept, "
           "%.6f, and bus, %.6f; %.0f %% of the copies' %.6f hidden\n",
           p->device, (long long)p->n, (long long)p->k, modes[panel], (long long)window.report.band.block,
           window.seconds, (long long)window.report.slab_columns, (long long)limit, ratio, whole.seconds, bus,
           100 * hidden, whole.copy);
    fflush(stdout);
    if (p->csv)
        fprintf(p->csv, "window,%lld,%lld,%s,%lld,%.9f,%.9f,%.9f,%.9f,%lld,%.9f,%.4f,%.4f,%s\n", (long long)p->n,
                (long long)p->k, modes[panel], (long long)window.report.band.block, window.seconds, window.factor,
                whole.seconds, whole.copy, (long long)window.report.slab_columns, bus, hidden, ratio, p->device);
    return 1;
}

/* Both modes with their own block order, then with each of the list; the slower one not where it is ten times slower. */
static int rows(band *p) {
    static const int64_t usual[] = {16, 32, 64, 128, 256, 512};
    const int64_t *blocks = p->options->block_count ? p->options->blocks : usual;
    int count = p->options->block_count ? p->options->block_count : (int)(sizeof usual / sizeof *usual);
    measured own[3] = {{.seconds = -1}, {.seconds = -1}, {.seconds = -1}};

    for (int mode = CLSOLVE_PANEL_AUTO; mode <= CLSOLVE_PANEL_HYBRID; ++mode) {
        own[mode] = time_ours(p, (clsolve_panel)mode, 0, p->options->memory_limit);
        if (own[mode].seconds < 0) return 0;
        if (mode > CLSOLVE_PANEL_AUTO)
            print_row(p, modes[mode], &own[mode]);
        else if (own[mode].report.band.panel[0] == 'n' &&
                 own[mode].report.band.panel[2] == 'r') /* one of its own: narrow */
            print_row(p, own[mode].report.band.panel, &own[mode]);
    }
    for (int mode = CLSOLVE_PANEL_NATIVE; mode <= CLSOLVE_PANEL_HYBRID; ++mode) {
        double other = own[CLSOLVE_PANEL_NATIVE + CLSOLVE_PANEL_HYBRID - mode].seconds;
        for (int b = 0; b < count && own[mode].seconds < 10 * other; ++b) {
            if (blocks[b] > p->n || blocks[b] == own[mode].report.band.block) continue;
            measured m = time_ours(p, (clsolve_panel)mode, blocks[b], p->options->memory_limit);
            if (m.seconds < 0) return 0;
            print_row(p, modes[mode], &m);
        }
    }
    int better = own[CLSOLVE_PANEL_NATIVE].seconds < own[CLSOLVE_PANEL_HYBRID].seconds;
    clsolve_panel panel = better ? CLSOLVE_PANEL_NATIVE : CLSOLVE_PANEL_HYBRID;
    return overlap_row(p, panel, &own[panel]);
}

/* One n and k: gbtrf, then the rows of each device. */
static int size_rows(const bench_field *field, const bench_link *links, int64_t n, int64_t k) {
    band p = {.options = field->options, .csv = field->csv, .type = field->options->type, .n = n, .k = k};
    int fine = make(&p);
    if (!fine) fprintf(stderr, "clsolve-bench: out of host memory for n %lld, k %lld\n", (long long)n, (long long)k);
    if (fine && (p.gbtrf = time_gbtrf(&p)) < 0) {
        fprintf(stderr, "clsolve-bench: gbtrf of a band of %lld, k %lld, failed\n", (long long)n, (long long)k);
        fine = 0;
    }
    for (int d = 0; d < field->devices && fine; ++d) {
        p.device = field->candidates[d].name;
        p.context = field->candidates[d].context;
        p.link = links[d];
        fine = rows(&p);
    }
    discard(&p);
    return fine;
}

static int table(const bench_field *field) {
    static const int64_t usual_sizes[] = {10000, 50000}, usual_halves[] = {16, 128, 500, 1000, 2000};
    const bench_options *options = field->options;
    const int64_t *sizes = options->count ? options->sizes : usual_sizes;
    const int64_t *halves = options->half_count ? options->halves : usual_halves;
    int count = options->count ? options->count : 2, half_count = options->half_count ? options->half_count : 5;
    bench_link links[BENCH_DEVICES];

    if (field->csv)
        fprintf(field->csv, "row,n,k,mode,nb,seconds,factor,gbtrf_or_kept,copies,window,bus,hidden,ratio,device\n");
    printf("# LU of bands, kl = ku = k, %s, host to host; seconds, medians of %d; each verified; gbtrf on %d threads; "
           "GFLOP/s of 4 n k^2, of complex numbers 16 n k^2\n",
           bench_type_words(options->type), options->repeat, openblas_get_num_threads());
    bench_print_field(field, 0);
    for (int d = 0; d < field->devices; ++d) {
        clsolve_device_info device = clsolve_context_device(field->candidates[d].context);
        links[d] = bench_measure_link(&device);
        printf("# %s: pinned memory to the device %.2f GB/s, back %.2f GB/s\n", field->candidates[d].name,
               1e-9 * links[d].up, 1e-9 * links[d].down);
    }
    printf("%-9s %9s %6s  %-7s %6s %12s %12s %12s %9s %9s\n", "device", "n", "k", "mode", "nb", "clsolve", "its factor",
           "gbtrf", "speed-up", "GFLOP/s");
    for (int h = 0; h < half_count; ++h)
        for (int s = 0; s < count; ++s) {
            if (2 * halves[h] >= sizes[s])
                printf("# n %lld, k %lld left out: 2 k is to be less than n\n", (long long)sizes[s],
                       (long long)halves[h]);
            else if (!size_rows(field, links, sizes[s], halves[h]))
                return 1;
        }
    return 0;
}

int bench_band(const bench_options *options) {
    return bench_table(options, 0, table);
}
