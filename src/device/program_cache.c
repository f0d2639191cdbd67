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
 * the folder, and each file. Each use opens the folder, examines what it has opened, and reaches files from there alone
 * (openat, renameat). So a folder that comes later is examined too, and none can be exchanged after it was. Who may
 * write to a folder above can only put another sound folder of the same user in its place.
 *
 * Claims. A process that compiles for a key holds a lock on the file new-<key>, so that others that want the same wait
 * for the result. The system releases the lock of a process that dies.
 *
 * Remains. A process that is killed while it writes or compiles leaves a file under its temporary name. The next
 * context removes those that are older than an hour.
 */
#define _DEFAULT_SOURCE /* flock */
#define _POSIX_C_SOURCE 200809L

#include "device/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* from the header alone: no other library to link or to install */
#include <xxhash.h>

#include "base/memory.h"
#include "base/process.h"

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
static char *absolute(const char *path) {
    char current[PATH_MAX];
    if (path[0] == '/') return joined(path, "");
    if (!getcwd(current, sizeof current - 1)) return NULL;
    (void)strcat(current, "/");
    return joined(current, path);
}

static char *folder_for(const char *wanted) {
    if (wanted) return wanted[0] ? absolute(wanted) : NULL;
    /* The XDG base directory specification: a path that is not absolute is to be ignored. */
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return joined(cache, "/clsolve");
    if (home && home[0] == '/') return joined(home, "/.cache/clsolve");
    return NULL;
}

/* "/<32 hex digits>.clbin" */
static void file_name(const cls_cache_key *key, char name[64]) {
    name[0] = '/';
    for (int i = 0; i < 16; i++) (void)snprintf(name + 1 + 2 * i, 3, "%02x", key->bytes[i]);
    (void)snprintf(name + 33, 8, ".clbin");
}

/* The folder and those above it. A folder that cannot be made shows when the file cannot be opened. */
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

/* ---- the folder ---- */

