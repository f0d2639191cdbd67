/* random.h: the C library's random numbers, which are the process's. */
#ifndef CLS_SYSTEM_RANDOM_H
#define CLS_SYSTEM_RANDOM_H

typedef struct cls_random_numbers {
    char state[128];
    char *before;
} cls_random_numbers;

/* Between these two, somebody else draws from them; afterwards the numbers go on as if nobody had. On Windows they are
 * each thread's own and cannot be saved, and METIS is built with numbers of its own there (scripts/windows.sh). */
void cls_random_lend(cls_random_numbers *random);
void cls_random_return(cls_random_numbers *random);

#endif
