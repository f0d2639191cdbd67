/* shelf.c: see shelf.h. */
#include "device/shelf.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "device/compiler.h"

typedef struct shelved {
    cls_cache_key key;
    void *handle;
    struct shelved *next;
} shelved;

struct cls_shelf {
    pthread_mutex_t lock;
    int devices; /* that share it */
    shelved *first;
};

clsolve_status cls_shelf_share(cls_device *device, cls_device *twin) {
    cls_shelf *shelf = device->shelf;
    if (!shelf) {
        shelf = cls_alloc(1, sizeof *shelf);
        if (!shelf || pthread_mutex_init(&shelf->lock, NULL) != 0) {
            cls_free(shelf);
            return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for programs that are shared");
        }
        shelf->devices = 1;
        device->shelf = shelf;
    }
    (void)pthread_mutex_lock(&shelf->lock);
    shelf->devices++;
    (void)pthread_mutex_unlock(&shelf->lock);
    twin->shelf = shelf;
    return CLSOLVE_OK;
}

/* The lock is held. */
static void *on_shelf(const cls_shelf *shelf, const cls_cache_key *key) {
    const shelved *at = shelf->first;
    while (at && memcmp(at->key.bytes, key->bytes, sizeof key->bytes) != 0) at = at->next;
    return at ? at->handle : NULL;
}

void *cls_shelf_find(const cls_device *device, const cls_cache_key *key) {
    if (!device->shelf) return NULL;
    (void)pthread_mutex_lock(&device->shelf->lock);
    void *handle = on_shelf(device->shelf, key);
    (void)pthread_mutex_unlock(&device->shelf->lock);
    return handle;
}

int cls_shelf_put(const cls_device *device, const cls_cache_key *key, void *handle) {
    cls_shelf *shelf = device->shelf;
    shelved *made = shelf && handle ? cls_alloc(1, sizeof *made) : NULL;
    if (!made) return 0;
    (void)pthread_mutex_lock(&shelf->lock);
    const int is_new = on_shelf(shelf, key) == NULL;
    if (is_new) {
        *made = (shelved){*key, handle, shelf->first};
        shelf->first = made;
    }
    (void)pthread_mutex_unlock(&shelf->lock);
    if (!is_new) cls_free(made);
    return is_new;
}

void cls_shelf_leave(cls_device *device) {
    cls_shelf *shelf = device->shelf;
    if (!shelf) return;
    device->shelf = NULL;
    (void)pthread_mutex_lock(&shelf->lock);
    const int rest = --shelf->devices;
    (void)pthread_mutex_unlock(&shelf->lock);
    if (rest > 0) return;
    for (shelved *at = shelf->first, *next; at; at = next) {
        next = at->next;
        device->compiler->release(device, at->handle);
        cls_free(at);
    }
    (void)pthread_mutex_destroy(&shelf->lock);
    cls_free(shelf);
}
