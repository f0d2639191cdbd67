/* sub_group_words.c: see sub_group_words.h. The words go before those of cl/dialect.clh, as options. */
#include "lu/sub_group_words.h"

#include "support/test_support.h"

static cls_device_ops operations; /* the device's, but for this one */
static clsolve_status (*get)(cls_device *, const char *, const char *, cls_program **);
static sub_group_words given;
static int asked;

static clsolve_status program_get(cls_device *device, const char *name, const char *options, cls_program **program) {
    static const char *const largest[] = {"(x)", "0", "no_such_word"};
    char all[480];
    if (!strstr(options, "-DCLS_BY_SUB_GROUPS")) return get(device, name, options, program);
    asked++;
    const int length = snprintf(all, sizeof all,
                                "%s -DSUB_GROUP_MAX(x)=%s -DSUB_GROUP_MIN(x)=(x) -DSUB_GROUP_LANE=0 -DSUB_GROUP_SIZE=1 "
                                "-DSUB_GROUP_ID=(int)get_local_id(0) -DSUB_GROUP_COUNT=(int)get_local_size(0)",
                                options, largest[given]);
    assert_true(length < (int)sizeof all);
    return get(device, name, all, program);
}

void sub_group_words_give(cls_device *device, sub_group_words words) {
    operations = *device->ops;
    get = operations.program_get;
    operations.program_get = program_get;
    device->ops = &operations;
    device->sub_groups = CLS_SUB_GROUPS_CORE; /* the one that wants no pragma */
    given = words;
    asked = 0;
}

int sub_group_words_asked(void) {
    return asked;
}