/* NULL: what was opened may be used. */
static const char *unsafe(const struct stat *about) {
    if (about->st_uid != geteuid()) return "it belongs to another user";
    return about->st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

/* The folder, open and examined; -1: it is not there, or, with *reason, it is not to be used. */
static int open_folder(const char *folder, const char **reason) {
    struct stat about;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *reason = NULL;
    if (at < 0) return -1;
    if (fstat(at, &about) == 0 && !(*reason = unsafe(&about))) return at;
    (void)close(at);
    return -1;
}

/* A file of the folder for reading; -1: there is none that may be used. */
static int open_file(const char *folder, const char *name, struct stat *about) {
    const char *reason;
    int at = open_folder(folder, &reason);
    if (at < 0) return -1;
    /* Not blocking, should there be a pipe under the name. */
    int file = openat(at, name + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    (void)close(at);
    if (file < 0) return -1;
    if (fstat(file, about) == 0 && S_ISREG(about->st_mode) && !unsafe(about)) return file;
    (void)close(file);
    return -1;
}

/* The folder, made where it is not there. */
static int make_and_open(const char *folder, const char **reason) {
    make_folders(folder);
    errno = 0;
    return open_folder(folder, reason);
}

static const char temporary_prefix[] = "new-";
enum { TEMPORARY_SIZE = 32, TEMPORARY_AGE = 3600 };

/* Takes the descriptor. */
static void remove_remains(int at) {
    struct stat about;
    DIR *folder = fdopendir(at);
    if (!folder) {
        (void)close(at);
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strncmp(entry->d_name, temporary_prefix, sizeof temporary_prefix - 1) != 0) continue;
        if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
            continue;
        if (time(NULL) - about.st_mtime > TEMPORARY_AGE) (void)unlinkat(dirfd(folder), entry->d_name, 0);
    }
    (void)closedir(folder);
}

char *cls_cache_folder(const char *wanted, char *why, size_t size) {
    char *folder = folder_for(wanted);
    const char *reason = NULL;
    int at = folder ? open_folder(folder, &reason) : -1;
    if (at >= 0) remove_remains(at);
    if (!reason) return folder;
    (void)snprintf(why, size, "the cache folder %s is not used: %s", folder, reason);
    cls_free(folder);
    return NULL;
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
static void *payload_of(int file, const struct stat *about, const cls_cache_key *key, size_t *bytes) {
    unsigned char header[HEADER_BYTES], right[HEADER_BYTES];
    if (about->st_size <= HEADER_BYTES) return NULL;
    if (!read_all(file, header, sizeof header)) return NULL;
    /* The length is checked against the file's before anything is allocated by it. */
    uint64_t length = number_at(header + LENGTH_AT);
    if (length != (uint64_t)about->st_size - HEADER_BYTES || length > SIZE_MAX) return NULL;
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
    struct stat about;
    file_name(key, name);
    int file = open_file(folder, name, &about);
    if (file < 0) return NULL;
    void *payload = payload_of(file, &about, key, bytes);
    (void)close(file);
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
static int try_claim(const char *folder, const char *name, int *claim) {
    const char *reason;
    int at = make_and_open(folder, &reason);
    if (at < 0) return 0;
    *claim = openat(at, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    (void)close(at);
    if (*claim < 0) return 0;
    if (flock(*claim, LOCK_EX | LOCK_NB) == 0) return 1;
    const int busy = errno == EWOULDBLOCK;
    (void)close(*claim);
    *claim = -1;
    return busy;
}

int cls_cache_claim(const char *folder, const cls_cache_key *key, const atomic_int *stop) {
    enum { PAUSE = 5, MOST = 30 * 1000 }; /* milliseconds */
    const struct timespec pause = {.tv_nsec = PAUSE * 1000000};
    char name[64];
    int claim = -1;
    claim_name(key, name);
    for (int waited = 0; waited < MOST; waited += PAUSE) {
        if (!try_claim(folder, name, &claim) || claim >= 0) return claim;
        if (stop && (atomic_load(stop) || cls_process_ends())) return -1;
        (void)nanosleep(&pause, NULL);
    }
    return -1;
}

void cls_cache_unclaim(const char *folder, const cls_cache_key *key, int claim) {
    char name[64];
    const char *reason;
    int at = open_folder(folder, &reason);
    claim_name(key, name);
    if (at >= 0) (void)unlinkat(at, name, 0);
    if (at >= 0) (void)close(at);
    (void)close(claim);
}

/* ---- files of other kinds ---- */

int cls_cache_read(const char *folder, const char *name, void *room, size_t size, size_t *bytes) {
    struct stat about;
    int file = open_file(folder, name, &about);
    if (file < 0) return 0;
    *bytes = about.st_size < (off_t)size ? (size_t)about.st_size : size;
    bool there = read_all(file, room, *bytes);
    (void)close(file);
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
static int temporary_in(int at, char name[TEMPORARY_SIZE]) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t number = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec << 20 ^ (uint64_t)getpid() << 40 ^
                      (uint64_t)(uintptr_t)name;
    for (int tries = 0; tries < 1000; ++tries, number += 0x9e3779b97f4a7c15u) {
        (void)snprintf(name, TEMPORARY_SIZE, "%s%016llx", temporary_prefix, (unsigned long long)number);
        int file = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

int cls_cache_writable(const char *folder, char *why, size_t why_size) {
    char name[TEMPORARY_SIZE];
    const char *reason;
    int at = make_and_open(folder, &reason), file = at >= 0 ? temporary_in(at, name) : -1;
    if (file < 0) say_why(folder, reason, why, why_size);
    if (file >= 0) (void)close(file);
    if (file >= 0) (void)unlinkat(at, name, 0);
    if (at >= 0) (void)close(at);
    return file >= 0;
}

int cls_cache_replace(const char *folder, const char *name, const void *header, size_t header_bytes,
                      const void *payload, size_t bytes, char *why, size_t why_size) {
    char temporary[TEMPORARY_SIZE];
    const char *reason;
    int at = make_and_open(folder, &reason), file = at >= 0 ? temporary_in(at, temporary) : -1;
    bool written = file >= 0;
    if (written) {
        written = write_all(file, header, header_bytes) && write_all(file, payload, bytes);
        /* close can still report a full disk. */
        written = close(file) == 0 && written;
        written = written && renameat(at, temporary, at, name + 1) == 0;
    }
    if (!written) say_why(folder, reason, why, why_size);
    if (!written && file >= 0) (void)unlinkat(at, temporary, 0);
    if (at >= 0) (void)close(at);
    return written;
}
