/*
 * selectors.c: what a selector of several devices means (include/clsolve/context.h): parts with commas between them, of
 * which a number alone belongs to the backend of the part before; "all", "gpu:all" and "cuda:all".
 */
#include "device/backend.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Devices of one context: more are a mistake. */
enum { MOST = 64 };

typedef struct selectors {
    cls_selector *list; /* MOST */
    int64_t count;
    const char *whole; /* for messages */
    cls_error *error;
} selectors;

static clsolve_status append(selectors *to, const char *text, size_t length) {
    if (to->count == MOST)
        return cls_fail(to->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "the selector \"%.100s\" names more than %d devices",
                        to->whole, MOST);
    if (length >= sizeof to->list[0].text)
        return cls_fail(to->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "a part of the selector \"%.100s\" has more than %d characters", to->whole,
                        (int)sizeof to->list[0].text - 1);
    char *end = to->list[to->count++].text;
    memcpy(end, text, length);
    end[length] = '\0';
    return CLSOLVE_OK;
}

/* ---- all devices of a kind ---- */

/* "all" and "gpu:all": *kind is what stands before the colon, "" for "all". */
static int is_all(const char *selector, char kind[128]) {
    char part[256];
    cls_selector_tidy(selector, part, sizeof part);
    const char *colon = strrchr(part, ':'), *last = colon ? colon + 1 + strspn(colon + 1, " ") : part;
    size_t length = colon ? (size_t)(colon - part) : 0;
    while (length > 0 && part[length - 1] == ' ') length--;
    if (length >= 128 || !cls_same_text(last, "all")) return 0;
    memcpy(kind, part, length);
    kind[length] = '\0';
    return 1;
}

/* A GPU that two backends list is taken once, through the backend that is listed first. */
static int is_listed_before(const clsolve_device_info *list, int64_t at) {
    for (int64_t i = 0; i < at; i++)
        if (strcmp(list[i].backend, list[at].backend) != 0 && strcmp(list[i].name, list[at].name) == 0) return 1;
    return 0;
}

/* The best device comes first, because it leads; the others follow as they are listed. */
static clsolve_status append_fitting(selectors *to, const char *kind, const clsolve_device_info *list, int64_t count) {
    const int one_backend = cls_same_text(kind, "cuda") || cls_same_text(kind, "opencl");
    int64_t best = -1, before = to->count;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < count; i++) {
            if (!cls_selector_fits(&list[i], kind) || cls_device_too_old(&list[i])) continue;
            if (!one_backend && is_listed_before(list, i)) continue;
            if (pass == 0 && (best < 0 || cls_device_better(&list[i], &list[best]))) best = i;
            if (pass == 0 || i == best) continue;
            if (to->count == before) CLS_TRY(append(to, list[best].selector, strlen(list[best].selector)));
            CLS_TRY(append(to, list[i].selector, strlen(list[i].selector)));
        }
    if (best >= 0 && to->count == before) return append(to, list[best].selector, strlen(list[best].selector));
    return CLSOLVE_OK;
}

/* Where none of a known kind is there, the part stays as it is: whoever opens it says which devices there are. */
static clsolve_status append_all(selectors *to, const char *part, const char *kind) {
    int64_t count = 0, before = to->count;
    CLS_TRY(cls_devices_list(NULL, 0, &count, to->error));
    clsolve_device_info *list = cls_alloc((size_t)count + 1, sizeof *list);
    if (!list) return cls_fail(to->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no memory for the list of devices");
    int64_t capacity = count;
    clsolve_status status = cls_devices_list(list, capacity, &count, to->error);
    if (status == CLSOLVE_OK) status = append_fitting(to, kind, list, count < capacity ? count : capacity);
    cls_free(list);
    if (status != CLSOLVE_OK || to->count > before) return status;
    if (kind[0] == '\0' || cls_selector_is_kind(kind)) return append(to, part, strlen(part));
    return cls_fail(
        to->error, CLSOLVE_ERROR_NO_DEVICE,
        "no device fits the selector \"%.100s\": before \":all\" comes gpu, cpu, opencl, cuda, or a part of a "
        "device's name, vendor or platform; \"all\" alone takes all devices",
        part);
}

/* ---- lists ---- */

/* A number alone: the device of that number of the backend of the part before, "cuda" of "cuda:0". */
static clsolve_status append_number(selectors *to, const char *number) {
    const char *before = to->count > 0 ? to->list[to->count - 1].text : "", *colon = strchr(before, ':');
    char text[256];
    if (!colon || colon[1 + strspn(colon + 1, "0123456789")] != '\0')
        return cls_fail(to->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "the selector \"%.100s\" has the number %.20s without a backend before it: write \"cuda:0,1\"",
                        to->whole, number);
    (void)snprintf(text, sizeof text, "%.*s:%.20s", (int)(colon - before), before, number);
    return append(to, text, strlen(text));
}

static clsolve_status append_part(selectors *to, const char *begin, size_t length) {
    char given[256], part[256], kind[128];
    while (length > 0 && *begin == ' ') begin++, length--;
    while (length > 0 && begin[length - 1] == ' ') length--;
    if (length == 0)
        return cls_fail(to->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "the selector \"%.100s\" has an empty part: each part names a device", to->whole);
    if (length >= sizeof given) return append(to, begin, length);
    memcpy(given, begin, length);
    given[length] = '\0';
    cls_selector_tidy(given, part, sizeof part);
    if (part[strspn(part, "0123456789")] == '\0') return append_number(to, part);
    if (is_all(part, kind)) return append_all(to, part, kind);
    return append(to, part, strlen(part));
}

/* "Advanced Micro Devices, Inc." has a comma and is a part of a vendor's name. */
static int is_a_name(const char *selector) {
    int64_t count = 0;
    int found = 0;
    cls_error error = {""};
    if (cls_devices_list(NULL, 0, &count, &error) != CLSOLVE_OK || count == 0) return 0;
    clsolve_device_info *list = cls_alloc((size_t)count, sizeof *list);
    int64_t capacity = count;
    if (list && cls_devices_list(list, capacity, &count, &error) == CLSOLVE_OK)
        for (int64_t i = 0; i < count && i < capacity; i++) found |= cls_selector_fits(&list[i], selector);
    cls_free(list);
    return found;
}

int cls_selector_is_list(const char *selector) {
    char kind[128];
    return strchr(selector, ',') || is_all(selector, kind);
}

clsolve_status cls_selectors_expand(const char *selector, cls_selector **list, int64_t *count, cls_error *error) {
    char kind[128];
    *list = NULL;
    *count = 0;
    selectors to = {.list = cls_alloc(MOST, sizeof *to.list), .whole = selector, .error = error};
    if (!to.list) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of selectors");
    clsolve_status status = CLSOLVE_OK;
    if (is_all(selector, kind))
        status = append_all(&to, selector, kind);
    else if (!strchr(selector, ',') || is_a_name(selector))
        status = append(&to, selector, strlen(selector));
    else
        for (const char *part = selector, *end = part; part && status == CLSOLVE_OK; part = *end ? end + 1 : NULL) {
            end = part + strcspn(part, ",");
            status = append_part(&to, part, (size_t)(end - part));
        }
    if (status != CLSOLVE_OK) {
        cls_free(to.list);
        return status;
    }
    *list = to.list;
    *count = to.count;
    return CLSOLVE_OK;
}
