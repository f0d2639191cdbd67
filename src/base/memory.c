#include "base/memory.h"

#include <stdlib.h>

void *cls_alloc(size_t count, size_t size) {
    if (count == 0 || size == 0) count = size = 1;
    void *memory = calloc(count, size);
    if (memory) cls_large_pages(memory, count * size);
    return memory;
}

void cls_free(void *memory) {
    free(memory);
}
