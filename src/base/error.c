#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

clsolve_status cls_fail(cls_error *error, clsolve_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

clsolve_status cls_no_memory(cls_error *error, const char *what, ...) {
    static const char begin[] = "no host memory for ";
    if (error) {
        va_list arguments;
        va_start(arguments, what);
        memcpy(error->text, begin, sizeof begin);
        (void)vsnprintf(error->text + sizeof begin - 1, sizeof error->text - sizeof begin, what, arguments);
        va_end(arguments);
    }
    return CLSOLVE_ERROR_OUT_OF_MEMORY;
}
