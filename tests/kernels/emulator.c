#define _XOPEN_SOURCE 700
#include "kernels/emulator_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

emulator em;

void emulator_wrong(const char *format, ...) {
    va_list arguments;
    if (em.error[0]) return;
    va_start(arguments, format);
    (void)vsnprintf(em.error, sizeof em.error, format, arguments);
    va_end(arguments);
}

/* xorshift64* (S. Vigna, 2016). */
unsigned emulator_draw(unsigned below) {
    em.random ^= em.random >> 12;
    em.random ^= em.random << 25;
    em.random ^= em.random >> 27;
    return (unsigned)((em.random * 0x2545f4914f6cdd1du) >> 33) % below;
}

/* ---- who can go on ---- */

void emulator_wake(item *i) {
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

void emulator_give_way(void) {
    item *me = em.now, *next = em.error[0] || em.actives == 0 ? NULL : pick();
    if (next == me) return;
    em.now = next;
    (void)swapcontext(&me->context, next ? &next->context : &em.scheduler);
}

void emulator_wait_for(state why) {
    put_to_sleep(em.now, why);
    emulator_give_way();
}

void emulator_sometimes_give_way(unsigned one_in) {
    if (emulator_draw(one_in) == 0) emulator_give_way();
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
    em.stretch = 1 + (int)emulator_draw(1u << (4 + emulator_draw(12)));
    em.slow = (int)emulator_draw(KINDS);
    em.slow_which = (int)emulator_draw((unsigned)(em.slow == THAT_WAVE || em.slow == OTHER_WAVES ? waves
                                                  : em.slow == THAT_NUMBER                       ? em.waves_of_group
                                                                                                 : em.launch->groups));
}

static item *pick(void) {
    if (em.stretch-- == 0) next_stretch();
    int start = (int)emulator_draw((unsigned)em.actives), chosen = start;
    for (int k = 0; k < em.actives; k++) {
        int at = start + k < em.actives ? start + k : start + k - em.actives;
        if (is_slow(&em.waves[em.active[at]])) continue;
        chosen = at;
        break;
    }
    const wave *w = &em.waves[em.active[chosen]];
    int lane = (int)emulator_draw(LANES);
    while ((w->runnable >> lane & 1) == 0) lane = (lane + 1) % LANES;
    return &em.items[em.active[chosen] * LANES + lane];
}

/* ---- a run ---- */

static void begin(void) {
    const unsigned char *stack = em.stacks + (size_t)number_of(em.now) * STACK;
    em.launch->kernel(em.launch->arguments);
    for (int k = 0; k < 16; k++)
        if (stack[k]) emulator_wrong("a work-item's stack of %d bytes is too small", (int)STACK);
    wave_of(em.now)->ended |= 1u << em.now->lane;
    em.ended++;
    emulator_wait_for(ENDED);
}

static void *need(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory) return memory;
    (void)fputs("no memory to emulate a device\n", stderr);
    exit(1);
}

const void *emulator_form_list[EMULATOR_MOST_FORMS];
int emulator_forms;

void emulator_list_form(const void *form) {
    if (emulator_forms == EMULATOR_MOST_FORMS) abort();
    emulator_form_list[emulator_forms++] = form;
}

void emulator_release(void) {
    for (int g = 0; g < em.groups_made; g++) {
        free(em.groups[g].local);
        free(em.groups[g].words);
    }
    free(em.groups);
    free(em.items);
    free(em.waves);
    free(em.sub_groups);
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
    em.sub_groups = need((size_t)items, sizeof *em.sub_groups);
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
    memset(g->words, 0, (g->used + 3) / 4 * sizeof(word)); /* nothing else was touched in the last run */
    *g = fresh;
    memset(g->local, 0xa5, LOCAL_BYTES);
    for (int k = 0; k < em.waves_of_group; k++) {
        wave *w = &em.waves[number * em.waves_of_group + k], none = {.group = number, .number = k, .active = NONE};
        *w = none;
        w->clock[k] = 1;
        for (int lane = 0; lane < LANES; lane++) make_item((number * em.waves_of_group + k) * LANES + lane);
    }
}

static void start_group(int number) {
    for (int k = 0; k < em.launch->items; k++) emulator_wake(&em.items[number * em.launch->items + k]);
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
    emulator_wrong("nobody can go on:%s", length ? text : "");
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
            emulator_wake_from_words(&em.items[k]);
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
    memset(em.sub_groups, 0, (size_t)all * sizeof *em.sub_groups);
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
