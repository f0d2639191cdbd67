#define _XOPEN_SOURCE 700 /* realpath */

#include "io/matrix_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/message.h"

static mm_result unwritable(const char *path, int error, mm_message *message) {
    char shown[200];
    return mm_fail(message, MM_UNWRITABLE, "%s: cannot write: %s", mm_show_path(shown, sizeof shown, path),
                   strerror(error));
}

/* The format has no NaN and no Inf, so they are refused before any file is touched. */
static mm_result check_values(const char *path, const mm_matrix *matrix, mm_message *message) {
    for (int64_t k = 0; k < matrix->entries; k++) {
        if (isfinite(matrix->value[k])) continue;
        int64_t row = 0, column = 0;
        if (matrix->sparse) {
            while (matrix->start[column + 1] <= k) column++;
            row = matrix->row[k];
        } else {
            row = k % matrix->rows;
            column = k / matrix->rows;
        }
        char shown[200];
        return mm_fail(message, MM_UNWRITABLE,
                       "%s: cannot write: element (%" PRId64 ", %" PRId64 ") is %s, for which the Matrix Market format "
                       "has no word",
                       mm_show_path(shown, sizeof shown, path), row + 1, column + 1,
                       isnan(matrix->value[k]) ? "NaN" : "infinite");
    }
    return MM_OK;
}

/* Prints, flushes and, when `close_it`, closes. 0 or what errno said first. */
static int print_whole(FILE *stream, const mm_matrix *matrix, const char *comment, int close_it, int sync) {
    int error = 0;
    errno = 0;
    if (mm_print(stream, matrix, comment) != 0 || fflush(stream) != 0) error = errno ? errno : EIO;
    if (!error && sync && fsync(fileno(stream)) != 0) error = errno;
    if (close_it && fclose(stream) != 0 && !error) error = errno;
    return error;
}

static mm_result write_directly(const char *path, const mm_matrix *matrix, const char *comment, mm_message *message) {
    FILE *stream = fopen(path, "w");
    if (!stream) return unwritable(path, errno, message);
    const int error = print_whole(stream, matrix, comment, 1, 0);
    return error ? unwritable(path, error, message) : MM_OK;
}

static mm_result write_to_standard_output(const mm_matrix *matrix, const char *comment, mm_message *message) {
    const int error = print_whole(stdout, matrix, comment, 0, 0);
    return error ? unwritable("<stdout>", error, message) : MM_OK;
}

/*
 * Like mkstemp, but with the permissions that a file made by fopen gets (0666 less the umask, which only the kernel
 * can apply without a race), and a short name, since the target's own may be as long as names can be.
 */
static int create_temporary(const char *target, char **name) {
    static unsigned serial;
    const char *slash = strrchr(target, '/');
    const size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    const size_t size = folder + 64;
    *name = malloc(size);
    if (!*name) return -1;
    memcpy(*name, target, folder);
    int descriptor = -1;
    for (int attempt = 0; attempt < 1000; attempt++) {
        struct timespec now = {0, 0};
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(*name + folder, size - folder, ".clsolve-%lx-%lx-%x.tmp", (unsigned long)getpid(),
                 (unsigned long)now.tv_nsec, serial++);
        descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) break;
    }
    if (descriptor < 0) {
        const int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
    }
    return descriptor;
}

/* Writes beside `target` and renames onto it. `old` is the file that is there already, or NULL. */
static mm_result replace(const char *target, const struct stat *old, const mm_matrix *matrix, const char *comment,
                         mm_message *message) {
    char *temporary = NULL;
    const int descriptor = create_temporary(target, &temporary);
    if (descriptor < 0) return unwritable(target, errno, message);
    int error = 0;
    if (old && fchmod(descriptor, old->st_mode & 0777) != 0) error = errno;
    FILE *stream = error ? NULL : fdopen(descriptor, "w");
    if (stream) {
        error = print_whole(stream, matrix, comment, 1, 1);
    } else {
        if (!error) error = errno;
        close(descriptor);
    }
    if (!error && rename(temporary, target) != 0) error = errno;
    if (error) unlink(temporary);
    free(temporary);
    return error ? unwritable(target, error, message) : MM_OK;
}

/* Names of this process's own descriptors: renaming a file onto what they lead to would cut them off. */
static int names_descriptor(const char *path) {
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

mm_result mm_write(const char *path, const mm_matrix *matrix, const char *comment, mm_message *message) {
    mm_message_clear(message);
    mm_result result = check_values(path, matrix, message);
    if (result != MM_OK) return result;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return write_to_standard_output(matrix, comment, message);

    struct stat status;
    if (stat(path, &status) != 0) {
        struct stat link;
        if (errno == ENOENT && lstat(path, &link) == 0) {
            char shown[200];
            return mm_fail(message, MM_UNWRITABLE, "%s: cannot write: a symbolic link that leads nowhere; remove it",
                           mm_show_path(shown, sizeof shown, path));
        }
        if (errno != ENOENT) return unwritable(path, errno, message);
        return replace(path, NULL, matrix, comment, message);
    }
    if (S_ISDIR(status.st_mode)) return unwritable(path, EISDIR, message);
    if (!S_ISREG(status.st_mode) || names_descriptor(path)) return write_directly(path, matrix, comment, message);
    if (access(path, W_OK) != 0) return unwritable(path, errno, message);
    char *target = realpath(path, NULL); /* through links, so that they stay links */
    if (!target) return unwritable(path, errno, message);
    result = replace(target, &status, matrix, comment, message);
    free(target);
    return result;
}
