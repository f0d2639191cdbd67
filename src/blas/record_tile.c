/*
 * record_tile.c: which parameters the kernel of cl/gemm_tiled.cl can have, and which to begin with. The search begins
 * there, and products use none of it before one of them was measured. Each row says where it is from:
 *
 *   measured on              the device on which a search found the first row (record_known.c has the rates)
 *   compiler's figures       registers, spills and waves that a maker's compiler says for that maker's GPUs
 *                            (tests/vendors/README.md); never run there
 *   follows from             how such devices are built; the search tries it, nothing begins with it on a GPU
 */
#include "blas/record_tile.h"

#include <stdio.h>
#include <string.h>

/* Sums of a work-item beyond these spill on every device; words that it holds ahead likewise. */
enum { MOST_SUMS = 128, MOST_HELD = 16, MOST_ITEMS = 1024, MOST_TILE = 512, MOST_SLICE = 128 };

int64_t cls_tile_items(const cls_tile *t) {
    return (int64_t)(t->tile_m / t->item_m) * (t->tile_n / t->item_n);
}

static int64_t local_bytes(const cls_tile *t, clsolve_type type) {
    /* With the pitch of a slice that is turned, a vector more for each of its inner indices. */
    int64_t elements =
        (int64_t)t->slice * ((t->local_a ? t->tile_m + t->vector : 0) + (t->local_b ? t->tile_n + t->vector : 0));
    return elements * (type == CLSOLVE_F64 ? 8 : 4) * (t->ahead == 2 ? 2 : 1);
}

static int between(int32_t value, int32_t low, int32_t high) {
    return value >= low && value <= high;
}

/* The words of a slice that is `width` wide are the items' in equal parts. */
static int divides(const cls_tile *t, int32_t width) {
    int64_t words = (int64_t)t->slice * width / t->vector, items = cls_tile_items(t);
    if (width % t->vector != 0 || t->slice % t->vector != 0 || words % items != 0) return 0;
    return !t->ahead || words / items * t->vector <= MOST_HELD;
}

int cls_tile_fits(const cls_tile *t, const clsolve_device_info *info, clsolve_type type) {
    if (!between(t->tile_m, 1, MOST_TILE) || !between(t->tile_n, 1, MOST_TILE) || !between(t->slice, 1, MOST_SLICE) ||
        !between(t->item_m, 1, t->tile_m) || !between(t->item_n, 1, t->tile_n) || !between(t->local_a, 0, 1) ||
        !between(t->local_b, 0, 1) || !between(t->ahead, 0, t->local_a | t->local_b ? 2 : 0))
        return 0;
    if (t->vector != 1 && t->vector != 2 && t->vector != 4 && t->vector != 8) return 0;
    if (t->item_m % t->vector != 0 || t->tile_m % t->item_m != 0 || t->tile_n % t->item_n != 0) return 0;
    if (t->item_m * t->item_n > MOST_SUMS) return 0;
    int64_t items = cls_tile_items(t);
    if (items > MOST_ITEMS || items > info->max_work_group) return 0;
    if (t->local_a && !divides(t, t->tile_m)) return 0;
    if (t->local_b && !divides(t, t->tile_n)) return 0;
    return local_bytes(t, type) <= info->local_memory;
}

int cls_tile_halve(cls_tile *tile, const clsolve_device_info *info, clsolve_type type) {
    cls_tile half = *tile;
    if (half.item_m % 2 != 0 || half.item_n % 2 != 0) return 0;
    half.tile_m /= 2, half.tile_n /= 2, half.item_m /= 2, half.item_n /= 2;
    if (!cls_tile_fits(&half, info, type)) return 0;
    *tile = half;
    return 1;
}

void cls_tile_options(const cls_tile *t, char text[CLS_TILE_TEXT]) {
    (void)snprintf(text, CLS_TILE_TEXT,
                   "-DTILE_M=%d -DTILE_N=%d -DSLICE=%d -DITEM_M=%d -DITEM_N=%d -DVECTOR=%d -DLOCAL_A=%d -DLOCAL_B=%d "
                   "-DAHEAD=%d",
                   (int)t->tile_m, (int)t->tile_n, (int)t->slice, (int)t->item_m, (int)t->item_n, (int)t->vector,
                   (int)t->local_a, (int)t->local_b, (int)t->ahead);
}

void cls_tile_words(const cls_tile *t, char text[CLS_TILE_TEXT]) {
    const char *local = t->local_a && t->local_b ? ", local A B"
                        : t->local_a             ? ", local A"
                        : t->local_b             ? ", local B"
                                                 : "";
    (void)snprintf(text, CLS_TILE_TEXT, "tile %d x %d x %d, item %d x %d, vector %d%s%s", (int)t->tile_m,
                   (int)t->tile_n, (int)t->slice, (int)t->item_m, (int)t->item_n, (int)t->vector, local,
                   t->ahead == 2 ? ", ahead 2"
                   : t->ahead    ? ", ahead"
                                 : "");
}

/* ---- guesses ---- */

typedef enum kind { GPU = 1, CPU = 2, ANY = 3 } kind;

