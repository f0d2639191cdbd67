#define _POSIX_C_SOURCE 200809L

#include "io/whole_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/system/file.h"
#include "base/system/life.h"
#include "base/system/path.h"

/* The name of the temporary file of now, for a signal handler, which can be given nothing; NULL: there is none. */
static _Atomic(const char *) temporary_now;

void mm_discard_temporary(void) {
    const char *name = atomic_exchange(&temporary_now, NULL);
    if (name) cls_path_remove(name);
}

/* Prints, flushes and, when `close_it`, closes. 0 or what errno said first. */
static int print_all(FILE *stream, mm_printer print, const void *what, int close_it, int sync) {
    int error = 0;
    errno = 0;
    if (print(stream, what) != 0 || fflush(stream) != 0) error = errno ? errno : EIO;
    if (!error && sync) error = cls_path_sync(stream);
    if (close_it && fclose(stream) != 0 && !error) error = errno;
    return error;
}

static int write_directly(const char *path, mm_printer print, const void *what) {
    FILE *stream = cls_path_open(path, "w");
    return stream ? print_all(stream, print, what, 1, 0) : errno;
}

/*
 * Like mkstemp, but with the permissions that a file made by fopen gets (0666 less the umask, which only the kernel
 * can apply without a race), and a short name, since the target's own may be as long as names can be.
 */
static int create_temporary(const char *target, char **name) {
    static unsigned serial;
    const char *slash = cls_path_slash(target);
    const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    const size_t size = folder + 64;
    *name = malloc(size);
    if (!*name) return -1;
    memcpy(*name, target, folder);
    int descriptor = -1;
    for (int attempt = 0; attempt < 1000; attempt++) {
        struct timespec now = {0, 0};
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(*name + folder, size - folder, ".clsolve-%lx-%lx-%x.tmp", cls_life_process(),
                 (unsigned long)now.tv_nsec, serial++);
        atomic_store(&temporary_now, *name); /* before it is made, or a signal right then would leave it */
        descriptor = cls_path_create(*name);
        if (descriptor >= 0) return descriptor;
        const int error = errno;
        atomic_store(&temporary_now, NULL);
        errno = error;
        if (error != EEXIST) break;
    }
    const int error = errno;
    free(*name);
    *name = NULL;
    errno = error;
    return -1;
}

/* Writes next to `target` and renames onto it. `old` is the file that is there already, or NULL. */
static int replace(const char *target, const cls_path_about *old, mm_printer print, const void *what) {
    char *temporary = NULL;
    const int descriptor = create_temporary(target, &temporary);
    if (descriptor < 0) return errno;
    int error = old ? cls_path_permit(descriptor, old) : 0;
    FILE *stream = error ? NULL : cls_path_stream(descriptor, "w");
    if (stream) {
        error = print_all(stream, print, what, 1, 1);
    } else {
        if (!error) error = errno;
        (void)cls_file_close(descriptor);
    }
    if (!error) error = cls_path_replace(temporary, target);
    if (error) cls_path_remove(temporary);
    atomic_store(&temporary_now, NULL);
    free(temporary);
    return error;
}

int mm_names_standard_output(const char *path) {
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(path, names[i]) == 0) return 1;
    return 0;
}

/* Is it a name of one of this process's own descriptors? Other files in /dev (/dev/shm is a folder like any other) are
 * none. */
static int names_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stderr") == 0 || mm_names_standard_output(path)) return 1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0) continue;
        const char *number = path + length;
        return *number != '\0' && number[strspn(number, "0123456789")] == '\0';
    }
    return 0;
}

int mm_write_whole(const char *path, mm_printer print, const void *what) {
    if (mm_names_standard_output(path)) return print_all(stdout, print, what, 0, 0);
    cls_path_about about;
    int error = cls_path_look(path, &about);
    if (error == ENOENT) return cls_path_is_link(path) ? ENOLINK : replace(path, NULL, print, what);
    if (error) return error;
    if (about.kind == CLS_PATH_FOLDER) return EISDIR;
    if (about.kind != CLS_PATH_FILE || names_descriptor(path)) return write_directly(path, print, what);
    error = cls_path_may_write(path, 0);
    if (error) return error;
    char *target = cls_path_real(path); /* through links, so that they stay links */
    if (!target) return errno;
    error = replace(target, &about, print, what);
    free(target);
    return error;
}
