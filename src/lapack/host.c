/*
 * host.c: the host's LAPACK behind each entry. It is looked for in this order:
 *
 *   1. the library that CLSOLVE_LAPACK_HOST names
 *   2. the next library after this one in the loader's order, if this one stands in front of it (LD_PRELOAD, linked
 *      first)
 *   3. any loaded library with the symbol: Python loads its LAPACK for itself alone, and such libraries are in no order
 *   4. liblapack.so.3, or OpenBLAS where that name leads here
 *
 * If this library was loaded by one that forwards calls (libblastrampoline, FlexiBLAS), the one that forwards is not
 * taken: it would come back here.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lapack/gate.h"
#include "lapack/state.h"

#define SYMBOL(id, symbol, ...)                          [LAPACK_##id] = #symbol,
#define VARIANT(id, symbol, routine, type, variant, ...) [LAPACK_##id] = variant,
#define FORWARDED_SYMBOL(symbol, result)                 [LAPACK_FORWARDED_##symbol] = #symbol,
static const char *const symbols[] = {LAPACK_ENTRIES(SYMBOL)};
static const unsigned char variants[] = {LAPACK_ENTRIES(VARIANT)};
static const char *const forwarded_symbols[] = {LAPACK_FORWARDED(FORWARDED_SYMBOL)};
static const char *const getrf_of[LAPACK_VARIANTS] = {[PLAIN] = "dgetrf_",
                                                      [SUFFIX_64_] = "dgetrf_64_",
                                                      [SUFFIX64_] = "dgetrf64_",
                                                      [SCIPY] = "scipy_dgetrf_",
                                                      [SCIPY_64_] = "scipy_dgetrf_64_"};
static const char usual_width[LAPACK_VARIANTS] = {[SUFFIX_64_] = 1, [SUFFIX64_] = 1, [SCIPY_64_] = 1};

/* The beginning of the library that holds the address; NULL: none does. */
static void *home_of(void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

static void *own_home(void) {
    return home_of((void *)(uintptr_t)&cls_lapack);
}

/* ---- loaded libraries ---- */

enum { MOST_LIBRARIES = 1024 };

typedef struct loaded {
    char *names[MOST_LIBRARIES];
    int count;
} loaded;

static int note_library(struct dl_phdr_info *info, size_t size, void *user) {
    loaded *all = user;
    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] && all->count < MOST_LIBRARIES) {
        char *name = strdup(info->dlpi_name);
        if (name) all->names[all->count++] = name;
    }
    return 0;
}

/* Names are collected first: the loader's lock is held during the walk. */
static void *find_loaded(const char *symbol, const void *not_here) {
    loaded *all = calloc(1, sizeof *all);
    void *found = NULL;
    if (!all) return NULL;
    (void)dl_iterate_phdr(note_library, all);
    for (int k = 0; k < all->count && !found; k++) {
        void *handle = dlopen(all->names[k], RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) continue;
        found = dlsym(handle, symbol);
        if (home_of(found) == own_home() || home_of(found) == not_here) found = NULL;
        (void)dlclose(handle); /* it was loaded before, and stays */
    }
    for (int k = 0; k < all->count; k++) free(all->names[k]);
    free(all);
    return found;
}

/* ---- libraries that are loaded for it; they stay ---- */

static void *find_in(const char *library, const char *symbol) {
    void *handle = library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
    void *found = handle ? dlsym(handle, symbol) : NULL;
    return home_of(found) == own_home() ? NULL : found;
}

static void *find(const char *symbol) {
    void *front = dlsym(RTLD_DEFAULT, symbol), *found = find_in(cls_lapack.options.host, symbol);
    if (cls_lapack.options.host && !found)
        cls_lapack_say("no %s in CLSOLVE_LAPACK_HOST=%s", symbol, cls_lapack.options.host);
    if (!found && home_of(front) == own_home()) {
        found = dlsym(RTLD_NEXT, symbol);
        if (home_of(found) == own_home()) found = NULL;
    }
    if (!found) found = find_loaded(symbol, home_of(front));
    if (!found) found = find_in("liblapack.so.3", symbol);
    if (!found) found = find_in("libopenblas.so.0", symbol);
    return found;
}

/* ---- the width of its integers ---- */

/*
 * An empty matrix is factored: m = n = 0, with zeros in the upper halves too. LAPACK then writes info = 0 and nothing
 * else. All bits of info were ones: in how many of them zeros stand is the width. The first half of lda is 1 in either
 * order of bytes.
 */
static int width_of(void *getrf, int usual) {
    union {
        int32_t half[2];
        int64_t whole;
    } zero = {.whole = 0}, lda = {.half = {1, 1}}, info = {.whole = -1}, pivot = {.whole = 0};
    union {
        void *object;
        void (*function)(void *, void *, void *, void *, void *, void *);
    } host = {.object = getrf};
    double a[2] = {0};
    if (!getrf) return usual;
    host.function(&zero, &zero, a, &lda, &pivot, &info);
    return info.half[0] == 0 && info.half[1] == 0;
}

/* As the loader does for a symbol that nobody has. */
static void give_up(const char *symbol) {
    (void)fprintf(stderr,
                  "libclsolve_lapack.so: undefined symbol: %s: set CLSOLVE_LAPACK_HOST to a LAPACK that has it\n",
                  symbol);
    _exit(127);
}

void *cls_lapack_host(int entry) {
    void *host = atomic_load_explicit(&cls_lapack.host[entry], memory_order_acquire);
    if (host) return host;
    cls_lapack_start();
    host = find(symbols[entry]);
    if (!host) give_up(symbols[entry]);
    int variant = variants[entry];
    int wide = width_of(strstr(symbols[entry], "dgetrf_") ? host : find(getrf_of[variant]), usual_width[variant]);
    atomic_store(&cls_lapack.wide[variant], wide);
    atomic_store_explicit(&cls_lapack.host[entry], host, memory_order_release);
    Dl_info info = {0};
    (void)dladdr(host, &info);
    cls_lapack_say("%s of the host: %s, integers of %d bits", symbols[entry], info.dli_fname ? info.dli_fname : "?",
                   wide ? 64 : 32);
    return host;
}

void *cls_lapack_inner(int entry) {
    void *inner = atomic_load_explicit(&cls_lapack.inner[entry], memory_order_acquire);
    if (inner) return inner;
    inner = cls_lapack.library_handle ? dlsym(cls_lapack.library_handle, symbols[entry]) : NULL;
    if (!inner || home_of(inner) == own_home()) inner = find_in("libopenblas.so.0", symbols[entry]);
    if (!inner) give_up(symbols[entry]);
    atomic_store_explicit(&cls_lapack.inner[entry], inner, memory_order_release);
    return inner;
}

void *cls_lapack_host_forwarded(int forwarded) {
    void *host = atomic_load_explicit(&cls_lapack.forwarded[forwarded], memory_order_acquire);
    if (host) return host;
    cls_lapack_start();
    host = find(forwarded_symbols[forwarded]);
    if (!host) give_up(forwarded_symbols[forwarded]);
    atomic_store_explicit(&cls_lapack.forwarded[forwarded], host, memory_order_release);
    return host;
}
