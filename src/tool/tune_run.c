/*
 * tune_run.c: the measurements of `clsolve tune`, and how they divide the time.
 *
 *   each precision   an equal part of the time: the search has a share of it, the comparison as much
 *   then             what is left, as far as CLBlast's first use has not taken it: comparisons that are not complete
 *
 * With --dry-run nothing is stored, so that no call can go on with an earlier one. There the comparison has all that
 * the search leaves.
 */
#include "tool/tune_run.h"

#include <string.h>

#include "tool/progress.h"

/* The updates of one transposition in a report; an interrupted comparison is made again by transpositions. */
enum { KINDS_OF_ONE = CLSOLVE_TUNE_UPDATES / 4 };

static exit_code fail_tune(clsolve_context *context, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    return outcome_fail_status(out, status, "tune: %s", said);
}

static double left_of(const tune_job *job) {
    return (double)job->budget - (progress_clock() - job->started);
}

/* ---- one measurement ---- */

/* Through CUDA there is nothing to tune, which is said and is no failure. */
static exit_code tune_product(const tune_job *job, clsolve_context *context, const clsolve_tune_options *options,
                              tune_result *result, outcome *out) {
    clsolve_status status = clsolve_tune(context, result->type, options, &result->product);
    result->has_product = status == CLSOLVE_OK;
    if (status == CLSOLVE_OK) return EXIT_CODE_OK;
    said_by_context(context, status, result->product_said);
    const int through_cuda = strcmp(job->device.backend, "cuda") == 0;
    return status == CLSOLVE_ERROR_UNSUPPORTED && through_cuda ? EXIT_CODE_OK : fail_tune(context, status, out);
}

/* ---- each precision ---- */

/* The share of the search, and of the comparison. In the host's memory OpenBLAS multiplies, so the product counts for
 * little. */
static double share_of(const tune_job *job) {
    return job->device.host_memory ? 0.1 : 0.4;
}

static exit_code tune_type(const tune_job *job, clsolve_context *context, tune_result *result, outcome *out) {
    const double part = (double)job->budget / job->count;
    clsolve_tune_options options = job->options;

    options.seconds = share_of(job) * part;
    if (options.dry) options.limit = part;
    return tune_product(job, context, &options, result, out);
}

/* ---- what is left ---- */

/* Seconds that one transposition took to compare. */
static double pace_of(const clsolve_tune_report *r) {
    const double seconds = r->seconds - r->search_seconds - r->clblast_seconds;
    return r->update_count > 0 ? KINDS_OF_ONE * seconds / r->update_count : 0;
}

/* The report of both calls. A transposition that the first one began is in the second one whole. */
static void add_product(clsolve_tune_report *first, const clsolve_tune_report *more) {
    first->update_count -= first->update_count % KINDS_OF_ONE;
    for (int32_t u = 0; u < more->update_count && first->update_count < CLSOLVE_TUNE_UPDATES; u++)
        first->updates[first->update_count++] = more->updates[u];
    first->updates_skipped = more->updates_skipped;
    first->clblast_seconds += more->clblast_seconds;
    first->seconds += more->seconds;
    first->stored = more->stored;
    memcpy(first->file, more->file, sizeof first->file);
}

static int is_left(const tune_result *r) {
    return r->has_product && r->product.updates_skipped > 0;
}

/* The search is over: it is not gone on with, or a better candidate would be compared anew. */
static exit_code compare_rest(const tune_job *job, clsolve_context *context, int products, tune_result *result,
                              outcome *out) {
    const clsolve_tune_report first = result->product;
    const double pace = pace_of(&first), left = left_of(job);
    clsolve_tune_options options = job->options;

    if (left <= pace) return EXIT_CODE_OK;
    options.resume = 1;
    options.seconds = 1e-9;
    options.limit = left / products > pace ? left / products : pace;
    exit_code code = tune_product(job, context, &options, result, out);
    if (code != EXIT_CODE_OK) return code;
    const clsolve_tune_report more = result->product;
    result->product = first;
    add_product(&result->product, &more);
    return EXIT_CODE_OK;
}

static exit_code use_rest(tune_job *job, clsolve_context *context, outcome *out) {
    exit_code code = EXIT_CODE_OK;
    int products = 0;

    for (int r = 0; r < job->count; r++) products += is_left(&job->results[r]);
    for (int r = 0; r < job->count && code == EXIT_CODE_OK; r++)
        if (is_left(&job->results[r])) code = compare_rest(job, context, products--, &job->results[r], out);
    return code;
}

/* The text of what is stored. Where nothing can be, the reason is the one of the first precision. */
static exit_code share(tune_job *job, clsolve_context *context, outcome *out) {
    const tune_result *first = &job->results[0];
    if (!first->has_product)
        return outcome_fail_status(out, CLSOLVE_ERROR_UNSUPPORTED, "tune: %s", first->product_said);
    clsolve_status status = job->count == 1 ? clsolve_tune_share_type(context, first->type, job->text, sizeof job->text)
                                            : clsolve_tune_share(context, job->text, sizeof job->text);
    return status == CLSOLVE_OK ? EXIT_CODE_OK : fail_tune(context, status, out);
}

/* The speeds by which handles choose between device and host. In the host's memory nothing is compared. */
static exit_code calibrate(tune_job *job, clsolve_context *context, outcome *out) {
    exit_code code = EXIT_CODE_OK;
    for (int r = 0; r < job->count && code == EXIT_CODE_OK && !job->device.host_memory; r++) {
        const clsolve_status status = clsolve_calibrate(context, job->results[r].type);
        if (status != CLSOLVE_OK) code = fail_tune(context, status, out);
    }
    return code;
}

exit_code tune_run(tune_job *job, clsolve_context *context, outcome *out) {
    exit_code code = EXIT_CODE_OK;

    job->started = progress_clock();
    for (int r = 0; r < job->count && code == EXIT_CODE_OK; r++) code = tune_type(job, context, &job->results[r], out);
    if (code == EXIT_CODE_OK && !job->options.dry) code = use_rest(job, context, out);
    if (code == EXIT_CODE_OK && !job->options.dry) code = calibrate(job, context, out);
    return code == EXIT_CODE_OK && job->share ? share(job, context, out) : code;
}
