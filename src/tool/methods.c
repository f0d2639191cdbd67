/* methods.c: the tables behind --method and --precision. */
#include "tool/solve_job.h"

#include <stdio.h>
#include <string.h>

static const solve_method methods[] = {
    {"auto", method_auto_check, method_auto_run, "lu"},
    {"lu", method_lu_check, method_lu_run, "lu"},
    {"gauss-jordan", NULL, NULL, NULL},
    {"band-lu", NULL, NULL, NULL},
    {"block-gs", method_block_gs_check, method_block_gs_run, "block-gs"},
};

static const solve_precision precisions[] = {
    {"double", CLSOLVE_F64, 0x1p-53},
    {"single", CLSOLVE_F32, 0x1p-24},
    {"mixed", CLSOLVE_F64, 0},
};

#define METHOD_COUNT    (sizeof methods / sizeof methods[0])
#define PRECISION_COUNT (sizeof precisions / sizeof precisions[0])

/* A grid goes to block-gs, all else to lu; the job then says which. */
exit_code method_auto_check(const solve_job *job, outcome *out) {
    outcome ignored = {0};
    return method_block_gs_is_grid(job, &ignored) ? EXIT_CODE_OK : method_lu_check(job, out);
}

exit_code method_auto_run(clsolve_context *context, solve_job *job, outcome *out) {
    outcome ignored = {0};
    exit_code code = solve_method_find(method_block_gs_is_grid(job, &ignored) ? "block-gs" : "lu", &job->method, out);
    return code == EXIT_CODE_OK ? job->method->run(context, job, out) : code;
}

/* Appends "a, b or c" by one name: which separator comes before it depends on how many are left. */
static void append_name(char *list, size_t size, const char *name, size_t left) {
    size_t used = strlen(list);
    const char *before = used == 0 ? "" : left == 0 ? " or " : ", ";
    snprintf(list + used, size - used, "%s%s", before, name);
}

static exit_code refuse(const char *option, const char *name, int known, const char *list, outcome *out) {
    return outcome_fail(out, EXIT_CODE_USAGE, "solve: %s '%s' is %s; use %s", option, name,
                        known ? "not there yet in this version" : "unknown", list);
}

exit_code solve_method_find(const char *name, const solve_method **method, outcome *out) {
    int known = 0;
    size_t left = 0;
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        if (methods[i].run != NULL) left++;
        if (strcmp(methods[i].name, name) != 0) continue;
        known = 1;
        *method = &methods[i];
        if (methods[i].run != NULL) return EXIT_CODE_OK;
    }
    char list[256] = "";
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (methods[i].run != NULL) append_name(list, sizeof list, methods[i].name, --left);
    return refuse("--method", name, known, list, out);
}

exit_code solve_precision_find(const char *name, const solve_precision **precision, outcome *out) {
    int known = 0;
    size_t left = 0;
    for (size_t i = 0; i < PRECISION_COUNT; i++) {
        if (precisions[i].eps > 0) left++;
        if (strcmp(precisions[i].name, name) != 0) continue;
        known = 1;
        *precision = &precisions[i];
        if (precisions[i].eps > 0) return EXIT_CODE_OK;
    }
    char list[256] = "";
    for (size_t i = 0; i < PRECISION_COUNT; i++)
        if (precisions[i].eps > 0) append_name(list, sizeof list, precisions[i].name, --left);
    return refuse("--precision", name, known, list, out);
}
