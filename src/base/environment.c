#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 9 }; /* any such number is an int */

/* The values that a variable may have: one of the words, or a number from 1 to `most`; or so many of these as `list` at
 * most. */
typedef struct variable {
    const char *name, *allowed;
    const char *words[4];
    int most, list;
} variable;

#define SWITCH(name)                                                                                                   \
    { name, "0 or 1", {"0", "1"}, 0, 0 }

static const variable variables[] = {
    {"CLSOLVE_BLAS", "clblast, own, openblas or cublas", {"clblast", "own", "openblas", "cublas"}, 0, 0},
    {"CLSOLVE_DOUBLE_RATIO", "a whole number from 1 to 1000", {NULL}, 1000, 0},
    {"CLSOLVE_GROUPS_TOGETHER", "a whole number from 1 to 65535", {NULL}, 65535, 0},
    {"CLSOLVE_HOST", "never or always", {"never", "always"}, 0, 0},
    SWITCH("CLSOLVE_NO_FP64"),
    SWITCH("CLSOLVE_NO_MATRIX_UNIT"),
    SWITCH("CLSOLVE_NO_PTX"),
    SWITCH("CLSOLVE_NO_SUBGROUPS"),
    {"CLSOLVE_SHARES", "whole numbers from 1 to 1000 with commas between them", {NULL}, 1000, CLS_ENVIRONMENT_LIST},
    SWITCH("CLSOLVE_TREAT_AS_GPU"),
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

/* strtol alone would take "-1", " 7" and "7x". 0: no number of few digits. */
static int digits(const char *text) {
    const size_t length = strlen(text);
    if (length == 0 || length > MOST_DIGITS || strspn(text, "0123456789") != length) return 0;
    return (int)strtol(text, NULL, 10);
}

/* Numbers with commas between them; -1: the text is no list of numbers up to v->most. `numbers` may be NULL. */
static int list_of(const variable *v, const char *text, int *numbers) {
    int count = 0;
    for (const char *part = text; part; count++) {
        char copy[MOST_DIGITS + 1] = "";
        const size_t length = strcspn(part, ",");
        if (length > MOST_DIGITS || count == v->list) return -1;
        memcpy(copy, part, length);
        if (digits(copy) < 1 || digits(copy) > v->most) return -1;
        if (numbers) numbers[count] = digits(copy);
        part = part[length] ? part + length + 1 : NULL;
    }
    return count;
}

static int is_allowed(const variable *v, const char *value) {
    if (v->list > 0) return list_of(v, value, NULL) > 0;
    if (v->most > 0) return digits(value) >= 1 && digits(value) <= v->most;
    for (size_t w = 0; w < sizeof v->words / sizeof v->words[0] && v->words[w]; w++)
        if (strcmp(value, v->words[w]) == 0) return 1;
    return 0;
}

static const char *value_of(const char *name) {
    const char *value = getenv(name);
    return value && value[0] != '\0' ? value : NULL;
}

clsolve_status cls_environment_check(cls_error *error) {
    for (int i = 0; i < VARIABLES; i++) {
        const char *value = value_of(variables[i].name);
        if (value && !is_allowed(&variables[i], value))
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s is \"%.100s\": give %s", variables[i].name,
                            value, variables[i].allowed);
    }
    return CLSOLVE_OK;
}

const char *cls_environment_word(const char *name) {
    const char *value = value_of(name);
    for (int i = 0; i < VARIABLES && value; i++)
        if (strcmp(variables[i].name, name) == 0) return is_allowed(&variables[i], value) ? value : NULL;
    return NULL;
}

int cls_environment_switch(const char *name) {
    const char *value = cls_environment_word(name);
    return value && strcmp(value, "1") == 0;
}

int cls_environment_number(const char *name) {
    const char *value = cls_environment_word(name);
    return value ? digits(value) : 0;
}

int cls_environment_numbers(const char *name, int numbers[CLS_ENVIRONMENT_LIST]) {
    const char *value = cls_environment_word(name);
    for (int i = 0; i < VARIABLES && value; i++)
        if (strcmp(variables[i].name, name) == 0) return list_of(&variables[i], value, numbers);
    return 0;
}
