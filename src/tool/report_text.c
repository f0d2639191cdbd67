/* report_text.c: reports for people. */
#include "tool/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tool/output.h"

const char *report_device_type(clsolve_device_type type) {
    switch (type) {
    case CLSOLVE_DEVICE_CPU:
        return "CPU";
    case CLSOLVE_DEVICE_GPU:
        return "GPU";
    case CLSOLVE_DEVICE_OTHER:
        break;
    }
    return "other";
}

/* "1.5 GB" in the caller's room: powers of 1000, as transfers are measured. */
static const char *bytes_text(char room[32], int64_t bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1000;
        unit++;
    }
    snprintf(room, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return room;
}

static void phase(FILE *file, const char *name, double seconds) {
    fprintf(file, "  %-10s %10.4f s\n", name, seconds);
}

static void print_phases(FILE *file, const solve_job *job) {
    const clsolve_seconds *s = &job->report.seconds;
    double n = (double)job->report.n;
    phase(file, "read", job->read_seconds);
    phase(file, "build", s->build);
    phase(file, "upload", s->upload);
    fprintf(file, "  %-10s %10.4f s", "factor", s->factor);
    /* LU's count; an inverse takes three times that, Cholesky and LDL^T half, and other solves are not told by a
     * rate. */
    const char *method = job_method_name(job);
    double operations = job->inverse                      ? 2.0
                        : strcmp(method, "lu") == 0       ? 2.0 / 3.0
                        : strcmp(method, "cholesky") == 0 ? 1.0 / 3.0
                        : strcmp(method, "ldl") == 0      ? 1.0 / 3.0
                                                          : 0.0;
    if (job->A.is_complex)
        operations = job->inverse ? 0 : 4 * operations; /* real ones; LU's inverse is no part of it */
    if (s->factor > 0 && n > 0 && operations > 0)
        fprintf(file, "  %10.2f GFLOP/s", operations * n * n * n / s->factor * 1e-9);
    if (s->factor > 0 && job->has_analysis && !job->A.is_complex)
        fprintf(file, "  %10.2f GFLOP/s", job->analysis.operations / s->factor * 1e-9);
    fputc('\n', file);
    phase(file, "solve", s->solve);
    phase(file, "download", s->download);
    phase(file, "library", s->total);
    if (job->solution_path != NULL) phase(file, "write", job->write_seconds);
}

static void print_band(FILE *file, const solve_job *job) {
    const clsolve_solve_report *ran = &job->ran;
    fprintf(file, "band        kl = %" PRId64 ", ku = %" PRId64, ran->lower, ran->upper);
    if (ran->reordered)
        fprintf(file, " by reverse Cuthill-McKee, from kl = %" PRId64 ", ku = %" PRId64, ran->lower_before,
                ran->upper_before);
    if (job->report.band.panel != NULL) fprintf(file, "; %s", job->report.band.panel);
    if (job->report.band.block > 1) fprintf(file, ", blocks of %" PRId64, job->report.band.block);
    fputc('\n', file);
}

static void print_sparse(FILE *file, const clsolve_sparse_analysis *a) {
    fprintf(file, "factors     order %s, %.4g entries, %.4g operations, %s", a->order, a->factor_entries, a->operations,
            a->engine);
    if (a->fronts > 0)
        fprintf(file, ", %" PRId64 " front%s of up to %" PRId64 " rows", a->fronts, a->fronts == 1 ? "" : "s",
                a->largest_front);
    if (a->blocks > 1)
        fprintf(file, ", %" PRId64 " diagonal blocks of up to %" PRId64 " rows", a->blocks, a->largest_block);
    if (a->delayed > 0) fprintf(file, "; %" PRId64 " delayed pivot%s", a->delayed, a->delayed == 1 ? "" : "s");
    fputc('\n', file);
}

static void print_input(FILE *file, const solve_job *job) {
    fprintf(file, "matrix      %s: n = %" PRId64 ", %" PRId64 " entries (%s)\n", job->matrix_path, job->A.rows,
            job->A.entries, job->A.sparse ? "sparse" : "dense");
    if (!job->inverse)
        fprintf(file, "right side  %s: %" PRId64 " column%s\n", job->rhs_path != NULL ? job->rhs_path : "A*(1,...,1)",
                job->B.cols, job->B.cols == 1 ? "" : "s");
    fprintf(file, "method      %s, %s precision\n", job_method_name(job), job->precision->answer);
    if (job->ran.reason[0] != '\0' && job->method->method == CLSOLVE_METHOD_AUTO)
        fprintf(file, "choice      %s\n", job->ran.reason);
    if (job->lines > 0)
        fprintf(file, "grid        %" PRId64 " line%s of %" PRId64 "\nsolver      %s (%s)%s\n", job->lines,
                job->lines == 1 ? "" : "s", job->line_length, job->solver_text, job->reason,
                job->singular ? "; singular: the solution with mean 0" : "");
    if (job->fallback_from != NULL)
        fprintf(file, "fallback    from %s: %s\n", job->fallback_from, job->method_fallback);
    if (job->lines == 0 && job->singular)
        fprintf(file, "singular    all row sums are zero: the solution with mean 0\n");
    if (job->ran.method == CLSOLVE_METHOD_BAND) print_band(file, job);
    if (job->has_analysis) print_sparse(file, &job->analysis);
    fprintf(file, "device      %s  %s (%s)\n", job->device.selector, job->device.name, job->device.platform);
    for (int64_t d = 0; d < job->device_count && job->device_count > 1; d++)
        fprintf(file, "share       %s  %s: %.1f %%\n", job->devices[d].selector, job->devices[d].name,
                100 * job->devices[d].share);
    if (job->has_report && job->report.where != NULL && strcmp(job->report.where, job->device.backend) != 0 &&
        strcmp(job->report.where, "host") == 0)
        fprintf(file, "host        worked there; %s\n", job->report.where_reason);
}