static const struct guess {
    kind of;
    const char *maker; /* part of the vendor's or the device's name; NULL: any */
    clsolve_type type; /* 0: both */
    cls_tile tile;
} guesses[] = {
    /* Measured on PoCL with AVX-512 (tuning/known_devices.inc): few items a group, each with vectors as wide as its
     * registers, nothing copied. */
    {CPU, NULL, CLSOLVE_F64, {8, 48, 8, 8, 6, 4, 0, 0, 0}},
    {CPU, NULL, CLSOLVE_F64, {64, 64, 8, 8, 4, 4, 0, 0, 0}},
    {CPU, NULL, CLSOLVE_F32, {16, 48, 8, 16, 6, 8, 0, 0, 0}},
    {CPU, NULL, CLSOLVE_F32, {64, 64, 8, 16, 4, 8, 0, 0, 0}},
    {CPU, NULL, CLSOLVE_F64, {64, 64, 64, 8, 4, 4, 1, 1, 0}},
    {CPU, NULL, CLSOLVE_F32, {64, 64, 64, 16, 4, 8, 1, 1, 0}},
    {CPU, NULL, CLSOLVE_F64, {32, 32, 8, 16, 4, 8, 0, 0, 0}},
    {CPU, NULL, CLSOLVE_F32, {32, 32, 8, 8, 4, 4, 0, 0, 0}},
    /* Intel in float, compiler's figures (ocloc 22.43): 64 sums a work-item spill, also in sub-groups of 8; 32 do not.
     * Intel in double: the first row below does not spill with 256 registers a thread (device/opencl/device.c). */
    {GPU, "Intel", CLSOLVE_F32, {128, 64, 16, 8, 4, 4, 1, 1, 1}},
    /* AMD's GPUs with 256 registers a lane, compiler's figures (clang 19): 64 sums leave room for one wave a SIMD, and
     * then nothing runs while a group waits at a barrier; 32 sums for two. */
    {GPU, "gfx900", CLSOLVE_F32, {128, 64, 16, 8, 4, 4, 1, 1, 1}},
    {GPU, "gfx906", CLSOLVE_F32, {128, 64, 16, 8, 4, 4, 1, 1, 1}},
    /* AMD, compiler's figures (clang 19): no spills, two waves a SIMD and more on gfx90a, gfx942, gfx1030, gfx1100 and
     * gfx1201 with the first row of each type, in double on gfx906 too. Among NVIDIA's, an H200 was measured, and
     * stands in tuning/known_devices.inc. */
    {GPU, "NVIDIA", CLSOLVE_F64, {128, 64, 16, 8, 8, 2, 1, 1, 1}}, /* measured on an H200 */
    {GPU, "NVIDIA", CLSOLVE_F32, {128, 64, 8, 8, 8, 4, 1, 1, 1}},  /* the same */
    {GPU, NULL, CLSOLVE_F64, {64, 64, 16, 4, 4, 2, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F64, {64, 128, 8, 8, 8, 2, 1, 1, 2}},
    {GPU, NULL, CLSOLVE_F64, {64, 64, 8, 8, 4, 2, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F64, {128, 64, 8, 8, 4, 2, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F64, {64, 64, 16, 4, 4, 2, 1, 1, 0}},
    {GPU, NULL, CLSOLVE_F64, {128, 128, 8, 8, 8, 2, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F32, {128, 128, 8, 8, 8, 4, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F32, {64, 64, 16, 4, 4, 4, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F32, {128, 64, 16, 8, 4, 4, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F32, {64, 64, 8, 8, 8, 2, 1, 1, 1}},
    {GPU, NULL, CLSOLVE_F32, {64, 64, 16, 4, 4, 2, 1, 1, 0}},
    /* Follows from integrated GPUs that keep local memory in their cache: registers alone may do as well. */
    {GPU, NULL, 0, {32, 32, 8, 4, 4, 4, 0, 0, 0}},
    /* Follows from limits: for devices with small work-groups or little local memory. */
    {ANY, NULL, 0, {32, 32, 8, 4, 4, 4, 1, 1, 0}},
    {ANY, NULL, 0, {16, 16, 8, 4, 4, 2, 0, 0, 0}},
    {ANY, NULL, 0, {4, 4, 4, 4, 4, 1, 0, 0, 0}},
    {ANY, NULL, 0, {1, 1, 1, 1, 1, 1, 0, 0, 0}},
};

static int suits(const struct guess *guess, kind of, const clsolve_device_info *info, clsolve_type type) {
    if (!(guess->of & of) || (guess->type && guess->type != type)) return 0;
    return !guess->maker || strstr(info->vendor, guess->maker) || strstr(info->name, guess->maker);
}

int cls_tile_guesses(const clsolve_device_info *info, clsolve_type type, cls_tile list[CLS_TILE_GUESSES]) {
    const kind of = info->type == CLSOLVE_DEVICE_CPU ? CPU : GPU;
    int count = 0;
    for (size_t g = 0; g < sizeof guesses / sizeof guesses[0] && count < CLS_TILE_GUESSES; g++)
        if (suits(&guesses[g], of, info, type) && cls_tile_fits(&guesses[g].tile, info, type))
            list[count++] = guesses[g].tile;
    return count;
}
