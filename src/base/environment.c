#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/folder.h"

enum { MOST_DIGITS = 9, /* any such number is an int */ PART = 32, MOST_SHARE = 1000 };

/* ---- lists with commas between their parts ---- */

/* Copies the part that `list` begins with, and gives what follows its comma, or NULL; a part too long becomes "". */
static const char *first_part(const char *list, char part[PART]) {
    const size_t length = strcspn(list, ",");
    part[0] = '\0';
    if (length < PART) {
        memcpy(part, list, length);
        part[length] = '\0';
    }
    return list[length] ? list + length + 1 : NULL;
}

/* strtol alone would take "-1", " 7" and "7x". 0: no number of few digits. */
static int digits(const char *text) {
    const size_t length = strlen(text);
    if (length == 0 || length > MOST_DIGITS || strspn(text, "0123456789") != length) return 0;
    return (int)strtol(text, NULL, 10);
}

/* ---- what each variable may be ---- */

static int is_blas(const char *value) {
    return strcmp(value, "clblast") == 0 || strcmp(value, "own") == 0 || strcmp(value, "openblas") == 0 ||
           strcmp(value, "cublas") == 0;
}

static int is_host(const char *value) {
    return strcmp(value, "never") == 0 || strcmp(value, "always") == 0;
}

static int is_kernels(const char *value) {
    return cls_folder_is_absolute(value) || strcmp(value, "none") == 0;
}

static int is_shares(const char *value) {
    char part[PART];
    int count = 0;
    for (const char *rest = value; rest; count++) {
        rest = first_part(rest, part);
        if (count == CLS_ENVIRONMENT_LIST || digits(part) < 1 || digits(part) > MOST_SHARE) return 0;
    }
    return 1;
}

/* Tests pretend these: a word, or a word with a number from 1 to `most`. */
static const struct {
    const char *word;
    int most;
} pretences[] = {{"gpu", 0},          {"no-fp64", 0},         {"no-matrix-unit", 0},     {"no-ptx", 0},
                 {"no-subgroups", 0}, {"double-ratio", 1000}, {"groups-together", 65535}};
enum { PRETENCES = sizeof pretences / sizeof pretences[0] };

/* 0: `part` is not `word`; 1: it is the word alone; else its number. */
static int pretence(const char *part, const char *word, int most) {
    const size_t length = strlen(word);
    if (strncmp(part, word, length) != 0) return 0;
    if (most == 0) return part[length] == '\0';
    const int number = part[length] == '=' ? digits(part + length + 1) : 0;
    return number <= most ? number : 0;
}

static int is_pretend(const char *value) {
    char part[PART];
    for (const char *rest = value; rest;) {
        int known = 0;
        rest = first_part(rest, part);
        for (int i = 0; i < PRETENCES; i++) known += pretence(part, pretences[i].word, pretences[i].most) > 0;
        if (!known) return 0;
    }
    return 1;
}

static const struct {
    const char *name, *allowed;
    int (*is_allowed)(const char *value);
} variables[] = {
    {"CLSOLVE_BLAS", "clblast, own, openblas or cublas", is_blas},
    {"CLSOLVE_HOST", "never or always", is_host},
    {"CLSOLVE_KERNELS", "the path of a folder, from the root on, or none", is_kernels},
    {"CLSOLVE_PRETEND",
     "gpu, no-fp64, no-matrix-unit, no-ptx, no-subgroups, double-ratio=1 to 1000 or groups-together=1 to 65535, with "
     "commas between them",
     is_pretend},
    {"CLSOLVE_SHARES", "whole numbers from 1 to 1000 with commas between them", is_shares},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static const char *value_of(const char *name) {
    const char *value = getenv(name);
    return value && value[0] != '\0' ? value : NULL;
}

clsolve_status cls_environment_check(cls_error *error) {
    for (int i = 0; i < VARIABLES; i++) {
        const char *value = value_of(variables[i].name);
        if (value && !variables[i].is_allowed(value))
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s is \"%.100s\": give %s", variables[i].name,
                            value, variables[i].allowed);
    }
    return CLSOLVE_OK;
}

const char *cls_environment_word(const char *name) {
    const char *value = value_of(name);
    for (int i = 0; i < VARIABLES && value; i++)
        if (strcmp(variables[i].name, name) == 0) return variables[i].is_allowed(value) ? value : NULL;
    return NULL;
}

int cls_environment_shares(int numbers[CLS_ENVIRONMENT_LIST]) {
    char part[PART];
    int count = 0;
    for (const char *rest = cls_environment_word("CLSOLVE_SHARES"); rest; count++) {
        rest = first_part(rest, part);
        numbers[count] = digits(part);
    }
    return count;
}

int cls_environment_pretends(const char *word) {
    char part[PART];
    int found = 0;
    for (const char *rest = cls_environment_word("CLSOLVE_PRETEND"); rest && !found;) {
        rest = first_part(rest, part);
        for (int i = 0; i < PRETENCES && !found; i++)
            if (strcmp(pretences[i].word, word) == 0) found = pretence(part, word, pretences[i].most);
    }
    return found;
}