/* Nothing where the method does not count them. */
static void print_inertia(FILE *file, const clsolve_inertia *i) {
    if (i->positive + i->negative + i->zero == 0) return;
    fprintf(file, "inertia     %" PRId64 " positive, %" PRId64 " negative, %" PRId64 " zero\n", i->positive,
            i->negative, i->zero);
}

/* Nothing where the method estimates none of the three. A Gauss-Jordan solve has no factors to estimate from. */
static void print_condition(FILE *file, const clsolve_report *r) {
    if (r->direct.rcond < 0 && r->method != NULL && strcmp(r->method, "gauss-jordan") == 0)
        fprintf(file, "condition   not known after gauss-jordan; --method lu estimates it\n");
    if (!(r->direct.rcond >= 0) && !(r->direct.growth > 0) && r->direct.det_sign == 0) return;
    if (r->direct.rcond > 0)
        fprintf(file, "condition   %s %.2e", r->direct.rcond_is_bound ? "at least" : "about", 1 / r->direct.rcond);
    else
        fprintf(file, "condition   %s", r->direct.rcond == 0 ? "infinite" : "not known");
    if (r->direct.growth > 0) fprintf(file, ", pivot growth %.3g", r->direct.growth);
    if (r->direct.det_sign != 0)
        fprintf(file, ", det %s exp(%.6g", r->direct.det_sign > 0 ? "+" : "-", r->direct.log_abs_det);
    if (r->direct.det_sign != 0 && r->direct.det_phase != 0) fprintf(file, " %+.6g i", r->direct.det_phase);
    if (r->direct.det_sign != 0) fputc(')', file);
    if (r->direct.det_sign != 0 && r->precision != NULL && strcmp(r->precision, "mixed") == 0)
        fprintf(file, " as single-precision factors have it");
    fputc('\n', file);
}

/* The accuracy of the answer, in the words of the library. */
static void print_trust(FILE *file, const solve_job *job) {
    const clsolve_report *r = &job->report;
    static const char *const scaled[] = {"", "rows", "columns", "rows and columns", "the whole matrix"};
    if (r->precision != NULL && strcmp(r->precision, "mixed") == 0)
        fprintf(file, "precision   mixed: single-precision factors, refined in double\n");
    if (r->direct.fallback != NULL) fprintf(file, "precision   fell back to double: %s\n", r->direct.fallback);
    if (job->pivoting == CLSOLVE_PIVOTING_RBT && r->direct.pivoting_fallback == NULL)
        fprintf(file, "pivoting    none, of a matrix randomised by butterflies (seed %" PRIu64 ")\n", r->direct.seed);
    if (r->direct.pivoting_fallback != NULL)
        fprintf(file, "pivoting    fell back from rbt to partial: %s\n", r->direct.pivoting_fallback);
    if (r->direct.equilibrated > 0 && r->direct.equilibrated < (int)(sizeof scaled / sizeof *scaled))
        fprintf(file, "scaled      %s\n", scaled[r->direct.equilibrated]);
    if (!isnan(job->unrefined_residual))
        fprintf(file, "refinement  not asked for, done as the scaled residual was %.2e\n", job->unrefined_residual);
    if (r->refinement.history_length > 0) {
        fprintf(file, "refinement  %" PRId64 " step%s", r->iterations, r->iterations == 1 ? "" : "s");
        if (r->refinement.gmres_iterations > 0)
            fprintf(file, ", %" PRId64 " of them GMRES", r->refinement.gmres_iterations);
        fprintf(file, ", backward error %.2e to %.2e\n", r->refinement.history[0], r->refinement.backward_error);
    }
    print_condition(file, r);
    print_inertia(file, &r->direct.inertia);
}

