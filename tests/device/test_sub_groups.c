/*
 * Whether kernels may use sub-groups, by what drivers say of themselves: texts of real ones, as clinfo prints them, and the device
 * under test.
 */
#include "device_support.h"

#include "api/context.h"
#include "device/opencl/opencl.h"

typedef struct driver {
    const char *name;
    cls_opencl_words words;
    cls_sub_groups expected;
    const char *standard;
} driver;

static const driver drivers[] = {
    {"NVIDIA 580", {"cl_khr_fp64 cl_khr_subgroup_no_such", "OpenCL C 1.2 ", 1, 0}, CLS_SUB_GROUPS_NONE, ""},
    {"PoCL 3.1", {"cl_khr_fp64 cl_khr_spir", "OpenCL C 1.2 PoCL", 1, 0}, CLS_SUB_GROUPS_NONE, ""},
    {"PoCL 6.0",
     {"cl_khr_fp64 cl_khr_subgroups cl_intel_subgroups", "OpenCL C 3.0 PoCL", 1, 1},
     CLS_SUB_GROUPS_INTEL,
     ""},
    {"rusticl 25.0.7",
     {"cl_khr_fp64 cl_khr_subgroup_shuffle", "OpenCL C 1.2 ", 1, 1},
     CLS_SUB_GROUPS_CORE,
     " -cl-std=CL3.0"},
    {"ROCm",
     {"cl_khr_fp64 cl_khr_subgroups cl_amd_assembly_program", "OpenCL C 2.0 ", 0, 0},
     CLS_SUB_GROUPS_KHR,
     " -cl-std=CL2.0"},
    {"Intel's GPUs",
     {"cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_short", "OpenCL C 1.2 ", 1, 1},
     CLS_SUB_GROUPS_INTEL,
     ""},
    {"the short ones alone", {"cl_intel_subgroups_short", "OpenCL C 1.2 ", 0, 0}, CLS_SUB_GROUPS_NONE, ""},
    {"the last of the list", {"cl_khr_fp64 cl_intel_subgroups", "OpenCL C 1.2 ", 0, 0}, CLS_SUB_GROUPS_INTEL, ""},
    {"an extension without its language", {"cl_khr_subgroups", "OpenCL C 1.2 ", 0, 0}, CLS_SUB_GROUPS_NONE, ""},
    {"a feature without the extension", {"cl_khr_fp64", "OpenCL C 3.0 ", 1, 1}, CLS_SUB_GROUPS_CORE, " -cl-std=CL3.0"},
    {"Oclgrind", {"cl_khr_fp64", "OpenCL C 1.2 ", 0, 0}, CLS_SUB_GROUPS_NONE, ""},
    {"one that says nothing", {NULL, NULL, 0, 0}, CLS_SUB_GROUPS_NONE, ""},
};

TEST(words_of_drivers) {
    for (size_t k = 0; k < sizeof drivers / sizeof *drivers; k++) {
        const char *standard = NULL;
        const cls_sub_groups found = cls_opencl_sub_groups_of(&drivers[k].words, &standard);
        if (found != drivers[k].expected || strcmp(standard, drivers[k].standard) != 0)
            fail_msg("%s: %d with \"%s\"", drivers[k].name, (int)found, standard);
    }
}

/* The language goes with programs that use sub-groups, and with no other. */
TEST(standard_of_programs) {
    char all[200];
    assert_true(cls_opencl_options("-DLS=4 -DCLS_BY_SUB_GROUPS=1", false, 0, 0, " -cl-std=CL3.0", all, sizeof all));
    assert_string_equal(all, "-DLS=4 -DCLS_BY_SUB_GROUPS=1 -cl-std=CL3.0");
    assert_true(cls_opencl_options("-DLS=4", false, 0, 0, " -cl-std=CL3.0", all, sizeof all));
    assert_string_equal(all, "-DLS=4");
}

/* What the device has, and whether kernels with sub-groups passed the self-test of LU. Either is fine; LU works. */
TEST(device_under_test) {
    const clsolve_context_options options = {.selector = test_selector(), .cache_folder = ""};
    clsolve_context *context = NULL;
    char text[128];
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    const int has = (int)context->device->sub_groups;
    if (context->device->matrix_unit > 0 || test_pretends("no-subgroups")) assert_int_equal(has, CLS_SUB_GROUPS_NONE);
    assert_int_equal(clsolve_context_self_test(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    print_message("sub-groups: form %d, after the self-test %d\n", has, (int)context->device->sub_groups);
    clsolve_context_destroy(context);
}

TEST_PROGRAM(NULL, NULL)
