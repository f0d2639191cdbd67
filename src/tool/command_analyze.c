/* command_analyze.c: clsolve analyze: what sparse LU, Cholesky or LDL^T would do with a matrix, before any numbers. */
#include <clsolve/clsolve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/analyze_job.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/system.h"

static const char notes[] =
    "\nA.mtx is a square Matrix Market file. Nothing is factored or solved. The report has the entries of the\n"
    "factors, the operations, fronts, memory and expected seconds in the library's own order, and in the order asked\n"
    "for. --svg draws the pattern of A as read and in the order of elimination, as far as the analysis knows it:\n"
    "pivots may leave it. Without --method a symmetric or hermitian matrix is analysed for sparse-cholesky if its\n"
    "diagonal is positive, else for sparse-ldl, and any other one for sparse-lu. With --device the report has the\n"
    "memory that these devices would take.\n\n";

/* The values that popt fills in. */
typedef struct analyze_options {
    char *method, *device, *order, *order_file, *json, *svg;
} analyze_options;

static exit_code set_method(const char *name, analyze_job *job, outcome *out) {
    static const char *const names[] = {"auto", "sparse-lu", "sparse-cholesky", "sparse-ldl"};
    const int m = options_word(name, names, 4);
    if (m < 0)
        return outcome_fail(out, EXIT_CODE_USAGE,
                            "analyze: --method '%s' is unknown; use auto, sparse-lu, sparse-cholesky or sparse-ldl",
                            name);
    job->method = m > 0 ? names[m] : NULL;
    return EXIT_CODE_OK;
}

/* A report or a picture never takes the place of an input. */
static exit_code check_place(const char *option, const char *path, const analyze_job *job, outcome *out) {
    if (path == NULL || output_is_stdout(path)) return EXIT_CODE_OK;
    exit_code code = output_check_different("analyze", option, path, "the matrix", job->read.matrix_path, out);
    if (code != EXIT_CODE_OK) return code;
    return output_check_different("analyze", option, path, "the order", job->read.order_path, out);
}

static exit_code check_places(analyze_job *job, outcome *out) {
    exit_code code = output_check(job->read.json_path, out);
    if (code == EXIT_CODE_OK) code = check_place("--json", job->read.json_path, job, out);
    if (code == EXIT_CODE_OK)
        code = output_check_different("analyze", "--svg", job->svg_path, "--json", job->read.json_path, out);
    job->read.json_refused = code != EXIT_CODE_OK;
    if (code == EXIT_CODE_OK) code = check_place("--svg", job->svg_path, job, out);
    return code == EXIT_CODE_OK ? output_check(job->svg_path, out) : code;
}

/* ---- the analysis ---- */

/* An element is compared with the one across the diagonal, or with the conjugate of that. */
typedef struct twins {
    int conjugate;
    double tolerance; /* of their size */
} twins;

static int are_twins(const double *a, const double *b, int64_t parts, twins t) {
    const double a_im = parts == 2 ? a[1] : 0, b_im = parts == 2 ? (t.conjugate ? -b[1] : b[1]) : 0;
    return hypot(a[0] - b[0], a_im - b_im) <= t.tolerance * (hypot(a[0], a_im) + hypot(b[0], b_im));
}

/* Are all elements twins? Rows ascend in each column, so row i of A and column i of it are read together: next[i] is
 * the first entry of column i that no entry of row i was compared with. *positive: so is the whole diagonal. */
static int has_twins(const mm_matrix *A, twins t, int *positive, int *room) {
    const int64_t n = A->cols, parts = mm_numbers(A);
    int64_t *next = malloc(((size_t)n + 1) * sizeof *next), diagonal = 0;
    int same = next != NULL;
    *room = next != NULL;
    for (int64_t j = 0; j < n && *room; j++) next[j] = A->start[j];
    for (int64_t j = 0; j < n && same; j++)
        for (int64_t e = A->start[j]; e < A->start[j + 1] && same; e++) {
            const int64_t i = A->row[e], other = next[i]++;
            same = other < A->start[i + 1] && A->row[other] == j &&
                   are_twins(&A->value[e * parts], &A->value[other * parts], parts, t);
            diagonal += i == j && A->value[e * parts] > 0;
        }
    free(next);
    *positive = diagonal == n;
    return same;
}

static int dense_has_twins(const mm_matrix *A, twins t) {
    const int64_t n = A->cols, parts = mm_numbers(A);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++)
            if (!are_twins(&A->value[(i + j * n) * parts], &A->value[(j + i * n) * parts], parts, t)) return 0;
    return 1;
}

