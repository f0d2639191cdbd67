#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "api/beside.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "api/calibrate.h"
#include "api/trial.h"
#include "base/clock.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/system/thread.h"
#include "blas/blas.h"

typedef struct job {
    enum { A_TASK, SAMPLES, SPARSE } of;
    cls_task task;         /* of A_TASK and SAMPLES */
    cls_front_shape shape; /* of SPARSE */
    double begins;         /* by cls_seconds: compilers begin no sooner */
    cls_beside_state state;
} job;

struct cls_beside {
    pthread_mutex_t lock;
    pthread_cond_t over; /* a job is done, or the thread has ended */
    int owners;          /* the context and the thread */
    int running;
    atomic_int stop;
    job *jobs;
    int count, room, next; /* jobs from `next` on have not begun */
};

/* The thread's own. */
typedef struct worker {
    cls_beside *beside;
    cls_device *twin;
    cls_error error; /* the twin's */
} worker;

/* ---- the work ---- */

/* A small order of the same shape: the kernels are those of the task's. */
static int64_t small_order(const cls_task *task) {
    enum { EXACT = 2048, BEYOND = 256 };
    cls_task small = *task;
    if (task->n <= EXACT) return task->n;
    for (small.n = EXACT; cls_task_shape(&small) != cls_task_shape(task);) small.n += BEYOND;
    return small.n;
}

static cls_trial trial_of(const cls_task *task, cls_device *device) {
    enum { MOST_ROWS = 20000, MOST_MEMBERS = 1000, MOST_ELEMENTS = 1 << 22 };
    const int64_t count = task->count < MOST_MEMBERS ? task->count : MOST_MEMBERS;
    cls_trial trial = {.device = device, .family = task->family, .type = task->type, .n = task->n, .rcond = 1};
    if (cls_family_is_band(task->family)) {
        if (task->n > MOST_ROWS) trial.n = MOST_ROWS;
        trial.k = task->kl < trial.n ? task->kl : trial.n - 1;
        trial.more = (task->ku < trial.n ? task->ku : trial.n - 1) - trial.k;
    } else if (task->family == CLS_FAMILY_BATCH) {
        trial.k = count;
        trial.kind = task->kind;
        trial.classes = task->classes;
        if (cls_members_are_factored(task->kind)) trial.n = task->order;
        while (trial.k > 1 && trial.k * trial.n * trial.n > MOST_ELEMENTS) trial.k /= 2;
    } else if (task->family == CLS_FAMILY_LINES) {
        trial.k = count;
    } else if (task->family == CLS_FAMILY_GRID) {
        trial.n = (int64_t)sqrt((double)task->n);
    } else {
        trial.n = small_order(task);
    }
    return trial;
}

static clsolve_status run_task(const cls_task *task, cls_device *device) {
    cls_trial *trial = cls_alloc(1, sizeof *trial);
    if (!trial) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    *trial = trial_of(task, device);
    clsolve_status status = cls_trial_open(trial);
    if (status == CLSOLVE_OK) status = cls_trial_run(trial);
    cls_trial_close(trial);
    cls_free(trial);
    return status;
}

/* Large fronts are the dense engines', and these run, while the fronts' own kernels compile. */
static clsolve_status run_sparse(const cls_front_shape *shape, cls_device *device) {
    const cls_front_class *large = &shape->whole[CLS_LARGE];
    const int cholesky = shape->form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    const cls_task engine = {.family = cholesky ? CLS_FAMILY_CHOLESKY : CLS_FAMILY_LU,
                             .type = shape->type,
                             .n = large->most_pivots,
                             .nrhs = 1};
    if (large->count > 0) {
        cls_front_announce(device, shape);
        CLS_TRY(run_task(&engine, device));
    }
    return cls_front_compile(device, shape);
}

static clsolve_status run_job(const job *of, cls_device *device) {
    cls_times times = {0};
    if (!device->blas) CLS_TRY(cls_blas_create(device));
    if (of->of == SPARSE) return run_sparse(&of->shape, device);
    return of->of == SAMPLES ? cls_calibrate(device, NULL, of->task.family, of->task.type, &times)
                             : run_task(&of->task, device);
}

/* ---- the thread ---- */

static void leave(cls_beside *beside) {
    (void)pthread_mutex_lock(&beside->lock);
    const int rest = --beside->owners;
    (void)pthread_mutex_unlock(&beside->lock);
    if (rest > 0) return;
    (void)pthread_cond_destroy(&beside->over);
    (void)pthread_mutex_destroy(&beside->lock);
    cls_free(beside->jobs);
    cls_free(beside);
}

/* 0: there is none, and the thread ends. */
static int begin_job(cls_beside *beside, int *at, job *copy) {
    (void)pthread_mutex_lock(&beside->lock);
    const int begins = beside->next < beside->count && !atomic_load(&beside->stop) && !cls_process_ends();
    if (begins) {
        *at = beside->next++;
        *copy = beside->jobs[*at];
    }
    beside->running = begins;
    if (!begins) (void)pthread_cond_broadcast(&beside->over);
    (void)pthread_mutex_unlock(&beside->lock);
    return begins;
}

static void end_job(cls_beside *beside, int at, clsolve_status status) {
    (void)pthread_mutex_lock(&beside->lock);
    beside->jobs[at].state = status >= CLSOLVE_OK ? CLS_BESIDE_READY : CLS_BESIDE_FAILED;
    (void)pthread_cond_broadcast(&beside->over);
    (void)pthread_mutex_unlock(&beside->lock);
}

