/* report_analyze.c: what `clsolve analyze` found, to people and to programs. */
#include <inttypes.h>
#include <string.h>

#include "tool/analyze_job.h"
#include "tool/json_put.h"

/* ---- people ---- */

typedef struct column_pair {
    FILE *file;
    const clsolve_sparse_analysis *automatic, *asked; /* asked NULL: one column */
} column_pair;

static void row_of_texts(const column_pair *p, const char *name, const char *automatic, const char *asked) {
    fprintf(p->file, "%-24s%16s", name, automatic);
    if (p->asked != NULL) fprintf(p->file, "%16s", asked);
    fputc('\n', p->file);
}

static void row_of_numbers(const column_pair *p, const char *name, double automatic, double asked) {
    char left[32], right[32];
    snprintf(left, sizeof left, "%.4g", automatic);
    snprintf(right, sizeof right, "%.4g", asked);
    row_of_texts(p, name, left, right);
}

/* 0: there are none. */
static void row_of_counts(const column_pair *p, const char *name, int64_t automatic, int64_t asked) {
    char left[32], right[32];
    snprintf(left, sizeof left, "%" PRId64, automatic);
    snprintf(right, sizeof right, "%" PRId64, asked);
    row_of_texts(p, name, automatic > 0 ? left : "-", asked > 0 ? right : "-");
}

/* Memory of the devices, where there are any. */
static void rows_of_devices(const column_pair *p, const clsolve_sparse_analysis *a, const clsolve_sparse_analysis *b) {
    if (a->devices == 0 && b->devices == 0) return;
    row_of_counts(p, "devices", a->devices, b->devices);
    row_of_numbers(p, "first device, MB", a->first_device_bytes / 1e6, b->first_device_bytes / 1e6);
    row_of_numbers(p, "other devices, MB", a->other_device_bytes / 1e6, b->other_device_bytes / 1e6);
    row_of_numbers(p, "streamed factors, MB", a->streamed_bytes / 1e6, b->streamed_bytes / 1e6);
}

void report_text_analyze(FILE *file, const analyze_job *job) {
    const clsolve_sparse_analysis *a = &job->automatic, *b = job->has_asked ? &job->asked : &job->automatic;
    const column_pair pair = {file, a, job->has_asked ? b : NULL};
    fprintf(file, "matrix      %s: n = %" PRId64 ", %" PRId64 " entries\n", job->read.matrix_path, a->n, a->entries);
    fprintf(file, "method      %s\n", job->method);
    fprintf(file, "rank        at most %" PRId64 " by the pattern%s\n", a->structural_rank,
            a->structural_rank < a->n ? ": the matrix is singular whatever its values are" : "");
    if (pair.asked != NULL) row_of_texts(&pair, "", "auto", "asked for");
    row_of_texts(&pair, "order", a->order, b->order);
    row_of_texts(&pair, "engine", a->engine, b->engine);
    row_of_texts(&pair, "rows exchanged", a->matched ? "yes" : "no", b->matched ? "yes" : "no");
    row_of_counts(&pair, "diagonal blocks", a->blocks, b->blocks);
    row_of_counts(&pair, "largest block", a->largest_block, b->largest_block);
    row_of_numbers(&pair, "entries of the factors", a->factor_entries, b->factor_entries);
    row_of_numbers(&pair, "operations", a->operations, b->operations);
    row_of_counts(&pair, "fronts", a->fronts, b->fronts);
    row_of_counts(&pair, "largest front", a->largest_front, b->largest_front);
    row_of_counts(&pair, "levels", a->levels, b->levels);
    row_of_numbers(&pair, "memory, MB", a->host_bytes / 1e6, b->host_bytes / 1e6);
    rows_of_devices(&pair, a, b);
    row_of_numbers(&pair, "analysis, s", a->seconds, b->seconds);
    row_of_numbers(&pair, "factorization about, s", a->expected_factor, b->expected_factor);
    row_of_numbers(&pair, "solve about, s", a->expected_solve, b->expected_solve);
    if (job->svg_path != NULL) fprintf(file, "picture     %s\n", job->svg_path);
}

/* ---- programs ---- */

static json_t *object_of(const clsolve_sparse_analysis *a) {
    json_t *object = json_object();
    put_text(object, "order", a->order);
    put_text(object, "engine", a->engine);
    json_object_set_new(object, "matched", json_boolean(a->matched));
    put_count(object, "blocks", a->blocks);
    put_count(object, "largest_block", a->largest_block);
    put_number(object, "factor_entries", a->factor_entries);
    put_number(object, "operations", a->operations);
    put_count(object, "fronts", a->fronts);
    put_count(object, "largest_front", a->largest_front);
    put_count(object, "levels", a->levels);
    put_number(object, "host_bytes", a->host_bytes);
    put_count(object, "devices", a->devices);
    put_number(object, "device_bytes", a->device_bytes);
    put_number(object, "first_device_bytes", a->first_device_bytes);
    put_number(object, "other_device_bytes", a->other_device_bytes);
    put_number(object, "streamed_bytes", a->streamed_bytes);
    put_number(object, "seconds", a->seconds);
    put_number(object, "expected_factor", a->expected_factor);
    put_number(object, "expected_solve", a->expected_solve);
    return object;
}

exit_code report_json_analyze(const char *path, const analyze_job *job, const outcome *result, outcome *out) {
    const int has_matrix = job->read.has_matrix;
    json_t *object = json_object();
    put_text(object, "version", clsolve_version());
    put_outcome(object, result);
    put_text(object, "matrix", job->read.matrix_path);
    put_text(object, "svg", result->code == EXIT_CODE_OK ? job->svg_path : NULL);
    put_known(object, has_matrix, "n", job->read.A.rows);
    put_known(object, job->has_automatic, "entries", job->automatic.entries);
    put_text(object, "method", job->method);
    put_known(object, job->has_automatic, "structural_rank", job->automatic.structural_rank);
    json_object_set_new(object, "auto", job->has_automatic ? object_of(&job->automatic) : json_null());
    json_object_set_new(object, "asked", job->has_asked ? object_of(&job->asked) : json_null());
    return write_json(path, object, out);
}
