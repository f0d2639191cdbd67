/*
 * tune_run.c: the measurements of `clsolve tune`, and how they divide the time.
 *
 *   each precision   an equal part of the time: the search has a part of that, the comparison as much, dense LU the rest
 *   then             what they have left: comparisons that are not complete, and then dense LU
 *
 * With --dry-run nothing is stored, so that no call can go on with an earlier one. There dense LU goes first, which takes
 * nothing from a product that is not stored, and the comparison has all that is left.
 */
#include "tool/tune_run.h"

#include <string.h>

#include "tool/progress.h"

/* Of the updates in a report; a comparison that is interrupted is made again by transpositions. */
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

/* A device that has nothing to tune in its products may have sizes. */
static exit_code tune_product(clsolve_context *context, const clsolve_tune_options *options, tune_result *result,
                              outcome *out) {
    clsolve_status status = clsolve_tune(context, result->type, options, &result->product);
    result->has_product = status == CLSOLVE_OK;
    if (status == CLSOLVE_OK) return EXIT_CODE_OK;
    said_by_context(context, status, result->product_said);
    return status == CLSOLVE_ERROR_UNSUPPORTED ? EXIT_CODE_OK : fail_tune(context, status, out);
}

static exit_code tune_sizes(clsolve_context *context, const clsolve_tune_options *options, tune_result *result,
                            outcome *out) {
    clsolve_status status = clsolve_tune_sizes(context, result->type, options, &result->sizes);
    result->has_sizes = status == CLSOLVE_OK;
    return status == CLSOLVE_OK ? EXIT_CODE_OK : fail_tune(context, status, out);
}

/* ---- each precision ---- */

/* Of one precision. */
static double share_of(const tune_job *job) {
    return (double)job->budget / job->count;
}

/* Of the search, and of the comparison. In the host's memory OpenBLAS multiplies, so that the product counts for little. */
static double product_share(const tune_job *job) {
    return share_of(job) * (job->device.host_memory ? 0.1 : 0.22);
}

/* By that the orders are chosen, however much time there is, so that the same command finds nothing left to do. */
static double sizes_share(const tune_job *job) {
    return share_of(job) - 2 * product_share(job);
}

static double at_least(double seconds, double least) {
    return seconds > least ? seconds : least;
}

static exit_code tune_dry(const tune_job *job, clsolve_context *context, tune_result *result, outcome *out) {
    const double start = progress_clock();
    clsolve_tune_options options = job->options;

    options.seconds = sizes_share(job);
    exit_code code = tune_sizes(context, &options, result, out);
    if (code != EXIT_CODE_OK) return code;
    options.seconds = product_share(job);
    options.limit = at_least(share_of(job) - (progress_clock() - start), 2 * product_share(job));
    return tune_product(context, &options, result, out);
}

static exit_code tune_type(const tune_job *job, clsolve_context *context, tune_result *result, outcome *out) {
    const double start = progress_clock();
    clsolve_tune_options options = job->options;

    if (options.dry) return tune_dry(job, context, result, out);
    options.seconds = product_share(job);
    exit_code code = tune_product(context, &options, result, out);
    if (code != EXIT_CODE_OK) return code;
    options.seconds = sizes_share(job);
    options.limit = at_least(share_of(job) - (progress_clock() - start), 0.4 * share_of(job));
    return tune_sizes(context, &options, result, out);
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

static int is_product_left(const tune_result *r) {
    return r->has_product && r->product.updates_skipped > 0;
}

/* The search is over: it is not gone on with, or a better candidate would be compared anew. */
static exit_code compare_rest(clsolve_context *context, clsolve_tune_options options, double left, int products,
                              tune_result *result, outcome *out) {
    const clsolve_tune_report first = result->product;
    const double pace = pace_of(&first);

    if (left <= pace) return EXIT_CODE_OK;
    options.seconds = 1e-9;
    options.limit = left / products > pace ? left / products : pace;
    exit_code code = tune_product(context, &options, result, out);
    if (code != EXIT_CODE_OK) return code;
    const clsolve_tune_report more = result->product;
    result->product = first;
    add_product(&result->product, &more);
    return EXIT_CODE_OK;
}

static exit_code fit_rest(clsolve_context *context, clsolve_tune_options options, double seconds, tune_result *result,
                          outcome *out) {
    const clsolve_tune_sizes_report first = result->sizes;

    options.limit = seconds;
    exit_code code = tune_sizes(context, &options, result, out);
    result->sizes.measured += first.measured;
    result->sizes.seconds += first.seconds;
    result->sizes.resumed = first.resumed;
    return code;
}

static exit_code use_rest(tune_job *job, clsolve_context *context, outcome *out) {
    clsolve_tune_options options = job->options;
    exit_code code = EXIT_CODE_OK;
    int products = 0, fits = 0;

    options.resume = 1;
    options.seconds = sizes_share(job);
    for (int r = 0; r < job->count; r++) {
        products += is_product_left(&job->results[r]);
        fits += job->results[r].sizes.stopped;
    }
    for (int r = 0; r < job->count && code == EXIT_CODE_OK; r++)
        if (is_product_left(&job->results[r]))
            code = compare_rest(context, options, left_of(job), products--, &job->results[r], out);
    for (int r = 0; r < job->count && code == EXIT_CODE_OK; r++)
        if (job->results[r].sizes.stopped && left_of(job) > 0.05 * (double)job->budget)
            code = fit_rest(context, options, left_of(job) / fits--, &job->results[r], out);
    return code;
}

exit_code tune_run(tune_job *job, clsolve_context *context, outcome *out) {
    exit_code code = EXIT_CODE_OK;

    job->started = progress_clock();
    for (int r = 0; r < job->count && code == EXIT_CODE_OK; r++) code = tune_type(job, context, &job->results[r], out);
    if (code == EXIT_CODE_OK && !job->options.dry) code = use_rest(job, context, out);
    if (code != EXIT_CODE_OK || !job->share) return code;
    clsolve_status status = job->count == 1
                                ? clsolve_tune_share_type(context, job->results[0].type, job->text, sizeof job->text)
                                : clsolve_tune_share(context, job->text, sizeof job->text);
    return status == CLSOLVE_OK ? EXIT_CODE_OK : fail_tune(context, status, out);
}
