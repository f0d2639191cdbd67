/* command_run.c: clsolve run -- COMMAND: the command with libclsolve_lapack.so in front of its LAPACK. */
#define _GNU_SOURCE

#include <clsolve/version.h>

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/command.h"
#include "tool/counts.h"
#include "tool/options.h"

static const char notes[] =
    "\nRuns the command with libclsolve_lapack.so loaded before its LAPACK: where a device is faster, dense and\n"
    "band systems are solved there. Afterwards the calls are counted on stderr. The exit code is the command's.\n"
    "docs/lapack.md has the variables CLSOLVE_LAPACK_* that this sets, and what reaches programs it cannot.\n\n";

typedef struct run_options {
    char *device, *min, *memory, *host;
    int always, verbose, quiet;
} run_options;

/* The library lies next to libclsolve.so, built or installed, under the name that needs no development files. "": it
 * does not. */
static void find_shim(char *path, size_t size) {
    Dl_info info;
    union {
        const char *(*function)(void);
        void *object;
    } here = {clsolve_version};
    path[0] = '\0';
    if (dladdr(here.object, &info) == 0 || info.dli_fname == NULL) return;
    char *real = realpath(info.dli_fname, NULL);
    char *slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        if (snprintf(path, size, "%s/" CLSOLVE_LAPACK_SONAME, real) >= (int)size || access(path, R_OK) != 0)
            path[0] = '\0';
    }
    free(real);
}

/* In the child, before the command begins. Variables that are not asked for stay as the caller's environment has
 * them. */
static int set_environment(const run_options *options, const char *shim, const char *counts) {
    const char *before = getenv("LD_PRELOAD");
    char *preload = NULL;
    int bad = asprintf(&preload, "%s%s%s", shim, before != NULL ? ":" : "", before != NULL ? before : "") < 0;
    bad = bad || setenv("LD_PRELOAD", preload, 1) != 0;
    if (options->device != NULL) bad = bad || setenv("CLSOLVE_LAPACK_DEVICE", options->device, 1) != 0;
    if (options->min != NULL) bad = bad || setenv("CLSOLVE_LAPACK_MIN", options->min, 1) != 0;
    if (options->memory != NULL) bad = bad || setenv("CLSOLVE_LAPACK_MEMORY", options->memory, 1) != 0;
    if (options->host != NULL) bad = bad || setenv("CLSOLVE_LAPACK_HOST", options->host, 1) != 0;
    if (options->always || options->verbose)
        bad = bad || setenv("CLSOLVE_LAPACK",
                            !options->always   ? "verbose"
                            : options->verbose ? "on,verbose"
                                               : "on",
                            1) != 0;
    if (!options->quiet) bad = bad || setenv("CLSOLVE_LAPACK_STATS", counts, 1) != 0;
    free(preload);
    return bad;
}

static void print_counts(const char *path) {
    FILE *file = fopen(path, "r");
    int symbols = file != NULL ? counts_print(file, stderr) : 0;
    if (file != NULL) (void)fclose(file);
    if (symbols == 0) fputs("clsolve: the command made no call of LAPACK that could be met\n", stderr);
}

static volatile sig_atomic_t command_process;

static void hand_on(int signal) {
    (void)kill((pid_t)command_process, signal);
}

