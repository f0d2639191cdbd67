#include "lapack/measured.h"

#include <math.h>

enum { CALLS = 3, TRIAL = 8 }; /* so many measure a side; a trial's first one wakes threads and is not measured */

static const double too_far = 16, rarely = 64;

/* Seconds of a call on the host by the model. Below, the device costs more next to its work, and the model is wrong. */
static const double quick = 0.01;

/* A trial ends with a measured call that takes so many times as long as one of the other side. */
static const double hopeless = 4;

uint32_t cls_measured_class(int entry, int64_t n, double work) {
    return ((uint32_t)(entry + 1) << 16) + ((uint32_t)(8 * log2((double)n)) << 8) + (uint32_t)(2 * log2(fmax(work, 1)));
}

/* Classes that share a place forget each other. */
static lapack_measured *find(uint32_t class_key) {
    lapack_measured *m = &cls_lapack.measured[class_key * 2654435761u >> 24]; /* Knuth's multiplicative hash */
    if (m->class_key != class_key) *m = (lapack_measured){.class_key = class_key};
    return m;
}

int cls_measured_choose(uint32_t class_key, const double expected[LAPACK_SIDES]) {
    lapack_measured *m = find(class_key);
    double seconds[LAPACK_SIDES];
    for (int side = 0; side < LAPACK_SIDES; side++)
        seconds[side] = m->calls[side] >= CALLS ? m->seconds[side] : expected[side];
    const int is_doubtful = expected[SIDE_HOST] < quick && m->calls[SIDE_DEVICE] < CALLS;
    const int best = !is_doubtful && seconds[SIDE_DEVICE] < seconds[SIDE_HOST] ? SIDE_DEVICE : SIDE_HOST;
    const int other = !best;
    const double pays = m->calls[other] >= CALLS ? rarely * TRIAL : is_doubtful ? rarely : 1;
    if (m->trial == 0 && m->calls[best] >= CALLS && seconds[other] < too_far * seconds[best] &&
        m->spent >= pays * seconds[other]) {
        m->tried = other;
        m->trial = TRIAL;
        m->spent = 0;
    }
    return (m->trial > 0 ? m->tried : best) == SIDE_DEVICE;
}

void cls_measured_note(uint32_t class_key, lapack_side side, double seconds) {
    lapack_measured *m = find(class_key);
    double *least = &m->seconds[side];
    const int is_tried = m->trial > 0 && m->tried == (int)side;
    m->spent += seconds;
    if (is_tried && m->trial-- == TRIAL) return;
    if (m->calls[side] == 0 || seconds < *least)
        *least = seconds;
    else
        *least += (fmin(seconds, 2 * *least) - *least) / 16;
    if (m->calls[side] < CALLS && ++m->calls[side] == CALLS && m->calls[!side] == CALLS) m->spent = 0;
    if (is_tried && seconds > hopeless * m->seconds[!side]) {
        m->trial = 0;
        m->calls[side] = CALLS;
    }
}
