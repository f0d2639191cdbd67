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
 * Readers and writers take no lock. A file that is not exactly as above (cut off, damaged, of another layout) is not
 * there; it is replaced by the next store. Whatever fails here is silent: the cache only ever saves time. There is no
 * fsync: after a power failure a damaged file is recognised by its checksum.
 *
 * Owner. A binary from the folder runs on the device, and some run in the process. So the folder is made for its owner
 * alone, and what is there already is used only if it belongs to this process's user and nobody else may write to it:
 * the folder, and each file (base/system/folder.h). Each use opens the folder and examines what it has opened, so a
 * folder that comes later is examined too. Who may write to a folder above can only put another sound folder of the
 * same user in its place.
 *
 * Claims. A process that compiles for a key holds a lock on the file new-<key>, so that others that want the same wait
 * for the result. The system releases the lock of a process that dies. One that is stopped keeps it: after one wait
 * that ran out, a device waits for nobody any more.
 *
 * Remains. A process that is killed while it writes or compiles leaves a file under its temporary name. The next
 * context removes those that are older than an hour.
 */
#define _POSIX_C_SOURCE 200809L

#include "device/program_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL /* from the header alone: no other library to link or to install */
#include <xxhash.h>

#include "base/memory.h"
#include "base/process.h"
#include "base/system/file.h"
#include "base/system/folder.h"
#include "base/system/life.h"

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

/* A relative path means the folder that is current when the context is made. */
static char *folder_for(const char *wanted) {
    char path[4096];
    if (wanted) return wanted[0] && cls_folder_absolute(wanted, path, sizeof path) ? joined(path, "") : NULL;
    return cls_folder_of_caches(path, sizeof path) ? joined(path, "/clsolve") : NULL;
}

/* "/<32 hex digits>.clbin" */
static void file_name(const cls_cache_key *key, char name[64]) {
    name[0] = '/';
    for (int i = 0; i < 16; i++) (void)snprintf(name + 1 + 2 * i, 3, "%02x", key->bytes[i]);
    (void)snprintf(name + 33, 8, ".clbin");
}

/* ---- the folder ---- */

/* A file of the folder for reading; -1: there is none that may be used. */
static int open_file(const char *path, const char *name) {
    const char *reason;
    cls_folder folder;
    if (!cls_folder_open(path, &folder, &reason)) return -1;
    const int file = cls_folder_read(&folder, name + 1);
    cls_folder_close(&folder);
    return file;
}

/* The folder, made where it is not there. */
static int make_and_open(const char *path, cls_folder *folder, const char **reason) {
    cls_folder_make(path);
    errno = 0;
    return cls_folder_open(path, folder, reason);
}

static const char temporary_prefix[] = "new-";
enum { TEMPORARY_SIZE = 32, TEMPORARY_AGE = 3600 };

char *cls_cache_folder(const char *wanted, char *why, size_t size) {
    char *path = folder_for(wanted);
    const char *reason = NULL;
    cls_folder folder;
    if (path && cls_folder_open(path, &folder, &reason)) {
        cls_folder_remove_old(&folder, temporary_prefix, TEMPORARY_AGE);
        cls_folder_close(&folder);
    }
    if (!reason) return path;
    (void)snprintf(why, size, "the cache folder %s is not used: %s", path, reason);
    cls_free(path);
    return NULL;
}

/* ---- files ---- */

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
    const int64_t size = cls_file_bytes(file);
    unsigned char header[HEADER_BYTES], right[HEADER_BYTES];
    if (size <= HEADER_BYTES || !cls_file_read(file, header, sizeof header)) return NULL;
    /* The length is checked against the file's before anything is allocated by it. */
    uint64_t length = number_at(header + LENGTH_AT);
    if (length != (uint64_t)size - HEADER_BYTES || length > SIZE_MAX) return NULL;
    void *payload = cls_alloc((size_t)length, 1);
    if (!payload) return NULL;
    if (cls_file_read(file, payload, (size_t)length)) {
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
    int file = open_file(folder, name);
    if (file < 0) return NULL;
    void *payload = payload_of(file, key, bytes);
    (void)cls_file_close(file);
    return payload;
}

void cls_cache_store(const char *folder, const cls_cache_key *key, const void *payload, size_t bytes) {
    char name[64];
    unsigned char header[HEADER_BYTES];
    file_name(key, name);
    make_header(key, payload, bytes, header);
    (void)cls_cache_replace(folder, name, header, sizeof header, payload, bytes, NULL, 0);
}

/* ---- one process at a time compiles ---- */

/* The claim's file begins as a temporary one does, so that what is left of it goes likewise. */
static void claim_name(const cls_cache_key *key, char name[64]) {
    int used = snprintf(name, 64, "%s", temporary_prefix);
    for (int i = 0; i < 16; i++) used += snprintf(name + used, 3, "%02x", key->bytes[i]);
}

