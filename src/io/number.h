/*
 * number.h: numbers at the front of a line. They do not depend on the locale, and reals are the nearest double.
 *
 *   integer  [+-] digits
 *   real     [+-] digits [. digits] [e [+-] digits], or one that starts with the point; e, E, and Fortran's d, D.
 *            Behind a point the exponent may lack its letter, as Fortran writes three digits: 0.5000000-101
 */
#ifndef CLS_IO_NUMBER_H
#define CLS_IO_NUMBER_H

#include <stdint.h>

#include "io/lines.h"

typedef enum mm_number {
    MM_NUMBER = 0,
    MM_NUMBER_UNDERFLOW, /* a number all the same, but nearer to 0 than the smallest double: 0 it becomes */
    MM_NUMBER_ABSENT,    /* the line ends here */
    MM_NUMBER_BAD,       /* something else stands here */
    MM_NUMBER_NONFINITE, /* NaN or infinity by name */
    MM_NUMBER_OVERFLOW   /* beyond the type */
} mm_number;

/* Each takes one number and the blanks before it off the front of `rest`; it must end at a blank or at the line's
 * end. From ABSENT on, `rest` is left at the token that failed. */
mm_number mm_take_integer(mm_span *rest, int64_t *value);
mm_number mm_take_real(mm_span *rest, double *value);

/* Is there nothing left but blanks? Takes them. */
int mm_at_end(mm_span *rest);

/* The blank-delimited word at the front; empty at the line's end. Takes it. */
mm_span mm_take_word(mm_span *rest);

#endif
