/*
 * facts.c: numbers by name that callers keep with an open device; how many groups run together; whether sub-groups are
 * used; whether a buffer has room.
 */
#include "device/buffer.h"

#include <string.h>

#include "base/memory.h"

struct cls_fact {
    const char *name;
    int number;
    cls_fact *next;
};

static cls_fact *find(const cls_device *device, const char *name) {
    cls_fact *fact = device->facts;
    while (fact && strcmp(fact->name, name) != 0) fact = fact->next;
    return fact;
}

int cls_fact_get(const cls_device *device, const char *name) {
    const cls_fact *fact = find(device, name);
    return fact ? fact->number : 0;
}

clsolve_status cls_fact_set(cls_device *device, const char *name, int number) {
    cls_fact *fact = find(device, name);
    if (!fact) {
        fact = cls_alloc(1, sizeof *fact);
        if (!fact) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for what a test found");
        fact->name = name;
        fact->next = device->facts;
        device->facts = fact;
    }
    fact->number = number;
    return CLSOLVE_OK;
}

void cls_facts_destroy(cls_device *device) {
    while (device->facts) {
        cls_fact *next = device->facts->next;
        cls_free(device->facts);
        device->facts = next;
    }
}

/* ---- groups that run together ---- */

/* A number in doubt is kept as RUN for each run that found it, and the number above the least one. */
enum { RUN = 1 << 20, LEAST = -1, RUNS = 3 };

int cls_groups_recall(cls_device *device, const char *name) {
    const int kept = device->ops->recall(device, name);
    return kept < RUN ? kept : 0;
}

void cls_groups_remember(cls_device *device, const char *name, int found, int best) {
    const int kept = device->ops->recall(device, name), same = kept >= RUN && kept % RUN + LEAST == found;
    const int runs = same ? kept / RUN + 1 : 1;
    device->ops->remember(device, name, best || runs >= RUNS ? found : runs * RUN + found - LEAST);
}

/* ---- sub-groups ---- */

enum { WRONG = 2 };
static const char sub_groups_name[] = "sub-groups";

void cls_sub_groups_fail(cls_device *device) {
    device->sub_groups = CLS_SUB_GROUPS_NONE;
    device->ops->remember(device, sub_groups_name, WRONG);
}

void cls_sub_groups_recall(cls_device *device) {
    if (device->sub_groups != CLS_SUB_GROUPS_NONE && device->ops->recall(device, sub_groups_name) == WRONG)
        device->sub_groups = CLS_SUB_GROUPS_NONE;
}

/* ---- room for a buffer ---- */

clsolve_status cls_buffer_too_much(const cls_device *device, size_t bytes, const char *why) {
    return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                    "%s has no room for a buffer of %zu bytes: one buffer may take %lld, all together %lld, and %lld "
                    "are taken%s",
                    device->info.name, bytes, (long long)device->info.max_allocation,
                    (long long)device->info.global_memory, (long long)device->counters.buffer_bytes, why);
}

clsolve_status cls_buffer_check(const cls_device *device, size_t bytes) {
    const size_t largest = (size_t)device->info.max_allocation;
    const int64_t left = device->info.global_memory - device->counters.buffer_bytes;
    const int fits = (largest == 0 || bytes <= largest) && left >= 0 && bytes <= (size_t)left;
    return fits ? CLSOLVE_OK : cls_buffer_too_much(device, bytes, "");
}
