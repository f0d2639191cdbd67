#define _GNU_SOURCE

#include "lapack/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sanitizer's runtime refuses a scope that goes before its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SCOPE = RTLD_NOW | RTLD_LOCAL };
#else
enum { SCOPE = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#endif

/*
 * Next to this file or in the folder above, by the file's real place: the loader's own $ORIGIN is that of a symbolic
 * link, and an alternative of liblapack.so.3 is one. Else where the loader looks.
 */
static void *open_library(void) {
    static const char *const places[] = {"", "../"};
    char path[PATH_MAX + 64];
    Dl_info info;
    void *handle = NULL;
    char *real = dladdr((const void *)places, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash) *slash = 0;
    for (size_t k = 0; slash && !handle && k < sizeof places / sizeof *places; k++) {
        (void)snprintf(path, sizeof path, "%s/%s" CLSOLVE_SONAME, real, places[k]);
        if (access(path, R_OK) == 0) handle = dlopen(path, SCOPE);
    }
    free(real);
    return handle ? handle : dlopen(CLSOLVE_SONAME, SCOPE);
}

int cls_lapack_load(lapack_library *library, void **handle, char *why, size_t size) {
    void *opened = open_library();
    if (!opened) {
        (void)snprintf(why, size, "%s", dlerror());
        return 0;
    }
    *handle = opened;
#define FIND(name)                                                                                                     \
    {                                                                                                                  \
        void *found = dlsym(opened, "clsolve_" #name);                                                                 \
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
