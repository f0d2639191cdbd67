/* command_tune.c: clsolve tune: the library's search for the parameters of its matrix product, and what came of it. */
#include <clsolve/clsolve.h>

#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/report.h"

static const char notes[] =
    "\nSearches for the tile sizes with which the library's own matrix product does updates of rank 16 to\n"
    "512 fastest on this device, compares with CLBlast, and stores the outcome beside the compiled\n"
    "kernels: from then on the faster of the two is used. Let nothing else run on the device meanwhile.\n"
    "Through CUDA there is nothing to tune: cuBLAS multiplies there.\n\n";

/* What popt fills; each string is for free(). */
typedef struct tune_options {
    char *device, *precision, *budget, *json;
    int dry, help;
} tune_options;

static exit_code set_up(const command_line *line, const tune_options *options, tune_job *job, outcome *out) {
    int64_t seconds = 0;
    const char *name = options->precision;
    exit_code code = options_check_operands(line, 0, 0, "", out);
    if (code == EXIT_CODE_OK && options->budget != NULL)
        code = options_count(line, "--budget", options->budget, &seconds, out);
    if (code == EXIT_CODE_OK && seconds > 3600)
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --budget '%s' is more than an hour: give seconds, 1 to 3600",
                            options->budget);
    if (code == EXIT_CODE_OK && name != NULL && strcmp(name, "double") != 0 && strcmp(name, "single") != 0)
        code = outcome_fail(out, EXIT_CODE_USAGE, "tune: --precision '%s' is unknown; use double or single", name);
    if (code != EXIT_CODE_OK) return code;
    job->options.seconds = (double)seconds;
    job->options.dry = options->dry;
    if (name != NULL) job->precision = strcmp(name, "single") == 0 ? "single" : "double";
    return EXIT_CODE_OK;
}

static exit_code open_device(tune_job *job, clsolve_context **context, outcome *out) {
    char said[4096] = "";
    clsolve_context_options options = {.selector = job->selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, context);
    if (status != CLSOLVE_OK)
        return outcome_fail_status(out, status, "%s; 'clsolve devices' lists what there is",
                                   said[0] != '\0' ? said : clsolve_status_text(status));
    job->device = clsolve_context_device(*context);
    if (job->precision == NULL) job->precision = job->device.fp64 ? "double" : "single";
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
    clsolve_type type = strcmp(job->precision, "single") == 0 ? CLSOLVE_F32 : CLSOLVE_F64;
    clsolve_status status = clsolve_tune(context, type, &job->options, &job->report);
    progress_erase(&bar);
    job->has_report = status == CLSOLVE_OK;
    if (status != CLSOLVE_OK) {
        char said[SAID_SIZE];
        said_by_context(context, status, said);
        code = outcome_fail_status(out, status, "tune: %s", said);
    }
    clsolve_context_destroy(context);
    return code;
}

/* A failure is reported in JSON too, or a script would find the report of an earlier run. */
static exit_code report(const tune_job *job, outcome *out) {
    outcome json_out = {0};
    if (out->code == EXIT_CODE_OK && !output_is_stdout(job->json_path)) report_text_tune(stdout, job);
    if (job->json_path == NULL || report_json_tune(job->json_path, job, out, &json_out) == EXIT_CODE_OK)
        return out->code;
    return outcome_fail(out, json_out.code, "%s", json_out.message);
}

static void options_release(tune_options *options) {
    free(options->device);
    free(options->precision);
    free(options->budget);
    free(options->json);
}

exit_code command_tune(int argc, const char **argv, outcome *out) {
    tune_options options = {0};
    const struct poptOption table[] = {
        OPTIONS_STRING("device", '\0', &options.device, "Which device; default: the best", "SEL"),
        OPTIONS_STRING("precision", '\0', &options.precision,
                       "double or single; default: double where the device has it", "NAME"),
        OPTIONS_STRING("budget", '\0', &options.budget,
                       "Seconds of the search, and of the comparison, each at most; 1 to 3600, default 20", "SECONDS"),
        {"dry-run", '\0', POPT_ARG_NONE, &options.dry, 0, "Measure, and store nothing", NULL},
        OPTIONS_STRING("json", '\0', &options.json, "Write a report as JSON; - is standard output", "FILE|-"),
        OPTIONS_HELP(&options.help),
        OPTIONS_END,
    };
    command_line line;
    exit_code code = options_parse(&line, argc, argv, table, "[OPTION...]", out);
    if (code == EXIT_CODE_OK && options.help) {
        options_print_help(&line, notes);
        fputs(outcome_help, stdout);
    } else {
        tune_job job = {.json_path = options.json, .selector = options.device};
        if (output_check(options.json, out) != EXIT_CODE_OK) {
            code = out->code; /* the place for the report is itself what is wrong */
        } else {
            if (code == EXIT_CODE_OK) code = set_up(&line, &options, &job, out);
            if (code == EXIT_CODE_OK) (void)tune(&job, out);
            code = report(&job, out);
        }
    }
    options_free(&line);
    options_release(&options);
    return code;
}
