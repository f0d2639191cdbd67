/* life.h: forks and the end of the process. */
#ifndef CLS_SYSTEM_LIFE_H
#define CLS_SYSTEM_LIFE_H

/* The handlers of a fork, as pthread_atfork takes them. 1: they will be called, or nothing forks here. */
int cls_life_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* `handler` is called when the process ends, while other threads still run. Windows ends all other threads before it
 * lets a library know, so the handler is not called there: it would wait for threads that are gone. 1: it will be. */
int cls_life_at_end(void (*handler)(void));

/* The number of this process. */
unsigned long cls_life_process(void);

#endif
