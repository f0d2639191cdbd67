/*
 * backends.c: the list of backends, and what a selector means (include/clsolve/context.h).
 *
 * A selector is tried in this order, letter case ignored: none (the best), a device type, a backend's name,
 * "<backend>:<index>", part of a name. "host" is none of the list. Among the devices that fit, the best ranked is
 * taken, one that is too old to be opened last; of equals, the one that is listed first. A GPU that two backends list
 * is taken through the one that stands first below: CUDA before OpenCL.
 */
#include "device/backend.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/process.h"
#include "device/interop.h"
#include "device/programs.h"
#include "device/shelf.h"

static const cls_backend *const backends[] = {
#ifdef CLSOLVE_CUDA
    &cls_backend_cuda,
#endif
    &cls_backend_opencl};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

/* The backends that this build is without, up to one without a name. */
static const struct {
    const char *name, *why;
} not_built[] = {
#ifndef CLSOLVE_CUDA
    {"cuda", "this build has no CUDA backend (configure it with -DCLSOLVE_CUDA=ON)"},
#endif
    {NULL, NULL}};

typedef struct device_list {
    clsolve_device_info *devices;
    int64_t count;
} device_list;

/* The devices of all backends, one after the other, or the first `wanted` of `only`. The caller frees list->devices. */
static clsolve_status list_devices(const cls_backend *only, int64_t wanted, device_list *list, cls_error *error) {
    *list = (device_list){NULL, 0};
    for (size_t b = 0; b < BACKENDS; b++) {
        if (only && backends[b] != only) continue;
        clsolve_device_info *more = NULL;
        int64_t count = 0;
        clsolve_status status = backends[b]->list(wanted, &more, &count, error);
        if (status == CLSOLVE_OK && count > 0) {
            size_t before = (size_t)list->count, after = before + (size_t)count;
            clsolve_device_info *joined = cls_alloc(after, sizeof *joined);
            if (joined) {
                if (before > 0) memcpy(joined, list->devices, before * sizeof *joined);
                memcpy(joined + before, more, (size_t)count * sizeof *joined);
                cls_free(list->devices);
                *list = (device_list){joined, (int64_t)after};
            } else {
                status = cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
            }
        }
        cls_free(more);
        if (status != CLSOLVE_OK) {
            cls_free(list->devices);
            *list = (device_list){NULL, 0};
            return status;
        }
    }
    return CLSOLVE_OK;
}

clsolve_status cls_devices_list(clsolve_device_info *list, int64_t capacity, int64_t *count, cls_error *error) {
    device_list all;
    CLS_TRY(cls_process_enter_drivers(error));
    clsolve_status status = list_devices(NULL, CLS_ALL_DEVICES, &all, error);
    cls_process_leave_drivers();
    if (status != CLSOLVE_OK) return status;
    for (int64_t i = 0; i < all.count && i < capacity; i++) list[i] = all.devices[i];
    *count = all.count;
    cls_free(all.devices);
    return CLSOLVE_OK;
}

/* ---- which of them a selector names ---- */

static int contains(const char *text, const char *part) {
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
        if (!part[i]) return 1;
    }
    return 0;
}

static int is_backend(const char *selector) {
    for (size_t b = 0; b < BACKENDS; b++)
        if (cls_same_text(selector, backends[b]->name)) return 1;
    return 0;
}

int cls_selector_fits(const clsolve_device_info *info, const char *selector) {
    if (selector[0] == '\0') return 1;
    if (cls_same_text(selector, "gpu")) return info->type == CLSOLVE_DEVICE_GPU;
    if (cls_same_text(selector, "cpu")) return info->type == CLSOLVE_DEVICE_CPU;
    if (is_backend(selector)) return cls_same_text(selector, info->backend);
    return cls_same_text(selector, info->selector) || contains(info->name, selector) ||
           contains(info->vendor, selector) || contains(info->platform, selector);
}

int cls_selector_is_kind(const char *text) {
    return cls_same_text(text, "gpu") || cls_same_text(text, "cpu") || cls_same_text(text, "cuda") || is_backend(text);
}

void cls_selector_tidy(const char *selector, char *text, size_t size) {
    const char *colon = strchr(selector, ':');
    char kind[16];
    size_t length = colon ? (size_t)(colon - selector) : 0;

    while (*selector == ' ' && selector[strspn(selector, " ")] != '\0') selector++, length -= length > 0;
    while (length > 0 && selector[length - 1] == ' ') length--;
    (void)snprintf(kind, sizeof kind, "%.*s", length < sizeof kind ? (int)length : 0, selector);
    if (colon && cls_selector_is_kind(kind))
        (void)snprintf(text, size, "%s:%s", kind, colon + 1 + strspn(colon + 1, " "));
    else
        (void)snprintf(text, size, "%s", selector);
    for (size_t end = strlen(text); end > 1 && text[end - 1] == ' '; end--) text[end - 1] = '\0';
}

