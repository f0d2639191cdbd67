/*
 * shipped.c: archives of compiled programs.
 *
 * File. <folder>/<target>; numbers are little-endian:
 *
 *      0   8  magic "CLSOLVEK"
 *      8   4  version of this layout
 *     12   4  capability
 *     16  16  the target, zeros behind it
 *     32   8  count of members
 *     40  16  XXH128 of the index, in its canonical form
 *     56   -  the index: count entries of 72 bytes, sorted by their keys
 *                 0  16  key
 *                16   8  where the member's block begins in the file
 *                24   8  the block's bytes in the file, an .xz stream
 *                32   8  the block's bytes unpacked
 *                40   8  where the member begins in these
 *                48   8  its bytes
 *                56  16  XXH128 of the member
 *      -   -  the blocks
 *
 * The index is read and examined when the archive is opened, and a block when a member of it is asked for. A process
 * asks for few members, so blocks are small: four programs of one kernel file, which have much in common. Blocks of two
 * take a seventh more room, and blocks of one two fifths more.
 *
 * The file is installed with the library, and who may change the one may change the other. So its owner is not
 * examined. A key has no driver and no compiler in it, because machine code for a GPU runs on that GPU under every
 * driver that is new enough; a driver that refuses it has the program compiled anew.
 */
#include "device/shipped.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/system/file.h"
#include "base/system/folder.h"
#include "base/system/library.h"

enum {
    LAYOUT = 1,
    TARGET_BYTES = 16,
    HEADER_BYTES = 56,
    ENTRY_BYTES = 72,
    BLOCK = 4, /* members */
    MOST_MEMBERS = 65536,
    MOST_BYTES = 1 << 26 /* of a block: far more than any has */
};
static const char magic[8] = {'C', 'L', 'S', 'O', 'L', 'V', 'E', 'K'};

struct cls_shipped {
    int file, capability;
    uint64_t count;
    unsigned char index[];
};

static uint64_t number_at(const unsigned char *bytes, int width) {
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; i--) value = (value << 8) | bytes[i];
    return value;
}

