#define _POSIX_C_SOURCE 200809L

#include "api/context.h"

#include <stdio.h>
#include <string.h>

#include "api/beside.h"
#include "api/once.h"
#include "api/validate.h"
#include "api/where.h"
#include "base/environment.h"
#include "base/memory.h"
#include "base/process.h"
#include "blas/blas.h"

static void hand_over(const clsolve_context_options *options, const char *text) {
    if (options->message && options->message_size > 0)
        (void)snprintf(options->message, options->message_size, "%s", text);
}

/* ---- create ---- */

static clsolve_status adopt(const cls_handles *handles, const char *cache_folder, clsolve_context *made) {
    CLS_TRY(cls_process_enter_drivers(&made->error));
    clsolve_status status = handles->adopt(handles, cache_folder, &made->error, &made->device);
    cls_process_leave_drivers();
    return status;
}

/* `company`: of several; NULL: it is alone. */
static clsolve_status open_device(const cls_handles *handles, const cls_company *company,
                                  const clsolve_context_options *options, clsolve_context *made) {
    if (handles)
        CLS_TRY(adopt(handles, options->cache_folder, made));
    else if (company)
        CLS_TRY(cls_device_open_among(company, options->selector, options->cache_folder, &made->error, &made->device));
    else
        CLS_TRY(cls_device_open(options->selector, options->cache_folder, &made->error, &made->device));
    return cls_blas_create(made->device);
}

/* Recursive: clsolve_context_try_lock holds it over the same thread's calls. */
static int make_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t recursive;
    if (pthread_mutexattr_init(&recursive) != 0) return 0;
    int made = pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) == 0 &&
               pthread_mutex_init(lock, &recursive) == 0;
    (void)pthread_mutexattr_destroy(&recursive);
    return made;
}

clsolve_status clsolve_context_try_lock(clsolve_context *context) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_process_is_own(context->generation, &context->error));
    return pthread_mutex_trylock(&context->lock) == 0 ? CLSOLVE_OK : CLSOLVE_ERROR_BUSY;
}

void clsolve_context_unlock(clsolve_context *context) {
    if (context && context->generation == cls_process_generation()) (void)pthread_mutex_unlock(&context->lock);
}

static clsolve_status make_one(const char *call, const cls_handles *handles, const cls_company *company,
                               const clsolve_context_options *options, clsolve_context **context) {
    cls_error error = {""};
    *context = NULL;
    clsolve_status fine = CLS_VALIDATE_RESERVED(&error, call, options->reserved);
    if (fine == CLSOLVE_OK) fine = cls_environment_check(&error);
    if (fine != CLSOLVE_OK) {
        hand_over(options, error.text);
        return fine;
    }
    clsolve_context *made = cls_alloc(1, sizeof *made);
    if (!made || !make_lock(&made->lock)) {
        cls_free(made);
        hand_over(options, "no host memory for a context");
        return CLSOLVE_ERROR_OUT_OF_MEMORY;
    }
    made->generation = cls_process_generation();
    clsolve_status status = open_device(handles, company, options, made);
    if (status != CLSOLVE_OK) {
        hand_over(options, made->error.text);
        clsolve_context_destroy(made);
        return status;
    }
    hand_over(options, "");
    *context = made;
    return CLSOLVE_OK;
}

/* ---- several devices: the first of the selectors leads ---- */

/* One device of the company, opened; the message says which one failed. */
static clsolve_status open_one(const char *call, const clsolve_context_options *options, const cls_company *company,
                               const char *selector, cls_error *error, clsolve_context **made) {
    cls_error said = {""};
    clsolve_context_options one = *options;
    one.selector = selector;
    one.message = said.text;
    one.message_size = sizeof said.text;
    clsolve_status status = make_one(call, NULL, company->count > 1 ? company : NULL, &one, made);
    if (status == CLSOLVE_OK) return status;
    return cls_fail(error, status, "%s: device \"%s\": %.3800s", call, selector, said.text);
}

