/*
 * sub_group_words.h: sub-groups for a device that has none: each work-item is one. Or a driver whose sub-groups are wrong.
 *
 *      sub_group_words_give(device, SUB_GROUP_WORDS_RIGHT);      before the first kernel is got
 */
#ifndef CLSOLVE_TEST_SUB_GROUP_WORDS_H
#define CLSOLVE_TEST_SUB_GROUP_WORDS_H

#include "device/device.h"

typedef enum sub_group_words {
    SUB_GROUP_WORDS_RIGHT,
    SUB_GROUP_WORDS_LIE,    /* the largest of all is never found */
    SUB_GROUP_WORDS_MISSING /* programs that use sub-groups do not build */
} sub_group_words;

/* As long as the device is open; one device at a time. */
void sub_group_words_give(cls_device *device, sub_group_words words);
/* Programs that asked for sub-groups so far. */
int sub_group_words_asked(void);

#endif
