/* command_warm.c: clsolve warm: compiles what the families ask for, so that later runs find it in the cache. */
#include <clsolve/clsolve.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/host.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/progress.h"
#include "tool/said.h"
#include "tool/warm.h"
#include "tool/warm_processes.h"

static const char notes[] =
    "\nSolves small systems of each family in both precisions, grids, lines and sparse ones in double,\n"
    "so that later runs find the kernels in $XDG_CACHE_HOME/clsolve or ~/.cache/clsolve: for the first\n"
    "start on a machine, in an image or on a cluster. Kernels for one shape alone, of narrow bands and of\n"
    "batches of small matrices, are compiled when a matrix of that shape comes. Nothing is measured: see\n"
    "clsolve tune.\n\n";

enum { WORKERS = 12, FEWER_WORKERS = 4, MANY_CORES = 16, TYPES = 2 };

/* The state that the workers share. Each has a context of its own, because calls on one follow each other. */
typedef struct warm_run {
    pthread_mutex_t lock;
    clsolve_context *contexts[WORKERS];
    clsolve_type types[TYPES];
    int type_count, in_host, all;
    warm_part part;
    int processes; /* of this command, to be started when a step shows that the cache lacks programs */
    int started;
    int next; /* of the steps, for each type */
    progress bar;
    clsolve_status status; /* the first failure */
    const warm_step *failed;
    char said[SAID_SIZE];
} warm_run;

typedef struct warm_worker {
    warm_run *run;
    clsolve_context *context;
    pthread_t thread;
} warm_worker;

/* A size that has no room here will not be solved here either. */
static int is_done(clsolve_status status) {
    return status == CLSOLVE_OK || status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
}

static int is_wanted(const warm_run *run, const warm_step *step, clsolve_type type) {
    if (step->in_double && type == CLSOLVE_F32 && run->type_count == TYPES && !run->all) return 0;
    return !run->in_host || (!step->on_gpu && (run->all || !step->by_host));
}

/* A step's number counts its types too. */
static int is_wanted_at(const warm_run *run, int at) {
    const int types = run->type_count;
    return is_wanted(run, &warm_steps[at / types], run->types[at % types]);
}

/* Parts are of the wanted steps alone: else those of an even number would have all grids. */
static int is_ours(const warm_run *run, int at) {
    int before = 0;
    for (int k = 0; k < at; k++) before += is_wanted_at(run, k);
    return is_wanted_at(run, at) && warm_part_has(&run->part, before);
}

/* Sparse matrices have the most programs, and the longest. At the end these would leave cores idle. */
static int first_step(void) {
    int first = 0;
    while (first < warm_step_count && strcmp(warm_steps[first].family, "sparse") != 0) first++;
    return first;
}

/* The number of a step that nobody has begun; -1: there is none, or a step has failed. */
static int take_step(warm_run *run) {
    const int steps = run->type_count * warm_step_count, first = run->type_count * first_step();
    (void)pthread_mutex_lock(&run->lock);
    int turn = run->next;
    while (turn < steps && !is_ours(run, (first + turn) % steps)) turn++;
    run->next = turn + 1;
    const int at = turn >= steps || !is_done(run->status) ? -1 : (first + turn) % steps;
    if (at >= 0) progress_draw(&run->bar, warm_steps[at / run->type_count].family, (double)turn / steps);
    (void)pthread_mutex_unlock(&run->lock);
    return at;
}

static void note(warm_run *run, const warm_step *step, clsolve_context *context, clsolve_status status) {
    if (is_done(status)) return;
    (void)pthread_mutex_lock(&run->lock);
    if (is_done(run->status)) {
        run->status = status;
        run->failed = step;
        said_by_context(context, status, run->said);
    }
    (void)pthread_mutex_unlock(&run->lock);
}

/* Where all is in the cache, opening the device in each process would take longer than all steps do. */
static void start_processes(warm_run *run) {
    if (run->started >= run->processes) return;
    run->started = run->processes;
    warm_processes_run(clsolve_context_device(run->contexts[0]).selector, run->all, run->started, &run->bar);
}

/* A step that has compiled nothing takes less. */
static const double compiles_seconds = 1;

static void *work(void *self) {
    warm_worker *w = self;
    const int types = w->run->type_count;
    for (int at = take_step(w->run); at >= 0; at = take_step(w->run)) {
        const warm_step *step = &warm_steps[at / types];
        const double start = progress_clock();
        note(w->run, step, w->context, step->run(w->context, w->run->types[at % types], step->size));
        /* One worker alone has processes. */
        if (progress_clock() - start > compiles_seconds) start_processes(w->run);
    }
    return NULL;
}

/* Through CUDA programs compile at the same time, and each step has few. NVIDIA's OpenCL compiles one at a time. */
static int workers_of(const clsolve_device_info *device) {
    if (strcmp(device->backend, "cuda") != 0) return 1;
    return cls_host_cores() < MANY_CORES ? FEWER_WORKERS : WORKERS;
}

/* A worker that cannot be had leaves its steps to the others. */
static void run_steps(warm_run *run, const clsolve_device_info *device) {
    warm_worker workers[WORKERS];
    int count = 1;
    workers[0] = (warm_worker){.run = run, .context = run->contexts[0]};
    for (const int wanted = workers_of(device); count < wanted; count++) {
        warm_worker *w = &workers[count];
        if (clsolve_context_create(device->selector, &run->contexts[count]) != CLSOLVE_OK) break;
        *w = (warm_worker){.run = run, .context = run->contexts[count]};
        if (pthread_create(&w->thread, NULL, work, w) != 0) break;
    }
    (void)work(&workers[0]);
    for (int k = 1; k < count; k++) (void)pthread_join(workers[k].thread, NULL);
}

