/*
 * device.c: which device a process takes, and the contexts of a process.
 *
 * A process takes the device of its number on the node, modulo the devices that fit. Processes beyond the number of
 * devices share them. The processes of a node must agree on the list, so it is the library's, whose order is fixed as
 * long as the drivers are.
 */
#include "plugin.h"

typedef struct Shared Shared;
struct Shared {
    Shared *next;
    clsolve_context *context;
    PetscInt users; /* handles made from it */
    char selector[CLSOLVE_PETSC_SELECTOR];
};

enum { DEVICES = 64 };

/* As PETSc's packages have their class ids: what a process knows from its registration to PetscFinalize. */
static Shared *contexts;
static PetscMPIInt number_on_node, processes_on_node;

/* A context that still has users stays: their handles need it, and PetscFinalize is no reason to crash. */
static PetscErrorCode ContextsFinalize(void) {
    PetscFunctionBegin;
    while (contexts) {
        Shared *last = contexts;
        contexts = last->next;
        if (last->users == 0) clsolve_context_destroy(last->context);
        PetscCall(PetscFree(last));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveDeviceInitialize(void) {
    MPI_Comm node;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_rank(node, &number_on_node));
    PetscCallMPI(MPI_Comm_size(node, &processes_on_node));
    PetscCallMPI(MPI_Comm_free(&node));
    PetscCall(PetscRegisterFinalize(ContextsFinalize));
    PetscFunctionReturn(0);
}

/* GPUs through CUDA, then GPUs through OpenCL, then CPUs: one class alone, because a GPU may be in two. */
static int DeviceClass(const clsolve_device_info *device) {
    if (!device->fp64) return 0;
    if (device->type == CLSOLVE_DEVICE_GPU) return device->backend[0] == 'c' ? 4 : 3;
    return device->type == CLSOLVE_DEVICE_CPU ? 1 : 2;
}

static PetscErrorCode DeviceFits(const clsolve_device_info *device, const char selector[], PetscBool *fits) {
    const char *texts[3] = {device->name, device->vendor, device->platform};
    PetscFunctionBegin;
    PetscCall(PetscStrcmp(selector, "auto", fits));
    if (*fits) PetscFunctionReturn(0);
    PetscCall(PetscStrcmp(selector, device->backend, fits));
    if (*fits) PetscFunctionReturn(0);
    PetscCall(PetscStrcmp(selector, "gpu", fits));
    if (*fits) {
        *fits = device->type == CLSOLVE_DEVICE_GPU ? PETSC_TRUE : PETSC_FALSE;
        PetscFunctionReturn(0);
    }
    PetscCall(PetscStrcmp(selector, "cpu", fits));
    if (*fits) {
        *fits = device->type == CLSOLVE_DEVICE_CPU ? PETSC_TRUE : PETSC_FALSE;
        PetscFunctionReturn(0);
    }
    for (int t = 0; t < 3 && !*fits; ++t) {
        char *found, text[128], wanted[CLSOLVE_PETSC_SELECTOR];
        PetscCall(PetscStrncpy(text, texts[t], sizeof text));
        PetscCall(PetscStrncpy(wanted, selector, sizeof wanted));
        PetscCall(PetscStrtolower(text));
        PetscCall(PetscStrtolower(wanted));
        PetscCall(PetscStrstr(text, wanted, &found));
        *fits = found ? PETSC_TRUE : PETSC_FALSE;
    }
    PetscFunctionReturn(0);
}

/* From the option to the selector of one device. The library itself checks a selector with a number, and "host". */
static PetscErrorCode DeviceChoose(const char option[], char selector[CLSOLVE_PETSC_SELECTOR], clsolve_status *status,
                                   char message[CLSOLVE_PETSC_TEXT]) {
    clsolve_device_info devices[DEVICES];
    const clsolve_device_info *fitting[DEVICES];
    int64_t count = 0;
    int best = 0, candidates = 0;
    PetscBool exact;
    char *colon;
    PetscFunctionBegin;
    *status = CLSOLVE_OK;
    PetscCall(PetscStrncpy(selector, option, CLSOLVE_PETSC_SELECTOR));
    PetscCall(PetscStrchr(option, ':', &colon));
    PetscCall(PetscStrcmp(option, "host", &exact));
    if (colon || exact) PetscFunctionReturn(0);

    *status = clsolve_devices(devices, DEVICES, &count);
    if (*status != CLSOLVE_OK) {
        ClsolveMessage(NULL, *status, message);
        PetscFunctionReturn(0);
    }
    for (int64_t d = 0; d < count && d < DEVICES; ++d) {
        PetscBool fits;
        const int class = DeviceClass(&devices[d]);
        PetscCall(DeviceFits(&devices[d], option, &fits));
        if (!fits || class < best || class == 0) continue;
        if (class > best) candidates = 0;
        best = class;
        fitting[candidates++] = &devices[d];
    }
    if (candidates == 0) {
        *status = CLSOLVE_ERROR_NO_DEVICE;
        PetscCall(PetscSNPrintf(message, CLSOLVE_PETSC_TEXT,
                                "ERROR_NO_DEVICE: none of %d devices with double precision fits \"%s\"; \"host\" works "
                                "without a device",
                                (int)count, option));
        PetscFunctionReturn(0);
    }
    PetscCall(PetscStrncpy(selector, fitting[number_on_node % candidates]->selector, CLSOLVE_PETSC_SELECTOR));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveContextGet(const char option[], clsolve_context **context, clsolve_status *status,
                                 char message[CLSOLVE_PETSC_TEXT]) {
    char selector[CLSOLVE_PETSC_SELECTOR];
    Shared *shared;
    PetscFunctionBegin;
    *context = NULL;
    PetscCall(DeviceChoose(option, selector, status, message));
    if (*status != CLSOLVE_OK) PetscFunctionReturn(0);
    for (shared = contexts; shared; shared = shared->next) {
        PetscBool same;
        PetscCall(PetscStrcmp(shared->selector, selector, &same));
        if (same) break;
    }
    if (!shared) {
        char text[CLSOLVE_PETSC_TEXT] = "";
        clsolve_context_options options = {.selector = selector, .message = text, .message_size = sizeof text};
        clsolve_context *made = NULL;
        *status = clsolve_context_create_with(&options, &made);
        if (*status != CLSOLVE_OK) {
            PetscCall(PetscSNPrintf(message, CLSOLVE_PETSC_TEXT, "%s: device \"%s\": %s", clsolve_status_name(*status),
                                    selector, text[0] ? text : clsolve_status_text(*status)));
            PetscFunctionReturn(0);
        }
        PetscCall(PetscNew(&shared));
        PetscCall(PetscStrncpy(shared->selector, selector, sizeof shared->selector));
        shared->context = made;
        shared->next = contexts;
        contexts = shared;
    }
    ++shared->users;
    *context = shared->context;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveContextRestore(clsolve_context **context) {
    PetscFunctionBegin;
    for (Shared *shared = contexts; shared; shared = shared->next)
        if (shared->context == *context) --shared->users;
    *context = NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveContextDescribe(clsolve_context *context, char text[CLSOLVE_PETSC_TEXT]) {
    const clsolve_device_info device = clsolve_context_device(context);
    PetscFunctionBegin;
    PetscCall(PetscSNPrintf(text, CLSOLVE_PETSC_TEXT, "%s (%s), process %d of %d on its node", device.selector,
                            device.name, number_on_node, processes_on_node));
    PetscFunctionReturn(0);
}

PetscErrorCode ClsolveDeviceView(void) {
    char selector[CLSOLVE_PETSC_SELECTOR], message[CLSOLVE_PETSC_TEXT] = "", node[MPI_MAX_PROCESSOR_NAME];
    clsolve_status status;
    PetscMPIInt rank, length;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Get_processor_name(node, &length));
    PetscCall(DeviceChoose("auto", selector, &status, message));
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "clsolve: process %d is number %d of %d on %s: %s\n", rank,
                                      number_on_node, processes_on_node, node,
                                      status == CLSOLVE_OK ? selector : message));
    PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
    PetscFunctionReturn(0);
}
