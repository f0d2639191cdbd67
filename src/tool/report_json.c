/* report_json.c: reports for programs. */
#include "tool/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tool/json_put.h"

static json_t *seconds_of(const solve_job *job) {
    const clsolve_seconds *s = &job->report.seconds;
    const double unknown = (double)NAN;
    int ran = job->has_report;
    json_t *object = json_object();
    put_number(object, "read", job->read_seconds);
    put_number(object, "build", ran ? s->build : unknown);
    put_number(object, "upload", ran ? s->upload : unknown);
    put_number(object, "factor", ran ? s->factor : unknown);
    put_number(object, "solve", ran ? s->solve : unknown);
    put_number(object, "download", ran ? s->download : unknown);
    put_number(object, "total", ran ? s->total : unknown);
    put_number(object, "write", job->write_seconds);
    put_number(object, "command", progress_clock() - job->started);
    return object;
}

static json_t *history_of(const clsolve_report *r) {
    json_t *history = json_array();
    for (int64_t k = 0; k < r->refinement.history_length && k < CLSOLVE_REPORT_HISTORY; k++) {
        double entry = r->refinement.history[k];
        json_array_append_new(history, isfinite(entry) ? json_real(entry) : json_null());
    }
    return history;
}

/* A seed that a number of JSON's, of 63 bits, cannot hold is its digits as a text. NULL: there is none. */
static void put_seed(json_t *object, const uint64_t *seed) {
    char digits[32];
    if (seed && *seed <= INT64_MAX) {
        json_object_set_new(object, "seed", json_integer((json_int_t)*seed));
        return;
    }
    if (seed) (void)snprintf(digits, sizeof digits, "%" PRIu64, *seed);
    put_text(object, "seed", seed ? digits : NULL);
}

/* Eigenvalues above, below and equal to zero; null where they were not counted. An empty matrix has none. */
static json_t *inertia_of(const solve_job *job) {
    const clsolve_report *r = &job->report;
    const clsolve_inertia *i = &r->direct.inertia;
    const int counts = job->has_report && r->method && strstr(r->method, "ldl");
    if (i->positive + i->negative + i->zero == 0 && !(counts && r->n == 0)) return json_null();
    json_t *array = json_array();
    json_array_append_new(array, json_integer(i->positive));
    json_array_append_new(array, json_integer(i->negative));
    json_array_append_new(array, json_integer(i->zero));
    return array;
}

/* An unknown value is null: the library marks it with numbers that no known value has. */
static void put_trust(json_t *object, const solve_job *job) {
    const clsolve_report *r = &job->report;
    const double unknown = (double)NAN;
    int ran = job->has_report, direct = ran && job->lines == 0; /* an iteration has none of what factors tell */
    put_text(object, "factors", r->precision);
    put_text(object, "precision_reason", r->precision_reason);
    put_text(object, "fallback", r->direct.fallback);
    put_text(object, "pivoting", r->direct.pivoting);
    put_text(object, "pivoting_used", r->direct.pivoting_used);
    put_text(object, "pivoting_fallback", r->direct.pivoting_fallback);
    put_known(object, ran && job->device_count > 0, "devices_used", job->devices_used);
    put_seed(object, ran && job->pivoting == CLSOLVE_PIVOTING_RBT ? &r->direct.seed : NULL);
    put_number(object, "rcond", ran && r->direct.rcond >= 0 ? r->direct.rcond : unknown);
    json_object_set_new(object, "rcond_is_bound", direct ? json_boolean(r->direct.rcond_is_bound) : json_null());
    put_number(object, "growth", r->direct.growth > 0 ? r->direct.growth : unknown);
    put_number(object, "log_abs_det", r->direct.det_sign != 0 ? r->direct.log_abs_det : unknown);
    put_known(object, direct, "det_sign", r->direct.det_sign);
    if (job->A.is_complex) put_number(object, "det_phase", r->direct.det_sign != 0 ? r->direct.det_phase : unknown);
    put_text(object, "det_precision", r->direct.det_precision);
    json_object_set_new(object, "inertia", inertia_of(job));
    put_known(object, direct, "equilibrated", r->direct.equilibrated);
    put_known(object, ran, "iterations", r->iterations);
    put_known(object, direct, "gmres_iterations", r->refinement.gmres_iterations);
    json_object_set_new(object, "history", direct ? history_of(r) : json_null());
}

/* The type of the matrices, as the library has them. */
static const char *type_of(const solve_job *job) {
    if (job->precision == NULL || !job->has_matrix) return NULL;
    if (job->precision->type == CLSOLVE_F32) return job->A.is_complex ? "c32" : "f32";
    return job->A.is_complex ? "c64" : "f64";
}

/* The keys of block-gs alone; if auto went on from it, that the grid is singular. */
static void put_iteration(json_t *object, const solve_job *job) {
    if (job->lines > 0 || job->singular) json_object_set_new(object, "singular", json_boolean(job->singular));
    if (job->lines == 0) return;
    json_t *history = json_array();
    put_count(object, "lines", job->lines);
    put_count(object, "line_length", job->line_length);
    put_text(object, "solver", job->solver_text);
    put_text(object, "reason", job->reason);
    for (int64_t i = 0; i < job->history_count; i++)
        json_array_append_new(history, isfinite(job->history[i]) ? json_real(job->history[i]) : json_null());
    json_object_set_new(object, "residual_history", history);
}

