/* pointers.c: see pointers.h. */
#include "pack/pointers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the types of a kernel's parameters, by its name in C++ ---- */

enum { MOST = 64 };

/* The types for which a later S_, S0_ ... stands: 1 a pointer, 0 another type. */
typedef struct types {
    int known[MOST], count;
} types;

static void learn(types *t, int is_pointer) {
    if (t->count < MOST) t->known[t->count++] = is_pointer;
}

/* Reads one type, and gives back where the next one begins. */
static const char *read_type(types *t, const char *at, int *is_pointer) {
    int of_target;
    *is_pointer = 0;
    if (*at == 'P') {
        at = read_type(t, at + 1, &of_target);
        learn(t, 1);
        *is_pointer = 1;
        return at;
    }
    if (strchr("rVK", *at)) {
        while (*at && strchr("rVK", *at)) at++;
        at = read_type(t, at, is_pointer);
        learn(t, *is_pointer);
        return at;
    }
    if (*at >= '1' && *at <= '9') { /* a struct's name, after its length */
        char *name;
        const long length = strtol(at, &name, 10);
        learn(t, 0);
        return length < (long)strlen(name) ? name + length : name + strlen(name);
    }
    if (*at == 'S') {
        int which = 0;
        at++;
        if (*at != '_') {
            for (; (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z'); at++)
                which = 36 * which + (*at <= '9' ? *at - '0' : *at - 'A' + 10);
            which++;
        }
        *is_pointer = which < t->count && t->known[which];
        return *at == '_' ? at + 1 : at;
    }
    return *at ? at + 1 : at; /* a built-in type has one letter */
}

/* Bit k is set if parameter k of the kernel is a pointer. 0: it is not in `ptx`. */
static int pointers_of(const char *ptx, const char *kernel, uint64_t *pointers, unsigned *count) {
    char name[160];
    types t = {{0}, 0};
    (void)snprintf(name, sizeof name, ".entry _Z%zu%s", strlen(kernel), kernel);
    const char *at = strstr(ptx, name);
    if (!at) return 0;
    *pointers = 0;
    at += strlen(name);
    for (*count = 0; *at && *at != '(' && *count < MOST; ++*count) {
        int is_pointer;
        at = read_type(&t, at, &is_pointer);
        if (is_pointer) *pointers |= (uint64_t)1 << *count;
    }
    return *at == '(';
}

/* ---- the cubin, an ELF file of 64 bits, little-endian ---- */

static uint64_t number_at(const unsigned char *bytes, int width) {
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; i--) value = (value << 8) | bytes[i];
    return value;
}

enum { HEADER = 64, SECTION = 64, PARAMETER = 0x17, PARAMETER_BYTES = 12, ALIGNED = 3, GLOBAL = 4 };

/* The records of one section; with `marks` the pointers among the parameters get their space. */
static int walk(unsigned char *at, const unsigned char *end, uint64_t pointers, unsigned count, int marks) {
    unsigned found = 0;
    while (end - at >= 4) {
        const unsigned bytes =
            at[0] == 4 ? (unsigned)number_at(at + 2, 2) : 0; /* others have their value in two bytes */
        if ((size_t)(end - at) < 4 + (size_t)bytes) return 0;
        if (at[0] == 4 && at[1] == PARAMETER) {
            const unsigned ordinal = (unsigned)number_at(at + 8, 2), word = (unsigned)number_at(at + 12, 4);
            if (bytes != PARAMETER_BYTES || ordinal >= count) return 0;
            if (pointers >> ordinal & 1) {
                if (word >> 18 != 8) return 0;
                if (marks) at[12] = ALIGNED, at[13] = (unsigned char)((at[13] & 0xf0) | GLOBAL);
            }
            found++;
        }
        at += 4 + bytes;
    }
    return found == count;
}

static int mark(unsigned char *cubin, size_t bytes, const char *ptx, int marks) {
    static const char info[] = ".nv.info.";
    if (bytes < HEADER || memcmp(cubin, "\177ELF\2\1", 6) != 0) return 0;
    const uint64_t sections = number_at(cubin + 40, 8), count = number_at(cubin + 60, 2);
    const uint64_t names = number_at(cubin + 62, 2);
    int kernels = 0;
    if (sections > bytes || count * SECTION > bytes - sections || names >= count) return 0;
    const unsigned char *const strings = cubin + sections + names * SECTION;
    const uint64_t text = number_at(strings + 24, 8), text_bytes = number_at(strings + 32, 8);
    if (text > bytes || text_bytes < 1 || text_bytes > bytes - text || cubin[text + text_bytes - 1] != '\0') return 0;
    for (uint64_t s = 0; s < count; s++) {
        const unsigned char *const section = cubin + sections + s * SECTION;
        const uint64_t name = number_at(section, 4), from = number_at(section + 24, 8),
                       size = number_at(section + 32, 8);
        if (name >= text_bytes) return 0;
        const char *const of = (const char *)cubin + text + name;
        uint64_t pointers;
        unsigned parameters;
        if (strncmp(of, info, sizeof info - 1) != 0) continue;
        if (from > bytes || size > bytes - from || !pointers_of(ptx, of + sizeof info - 1, &pointers, &parameters) ||
            !walk(cubin + from, cubin + from + size, pointers, parameters, marks))
            return 0;
        kernels++;
    }
    return kernels > 0;
}

int pack_mark_pointers(unsigned char *cubin, size_t bytes, const char *ptx) {
    return mark(cubin, bytes, ptx, 0) && mark(cubin, bytes, ptx, 1);
}
