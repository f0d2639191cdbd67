# Finds what libclsolve links: through pkg-config, and where that has no answer (a prefix that was only unpacked)
# through CMAKE_PREFIX_PATH. Nothing is downloaded. Used by the build and, installed, by find_package(clsolve) for the
# static library. Each dependency becomes the target PkgConfig::<NAME>, whichever way it was found.

find_package(PkgConfig QUIET)

# clsolve_find_dependency(NAME module header library debian-package)
function(clsolve_find_dependency name module header library package)
  if(TARGET PkgConfig::${name})
    return()
  endif()
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()

  # A .pc file may come without its headers or name a prefix that is not there: look at the header itself.
  find_path(CLSOLVE_${name}_HEADERS ${header} HINTS ${${name}_INCLUDE_DIRS} PATH_SUFFIXES openblas-pthread openblas)
  mark_as_advanced(CLSOLVE_${name}_HEADERS)
  if(TARGET PkgConfig::${name} AND CLSOLVE_${name}_HEADERS)
    get_target_property(libraries PkgConfig::${name} INTERFACE_LINK_LIBRARIES)
    if(libraries)
      list(GET libraries 0 first)
    endif()
    if(EXISTS "${first}")
      message(STATUS "Found ${module} ${${name}_VERSION}: ${first}")
      return()
    endif()
  endif()

  find_library(CLSOLVE_${name}_LIBRARY ${library} PATH_SUFFIXES openblas-pthread openblas)
  mark_as_advanced(CLSOLVE_${name}_LIBRARY)
  if(CLSOLVE_${name}_HEADERS AND CLSOLVE_${name}_LIBRARY)
    if(NOT TARGET PkgConfig::${name})
      add_library(PkgConfig::${name} INTERFACE IMPORTED GLOBAL)
    endif()
    set_target_properties(PkgConfig::${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CLSOLVE_${name}_HEADERS}"
      INTERFACE_LINK_DIRECTORIES ""
      INTERFACE_LINK_LIBRARIES "${CLSOLVE_${name}_LIBRARY}")
    message(STATUS "Found ${module}: ${CLSOLVE_${name}_LIBRARY}")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY CLSOLVE_MISSING "${module}")
  set_property(GLOBAL APPEND PROPERTY CLSOLVE_MISSING_PACKAGES "${package}")
endfunction()

# What the library itself links.
macro(clsolve_find_library_dependencies)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads QUIET)
  clsolve_find_dependency(OPENCL OpenCL CL/cl.h OpenCL ocl-icd-opencl-dev)
  clsolve_find_dependency(CLBLAST clblast clblast_c.h clblast libclblast-dev)
  clsolve_find_dependency(OPENBLAS openblas cblas.h openblas libopenblas-dev)
  clsolve_find_dependency(LAPACKE lapacke lapacke.h lapacke liblapacke-dev)
  clsolve_find_dependency(JANSSON jansson jansson.h jansson libjansson-dev)
  clsolve_find_dependency(METIS metis metis.h metis libmetis-dev)
  clsolve_find_dependency(KLU KLU suitesparse/klu.h klu libsuitesparse-dev)
  clsolve_find_dependency(AMD AMD suitesparse/amd.h amd libsuitesparse-dev)
endmacro()

# Stops with one message that names all that is missing.
function(clsolve_require_dependencies)
  get_property(missing GLOBAL PROPERTY CLSOLVE_MISSING)
  get_property(packages GLOBAL PROPERTY CLSOLVE_MISSING_PACKAGES)
  if(missing)
    if(NOT PKG_CONFIG_FOUND)
      list(PREPEND packages pkg-config)
    endif()
    list(JOIN missing ", " missing)
    list(JOIN packages " " packages)
    message(FATAL_ERROR "Not found: ${missing}.\n"
      "On Debian or Ubuntu:  apt-get install ${packages}\n"
      "Elsewhere: install their headers and libraries and name their prefix in CMAKE_PREFIX_PATH or PKG_CONFIG_PATH.")
  endif()
  if(NOT TARGET Threads::Threads)
    message(FATAL_ERROR "Not found: POSIX threads, which come with the C library (Debian: libc6-dev).")
  endif()
endfunction()
