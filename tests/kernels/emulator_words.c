/* emulator_words.c: the dialect's words, for the work-item that runs. */
#define _XOPEN_SOURCE 700
#include "kernels/emulator_state.h"

#include <string.h>

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
        emulator_wrong("no room for the local array %s", name);
        emulator_give_way();
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

void *emulator_local_at(unsigned address) {
    return em.groups[em.now->group].local + address;
}

void emulator_store_local(unsigned address, const void *data, size_t bytes) {
    void *at = emulator_local_at(address);
    if (address % bytes != 0) {
        emulator_wrong("%d bytes are stored at local address %u, which they are not aligned to", (int)bytes, address);
        emulator_give_way();
    }
    emulator_touch(at, bytes, 1);
    memcpy(at, data, bytes);
}

/* ---- copies beside the work-item ---- */

static void do_copy(void *to, const void *from, size_t bytes) {
    emulator_touch(to, bytes, 1);
    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

void emulator_copy(void *to, const void *from, size_t bytes) {
    item *me = em.now;
    if (emulator_draw(4) == 0) {
        do_copy(to, from, bytes);
        return;
    }
    if (me->copies == COPIES) {
        emulator_wrong("more than %d copies on their way", (int)COPIES);
        emulator_give_way();
    }
    me->copy[me->copies].to = to;
    me->copy[me->copies].from = from;
    me->copy[me->copies].bytes = bytes;
    me->copy[me->copies++].batch = me->batch;
}

void emulator_copy_commit(void) {
    em.now->batch++;
}

void emulator_copy_wait(int n) {
    item *me = em.now;
    int left = 0;
    for (int k = 0; k < me->copies; k++)
        if (me->copy[k].batch < me->batch - n)
            do_copy(me->copy[k].to, me->copy[k].from, me->copy[k].bytes);
        else
            me->copy[left++] = me->copy[k];
    me->copies = left;
}

/* ---- barriers ---- */

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
        emulator_wrong("group %d: barrier %d of %d and of %d work-items", em.now->group, number, items,
                       g->barrier[number].items);
        emulator_give_way();
    }
    g->barrier[number].items = items;
    g->barrier[number].arrived++;
    g->barrier[number].lanes[w->number] |= 1u << em.now->lane;
    em.now->barrier = number;
    if (g->barrier[number].arrived < items) {
        emulator_wait_for(AT_BARRIER);
        return;
    }
    join_clocks(g, number);
    g->barrier[number].arrived = 0;
    for (int k = 0; k < em.waves_of_group; k++) {
        item *first = &em.items[(em.now->group * em.waves_of_group + k) * LANES];
        for (int lane = 0; lane < LANES; lane++)
            if (g->barrier[number].lanes[k] >> lane & 1 && first + lane != em.now) emulator_wake(first + lane);
        g->barrier[number].lanes[k] = 0;
    }
    emulator_sometimes_give_way(2);
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
        emulator_wrong("group %d wave %d: lane %d is in exchange %d, others in %d", me->group, w->number, me->lane,
                       (int)kind, (int)w->kind);
        emulator_give_way();
    }
    w->kind = kind;
    w->arrived |= 1u << me->lane;
    w->x[me->lane] = x;
    w->from[me->lane] = lane;
    if (w->arrived != ~0u) {
        emulator_wait_for(IN_EXCHANGE);
        return w->result[me->lane];
    }
    exchange(w);
    w->arrived = 0;
    for (int k = 0; k < LANES; k++)
        if (k != me->lane) emulator_wake(me - me->lane + k);
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

void emulator_wake_from_words(item *i) {
    for (int k = 0; k < SEEN; k++) {
        if (i->seen[k].at == NONE) continue;
        int next = i->seen[k].next;
        *link_to(number_of(i) * SEEN + k) = next;
        if (next != NONE) em.items[next / SEEN].seen[next % SEEN].previous = i->seen[k].previous;
    }
    i->quiet = 0;
    emulator_wake(i);
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
    emulator_wait_for(FOR_WORDS);
}

static int64_t place_of(const emulator_words *p) {
    int64_t at = p - em.launch->words;
    if (at < 0 || at >= em.launch->count) {
        emulator_wrong("group %d: words at %lld, of %lld", em.now->group, (long long)at, (long long)em.launch->count);
        emulator_give_way();
    }
    return at;
}

void emulator_store_words(emulator_words *p, unsigned a, unsigned b, unsigned c, unsigned d) {
    int64_t at = place_of(p);
    int high_first = (int)emulator_draw(2);
    for (int half = 0; half < 2; half++) {
        if ((half == 0) != high_first) {
            p->x = a;
            p->y = b;
        } else {
            p->z = c;
            p->w = d;
        }
        while (em.sleepers[at] != NONE) emulator_wake_from_words(&em.items[em.sleepers[at] / SEEN]);
        emulator_sometimes_give_way(2);
    }
}

/* Whether one of the words that the item has seen is another by now. Those are forgotten: it may have no more interest in them. */
static int has_news(item *i) {
    int news = 0;
    for (int k = 0; k < SEEN; k++) {
        if (i->seen[k].at == NONE || same(&em.launch->words[i->seen[k].at], &i->seen[k].value)) continue;
        i->seen[k].at = NONE;
        news = 1;
    }
    return news;
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
    emulator_sometimes_give_way(4);
    if (emulator_draw(2)) {
        value.x = p->x, value.y = p->y;
        emulator_sometimes_give_way(8);
        value.z = p->z, value.w = p->w;
    } else {
        value.z = p->z, value.w = p->w;
        emulator_sometimes_give_way(8);
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
