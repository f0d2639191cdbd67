/* json_put.c: see json_put.h. */
#include "tool/json_put.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output.h"

void put_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

void put_count(json_t *object, const char *key, int64_t value) {
    json_object_set_new(object, key, json_integer(value));
}

void put_known(json_t *object, int known, const char *key, int64_t value) {
    json_object_set_new(object, key, known ? json_integer(value) : json_null());
}

void put_text(json_t *object, const char *key, const char *text) {
    if (text == NULL) {
        json_object_set_new(object, key, json_null());
        return;
    }
    json_t *string = json_string(text);
    char *copy = string == NULL ? strdup(text) : NULL;
    if (copy != NULL) { /* a file name may hold any bytes, a JSON string only UTF-8 */
        for (char *c = copy; *c != '\0'; c++)
            if ((unsigned char)*c >= 0x80) *c = '?';
        string = json_string(copy);
        free(copy);
    }
    json_object_set_new(object, key, string);
}

exit_code write_json(const char *path, json_t *object, outcome *out) {
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    char *line = text != NULL ? malloc(strlen(text) + 2) : NULL;
    exit_code code;
    if (line == NULL) {
        code = outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory for the report", path);
    } else {
        strcpy(line, text);
        strcat(line, "\n");
        code = output_text(path, line, out);
    }
    free(line);
    free(text);
    json_decref(object);
    return code;
}

void put_outcome(json_t *object, const outcome *result) {
    put_text(object, "status", outcome_name(result));
    put_text(object, "status_text", outcome_text(result));
    put_text(object, "message", result->code != EXIT_CODE_OK ? result->message : NULL);
    put_count(object, "exit_code", result->code);
}
