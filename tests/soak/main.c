/* main.c: the soak's arguments, its loop over groups of systems, and its summary. See soak.h. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "soak/memory.h"
#include "soak/run.h"
#include "support/ran.h"

static const char usage[] =
    "soak [OPTIONS]: random systems of every family on each device in turn, each answer checked on the host\n"
    "  --minutes M    ends after so long (default 60)\n"
    "  --each COUNT   ends after so many systems of each family instead\n"
    "  --device NAME  a device's selector; more than once: by turns (default: CLSOLVE_TEST_DEVICE, else PoCL, else "
    "any)\n"
    "  --from NUMBER  begins with the group of this system\n"
    "  --only NUMBER  this system alone\n"
    "  --quick        few sizes and shapes\n"
    "  --stop         ends at the first system that is wrong\n"
    "CLSOLVE_TEST_SEED: the run's seed. Exit: 0 all right, 1 something is wrong, 2 bad arguments, 77 no device.\n";

/* What runs, for a signal. */
static const char *running = "";
static volatile sig_atomic_t asked_to_end;

static void tell(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void on_crash(int number) {
    tell("soak: crashed in ");
    tell(running);
    tell("\n");
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* The first time ends after the group, the second time at once. */
static void on_end(int number) {
    (void)number;
    if (asked_to_end) {
        tell("soak: ended in ");
        tell(running);
        tell("\n");
        _exit(130);
    }
    asked_to_end = 1;
}

static void catch_signals(void) {
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; ++k) (void)signal(crashes[k], on_crash);
    (void)signal(SIGINT, on_end);
    (void)signal(SIGTERM, on_end);
}

static int64_t number_of(const char *option, const char *text) {
    char *end = NULL;
    int64_t value = text ? strtoll(text, &end, 10) : -1;
    if (value >= 0 && end != text && *end == '\0') return value;
    fprintf(stderr, "soak: %s wants a number\n%s", option, usage);
    exit(2);
}

static void parse(int argc, char **argv, run_options *o) {
    for (int k = 1; k < argc; ++k) {
        const char *option = argv[k], *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (strcmp(option, "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(option, "--quick") == 0) {
            o->quick = 1;
            continue;
        } else if (strcmp(option, "--stop") == 0) {
            o->stop = 1;
            continue;
        } else if (strcmp(option, "--minutes") == 0) {
            o->minutes = number_of(option, value);
        } else if (strcmp(option, "--each") == 0) {
            o->each = number_of(option, value);
        } else if (strcmp(option, "--from") == 0) {
            o->from = number_of(option, value);
        } else if (strcmp(option, "--only") == 0) {
            o->from = o->only = number_of(option, value);
        } else if (strcmp(option, "--device") == 0 && value && o->devices < RUN_DEVICES) {
            o->device[o->devices++] = value;
        } else {
            fprintf(stderr, "soak: %s: no such option, or no value\n%s", option, usage);
            exit(2);
        }
        ++k;
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    run_options o = {.minutes = 60, .only = -1, .running = &running};
    parse(argc, argv, &o);
    if (o.devices == 0) {
        test_require_device();
        o.device[o.devices++] = test_selector();
    }
    if (ran_check_names() > 0) return ran_finish(0, 1);
    (void)test_seed();
    catch_signals();

    double begin = seconds(), told = begin;
    int64_t group = o.from / RUN_GROUP, end = o.each * RUN_FAMILIES, at_begin = memory_resident();
    for (;; ++group) {
        if (!run_group(&o, group) || asked_to_end || o.only >= 0) break;
        if (o.each > 0 ? (group + 1) * RUN_GROUP - o.from / RUN_GROUP * RUN_GROUP >= end
                       : seconds() - begin >= 60 * (double)o.minutes)
            break;
        if (seconds() - told < 60) continue;
        told = seconds();
        run_progress((told - begin) / 60);
    }
    run_close();
    return ran_finish(RUN_FAMILIES, run_summary(at_begin)) > 0;
}
