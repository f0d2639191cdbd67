#include "tuning/origin.h"

#include <stdio.h>
#include <string.h>

#include "device/program_cache.h"

const char *cls_record_outcome_text(cls_record_outcome outcome) {
    switch (outcome) {
    case CLS_RECORD_FOUND:
        return "a tuning record is stored";
    case CLS_RECORD_NONE:
        return "no tuning record is stored";
    case CLS_RECORD_BROKEN:
        return "the stored tuning record is damaged and not used";
    case CLS_RECORD_OTHER:
        return "the stored tuning record is of another device or driver and not used";
    case CLS_RECORD_OLD:
        return "the stored tuning record is of another version of the library or its kernels and not used";
    case CLS_RECORD_UNFIT:
        return "the stored tuning record has parameters that the device cannot have and is not used";
    }
    return "";
}

const char *cls_origin_type(clsolve_type type) {
    return type == CLSOLVE_F64 ? "double" : "single";
}

void cls_origin_plain(const char *from, char *to, size_t size) {
    size_t length = 0;
    for (; from[length] && length + 1 < size; length++)
        to[length] = from[length] >= ' ' && from[length] <= '~' ? from[length] : '?';
    to[length] = '\0';
}

/* A driver's text need not be UTF-8, and JSON has to be. */
static json_t *plain_text(const char *text) {
    char plain[512];
    cls_origin_plain(text, plain, sizeof plain);
    return json_string(plain);
}

int cls_origin_put(json_t *root, const clsolve_device_info *info, clsolve_type type) {
    return json_object_set_new(root, "device", plain_text(info->name)) == 0 &&
           json_object_set_new(root, "driver", plain_text(info->driver)) == 0 &&
           json_object_set_new(root, "platform", plain_text(info->platform)) == 0 &&
           json_object_set_new(root, "type", json_string(cls_origin_type(type))) == 0;
}

int cls_origin_is(const json_t *root, const clsolve_device_info *info, clsolve_type type) {
    static const char *const names[] = {"device", "driver", "platform", "type"};
    json_t *wanted = json_object();
    int same = wanted && cls_origin_put(wanted, info, type);
    for (int f = 0; f < 4 && same; f++)
        same = json_equal(json_object_get(root, names[f]), json_object_get(wanted, names[f]));
    json_decref(wanted);
    return same;
}

int cls_origin_text_is(const json_t *root, const char *name, const char *text) {
    const char *there = json_string_value(json_object_get(root, name));
    return there && strcmp(there, text) == 0;
}

cls_record_outcome cls_origin_format(const json_t *root, const char *format) {
    const size_t kind = (size_t)(strrchr(format, ' ') - format) + 1;
    const char *there = json_string_value(json_object_get(root, "format"));
    if (!there) return CLS_RECORD_BROKEN;
    if (strcmp(there, format) == 0) return CLS_RECORD_FOUND;
    const char *version = there + kind;
    if (strncmp(there, format, kind) != 0 || version[0] == '\0') return CLS_RECORD_BROKEN;
    return version[strspn(version, "0123456789")] == '\0' ? CLS_RECORD_OLD : CLS_RECORD_BROKEN;
}

void cls_origin_hash(const char *const *fields, size_t count, char text[33]) {
    cls_cache_key key = cls_cache_key_of(fields, count);
    for (int i = 0; i < 16; i++) (void)snprintf(text + 2 * i, 3, "%02x", key.bytes[i]);
}

void cls_origin_file(const char *kind, const clsolve_device_info *info, clsolve_type type, char name[64]) {
    const char *fields[] = {kind, info->name, info->driver, info->platform, cls_origin_type(type)};
    char hash[33];
    cls_origin_hash(fields, 5, hash);
    (void)snprintf(name, 64, "/%.20s-%s.json", kind, hash);
}