static int type_rank(clsolve_device_type type) {
    return type == CLSOLVE_DEVICE_GPU ? 2 : type == CLSOLVE_DEVICE_OTHER ? 1 : 0;
}

/* A driver that does not say its clock counts as 1 MHz: it can still be told apart by its units. */
static int64_t speed(const clsolve_device_info *info) {
    return (int64_t)info->compute_units * (info->clock_mhz > 0 ? info->clock_mhz : 1);
}

int cls_device_better(const clsolve_device_info *a, const clsolve_device_info *b) {
    int old = cls_device_too_old(a) - cls_device_too_old(b);
    if (old != 0) return old < 0;
    int types = type_rank(a->type) - type_rank(b->type);
    if (types != 0) return types > 0;
    if (a->fp64 != b->fp64) return a->fp64 > b->fp64;
    /* The same GPU, though two drivers may tell another clock. */
    if (strcmp(a->name, b->name) == 0 && strcmp(a->backend, b->backend) != 0) return 0;
    return speed(a) > speed(b);
}

/* "cuda" or "cuda:...": the selector means the backend of that name and no other. */
static int means(const char *selector, const char *name) {
    size_t i = 0;
    while (name[i] && tolower((unsigned char)selector[i]) == name[i]) i++;
    return !name[i] && (selector[i] == '\0' || selector[i] == ':');
}

/* "cuda" or "cuda:0": anything else behind the colon may be part of some device's name. */
static int is_exactly(const char *selector, const char *name) {
    if (!means(selector, name)) return 0;
    const char *rest = selector + strlen(name);
    return rest[0] == '\0' || (rest[1] != '\0' && rest[1 + strspn(rest + 1, "0123456789")] == '\0');
}

/* Appends why the backends have no devices, those alone that the selector means, where it means one. */
static void say_absent(const char *selector, const device_list *list, char *text, size_t size) {
    int named = 0;
    for (size_t b = 0; not_built[b].name; b++) {
        if (!is_exactly(selector, not_built[b].name)) continue;
        (void)snprintf(text, size, "%s", not_built[b].why);
        return;
    }
    for (size_t b = 0; b < BACKENDS; b++) named |= means(selector, backends[b]->name);
    for (size_t b = 0; b < BACKENDS; b++) {
        size_t used = strlen(text);
        char why[512];
        int has = 0;
        for (int64_t i = 0; i < list->count; i++) has |= cls_same_text(list->devices[i].backend, backends[b]->name);
        if (has || (named && !means(selector, backends[b]->name))) continue;
        backends[b]->absent(why, sizeof why);
        (void)snprintf(text + used, size - used, "%s%s", used ? "; " : "", why);
    }
}

static clsolve_status no_device(const char *selector, const device_list *list, cls_error *error) {
    char text[2048] = "", why[1200] = "";
    size_t used = 0;
    for (int64_t i = 0; i < list->count && used < sizeof text - 1; i++) {
        const clsolve_device_info *info = &list->devices[i];
        int more = snprintf(text + used, sizeof text - used, "%s%s (%s, %s)", i ? ", " : "", info->selector, info->name,
                            info->platform);
        if (more < 0) break;
        used += (size_t)more;
    }
    say_absent(selector, list, why, sizeof why);
    if (list->count == 0)
        return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no device for the selector \"%s\": %s", selector, why);
    return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no device fits the selector \"%s\"; there are: %s%s%s", selector,
                    text, why[0] ? "; " : "", why);
}

/* The position of `info` within its own backend: the N of "opencl:N". */
static int64_t index_in_backend(const device_list *list, int64_t at) {
    int64_t index = 0;
    for (int64_t i = 0; i < at; i++)
        if (cls_same_text(list->devices[i].backend, list->devices[at].backend)) index++;
    return index;
}

static clsolve_status open_at(const device_list *list, int64_t at, const cls_among *among, const char *cache_folder,
                              cls_error *error, cls_device **device) {
    for (size_t b = 0; b < BACKENDS; b++)
        if (cls_same_text(backends[b]->name, list->devices[at].backend))
            return backends[b]->open(index_in_backend(list, at), &list->devices[at], among, cache_folder, error,
                                     device);
    return cls_fail(error, CLSOLVE_ERROR_NO_DEVICE, "no backend \"%s\" in this build", list->devices[at].backend);
}

/* The place in the list of the device to use; -1: none fits. */
static int64_t best_of(const device_list *list, const char *selector) {
    int64_t best = -1;
    for (int64_t i = 0; i < list->count; i++)
        if (cls_selector_fits(&list->devices[i], selector) &&
            (best < 0 || cls_device_better(&list->devices[i], &list->devices[best])))
            best = i;
    return best;
}