static void put_number(unsigned char *bytes, uint64_t value, int width) {
    for (int i = 0; i < width; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

static void checksum(const void *payload, size_t bytes, unsigned char sum[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(payload, bytes));
    memcpy(sum, canonical.digest, sizeof canonical.digest);
}

cls_cache_key cls_shipped_key(const char *dialect, const char *source, const char *options) {
    const char *const fields[] = {dialect, source, options};
    return cls_cache_key_of(fields, sizeof fields / sizeof fields[0]);
}

static char *path_of(const char *folder, const char *target) {
    static const char name[] = "/";
    const size_t size = strlen(folder) + sizeof name + strlen(target);
    char *path = cls_alloc(size, 1);
    if (path) (void)snprintf(path, size, "%s%s%s", folder, name, target);
    return path;
}

char *cls_shipped_folder(void) {
    char here[4096];
    const char *named = cls_environment_word("CLSOLVE_KERNELS");
    if (named && strcmp(named, "none") == 0) return NULL;
    if (named ? !cls_folder_of_variable("CLSOLVE_KERNELS", here, sizeof here) : !cls_library_folder(here, sizeof here))
        return NULL;
    const char *below = named ? "" : "/clsolve-kernels";
    const size_t size = strlen(here) + strlen(below) + 1;
    char *path = cls_alloc(size, 1);
    if (path) (void)snprintf(path, size, "%s%s", here, below);
    return path;
}

/* ---- reading ---- */

/* Each block lies in the file, behind the index, and each member in its block. */
static int is_sound(const cls_shipped *archive, uint64_t size) {
    const uint64_t begin = HEADER_BYTES + archive->count * ENTRY_BYTES;
    for (uint64_t k = 0; k < archive->count; k++) {
        const unsigned char *entry = archive->index + k * ENTRY_BYTES;
        const uint64_t offset = number_at(entry + 16, 8), packed = number_at(entry + 24, 8);
        const uint64_t block = number_at(entry + 32, 8), at = number_at(entry + 40, 8);
        const uint64_t bytes = number_at(entry + 48, 8);
        if (offset < begin || offset > size || packed < 1 || packed > size - offset || packed > MOST_BYTES) return 0;
        if (block > MOST_BYTES || bytes < 1 || at > block || bytes > block - at) return 0;
    }
    return 1;
}

static cls_shipped *read_index(int file, const char *target) {
    unsigned char header[HEADER_BYTES], sum[16];
    char wanted[TARGET_BYTES] = {0};
    if (!cls_file_read_at(file, header, sizeof header, 0)) return NULL;
    const uint64_t count = number_at(header + 32, 8), size = (uint64_t)cls_file_bytes(file);
    (void)snprintf(wanted, sizeof wanted, "%s", target);
    if (memcmp(header, magic, sizeof magic) != 0 || number_at(header + 8, 4) != LAYOUT || count > MOST_MEMBERS ||
        memcmp(header + 16, wanted, sizeof wanted) != 0)
        return NULL;
    cls_shipped *archive = cls_alloc(1, sizeof *archive + count * ENTRY_BYTES);
    if (!archive) return NULL;
    archive->file = file;
    archive->capability = (int)number_at(header + 12, 4);
    archive->count = count;
    if (cls_file_read_at(file, archive->index, count * ENTRY_BYTES, HEADER_BYTES)) {
        checksum(archive->index, count * ENTRY_BYTES, sum);
        if (memcmp(sum, header + 40, sizeof sum) == 0 && is_sound(archive, size)) return archive;
    }
    cls_free(archive);
    return NULL;
}

cls_shipped *cls_shipped_open(const char *folder, const char *target) {
    char *path = path_of(folder, target);
    int file = path ? cls_file_open(path, 1) : -1;
    cls_free(path);
    cls_shipped *archive = file >= 0 ? read_index(file, target) : NULL;
    if (!archive && file >= 0) (void)cls_file_close(file);
    return archive;
}

void cls_shipped_close(cls_shipped *archive) {
    if (archive) (void)cls_file_close(archive->file);
    cls_free(archive);
}

int cls_shipped_capability(const cls_shipped *archive) {
    return archive->capability;
}

static const unsigned char *entry_of(const cls_shipped *archive, const cls_cache_key *key) {
    uint64_t low = 0, high = archive->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const unsigned char *entry = archive->index + middle * ENTRY_BYTES;
        const int order = memcmp(entry, key->bytes, sizeof key->bytes);
        if (order == 0) return entry;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Exactly `bytes` bytes come out. */
static int unpack(const unsigned char *packed, size_t packed_bytes, unsigned char *to, size_t bytes) {
    uint64_t limit = UINT64_MAX;
    size_t from = 0, at = 0;
    return lzma_stream_buffer_decode(&limit, 0, NULL, packed, &from, packed_bytes, to, &at, bytes) == LZMA_OK &&
           from == packed_bytes && at == bytes;
}

/* The block with the member at its begin, from cls_alloc; NULL: it is not sound. */
static unsigned char *load_block(const cls_shipped *archive, const unsigned char *entry) {
    const size_t packed_bytes = (size_t)number_at(entry + 24, 8), bytes = (size_t)number_at(entry + 32, 8);
    const size_t begin = (size_t)number_at(entry + 40, 8), member = (size_t)number_at(entry + 48, 8);
    unsigned char *packed = cls_alloc(packed_bytes, 1), *block = cls_alloc(bytes, 1), sum[16];
    int done = packed && block && cls_file_read_at(archive->file, packed, packed_bytes, number_at(entry + 16, 8)) &&
               unpack(packed, packed_bytes, block, bytes);
    if (done) {
        memmove(block, block + begin, member);
        checksum(block, member, sum);
        done = memcmp(sum, entry + 56, sizeof sum) == 0;
    }
    cls_free(packed);
    if (done) return block;
    cls_free(block);
    return NULL;
}

void *cls_shipped_load(const cls_shipped *archive, const cls_cache_key *key, size_t *bytes) {
    const unsigned char *entry = entry_of(archive, key);
    void *member = entry ? load_block(archive, entry) : NULL;
    if (member) *bytes = (size_t)number_at(entry + 48, 8);
    return member;
}

/* ---- for a GPU ---- */

/* Machine code for sm_86 runs on 8.6 and on later minors of 8, and PTX on each GPU that is no older, where the driver
 * compiles it. So the archives are tried from the GPU's own capability down to the first of its generation, then
 * PTX. */
cls_shipped *cls_shipped_for(int capability, int or_ptx) {
    char target[32], *folder = cls_shipped_folder();
    cls_shipped *archive = NULL;
    if (!folder) return NULL;
    for (int c = capability; !archive && c >= capability / 10 * 10; c--) {
        (void)snprintf(target, sizeof target, "sm_%d", c);
        archive = cls_shipped_open(folder, target);
    }
    if (!archive && or_ptx) archive = cls_shipped_open(folder, "ptx");
    if (archive && cls_shipped_capability(archive) > capability) {
        cls_shipped_close(archive);
        archive = NULL;
    }
    cls_free(folder);
    return archive;
}

cls_cache_key cls_shipped_key_on(int capability, int own, const char *dialect, const char *source,
                                 const char *options) {
    static const char unit[] = "-DCLS_UNIT=";
    char words[512];
    const char *at = strstr(options, unit);
    int used = snprintf(words, sizeof words, "%s", options);
    if (at && atoi(at + sizeof unit - 1) == own) {
        const char *rest = at + sizeof unit - 1;
        rest += strspn(rest, "0123456789");
        used = snprintf(words, sizeof words, "%.*s%s%d%s", (int)(at - options), options, unit, capability, rest);
    }
    if (used < 0 || (size_t)used >= sizeof words) return (cls_cache_key){{0}};
    return cls_shipped_key(dialect, source, words);
}

/* ---- writing ---- */

static int by_file(const void *a, const void *b) {
    const cls_shipped_member *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    if (order != 0) return order;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : memcmp(x->key.bytes, y->key.bytes, 16);
}

static int by_key(const void *a, const void *b) {
    return memcmp(a, b, sizeof((cls_cache_key *)0)->bytes); /* an entry begins with it */
}

/* Packs so many members, and makes their entries. */
static int write_block(FILE *file, const cls_shipped_member *members, size_t count, unsigned char *entries,
                       uint64_t *offset) {
    size_t total = 0, at = 0, bytes = 0;
    for (size_t k = 0; k < count; k++) total += members[k].bytes;
    const size_t room = lzma_stream_buffer_bound(total);
    unsigned char *block = cls_alloc(total, 1), *packed = cls_alloc(room, 1);
    for (size_t k = 0; block && k < count; at += members[k++].bytes)
        memcpy(block + at, members[k].payload, members[k].bytes);
    int done = block && packed &&
               lzma_easy_buffer_encode(9 | LZMA_PRESET_EXTREME, LZMA_CHECK_NONE, NULL, block, total, packed, &bytes,
                                       room) == LZMA_OK &&
               fwrite(packed, 1, bytes, file) == bytes;
    at = 0;
    for (size_t k = 0; k < count; at += members[k++].bytes, entries += ENTRY_BYTES) {
        memcpy(entries, members[k].key.bytes, 16);
        put_number(entries + 16, *offset, 8);
        put_number(entries + 24, bytes, 8);
        put_number(entries + 32, total, 8);
        put_number(entries + 40, at, 8);
        put_number(entries + 48, members[k].bytes, 8);
        checksum(members[k].payload, members[k].bytes, entries + 56);
    }
    *offset += bytes;
    cls_free(block);
    cls_free(packed);
    return done;
}

/* As many of the members as one block has: of one file. */
static size_t in_block(const cls_shipped_member *members, size_t count) {
    size_t k = 1;
    while (k < BLOCK && k < count && strcmp(members[k].file, members[0].file) == 0) k++;
    return k;
}

static int write_archive(FILE *file, const char *target, int capability, const cls_shipped_member *members,
                         size_t count) {
    unsigned char header[HEADER_BYTES] = {0}, *index = cls_alloc(count, ENTRY_BYTES);
    uint64_t offset = HEADER_BYTES + count * ENTRY_BYTES;
    int done = index && fseek(file, (long)offset, SEEK_SET) == 0;
    for (size_t k = 0, some; done && k < count; k += some) {
        some = in_block(members + k, count - k);
        done = write_block(file, members + k, some, index + k * ENTRY_BYTES, &offset);
    }
    if (done) {
        qsort(index, count, ENTRY_BYTES, by_key);
        memcpy(header, magic, sizeof magic);
        put_number(header + 8, LAYOUT, 4);
        put_number(header + 12, (uint64_t)capability, 4);
        (void)snprintf((char *)header + 16, TARGET_BYTES, "%s", target);
        put_number(header + 32, count, 8);
        checksum(index, count * ENTRY_BYTES, header + 40);
        done = fseek(file, 0, SEEK_SET) == 0 && fwrite(header, sizeof header, 1, file) == 1 &&
               (count == 0 || fwrite(index, ENTRY_BYTES, count, file) == count);
    }
    cls_free(index);
    return done;
}

int cls_shipped_write(const char *folder, const char *target, int capability, cls_shipped_member *members,
                      size_t count) {
    char *path = path_of(folder, target);
    FILE *file = path ? fopen(path, "wb") : NULL;
    int done = 0;
    if (file) {
        qsort(members, count, sizeof *members, by_file);
        done = write_archive(file, target, capability, members, count);
        done = fclose(file) == 0 && done;
        if (!done) (void)remove(path);
    }
    cls_free(path);
    return done;
}
