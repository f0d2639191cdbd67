# The toolchain of the preset `windows`: 64-bit Windows, by mingw-w64. Libraries and headers come from
# build-windows/dependencies alone, where scripts/windows.sh builds them or links to them. Programs of the build run by
# Wine, which scripts/windows.sh starts.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

get_filename_component(dependencies ${CMAKE_CURRENT_LIST_DIR}/../build-windows/dependencies REALPATH)
set(CMAKE_FIND_ROOT_PATH ${dependencies})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${dependencies}/lib/pkgconfig) # not those of this machine

# The compiler's own libraries and its threads go into each DLL and program: a user needs no others.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static")

set(CMAKE_CROSSCOMPILING_EMULATOR sh ${CMAKE_CURRENT_LIST_DIR}/../scripts/windows.sh run)
