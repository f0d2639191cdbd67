/*
 * emulator_state.h: what the files of the emulator share. emulator.c runs a launch and picks who goes on, emulator_words.c has the
 * dialect's words, emulator_sub_groups.c those of sub-groups, emulator_races.c sees who touches local memory.
 */
#ifndef CLSOLVE_TEST_EMULATOR_STATE_H
#define CLSOLVE_TEST_EMULATOR_STATE_H

#include <ucontext.h>

#include "kernels/emulator.h"

enum {
    STACK = 16384,
    LANES = EMULATOR_LANES,
    MOST_WAVES = 16,
    BARRIERS = 16,
    ARRAYS = 16,
    LOCAL_BYTES = 49152,
    LOCAL_WORDS = LOCAL_BYTES / 4,
    COPIES = 128,     /* of a work-item that are on their way, at most */
    SEEN = 8,         /* words that an item polls by turns, at most */
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
    int batch, copies; /* that it makes up; on their way */
    struct {
        void *to;
        const void *from;
        size_t bytes;
        int batch;
    } copy[COPIES];
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

typedef struct sub_group {
    int arrived;
    emulator_reduction kind;
    uint64_t x, result; /* of those that have arrived; of the last exchange */
} sub_group;

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

typedef struct emulator {
    const emulator_launch *launch;
    item *items, *now;
    wave *waves;
    sub_group *sub_groups; /* room for one a work-item */
    group *groups;
    unsigned char *stacks;
    int items_made, groups_made;
    int waves_of_group, *active, actives, ended;
    int *sleepers; /* the first item that sleeps on each of the launch's words */
    uint64_t random;
    int stretch, slow, slow_which; /* picks until others are passed over; how they are told; their number */
    ucontext_t scheduler;
    char error[2048];
} emulator;

extern emulator em;

static inline wave *wave_of(const item *i) {
    return &em.waves[i->wave];
}

static inline int number_of(const item *i) {
    return (int)(i - em.items);
}

/* The run ends, with the first message. Give way after it. */
void emulator_wrong(const char *format, ...);
unsigned emulator_draw(unsigned below);

/* To whoever goes on; to emulator_run when nobody can, or something is wrong: then for good. */
void emulator_give_way(void);
void emulator_sometimes_give_way(unsigned one_in);
void emulator_wake(item *i);
void emulator_wait_for(state why);
void emulator_wake_from_words(item *i);

/* The running item reads or writes there, if it is local memory. */
void emulator_touch(const void *p, size_t bytes, int writes);

#endif
