/*
 * emulator_races.c: who touches local memory with what knowledge of the others. Each wave has a clock for itself and what it knows of
 * the others' clocks (vector clocks: F. Mattern, 1989); each word keeps when it was written, and when each wave read it last.
 */
#define _XOPEN_SOURCE 700
#include "kernels/emulator_state.h"

#include <string.h>

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
    emulator_wrong("no barrier between: group %d, %s byte %d: wave %d lane %d %s, wave %d %s", em.now->group, name,
                   (int)byte, wave_of(em.now)->number, em.now->lane, writes ? "writes" : "reads", other, what);
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

void emulator_touch(const void *p, size_t bytes, int writes) {
    if (!em.now) return;
    group *g = &em.groups[em.now->group];
    size_t offset = (size_t)((uintptr_t)p - (uintptr_t)g->local);
    if (offset >= LOCAL_BYTES) return;
    if (offset + bytes > g->used) {
        emulator_wrong("group %d: byte %d of local memory belongs to no array", em.now->group, (int)offset);
        emulator_give_way();
    }
    for (size_t at = offset / 4; at <= (offset + bytes - 1) / 4; at++) touch_word(g, at, writes);
    if (em.error[0])
        emulator_give_way(); /* for good */
    else
        emulator_sometimes_give_way(64);
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
        emulator_touch(p, bytes, writes);                                                                              \
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
    emulator_touch(p, bytes, 0);
}
void __tsan_write_range(void *p, unsigned long bytes) {
    emulator_touch(p, bytes, 1);
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
