# The CUDA toolkit, for -DCLSOLVE_CUDA=ON or AUTO: its headers, and where its libraries are, which are loaded at run time and
# never linked. CLSOLVE_CUDA_ROOT, or the environment's CUDA_PATH or CUDA_HOME, names a toolkit elsewhere.
#
# Sets CLSOLVE_CUDA_FOUND, CLSOLVE_CUDA_INCLUDE, CLSOLVE_CUDA_LIBRARIES (a folder) and CLSOLVE_CUDA_VERSION.
set(CLSOLVE_CUDA_FOUND OFF)
if(NOT CLSOLVE_CUDA)
  return()
endif()

set(CLSOLVE_CUDA_ROOT "" CACHE PATH "Folder of the CUDA toolkit; empty: the usual ones")
set(hints ${CLSOLVE_CUDA_ROOT} ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda /opt/cuda)
find_path(CLSOLVE_CUDA_INCLUDE NAMES nvrtc.h HINTS ${hints} PATH_SUFFIXES include)
find_library(CLSOLVE_CUDA_NVRTC NAMES nvrtc HINTS ${hints} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
mark_as_advanced(CLSOLVE_CUDA_INCLUDE CLSOLVE_CUDA_NVRTC)

set(wanted "")
foreach(header cuda.h nvrtc.h cublas_v2.h)
  if(NOT EXISTS "${CLSOLVE_CUDA_INCLUDE}/${header}")
    list(APPEND wanted ${header})
  endif()
endforeach()
if(NOT wanted)
  file(STRINGS ${CLSOLVE_CUDA_INCLUDE}/cuda.h line REGEX "^#define CUDA_VERSION +[0-9]+")
  string(REGEX REPLACE "[^0-9]" "" CLSOLVE_CUDA_VERSION "${line}")
  if(CLSOLVE_CUDA_VERSION LESS 11000)
    list(APPEND wanted "CUDA 11 or newer (${CLSOLVE_CUDA_INCLUDE}/cuda.h is of ${CLSOLVE_CUDA_VERSION})")
  endif()
endif()

list(JOIN wanted ", " wanted)
if(NOT wanted)
  set(CLSOLVE_CUDA_FOUND ON)
  if(CLSOLVE_CUDA_NVRTC)
    get_filename_component(CLSOLVE_CUDA_LIBRARIES ${CLSOLVE_CUDA_NVRTC} DIRECTORY)
  else()
    set(CLSOLVE_CUDA_LIBRARIES ${CLSOLVE_CUDA_INCLUDE}/../lib64)
  endif()
  message(STATUS "Found CUDA ${CLSOLVE_CUDA_VERSION}: ${CLSOLVE_CUDA_INCLUDE}")
elseif(CLSOLVE_CUDA STREQUAL "AUTO")
  message(STATUS "No CUDA toolkit here: built without its backend (not found: ${wanted})")
else()
  message(FATAL_ERROR "CLSOLVE_CUDA is ${CLSOLVE_CUDA}, and not found: ${wanted}.\n"
    "Install NVIDIA's CUDA toolkit, name its folder in -DCLSOLVE_CUDA_ROOT=..., or build with -DCLSOLVE_CUDA=OFF.")
endif()
