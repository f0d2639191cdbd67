#define _DEFAULT_SOURCE /* initstate */

#include "base/system/random.h"

#include <stdlib.h>

void cls_random_lend(cls_random_numbers *random) {
    random->before = initstate(1, random->state, sizeof random->state);
}

void cls_random_return(cls_random_numbers *random) {
    if (random->before) (void)setstate(random->before);
}