void report_text_solve(FILE *file, const solve_job *job) {
    char up[32], down[32];
    print_input(file, job);
    print_phases(file, job);
    fprintf(file, "transfers   %s up, %s down\n", bytes_text(up, job->report.bytes_up),
            bytes_text(down, job->report.bytes_down));
    if (job->report.slab_columns > 0)
        fprintf(file, "out of core %s of %" PRId64 " columns, %s on the device, factors of %s on the host\n",
                job->ran.method == CLSOLVE_METHOD_BAND ? "a window" : "slabs", job->report.slab_columns,
                bytes_text(up, job->report.device_bytes), bytes_text(down, job->report.host_bytes));
    print_trust(file, job);
    if (job->lines > 0) fprintf(file, "iterations  %" PRId64 "\n", job->report.iterations);
    if (job->ran.corrections > 0)
        fprintf(file, "corrections %" PRId64 ", to the accuracy of a direct method\n", job->ran.corrections);
    fprintf(file, "residual    relative %.2e, backward error %.2e, scaled %.2e", job->residuals.relative,
            job->residuals.backward, job->residuals.scaled);
    if (job->lines == 0) fprintf(file, " (accepted below %d)", RESIDUAL_ACCEPTED); /* an iteration has its tolerance */
    fputc('\n', file);
    fprintf(file, "status      %s, info %" PRId64 "\n", clsolve_status_text(job->report.status), job->report.info);
    if (job->solution_path != NULL)
        fprintf(file, "%s    %s\n", job->inverse ? "inverse " : "solution",
                output_is_stdout(job->solution_path) ? "standard output" : job->solution_path);
    report_text_next(file, job);
}

/* As wide as the widest entry, so that columns stay aligned without cutting names. */
static int widest(const char *first, size_t stride, int64_t count, const char *title) {
    size_t most = strlen(title);
    for (int64_t i = 0; i < count; i++) {
        size_t length = strlen(first + (size_t)i * stride);
        if (length > most) most = length;
    }
    return (int)most;
}

void report_text_devices(FILE *file, const clsolve_device_info *list, int64_t count) {
    size_t stride = sizeof *list;
    int selector = widest(list->selector, stride, count, "selector");
    int name = widest(list->name, stride, count, "name");
    int platform = widest(list->platform, stride, count, "platform");
    fprintf(file, "  # %-*s  type   %-*s  %-*s  fp64  %10s  units\n", selector, "selector", name, "name", platform,
            "platform", "memory");
    for (int64_t i = 0; i < count; i++) {
        char memory[32];
        fprintf(file, "%3" PRId64 " %-*s  %-5s  %-*s  %-*s  %-4s  %10s  %5" PRId32 "\n", i + 1, selector,
                list[i].selector, report_device_type(list[i].type), name, list[i].name, platform, list[i].platform,
                list[i].fp64 ? "yes" : "no", bytes_text(memory, list[i].global_memory), list[i].compute_units);
    }
}

static void print_product(FILE *file, clsolve_context *context, const char *name, clsolve_type type) {
    char text[192];
    if (clsolve_tune_describe(context, type, text, sizeof text) == CLSOLVE_OK)
        fprintf(file, "  product         %s: %s\n", name, text);
}

/* Whether the library's kernels work there, tried now or known from before; and which matrix product is used. */
static void print_self_test(FILE *file, const clsolve_device_info *d) {
    clsolve_context *context = NULL;
    char single[192] = "", both[192] = "", said[1024] = "";
    clsolve_context_options options = {.selector = d->selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, &context);
    if (status != CLSOLVE_OK) {
        fprintf(file, "  kernels         not tried: %s\n", said[0] != '\0' ? said : clsolve_status_text(status));
        return;
    }
    (void)clsolve_context_self_test(context, CLSOLVE_F32, single, sizeof single);
    (void)clsolve_context_self_test(context, CLSOLVE_F64, both, sizeof both);
    fprintf(file, "  kernels         single: %s; double: %s\n", single, both);
    print_product(file, context, "single", CLSOLVE_F32);
    if (d->fp64) print_product(file, context, "double", CLSOLVE_F64);
    clsolve_context_destroy(context);
}

void report_text_device_details(FILE *file, const clsolve_device_info *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const clsolve_device_info *d = &list[i];
        char global[32], local[32], largest[32];
        fprintf(file, "%s%s\n", i > 0 ? "\n" : "", d->selector);
        fprintf(file, "  name            %s\n  vendor          %s\n", d->name, d->vendor);
        fprintf(file, "  platform        %s\n  version         %s\n", d->platform, d->version);
        fprintf(file, "  driver          %s\n", d->driver);
        fprintf(file, "  type            %s\n", report_device_type(d->type));
        fprintf(file, "  compute units   %" PRId32 "\n", d->compute_units);
        if (d->clock_mhz > 0) fprintf(file, "  clock           %" PRId32 " MHz\n", d->clock_mhz);
        fprintf(file, "  fp64            %s\n", d->fp64 ? "yes" : "no");
        fprintf(file, "  memory          %s, %s\n", bytes_text(global, d->global_memory),
                d->host_memory ? "the host's own" : "its own");
        fprintf(file, "  one buffer      up to %s\n", bytes_text(largest, d->max_allocation));
        fprintf(file, "  work-group      up to %" PRId64 " items, %s of local memory\n", d->max_work_group,
                bytes_text(local, d->local_memory));
        print_self_test(file, d);
    }
}
