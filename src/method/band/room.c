/* room.c: what of the device's memory goes where: the band or a window on it, the panels' state, right-hand sides. */
#include <math.h>

#include "method/band/sides.h"
#include "method/band/stream.h"

enum {
    RIGHT_SIDES = 16, /* as many are to have room at a time */
    LITTLE = 256 * 1024,
    STATE = 5 * (int)sizeof(int64_t) /* of a column: a pivot, and two moves of two places each */
};

int64_t cls_band_rows(const cls_band *band) {
    enum { LEAST = 2 }; /* the leading dimension of a band's dense view is one less, and LAPACK wants 1 */
    const int64_t rows = band->top + band->kl + band->block;
    return rows > LEAST ? rows : LEAST;
}

/* Device memory that the handle may take, less what does not depend on its size. */
static double bytes_there(const cls_band *band) {
    double there = (double)band->left;
    if (band->memory_limit > 0) there = fmin(there, (double)band->memory_limit);
    return there - LITTLE;
}

static double column_bytes(const cls_band *band) {
    int64_t size = cls_type_size(band->type);
    return (double)(cls_matrix_ld(cls_band_rows(band), size) * size + STATE);
}

/* Right-hand sides on the device as a whole. */
static double sides_bytes(const cls_band *band, int64_t cols) {
    return (double)cols * (double)band->n * (double)cls_type_size(band->type);
}

/* And as many right-hand sides transposed. */
int cls_band_fits_as_a_whole(const cls_band *band) {
    return column_bytes(band) * (double)band->n + sides_bytes(band, 2 * (RIGHT_SIDES + 1)) <= bytes_there(band);
}

/* Block columns that a step needs: its own and those that its product reaches; of a diagonal matrix the next one, which
 * panels on the host want to be there a step ahead (factor.c). */
static int64_t least_slots(const cls_band *band) {
    int64_t reached = (band->kv + band->block - 1) / band->block;
    return 1 + (reached > 0 ? reached : 1);
}

/* The smallest window is never more than the band. */
static int64_t least_columns(const cls_band *band) {
    int64_t columns = least_slots(band) * band->block;
    return columns < band->n ? columns : band->n;
}

/* One right-hand side is there as a whole where that takes no more than a quarter; else the fewest rows that do. */
static void choose_sides(cls_band *band) {
    int64_t least = cls_band_least_sides(band);
    int whole = 4 * sides_bytes(band, 1) <= bytes_there(band) || least >= band->n;
    band->side_rows = whole ? band->n : least;
}

/* The bytes on the device of one right-hand side. */
static double beside(const cls_band *band) {
    return cls_band_slides(band) ? (double)(band->side_rows * cls_type_size(band->type)) : sides_bytes(band, 1);
}

/* Two more than the least let a block column come and another go meanwhile; more than twice that gains nothing. */
static int64_t slots_that_fit(const cls_band *band) {
    double most = (bytes_there(band) - beside(band)) / (column_bytes(band) * (double)band->block);
    int64_t wanted = 2 * least_slots(band) + 4, all = (band->n + band->block - 1) / band->block;
    if (wanted > all) wanted = all;
    return most < (double)wanted ? (int64_t)most : wanted;
}

static clsolve_status no_room(const cls_band *band) {
    const cls_device *device = band->device;
    double window = column_bytes(band) * (double)least_columns(band), rest = beside(band) + LITTLE;
    double there = bytes_there(band) + LITTLE;
    int limited = band->memory_limit > 0 && there == (double)band->memory_limit;

    return cls_fail(
        device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
        "a band of order %lld with %lld + 1 + %lld diagonals wants %.0f bytes of device memory: %.0f for the "
        "smallest window, %lld columns in blocks of %lld, and %.0f next to it, %lld rows of a right-hand side among "
        "that; %s has %.0f for this handle%s",
        (long long)band->n, (long long)band->kl, (long long)band->ku, window + rest, window,
        (long long)least_columns(band), (long long)band->block, rest, (long long)band->side_rows, device->info.name,
        there > 0 ? there : 0.0,
        limited ? ", by its memory_limit: raise it"
                : ": take a device with more memory, a smaller block or fewer diagonals");
}

/* A window that slides is for kernels. */
static clsolve_status no_room_on_host(const cls_band *band) {
    const double whole = column_bytes(band) * (double)band->n + sides_bytes(band, 2 * (RIGHT_SIDES + 1)) + LITTLE;
    const double there = bytes_there(band) + LITTLE;

    return cls_fail(
        band->device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
        "a band of order %lld with %lld + 1 + %lld diagonals wants %.0f bytes of memory as a whole, the only "
        "way that the host has, and %s leaves %.0f",
        (long long)band->n, (long long)band->kl, (long long)band->ku, whole,
        band->memory_limit > 0 ? "memory_limit" : band->device->info.name, there > 0 ? there : 0.0);
}

/* Few columns: the smallest window is the band, and right-hand sides may have to come one by one. */
static clsolve_status whole_or_nothing(cls_band *band) {
    band->side_rows = band->n;
    band->capacity = band->n;
    if (least_columns(band) == band->n && column_bytes(band) * (double)band->n + beside(band) <= bytes_there(band))
        return CLSOLVE_OK;
    choose_sides(band);
    return no_room(band);
}

/* Gives the memory that is left to right-hand sides that do not fit as a whole. */
static void widen_sides(cls_band *band) {
    int64_t size = cls_type_size(band->type);
    double left = bytes_there(band) - beside(band) - column_bytes(band) * (double)band->capacity;
    if (!cls_band_slides(band)) return;
    band->side_rows += (int64_t)(left / (double)(RIGHT_SIDES * size));
    if (band->side_rows >= band->n) band->side_rows = band->n - 1;
}

clsolve_status cls_band_choose_window(cls_band *band, int fixed, int64_t leaf) {
    band->side_rows = band->n;
    if (band->n == 0 || cls_band_fits_as_a_whole(band)) {
        band->capacity = band->n > 0 ? band->n : 1;
        return CLSOLVE_OK;
    }
    choose_sides(band);
    while (!fixed && band->block > leaf && slots_that_fit(band) < least_slots(band) + 2) {
        int64_t half = band->block / 2 / leaf * leaf;
        cls_band_set_block(band, half < leaf ? leaf : half);
        choose_sides(band);
    }
    int64_t slots = slots_that_fit(band);
    if (slots < least_slots(band)) return whole_or_nothing(band);
    band->capacity = slots * band->block;
    if (band->device->no_kernels && band->capacity < band->n) return no_room_on_host(band);
    widen_sides(band);
    return CLSOLVE_OK;
}

int cls_band_is_short(const cls_band *band) {
    return !band->window.mapped && (band->memory_limit > 0 || band->stream);
}

int64_t cls_band_most_columns(const cls_band *band, int64_t cols) {
    int64_t size = cls_type_size(band->type), slides = cls_band_slides(band);
    int64_t column = cls_matrix_ld(band->side_rows, size) * size;
    int64_t room = band->memory_limit - band->base_bytes;
    if (band->memory_limit == 0) {
        cls_device *device = band->device;
        if (!slides) return cols;
        room = device->ops->memory_left(device) + band->B.bytes;
    }
    int64_t most = room / column;
    return most < 1 ? 1 : most < cols ? most : cols;
}
