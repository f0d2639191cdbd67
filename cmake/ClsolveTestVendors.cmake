# Which OpenCL drivers the tests see: CLSOLVE_TEST_VENDORS, a folder of *.icd files; empty: the system's.
#
# In sanitized builds it is PoCL's driver alone, when there is one: others forget memory in modules that are unloaded before
# the report, where no suppression can name them. -DCLSOLVE_TEST_VENDORS= (nothing) lets tests see all drivers.
set(vendors "")
if(CLSOLVE_SANITIZE)
  find_file(CLSOLVE_POCL_ICD pocl.icd PATHS /etc/OpenCL/vendors NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(CLSOLVE_POCL_ICD)
  if(CLSOLVE_POCL_ICD)
    set(vendors ${PROJECT_BINARY_DIR}/test-vendors)
    file(COPY ${CLSOLVE_POCL_ICD} DESTINATION ${vendors})
  endif()
endif()
set(CLSOLVE_TEST_VENDORS "${vendors}" CACHE PATH "Folder of OpenCL drivers (*.icd) that tests see; empty: the system's")

# For each program of CLBlast's PoCL 3 reads clang's opencl-c.h, 0.2 s for 13,000 functions, and each process that compiles
# reads LLVM's bitcode of them, 0.9 s. Most kernels take less. PoCL looks for both beside the folder of its library. So the
# library has a second place, by a symbolic link, and beside it are shorter files (FewBuiltins.awk,
# tests/support/few_functions.c). Tests find that library by LD_LIBRARY_PATH. A PoCL without that header, or with a path
# in pocl.icd, stays as it is. tests/support/ran_wraps.c notices a kernel that calls what is left out.
# Whether tests may have kernels unoptimised: PoCL up to 3.1. PoCL 5.0 ends the process on some ("Could not find a dominating
# alternative variable").
set(CLSOLVE_POCL_UNOPTIMISED FALSE)
set(CLSOLVE_FEW_BUILTINS "") # the shorter header
set(CLSOLVE_TEST_LIBRARIES ${PROJECT_BINARY_DIR}/test-pocl/lib/any) # the library's second place

function(clsolve_few_builtins)
  find_file(CLSOLVE_POCL_ICD pocl.icd PATHS /etc/OpenCL/vendors NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(CLSOLVE_POCL_ICD)
  if(NOT CLSOLVE_POCL_ICD)
    return()
  endif()
  file(STRINGS ${CLSOLVE_POCL_ICD} name LIMIT_COUNT 1)
  if(name MATCHES "libpocl\\.so\\.2\\.([0-9]|10)(\\.|$)")
    set(CLSOLVE_POCL_UNOPTIMISED TRUE PARENT_SCOPE)
  endif()
  find_file(CLSOLVE_POCL_LIBRARY "${name}" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib)
  mark_as_advanced(CLSOLVE_POCL_LIBRARY)
  get_filename_component(folder "${CLSOLVE_POCL_LIBRARY}" DIRECTORY)
  get_filename_component(share "${folder}/../../share/pocl" ABSOLUTE)
  set(short ${PROJECT_BINARY_DIR}/test-pocl/share/pocl)
  if(name MATCHES "/" OR NOT CLSOLVE_POCL_LIBRARY OR NOT EXISTS ${share}/include/opencl-c.h)
    return()
  endif()
  file(MAKE_DIRECTORY ${CLSOLVE_TEST_LIBRARIES} ${short}/include)
  file(GLOB parts RELATIVE ${share} ${share}/* ${share}/include/*)
  list(REMOVE_ITEM parts include include/opencl-c.h)
  foreach(part IN LISTS parts)
    if(NOT EXISTS ${short}/${part})
      file(CREATE_LINK ${share}/${part} ${short}/${part} SYMBOLIC)
    endif()
  endforeach()
  file(CREATE_LINK ${CLSOLVE_POCL_LIBRARY} ${CLSOLVE_TEST_LIBRARIES}/${name} SYMBOLIC)
  file(CREATE_LINK ${folder}/pocl ${CLSOLVE_TEST_LIBRARIES}/pocl SYMBOLIC) # its devices
  execute_process(COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/FewBuiltins.awk ${share}/include/opencl-c.h
    OUTPUT_FILE ${short}/include/opencl-c.h.new RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "awk did not shorten ${share}/include/opencl-c.h: ${failed}")
  endif()
  file(RENAME ${short}/include/opencl-c.h.new ${short}/include/opencl-c.h) # tests may be reading it
  set(CLSOLVE_FEW_BUILTINS ${short}/include/opencl-c.h PARENT_SCOPE)

  if(CLSOLVE_SANITIZE OR WIN32) # whose programs cannot load PoCL's compiler, without leaks or at all
    return()
  endif()
  add_executable(few_functions ${PROJECT_SOURCE_DIR}/tests/support/few_functions.c)
  target_link_libraries(few_functions PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(few_functions PRIVATE _XOPEN_SOURCE=700)
  foreach(cpu avx2 avx512) # PoCL takes one by the processor; the others are seldom
    set(bitcode kernel-x86_64-pc-linux-gnu-${cpu}.bc)
    if(EXISTS ${share}/${bitcode})
      add_custom_command(OUTPUT ${short}/${cpu}.made DEPENDS few_functions ${share}/${bitcode}
        COMMAND few_functions ${CLSOLVE_POCL_LIBRARY} ${share}/${bitcode} ${short}/${bitcode}
        COMMAND ${CMAKE_COMMAND} -E touch ${short}/${cpu}.made
        COMMENT "Fewer built-in functions for tests on PoCL" VERBATIM)
      add_custom_target(few_functions_${cpu} ALL DEPENDS ${short}/${cpu}.made)
    endif()
  endforeach()
endfunction()

if(CLSOLVE_BUILD_TESTS)
  clsolve_few_builtins()
endif()
