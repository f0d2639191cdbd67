#define _GNU_SOURCE

#include "lapack/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A sanitizer's runtime refuses a scope that goes before its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SCOPE = RTLD_NOW | RTLD_LOCAL };
#else
enum { SCOPE = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#endif

int cls_lapack_load(lapack_library *library, char *why, size_t size) {
    void *handle = dlopen(CLSOLVE_SONAME, SCOPE); /* RUNPATH has the folder of this file */
    if (!handle) {
        (void)snprintf(why, size, "%s", dlerror());
        return 0;
    }
#define FIND(name)                                                                                                     \
    {                                                                                                                  \
        void *found = dlsym(handle, "clsolve_" #name);                                                                 \
        if (!found) {                                                                                                  \
            (void)snprintf(why, size, CLSOLVE_SONAME " has no clsolve_" #name ": it is of another version");           \
            return 0;                                                                                                  \
        }                                                                                                              \
        memcpy(&library->name, &found, sizeof found); /* ISO C converts no object's address to a function's */         \
    }
    LAPACK_LIBRARY_CALLS(FIND)
#undef FIND
    return 1;
}