/* The keys of band-lu and band-cholesky alone. */
static void put_band(json_t *object, const solve_job *job) {
    const clsolve_solve_report *ran = &job->ran;
    const int is_cholesky = ran->name != NULL && strcmp(ran->name, "band-cholesky") == 0;
    if (ran->method != CLSOLVE_METHOD_BAND && !is_cholesky) return;
    put_count(object, "kl", ran->lower);
    put_count(object, "ku", ran->upper);
    put_count(object, "kl_before", ran->lower_before);
    put_count(object, "ku_before", ran->upper_before);
    json_object_set_new(object, "reordered", json_boolean(ran->reordered));
    put_known(object, job->has_report, "block", job->report.band.block);
    put_text(object, "panel", job->report.band.panel);
}

/* The keys of the sparse methods; null for other ones. */
static void put_sparse(json_t *object, const solve_job *job) {
    const clsolve_sparse_analysis *a = &job->analysis;
    const int known = job->has_analysis;
    const double unknown = (double)NAN;
    put_text(object, "order", known ? a->order : NULL);
    put_text(object, "engine", known ? a->engine : NULL);
    put_number(object, "factor_entries", known ? a->factor_entries : unknown);
    put_number(object, "operations", known ? a->operations : unknown);
    put_known(object, known, "fronts", a->fronts);
    put_known(object, known, "delayed_pivots", a->delayed);
}

/* The devices of the job with their shares of the work; empty before one is open. */
static json_t *devices_of(const solve_job *job) {
    json_t *array = json_array();
    for (int64_t d = 0; d < job->device_count; d++) {
        json_t *object = json_object();
        put_text(object, "selector", job->devices[d].selector);
        put_text(object, "name", job->devices[d].name);
        put_number(object, "share", job->devices[d].share);
        json_array_append_new(array, object);
    }
    return array;
}

/* A dense matrix or a band may pass through the device in parts. */
static int has_columns(const solve_job *job) {
    return !method_is_sparse(job->ran.method) && job->ran.method != CLSOLVE_METHOD_BLOCK_GS;
}

exit_code report_json_solve(const char *path, const solve_job *job, const outcome *result, outcome *out) {
    const clsolve_report *r = &job->report;
    int ran = job->has_report;
    int opened = job->device.selector[0] != '\0';
    double residual = job->has_residuals ? job->residuals.relative : (double)NAN;
    double backward = job->has_residuals ? job->residuals.backward : (double)NAN;
    double scaled = job->has_residuals ? job->residuals.scaled : (double)NAN;

    json_t *object = json_object();
    put_text(object, "version", clsolve_version());
    put_outcome(object, result);
    put_known(object, ran, "info", r->member > 0 ? r->member : r->info);
    put_text(object, "matrix", job->matrix_path);
    put_text(object, "rhs", job->rhs_path);
    put_text(object, "solution", result->code == EXIT_CODE_OK ? job->solution_path : NULL);
    put_known(object, job->has_matrix, "n", job->A.rows);
    put_known(object, job->has_matrix, "entries", job->A.entries);
    put_known(object, job->has_system, "nrhs", job->B.cols);
    put_text(object, "method", job_method_name(job));
    put_text(object, "method_reason", job->ran.reason[0] != '\0' ? job->ran.reason : NULL);
    put_text(object, "method_fallback", job->method_fallback[0] != '\0' ? job->method_fallback : NULL);
    put_text(object, "type", type_of(job));
    put_text(object, "precision", job->precision != NULL ? job->precision->answer : NULL);
    put_text(object, "device", opened ? job->device.name : NULL);
    put_text(object, "selector", opened ? job->device.selector : job->selector);
    put_text(object, "backend", opened ? job->device.backend : NULL);
    put_text(object, "where", ran ? r->where : NULL);
    put_text(object, "where_reason", ran ? r->where_reason : NULL);
    put_number(object, "relative_residual", residual);
    put_number(object, "backward_error", backward);
    put_number(object, "scaled_residual", scaled);
    put_number(object, "unrefined_residual", job->unrefined_residual);
    put_trust(object, job);
    put_iteration(object, job);
    put_band(object, job);
    put_sparse(object, job);
    json_object_set_new(object, "seconds", seconds_of(job));
    put_known(object, ran, "bytes_up", r->bytes_up);
    put_known(object, ran, "bytes_down", r->bytes_down);
    put_known(object, ran, "transfers_up", r->transfers_up);
    put_known(object, ran, "transfers_down", r->transfers_down);
    put_known(object, ran, "device_bytes", r->device_bytes);
    put_known(object, ran, "host_bytes", r->host_bytes);
    put_known(object, ran && has_columns(job), "slab_columns", r->slab_columns);
    put_known(object, ran && r->slabs > 0, "slabs", r->slabs);
    json_object_set_new(object, "devices", devices_of(job));
    return write_json(path, object, out);
}

static json_t *device_object(const clsolve_device_info *device) {
    json_t *object = json_object();
    put_text(object, "selector", device->selector);
    put_text(object, "backend", device->backend);
    put_text(object, "type", report_device_type(device->type));
    put_text(object, "name", device->name);
    put_text(object, "vendor", device->vendor);
    put_text(object, "platform", device->platform);
    put_text(object, "version", device->version);
    put_text(object, "driver", device->driver);
    put_count(object, "compute_units", device->compute_units);
    put_count(object, "clock_mhz", device->clock_mhz);
    put_count(object, "max_work_group", device->max_work_group);
    put_count(object, "local_memory", device->local_memory);
    put_count(object, "global_memory", device->global_memory);
    put_count(object, "max_allocation", device->max_allocation);
    json_object_set_new(object, "fp64", json_boolean(device->fp64));
    json_object_set_new(object, "host_memory", json_boolean(device->host_memory));
    return object;
}

exit_code report_json_devices(const char *path, const clsolve_device_info *list, int64_t count, outcome *out) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, device_object(&list[i]));
    json_t *object = json_object();
    put_text(object, "version", clsolve_version());
    json_object_set_new(object, "devices", array);
    return write_json(path, object, out);
}