/* A dense file goes to sparse-cholesky or sparse-ldl if that is asked for; a complex symmetric one to sparse-ldl. */
static exit_code choose_method(analyze_job *job, outcome *out) {
    const mm_matrix *A = &job->read.A;
    const double tolerance = job->method != NULL ? 0x1p-46 : 0; /* as the library takes it by name, and as AUTO does */
    const int may_be_symmetric = A->is_complex && job->method != NULL && strcmp(job->method, "sparse-ldl") == 0;
    int positive = 0, room = 1, found = 0;
    for (int conjugate = 1; conjugate >= !may_be_symmetric && room && !found; conjugate--) {
        const twins t = {conjugate, tolerance};
        found = A->sparse ? has_twins(A, t, &positive, &room) : dense_has_twins(A, t);
        job->symmetric = found && !conjugate;
    }
    if (!room) return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", job->read.matrix_path);
    if (job->method == NULL)
        job->method = !found || !A->sparse ? "sparse-lu" : positive ? "sparse-cholesky" : "sparse-ldl";
    if (found || strcmp(job->method, "sparse-lu") == 0) return EXIT_CODE_OK;
    const int hermitian_alone = A->is_complex && !may_be_symmetric;
    return outcome_fail(out, EXIT_CODE_USAGE, "%s: the matrix is not %s; --method %s takes %s matrices",
                        job->read.matrix_path,
                        hermitian_alone ? "hermitian"
                        : A->is_complex ? "symmetric or hermitian"
                                        : "symmetric",
                        job->method, hermitian_alone ? "hermitian" : "symmetric or hermitian");
}

static exit_code explain(clsolve_context *context, const analyze_job *job, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    return outcome_fail_status(out, status, "%s: %s", job->read.matrix_path, said);
}

static exit_code take_order(clsolve_context *context, clsolve_sparse *sparse, int64_t n, analyze_job *job,
                            outcome *out) {
    const size_t room = (size_t)n + 1;
    job->rows = malloc(room * sizeof *job->rows);
    job->columns = malloc(room * sizeof *job->columns);
    if (job->rows == NULL || job->columns == NULL)
        return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", job->read.matrix_path);
    const clsolve_status told = clsolve_sparse_permutations(sparse, job->rows, job->columns);
    return told == CLSOLVE_OK ? EXIT_CODE_OK : explain(context, job, told, out);
}

static clsolve_sparse_form form_of(const analyze_job *job) {
    if (strcmp(job->method, "sparse-cholesky") == 0) return CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    if (strcmp(job->method, "sparse-ldl") != 0) return CLSOLVE_SPARSE_GENERAL;
    return job->symmetric ? CLSOLVE_SPARSE_SYMMETRIC : CLSOLVE_SPARSE_HERMITIAN;
}

/* The analysis in one order; `draws`: and the order of elimination. */
static exit_code analyse(clsolve_context *context, const clsolve_csr *A, clsolve_sparse_order order, int draws,
                         analyze_job *job, clsolve_sparse_analysis *analysis, outcome *out) {
    clsolve_sparse_options options = {
        .form = form_of(job), .order = order, .progress = progress_draw, .progress_user = &job->read.bar};
    clsolve_sparse *sparse = NULL;
    if (strcmp(job->read.selector, "host") != 0) options.where = CLSOLVE_WHERE_DEVICE;
    if (order == CLSOLVE_ORDER_GIVEN) options.permutation = job->read.permutation;
    clsolve_status status = clsolve_sparse_create_csr(context, A, &options, &sparse);
    exit_code code = EXIT_CODE_OK;
    if (status == CLSOLVE_OK && draws) code = take_order(context, sparse, A->rows, job, out);
    if (status == CLSOLVE_OK) status = clsolve_sparse_get_analysis(sparse, analysis);
    progress_erase(&job->read.bar);
    if (status != CLSOLVE_OK && code == EXIT_CODE_OK) code = explain(context, job, status, out);
    clsolve_sparse_destroy(sparse);
    return code;
}

static exit_code analyse_both(clsolve_context *context, const clsolve_csr *A, analyze_job *job, outcome *out) {
    const int draws = job->svg_path != NULL;
    exit_code code = analyse(context, A, CLSOLVE_ORDER_AUTO, draws && !job->order_asked, job, &job->automatic, out);
    job->has_automatic = code == EXIT_CODE_OK;
    if (code != EXIT_CODE_OK || !job->order_asked) return code;
    code = analyse(context, A, job->read.order, draws, job, &job->asked, out);
    job->has_asked = code == EXIT_CODE_OK;
    return code;
}

