#include "base/arrays.h"

#include <string.h>

/* Arrays begin whole lines of the cache apart. */
int cls_alloc_all(const cls_array *list, size_t count) {
    enum { LINE = 64 };
    size_t bytes = 0;
    char *memory = NULL;
    int fits = 1;
    for (size_t k = 0; k < count; k++) {
        fits = fits && list[k].count < (SIZE_MAX / 2 - bytes) / list[k].size;
        if (fits) bytes += (list[k].count * list[k].size + LINE) / LINE * LINE;
    }
    if (fits) memory = cls_alloc(1, bytes);
    for (size_t k = 0, at = 0; k < count; k++) {
        char *const array = memory ? memory + at : NULL;
        memcpy(list[k].pointer, &array, sizeof array);
        at += (list[k].count * list[k].size + LINE) / LINE * LINE;
    }
    return memory != NULL;
}
