/* output.c: can outputs be written, are they each other, and writing them. */
#include "tool/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/path.h"
#include "base/system/text.h"
#include "io/reason.h"
#include "io/whole_file.h"

bool output_is_stdout(const char *path) {
    return path != NULL && mm_names_standard_output(path);
}

static exit_code fail(const char *path, int error, outcome *out) {
    char reason[MM_REASON];
    return outcome_fail(out, EXIT_CODE_FILE, "%s: cannot write: %s", output_is_stdout(path) ? "standard output" : path,
                        mm_reason(reason, path, error));
}

static exit_code no_memory(outcome *out) {
    return outcome_fail(out, EXIT_CODE_MEMORY, "out of host memory");
}

/* "a/b.mtx" -> "a", "b.mtx" -> ".", "/b.mtx" -> "/"; NULL when memory is short. */
static char *folder_of(const char *path) {
    const char *slash = cls_path_slash(path);
    if (slash == NULL) return cls_text_part(".", 1);
    return cls_text_part(path, slash == path ? 1 : (size_t)(slash - path));
}

static exit_code check_folder(const char *path, outcome *out) {
    char *folder = folder_of(path);
    if (folder == NULL) return no_memory(out);
    exit_code code = EXIT_CODE_OK;
    const int error = cls_path_may_write(folder, 1);
    if (error != 0)
        code = outcome_fail(out, EXIT_CODE_FILE, "%s: cannot write: folder '%s': %s", path, folder, strerror(error));
    free(folder);
    return code;
}

exit_code output_check(const char *path, outcome *out) {
    if (path == NULL || output_is_stdout(path)) return EXIT_CODE_OK;
    if (*path == '\0') return outcome_fail(out, EXIT_CODE_USAGE, "the name of an output file is empty");
    cls_path_about about;
    int error = cls_path_look(path, &about);
    if (error == ENOENT) return cls_path_is_link(path) ? fail(path, ENOLINK, out) : check_folder(path, out);
    if (error == 0 && about.kind == CLS_PATH_FOLDER) error = EISDIR;
    if (error == 0) error = cls_path_may_write(path, 0);
    if (error != 0) return fail(path, error, out);
    if (about.kind != CLS_PATH_FILE) return EXIT_CODE_OK;

    char *target = cls_path_real(path); /* the temporary file is to lie next to a link's target */
    if (target == NULL) return fail(path, errno, out);
    exit_code code = check_folder(target, out);
    free(target);
    return code;
}

static const char *last_name(const char *path) {
    const char *slash = cls_path_slash(path);
    return slash != NULL ? slash + 1 : path;
}

static bool same_thing(const cls_path_about *a, const cls_path_about *b) {
    return a->device == b->device && a->number == b->number;
}

/* Files that are not there yet: the same name in the same folder, however that is spelled. */
static bool same_place(const char *first, const char *second) {
    if (!cls_path_same_name(last_name(first), last_name(second))) return false;
    char *folders[] = {folder_of(first), folder_of(second)};
    cls_path_about a, b;
    bool same = folders[0] != NULL && folders[1] != NULL && cls_path_look(folders[0], &a) == 0 &&
                cls_path_look(folders[1], &b) == 0 && same_thing(&a, &b);
    free(folders[0]);
    free(folders[1]);
    return same;
}

static bool look(const char *path, cls_path_about *about) {
    return (output_is_stdout(path) ? cls_path_look_at(stdout, about) : cls_path_look(path, about)) == 0;
}

static bool same_file(const char *first, const char *second) {
    cls_path_about a, b;
    const bool has_a = look(first, &a), has_b = look(second, &b);
    if (!has_a && !has_b) return same_place(first, second);
    /* /dev/null takes both; so does a terminal, and there is no telling them apart. */
    return has_a && has_b && a.kind != CLS_PATH_CHARACTERS && same_thing(&a, &b);
}

exit_code output_check_different(const char *command, const char *first_option, const char *first,
                                 const char *second_option, const char *second, outcome *out) {
    if (first == NULL || second == NULL) return EXIT_CODE_OK;
    if (output_is_stdout(first) && output_is_stdout(second))
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s %s and %s %s cannot share standard output", command,
                            first_option, first, second_option, second);
    if (same_file(first, second))
        return outcome_fail(out, EXIT_CODE_USAGE, "%s: %s %s and %s %s are the same file; each needs its own", command,
                            first_option, first, second_option, second);
    return EXIT_CODE_OK;
}

static int print_text(FILE *stream, const void *text) {
    return fputs(text, stream) >= 0 ? 0 : -1;
}

exit_code output_print(const char *path, int (*print)(FILE *stream, const void *what), const void *what, outcome *out) {
    int error = mm_write_whole(path, print, what);
    return error == 0 ? EXIT_CODE_OK : fail(path, error, out);
}

exit_code output_text(const char *path, const char *text, outcome *out) {
    return output_print(path, print_text, text, out);
}

exit_code output_matrix(const char *path, const mm_matrix *matrix, const char *comment, outcome *out) {
    mm_message message = {0};
    mm_result result = mm_write(path, matrix, comment, &message);
    return result == MM_OK ? EXIT_CODE_OK : outcome_fail_file(out, result, &message);
}
