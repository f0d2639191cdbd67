# Kernels for NVIDIA's GPUs that are compiled when the library is built (src/pack). A library with the CUDA backend reads them
# where liblzma was found; CLSOLVE_CUDA_BINARIES makes them. Sets
#
#   CLSOLVE_SHIPPED         the library reads them
#   CLSOLVE_SHIPPED_MADE    they are made
set(CLSOLVE_CUDA_BINARIES OFF CACHE STRING
  "Compile the kernels for NVIDIA's GPUs and install them with the library: ON, OFF, or AUTO, where NVRTC and liblzma are found")
set_property(CACHE CLSOLVE_CUDA_BINARIES PROPERTY STRINGS OFF ON AUTO)
set(CLSOLVE_CUDA_CAPABILITIES 70 75 80 86 90 100 120 CACHE STRING
  "Compute capabilities for CLSOLVE_CUDA_BINARIES, 90 for 9.0; those that NVRTC does not know are left out")

string(TOUPPER "${CLSOLVE_CUDA_BINARIES}" binaries_wanted)
set(CLSOLVE_SHIPPED OFF)
set(CLSOLVE_SHIPPED_MADE OFF)
set(wanted "")
if(NOT CLSOLVE_CUDA_FOUND)
  list(APPEND wanted "the CUDA backend")
else()
  clsolve_find_dependency(LZMA liblzma lzma.h lzma liblzma-dev)
  get_property(missing GLOBAL PROPERTY CLSOLVE_MISSING)
  if(missing)
    list(APPEND wanted "liblzma (Debian: liblzma-dev)")
  else()
    set(CLSOLVE_SHIPPED ON)
  endif()
  if(NOT CLSOLVE_CUDA_NVRTC)
    list(APPEND wanted "NVRTC")
  endif()
endif()
if(CMAKE_CROSSCOMPILING) # what compiles them contains the library
  list(APPEND wanted "a build for this machine")
endif()
if(binaries_wanted STREQUAL "AUTO" OR CLSOLVE_CUDA_BINARIES)
  list(JOIN wanted ", " wanted)
  if(NOT wanted)
    set(CLSOLVE_SHIPPED_MADE ON)
    message(STATUS "Kernels are compiled for NVIDIA's GPUs of ${CLSOLVE_CUDA_CAPABILITIES}")
  elseif(NOT binaries_wanted STREQUAL "AUTO")
    message(FATAL_ERROR "CLSOLVE_CUDA_BINARIES is ${CLSOLVE_CUDA_BINARIES}, and not found: ${wanted}")
  endif()
endif()
