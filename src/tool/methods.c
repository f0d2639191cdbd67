/* methods.c: the tables behind --method and --precision; the first row of each is what is taken without the option. */
#include "tool/solve_job.h"

#include <stdio.h>
#include <string.h>

static const solve_method methods[] = {
    {"auto", CLSOLVE_METHOD_AUTO, method_sparse_check, method_solver_run, NULL},
    {"lu", CLSOLVE_METHOD_LU, method_dense_check, method_solver_run, "lu"},
    {"cholesky", CLSOLVE_METHOD_CHOLESKY, method_sparse_check, method_solver_run, "cholesky"},
    {"ldl", CLSOLVE_METHOD_LDL, method_sparse_check, method_solver_run, "ldl"},
    {"gauss-jordan", CLSOLVE_METHOD_GAUSS_JORDAN, method_dense_check, method_gauss_jordan_run, "gauss-jordan"},
    {"band-lu", CLSOLVE_METHOD_BAND, method_sparse_check, method_solver_run, "band-lu"},
    {"block-gs", CLSOLVE_METHOD_BLOCK_GS, method_sparse_check, method_solver_run, "block-gs"},
    {"sparse-lu", CLSOLVE_METHOD_SPARSE_LU, method_sparse_check, method_solver_run, "sparse-lu"},
    {"sparse-cholesky", CLSOLVE_METHOD_SPARSE_CHOLESKY, method_sparse_check, method_solver_run, "sparse-cholesky"},
    {"sparse-ldl", CLSOLVE_METHOD_SPARSE_LDL, method_sparse_check, method_solver_run, "sparse-ldl"},
};

static const solve_precision precisions[] = {
    {"auto", "double", CLSOLVE_F64, CLSOLVE_PRECISION_AUTO, 0x1p-53},
    {"double", "double", CLSOLVE_F64, CLSOLVE_PRECISION_WORKING, 0x1p-53},
    {"single", "single", CLSOLVE_F32, CLSOLVE_PRECISION_WORKING, 0x1p-24},
    {"mixed", "mixed", CLSOLVE_F64, CLSOLVE_PRECISION_MIXED, 0x1p-53},
};

#define METHOD_COUNT    (sizeof methods / sizeof methods[0])
#define PRECISION_COUNT (sizeof precisions / sizeof precisions[0])

/* Appends "a, b or c" by one name: which separator comes before it depends on how many are left. */
static void append_name(char *list, size_t size, const char *name, size_t left) {
    size_t used = strlen(list);
    const char *before = used == 0 ? "" : left == 0 ? " or " : ", ";
    snprintf(list + used, size - used, "%s%s", before, name);
}

void solve_method_names(char *list, size_t size) {
    list[0] = '\0';
    for (size_t i = 0; i < METHOD_COUNT; i++) append_name(list, size, methods[i].name, METHOD_COUNT - 1 - i);
}

void solve_precision_names(char *list, size_t size) {
    list[0] = '\0';
    for (size_t i = 0; i < PRECISION_COUNT; i++) append_name(list, size, precisions[i].name, PRECISION_COUNT - 1 - i);
}

static exit_code refuse(const char *option, const char *name, const char *list, outcome *out) {
    return outcome_fail(out, EXIT_CODE_USAGE, "solve: %s '%s' is unknown; use %s", option, name, list);
}

exit_code solve_method_find(const char *name, const solve_method **method, outcome *out) {
    if (name == NULL) name = methods[0].name;
    for (size_t i = 0; i < METHOD_COUNT; i++) {
        if (strcmp(methods[i].name, name) != 0) continue;
        *method = &methods[i];
        return EXIT_CODE_OK;
    }
    char list[SOLVE_NAMES];
    solve_method_names(list, sizeof list);
    return refuse("--method", name, list, out);
}

exit_code solve_where_find(const char *command, const char *name, clsolve_where *where, outcome *out) {
    static const char *const names[] = {"auto", "device", "host"}; /* in the order of clsolve_where */
    const int found = options_word(name, names, 3);
    if (found < 0)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: --where '%s' is unknown; use auto, device or host", command,
                            name);
    *where = (clsolve_where)found;
    return EXIT_CODE_OK;
}

exit_code solve_precision_find(const char *name, const solve_precision **precision, outcome *out) {
    if (name == NULL) name = precisions[0].name;
    for (size_t i = 0; i < PRECISION_COUNT; i++) {
        if (strcmp(precisions[i].name, name) != 0) continue;
        *precision = &precisions[i];
        return EXIT_CODE_OK;
    }
    char list[SOLVE_NAMES];
    solve_precision_names(list, sizeof list);
    return refuse("--precision", name, list, out);
}
