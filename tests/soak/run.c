/* run.c: see run.h. */
#include "soak/run.h"

#include <inttypes.h>

#include "api/context.h"
#include "soak/memory.h"
#include "support/faults.h"

static const soak_family *const families[RUN_FAMILIES] = {&soak_lu,
                                                          &soak_gauss_jordan,
                                                          &soak_band,
                                                          &soak_grid,
                                                          &soak_solve,
                                                          &soak_band_batch,
                                                          &soak_tridiagonal,
                                                          &soak_gauss_jordan_batch,
                                                          &soak_enqueue,
                                                          &soak_cholesky,
                                                          &soak_ldl,
                                                          &soak_cholesky_batch,
                                                          &soak_band_cholesky,
                                                          &soak_sparse};

/* One device. */
typedef struct place {
    const char *selector;
    clsolve_context *context;
    int64_t groups, systems[RUN_FAMILIES], steps[RUN_FAMILIES], wrong[RUN_FAMILIES];
} place;

static place places[RUN_DEVICES];
static int place_count;
static int64_t systems, wrong, faults, refused, contexts;

/* ---- contexts ---- */

/* With no context open nothing of the library's is left: no memory on the host, no object of the driver's. */
static void check_nothing_left(void) {
    for (int k = 0; k < place_count; ++k)
        if (places[k].context) return;
    if (faults_allocations() == 0 && faults_objects() == 0) return;
    ++wrong;
    printf("WRONG: before system %" PRId64 ", with no context open: %" PRId64 " allocations of the library and %" PRId64
           " objects of the driver are left\n",
           systems, faults_allocations(), faults_objects());
}

static void check_no_buffers(const place *p, const char *of, int64_t left, int64_t group) {
    if (left == 0) return;
    ++wrong;
    printf("WRONG: seed %" PRIu64 ", %s, group of system %" PRId64 ": %" PRId64
           " device buffers of %s are left; again: --from %" PRId64 "\n",
           test_seed(), p->selector ? p->selector : "default device", group * RUN_GROUP, left, of, group * RUN_GROUP);
}

static void close_context(place *p) {
    int64_t left = 0;
    soak_enqueue_close(&left);
    check_no_buffers(p, "the caller's context", left, p->groups);
    clsolve_context_destroy(p->context);
    p->context = NULL;
    check_nothing_left();
}

/* At times a call fails while the context is made: that is an error with a message, or none, and then it is made again. */
static void open_context(place *p, test_random *random) {
    char message[1024] = "";
    clsolve_context_options options = {.selector = p->selector, .message = message, .message_size = sizeof message};
    int fail = contexts++ > 0 && test_random_between(random, 1, 4) == 1;
    if (fail)
        faults_arm(test_random_between(random, 0, 1) ? FAULT_ALLOCATION : FAULT_DEVICE,
                   test_random_between(random, 0, 40));
    clsolve_status status = clsolve_context_create_with(&options, &p->context);
    if (fail && faults_disarm()) ++faults;
    if (fail && status != CLSOLVE_OK) {
        if (p->context || message[0] == '\0') {
            ++wrong;
            printf("WRONG: a context that was not made (%s) is there, or no message\n", clsolve_status_name(status));
        }
        check_nothing_left();
        status = clsolve_context_create_with(&options, &p->context);
    }
    if (status == CLSOLVE_OK) return;
    fprintf(stderr, "soak: no context: %s: %s\n", clsolve_status_name(status), message);
    exit(status == CLSOLVE_ERROR_NO_DEVICE ? TEST_SKIPPED : 1);
}

/* ---- one system ---- */

typedef struct member {
    soak s;
    const soak_family *family;
    void *task;
    int64_t number;
    int live;
} member;

static void report(const run_options *o, place *p, member *m) {
    ++wrong;
    ++p->wrong[m->number % RUN_FAMILIES];
    printf("WRONG: system %" PRId64 " on %s: %s:%s: %s\n  again: CLSOLVE_TEST_SEED=%" PRIu64 " soak%s", m->number,
           m->s.device.selector, m->family->name, m->s.what, m->s.wrong, test_seed(), o->quick ? " --quick" : "");
    for (int k = 0; k < o->devices; ++k)
        if (o->device[k]) printf(" --device '%s'", o->device[k]);
    printf(" --only %" PRId64 "\n", m->number);
    (void)fflush(stdout);
}

