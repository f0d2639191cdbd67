/* names.h: error codes of OpenCL and of CLBlast by name. */
#ifndef CLS_OPENCL_NAMES_H
#define CLS_OPENCL_NAMES_H

#include <CL/cl.h>

#include "base/error.h"

/* "CL_OUT_OF_RESOURCES", "CLBlastInvalidDimension"; "unknown error" for a code in neither list. */
const char *cls_opencl_error_name(cl_int code);

/* Writes "<call> failed: <name> (<code>)" and returns the status that suits the code. */
clsolve_status cls_opencl_fail(cls_error *error, cl_int code, const char *call);

#endif