/* Signals from the terminal are the command's, and those that end this process are handed on; it waits for its end. */
static int wait_for(pid_t child, const sigset_t *mask) {
    int status = 0;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, hand = {.sa_handler = hand_on};
    command_process = (sig_atomic_t)child;
    (void)sigaction(SIGINT, &ignore, NULL);
    (void)sigaction(SIGQUIT, &ignore, NULL);
    (void)sigaction(SIGTERM, &hand, NULL);
    (void)sigaction(SIGHUP, &hand, NULL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A number from 0, and at most one letter of `units` behind it. */
static int is_size(const char *text, const char *units) {
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18) return 0;
    return text[digits] == '\0' || (strchr(units, text[digits]) != NULL && text[digits + 1] == '\0');
}

static exit_code check_sizes(const run_options *options, outcome *out) {
    if (options->min != NULL && !is_size(options->min, ""))
        return outcome_fail(out, EXIT_CODE_USAGE, "run: --min %s: give an order, a whole number from 0", options->min);
    if (options->memory != NULL && !is_size(options->memory, "KMG"))
        return outcome_fail(out, EXIT_CODE_USAGE, "run: --memory %s: give bytes, or a number with K, M or G",
                            options->memory);
    return EXIT_CODE_OK;
}

static exit_code run(const run_options *options, char *const *command, outcome *out) {
    char shim[4096], counts[] = "/tmp/clsolve-run-XXXXXX";
    find_shim(shim, sizeof shim);
    if (shim[0] == '\0')
        return outcome_fail(out, EXIT_CODE_FILE,
                            "run: there is no " CLSOLVE_LAPACK_SONAME " next to libclsolve.so: install it (on Debian "
                            "libclsolve-lapack0), or build it with -DCLSOLVE_BUILD_LAPACK=ON");
    if (strpbrk(shim, " :") != NULL)
        return outcome_fail(out, EXIT_CODE_FILE,
                            "run: %s: the loader takes no path with a space or a colon: install it elsewhere", shim);
    int file = mkstemp(counts);
    if (file < 0) return outcome_fail(out, EXIT_CODE_FILE, "run: %s: %s", counts, strerror(errno));
    (void)close(file);
    (void)fflush(NULL);
    sigset_t before, later; /* what comes before the command is there waits for it */
    (void)sigemptyset(&later);
    (void)sigaddset(&later, SIGTERM);
    (void)sigaddset(&later, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &later, &before);
    pid_t child = fork();
    if (child == 0) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        (void)signal(SIGPIPE, SIG_DFL);
        if (set_environment(options, shim, counts)) _exit(126);
        (void)execvp(command[0], command);
        fprintf(stderr, "clsolve: run: %s: %s\n", command[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    int code = child > 0 ? wait_for(child, &before) : -1;
    if (child > 0 && !options->quiet && code != 127 && code != 126) print_counts(counts);
    (void)unlink(counts);
    if (child < 0)
        return outcome_fail(out, EXIT_CODE_MEMORY, "run: no process for %s: %s", command[0], strerror(errno));
    out->code = (exit_code)code; /* the command's own, without a line from here */
    return out->code;
}

/* The place of "--", before which words are for clsolve; argc if there is none. */
static int find_command(int argc, const char **argv) {
    int k = 1;
    while (k < argc && strcmp(argv[k], "--") != 0) k++;
    return k;
}

exit_code command_run(int argc, const char **argv, outcome *out) {
    run_options options = {0};
    int at = find_command(argc, argv);
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("device", '\0', &options.device, "Which device; default: a GPU", "SEL"),
        OPTIONS_STRING("min", '\0', &options.min,
                       "Systems of this order and larger go to the device; default: where it is "
                       "expected to be faster",
                       "N"),
        OPTIONS_STRING("memory", '\0', &options.memory, "Memory of the device; default: half of it", "BYTES"),
        OPTIONS_STRING("host", '\0', &options.host, "LAPACK for all else; default: the command's own", "LIBRARY"),
        {"always", '\0', POPT_ARG_NONE, &options.always, 0, "Use also a device that shares the host's cores", NULL},
        {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0, "Say what is done, on stderr", NULL},
        {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "Print no counts", NULL},
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    exit_code code = options_parse(&line, at, argv, table, "[OPTION...] -- COMMAND [ARGUMENT...]", out);
    if (!options_helped(&line, code, notes)) {
        if (code == EXIT_CODE_OK) code = options_check_operands(&line, 0, 0, "", out);
        if (code == EXIT_CODE_OK && at + 1 >= argc)
            code =
                outcome_fail(out, EXIT_CODE_USAGE,
                             "run: the command is missing: clsolve run -- python3 script.py; see 'clsolve run --help'");
        if (code == EXIT_CODE_OK) code = check_sizes(&options, out);
        if (code == EXIT_CODE_OK) code = run(&options, (char *const *)(uintptr_t)(argv + at + 1), out);
    }
    options_free(&line);
    return code;
}
