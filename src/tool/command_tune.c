/* command_tune.c: clsolve tune: what the library fits to a device, and what came of it. */
#include <clsolve/clsolve.h>

#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/progress.h"
#include "tool/report.h"
#include "tool/tune_run.h"

static const char notes[] =
    "\nFits the library to this device and stores the outcome with the compiled kernels, for all later runs:\n"
    "the tile sizes of its built-in matrix product, compared with CLBlast's, and for a GPU the speeds by which\n"
    "handles choose between it and the host. Let nothing else run on the device meanwhile. Outcomes are stored\n"
    "as they come: an interrupted run goes on when the command is given again.\n\n"
    "--share measures what is missing and prints one block of text for the table of known devices; docs/tuning.md\n"
    "says where to send it.\n\n";

enum { USUAL_BUDGET = 50 };

/* The values that popt fills in. */
typedef struct tune_options {
    char *device, *precision, *budget, *json;
    int dry, again, share;
} tune_options;

static exit_code set_up(const command_line *line, const tune_options *options, tune_job *job, outcome *out) {
    const char *name = options->precision;
    exit_code code = options_check_operands(line, 0, 0, "", out);
    job->budget = USUAL_BUDGET;
    if (code == EXIT_CODE_OK && options->budget != NULL)
        code = options_count(line, "--budget", options->budget, &job->budget, out);
    if (code == EXIT_CODE_OK && job->budget > 3600)
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --budget '%s' is more than an hour: give seconds, 1 to 3600",
                            options->budget);
    if (code == EXIT_CODE_OK && name != NULL && strcmp(name, "double") != 0 && strcmp(name, "single") != 0)
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --precision '%s' is unknown; use double or single", name);
    if (code == EXIT_CODE_OK && options->share && options->dry)
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --share prints what is stored, and --dry-run stores nothing");
    if (code == EXIT_CODE_OK && options->share && output_is_stdout(options->json))
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --share and --json - are both standard output");
    if (code != EXIT_CODE_OK) return code;
    job->options.dry = options->dry;
    job->options.resume = !options->again && !options->dry;
    job->share = options->share;
    if (name != NULL) job->precision = strcmp(name, "single") == 0 ? "single" : "double";
    return EXIT_CODE_OK;
}

static exit_code open_device(tune_job *job, clsolve_context **context, outcome *out) {
    char said[4096] = "";
    clsolve_context_options options = {.selector = job->selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, context);
    if (status != CLSOLVE_OK)
        return outcome_fail_status(out, status, "%s%s", said[0] != '\0' ? said : clsolve_status_text(status),
                                   said_of_devices(status));
    job->device = clsolve_context_device(*context);
    if (job->precision == NULL && job->device.fp64) job->results[job->count++].type = CLSOLVE_F64;
    if (job->precision == NULL || strcmp(job->precision, "single") == 0)
        job->results[job->count++].type = CLSOLVE_F32;
    else if (job->count == 0)
        job->results[job->count++].type = CLSOLVE_F64;
    return EXIT_CODE_OK;
}

static exit_code tune(tune_job *job, outcome *out) {
    clsolve_context *context = NULL;
    progress bar;
    exit_code code = open_device(job, &context, out);
    if (code != EXIT_CODE_OK) return code;
    progress_start(&bar);
    job->options.progress = progress_draw;
    job->options.progress_user = &bar;
    code = tune_run(job, context, out);
    progress_erase(&bar);
    clsolve_context_destroy(context);
    return code;
}

/* 1: time was up before all was measured. */
static int has_stopped(const tune_job *job) {
    for (int r = 0; r < job->count; r++)
        if (job->results[r].product.updates_skipped > 0) return 1;
    return 0;
}

static void print(const tune_job *job) {
    if (!job->share) {
        report_text_tune(stdout, job);
        return;
    }
    fputs(job->text, stdout);
    if (has_stopped(job))
        fputs("clsolve: warning: not all was measured in the time: give the command again before you share the text\n",
              stderr);
}

/* A failure is reported in JSON too, or a script would find the report of an earlier run. */
static exit_code report(const tune_job *job, outcome *out) {
    outcome json_out = {0};
    if (out->code == EXIT_CODE_OK && !output_is_stdout(job->json_path)) print(job);
    if (job->json_path == NULL || report_json_tune(job->json_path, job, out, &json_out) == EXIT_CODE_OK)
        return out->code;
    return outcome_fail(out, json_out.code, "%s", json_out.message);
}

exit_code command_tune(int argc, const char **argv, outcome *out) {
    tune_options options = {0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("device", '\0', &options.device, "Which device; default: the best", "SEL"),
        OPTIONS_STRING("precision", '\0', &options.precision, "double or single; default: all that the device has",
                       "NAME"),
        OPTIONS_STRING("budget", '\0', &options.budget,
                       "Seconds of all; what is under way then is finished; 1 to 3600, default 50", "SECONDS"),
        {"again", '\0', POPT_ARG_NONE, &options.again, 0, "Measure anew what is stored", NULL},
        {"dry-run", '\0', POPT_ARG_NONE, &options.dry, 0, "Measure anew, and store nothing", NULL},
        {"share", '\0', POPT_ARG_NONE, &options.share, 0, "Print what is stored for the table of known devices", NULL},
        OPTIONS_STRING("json", '\0', &options.json, "Write a report as JSON; - is standard output", "FILE|-"),
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    exit_code code = options_parse(&line, argc, argv, table, "[OPTION...]", out);
    if (!options_helped(&line, code, notes)) {
        tune_job *job = calloc(1, sizeof *job);
        if (job == NULL) {
            code = outcome_fail(out, EXIT_CODE_MEMORY, "tune: out of memory");
        } else if (output_check(options.json, out) != EXIT_CODE_OK) {
            code = out->code; /* the place for the report is itself what is wrong */
        } else {
            job->json_path = options.json;
            job->selector = options.device;
            if (code == EXIT_CODE_OK) code = set_up(&line, &options, job, out);
            if (code == EXIT_CODE_OK) (void)tune(job, out);
            code = report(job, out);
        }
        free(job);
    }
    options_free(&line);
    return code;
}
