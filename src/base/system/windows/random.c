#include "base/system/random.h"

#include <stddef.h>

void cls_random_lend(cls_random_numbers *random) {
    random->before = NULL;
}

void cls_random_return(cls_random_numbers *random) {
    (void)random;
}
