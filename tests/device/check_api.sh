#!/bin/sh
# check_api.sh LIBRARY: each function of OpenCL that the library calls is in OpenCL 1.2, as of its core.
set -eu
known=' clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateSubDevices clRetainDevice clReleaseDevice
clCreateContext clCreateContextFromType clRetainContext clReleaseContext clGetContextInfo
clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo
clCreateBuffer clCreateSubBuffer clRetainMemObject clReleaseMemObject clGetMemObjectInfo clSetMemObjectDestructorCallback
clCreateProgramWithSource clCreateProgramWithBinary clRetainProgram clReleaseProgram clBuildProgram clCompileProgram clLinkProgram
clUnloadPlatformCompiler clGetProgramInfo clGetProgramBuildInfo
clCreateKernel clCreateKernelsInProgram clRetainKernel clReleaseKernel clSetKernelArg clGetKernelInfo clGetKernelArgInfo
clGetKernelWorkGroupInfo clWaitForEvents clGetEventInfo clCreateUserEvent clRetainEvent clReleaseEvent clSetUserEventStatus
clSetEventCallback clGetEventProfilingInfo clFlush clFinish
clEnqueueReadBuffer clEnqueueReadBufferRect clEnqueueWriteBuffer clEnqueueWriteBufferRect clEnqueueFillBuffer clEnqueueCopyBuffer
clEnqueueCopyBufferRect clEnqueueMapBuffer clEnqueueUnmapMemObject clEnqueueMigrateMemObjects clEnqueueNDRangeKernel
clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clGetExtensionFunctionAddressForPlatform '
called=$(nm -u "$1" | sed -n 's/^ *U \(cl[A-Z][A-Za-z0-9]*\)\(@.*\)\{0,1\}$/\1/p' | sort -u)
[ -n "$called" ] || { echo "no call of OpenCL's is seen in $1"; exit 1; }
status=0
for call in $called; do
    case "$(echo "$known" | tr '\n' ' ')" in
    *" $call "*) ;;
    *) echo "$call is not in OpenCL 1.2"; status=1 ;;
    esac
done
echo "$(echo "$called" | wc -l) functions of OpenCL are called"
exit $status
