/*
 * json_put.h: values into a JSON report. Without memory a key stays away and, at the end, the whole text: write_json
 * says so.
 */
#ifndef CLS_TOOL_JSON_PUT_H
#define CLS_TOOL_JSON_PUT_H

#include <jansson.h>
#include <stdint.h>

#include "tool/outcome.h"

/* NaN and infinities become null. */
void put_number(json_t *object, const char *key, double value);
void put_count(json_t *object, const char *key, int64_t value);
/* null where it is not known */
void put_known(json_t *object, int known, const char *key, int64_t value);
/* NULL becomes null, bytes that are not UTF-8 '?'. */
void put_text(json_t *object, const char *key, const char *text);
/* status, status_text, message, exit_code */
void put_outcome(json_t *object, const outcome *result);

/* Whole or not at all; `path` "-" is standard output. Takes `object` over. */
exit_code write_json(const char *path, json_t *object, outcome *out);

#endif
