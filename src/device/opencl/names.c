/* names.c: error codes of OpenCL and of CLBlast by name. CLBlast shares OpenCL's for all above -1000. */
#include "device/opencl/names.h"

#ifdef CLSOLVE_CLBLAST
#include <clblast_c.h>
#endif

typedef struct code_name {
    cl_int code;
    const char *name;
} code_name;

#define NAME(code)                                                                                                     \
    { code, #code }

static const code_name names[] = {
    NAME(CL_SUCCESS),
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_IMAGE_FORMAT_MISMATCH),
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MAP_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_COMPILE_PROGRAM_FAILURE),
    NAME(CL_LINKER_NOT_AVAILABLE),
    NAME(CL_LINK_PROGRAM_FAILURE),
    NAME(CL_DEVICE_PARTITION_FAILED),
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE_TYPE),
    NAME(CL_INVALID_PLATFORM),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_QUEUE_PROPERTIES),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAME(CL_INVALID_IMAGE_SIZE),
    NAME(CL_INVALID_SAMPLER),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_GL_OBJECT),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_MIP_LEVEL),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY),
    NAME(CL_INVALID_IMAGE_DESCRIPTOR),
    NAME(CL_INVALID_COMPILER_OPTIONS),
    NAME(CL_INVALID_LINKER_OPTIONS),
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
#ifdef CLSOLVE_CLBLAST
    NAME(CLBlastNotImplemented),
    NAME(CLBlastInvalidMatrixA),
    NAME(CLBlastInvalidMatrixB),
    NAME(CLBlastInvalidMatrixC),
    NAME(CLBlastInvalidVectorX),
    NAME(CLBlastInvalidVectorY),
    NAME(CLBlastInvalidDimension),
    NAME(CLBlastInvalidLeadDimA),
    NAME(CLBlastInvalidLeadDimB),
    NAME(CLBlastInvalidLeadDimC),
    NAME(CLBlastInvalidIncrementX),
    NAME(CLBlastInvalidIncrementY),
    NAME(CLBlastInsufficientMemoryA),
    NAME(CLBlastInsufficientMemoryB),
    NAME(CLBlastInsufficientMemoryC),
    NAME(CLBlastInsufficientMemoryX),
    NAME(CLBlastInsufficientMemoryY),
    NAME(CLBlastInsufficientMemoryTemp),
    NAME(CLBlastInvalidBatchCount),
    NAME(CLBlastInvalidOverrideKernel),
    NAME(CLBlastMissingOverrideParameter),
    NAME(CLBlastInvalidLocalMemUsage),
    NAME(CLBlastNoHalfPrecision),
    NAME(CLBlastNoDoublePrecision),
    NAME(CLBlastInvalidVectorScalar),
    NAME(CLBlastInsufficientMemoryScalar),
    NAME(CLBlastDatabaseError),
    NAME(CLBlastUnknownError),
    NAME(CLBlastUnexpectedError),
#endif
};

const char *cls_opencl_error_name(cl_int code) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code) return names[i].name;
    return "unknown error";
}

/*
 * CL_OUT_OF_RESOURCES stays a device error here: drivers give it for a kernel that faulted, too. Only where a buffer
 * is created does it mean memory (buffer.c).
 */
static clsolve_status status_of(cl_int code) {
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return CLSOLVE_ERROR_OUT_OF_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
#ifdef CLSOLVE_CLBLAST
    case CLBlastNoDoublePrecision:
    case CLBlastInvalidLocalMemUsage:
        return CLSOLVE_ERROR_UNSUPPORTED;
#endif
    default:
        return CLSOLVE_ERROR_DEVICE;
    }
}

clsolve_status cls_opencl_fail(cls_error *error, cl_int code, const char *call) {
    return cls_fail(error, status_of(code), "%s failed: %s (%d)", call, cls_opencl_error_name(code), (int)code);
}
