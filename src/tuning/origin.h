/*
 * origin.h: what all tuning records have: the device that they are of, the name of their file, the outcome of a look
 * for one. A record is a JSON object in the folder of the compiled programs, a file for each kind, device, driver and
 * type:
 *
 *      <kind>-<32 hex digits>.json           the digits are the hash of kind, device, driver, platform and type
 *
 *      {
 *        "format": ...,                        the kind and the version of its form
 *        "device": "NVIDIA H200",              as the driver gives it, with '?' for what is not printable ASCII
 *        "driver": "580.159.04",
 *        "platform": "NVIDIA CUDA",
 *        "type": "double",                     or "single"
 *        ...                                   what was fitted: blas/record.h says what
 *      }
 *
 * The file is written under another name and renamed. A file that is not exactly of its form, or is of another device,
 * driver or kernel, counts as none; the outcome says which.
 */
#ifndef CLS_TUNING_ORIGIN_H
#define CLS_TUNING_ORIGIN_H

#include <jansson.h>

#include "device/device.h"

typedef enum cls_record_outcome {
    CLS_RECORD_FOUND = 0,
    CLS_RECORD_NONE = 1,   /* no such file, or no folder */
    CLS_RECORD_BROKEN = 2, /* cut off, damaged, or of another format */
    CLS_RECORD_OTHER = 3,  /* of another device, driver or type */
    CLS_RECORD_OLD = 4,    /* of another version of the format or the kernel */
    CLS_RECORD_UNFIT = 5   /* parameters that this device cannot have */
} cls_record_outcome;

/* "no tuning record is stored", "the stored tuning record is damaged"; for people. */
const char *cls_record_outcome_text(cls_record_outcome outcome);

/* "double" or "single" */
const char *cls_origin_type(clsolve_type type);

/* The text with '?' for what is not printable ASCII; `size` bytes suffice for the text, or it is cut off. */
void cls_origin_plain(const char *from, char *to, size_t size);

/* The members device, driver, platform and type. _put: 0 where there is no memory. */
int cls_origin_put(json_t *root, const clsolve_device_info *info, clsolve_type type);
int cls_origin_is(const json_t *root, const clsolve_device_info *info, clsolve_type type);

/* Whether the member `name` is that text. */
int cls_origin_text_is(const json_t *root, const char *name, const char *text);

/* FOUND where the format is `format`, OLD where it differs in its version, the last word; else BROKEN. */
cls_record_outcome cls_origin_format(const json_t *root, const char *format);

/* 32 hex digits of the fields, in order. */
void cls_origin_hash(const char *const *fields, size_t count, char text[33]);

/* "/<kind>-<hash>.json" */
void cls_origin_file(const char *kind, const clsolve_device_info *info, clsolve_type type, char name[64]);

#endif