static exit_code analyse_matrix(analyze_job *job, outcome *out) {
    clsolve_context *context = NULL;
    system_data data = {0};
    exit_code code = system_make_rows(&job->read, &data, out);
    if (code == EXIT_CODE_OK) code = choose_method(job, out);
    if (code == EXIT_CODE_OK) code = job_open_device(&job->read, &context, out);
    if (code == EXIT_CODE_OK) code = analyse_both(context, &data.csr, job, out);
    clsolve_context_destroy(context);
    system_free(&data);
    return code;
}

/* ---- the command ---- */

static exit_code report_to_people(const analyze_job *job, outcome *out) {
    if (output_is_stdout(job->read.json_path)) return EXIT_CODE_OK;
    FILE *file = output_is_stdout(job->svg_path) ? stderr : stdout;
    report_text_analyze(file, job);
    if (fflush(file) == 0 && ferror(file) == 0) return EXIT_CODE_OK;
    return outcome_fail(out, EXIT_CODE_FILE, "standard output: cannot write");
}

static exit_code run(analyze_job *job, outcome *out) {
    progress_start(&job->read.bar);
    exit_code code = problem_read_matrix(&job->read, out);
    if (code == EXIT_CODE_OK) code = order_read(&job->read, out);
    if (code == EXIT_CODE_OK) code = analyse_matrix(job, out);
    if (code == EXIT_CODE_OK && job->svg_path != NULL) code = plot_pattern(job->svg_path, job, out);
    return code == EXIT_CODE_OK ? report_to_people(job, out) : code;
}

static exit_code set_up(const command_line *line, const analyze_options *options, analyze_job *job, outcome *out) {
    exit_code code = options_check_operands(line, 1, 1, "the matrix file", out);
    if (code == EXIT_CODE_OK) code = set_method(options->method, job, out);
    if (code == EXIT_CODE_OK)
        code = solve_method_find("sparse-lu", &job->read.method, out); /* how the file is checked */
    if (code == EXIT_CODE_OK) code = solve_precision_find("double", &job->read.precision, out);
    if (code == EXIT_CODE_OK) code = order_find("analyze", options->order, options->order_file, &job->read, out);
    job->order_asked = job->read.order != CLSOLVE_ORDER_AUTO;
    return code;
}

static exit_code end(analyze_job *job, outcome *out) {
    outcome json_out = {0};
    exit_code code = out->code;
    if (job->read.json_path != NULL && !job->read.json_refused &&
        report_json_analyze(job->read.json_path, job, out, &json_out) != EXIT_CODE_OK)
        code = outcome_fail(out, json_out.code, "%s", json_out.message);
    problem_free(&job->read);
    free(job->rows);
    free(job->columns);
    return code;
}

exit_code command_analyze(int argc, const char **argv, outcome *out) {
    analyze_options options = {0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("method", '\0', &options.method, "auto (default), sparse-lu, sparse-cholesky or sparse-ldl",
                       "NAME"),
        OPTIONS_STRING("device", '\0', &options.device, "Which devices would factor; default: the host", "SEL"),
        OPTIONS_STRING("order", '\0', &options.order, "auto (default), amd, nested, metis or natural", "NAME"),
        OPTIONS_STRING("order-file", '\0', &options.order_file,
                       "An order of your own: a column number on each line, from 1", "FILE"),
        OPTIONS_STRING("json", '\0', &options.json, "Write a report as JSON; - is standard output", "FILE|-"),
        OPTIONS_STRING("svg", '\0', &options.svg, "Draw the pattern as read and in the order of elimination",
                       "FILE.svg"),
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    analyze_job job = {.read = {.selector = "host", .read_seconds = (double)NAN, .started = progress_clock()}};
    exit_code code = options_parse(&line, argc, argv, table, "A.mtx [OPTION...]", out);
    if (!options_helped(&line, code, notes)) {
        job.read.matrix_path = line.operands[0];
        job.read.json_path = options.json;
        job.read.order_path = options.order_file;
        if (options.device != NULL) job.read.selector = options.device;
        job.svg_path = options.svg;
        if (check_places(&job, out) != EXIT_CODE_OK) code = out->code;
        if (code == EXIT_CODE_OK) code = set_up(&line, &options, &job, out);
        if (code == EXIT_CODE_OK) (void)run(&job, out);
    }
    code = end(&job, out);
    options_free(&line);
    return code;
}
