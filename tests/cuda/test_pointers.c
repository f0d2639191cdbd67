/*
 * Which parameters are pointers, marked in cubins of NVRTC for OpenCL (src/pack/pointers.h): of kernels whose signatures
 * are written here once more. Skips without NVRTC. No device is used.
 */
#include "support/test_support.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/kernels.h"
#include "pack/pointers.h"

enum { CAPABILITY = 80, PARAMETER = 0x17 };

typedef struct expected {
    const char *file, *options, *kernel;
    int count;
    uint64_t pointers; /* bit k: of parameter k */
} expected;

static const char *text_of(const char *name) {
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++)
        if (strcmp(s->name, name) == 0) return s->text;
    return "";
}

typedef struct compiled {
    unsigned char *cubin;
    size_t bytes;
    char *ptx; /* with the names of C++ */
} compiled;

static compiled compile(const char *file, const char *options) {
    compiled made = {NULL, 0, NULL};
    char names[300];
    void *unused = NULL;
    size_t unused_bytes = 0;
    cls_error error = {{0}};
    cls_cuda_nvrtc nvrtc;
    cls_source source = {file, options, {text_of("dialect"), "\n", text_of(file)}};
    if (cls_cuda_nvrtc_load(&nvrtc, 0, &error) != CLSOLVE_OK) skip();
    assert_int_equal(cls_cuda_compile(&nvrtc, CAPABILITY, &source, &error, (void **)&made.cubin, &made.bytes, NULL),
                     CLSOLVE_OK);
    (void)snprintf(names, sizeof names, "%s -DCLS_CPP_NAMES", options);
    source.options = names;
    assert_int_equal(cls_cuda_compile(&nvrtc, CAPABILITY, &source, &error, &unused, &unused_bytes, &made.ptx),
                     CLSOLVE_OK);
    cls_free(unused);
    return made;
}

static void drop(compiled *made) {
    cls_free(made->cubin);
    cls_free(made->ptx);
}

static uint64_t number_at(const unsigned char *bytes, int width) {
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; i--) value = (value << 8) | bytes[i];
    return value;
}

/* The section of that name. */
static const unsigned char *find_section(const unsigned char *cubin, const char *wanted, size_t *size) {
    const unsigned char *sections = cubin + number_at(cubin + 40, 8);
    const unsigned char *strings = cubin + number_at(sections + 64 * number_at(cubin + 62, 2) + 24, 8);
    for (uint64_t s = 0; s < number_at(cubin + 60, 2); s++) {
        const unsigned char *section = sections + 64 * s;
        if (strcmp((const char *)strings + number_at(section, 4), wanted) != 0) continue;
        *size = (size_t)number_at(section + 32, 8);
        return cubin + number_at(section + 24, 8);
    }
    fail_msg("no section %s", wanted);
    return NULL;
}

/* The parameters of the kernel whose space is that of global memory; *count: of all. */
static uint64_t marked(const unsigned char *cubin, const char *kernel, int *count) {
    char name[100];
    size_t size = 0, at = 0;
    uint64_t pointers = 0;
    (void)snprintf(name, sizeof name, ".nv.info.%s", kernel);
    const unsigned char *records = find_section(cubin, name, &size);
    for (*count = 0; at + 4 <= size; at += 4 + (records[at] == 4 ? (size_t)number_at(records + at + 2, 2) : 0)) {
        if (records[at] != 4 || records[at + 1] != PARAMETER) continue;
        if ((records[at + 13] & 0xf) == 4) pointers |= (uint64_t)1 << number_at(records + at + 8, 2);
        ++*count;
    }
    return pointers;
}

#define BIT(k) ((uint64_t)1 << (k))

static const expected known[] = {
    {"measure", "-DREAL=double -DCLS_DOUBLE=1 -DLX=32 -DLY=8", "measure", 10, BIT(0) | BIT(7) | BIT(8) | BIT(9)},
    {"measure", "-DREAL=float -DCLS_DOUBLE=0 -DCLS_COMPLEX=1", "measure_join", 6, BIT(0) | BIT(1) | BIT(2) | BIT(5)},
    {"lu_sweep", "-DREAL=double -DCLS_DOUBLE=1 -DCLS_UNIT=80 -DSIDES=1", "lu_sweep", 15,
     BIT(5) | BIT(8) | BIT(11) | BIT(13)},
    /* By a macro for the parameters, with pointers of one type behind each other. */
    {"bt_sweep", "-DREAL=double -DCLS_DOUBLE=1 -DW=2 -DP=16 -DS=4 -DKERNELS=1", "bt_sweep", 24,
     BIT(0) | BIT(3) | BIT(6) | BIT(9) | BIT(11) | BIT(22) | BIT(23)},
};

TEST(pointers_are_marked) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const expected *e = &known[k];
        compiled made = compile(e->file, e->options);
        int count = 0;
        assert_int_equal(marked(made.cubin, e->kernel, &count), 0);
        assert_int_equal(count, e->count);
        assert_true(pack_mark_pointers(made.cubin, made.bytes, made.ptx));
        assert_int_equal(marked(made.cubin, e->kernel, &count), e->pointers);
        drop(&made);
    }
}

/* A cubin that is cut off or of another kind stays as it is, and so does one whose kernels the PTX does not have. */
TEST(what_is_not_known_stays) {
    compiled made = compile("measure", "-DREAL=double -DCLS_DOUBLE=1"), other = compile("scale", "-DREAL=float");
    unsigned char *copy = cls_alloc(made.bytes, 1);
    memcpy(copy, made.cubin, made.bytes);
    assert_false(pack_mark_pointers(copy, made.bytes, other.ptx));
    assert_false(pack_mark_pointers(copy, made.bytes, ""));
    for (size_t bytes = 0; bytes < made.bytes; bytes += 101) {
        unsigned char *part = cls_alloc(bytes + 1, 1); /* no more, so that a sanitizer sees what lies behind */
        memcpy(part, copy, bytes);
        if (!pack_mark_pointers(part, bytes, made.ptx)) assert_memory_equal(part, copy, bytes);
        cls_free(part);
    }
    copy[4] = 1; /* 32 bits */
    assert_false(pack_mark_pointers(copy, made.bytes, made.ptx));
    copy[4] = 2;
    assert_memory_equal(copy, made.cubin, made.bytes);
    cls_free(copy);
    drop(&made);
    drop(&other);
}

TEST_PROGRAM_ALONE(NULL, NULL)
