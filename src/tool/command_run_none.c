/* command_run_none.c: clsolve run where there is no libclsolve_lapack.so. */
#include "tool/command.h"

exit_code command_run(int argc, const char **argv, outcome *out) {
    (void)argc;
    (void)argv;
    return outcome_fail(out, EXIT_CODE_USAGE,
                        "run: it puts a library before a command's LAPACK, which only Linux can do");
}