static void end_worker(worker *w) {
    cls_device_close(w->twin);
    cls_free(w);
}

static void *serve(void *self) {
    worker *w = self;
    cls_beside *beside = w->beside;
    cls_guard guard;
    job now;
    int at;

    cls_guard_begin(&guard); /* a thread inherits the traps of the one that makes it */
    while (begin_job(beside, &at, &now)) {
        w->twin->compiles_from = now.begins;
        end_job(beside, at, run_job(&now, w->twin));
    }
    end_worker(w);
    leave(beside);
    cls_process_work_end();
    return NULL;
}

/* The lock is held. 0: there can be none. */
static int start_worker(cls_beside *beside, cls_device *device) {
    worker *w = cls_alloc(1, sizeof *w);
    if (!w || cls_device_twin(device, &w->error, &w->twin) != CLSOLVE_OK) {
        cls_free(w);
        return 0;
    }
    w->beside = beside;
    w->twin->stop = &beside->stop;
    if (cls_process_work_begin()) {
        beside->owners++;
        beside->running = cls_thread_start_alone(serve, w);
        if (beside->running) return 1;
        beside->owners--;
        cls_process_work_end();
    }
    end_worker(w);
    return 0;
}

/* ---- questions ---- */

static int make(clsolve_context *context) {
    cls_beside *made = cls_alloc(1, sizeof *made);
    if (!made) return 0;
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        cls_free(made);
        return 0;
    }
    if (pthread_cond_init(&made->over, NULL) != 0) {
        (void)pthread_mutex_destroy(&made->lock);
        cls_free(made);
        return 0;
    }
    made->owners = 1;
    context->beside = made;
    return 1;
}

/* The job does what is wanted. */
static int does(const job *j, const job *wanted) {
    const cls_task *task = &wanted->task;
    if (j->of != wanted->of) return 0;
    if (j->of == SPARSE)
        return j->shape.type == wanted->shape.type && j->shape.form == wanted->shape.form &&
               (j->shape.kinds & wanted->shape.kinds) == wanted->shape.kinds;
    return j->task.family == task->family && j->task.type == task->type &&
           (j->of == SAMPLES || cls_task_shape(&j->task) == cls_task_shape(task));
}

static const job *find(const cls_beside *beside, const job *wanted) {
    for (const job *j = beside->jobs; j < beside->jobs + beside->count; ++j)
        if (does(j, wanted)) return j;
    return NULL;
}

/* NULL: no memory. */
static job *append(cls_beside *beside, const job *wanted) {
    enum { STEP = 16 };
    if (beside->count == beside->room) {
        job *more = cls_alloc((size_t)(beside->room + STEP), sizeof *more);
        if (!more) return NULL;
        for (int k = 0; k < beside->count; ++k) more[k] = beside->jobs[k];
        cls_free(beside->jobs);
        beside->jobs = more;
        beside->room += STEP;
    }
    job *made = &beside->jobs[beside->count++];
    *made = *wanted;
    return made;
}

/* The lock is held; the context's lock too, so that no job is appended. */
static void await(cls_beside *beside, const job *asked, double seconds) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_nsec * 1e-9 + fmin(seconds, 1e6);
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - floor(end)) * 1e9);
    while (asked->state == CLS_BESIDE_BUSY && beside->running)
        if (pthread_cond_timedwait(&beside->over, &beside->lock, &until) != 0) return;
}

static cls_beside_state ask(clsolve_context *context, const job *wanted, double seconds) {
    if (!context->beside && !make(context)) return CLS_BESIDE_FAILED;
    cls_beside *beside = context->beside;
    (void)pthread_mutex_lock(&beside->lock);
    const job *asked = find(beside, wanted);
    if (!asked) {
        job *made = append(beside, wanted);
        asked = made;
        if (made && !beside->running && !start_worker(beside, context->device)) made->state = CLS_BESIDE_FAILED;
    }
    if (asked && seconds > 0) await(beside, asked, seconds);
    const cls_beside_state state = asked ? asked->state : CLS_BESIDE_FAILED;
    (void)pthread_mutex_unlock(&beside->lock);
    return state;
}

cls_beside_state cls_beside_ask(clsolve_context *context, const cls_task *task, int samples) {
    return ask(context, &(job){.of = samples ? SAMPLES : A_TASK, .task = *task}, 0);
}

cls_beside_state cls_beside_ask_behind(clsolve_context *context, const cls_task *task, double seconds) {
    static const double most = 0.1;
    return ask(context, &(job){.of = A_TASK, .task = *task, .begins = cls_seconds() + fmin(seconds, most)}, 0);
}

cls_beside_state cls_beside_ask_sparse(clsolve_context *context, const cls_front_shape *shape, double seconds) {
    return ask(context, &(job){.of = SPARSE, .shape = *shape}, seconds);
}

void cls_beside_wait(clsolve_context *context) {
    cls_beside *beside = context->beside;
    if (!beside) return;
    (void)pthread_mutex_lock(&beside->lock);
    while (beside->running) (void)pthread_cond_wait(&beside->over, &beside->lock);
    (void)pthread_mutex_unlock(&beside->lock);
}

void cls_beside_release(cls_beside *beside) {
    if (!beside) return;
    atomic_store(&beside->stop, 1);
    leave(beside);
}
