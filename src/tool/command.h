/* command.h: what a command is to main(): one row of its table. */
#ifndef CLS_TOOL_COMMAND_H
#define CLS_TOOL_COMMAND_H

#include "tool/outcome.h"

typedef struct tool_command {
    const char *name;
    const char *summary;                                         /* one line for clsolve --help */
    exit_code (*run)(int argc, const char **argv, outcome *out); /* NULL: not there yet */
    const char *instead;                                         /* with run NULL: what works meanwhile */
} tool_command;

/* argv[0] is "clsolve devices" and so on, the rest is the user's. */
exit_code command_devices(int argc, const char **argv, outcome *out);
exit_code command_solve(int argc, const char **argv, outcome *out);
exit_code command_analyze(int argc, const char **argv, outcome *out);
exit_code command_invert(int argc, const char **argv, outcome *out);
exit_code command_schedule(int argc, const char **argv, outcome *out);
exit_code command_tune(int argc, const char **argv, outcome *out);
exit_code command_warm(int argc, const char **argv, outcome *out);
exit_code command_run(int argc, const char **argv, outcome *out);
exit_code command_generate(int argc, const char **argv, outcome *out);

#endif
