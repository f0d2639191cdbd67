#define _XOPEN_SOURCE 700
#include "kernels/emulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    STACK = 16384,
    LANES = EMULATOR_LANES,
    MOST_WAVES = 16,
    BARRIERS = 16,
    ARRAYS = 16,
    LOCAL_BYTES = 16384,
    LOCAL_WORDS = LOCAL_BYTES / 4,
    SEEN = 4,         /* words that an item polls by turns, at most */
    POLLS = 2 * SEEN, /* loads without news after which all of them have been looked at since the last */
    NONE = -1
};

typedef enum { RUNS, AT_BARRIER, IN_EXCHANGE, FOR_WORDS, ENDED } state;

typedef struct item {
    ucontext_t context;
    int group, wave, lane; /* the wave counts over all groups */
    state is;
    int barrier;
    int quiet;
    struct {
        int64_t at; /* of the launch's words, or NONE */
        emulator_words value;
        int previous, next; /* items that sleep on the same, as number * SEEN + slot */
    } seen[SEEN];
} item;

/* Who touched a word of local memory when. A wave's clock goes on at each of its barriers and LANES_SYNC. */
typedef struct word {
    unsigned written, reads[MOST_WAVES]; /* clocks; 0: never */
    int writer_wave, writer_lane;
    unsigned readers[MOST_WAVES]; /* lanes that have read at that clock */
} word;

typedef struct wave {
    int group, number;        /* in the group */
    unsigned runnable, ended; /* lanes */
    int active;               /* its place in the list of waves with a runnable lane, or NONE */
    emulator_exchange kind;
    unsigned arrived, x[LANES], from[LANES], result[LANES];
    unsigned clock[MOST_WAVES]; /* what it knows of each wave of the group */
} wave;

typedef struct group {
    unsigned char *local;
    size_t used;
    int arrays;
    struct {
        const char *name;
        void *at;
    } array[ARRAYS];
    struct {
        int arrived, items;
        unsigned lanes[MOST_WAVES];
    } barrier[BARRIERS];
    word *words;
} group;

static struct {
    const emulator_launch *launch;
    item *items, *now;
    wave *waves;
    group *groups;
    unsigned char *stacks;
    int items_made, groups_made;
    int waves_of_group, *active, actives, ended;
    int *sleepers; /* the first item that sleeps on each of the launch's words */
    uint64_t random;
    int stretch, slow, slow_which; /* picks until others are passed over; how they are told; their number */
    ucontext_t scheduler;
    char error[2048];
} em;

static void wrong(const char *format, ...) {
    va_list arguments;
    if (em.error[0]) return;
    va_start(arguments, format);
    (void)vsnprintf(em.error, sizeof em.error, format, arguments);
    va_end(arguments);
}

/* xorshift64* (S. Vigna, 2016). */
static unsigned draw(unsigned below) {
    em.random ^= em.random >> 12;
    em.random ^= em.random << 25;
    em.random ^= em.random >> 27;
    return (unsigned)((em.random * 0x2545f4914f6cdd1du) >> 33) % below;
}

static wave *wave_of(const item *i) {
    return &em.waves[i->wave];
}

static int number_of(const item *i) {
    return (int)(i - em.items);
}

/* ---- who can go on ---- */

static void wake(item *i) {
    wave *w = wave_of(i);
    i->is = RUNS;
    w->runnable |= 1u << i->lane;
    if (w->active != NONE) return;
    w->active = em.actives;
    em.active[em.actives++] = i->wave;
}

static void put_to_sleep(item *i, state why) {
    wave *w = wave_of(i);
    i->is = why;
    w->runnable &= ~(1u << i->lane);
    if (w->runnable) return;
    int last = em.active[--em.actives];
    em.active[w->active] = last;
    em.waves[last].active = w->active;
    w->active = NONE;
}

static item *pick(void);

