/* command_devices.c: clsolve devices: what there is to compute on. */
#include <clsolve/context.h>

#include <stdlib.h>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/report.h"

static const char notes[] = "\nA selector names one device for 'clsolve solve --device'. The JSON report is written\n"
                            "even if it lists no device.\n\n";

static exit_code list_devices(clsolve_device_info **list, int64_t *count, outcome *out) {
    clsolve_status status = clsolve_devices(NULL, 0, count);
    if (status == CLSOLVE_OK && *count > 0) {
        int64_t room = *count;
        *list = calloc((size_t)room, sizeof **list);
        if (*list == NULL) return outcome_fail(out, EXIT_CODE_MEMORY, "devices: out of host memory");
        status = clsolve_devices(*list, room, count);
        if (*count > room) *count = room; /* one came in between the two calls */
    }
    if (status == CLSOLVE_OK) return EXIT_CODE_OK;
    return outcome_fail_status(out, status, "devices: %s", clsolve_status_text(status));
}

static exit_code show(const char *json, int verbose, outcome *out) {
    clsolve_device_info *list = NULL;
    int64_t count = 0;
    exit_code code = output_check(json, out);
    if (code == EXIT_CODE_OK) code = list_devices(&list, &count, out);
    if (code == EXIT_CODE_OK && json != NULL) code = report_json_devices(json, list, count, out);
    if (code == EXIT_CODE_OK && count == 0)
        code =
            outcome_fail(out, EXIT_CODE_DEVICE,
                         "devices: no OpenCL device found: no driver is installed, or none could be loaded (too little "
                         "memory?); install the GPU vendor's OpenCL driver, or PoCL to compute on the CPU (Debian, "
                         "Ubuntu: apt install pocl-opencl-icd)");
    if (code == EXIT_CODE_OK && !output_is_stdout(json)) {
        report_text_devices(stdout, list, count);
        if (verbose) fputc('\n', stdout);
        if (verbose) report_text_device_details(stdout, list, count);
    }
    free(list);
    return code;
}

exit_code command_devices(int argc, const char **argv, outcome *out) {
    char *json = NULL;
    int verbose = 0;
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("json", '\0', &json, "Write the list as JSON; - is standard output", "FILE|-"),
        {"verbose", 'v', POPT_ARG_NONE, &verbose, 0, "Show everything that the drivers tell", NULL},
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    exit_code code = options_parse(&line, argc, argv, table, "[OPTION...]", out);
    if (!options_helped(&line, code, notes) && code == EXIT_CODE_OK) {
        code = options_check_operands(&line, 0, 0, "", out);
        if (code == EXIT_CODE_OK) code = show(json, verbose, out);
    }
    options_free(&line);
    return code;
}
