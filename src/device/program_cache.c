/*
 * program_cache.c: compiled programs on disk. It knows bytes and files, nothing of any backend.
 *
 * Key. 128 bits of XXH128 over the format's version and, each behind its length: the source, the options, and
 * all that names the device and its driver. Nothing else is ever looked at: a new driver or a changed kernel is a
 * new key, and the old file is simply never read again.
 *
 * File. <folder>/<key as 32 hex digits>.clbin; numbers are little-endian:
 *
 *      0   8  magic "CLSOLVEP"
 *      8   4  version of this layout
 *     12   4  zero
 *     16  16  key
 *     32   8  length of the payload
 *     40  16  XXH128 of the payload, in its canonical form
 *     56   -  payload: what the driver gives as the program's binary; the file ends with it
 *
 * Concurrency. A file is written under a unique temporary name in the same folder and then renamed, so that a reader
 * sees a whole file or none, and of several writers (threads or processes) the last one wins with the same content.
 * There is no lock. A file that is not exactly as above (cut off, damaged, of another layout) is not there; it is
 * replaced by the next store. Whatever fails here is silent: the cache only ever saves time. There is no fsync: after
 * a power failure a damaged file is recognised by its checksum.
 *
 * Owner. A binary from the folder runs on the device. So the folder is made for its owner alone, and one that is there
 * already is used only if it belongs to this process's user and nobody else may write to it.
 */
#define _POSIX_C_SOURCE 200809L

#include "device/program_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* from the header alone: no library to link or to install beside this one */
#include <xxhash.h>

#include "base/memory.h"

enum { LAYOUT = 2, HEADER_BYTES = 56, KEY_AT = 16, LENGTH_AT = 32, SUM_AT = 40 };
static const char magic[8] = {'C', 'L', 'S', 'O', 'L', 'V', 'E', 'P'};

/* ---- XXH128 (Y. Collet, xxHash) ---- */

static uint64_t number_at(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = (value << 8) | bytes[i];
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

cls_cache_key cls_cache_key_of(const char *const *fields, size_t count) {
    /* The key so far, the length of the next field, and its hash: their hash is the key with that field. */
    unsigned char link[16 + 8 + 16] = {LAYOUT};
    cls_cache_key key;
    memset(&key, 0, sizeof key);
    for (size_t i = 0; i < count; i++) {
        const char *field = fields[i] ? fields[i] : "";
        const size_t length = strlen(field);
        put_number(link + 16, length, 8);
        checksum(field, length, link + 24);
        checksum(link, sizeof link, key.bytes);
        memcpy(link, key.bytes, sizeof key.bytes);
    }
    return key;
}

/* ---- names ---- */

static char *joined(const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = cls_alloc(size, 1);
    if (text) (void)snprintf(text, size, "%s%s", a, b);
    return text;
}

static char *folder_for(const char *wanted) {
    if (wanted) return wanted[0] ? joined(wanted, "") : NULL;
    /* The XDG base directory specification: a path that is not absolute is to be ignored. */
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return joined(cache, "/clsolve");
    if (home && home[0] == '/') return joined(home, "/.cache/clsolve");
    return NULL;
}

/* NULL: it may be used, or is not there yet. */
static const char *unsafe(const char *folder) {
    struct stat about;
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)) return NULL;
    if (about.st_uid != geteuid()) return "it belongs to another user";
    return about.st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

char *cls_cache_folder(const char *wanted, char *why, size_t size) {
    char *folder = folder_for(wanted);
    const char *reason = folder ? unsafe(folder) : NULL;
    if (!reason) return folder;
    (void)snprintf(why, size, "the cache folder %s is not used: %s", folder, reason);
    cls_free(folder);
    return NULL;
}

/* "/<32 hex digits>.clbin" */
static void file_name(const cls_cache_key *key, char name[64]) {
    name[0] = '/';
    for (int i = 0; i < 16; i++) (void)snprintf(name + 1 + 2 * i, 3, "%02x", key->bytes[i]);
    (void)snprintf(name + 33, 8, ".clbin");
}

/* The folder and those above it. What cannot be made shows when the file cannot be opened. */
static void make_folders(const char *folder) {
    char *path = joined(folder, "");
    if (!path) return;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
    cls_free(path);
}

/* ---- files ---- */