/* To whoever goes on; to emulator_run when nobody can, or something is wrong: then for good. */
static void give_way(void) {
    item *me = em.now, *next = em.error[0] || em.actives == 0 ? NULL : pick();
    if (next == me) return;
    em.now = next;
    (void)swapcontext(&me->context, next ? &next->context : &em.scheduler);
}

static void wait_for(state why) {
    put_to_sleep(em.now, why);
    give_way();
}

static void sometimes_give_way(unsigned one_in) {
    if (draw(one_in) == 0) give_way();
}

enum { NOBODY, THAT_WAVE, THAT_GROUP, THAT_NUMBER, OTHER_GROUPS, OTHER_WAVES, KINDS };

static int is_slow(const wave *w) {
    switch (em.slow) {
    case THAT_WAVE:
        return w - em.waves == em.slow_which;
    case THAT_GROUP:
        return w->group == em.slow_which;
    case THAT_NUMBER:
        return w->number == em.slow_which;
    case OTHER_GROUPS:
        return w->group != em.slow_which;
    case OTHER_WAVES:
        return w - em.waves != em.slow_which;
    default:
        return 0;
    }
}

static void next_stretch(void) {
    int waves = em.launch->groups * em.waves_of_group;
    em.stretch = 1 + (int)draw(1u << (4 + draw(12)));
    em.slow = (int)draw(KINDS);
    em.slow_which = (int)draw((unsigned)(em.slow == THAT_WAVE || em.slow == OTHER_WAVES ? waves
                                         : em.slow == THAT_NUMBER                       ? em.waves_of_group
                                                                                        : em.launch->groups));
}

static item *pick(void) {
    if (em.stretch-- == 0) next_stretch();
    int start = (int)draw((unsigned)em.actives), chosen = start;
    for (int k = 0; k < em.actives; k++) {
        int at = start + k < em.actives ? start + k : start + k - em.actives;
        if (is_slow(&em.waves[em.active[at]])) continue;
        chosen = at;
        break;
    }
    const wave *w = &em.waves[em.active[chosen]];
    int lane = (int)draw(LANES);
    while ((w->runnable >> lane & 1) == 0) lane = (lane + 1) % LANES;
    return &em.items[em.active[chosen] * LANES + lane];
}

/* ---- local memory: who touches what ---- */

/* Whether the running wave knows of what a lane did at that clock of its wave. */
static int knows(const wave *w, int other, int lane, unsigned clock) {
    return other == w->number ? lane == em.now->lane || w->clock[other] > clock : w->clock[other] >= clock;
}

static const char *name_at(const group *g, size_t offset, size_t *index) {
    int k = 0;
    while (k + 1 < g->arrays && (unsigned char *)g->array[k + 1].at <= g->local + offset) k++;
    *index = offset - (size_t)((unsigned char *)g->array[k].at - g->local);
    return g->array[k].name;
}

static void race(const group *g, size_t at, int writes, int other, const char *what) {
    size_t byte = 0;
    const char *name = name_at(g, at * 4, &byte);
    wrong("no barrier between: group %d, %s byte %d: wave %d lane %d %s, wave %d %s", em.now->group, name, (int)byte,
          wave_of(em.now)->number, em.now->lane, writes ? "writes" : "reads", other, what);
}

static void touch_word(group *g, size_t at, int writes) {
    word *d = &g->words[at];
    const wave *w = wave_of(em.now);
    unsigned clock = w->clock[w->number], bit = 1u << em.now->lane;
    /* Of a launch with a late group, some who tell of it write the same. */
    if (d->written && !(writes && em.launch->late >= 0) && !knows(w, d->writer_wave, d->writer_lane, d->written))
        race(g, at, writes, d->writer_wave, "wrote");
    if (!writes) {
        if (!d->written) race(g, at, writes, NONE, "has written: none has");
        if (d->reads[w->number] != clock) d->readers[w->number] = 0;
        d->reads[w->number] = clock;
        d->readers[w->number] |= bit;
        return;
    }
    for (int k = 0; k < em.waves_of_group; k++) {
        if (!d->reads[k]) continue;
        int known = k == w->number ? d->reads[k] < clock || (d->readers[k] & ~bit) == 0 : w->clock[k] >= d->reads[k];
        if (!known) race(g, at, writes, k, "read");
    }
    d->written = clock;
    d->writer_wave = w->number;
    d->writer_lane = em.now->lane;
}