/* The backend that "cuda" or "cuda:0" names, or NULL: each driver that is loaded for nothing costs a start 0.1 s. */
static const cls_backend *named_backend(const char *selector) {
    for (size_t b = 0; b < BACKENDS; b++)
        if (is_exactly(selector, backends[b]->name)) return backends[b];
    return NULL;
}

/* The devices up to the one that "opencl:2" means; all of them for "opencl", and for a company. */
static int64_t devices_wanted(const cls_backend *only, const cls_company *company, const char *selector) {
    enum { MOST = 1000 };
    if (!only || company || selector[strlen(only->name)] == '\0') return CLS_ALL_DEVICES;
    const long at = strtol(selector + strlen(only->name) + 1, NULL, 10);
    return at < MOST ? at + 1 : CLS_ALL_DEVICES;
}

/* The members of the company that are in the list; among->infos from cls_alloc, NULL where there is no company. */
static clsolve_status find_company(const device_list *list, const cls_company *company, cls_among *among,
                                   cls_error *error) {
    *among = (cls_among){NULL, 0, NULL, 0};
    if (!company) return CLSOLVE_OK;
    among->infos = cls_alloc((size_t)company->count, sizeof *among->infos);
    if (!among->infos) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    among->opened = company->opened;
    among->opened_count = company->opened_count;
    for (int64_t i = 0; i < company->count; i++) {
        const char *selector = company->selectors[i].text;
        const int64_t at = cls_same_text(selector, CLS_HOST) ? -1 : best_of(list, selector);
        if (at >= 0) among->infos[among->count++] = list->devices[at];
    }
    return CLSOLVE_OK;
}

static clsolve_status open_best(const device_list *list, int64_t best, const cls_company *company,
                                const char *cache_folder, cls_error *error, cls_device **device) {
    cls_among among;
    CLS_TRY(find_company(list, company, &among, error));
    clsolve_status status = open_at(list, best, company ? &among : NULL, cache_folder, error, device);
    cls_free(among.infos);
    return status;
}

static clsolve_status list_and_open(const cls_company *company, const char *selector, const char *cache_folder,
                                    cls_error *error, cls_device **device) {
    const cls_backend *only = named_backend(selector);
    device_list list;
    CLS_TRY(list_devices(only, devices_wanted(only, company, selector), &list, error));
    int64_t best = best_of(&list, selector);
    if (best < 0 && only) { /* for the message, or for another backend's device of that name */
        cls_free(list.devices);
        CLS_TRY(list_devices(NULL, CLS_ALL_DEVICES, &list, error));
        best = best_of(&list, selector);
    }
    clsolve_status status =
        best < 0 ? no_device(selector, &list, error) : open_best(&list, best, company, cache_folder, error, device);
    cls_free(list.devices);
    return status;
}

clsolve_status cls_device_open_among(const cls_company *company, const char *selector, const char *cache_folder,
                                     cls_error *error, cls_device **device) {
    char tidy[256];
    *device = NULL;
    if (!selector) selector = "";
    cls_selector_tidy(selector, tidy, sizeof tidy);
    if (strlen(selector) < sizeof tidy) selector = tidy;
    if (cls_same_text(selector, CLS_HOST)) return cls_host_open(error, device);
    CLS_TRY(cls_process_enter_drivers(error));
    clsolve_status status = list_and_open(company, selector, cache_folder, error, device);
    cls_process_leave_drivers();
    return status;
}

clsolve_status cls_device_open(const char *selector, const char *cache_folder, cls_error *error, cls_device **device) {
    return cls_device_open_among(NULL, selector, cache_folder, error, device);
}

void cls_device_close(cls_device *device) {
    if (device) device->ops->destroy(device);
}

clsolve_status cls_device_twin(cls_device *device, cls_error *error, cls_device **twin) {
    *twin = NULL;
    if (!device->ops->twin) return CLSOLVE_ERROR_UNSUPPORTED;
    CLS_TRY(device->ops->twin(device, error, twin));
    const clsolve_status status = cls_shelf_share(device, *twin);
    if (status == CLSOLVE_OK) return status;
    cls_device_close(*twin);
    *twin = NULL;
    return status;
}

#ifndef CLSOLVE_CUDA
clsolve_status cls_device_adopt_cuda(int id, void *stream, const char *cache_folder, cls_error *error,
                                     cls_device **device) {
    (void)id;
    (void)stream;
    (void)cache_folder;
    *device = NULL;
    return cls_fail(
        error, CLSOLVE_ERROR_UNSUPPORTED,
        "clsolve_context_create_cuda: this libclsolve was built without CUDA: build it with -DCLSOLVE_CUDA=ON");
}

/* No device is of that backend. */
clsolve_status cls_device_follow_cuda(cls_device *device, void *stream) {
    (void)stream;
    return cls_fail(device->error, CLSOLVE_ERROR_UNSUPPORTED,
                    "clsolve_context_follow_cuda: this libclsolve was built without CUDA");
}
#endif
