#include "base/system/life.h"

#include "base/system/windows/wide.h"

int cls_life_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    (void)before;
    (void)in_parent;
    (void)in_child;
    return 1;
}

int cls_life_at_end(void (*handler)(void)) {
    (void)handler;
    return 0;
}

unsigned long cls_life_process(void) {
    return GetCurrentProcessId();
}
