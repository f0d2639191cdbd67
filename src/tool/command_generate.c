/* command_generate.c: clsolve generate: a test matrix from its kind, size and seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/dense.h"
#include "tool/generate.h"
#include "tool/generate_band.h"
#include "tool/options.h"
#include "tool/output.h"

#define DEFAULT_SEED 1

/* The values that popt fills in. */
typedef struct generate_options {
    char *n, *lines, *line_length, *ratio, *peclet, *lower, *upper, *seed, *output, *rhs;
    int dominant;
} generate_options;

typedef struct generate_job {
    const generate_kind *kind;      /* NULL: a grid's, or band */
    const generate_grid_kind *grid; /* NULL: another's */
    int banded;
    generate_band band;
    const char *name;
    int64_t n, lines, line_length;
    double parameter; /* of a grid's kind */
    uint64_t seed;
    const char *output, *rhs; /* rhs NULL: not written */
} generate_job;

/* --ratio and --peclet: a number above 0, and only for the kind that has it. */
static exit_code set_parameter(const generate_grid_kind *kind, const char *option, const char *text, generate_job *job,
                               outcome *out) {
    char *end = NULL;
    if (text == NULL) return EXIT_CODE_OK;
    if (kind == NULL || kind->option == NULL || strcmp(kind->option, option) != 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: %s is not for '%s'", option, job->name);
    job->parameter = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(job->parameter > 0 && job->parameter < 1e100))
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: %s '%s' is not a number above 0", option, text);
    return EXIT_CODE_OK;
}

static exit_code set_grid(const command_line *line, const generate_options *options, generate_job *job, outcome *out) {
    if (options->n != NULL || options->lines == NULL || options->line_length == NULL)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "generate: '%s' is a grid: give --lines N and --line-length M, no --n", job->name);
    exit_code code = options_count(line, "--lines", options->lines, &job->lines, out);
    if (code == EXIT_CODE_OK) code = options_count(line, "--line-length", options->line_length, &job->line_length, out);
    job->n = job->lines <= INT64_MAX / job->line_length ? job->lines * job->line_length : INT64_MAX;
    return code;
}

static exit_code set_size(const command_line *line, const generate_options *options, generate_job *job, outcome *out) {
    int64_t ignored;
    exit_code code = EXIT_CODE_OK;
    if (options->lines != NULL) code = options_count(line, "--lines", options->lines, &ignored, out);
    if (code == EXIT_CODE_OK && options->line_length != NULL)
        code = options_count(line, "--line-length", options->line_length, &ignored, out);
    if (code != EXIT_CODE_OK) return code;
    if (options->lines != NULL || options->line_length != NULL)
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: --lines and --line-length are not for '%s'; use --n N",
                            job->name);
    if (options->n == NULL)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "generate: the size is missing: give --n N; see 'clsolve generate --help'");
    return options_count(line, "--n", options->n, &job->n, out);
}

/* --lower and --upper of `band`, which no other kind has. */
static exit_code set_band(const command_line *line, const generate_options *options, generate_job *job, outcome *out) {
    generate_band *band = &job->band;
    if (!job->banded && (options->lower != NULL || options->upper != NULL || options->dominant))
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: --lower, --upper and --dominant are not for '%s'",
                            job->name);
    if (!job->banded) return EXIT_CODE_OK;
    if (options->lower == NULL || options->upper == NULL)
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: '%s' is a band: give --lower KL and --upper KU with --n N",
                            job->name);
    exit_code code = options_whole(line, "--lower", options->lower, &band->kl, out);
    if (code == EXIT_CODE_OK) code = options_whole(line, "--upper", options->upper, &band->ku, out);
    if (code != EXIT_CODE_OK) return code;
    if (job->n > INT32_MAX)
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: --n %" PRId64 " is more than a matrix file can have",
                            job->n);
    if (band->kl >= job->n || band->ku >= job->n)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "generate: a matrix of order %" PRId64 " has at most %" PRId64
                            " diagonals on each side; make --%s smaller",
                            job->n, job->n - 1, band->kl >= job->n ? "lower" : "upper");
    band->n = job->n;
    band->dominant = options->dominant;
    return EXIT_CODE_OK;
}

