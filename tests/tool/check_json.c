/*
 * check_json.c: check_json FILE CHECK...
 *
 * FILE must be one JSON text and nothing else. A CHECK is a path and what is there:
 *   seconds.build:number   a type: string, integer, number (a real or an integer), boolean, object, array, null
 *   status=OK              a string, or a number written as %lld, or true, false, null; a|b: one of these
 *   scaled_residual<30     a number below that one; a null is none
 *   devices.0.name:string  an index into an array
 */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *find(const json_t *root, char *path) {
    for (char *key = strtok(path, "."); key != NULL && root != NULL; key = strtok(NULL, "."))
        root = json_is_array(root) ? json_array_get(root, strtoul(key, NULL, 10)) : json_object_get(root, key);
    return root;
}

static int has_type(const json_t *value, const char *type) {
    static const struct {
        const char *name;
        json_type type, other;
    } types[] = {
        {"string", JSON_STRING, JSON_STRING}, {"integer", JSON_INTEGER, JSON_INTEGER},
        {"number", JSON_REAL, JSON_INTEGER},  {"boolean", JSON_TRUE, JSON_FALSE},
        {"object", JSON_OBJECT, JSON_OBJECT}, {"array", JSON_ARRAY, JSON_ARRAY},
        {"null", JSON_NULL, JSON_NULL},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, type) == 0)
            return json_typeof(value) == types[i].type || json_typeof(value) == types[i].other;
    return 0;
}

static int equals(const json_t *value, char *text) {
    char *rest = strchr(text, '|');
    if (rest != NULL) {
        *rest = '\0';
        if (equals(value, rest + 1)) return 1;
    }
    char number[32];
    switch (json_typeof(value)) {
    case JSON_STRING:
        return strcmp(json_string_value(value), text) == 0;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return strcmp(number, text) == 0;
    case JSON_REAL:
        return json_real_value(value) == strtod(text, NULL);
    case JSON_TRUE:
        return strcmp(text, "true") == 0;
    case JSON_FALSE:
        return strcmp(text, "false") == 0;
    case JSON_NULL:
        return strcmp(text, "null") == 0;
    default:
        return 0;
    }
}

static int holds(const json_t *root, const char *check) {
    char *path = strdup(check);
    if (path == NULL) return 0;
    size_t length = strcspn(path, ":=<");
    char kind = path[length];
    char *operand = path + length + (kind != '\0');
    path[length] = '\0';
    const json_t *value = find(root, path);
    int held = value != NULL;
    if (held && kind == ':') held = has_type(value, operand);
    if (held && kind == '=') held = equals(value, operand);
    if (held && kind == '<') held = json_is_number(value) && json_number_value(value) < strtod(operand, NULL);
    free(path);
    return held;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    json_error_t error;
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    int bad = 0;
    for (int i = 2; i < argc; i++)
        if (!holds(root, argv[i])) {
            fprintf(stderr, "%s: not so: %s\n", argv[1], argv[i]);
            bad = 1;
        }
    json_decref(root);
    return bad;
}
