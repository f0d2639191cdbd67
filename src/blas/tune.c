/*
 * tune.c: the search. Best first: of all candidates that were timed, the best one that has neighbours left is taken,
 * and the next neighbour, one parameter changed, is tried. So it climbs while that helps and widens where it does not.
 */
#include "blas/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum { MOST_CANDIDATES = 512, RANK_32 = 1, RANK_128 = 2, RANK_512 = 3 };

typedef struct candidate {
    cls_tile tile;
    double score; /* 0: refused or wrong */
    int listed;   /* timed at all ranks */
    int next;     /* the neighbour to be tried next */
} candidate;

typedef struct search {
    cls_bench bench;
    const clsolve_tune_options *options;
    const cls_tune_keeper *keeper;
    clsolve_tune_report *report;
    candidate *list;
    int count;
    double start, seconds, best_rate; /* of what is under way; at rank 128 */
    double limit;                     /* seconds of search and comparison */
    cls_record stored;                /* by a search before this one */
    int is_stored;
    double searched;       /* seconds of the search that this one goes on with; 0: it begins anew */
    const candidate *kept; /* the best one that the keeper has */
} search;

static void keep(const search *s, const cls_record *record) {
    if (s->keeper->keep) s->keeper->keep(s->keeper->user, record);
}

static void tell(const search *s, const char *phase, double fraction) {
    if (s->options->progress) s->options->progress(s->options->progress_user, phase, fraction);
}

/* ---- neighbours ---- */

