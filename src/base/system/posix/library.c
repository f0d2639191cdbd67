#define _GNU_SOURCE /* RTLD_NODELETE, dladdr */

#include "base/system/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *cls_library_name(const char *elf, const char *dll) {
    (void)dll;
    return elf;
}

/* dlerror's text names the library, as a rule. */
void *cls_library_open(const char *name, char *why, size_t size) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *text = dlerror();
        (void)snprintf(why, size, "%s", text ? text : "it could not be loaded");
    }
    return library;
}

/* ISO C knows no way from an object's address to a function's; POSIX says that the bytes are the same. */
int cls_library_find(void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

void cls_library_close(void *library) {
    if (library) (void)dlclose(library);
}

/* Any object of this library tells where the library lies. */
int cls_library_folder(char *path, size_t size) {
    static const char here;
    Dl_info about;
    const char *slash;
    if (dladdr(&here, &about) == 0 || !about.dli_fname || !(slash = strrchr(about.dli_fname, '/'))) return 0;
    const size_t length = (size_t)(slash - about.dli_fname);
    if (length >= size) return 0;
    memcpy(path, about.dli_fname, length);
    path[length] = '\0';
    return 1;
}