static bool read_all(int file, void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t got = read(file, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t put = write(file, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

static void make_header(const cls_cache_key *key, const void *payload, size_t bytes,
                        unsigned char header[HEADER_BYTES]) {
    memset(header, 0, HEADER_BYTES);
    memcpy(header, magic, sizeof magic);
    put_number(header + 8, LAYOUT, 4);
    memcpy(header + KEY_AT, key->bytes, sizeof key->bytes);
    put_number(header + LENGTH_AT, bytes, 8);
    checksum(payload, bytes, header + SUM_AT);
}

/* The payload of an open file, when the header that it ought to have is the one that it has. */
static void *payload_of(int file, const cls_cache_key *key, size_t *bytes) {
    struct stat about;
    unsigned char header[HEADER_BYTES], right[HEADER_BYTES];
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= HEADER_BYTES) return NULL;
    if (!read_all(file, header, sizeof header)) return NULL;
    /* The length is checked against the file's before anything is allocated by it. */
    uint64_t length = number_at(header + LENGTH_AT);
    if (length != (uint64_t)about.st_size - HEADER_BYTES || length > SIZE_MAX) return NULL;
    void *payload = cls_alloc((size_t)length, 1);
    if (!payload) return NULL;
    if (read_all(file, payload, (size_t)length)) {
        make_header(key, payload, (size_t)length, right);
        if (memcmp(header, right, sizeof right) == 0) {
            *bytes = (size_t)length;
            return payload;
        }
    }
    cls_free(payload);
    return NULL;
}

void *cls_cache_load(const char *folder, const cls_cache_key *key, size_t *bytes) {
    char name[64];
    file_name(key, name);
    char *path = joined(folder, name);
    /* Not blocking, should there be a pipe under the name. */
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    void *payload = file >= 0 ? payload_of(file, key, bytes) : NULL;
    if (file >= 0) (void)close(file);
    cls_free(path);
    return payload;
}

void cls_cache_store(const char *folder, const cls_cache_key *key, const void *payload, size_t bytes) {
    char name[64];
    unsigned char header[HEADER_BYTES];
    file_name(key, name);
    make_header(key, payload, bytes, header);
    (void)cls_cache_replace(folder, name, header, sizeof header, payload, bytes, NULL, 0);
}

/* ---- files of other kinds ---- */

int cls_cache_read(const char *folder, const char *name, void *room, size_t size, size_t *bytes) {
    char *path = joined(folder, name);
    /* Not blocking, should there be a pipe under the name. */
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat about;
    bool there = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (there) {
        *bytes = about.st_size < (off_t)size ? (size_t)about.st_size : size;
        there = read_all(file, room, *bytes);
    }
    if (file >= 0) (void)close(file);
    cls_free(path);
    return there;
}

static void say_why(const char *folder, char *why, size_t size) {
    if (why && size > 0)
        (void)snprintf(why, size, "cannot write in %s: %s", folder, errno ? strerror(errno) : "out of memory");
}

/* A file under a name of its own in the folder, open; -1 with errno. *path from cls_alloc, or NULL. */
static int temporary_in(const char *folder, char **path) {
    make_folders(folder);
    errno = 0;
    *path = joined(folder, "/new-XXXXXX");
    return *path ? mkstemp(*path) : -1;
}

int cls_cache_writable(const char *folder, char *why, size_t why_size) {
    char *path;
    int file = temporary_in(folder, &path);
    if (file < 0) say_why(folder, why, why_size);
    if (file >= 0) (void)close(file);
    if (file >= 0) (void)unlink(path);
    cls_free(path);
    return file >= 0;
}

int cls_cache_replace(const char *folder, const char *name, const void *header, size_t header_bytes,
                      const void *payload, size_t bytes, char *why, size_t why_size) {
    char *temporary = NULL, *path = joined(folder, name);
    int file = path ? temporary_in(folder, &temporary) : -1;
    bool written = file >= 0;
    if (written) {
        written = write_all(file, header, header_bytes) && write_all(file, payload, bytes);
        /* close can still report a full disk. */
        written = close(file) == 0 && written;
        written = written && rename(temporary, path) == 0;
    }
    if (!written) say_why(folder, why, why_size);
    if (!written && file >= 0) (void)unlink(temporary);
    cls_free(path);
    cls_free(temporary);
    return written;
}
