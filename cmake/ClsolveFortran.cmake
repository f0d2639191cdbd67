# Python3_EXECUTABLE makes the source of the module for Fortran (src/fortran). CLSOLVE_FORTRAN_FOUND: there is a gfortran
# for it too. Fortran becomes a language of the project then. Other compilers have other module files: their users compile
# the installed clsolve.f90 themselves.
set(CLSOLVE_FORTRAN_FOUND FALSE)
find_package(Python3 3.7 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
  if(CLSOLVE_FORTRAN STREQUAL "ON")
    message(FATAL_ERROR "CLSOLVE_FORTRAN is ON, and there is no Python 3.7 or later, which makes the module's source")
  endif()
  message(STATUS "Without the module for Fortran: no Python 3.7 or later")
  return()
endif()
if(CLSOLVE_FORTRAN STREQUAL "OFF" OR CLSOLVE_SANITIZE) # a plain program cannot load a sanitized library
  return()
endif()
if(CLSOLVE_FORTRAN STREQUAL "AUTO" AND CMAKE_CROSSCOMPILING) # CMake might take the gfortran of this machine
  return()
endif()
include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
endif()
if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU" AND CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 11)
  set(CLSOLVE_FORTRAN_FOUND TRUE)
elseif(CLSOLVE_FORTRAN STREQUAL "ON")
  message(FATAL_ERROR "CLSOLVE_FORTRAN is ON, and there is no gfortran 11 or later (Debian: gfortran)")
else()
  message(STATUS "Without the module for Fortran: no gfortran 11 or later (Debian: gfortran)")
endif()

# The folder of the module file below the prefix. Its name has the format's version, which gfortran checks.
set(format 15)
if(CMAKE_Fortran_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  set(format 16)
endif()
set(CLSOLVE_FORTRAN_MODULES ${CMAKE_INSTALL_LIBDIR}/fortran/gfortran-mod-${format})
