/*
 * pocl_devices.h: for main, before anything looks for devices: PoCL shows itself as opencl:0, opencl:1 (both "pthread") and opencl:2
 * ("basic"). Drivers of other makers, which may come first, stay away where the loader of OpenCL can be told so. Where
 * the three are not PoCL's all the same, the program says so and is skipped.
 */
#ifndef CLSOLVE_TEST_POCL_DEVICES_H
#define CLSOLVE_TEST_POCL_DEVICES_H

#include <unistd.h>

#include "support/test_support.h"

static inline void pocl_devices(void) {
    enum { MOST = 64, DEVICES = 3 };
    static const char driver[] = "/etc/OpenCL/vendors/pocl.icd";
    static clsolve_device_info list[MOST];
    int64_t count = 0, found = 0;

    assert_int_equal(setenv("POCL_DEVICES", "pthread pthread basic", 1), 0);
    if (access(driver, R_OK) == 0) assert_int_equal(setenv("OCL_ICD_VENDORS", driver, 1), 0);
    if (clsolve_devices(list, MOST, &count) != CLSOLVE_OK) count = 0;
    for (int64_t i = 0; i < count && i < MOST; i++) {
        const char *number = strncmp(list[i].selector, "opencl:", 7) == 0 ? list[i].selector + 7 : "9";
        found += strtol(number, NULL, 10) < DEVICES && strcmp(list[i].platform, "Portable Computing Language") == 0;
    }
    if (found == DEVICES) return;
    fprintf(stderr, "skipped: opencl:0 to opencl:2 are not PoCL's\n");
    exit(TEST_SKIPPED);
}

#endif
