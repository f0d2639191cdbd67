#define _POSIX_C_SOURCE 200809L

#include "base/system/life.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int cls_life_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    return pthread_atfork(before, in_parent, in_child) == 0;
}

int cls_life_at_end(void (*handler)(void)) {
    return atexit(handler) == 0;
}

unsigned long cls_life_process(void) {
    return (unsigned long)getpid();
}