/* Factors of the parameters, or what is turned over. */
static const struct move {
    int over, under;
    int tile_m, tile_n, slice, item_m, item_n, vector; /* 1: multiplied by over / under */
    int local_a, local_b, ahead;                       /* 1: turned over; ahead goes so far round */
} moves[] = {
    {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2}, {2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0},
    {1, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {2, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0}, {1, 2, 0, 1, 0, 0, 1, 0, 0, 0, 0},
    {2, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0}, {1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0}, {2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
    {1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}, {2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0},
    {2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}, {1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0}, {2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0},
    {1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0}, {2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}, {1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0},
    {1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0},
    {3, 2, 0, 1, 0, 0, 1, 0, 0, 0, 0}, {2, 3, 0, 1, 0, 0, 1, 0, 0, 0, 0}, {3, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0},
    {2, 3, 1, 0, 0, 1, 0, 0, 0, 0, 0},
};
enum { MOVES = sizeof moves / sizeof moves[0] };

/* Not a whole number: 0, which fits nothing. */
static int32_t scaled(int32_t value, int on, const struct move *m) {
    if (!on) return value;
    return value * m->over % m->under == 0 ? value * m->over / m->under : 0;
}

int cls_tune_move(const cls_tile *from, int move, cls_tile *to) {
    if (move < 0 || move >= MOVES) return 0;
    const struct move *m = &moves[move];
    to->tile_m = scaled(from->tile_m, m->tile_m, m);
    to->tile_n = scaled(from->tile_n, m->tile_n, m);
    to->slice = scaled(from->slice, m->slice, m);
    to->item_m = scaled(from->item_m, m->item_m, m);
    to->item_n = scaled(from->item_n, m->item_n, m);
    to->vector = scaled(from->vector, m->vector, m);
    to->local_a = from->local_a ^ m->local_a;
    to->local_b = from->local_b ^ m->local_b;
    to->ahead = to->local_a || to->local_b ? (from->ahead + m->ahead) % 3 : 0;
    return 1;
}

/* ---- one candidate ---- */

static clsolve_status time_tile(search *s, cls_kernel *kernel, candidate *c) {
    const cls_contender own = {kernel, &c->tile};
    double rate[4] = {0};
    const int ranks[] = {RANK_128, RANK_32, RANK_512};
    for (int r = 0; r < 3; r++) {
        cls_product p = cls_bench_update(&s->bench, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, ranks[r]);
        CLS_TRY(cls_bench_rate(&s->bench, &own, &p, &rate[ranks[r]]));
        /* If it is far behind at one rank, the others are not worth their time, nor its neighbours while there are
         * better ones. */
        c->score = rate[RANK_128] / 2;
        if (rate[RANK_128] < 0.7 * s->best_rate) return CLSOLVE_OK;
    }
    if (rate[RANK_128] > s->best_rate) s->best_rate = rate[RANK_128];
    c->score = cbrt(rate[RANK_32] * rate[RANK_128] * rate[RANK_512]);
    c->listed = 1;
    return CLSOLVE_OK;
}

/* The kernel for places that are multiples of its vector, and whether it is right. */
static clsolve_status make(const search *s, const cls_tile *tile, clsolve_op op_a, clsolve_op op_b, cls_kernel **kernel,
                           int *right) {
    cls_device *device = s->bench.device;
    char text[CLS_TILED_TEXT];
    const cls_builtin_form form = cls_builtin_tiled_form(tile, s->bench.type, op_a, op_b, tile->vector > 1, text);
    CLS_TRY(cls_builtin_kernel(device, kernel, form.kernel, form.kernel, form.type, form.options));
    return cls_builtin_test(device, *kernel, &form, right);
}

/* A compiler that refuses it, or a device that does not start it, is no failure of the search. */
static clsolve_status try_tile(search *s, candidate *c) {
    cls_device *device = s->bench.device;
    const cls_error before = *device->error;
    cls_kernel *kernel = NULL;
    int right = 0;
    clsolve_status status = make(s, &c->tile, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, &kernel, &right);
    if (status == CLSOLVE_OK && right) status = time_tile(s, kernel, c);
    device->ops->kernel_destroy(device, kernel);
    s->report->tried++;
    if (status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_DEVICE) {
        c->score = 0;
        c->listed = 0;
        s->report->refused++;
        *device->error = before;
        return CLSOLVE_OK;
    }
    if (status == CLSOLVE_OK) (*(right ? &s->report->timed : &s->report->wrong))++;
    return status;
}

/* Into the list and tried, unless it does not fit or is there. */
static clsolve_status visit(search *s, const cls_tile *tile) {
    if (s->count == MOST_CANDIDATES || !cls_tile_fits(tile, &s->bench.device->info, s->bench.type)) return CLSOLVE_OK;
    for (int i = 0; i < s->count; i++)
        if (memcmp(&s->list[i].tile, tile, sizeof *tile) == 0) return CLSOLVE_OK;
    candidate *c = &s->list[s->count++];
    c->tile = *tile;
    tell(s, "search", (cls_seconds() - s->start) / s->seconds);
    return try_tile(s, c);
}

static candidate *best_of(const search *s, int with_neighbours) {
    candidate *best = NULL;
    for (int i = 0; i < s->count; i++) {
        candidate *c = &s->list[i];
        if (c->score > 0 && (with_neighbours ? c->next < MOVES : c->listed) && (!best || c->score > best->score))
            best = c;
    }
    return best;
}

/* 1: there is time, or nothing was found yet. */
static int goes_on(const search *s) {
    return !best_of(s, 0) || cls_seconds() - s->start < s->seconds;
}

/* Updates without time for a comparison are as they were known of these parameters, or 0: CLBlast's. */
static void begin_record(const search *s, const candidate *best, cls_record *record) {
    cls_record known = s->stored;
    memset(record, 0, sizeof *record);
    record->tile = best->tile;
    record->gflops = best->score;
    record->searched = s->searched + cls_seconds() - s->start;
    if (!s->is_stored && !cls_record_known(&s->bench.device->info, s->bench.type, &known)) return;
    if (memcmp(&known.tile, &record->tile, sizeof record->tile) != 0) return;
    memcpy(record->against, known.against, sizeof record->against);
    if (s->options->resume) record->compared = known.compared;
}

/* So that a search that is interrupted goes on from its best candidate. */
static void keep_best(search *s) {
    const candidate *best = best_of(s, 0);
    cls_record record;
    if (!best || best == s->kept) return;
    s->kept = best;
    begin_record(s, best, &record);
    keep(s, &record);
}

static clsolve_status walk(search *s) {
    cls_tile guesses[CLS_TILE_GUESSES], tile;
    cls_record known;
    const int count = cls_tile_guesses(&s->bench.device->info, s->bench.type, guesses);
    s->start = cls_seconds();
    /* The best of a longer search goes first, so that a short one does not put a worse one into its place. */
    if (s->is_stored) CLS_TRY(visit(s, &s->stored.tile));
    /* Until there is one at all, whatever time that takes. */
    if (goes_on(s) && cls_record_known(&s->bench.device->info, s->bench.type, &known)) CLS_TRY(visit(s, &known.tile));
    for (int g = 0; g < count && goes_on(s); g++) {
        CLS_TRY(visit(s, &guesses[g]));
        keep_best(s);
    }
    while (cls_seconds() - s->start < s->seconds && s->count < MOST_CANDIDATES) {
        candidate *from = best_of(s, 1);
        if (!from) break;
        if (cls_tune_move(&from->tile, from->next++, &tile)) CLS_TRY(visit(s, &tile));
        keep_best(s);
    }
    s->report->search_seconds = cls_seconds() - s->start;
    return CLSOLVE_OK;
}

/* ---- the outcome ---- */

static void list_best(search *s) {
    clsolve_tune_report *report = s->report;
    for (report->best_count = 0; report->best_count < CLSOLVE_TUNE_BEST; report->best_count++) {
        clsolve_tune_candidate *b = &report->best[report->best_count];
        char words[CLS_TILE_TEXT];
        candidate *c = best_of(s, 0);
        if (!c) return;
        cls_tile_words(&c->tile, words);
        (void)snprintf(b->text, sizeof b->text, "%.*s", (int)sizeof b->text - 1, words);
        b->gflops = c->score;
        c->listed = 0; /* it has its place */
    }
}

/* 0: time is up, and the first op of this call, what nearly all updates are, A B, has been compared. */
static int compares_on(const search *s) {
    return s->report->update_count < CLS_RECORD_SHAPES || cls_seconds() - s->start < s->seconds;
}

/* Both by turns at each shape of one op; the better of two. */
static clsolve_status compare_op(search *s, cls_record *record, int op, cls_kernel *kernel) {
    const clsolve_op op_a = op & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, op_b = op & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
    const cls_contender both[2] = {{kernel, &record->tile}, {NULL, NULL}};
    for (int shape = 0; shape < CLS_RECORD_SHAPES && compares_on(s); shape++) {
        clsolve_tune_update *u = &s->report->updates[s->report->update_count++];
        const cls_product p = cls_bench_update(&s->bench, op_a, op_b, shape);
        double best[2] = {0, 0};
        tell(s, "compare", (double)(op * CLS_RECORD_SHAPES + shape) / (CLS_RECORD_OPS * CLS_RECORD_SHAPES));
        for (int turn = kernel ? 0 : 1; turn < 4; turn++) {
            double rate;
            if (turn % 2 == 0 && !kernel) continue;
            CLS_TRY(cls_bench_rate(&s->bench, &both[turn % 2], &p, &rate));
            if (rate > best[turn % 2]) best[turn % 2] = rate;
        }
        record->against[op][shape] = best[1] > 0 ? best[0] / best[1] : 0;
        *u = (clsolve_tune_update){op_a, op_b,    p.m,     p.n,
                                   p.k,  best[0], best[1], cls_record_takes(record, op_a, op_b, p.m, p.n, p.k)};
    }
    return CLSOLVE_OK;
}

static clsolve_status compare(search *s, cls_record *record) {
    cls_device *device = s->bench.device;
    int skipped = 0;
    s->start = cls_seconds();
    for (int op = 0; op < CLS_RECORD_OPS; op++) {
        if (record->compared >> op & 1) continue;
        if (!compares_on(s)) {
            skipped += CLS_RECORD_SHAPES;
            continue;
        }
        const int before_op = s->report->update_count;
        const clsolve_op op_a = op & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
        const clsolve_op op_b = op & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS;
        const cls_error before = *device->error;
        cls_kernel *kernel = NULL;
        int right = 0;
        clsolve_status status = make(s, &record->tile, op_a, op_b, &kernel, &right);
        if (status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_DEVICE) {
            *device->error = before;
            status = CLSOLVE_OK;
        }
        if (status == CLSOLVE_OK) status = compare_op(s, record, op, right ? kernel : NULL);
        device->ops->kernel_destroy(device, kernel);
        CLS_TRY(status);
        const int compared = s->report->update_count - before_op;
        skipped += CLS_RECORD_SHAPES - compared;
        if (compared == CLS_RECORD_SHAPES) record->compared |= 1 << op;
        keep(s, record);
    }
    s->report->updates_skipped = skipped;
    return CLSOLVE_OK;
}

static clsolve_status find_best(search *s, cls_record *record) {
    cls_device *device = s->bench.device;
    CLS_TRY(walk(s));
    const candidate *best = best_of(s, 0);
    if (!best)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD,
                        "none of %lld candidates runs on %s: %lld did not build or start, %lld gave wrong products",
                        (long long)s->report->tried, device->info.name, (long long)s->report->refused,
                        (long long)s->report->wrong);
    begin_record(s, best, record);
    list_best(s);
    keep(s, record);
    return CLSOLVE_OK;
}

/* The search has so many, and the comparison as many. */
static double budget_of(const clsolve_tune_options *options) {
    return options->seconds > 0 ? options->seconds : 20;
}

static clsolve_status measure(search *s, cls_record *record) {
    tell(s, "CLBlast", 0);
    CLS_TRY(cls_bench_fit(&s->bench, &s->report->clblast_seconds));
    const double start = cls_seconds();
    /* The stored record of a search that is over stands. */
    if (s->seconds <= 0)
        *record = s->stored;
    else
        CLS_TRY(find_best(s, record));
    s->seconds = s->limit - (cls_seconds() - start); /* what the search has left too */
    return compare(s, record);
}

clsolve_status cls_tune_search(cls_device *device, clsolve_type type, const clsolve_tune_options *options,
                               const cls_tune_keeper *keeper, clsolve_tune_report *report, cls_record *record) {
    const cls_counters before = device->counters;
    const double start = cls_seconds();
    char *const folder = device->cache_folder;
    search s = {.options = options, .keeper = keeper, .report = report, .seconds = budget_of(options)};

    s.limit = options->limit > 0 ? options->limit : 2 * s.seconds;
    memset(record, 0, sizeof *record);
    s.is_stored = cls_record_load(folder, &device->info, type, &s.stored) == CLS_RECORD_FOUND;
    if (options->resume && s.is_stored) {
        s.searched = s.stored.searched;
        /* The rest of it; less than a twentieth is none. */
        s.seconds = s.searched < 0.95 * s.seconds ? s.seconds - s.searched : 0;
        report->resumed = 1;
        *record = s.stored;
        if (s.seconds <= 0 && record->compared == (1 << CLS_RECORD_OPS) - 1) return CLSOLVE_OK; /* nothing is left */
    }
    if (s.seconds > s.limit) s.seconds = s.limit;
    s.list = cls_alloc(MOST_CANDIDATES, sizeof *s.list);
    if (!s.list) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of candidates");
    clsolve_status status = cls_bench_create(device, type, &s.bench);
    if (status == CLSOLVE_OK) {
        device->cache_folder = NULL; /* most of what is compiled now is of no use later */
        status = measure(&s, record);
        device->cache_folder = folder;
    }
    cls_bench_destroy(&s.bench);
    cls_free(s.list);
    device->counters = before; /* what the search moves is no caller's */
    report->seconds = cls_seconds() - start;
    return status;
}