static void member_begin(const run_options *o, place *p, member *m, int64_t number) {
    memset(m, 0, sizeof *m);
    m->number = number;
    m->family = families[number % RUN_FAMILIES];
    m->s.random = test_random_start(1 + (uint64_t)number);
    m->s.context = p->context;
    m->s.device = clsolve_context_device(p->context);
    m->s.quick = o->quick;
    (void)snprintf(m->s.what, sizeof m->s.what, " [system %" PRId64 ", %s, seed %" PRIu64 "]", number, m->family->name,
                   test_seed());
    *o->running = m->s.what;
    m->task = m->family->begin(&m->s);
    m->live = 1;
    ++systems;
    ++p->systems[number % RUN_FAMILIES];
}

/* What a round adds to the description is only that of the last one. */
static void member_step(const run_options *o, place *p, member *m) {
    size_t length = strlen(m->s.what);
    *o->running = m->s.what;
    ++p->steps[m->number % RUN_FAMILIES];
    m->live = m->family->step(&m->s, m->task) && !m->s.wrong[0];
    if (m->live) m->s.what[length] = '\0';
}

static void member_end(const run_options *o, place *p, member *m) {
    *o->running = m->s.what;
    m->family->end(&m->s, m->task);
    soak_drop_all(&m->s);
    faults += m->s.faults;
    refused += m->s.refused;
    if (m->s.wrong[0]) report(o, p, m);
    *o->running = "";
}

int run_group(const run_options *o, int64_t group) {
    static member members[RUN_GROUP];
    test_random random = test_random_start(~(uint64_t)group);
    place *p = &places[group % o->devices];
    int64_t before = wrong;
    int count = 0, order[RUN_GROUP];

    for (place_count = 0; place_count < o->devices; ++place_count)
        places[place_count].selector = o->device[place_count];
    if (p->context && p->groups % RUN_CONTEXT == 0) close_context(p);
    if (!p->context) open_context(p, &random);
    ++p->groups;
    for (int64_t k = group * RUN_GROUP; k < (group + 1) * RUN_GROUP; ++k)
        if (o->only < 0 || k == o->only) member_begin(o, p, &members[count++], k);
    for (int live = count; live > 0;) {
        member *m = &members[test_random_between(&random, 0, count - 1)];
        if (!m->live) continue;
        member_step(o, p, m);
        live -= !m->live;
    }
    for (int k = 0; k < count; ++k) order[k] = k;
    for (int k = count - 1; k >= 0; --k) {
        int64_t other = test_random_between(&random, 0, k);
        int next = order[other];
        order[other] = order[k];
        member_end(o, p, &members[next]);
    }
    cls_context_let_go(p->context); /* what stays with it for later calls is no buffer that a handle has left */
    check_no_buffers(p, "the context", test_buffers(p->context->device), group);
    memory_sample(systems);
    return wrong == before || !o->stop;
}

void run_close(void) {
    for (int k = 0; k < place_count; ++k)
        if (places[k].context) close_context(&places[k]);
}

/* ---- words ---- */

void run_progress(double minutes) {
    printf("%.0f min: %" PRId64 " systems, %" PRId64 " wrong, %" PRId64 " calls failed on purpose, %.1f MiB resident\n",
           minutes, systems, wrong, faults, (double)memory_resident() / (1 << 20));
    (void)fflush(stdout);
}

int run_summary(int64_t at_begin) {
    int64_t growth = 0;
    int grows = memory_grows(&growth);
    for (int d = 0; d < place_count; ++d)
        for (int f = 0; f < RUN_FAMILIES; ++f)
            printf("%-16s %-20s %8" PRId64 " systems %9" PRId64 " rounds %4" PRId64 " wrong\n",
                   places[d].selector ? places[d].selector : "default", families[f]->name, places[d].systems[f],
                   places[d].steps[f], places[d].wrong[f]);
    printf(
        "%" PRId64 " systems, %" PRId64 " wrong; %" PRId64 " calls failed on purpose; %" PRId64
        " memory limits too small; resident: %.1f MiB at begin, %.1f MiB at end, lately %+.3f MiB each 1000 systems\n",
        systems, wrong, faults, refused, (double)at_begin / (1 << 20), (double)memory_resident() / (1 << 20),
        (double)growth / (1 << 20));
    if (grows) printf("WRONG: the resident set grows\n");
    printf("seed: CLSOLVE_TEST_SEED=%" PRIu64 "\n", test_seed());
    return wrong > 0 || grows;
}
