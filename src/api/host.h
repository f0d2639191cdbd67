/* host.h (private): the host as the other side of a context's device, and whether AUTO may take it. */
#ifndef CLS_API_HOST_H
#define CLS_API_HOST_H

#include <clsolve/factorization.h>

#include "api/context.h"

/* The context's host, opened when first asked for. */
clsolve_status cls_context_host(clsolve_context *context, cls_device **host);

/* CLSOLVE_HOST=never and =always stand in AUTO's place, for tests and measurements; else `asked`. */
clsolve_where cls_host_forced(clsolve_where asked);

/* A has room on the host twice, the caller's own and the handle's. */
int cls_host_has_room(const cls_task *task);

#endif
