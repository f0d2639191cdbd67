/* output.c: temporary names and renames, and the exceptions to them. */
#include "tool/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_is_stdout(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

static exit_code fail(const char *path, outcome *out) {
    return outcome_fail(out, EXIT_CODE_FILE, "%s: cannot write: %s", output_is_stdout(path) ? "standard output" : path,
                        strerror(errno));
}

static exit_code no_memory(outcome *out) {
    return outcome_fail(out, EXIT_CODE_MEMORY, "out of host memory");
}

/* "a/b.mtx" -> "a", "b.mtx" -> ".", "/b.mtx" -> "/"; NULL when memory is short. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static exit_code check_folder(const char *path, outcome *out) {
    char *folder = folder_of(path);
    if (folder == NULL) return no_memory(out);
    exit_code code = EXIT_CODE_OK;
    if (access(folder, W_OK | X_OK) != 0)
        code = outcome_fail(out, EXIT_CODE_FILE, "%s: cannot write: folder '%s': %s", path, folder, strerror(errno));
    free(folder);
    return code;
}

exit_code output_check(const char *path, outcome *out) {
    if (path == NULL || output_is_stdout(path)) return EXIT_CODE_OK;
    if (*path == '\0') return outcome_fail(out, EXIT_CODE_USAGE, "the name of an output file is empty");
    struct stat info;
    if (stat(path, &info) != 0) return errno == ENOENT ? check_folder(path, out) : fail(path, out);
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return fail(path, out);
    }
    if (access(path, W_OK) != 0) return fail(path, out);
    if (!S_ISREG(info.st_mode)) return EXIT_CODE_OK;

    char *target = realpath(path, NULL); /* the temporary file is to lie beside what a link leads to */
    if (target == NULL) return fail(path, out);
    exit_code code = check_folder(target, out);
    free(target);
    return code;
}

/* Writes and closes; false with errno when a byte did not arrive. Standard output is flushed, not closed. */
static bool write_all(FILE *file, const char *text) {
    if (file == NULL) return false;
    bool whole = fputs(text, file) >= 0 && fflush(file) == 0;
    if (file == stdout) return whole;
    int reason = errno;
    if (fclose(file) != 0 && whole) return false;
    errno = reason;
    return whole;
}

/* `mode` is that of the file that is replaced, 0 when there is none: then the umask decides. */
static exit_code replace(const char *target, mode_t mode, const char *text, outcome *out) {
    char *folder = folder_of(target);
    size_t size = folder != NULL ? strlen(folder) + 64 : 0;
    char *temporary = malloc(size + 1);
    if (folder == NULL || temporary == NULL) {
        free(folder);
        free(temporary);
        return no_memory(out);
    }
    snprintf(temporary, size, "%s/.clsolve-%ld.tmp", folder, (long)getpid());

    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool made = descriptor >= 0;
    FILE *file = made && (mode == 0 || fchmod(descriptor, mode) == 0) ? fdopen(descriptor, "w") : NULL;
    exit_code code = EXIT_CODE_OK;
    if (!write_all(file, text) || rename(temporary, target) != 0) code = fail(target, out);
    if (made && file == NULL) close(descriptor);
    if (made && code != EXIT_CODE_OK) unlink(temporary);
    free(folder);
    free(temporary);
    return code;
}

/* Names of this process's own descriptors: renaming a file onto what they lead to would cut them off. */
static bool names_descriptor(const char *path) {
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

exit_code output_text(const char *path, const char *text, outcome *out) {
    if (output_is_stdout(path)) return write_all(stdout, text) ? EXIT_CODE_OK : fail(path, out);
    struct stat info;
    if (stat(path, &info) != 0) return replace(path, 0, text, out);
    if (!S_ISREG(info.st_mode) || names_descriptor(path))
        return write_all(fopen(path, "w"), text) ? EXIT_CODE_OK : fail(path, out);
    char *target = realpath(path, NULL);
    if (target == NULL) return fail(path, out);
    exit_code code = replace(target, info.st_mode & 0777, text, out);
    free(target);
    return code;
}

exit_code output_matrix(const char *path, const mm_matrix *matrix, const char *comment, outcome *out) {
    mm_message message = {0};
    mm_result result = mm_write(path, matrix, comment, &message);
    return result == MM_OK ? EXIT_CODE_OK : outcome_fail_file(out, result, &message);
}
