#include "base/memory.h"

#include <stdlib.h>

void *cls_alloc(size_t count, size_t size) {
    if (count == 0 || size == 0) count = size = 1;
    return calloc(count, size);
}

void cls_free(void *memory) {
    free(memory);
}
