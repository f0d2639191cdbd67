/* command_warm.c: clsolve warm: compiles what the families ask for, so that later runs find it in the cache. */
#include <clsolve/clsolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/progress.h"
#include "tool/said.h"
#include "tool/warm.h"

static const char notes[] =
    "\nSolves small systems of each family in both precisions. The kernels that this compiles are kept in\n"
    "$XDG_CACHE_HOME/clsolve or ~/.cache/clsolve: for the first start on a machine, in an image or on a\n"
    "cluster. Kernels for one shape alone, of narrow bands and of batches of small matrices, are compiled\n"
    "when a matrix of that shape comes.\n\n";

/* The types that the device computes in. */
static int types_of(clsolve_context *context, clsolve_type types[2]) {
    types[0] = CLSOLVE_F32;
    types[1] = CLSOLVE_F64;
    return clsolve_context_device(context).fp64 ? 2 : 1;
}

/* A size that has no room here will not be solved here either. */
static int is_done(clsolve_status status) {
    return status == CLSOLVE_OK || status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
}

static exit_code run_steps(clsolve_context *context, outcome *out) {
    clsolve_type types[2];
    const int count = types_of(context, types), small = clsolve_context_device(context).host_memory;
    progress bar;
    progress_start(&bar);
    clsolve_status status = CLSOLVE_OK;
    const warm_step *step = warm_steps;
    for (int s = 0; s < count * warm_step_count && is_done(status); s++) {
        step = &warm_steps[s / count];
        progress_draw(&bar, step->family, (double)s / (count * warm_step_count));
        if (!small || !step->on_gpu) status = step->run(context, types[s % count], step->size);
    }
    progress_erase(&bar);
    if (is_done(status)) return EXIT_CODE_OK;
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    return outcome_fail_status(out, status, "warm: %s: %s", step->family, said);
}

static exit_code warm(const char *selector, outcome *out) {
    char said[SAID_SIZE] = "", text[SAID_SIZE];
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = selector, .message = said, .message_size = sizeof said};
    const double start = progress_clock();
    clsolve_status status = clsolve_context_create_with(&options, &context);
    if (status != CLSOLVE_OK) {
        said_in_own_words(said, status, text);
        return outcome_fail_status(out, status, "%s%s", text, said_of_devices(status));
    }
    const clsolve_device_info device = clsolve_context_device(context);
    /* Without a cache all of this would be for nothing; the host alone has nothing to keep. */
    if (strcmp(device.backend, "host") != 0) status = clsolve_context_check_cache(context);
    exit_code code = EXIT_CODE_OK;
    if (status != CLSOLVE_OK) {
        said_by_context(context, status, text);
        code = outcome_fail_status(out, status, "warm: %s", text);
    }
    if (code == EXIT_CODE_OK) code = run_steps(context, out);
    clsolve_context_destroy(context);
    if (code == EXIT_CODE_OK)
        printf("%s  %s (%s): kernels ready, %.1f s\n", device.selector, device.name, device.platform,
               progress_clock() - start);
    return code;
}

exit_code command_warm(int argc, const char **argv, outcome *out) {
    char *device = NULL;
    int help = 0;
    const struct poptOption table[] = {
        OPTIONS_STRING("device", '\0', &device, "Which device; default: the best", "SEL"),
        OPTIONS_HELP(&help),
        OPTIONS_END,
    };
    command_line line;
    exit_code code = options_parse(&line, argc, argv, table, "[OPTION...]", out);
    if (code == EXIT_CODE_OK && help) {
        options_print_help(&line, notes);
        fputs(outcome_help, stdout);
    } else {
        if (code == EXIT_CODE_OK) code = options_check_operands(&line, 0, 0, "", out);
        if (code == EXIT_CODE_OK) code = warm(device, out);
    }
    options_free(&line);
    free(device);
    return code;
}
