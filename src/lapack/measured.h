/*
 * measured.h (private): the times that calls took on the device and on the host, for the calls that the model would
 * send to the device. The model knows neither how awake the host's threads are nor who else works on the device.
 *
 * A class has the calls of one routine and type whose orders differ by less than 9 %, and whose work differs by less
 * than 41 %. Its side is the faster one by what was measured. As long as nothing was, it is the host where the model
 * expects less than 10 ms there, else the model's. Three calls measure a side. A trial of the other has eight calls in
 * a row, of which the first wakes the host's threads and is not measured; it ends with a call that takes four times as
 * long as here. It comes
 *
 *      for the first time   when the calls have taken as long as a call there is expected to take; as long as 64,
 *                           where less than 10 ms are expected on the host
 *      again                when they have taken 64 times as long as the trial, so trials cost 1.6 % at most
 *      never                where it is expected, or was measured, to take 16 times as long
 *
 * A side's time is the least of its calls. Calls that take longer raise it by a sixteenth at most, so that a change is
 * seen after some twenty calls, and a moment's delay changes nothing. All functions but the first are called under
 * `inside`.
 */
#ifndef CLS_LAPACK_MEASURED_H
#define CLS_LAPACK_MEASURED_H

#include <stdint.h>

#include "lapack/state.h"

/* The class of calls of `entry` for matrices of order n; work: operations. It is never 0. */
uint32_t cls_measured_class(int entry, int64_t n, double work);

/* 1: the call is for the device; expected[side]: seconds by the model. */
int cls_measured_choose(uint32_t class_key, const double expected[LAPACK_SIDES]);

/* A call of the class took `seconds` there. */
void cls_measured_note(uint32_t class_key, lapack_side side, double seconds);

#endif
