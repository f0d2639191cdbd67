/* main.c: the command `clsolve`: finds the command's row, runs it, prints its one line, returns its exit code. */
#include <clsolve/version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/system/program.h"
#include "tool/command.h"
#include "tool/interrupt.h"

/* A new command is a row here and a file command_NAME.c. */
static const tool_command commands[] = {
    {"devices", "List the devices that can be used", command_devices, NULL},
    {"solve", "Solve A X = B for a matrix in a file", command_solve, NULL},
    {"analyze", "Show what a sparse factorization would do with a matrix", command_analyze, NULL},
    {"generate", "Write a test matrix", command_generate, NULL},
    {"invert", "Invert a matrix in a file", command_invert, NULL},
    {"tune", "Fit the matrix product to a device", command_tune, NULL},
    {"warm", "Compile the kernels for a device, for later runs", command_warm, NULL},
    {"run", "Run a command with its LAPACK on a device", command_run, NULL},
    {"schedule", "Show which operations of a method can run at once", command_schedule, NULL},
};

static const size_t command_count = sizeof commands / sizeof commands[0];

static void print_help(void) {
    fputs("Usage: clsolve COMMAND [OPTION...]\n"
          "Solves linear systems on OpenCL and CUDA devices.\n\nCommands:\n",
          stdout);
    for (size_t i = 0; i < command_count; i++)
        if (commands[i].run != NULL) printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    printf("\n'clsolve COMMAND --help' shows a command's options; 'clsolve --version' the version.\n\n%s",
           outcome_help);
}

/* Is `text` one of the two spellings of an option of the program itself? */
static int is_option(const char *text, const char *longer, const char *shorter) {
    return strcmp(text, longer) == 0 || strcmp(text, shorter) == 0;
}

static exit_code run_command(const tool_command *command, int argc, char **argv, outcome *out) {
    if (command->run == NULL)
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: not there yet in version %s; %s", command->name,
                            clsolve_version(), command->instead);
    char name[64];
    snprintf(name, sizeof name, "clsolve %s", command->name);
    argv[1] = name; /* popt takes its usage line from there */
    return command->run(argc - 1, (const char **)argv + 1, out);
}

static exit_code dispatch(int argc, char **argv, outcome *out) {
    if (argc < 2) return outcome_fail(out, EXIT_CODE_USAGE, "a command is missing; see 'clsolve --help'");
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return run_command(&commands[i], argc, argv, out);

    int help = is_option(argv[1], "--help", "-h"), version = is_option(argv[1], "--version", "-V");
    if (!help && !version)
        return outcome_fail(out, EXIT_CODE_USAGE, "unknown %s '%s'; see 'clsolve --help'",
                            argv[1][0] == '-' ? "option" : "command", argv[1]);
    if (argc > 2) return outcome_fail(out, EXIT_CODE_USAGE, "unexpected operand '%s'; see 'clsolve --help'", argv[2]);
    if (help)
        print_help();
    else
        printf("clsolve %s\n", clsolve_version());
    return EXIT_CODE_OK;
}

int main(int argc, char **argv) {
    outcome out = {0};
    if (!cls_program_begin(&argc, &argv)) return EXIT_CODE_MEMORY;
    interrupt_clean_up();
    dispatch(argc, argv, &out);
    errno = 0;
    int full = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || full)
        outcome_fail(&out, EXIT_CODE_FILE, "standard output: cannot write: %s",
                     errno != 0 ? strerror(errno) : "an earlier write failed");
    if (out.code != EXIT_CODE_OK && out.message[0] != '\0') outcome_print(&out); /* run: the code is the command's */
    return (int)out.code;
}