static void touch(const void *p, size_t bytes, int writes) {
    if (!em.now) return;
    group *g = &em.groups[em.now->group];
    size_t offset = (size_t)((uintptr_t)p - (uintptr_t)g->local);
    if (offset >= LOCAL_BYTES) return;
    for (size_t at = offset / 4; at <= (offset + bytes - 1) / 4; at++) touch_word(g, at, writes);
    if (em.error[0])
        give_way(); /* for good */
    else
        sometimes_give_way(64);
}

/* What -fsanitize=thread calls. */
void __tsan_init(void);
void __tsan_func_entry(void *p);
void __tsan_func_exit(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *p) {
    (void)p;
}
void __tsan_func_exit(void) {}
#define CALLED(name, bytes, writes)                                                                                    \
    void name(void *p);                                                                                                \
    void name(void *p) {                                                                                               \
        touch(p, bytes, writes);                                                                                       \
    }
#define OF_SIZE(bytes)                                                                                                 \
    CALLED(__tsan_read##bytes, bytes, 0)                                                                               \
    CALLED(__tsan_write##bytes, bytes, 1)                                                                              \
    CALLED(__tsan_unaligned_read##bytes, bytes, 0)                                                                     \
    CALLED(__tsan_unaligned_write##bytes, bytes, 1)
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
void __tsan_read_range(void *p, unsigned long bytes);
void __tsan_write_range(void *p, unsigned long bytes);
void __tsan_read_range(void *p, unsigned long bytes) {
    touch(p, bytes, 0);
}
void __tsan_write_range(void *p, unsigned long bytes) {
    touch(p, bytes, 1);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long bytes);
void *__tsan_memmove(void *to, const void *from, unsigned long bytes);
void *__tsan_memset(void *to, int value, unsigned long bytes);
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes) {
    return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, unsigned long bytes) {
    return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, unsigned long bytes) {
    return memset(to, value, bytes);
}

/* ---- the dialect's words ---- */

int64_t emulator_group(void) {
    return em.now->group;
}

int64_t emulator_groups(void) {
    return em.launch->groups;
}

int64_t emulator_item(void) {
    return wave_of(em.now)->number * LANES + em.now->lane;
}

void *emulator_local(const char *name, size_t bytes) {
    group *g = &em.groups[em.now->group];
    for (int k = 0; k < g->arrays; k++)
        if (strcmp(g->array[k].name, name) == 0) return g->array[k].at;
    if (g->arrays == ARRAYS || g->used + bytes > LOCAL_BYTES) {
        wrong("no room for the local array %s", name);
        give_way();
    }
    void *at = g->local + g->used;
    g->array[g->arrays].name = name;
    g->array[g->arrays++].at = at;
    g->used += (bytes + 15) / 16 * 16;
    return at;
}

unsigned emulator_local_address(const void *p) {
    return (unsigned)((const unsigned char *)p - em.groups[em.now->group].local);
}

void emulator_store_local(unsigned address, const void *data, size_t bytes) {
    unsigned char *at = em.groups[em.now->group].local + address;
    if (address % bytes != 0) {
        wrong("%d bytes are stored at local address %u, which they are not aligned to", (int)bytes, address);
        give_way();
    }
    touch(at, bytes, 1);
    memcpy(at, data, bytes);
}

/* All waves at barrier b know what all of them did. */
static void join_clocks(group *g, int b) {
    wave *waves = &em.waves[(g - em.groups) * em.waves_of_group];
    unsigned all[MOST_WAVES] = {0};
    for (int k = 0; k < em.waves_of_group; k++)
        for (int j = 0; g->barrier[b].lanes[k] && j < em.waves_of_group; j++)
            if (waves[k].clock[j] > all[j]) all[j] = waves[k].clock[j];
    for (int k = 0; k < em.waves_of_group; k++)
        if (g->barrier[b].lanes[k]) {
            memcpy(waves[k].clock, all, sizeof all);
            waves[k].clock[k]++;
        }
}

void emulator_barrier(int number, int items) {
    group *g = &em.groups[em.now->group];
    wave *w = wave_of(em.now);
    if (g->barrier[number].arrived && g->barrier[number].items != items) {
        wrong("group %d: barrier %d of %d and of %d work-items", em.now->group, number, items,
              g->barrier[number].items);
        give_way();
    }
    g->barrier[number].items = items;
    g->barrier[number].arrived++;
    g->barrier[number].lanes[w->number] |= 1u << em.now->lane;
    em.now->barrier = number;
    if (g->barrier[number].arrived < items) {
        wait_for(AT_BARRIER);
        return;
    }
    join_clocks(g, number);
    g->barrier[number].arrived = 0;
    for (int k = 0; k < em.waves_of_group; k++) {
        item *first = &em.items[(em.now->group * em.waves_of_group + k) * LANES];
        for (int lane = 0; lane < LANES; lane++)
            if (g->barrier[number].lanes[k] >> lane & 1 && first + lane != em.now) wake(first + lane);
        g->barrier[number].lanes[k] = 0;
    }
    sometimes_give_way(2);
}

static void exchange(wave *w) {
    unsigned most = 0, least = ~0u, votes = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (w->x[lane] > most) most = w->x[lane];
        if (w->x[lane] < least) least = w->x[lane];
        if (w->x[lane]) votes |= 1u << lane;
    }
    for (int lane = 0; lane < LANES; lane++)
        w->result[lane] = w->kind == EMULATOR_MAX    ? most
                          : w->kind == EMULATOR_MIN  ? least
                          : w->kind == EMULATOR_VOTE ? votes
                                                     : w->x[w->from[lane] % LANES];
    if (w->kind == EMULATOR_SYNC) w->clock[w->number]++;
}

unsigned emulator_lanes(emulator_exchange kind, unsigned x, unsigned lane) {
    item *me = em.now;
    wave *w = wave_of(me);
    if (w->arrived && w->kind != kind) {
        wrong("group %d wave %d: lane %d is in exchange %d, others in %d", me->group, w->number, me->lane, (int)kind,
              (int)w->kind);
        give_way();
    }
    w->kind = kind;
    w->arrived |= 1u << me->lane;
    w->x[me->lane] = x;
    w->from[me->lane] = lane;
    if (w->arrived != ~0u) {
        wait_for(IN_EXCHANGE);
        return w->result[me->lane];
    }
    exchange(w);
    w->arrived = 0;
    for (int k = 0; k < LANES; k++)
        if (k != me->lane) wake(me - me->lane + k);
    return w->result[me->lane];
}

/* ---- words between groups ---- */

static int same(const emulator_words *a, const emulator_words *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static int *link_to(int node) {
    item *i = &em.items[node / SEEN];
    int previous = i->seen[node % SEEN].previous;
    return previous == NONE ? &em.sleepers[i->seen[node % SEEN].at]
                            : &em.items[previous / SEEN].seen[previous % SEEN].next;
}

static void wake_from_words(item *i) {
    for (int k = 0; k < SEEN; k++) {
        if (i->seen[k].at == NONE) continue;
        int next = i->seen[k].next;
        *link_to(number_of(i) * SEEN + k) = next;
        if (next != NONE) em.items[next / SEEN].seen[next % SEEN].previous = i->seen[k].previous;
    }
    i->quiet = 0;
    wake(i);
}

static void sleep_on_words(item *i) {
    for (int k = 0; k < SEEN; k++) {
        if (i->seen[k].at == NONE) continue;
        int node = number_of(i) * SEEN + k, *first = &em.sleepers[i->seen[k].at];
        i->seen[k].previous = NONE;
        i->seen[k].next = *first;
        if (*first != NONE) em.items[*first / SEEN].seen[*first % SEEN].previous = node;
        *first = node;
    }
    wait_for(FOR_WORDS);
}

static int64_t place_of(const emulator_words *p) {
    int64_t at = p - em.launch->words;
    if (at < 0 || at >= em.launch->count) {
        wrong("group %d: words at %lld, of %lld", em.now->group, (long long)at, (long long)em.launch->count);
        give_way();
    }
    return at;
}

void emulator_store_words(emulator_words *p, unsigned a, unsigned b, unsigned c, unsigned d) {
    int64_t at = place_of(p);
    int high_first = (int)draw(2);
    for (int half = 0; half < 2; half++) {
        if ((half == 0) != high_first) {
            p->x = a;
            p->y = b;
        } else {
            p->z = c;
            p->w = d;
        }
        while (em.sleepers[at] != NONE) wake_from_words(&em.items[em.sleepers[at] / SEEN]);
        sometimes_give_way(2);
    }
}

/* Whether one of the words that the item has seen is another by now. */
static int has_news(const item *i) {
    for (int k = 0; k < SEEN; k++)
        if (i->seen[k].at != NONE && !same(&em.launch->words[i->seen[k].at], &i->seen[k].value)) return 1;
    return 0;
}

emulator_words emulator_load_words(const emulator_words *p) {
    item *me = em.now;
    int64_t at = place_of(p);
    emulator_words value;
    int slot = 0;

    if (me->quiet >= POLLS) {
        if (has_news(me))
            me->quiet = 0;
        else
            sleep_on_words(me);
    }
    sometimes_give_way(4);
    if (draw(2)) {
        value.x = p->x, value.y = p->y;
        sometimes_give_way(8);
        value.z = p->z, value.w = p->w;
    } else {
        value.z = p->z, value.w = p->w;
        sometimes_give_way(8);
        value.x = p->x, value.y = p->y;
    }
    while (slot < SEEN - 1 && me->seen[slot].at != at) slot++;
    if (me->seen[slot].at == at && same(&me->seen[slot].value, &value)) {
        me->quiet++;
        return value;
    }
    for (; slot > 0; slot--) me->seen[slot] = me->seen[slot - 1]; /* the last one seen first, the oldest forgotten */
    me->seen[0].at = at;
    me->seen[0].value = value;
    me->quiet = 0;
    return value;
}

/* ---- a run ---- */

static void begin(void) {
    const unsigned char *stack = em.stacks + (size_t)number_of(em.now) * STACK;
    em.launch->kernel(em.launch->arguments);
    for (int k = 0; k < 16; k++)
        if (stack[k]) wrong("a work-item's stack of %d bytes is too small", (int)STACK);
    wave_of(em.now)->ended |= 1u << em.now->lane;
    em.ended++;
    wait_for(ENDED);
}

static void *need(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory) return memory;
    (void)fputs("no memory to emulate a device\n", stderr);
    exit(1);
}

void emulator_release(void) {
    for (int g = 0; g < em.groups_made; g++) {
        free(em.groups[g].local);
        free(em.groups[g].words);
    }
    free(em.groups);
    free(em.items);
    free(em.waves);
    free(em.stacks);
    free(em.active);
    memset(&em, 0, sizeof em);
}

static void make_room(const emulator_launch *launch) {
    int items = launch->groups * launch->items;
    if (items <= em.items_made && launch->groups <= em.groups_made) return;
    emulator_release();
    em.items = need((size_t)items, sizeof *em.items);
    em.waves = need((size_t)items / LANES, sizeof *em.waves);
    em.active = need((size_t)items / LANES, sizeof *em.active);
    em.stacks = need((size_t)items, STACK);
    em.groups = need((size_t)launch->groups, sizeof *em.groups);
    em.items_made = items;
    em.groups_made = launch->groups;
    for (int g = 0; g < launch->groups; g++) {
        em.groups[g].local = need(LOCAL_BYTES, 1);
        em.groups[g].words = need(LOCAL_WORDS, sizeof(word));
    }
}

static void make_item(int number) {
    item *i = &em.items[number];
    memset(i, 0, sizeof *i);
    i->wave = number / LANES;
    i->group = i->wave / em.waves_of_group;
    i->lane = number % LANES;
    for (int s = 0; s < SEEN; s++) i->seen[s].at = NONE;
    (void)getcontext(&i->context);
    i->context.uc_stack.ss_sp = em.stacks + (size_t)number * STACK;
    i->context.uc_stack.ss_size = STACK;
    makecontext(&i->context, begin, 0);
}

static void make_group(int number) {
    group *g = &em.groups[number], fresh = {.local = g->local, .words = g->words};
    *g = fresh;
    memset(g->local, 0xa5, LOCAL_BYTES);
    memset(g->words, 0, LOCAL_WORDS * sizeof(word));
    for (int k = 0; k < em.waves_of_group; k++) {
        wave *w = &em.waves[number * em.waves_of_group + k], none = {.group = number, .number = k, .active = NONE};
        *w = none;
        w->clock[k] = 1;
        for (int lane = 0; lane < LANES; lane++) make_item((number * em.waves_of_group + k) * LANES + lane);
    }
}

static void start_group(int number) {
    for (int k = 0; k < em.launch->items; k++) wake(&em.items[number * em.launch->items + k]);
}

/* Where the first lane that has not ended waits, of each wave that has one. */
static void deadlock(void) {
    static const char *const waits[] = {"runs", "at barrier", "in exchange", "for words", "ended"};
    char text[1900];
    size_t length = 0;
    for (int k = 0; k < em.launch->groups * em.waves_of_group && length < sizeof text - 100; k++) {
        const wave *w = &em.waves[k];
        int lane = 0;
        while (lane < LANES && em.items[k * LANES + lane].is == ENDED) lane++;
        if (lane == LANES) continue;
        const item *i = &em.items[k * LANES + lane];
        int of = i->is == AT_BARRIER ? i->barrier : i->is == IN_EXCHANGE ? (int)w->kind : (int)i->seen[0].at;
        length += (size_t)snprintf(text + length, sizeof text - length, "\n  group %d wave %d lane %d %s %d", w->group,
                                   w->number, lane, waits[i->is], of);
    }
    wrong("nobody can go on:%s", length ? text : "");
}

/* Nobody can go on. Whoever waits for words of a group that has not begun gets them as they are. */
static int go_on_in_vain(int *late_began) {
    int woken = 0, late = em.launch->late, all = em.launch->groups * em.launch->items;
    if (late < 0) return 0;
    if (!*late_began && em.ended == all - em.launch->items) {
        *late_began = 1;
        start_group(late);
        return 1;
    }
    for (int k = 0; k < all; k++)
        if (em.items[k].is == FOR_WORDS) {
            wake_from_words(&em.items[k]);
            em.items[k].quiet = POLLS;
            woken = 1;
        }
    return woken;
}

const char *emulator_run(const emulator_launch *launch) {
    int all = launch->groups * launch->items, late_began = 0;
    make_room(launch);
    em.launch = launch;
    em.waves_of_group = launch->items / LANES;
    em.sleepers = need((size_t)launch->count, sizeof *em.sleepers);
    em.random = launch->seed | 1;
    em.actives = em.ended = em.stretch = 0;
    em.error[0] = 0;
    for (int64_t k = 0; k < launch->count; k++) em.sleepers[k] = NONE;
    for (int g = 0; g < launch->groups; g++) make_group(g);
    for (int g = 0; g < launch->groups; g++)
        if (g != launch->late) start_group(g);
    em.now = NULL;
    while (em.ended < all && !em.error[0]) {
        if (em.actives == 0 && !go_on_in_vain(&late_began)) {
            deadlock();
            break;
        }
        em.now = pick();
        (void)swapcontext(&em.scheduler, &em.now->context); /* back when nobody can go on: see give_way */
    }
    free(em.sleepers);
    return em.error[0] ? em.error : NULL;
}
