/*
 * library.h: libraries that are loaded at run time.
 *
 *      void *library = cls_library_open(cls_library_name("libcuda.so.1", "nvcuda.dll"), why, sizeof why);
 *      if (library && cls_library_find(library, "cuInit", &init)) ...
 */
#ifndef CLS_SYSTEM_LIBRARY_H
#define CLS_SYSTEM_LIBRARY_H

#include <stddef.h>

/* The name of the two that this system has. */
const char *cls_library_name(const char *elf, const char *dll);

/* NULL, and the system's reason in `why`: it cannot be loaded. A name without a folder is looked for where the system
 * looks. The code of a library stays when it is closed. */
void *cls_library_open(const char *name, char *why, size_t size);

/* The function's address into *slot, which is a pointer to a function; 0: there is none of that name. */
int cls_library_find(void *library, const char *name, void *slot);

/* NULL is fine. */
void cls_library_close(void *library);

/* The folder that this library, or the program that contains it, was loaded from, without a slash at its end. 0: not
 * known, or longer than `size`. */
int cls_library_folder(char *path, size_t size);

#endif