static exit_code set_up(const command_line *line, const generate_options *options, generate_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 1, "the kind of matrix", out);
    if (code != EXIT_CODE_OK) return code;
    job->kind = generate_find(line->operands[0]);
    job->grid = generate_grid_find(line->operands[0]);
    job->banded = strcmp(line->operands[0], "band") == 0;
    job->name = line->operands[0];
    job->line_length = 1;
    job->parameter = job->grid != NULL ? job->grid->usual : 0;
    if (job->kind == NULL && job->grid == NULL && !job->banded)
        return outcome_fail(out, EXIT_CODE_USAGE, "generate: unknown kind '%s'; 'clsolve generate --help' lists them",
                            line->operands[0]);
    code = job->grid != NULL ? set_grid(line, options, job, out) : set_size(line, options, job, out);
    if (code == EXIT_CODE_OK) code = set_band(line, options, job, out);
    if (code == EXIT_CODE_OK) code = set_parameter(job->grid, "--ratio", options->ratio, job, out);
    if (code == EXIT_CODE_OK) code = set_parameter(job->grid, "--peclet", options->peclet, job, out);
    job->seed = DEFAULT_SEED;
    if (code == EXIT_CODE_OK && options->seed != NULL)
        code = options_seed(line, "--seed", options->seed, &job->seed, out);
    if (code != EXIT_CODE_OK) return code;
    job->band.seed = job->seed;
    job->output = options->output;
    job->rhs = options->rhs;
    if (job->output == NULL)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "generate: the output file is missing: give -o A.mtx, or -o - for standard output");
    return output_check_different("generate", "-o", job->output, "--rhs", job->rhs, out);
}

static exit_code write_rhs(const generate_job *job, const mm_matrix *A, const char *comment, outcome *out) {
    mm_matrix b = {0};
    mm_message message = {0};
    const mm_result result = mm_row_sums(A, &b, &message);
    if (result != MM_OK) return outcome_fail_file(out, result, &message);
    const exit_code code = output_matrix(job->rhs, &b, comment, out);
    mm_free(&b);
    return code;
}

/* A kind does not say whether it is dense, but a small one of it does: every kind has one of order 4. */
static exit_code check_memory(const generate_job *job, outcome *out) {
    mm_matrix small = {0};
    mm_message message = {0};
    if (job->kind == NULL) return EXIT_CODE_OK;
    if (job->kind->make(4, job->seed, &small, &message) != MM_OK) return EXIT_CODE_OK;
    const int sparse = small.sparse;
    const clsolve_type type = small.is_complex ? CLSOLVE_C64 : CLSOLVE_F64;
    mm_free(&small);
    return sparse ? EXIT_CODE_OK : dense_check("generate", job->n, job->n, type, out);
}

/* "random, n = 10, seed 1" */
static void describe(const generate_job *job, char *about, size_t size) {
    if (job->grid != NULL)
        snprintf(about, size, "%s, %" PRId64 " line%s of %" PRId64, job->name, job->lines, job->lines == 1 ? "" : "s",
                 job->line_length);
    else if (job->banded)
        snprintf(about, size, "%s, n = %" PRId64 ", kl = %" PRId64 ", ku = %" PRId64 "%s, seed %" PRIu64, job->name,
                 job->n, job->band.kl, job->band.ku, job->band.dominant ? ", dominant" : "", job->seed);
    else
        snprintf(about, size, "%s, n = %" PRId64 ", seed %" PRIu64, job->name, job->n, job->seed);
}

/* Writes A and perhaps b; *entries is A's. */
static exit_code write_held(const generate_job *job, const char *comment, const char *rhs_comment, int64_t *entries,
                            outcome *out) {
    mm_matrix A = {0};
    mm_message message = {0};
    mm_result result = job->grid != NULL
                           ? generate_grid(job->grid, job->lines, job->line_length, job->parameter, &A, &message)
                           : job->kind->make(job->n, job->seed, &A, &message);
    if (result != MM_OK) /* a size that the kind does not have is a wrong option, not a wrong file */
        return outcome_fail(out, result == MM_OUT_OF_MEMORY ? EXIT_CODE_MEMORY : EXIT_CODE_USAGE, "generate: %s: %s",
                            job->name, message.error);
    exit_code code = output_matrix(job->output, &A, comment, out);
    if (code == EXIT_CODE_OK && job->rhs != NULL) code = write_rhs(job, &A, rhs_comment, out);
    *entries = A.entries;
    mm_free(&A);
    return code;
}

