/* dlfcn.h: the next definition of a function of OpenCL's, which is the loader's. */
#ifndef CLS_TEST_WINDOWS_DLFCN_H
#define CLS_TEST_WINDOWS_DLFCN_H

#include "base/system/library.h"

#define RTLD_NEXT NULL
#define RTLD_NOW  0

static inline void *dlsym(void *library, const char *name) {
    char why[256];
    void *function = NULL;
    if (!library) library = cls_library_open("OpenCL.dll", why, sizeof why);
    if (library) (void)cls_library_find(library, name, &function);
    return function;
}

/* For CUDA's driver, of which no test here keeps anything. */
static inline void *dlopen(const char *name, int how) {
    (void)name;
    return (void)how, NULL;
}

#endif
