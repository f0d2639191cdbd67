/* clock.h: wall time. */
#ifndef CLS_CLOCK_H
#define CLS_CLOCK_H

/* Seconds since some fixed moment; never goes back. */
double cls_seconds(void);

#endif
