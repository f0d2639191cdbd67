/*
 * emulator.h: runs a kernel whose work-groups meet while they run, on the CPU, in one thread. Each work-item is a coroutine; which goes
 * on is drawn from the seed, at every wait and here and there between, and for long stretches a wave or a group is passed over or runs
 * alone. So orders happen that a device shows once in a million launches, and happen again from the same seed.
 *
 * What is found: nobody can go on (with who waits where); lanes that meet in different exchanges; a barrier with different numbers
 * of work-items; and, where the kernel was compiled with -fsanitize=thread, whose calls the emulator takes itself: local memory that two work-items
 * touch, one of them writing, with no barrier between, or that is read before it was written. Local memory begins as garbage.
 *
 * Sub-groups are no waves: they have the launch's size, the last one perhaps fewer work-items, and their exchanges say nothing
 * of local memory.
 *
 * The words of cl/dialect.clh made of these functions are in emulator_dialect.h.
 */
#ifndef CLSOLVE_TEST_EMULATOR_H
#define CLSOLVE_TEST_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

enum { EMULATOR_LANES = 32 };

/* Four words that other groups read and write meanwhile: the first with the second, the third with the fourth are whole. */
typedef struct emulator_words {
    unsigned x, y, z, w;
} emulator_words;

typedef struct emulator_launch {
    int groups, items; /* of a group: a multiple of EMULATOR_LANES, at most 16 times as many */
    void (*kernel)(void *);
    void *arguments;
    emulator_words *words; /* all that LOAD_WORDS and STORE_WORDS touch */
    int64_t count;         /* of them */
    uint64_t seed;
    int late;      /* a group that begins when all others have ended, or -1. Then waits for words end in vain. */
    int sub_group; /* its size; 0: the whole group */
    int scattered; /* 1: work-items of a sub-group are no neighbours, and the first sub-group has not the first */
} emulator_launch;

/* NULL, or what went wrong: valid until the next run. */
const char *emulator_run(const emulator_launch *launch);

/* Frees what runs keep for the next. */
void emulator_release(void);

/* The forms of a program's kernels, in the order of CMakeLists.txt: each file of a form lists its own. */
enum { EMULATOR_MOST_FORMS = 32 };
extern const void *emulator_form_list[EMULATOR_MOST_FORMS];
extern int emulator_forms;
void emulator_list_form(const void *form);
#define FORMS            emulator_forms
#define FORM_AT(type, k) ((const type *)emulator_form_list[k])
#define EMULATOR_FORM(type, ...)                                                                                       \
    static const type this_form = {__VA_ARGS__};                                                                       \
    __attribute__((constructor)) static void list_form(void) {                                                         \
        emulator_list_form(&this_form);                                                                                \
    }

/* For cmocka_run_group_tests. A program without a form has tested nothing. */
static inline int emulator_close(void **state) {
    (void)state;
    emulator_release();
    return FORMS > 0 ? 0 : -1;
}

/* ---- for the work-item that runs ---- */

int64_t emulator_group(void);
int64_t emulator_groups(void);
int64_t emulator_item(void);

/* The group's array of that name. Its address, from the beginning of local memory. */
void *emulator_local(const char *name, size_t bytes);
unsigned emulator_local_address(const void *p);
void *emulator_local_at(unsigned address);
void emulator_store_local(unsigned address, const void *data, size_t bytes);

/* Barrier `number` of the group, of so many work-items. */
void emulator_barrier(int number, int items);

/* What all lanes of the wave do together. GET: the x of lane `lane`. */
typedef enum { EMULATOR_SYNC, EMULATOR_MAX, EMULATOR_MIN, EMULATOR_VOTE, EMULATOR_GET } emulator_exchange;
unsigned emulator_lanes(emulator_exchange kind, unsigned x, unsigned lane);

/* What all work-items of the sub-group do together: the largest or the smallest x. */
typedef enum { EMULATOR_LARGEST, EMULATOR_SMALLEST } emulator_reduction;
uint64_t emulator_sub_group(emulator_reduction kind, uint64_t x);
/* The work-item's sub-group, its number in there, how many are in there, and how many sub-groups there are. */
int emulator_sub_group_id(void);
int emulator_sub_group_lane(void);
int emulator_sub_group_size(void);
int emulator_sub_group_count(void);

/* Copies into local memory that go on beside the work-item, or zeros from NULL: done when they are waited for, or earlier. Wait:
 * for all batches of the work-item's but the n last. */
void emulator_copy(void *to, const void *from, size_t bytes);
void emulator_copy_commit(void);
void emulator_copy_wait(int n);

void emulator_store_words(emulator_words *p, unsigned a, unsigned b, unsigned c, unsigned d);
emulator_words emulator_load_words(const emulator_words *p);

#endif