static clsolve_status check_twice(const char *call, const clsolve_context *lead, const clsolve_context *peer,
                                  cls_error *error) {
    const char *selector = peer->device->info.selector;
    int twice = strcmp(lead->device->info.selector, selector) == 0;
    for (int64_t i = 0; i < lead->peer_count; i++)
        twice |= strcmp(lead->peers[i]->device->info.selector, selector) == 0;
    if (!twice) return CLSOLVE_OK;
    return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the device %s (%s) is named twice: name it once", call,
                    selector, peer->device->info.name);
}

static clsolve_status open_peers(const char *call, const clsolve_context_options *options,
                                 const cls_selector *selectors, int64_t count, cls_error *error,
                                 clsolve_context *lead) {
    int numbers[CLS_ENVIRONMENT_LIST], given = cls_environment_shares(numbers);
    if (given > 0 && given != count)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                        "CLSOLVE_SHARES has %d numbers where there are %lld devices: give one for each", given,
                        (long long)count);
    lead->peers = cls_alloc((size_t)count, sizeof *lead->peers);
    lead->devices = cls_alloc((size_t)count, sizeof *lead->devices);
    lead->shares = cls_alloc((size_t)count, sizeof *lead->shares);
    if (!lead->peers || !lead->devices || !lead->shares)
        return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a context of several devices");
    lead->devices[0] = lead->device;
    for (int64_t i = 1; i < count; i++) {
        const cls_company company = {selectors, count, lead->devices, i};
        clsolve_context *peer;
        CLS_TRY(open_one(call, options, &company, selectors[i].text, error, &peer));
        clsolve_status status = check_twice(call, lead, peer, error);
        if (status != CLSOLVE_OK) {
            clsolve_context_destroy(peer);
            return status;
        }
        lead->peers[lead->peer_count++] = peer;
        lead->devices[i] = peer->device;
    }
    return CLSOLVE_OK;
}

static clsolve_status make_several(const char *call, const clsolve_context_options *options,
                                   const cls_selector *selectors, int64_t count, cls_error *error,
                                   clsolve_context **made) {
    const cls_company company = {selectors, count, NULL, 0};
    clsolve_context *lead;
    *made = NULL;
    CLS_TRY(open_one(call, options, &company, selectors[0].text, error, &lead));
    clsolve_status status = count > 1 ? open_peers(call, options, selectors, count, error, lead) : CLSOLVE_OK;
    if (status == CLSOLVE_OK)
        *made = lead;
    else
        clsolve_context_destroy(lead);
    return status;
}

static clsolve_status make_listed(const char *call, const clsolve_context_options *options, clsolve_context **context) {
    cls_error error = {""};
    cls_selector *list;
    int64_t count;
    clsolve_status status = cls_selectors_expand(options->selector, &list, &count, &error);
    if (status == CLSOLVE_OK) status = make_several(call, options, list, count, &error, context);
    cls_free(list);
    hand_over(options, error.text);
    return status;
}

/* 0: and the options' message says that there is no place for the context. */
static int has_place(const char *call, const clsolve_context_options *options, clsolve_context **context) {
    if (context) return 1;
    if (options->message && options->message_size > 0)
        (void)snprintf(options->message, options->message_size, "%s: context is NULL: give the address of a pointer",
                       call);
    return 0;
}

clsolve_status cls_context_make(const char *call, const cls_handles *handles, const clsolve_context_options *options,
                                clsolve_context **context) {
    static const clsolve_context_options defaults = {0};
    CLS_GUARD;

    if (!options) options = &defaults;
    if (!has_place(call, options, context)) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    *context = NULL;
    if (!handles && options->selector && cls_selector_is_list(options->selector))
        return make_listed(call, options, context);
    return make_one(call, handles, NULL, options, context);
}

