/* emulator_sub_groups.c: the dialect's words of sub-groups, for the work-item that runs. */
#define _XOPEN_SOURCE 700
#include "kernels/emulator_state.h"

/* Where the work-item stands when the group's are cut into sub-groups, and back. The number of items is a power of two. */
enum { STEP = 5, SHIFT = 7 };

static int place_of(int item) {
    const int items = em.launch->items;
    return em.launch->scattered ? (item * STEP + SHIFT) % items : item;
}

static int size_of_all(void) {
    return em.launch->sub_group > 0 ? em.launch->sub_group : em.launch->items;
}

int emulator_sub_group_count(void) {
    return (em.launch->items + size_of_all() - 1) / size_of_all();
}

int emulator_sub_group_id(void) {
    return place_of((int)emulator_item()) / size_of_all();
}

int emulator_sub_group_lane(void) {
    return place_of((int)emulator_item()) % size_of_all();
}

int emulator_sub_group_size(void) {
    const int left = em.launch->items - emulator_sub_group_id() * size_of_all();
    return left < size_of_all() ? left : size_of_all();
}

uint64_t emulator_sub_group(emulator_reduction kind, uint64_t x) {
    const int id = emulator_sub_group_id(), first = em.now->group * em.launch->items;
    sub_group *s = &em.sub_groups[first + id];
    if (s->arrived && s->kind != kind) {
        emulator_wrong("group %d sub-group %d: work-items are in different exchanges", em.now->group, id);
        emulator_give_way();
    }
    if (!s->arrived || (kind == EMULATOR_LARGEST ? x > s->x : x < s->x)) s->x = x;
    s->kind = kind;
    if (++s->arrived < emulator_sub_group_size()) {
        emulator_wait_for(IN_EXCHANGE);
        return s->result; /* the next exchange wants this work-item too */
    }
    s->arrived = 0;
    s->result = s->x;
    for (int k = 0; k < em.launch->items; k++)
        if (place_of(k) / size_of_all() == id && &em.items[first + k] != em.now) emulator_wake(&em.items[first + k]);
    emulator_sometimes_give_way(2);
    return s->result;
}
