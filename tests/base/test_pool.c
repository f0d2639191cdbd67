/* Jobs of a pool: every part done once and before the wait for it returns, with any number of threads, none too. */
#include <sched.h>

#include "base/pool.h"
#include "base/process.h"
#include "base/system/host.h"
#include "support/test_support.h"

enum { JOBS = 50, MOST = 70 };

typedef struct work {
    int done[MOST]; /* how often each part was done */
    int64_t parts;
    long value;
} work;

static void do_part(void *what, int64_t part) {
    work *w = what;
    volatile long spin = 0;
    for (int i = 0; i < 200 * (int)(part % 7); ++i) spin += i;
    w->done[part]++;
    if (part == 0) w->value = spin;
}

static void check(const work *w) {
    for (int64_t p = 0; p < MOST; ++p) assert_int_equal(w->done[p], p < w->parts);
}

static void run(int threads) {
    test_random random = test_random_start((uint64_t)threads);
    cls_pool *pool = cls_pool_create(threads);
    SCRATCH work *works = test_room(JOBS, sizeof *works);
    SCRATCH cls_job *jobs = test_room(JOBS, sizeof *jobs);

    assert_non_null(pool);
    if (threads <= 4) assert_int_equal(cls_pool_threads(pool), threads);
    for (int k = 0; k < JOBS; ++k) {
        works[k].parts = (int64_t)(test_random_unit(&random) * MOST);
        jobs[k] = (cls_job){.work = do_part, .what = &works[k], .parts = works[k].parts, .patient = k % 5 == 0};
        cls_pool_post(pool, &jobs[k]);
        /* The last but one first, and others while they may be in work. */
        if (k % 3 == 1) cls_pool_wait(pool, &jobs[k - 1]);
        if (k % 3 == 1) check(&works[k - 1]);
    }
    for (int k = JOBS - 1; k >= 0; --k) {
        cls_pool_wait(pool, &jobs[k]);
        assert_true(cls_pool_is_over(pool, &jobs[k]));
        cls_pool_wait(pool, &jobs[k]); /* not posted any more */
        check(&works[k]);
    }
    for (int round = 0; round < 20; ++round) {
        work again = {.parts = MOST};
        cls_job job = {.work = do_part, .what = &again, .parts = MOST};
        cls_pool_run(pool, &job);
        check(&again);
    }
    cls_pool_destroy(pool);
}

TEST(test_threads) {
    for (int threads = 0; threads < 5; ++threads) run(threads);
    run(12); /* so many look for work before they sleep */
    run(1000);
}

/* Each job is done whole, or not at all where it was withdrawn; the others of the queue are none the worse. */
static void withdraw(int threads) {
    enum { FEW = 12 };
    cls_pool *pool = cls_pool_create(threads);
    work works[FEW] = {0};
    cls_job jobs[FEW];
    for (int k = 0; k < FEW; ++k) {
        works[k].parts = 3;
        jobs[k] = (cls_job){.work = do_part, .what = &works[k], .parts = 3, .patient = k % 4 == 3};
        cls_pool_post(pool, &jobs[k]);
    }
    work behind = {.parts = 2};
    cls_job last = {.work = do_part, .what = &behind, .parts = 2};
    for (int k = FEW - 1; k >= 0; k -= 2) {
        int withdrawn = cls_pool_withdraw(pool, &jobs[k]);
        if (k == FEW - 1) cls_pool_post(pool, &last); /* behind the queue's new end */
        if (threads == 0) assert_true(withdrawn);
        if (withdrawn) works[k].parts = 0;
        check(&works[k]);
        assert_true(cls_pool_is_over(pool, &jobs[k]));
    }
    assert_false(cls_pool_withdraw(pool, &jobs[FEW - 1])); /* not posted any more */
    for (int k = 0; k < FEW; k += 2) cls_pool_wait(pool, &jobs[k]);
    for (int k = 0; k < FEW; k += 2) check(&works[k]);
    cls_pool_wait(pool, &last);
    check(&behind);
    work again = {.parts = MOST};
    cls_job job = {.work = do_part, .what = &again, .parts = MOST};
    cls_pool_run(pool, &job);
    check(&again);
    cls_pool_destroy(pool);
}

TEST(test_withdraw) {
    for (int round = 0; round < 50; ++round)
        for (int threads = 0; threads < 8; threads += threads < 3 ? 1 : 4) withdraw(threads);
}

/* Of one thread, which is held up until both jobs are posted: the patient one is begun last. */
static _Atomic int gate_open;
static _Atomic long turns;

static void hold_up(void *what, int64_t part) {
    (void)what, (void)part;
    while (!gate_open) (void)sched_yield();
}

static void take_turn(void *what, int64_t part) {
    long *turn = what;
    turn[part] = ++turns;
}

TEST(test_patience) {
    cls_pool *pool = cls_pool_create(1);
    long early[2] = {0}, late[3] = {0};
    cls_job gate = {.work = hold_up, .parts = 1};
    cls_job patient = {.work = take_turn, .what = late, .parts = 3, .patient = 1};
    cls_job other = {.work = take_turn, .what = early, .parts = 2};
    cls_pool_post(pool, &gate);
    cls_pool_post(pool, &patient);
    cls_pool_post(pool, &other);
    gate_open = 1;
    while (!cls_pool_is_over(pool, &patient)) (void)sched_yield(); /* who waits works too */
    for (int part = 0; part < 3; ++part) assert_int_equal(late[part], 3 + part);
    cls_pool_wait(pool, &other);
    cls_pool_wait(pool, &patient);
    cls_pool_wait(pool, &gate);
    cls_pool_destroy(pool);
}

TEST(test_nobody) {
    work alone = {.parts = 5};
    cls_job job = {.work = do_part, .what = &alone, .parts = 5};
    cls_pool_run(NULL, &job);
    check(&alone);
    assert_true(cls_pool_is_over(NULL, &job));
    assert_int_equal(cls_pool_threads(NULL), 0);
    assert_in_range(cls_pool_spare_cores(3), 0, 3);
    cls_pool_destroy(NULL);
}

static atomic_int compilers, most_compilers;

static void compile_a_part(void *what, int64_t part) {
    (void)what, (void)part;
    if (!cls_process_compile_begin(NULL)) return;
    const int here = atomic_fetch_add(&compilers, 1) + 1;
    int most = atomic_load(&most_compilers);
    while (here > most && !atomic_compare_exchange_weak(&most_compilers, &most, here)) continue;
    for (int turn = 0; turn < 100; ++turn) (void)sched_yield();
    (void)atomic_fetch_sub(&compilers, 1);
    cls_process_compile_end();
}

/* As many compile at once as there are cores, or two. One that waits gives up when it is told to. */
TEST(test_compilers) {
    enum { PARTS = 400, LEAST = 2 };
    const int cores = cls_host_cores(), most = cores > LEAST ? cores : LEAST;
    const atomic_int stop = 1;
    cls_pool *pool = cls_pool_create(CLS_POOL_MOST);
    cls_job job = {.work = compile_a_part, .parts = PARTS};
    cls_pool_run(pool, &job);
    cls_pool_destroy(pool);
    assert_in_range(most_compilers, 1, most);
    for (int k = 0; k < most; ++k) assert_true(cls_process_compile_begin(NULL));
    assert_false(cls_process_compile_begin(&stop));
    for (int k = 0; k < most; ++k) cls_process_compile_end();
    assert_true(cls_process_compile_begin(NULL));
    cls_process_compile_end();
}

TEST_PROGRAM_ALONE(NULL, NULL)