static exit_code write_band(const generate_job *job, const char *comment, const char *rhs_comment, int64_t *entries,
                            outcome *out) {
    exit_code code = generate_band_matrix(&job->band, job->output, comment, out);
    if (code == EXIT_CODE_OK && job->rhs != NULL) code = generate_band_rhs(&job->band, job->rhs, rhs_comment, out);
    *entries = generate_band_entries(&job->band);
    return code;
}

static exit_code run_job(const generate_job *job, outcome *out) {
    char about[160], comment[sizeof about + 64], rhs_comment[sizeof about + 64];
    int64_t entries = 0;
    exit_code code = output_check(job->output, out);
    if (code == EXIT_CODE_OK) code = output_check(job->rhs, out);
    if (code == EXIT_CODE_OK) code = check_memory(job, out);
    if (code != EXIT_CODE_OK) return code;

    describe(job, about, sizeof about);
    snprintf(comment, sizeof comment, "clsolve generate: %s", about);
    snprintf(rhs_comment, sizeof rhs_comment, "A*(1,...,1) for clsolve generate: %s", about);
    code = (job->banded ? write_band : write_held)(job, comment, rhs_comment, &entries, out);
    if (code == EXIT_CODE_OK) {
        int taken = output_is_stdout(job->output) || output_is_stdout(job->rhs);
        fprintf(taken ? stderr : stdout, "%s: %s, %" PRId64 " entries\n", job->output, about, entries);
    }
    return code;
}

static void print_help(const command_line *line) {
    options_print_help(line, "\nKinds:\n");
    for (const generate_kind *kind = generate_kinds; kind->name != NULL; kind++)
        printf("  %-22s %s\n", kind->name, kind->summary);
    printf("\nOn a grid, with --lines N --line-length M:\n");
    for (int g = 0; generate_grid_list(g) != NULL; g++)
        printf("  %-22s %s\n", generate_grid_list(g)->name, generate_grid_list(g)->summary);
    printf("\nBanded, with --n N --lower KL --upper KU, and --dominant:\n");
    printf("  %-22s %s\n", "band", "sparse, uniform in [-1, 1) in KL + KU + 1 diagonals; dominant: no pivots needed");
    printf("\nThe same kind, size and seed give the same matrix everywhere. Default seed: %d.\n\n%s", DEFAULT_SEED,
           outcome_help);
}

exit_code command_generate(int argc, const char **argv, outcome *out) {
    generate_options options = {0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("n", 'n', &options.n, "Rows and columns", "N"),
        OPTIONS_STRING("lines", '\0', &options.lines, "Lines of a grid", "N"),
        OPTIONS_STRING("line-length", '\0', &options.line_length, "Points in a line", "M"),
        OPTIONS_STRING("ratio", '\0', &options.ratio, "anisotropic: along the lines to across; 100", "R"),
        OPTIONS_STRING("peclet", '\0', &options.peclet, "convection: Peclet number; 100", "P"),
        OPTIONS_STRING("lower", '\0', &options.lower, "band: diagonals below the main one", "KL"),
        OPTIONS_STRING("upper", '\0', &options.upper, "band: diagonals above it", "KU"),
        {"dominant", '\0', POPT_ARG_NONE, &options.dominant, 0, "band: with KL + KU + 1 on the main diagonal", NULL},
        OPTIONS_STRING("seed", '\0', &options.seed, "Seed of the random numbers", "S"),
        OPTIONS_STRING("output", 'o', &options.output, "Write A; - is standard output", "A.mtx"),
        OPTIONS_STRING("rhs", '\0', &options.rhs, "Write b = A*(1,...,1) too", "b.mtx"),
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    generate_job job = {0};
    exit_code code = options_parse(&line, argc, argv, table, "KIND --n N -o A.mtx [OPTION...]", out);
    if (code == EXIT_CODE_OK && line.help) {
        print_help(&line);
    } else if (code == EXIT_CODE_OK) {
        code = set_up(&line, &options, &job, out);
        if (code == EXIT_CODE_OK) code = run_job(&job, out);
    }
    options_free(&line);
    return code;
}