/* A lock goes with the process that holds it, however that ends. */
static int try_claim(const char *path, const char *name, int *claim) {
    const char *reason;
    cls_folder folder;
    int busy = 0;
    if (!make_and_open(path, &folder, &reason)) return 0;
    *claim = cls_folder_lock(&folder, name, &busy);
    cls_folder_close(&folder);
    return *claim >= 0 || busy;
}

/* A claim may be short, or as long as a compilation: so the pauses grow. */
int cls_cache_claim(const char *folder, const cls_cache_key *key, cls_waiting *waiting, const atomic_int *stop) {
    enum { FIRST = 100, LAST = 5000, MOST = 30 * 1000 }; /* microseconds; milliseconds */
    const int64_t most = (int64_t)1000 * (waiting->most > 0 ? waiting->most : MOST);
    struct timespec pause = {0};
    char name[64];
    int claim = -1;
    claim_name(key, name);
    for (int64_t waited = 0;; waited += pause.tv_nsec / 1000) {
        if (!try_claim(folder, name, &claim) || claim >= 0) return claim;
        if (waited >= most) atomic_store(&waiting->ran_out, 1);
        if (atomic_load(&waiting->ran_out) || (stop && (atomic_load(stop) || cls_process_ends()))) return -1;
        const int64_t next = FIRST + waited / 4;
        pause.tv_nsec = 1000 * (long)(next < LAST ? next : LAST);
        (void)nanosleep(&pause, NULL);
    }
}

void cls_cache_unclaim(const char *path, const cls_cache_key *key, int claim) {
    char name[64];
    const char *reason;
    cls_folder folder;
    claim_name(key, name);
    if (cls_folder_open(path, &folder, &reason)) {
        cls_folder_remove(&folder, name);
        cls_folder_close(&folder);
    }
    (void)cls_file_close(claim);
}

/* ---- files of other kinds ---- */

int cls_cache_read(const char *folder, const char *name, void *room, size_t size, size_t *bytes) {
    int file = open_file(folder, name);
    if (file < 0) return 0;
    const int64_t whole = cls_file_bytes(file);
    *bytes = (uint64_t)whole < size ? (size_t)whole : size;
    const int there = cls_file_read(file, room, *bytes);
    (void)cls_file_close(file);
    return there;
}

static void say_why(const char *folder, const char *reason, char *why, size_t size) {
    if (why && size > 0)
        (void)snprintf(why, size, "cannot write in %s: %s", folder,
                       reason  ? reason
                       : errno ? strerror(errno)
                               : "out of memory");
}

/* A new file in the open folder, under a name that no other process and no other thread has; -1 with errno. */
static int temporary_in(const cls_folder *folder, char name[TEMPORARY_SIZE]) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t number = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec << 20 ^
                      (uint64_t)cls_life_process() << 40 ^ (uint64_t)(uintptr_t)name;
    for (int tries = 0; tries < 1000; ++tries, number += 0x9e3779b97f4a7c15u) {
        (void)snprintf(name, TEMPORARY_SIZE, "%s%016llx", temporary_prefix, (unsigned long long)number);
        int file = cls_folder_create(folder, name);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* The same in the folder at `path`, which is open then; -1, with why, and it is not open. */
static int temporary_at(const char *path, cls_folder *folder, char name[TEMPORARY_SIZE], char *why, size_t why_size) {
    const char *reason;
    const int there = make_and_open(path, folder, &reason), file = there ? temporary_in(folder, name) : -1;
    if (file < 0) say_why(path, reason, why, why_size);
    if (file < 0 && there) cls_folder_close(folder);
    return file;
}

int cls_cache_writable(const char *path, char *why, size_t why_size) {
    char name[TEMPORARY_SIZE];
    cls_folder folder;
    const int file = temporary_at(path, &folder, name, why, why_size);
    if (file < 0) return 0;
    (void)cls_file_close(file);
    cls_folder_remove(&folder, name);
    cls_folder_close(&folder);
    return 1;
}

int cls_cache_replace(const char *path, const char *name, const void *header, size_t header_bytes, const void *payload,
                      size_t bytes, char *why, size_t why_size) {
    char temporary[TEMPORARY_SIZE];
    cls_folder folder;
    const int file = temporary_at(path, &folder, temporary, why, why_size);
    if (file < 0) return 0;
    int written = cls_file_write(file, header, header_bytes) && cls_file_write(file, payload, bytes);
    /* close can still report a full disk. */
    written = cls_file_close(file) == 0 && written;
    written = written && cls_folder_rename(&folder, temporary, name + 1);
    if (!written) say_why(path, NULL, why, why_size);
    if (!written) cls_folder_remove(&folder, temporary);
    cls_folder_close(&folder);
    return written;
}
