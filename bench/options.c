#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "base/type.h"

/* ---- texts to numbers ---- */

static int read_list(const char *text, int64_t list[32], int *count) {
    for (const char *at = text; *at;) {
        char *end;
        long long n = strtoll(at, &end, 10);
        if (end == at || n < 1 || n > 100000000 || (*end && *end != ',') || *count == 32) return 0;
        list[(*count)++] = n;
        at = *end ? end + 1 : end;
    }
    return *count > 0;
}

static int is_one_of(const char *text, const char *const names[3]) {
    for (int k = 0; k < 3; ++k)
        if (strcmp(text, names[k]) == 0) return 1;
    return 0;
}

static const char *read_table(bench_given *given, poptContext popt) {
    const char *table = poptGetArg(popt);
    if (!table) return "name a table";
    if (poptPeekArg(popt)) return "one table at a time";
    given->table = strdup(table);
    return given->table ? NULL : "out of memory";
}

static const char *read_devices(bench_given *given) {
    bench_options *options = &given->options;
    for (char **device = given->devices; device && *device; ++device) {
        if (options->devices == BENCH_DEVICES) return "--device takes up to 8 devices";
        options->device_list[options->devices++] = *device;
    }
    return NULL;
}

static const char *read_numbers(bench_given *given) {
    bench_options *options = &given->options;
    if (options->members < 1) return "--members takes 1 or more";
    if (options->repeat < 1 || options->repeat > 101) return "--repeat takes 1 to 101";
    if (!(options->limit > 0)) return "--limit takes seconds above 0";
    if (given->sizes && !read_list(given->sizes, options->sizes, &options->count))
        return "-n takes up to 32 sizes from 1 to 100000000, as in -n 512,1024";
    if (given->halves && !read_list(given->halves, options->halves, &options->half_count))
        return "-k takes up to 32 half-bandwidths from 1 on, as in -k 16,128";
    if (given->blocks && !read_list(given->blocks, options->blocks, &options->block_count))
        return "-b takes up to 32 block orders from 1 on, as in -b 32,64";
    options->memory_limit = given->memory_limit;
    return NULL;
}

static const char *read_type(bench_given *given) {
    if (!given->type) return NULL;
    for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; ++type)
        if (strcmp(given->type, cls_type_name((clsolve_type)type)) == 0) {
            given->options.type = (clsolve_type)type;
            return NULL;
        }
    return "--type takes f32, f64, c32 or c64";
}

static const char *read_words(bench_given *given) {
    static const char *const panels[] = {"native", "hybrid", "both"};
    bench_options *options = &given->options;
    const char *panel = given->panel ? given->panel : "both", *pivoting = given->pivoting ? given->pivoting : "partial";
    if (!is_one_of(panel, panels)) return "--panel takes native, hybrid or both";
    options->rbt = strcmp(pivoting, "rbt") == 0;
    if (!options->rbt && strcmp(pivoting, "partial") != 0) return "--pivoting takes partial or rbt";
    options->native = strcmp(panel, "hybrid") != 0;
    options->hybrid = strcmp(panel, "native") != 0;
    if (given->order && strcmp(given->order, "auto") != 0 && strcmp(given->order, "metis") != 0)
        return "--order takes auto or metis";
    options->metis = given->order && strcmp(given->order, "metis") == 0;
    options->csv = given->csv;
    options->families = given->families;
    return read_type(given);
}

/* ---- the command line ---- */

const char *bench_given_read(int argc, const char **argv, bench_given *given) {
    *given = (bench_given){.options = {.once = -1, .type = CLSOLVE_F64, .repeat = 5, .members = 10000, .limit = 60}};
    bench_options *options = &given->options;
    const struct poptOption known[] = {
        {"sizes", 'n', POPT_ARG_STRING, &given->sizes, 0, "sizes instead of the table's own", "N,N,..."},
        {"half-bandwidths", 'k', POPT_ARG_STRING, &given->halves, 0,
         "of band, instead of the table's own; of peers the first", "K,K,..."},
        {"blocks", 'b', POPT_ARG_STRING, &given->blocks, 0,
         "of band, block orders instead of the table's own; of many the first", "NB,NB,..."},
        {"device", 'd', POPT_ARG_ARGV, &given->devices, 0,
         "device, as in clsolve solve --device; again for more, side by side", "SEL"},
        {"type", 't', POPT_ARG_STRING, &given->type, 0,
         "type of the elements: f32, f64, c32 or c64 (f64); not of gauss-jordan, block-gs, many and auto", "TYPE"},
        {"repeat", 'r', POPT_ARG_INT, &options->repeat, 0, "timed runs of each candidate (5)", "N"},
        {"limit", 'l', POPT_ARG_DOUBLE, &options->limit, 0,
         "leaves out the study's schemes, and of ldl LAPACK, where they would run longer (60)", "SECONDS"},
        {"memory-limit", 'm', POPT_ARG_LONGLONG, &given->memory_limit, 0,
         "bytes of device memory for clsolve, a plain number", "BYTES"},
        {"panel", 0, POPT_ARG_STRING, &given->panel, 0, "of lu: native, hybrid or both (both)", "PANEL"},
        {"pivoting", 0, POPT_ARG_STRING, &given->pivoting, 0, "of lu: partial, or rbt for a column of it too (partial)",
         "NAME"},
        {"family", 0, POPT_ARG_STRING, &given->families, 0,
         "of peers: lu, mixed, rbt, inverse, batched, lines, band, block-gs (all); of auto: lu, call, inverse, band, "
         "grid, batched, lines; of sparse: the systems, poisson2d:300 or a file's name; of batch-there: lu or cholesky "
         "(lu)",
         "NAME,..."},
        {"order", 0, POPT_ARG_STRING, &given->order, 0, "of sparse on a device: auto or metis (auto)", "NAME"},
        {"members", 0, POPT_ARG_INT, &options->members, 0, "matrices in a batch (10000)", "N"},
        {"alone", 0, POPT_ARG_NONE, &options->alone, 0, "of lu-batch and cholesky-batch: without LAPACK", NULL},
        {"pinned", 0, POPT_ARG_NONE, &options->pinned, 0, "of peers: arrays by clsolve_host_alloc", NULL},
        {"cold", 0, POPT_ARG_NONE, &options->cold, 0, "of auto: the first call of a process that has nothing compiled",
         NULL},
        {"once", 0, POPT_ARG_INT | POPT_ARGFLAG_DOC_HIDDEN, &options->once, 0, NULL, NULL},
        {"csv", 0, POPT_ARG_STRING, &given->csv, 0, "write the table there too", "FILE"},
        POPT_AUTOHELP POPT_TABLEEND};

    poptContext popt = poptGetContext("clsolve-bench", argc, argv, known, 0);
    poptSetOtherOptionHelp(popt, "TABLE [options]");
    int code = poptGetNextOpt(popt); /* no option has a value to return: one call reads them all */
    const char *wrong = code < -1 ? poptStrerror(code) : read_words(given);
    if (!wrong) wrong = read_devices(given);
    if (!wrong) wrong = read_table(given, popt);
    if (!wrong) wrong = read_numbers(given);
    poptFreeContext(popt);
    return wrong;
}

void bench_given_free(bench_given *given) {
    for (char **device = given->devices; device && *device; ++device) free(*device);
    free(given->table);
    free(given->devices);
    free(given->csv);
    free(given->sizes);
    free(given->halves);
    free(given->blocks);
    free(given->panel);
    free(given->pivoting);
    free(given->families);
    free(given->type);
    free(given->order);
}
