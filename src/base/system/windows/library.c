#include "base/system/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/folder.h"
#include "base/system/windows/wide.h"

const char *cls_library_name(const char *elf, const char *dll) {
    (void)elf;
    return dll;
}

/* A library that is named with its folder finds others there. A name alone is looked for along PATH too, because
 * NVIDIA's installer puts its libraries there. */
void *cls_library_open(const char *name, char *why, size_t size) {
    wchar_t *wide = cls_wide(name, "");
    HMODULE library = NULL;
    DWORD error = ERROR_NOT_ENOUGH_MEMORY;
    if (wide) {
        library = LoadLibraryExW(
            wide, NULL,
            cls_folder_is_absolute(name) ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS : 0);
        error = GetLastError();
    }
    free(wide);
    if (!library) (void)snprintf(why, size, "%s could not be loaded: error %lu of Windows", name, error);
    return library;
}

int cls_library_find(void *library, const char *name, void *slot) {
    const FARPROC address = GetProcAddress(library, name);
    memcpy(slot, &address, sizeof address);
    return address != NULL;
}

/* Never unloaded: a driver's threads may still run. */
void cls_library_close(void *library) {
    (void)library;
}

int cls_library_folder(char *path, size_t size) {
    static const char here;
    HMODULE module;
    wchar_t wide[4096];
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(flags, (const wchar_t *)&here, &module)) return 0;
    const DWORD length = GetModuleFileNameW(module, wide, 4096);
    wchar_t *slash = length > 0 && length < 4096 ? wcsrchr(wide, L'\\') : NULL;
    if (!slash) return 0;
    *slash = L'\0';
    return cls_narrow(wide, path, size);
}