/* The selectors as a list, each text copied; *list from cls_alloc. */
static clsolve_status copy_selectors(const char *call, int64_t count, const char *const *selectors, cls_error *error,
                                     cls_selector **list) {
    *list = NULL;
    if (count < 1 || count > CLS_DEVICES_MOST || !selectors)
        return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: %lld selectors: give from 1 to %d of them", call,
                        selectors ? (long long)count : 0, CLS_DEVICES_MOST);
    *list = cls_alloc((size_t)count, sizeof **list);
    if (!*list) return cls_fail(error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of selectors");
    for (int64_t i = 0; i < count; i++) {
        const char *text = selectors[i] ? selectors[i] : "";
        if (strlen(text) >= sizeof(*list)[i].text)
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: selector %lld has more than %d characters: name one device, as \"opencl:0\"", call,
                            (long long)i, (int)sizeof(*list)[i].text - 1);
        if (cls_selector_is_list(text))
            return cls_fail(error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: selector %lld is \"%.100s\", which names several devices: give one selector for each "
                            "device, or give this one to clsolve_context_create",
                            call, (long long)i, text);
        (void)snprintf((*list)[i].text, sizeof(*list)[i].text, "%s", text);
    }
    return CLSOLVE_OK;
}

clsolve_status clsolve_context_create_many(const clsolve_context_options *options, int64_t count,
                                           const char *const *selectors, clsolve_context **context) {
    static const clsolve_context_options defaults = {0};
    static const char call[] = "clsolve_context_create_many";
    CLS_GUARD;
    cls_error error = {""};
    cls_selector *list = NULL;

    if (!options) options = &defaults;
    if (!has_place(call, options, context)) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    *context = NULL;
    clsolve_status status = CLSOLVE_OK;
    if (options->selector && options->selector[0])
        status = cls_fail(&error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "%s: the options have the selector \"%.100s\": leave it NULL, the list names the devices",
                          call, options->selector);
    if (status == CLSOLVE_OK) status = copy_selectors(call, count, selectors, &error, &list);
    if (status == CLSOLVE_OK) status = make_several(call, options, list, count, &error, context);
    cls_free(list);
    hand_over(options, error.text);
    return status;
}

clsolve_status clsolve_context_create_with(const clsolve_context_options *options, clsolve_context **context) {
    return cls_context_make("clsolve_context_create_with", NULL, options, context);
}

clsolve_status clsolve_context_create(const char *selector, clsolve_context **context) {
    clsolve_context_options options = {.selector = selector};
    return clsolve_context_create_with(&options, context);
}

static void release_peers(clsolve_context *context) {
    cls_pool_destroy(context->drivers);
    for (int64_t i = 0; i < context->peer_count; i++) clsolve_context_destroy(context->peers[i]);
    cls_free(context->peers);
    cls_free(context->devices);
    cls_free(context->shares);
}

void cls_context_let_go(clsolve_context *context) {
    cls_once_release(context);
    for (int type = 0; context->device && type < CLS_TYPES; type++)
        cls_symmetric_checker_destroy(context->device, &context->symmetric[type]);
}

void clsolve_context_destroy(clsolve_context *context) {
    if (!context || context->generation != cls_process_generation()) return; /* what is a parent's, a child leaves */
    CLS_GUARD;
    release_peers(context);
    cls_beside_release(context->beside);
    cls_callers_memory_release(context);
    cls_context_let_go(context);
    cls_where_release(context);
    cls_device_close(context->device);
    (void)pthread_mutex_destroy(&context->lock);
    cls_free(context);
}

const char *clsolve_context_message(const clsolve_context *context) {
    return context ? context->error.text : "";
}

clsolve_device_info clsolve_context_device(const clsolve_context *context) {
    clsolve_device_info info;
    memset(&info, 0, sizeof info);
    if (context) info = context->device->info;
    return info;
}

clsolve_status cls_context_follow(clsolve_context *context, const char *call, const char *backend,
                                  clsolve_status (*follow)(cls_device *device, void *queue), void *queue) {
    if (!context) return CLSOLVE_ERROR_INVALID_ARGUMENT;
    CLS_TRY(cls_enter(context));
    if (strcmp(context->device->info.backend, backend) == 0) return cls_leave(context, follow(context->device, queue));
    return cls_leave(context, cls_fail(&context->error, CLSOLVE_ERROR_INVALID_ARGUMENT, "%s: the context is on %s",
                                       call, context->device->info.selector));
}