/* The families of a type, each once, in the order of the steps, behind `lead`; `but`: without those that this type has.
 * Returns how many. */
static int print_families_of(const warm_run *run, clsolve_type type, const clsolve_type *but, const char *lead) {
    const char *before = "";
    int count = 0;
    for (int s = 0; s < warm_step_count; s++) {
        const warm_step *step = &warm_steps[s];
        if (!is_wanted(run, step, type) || (but && is_wanted(run, step, *but)) || strcmp(step->family, before) == 0)
            continue;
        printf("%s%s", count++ > 0 ? ", " : lead, step->family);
        before = step->family;
    }
    return count;
}

static void print_families(const warm_run *run) {
    const clsolve_type single = CLSOLVE_F32;
    const int two = run->type_count == TYPES, both = print_families_of(run, single, NULL, "  ");
    if (both > 0) printf(two ? "; single and double" : "; single");
    if (two && print_families_of(run, CLSOLVE_F64, &single, both > 0 ? "; " : "  ") > 0) printf("; double");
    printf("\n");
}

static exit_code open_first(const char *selector, warm_run *run, outcome *out) {
    char said[SAID_SIZE] = "", text[SAID_SIZE];
    clsolve_context_options options = {.selector = selector, .message = said, .message_size = sizeof said};
    clsolve_status status = clsolve_context_create_with(&options, &run->contexts[0]);
    if (status != CLSOLVE_OK) {
        said_in_own_words(said, status, text);
        return outcome_fail_status(out, status, "%s%s", text, said_of_devices(status));
    }
    if (strcmp(clsolve_context_device(run->contexts[0]).backend, "host") == 0)
        return outcome_fail_status(out, CLSOLVE_ERROR_UNSUPPORTED,
                                   "warm: host is the host alone: LAPACK works there, and there is nothing to compile");
    /* Without a cache all of this would be for nothing. */
    status = clsolve_context_check_cache(run->contexts[0]);
    if (status == CLSOLVE_OK) return EXIT_CODE_OK;
    said_by_context(run->contexts[0], status, text);
    return outcome_fail_status(out, status, "warm: %s", text);
}

/* Options of the command. processes: -1: what the device's compiler wants. */
typedef struct warm_options {
    char *device, *part;
    int all, processes;
} warm_options;

static exit_code warm(const warm_options *options, const warm_part *part, outcome *out) {
    warm_run run = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .types = {CLSOLVE_F32, CLSOLVE_F64}, .all = options->all, .part = *part};
    const double start = progress_clock();
    exit_code code = open_first(options->device, &run, out);
    if (code == EXIT_CODE_OK) {
        const clsolve_device_info device = clsolve_context_device(run.contexts[0]);
        run.type_count = device.fp64 ? TYPES : 1;
        run.in_host = device.host_memory;
        run.processes = part->count > 0          ? 0
                        : options->processes < 0 ? warm_processes_wanted(&device)
                                                 : options->processes;
        progress_start(&run.bar);
        if (options->processes >= 0) start_processes(&run);
        run_steps(&run, &device);
        progress_erase(&run.bar);
        if (!is_done(run.status))
            code = outcome_fail_status(out, run.status, "warm: %s: %s", run.failed->family, run.said);
    }
    const clsolve_device_info device = clsolve_context_device(run.contexts[0]);
    for (int k = 0; k < WORKERS; k++) clsolve_context_destroy(run.contexts[k]);
    if (code != EXIT_CODE_OK || part->count > 0) return code;
    printf("%s  %s (%s): kernels ready", device.selector, device.name, device.platform);
    if (run.started > 0) printf(" by %d processes", run.started);
    printf(", %.1f s\n", progress_clock() - start);
    print_families(&run);
    return code;
}

exit_code command_warm(int argc, const char **argv, outcome *out) {
    warm_options wanted = {.processes = -1};
    warm_part part = {0, 0};
    command_line line;
    const struct poptOption table[] = {
        OPTIONS_STRING("device", '\0', &wanted.device, "Which device; default: the best", "SEL"),
        {"all", '\0', POPT_ARG_NONE, &wanted.all, 0,
         "Also grids and lines in single, and what handles leave to the host by themselves", NULL},
        /* For tests and for the processes of this command. */
        {"processes", '\0', POPT_ARG_INT | POPT_ARGFLAG_DOC_HIDDEN, &wanted.processes, 0, NULL, NULL},
        {"part", '\0', POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, &wanted.part, 0, NULL, NULL},
        OPTIONS_HELP(line),
        OPTIONS_END,
    };
    exit_code code = options_parse(&line, argc, argv, table, "[OPTION...]", out);
    if (!options_helped(&line, code, notes)) {
        if (code == EXIT_CODE_OK) code = options_check_operands(&line, 0, 0, "", out);
        if (code == EXIT_CODE_OK && wanted.part && !warm_part_read(wanted.part, &part))
            code = outcome_fail(out, EXIT_CODE_USAGE, "--part '%s' is none: give K/COUNT", wanted.part);
        if (code == EXIT_CODE_OK) code = warm(&wanted, &part, out);
    }
    options_free(&line);
    return code;
}
