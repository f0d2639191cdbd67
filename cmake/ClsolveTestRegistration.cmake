# How a test gets its environment, time limit and labels, and the checks that its name, its environment and its program
# agree.
#
#   clsolve_test_program(<target> <sources>...)         a test program: its name, and whether its sources ask test_reduced()
#   clsolve_test_properties(<test> [ENVIRONMENT A=b ...] [LABELS ...])
#   clsolve_test_forms(<program> <form>... [ENVIRONMENT A=b ...])   the program once more in each form: words of the table below
#   clsolve_check_registration()                        at the end: every test has been through clsolve_test_properties
#
# A test is called like its program, and behind that by what is other than usual: test_band_given_gpu_hybrid. The table
# below says what each word must find in the environment. A program checks the same when it runs (tests/support/ran.h).
#
# ENVIRONMENT has an entry CLSOLVE_PRETEND=word for each word; the test gets one variable with all of them.
#
# The time limit, in seconds, is the same for all: it ends a program that hangs, also on two cores under four times the
# load with nothing compiled yet, and is no measure of speed.
set(CLSOLVE_TEST_LIMIT 1200)
if(CLSOLVE_SANITIZE)
  set(CLSOLVE_TEST_LIMIT 4800)
endif()

set(clsolve_test_words
  "auto CLSOLVE_TEST_PANEL=auto"
  "native CLSOLVE_TEST_PANEL=native"
  "hybrid CLSOLVE_TEST_PANEL=hybrid"
  "no_fp64 CLSOLVE_PRETEND=no-fp64"
  "slow CLSOLVE_PRETEND=double-ratio=32"
  "gpu CLSOLVE_PRETEND=gpu"
  "32 CLSOLVE_TEST_SHAPE=32"
  "kernels CLSOLVE_TEST_SHAPE=kernels"
  "rusticl CLSOLVE_TEST_DEVICE=rusticl"
  "clblast CLSOLVE_BLAS=clblast"
  "own CLSOLVE_BLAS=own"
  "old LP_CL=1"
  "several POCL_DEVICES=.*"
  "host CLSOLVE_TEST_DEVICE=host|CLSOLVE_HOST=always")

set(clsolve_test_variables
  CLSOLVE_BLAS CLSOLVE_HOST CLSOLVE_LAPACK CLSOLVE_LAPACK_DEVICE CLSOLVE_LAPACK_HOST CLSOLVE_LAPACK_MEMORY
  CLSOLVE_LAPACK_MIN CLSOLVE_LAPACK_STATS CLSOLVE_PRETEND CLSOLVE_SHARES
  CLSOLVE_TEST_DEVICE CLSOLVE_TEST_DEVICE_OPTIONAL
  CLSOLVE_TEST_FAULT_CALLS CLSOLVE_TEST_FAULT_STRIDE CLSOLVE_TEST_PANEL CLSOLVE_TEST_REDUCED
  CLSOLVE_TEST_SECOND CLSOLVE_TEST_SHAPE CLSOLVE_STAND_IN_CUDA CLSOLVE_STAND_IN_FREE
  LD_LIBRARY_PATH LP_CL OCL_ICD_VENDORS OPENBLAS_NUM_THREADS POCL_CACHE_DIR POCL_DEVICES POCL_EXTRA_BUILD_FLAGS
  POCL_MEMORY_LIMIT RUSTICL_ENABLE XDG_CACHE_HOME)

# In these tests PoCL spends more time on optimising kernels than the kernels run: it leaves them as they are, and compiles them in a half
# to a quarter of the time. Unoptimised kernels run four to six times as long: programs with much to run have them optimised,
# and share them.
set(clsolve_test_unoptimised
  "blas_mfma|slices.*|device_host_memory_gpu|blas_[a-z]*_clblast|test_(places|where)_gpu"
  "test_lu_(together|sweep|dsgesv|out_of_core|faults.*|.*_gpu|.*_gpu_.*)|test_cholesky_(arrival|faults.*|batch.*)"
  "test_sparse_(device|device_faults|device_memory.*|device_small|arrays.*)|test_enqueue|test_solve_fallback"
  "test_lu_batch_ragged|test_ldl_batch.*"
  "test_band_.*|test_batch_interop|band_races_oclgrind|test_(places|interop_faults|enqueue_faults|enqueue_faults_gpu)"
  "test_(block_gs|grid_slab|tridiagonal).*|configuration|device_sub_groups|test_lu_csr.*"
  "test_gj_(accuracy|accuracy_(host|32)|ahead|batch.*|complex.*|contract.*|faults.*|pieces|races|stream)|cuda_stand_in_.*|soak_short.*"
  "bench_devices|python_.*|lapack_.*|blas_(tiled|tune_use)|tool_(band|block_gs|complex|trust)")

# Forms that take long and repeat, for one program more, what other programs show in the same configuration: with CLSOLVE_TEST_ALL alone.
# Each word of a form is in the usual run with the programs that ask the most of it, and each line of tests/mutants.txt
# is noticed there.
set(clsolve_test_with_all
  "test_lu_enqueue_(clblast|own)|test_lu_dsgesv_native_no_fp64|test_lu_contract_clblast"
  "test_lu_(out_of_core|selftest|complex|factors|rbt|threads|interop_copies|out_of_core_trust)_gpu"
  "test_lu_faults_(trust|in_place)_gpu.*|test_enqueue_faults_gpu|test_lu_mixed_(gpu|native_no_fp64)|test_lu_accuracy_rusticl"
  "test_lu_(trust|equilibrate|rbt|complex)_native_no_fp64|test_lu_(factors|in_place|refine|tiny)_native"
  "test_band_complex_gpu|test_band_(warm|stream|faults|in_place)_gpu|test_band_(stream|sides|in_place|trust)_native.*"
  "test_band_(given|contract|trust)_gpu_hybrid|test_band_given_native|test_band_interop_gpu_no_fp64|test_band_(accuracy|batch)_rusticl"
  "test_gj_(accuracy|batch|complex)_32|test_gj_(contract|batch)_rusticl|test_gj_(range|faults|contract)_gpu"
  "test_cholesky_(trust|accuracy)_native_rusticl|test_cholesky_(accuracy|faults|out_of_core|selftest)_gpu"
  "test_cholesky_(accuracy|complex|contract)_native_no_fp64|test_cholesky_batch_32"
  "test_block_gs_(contract|singular|complex|handles|interop)_gpu|test_tridiagonal_(batch|contract)_gpu|test_grid_slab_gpu"
  "test_lu_(interop_copies|rbt_fallback|refine|mixed_condition)_gpu_no_fp64|test_lu_out_of_core_trust_native_no_fp64"
  "test_sparse_device_large_gpu|test_gj_complex_kernels|test_band_csr_gpu|test_lu_trust_gpu"
  "test_cholesky_trust_gpu_no_fp64|test_cholesky_interop_gpu"
  "test_(places|where|enqueue|interop_faults|solve_interop|solve_methods)_gpu|device_(sub_groups|host_memory)_gpu|kernels_small(_rbt|_bits)?_gpu")

# Programs that have fewer sizes in the usual run by themselves too: each size or type costs them a program or long runs.
set(clsolve_test_fewer
  "kernels_(small_oclgrind|offline|mfma_offline)|lapack_(lin|numpy|scipy)|petsc_examples"
  "test_lu_(sweep|dsgesv|accuracy|out_of_core)|test_cholesky_accuracy|test_solve_faults|test_gj_(accuracy|contract)|test_band_(complex|complex_host|sides|in_place|given)|test_cholesky_(complex|contract)")
list(JOIN clsolve_test_fewer "|" clsolve_test_fewer) # one expression: a list's semicolons would be part of the names

# What a word may bring beside what it must: where it says little without.
set(clsolve_test_brings
  "gpu CLSOLVE_TEST_PANEL=native"
  "own CLSOLVE_PRETEND=gpu")

# These say how a test is run, so the name tells of each; the others are for whoever reads the environment.
set(clsolve_test_told
  "CLSOLVE_(BLAS|TEST_PANEL|TEST_SHAPE)=.*|CLSOLVE_PRETEND=(gpu|no-.*|double-ratio=.*)|CLSOLVE_TEST_DEVICE=(rusticl|host)|CLSOLVE_HOST=.*|LP_CL=.*|POCL_DEVICES=.*")

# Other words that a name may have: they stand for no variable.
set(clsolve_test_free_words as short 13000 12040 dense band block_gs)

function(clsolve_test_program target)
  set_property(GLOBAL APPEND PROPERTY clsolve_test_programs ${target})
  foreach(source IN LISTS ARGN)
    if(NOT source MATCHES "\\.c$") # objects
      continue()
    endif()
    get_filename_component(source ${source} ABSOLUTE)
    file(STRINGS ${source} lines REGEX "test_reduced\\(\\)" LIMIT_COUNT 1)
    if(lines)
      set_property(GLOBAL APPEND PROPERTY clsolve_test_reducible ${target})
    endif()
  endforeach()
endfunction()

# The program that the test's name begins with, or ends with behind "cuda_stand_in_"; "" for a script.
function(clsolve_test_program_of name variable)
  set(${variable} "" PARENT_SCOPE)
  if(name MATCHES "_oclgrind$")
    return()
  endif()
  get_property(programs GLOBAL PROPERTY clsolve_test_programs)
  string(REGEX REPLACE "^cuda_stand_in_" "" rest ${name})
  set(found "")
  foreach(program IN LISTS programs)
    string(LENGTH ${program} length)
    string(LENGTH "${found}" longest)
    string(FIND "${rest}_" "${program}_" at)
    if(at EQUAL 0 AND length GREATER longest)
      set(found ${program})
    endif()
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# One variable an entry, each with a name that somebody reads.
function(clsolve_check_environment name)
  foreach(entry IN LISTS ARGN)
    if(NOT entry MATCHES "^([A-Z][A-Z0-9_]*)=([^;\\]*)$")
      message(FATAL_ERROR "test ${name}: \"${entry}\" in ENVIRONMENT is no NAME=value")
    endif()
    if(NOT CMAKE_MATCH_1 IN_LIST clsolve_test_variables)
      message(FATAL_ERROR "test ${name}: no program reads ${CMAKE_MATCH_1}: see clsolve_test_variables")
    endif()
    if(CMAKE_MATCH_2 MATCHES "[A-Z0-9_]+=")
      message(FATAL_ERROR "test ${name}: \"${entry}\" holds two variables")
    endif()
  endforeach()
endfunction()

# A test that skips without its device is for a device whose absence is no misspelt name.
function(clsolve_check_optional name)
  if("CLSOLVE_TEST_DEVICE_OPTIONAL=1" IN_LIST ARGN AND NOT "CLSOLVE_TEST_DEVICE=cuda:0" IN_LIST ARGN AND NOT
     ("CLSOLVE_TEST_DEVICE=rusticl" IN_LIST ARGN AND "RUSTICL_ENABLE=llvmpipe" IN_LIST ARGN))
    message(FATAL_ERROR "test ${name}: CLSOLVE_TEST_DEVICE_OPTIONAL wants CLSOLVE_TEST_DEVICE=cuda:0, or rusticl with "
      "RUSTICL_ENABLE=llvmpipe")
  endif()
endfunction()

# What the name says behind the program's is in the environment.
function(clsolve_check_name name program)
  if(NOT program)
    return()
  endif()
  set(environment ${ARGN})
  string(REGEX REPLACE "^(cuda_stand_in_)?${program}" "" rest ${name})
  if(name MATCHES "^cuda_stand_in_" AND NOT program MATCHES "^cuda_" AND
     NOT "CLSOLVE_TEST_DEVICE=cuda:0" IN_LIST environment)
    message(FATAL_ERROR "test ${name}: its name wants CLSOLVE_TEST_DEVICE=cuda:0 in ENVIRONMENT")
  endif()
  set(unknown "${rest}_")
  foreach(word IN LISTS clsolve_test_free_words)
    string(REPLACE "_${word}_" "_" unknown "${unknown}")
  endforeach()
  foreach(line IN LISTS clsolve_test_words)
    string(REGEX MATCH "^([a-z0-9_]+) (.*)$" line "${line}")
    set(word ${CMAKE_MATCH_1})
    set(wanted ${CMAKE_MATCH_2})
    string(REPLACE "_${word}_" "_" unknown "${unknown}")
    if("${rest}_" MATCHES "_${word}_")
      set(matching ${environment})
      list(FILTER matching INCLUDE REGEX "^(${wanted})$")
      if(NOT matching)
        message(FATAL_ERROR "test ${name}: its name wants ${wanted} in ENVIRONMENT, which has: ${environment}")
      endif()
    endif()
  endforeach()
  if(NOT unknown STREQUAL "_")
    message(FATAL_ERROR "test ${name}: nothing is known of \"${unknown}\" in its name: see clsolve_test_words")
  endif()
endfunction()

# What these programs always have, so their names need no word for it.
set(clsolve_test_always "test_gj_ahead CLSOLVE_PRETEND=gpu" "test_gj_stream CLSOLVE_PRETEND=gpu" "test_lu_ahead_arrival CLSOLVE_PRETEND=gpu"
  "test_cholesky_arrival CLSOLVE_PRETEND=gpu" "test_sparse_enqueued CLSOLVE_PRETEND=gpu" "test_lu_sweep CLSOLVE_PRETEND=gpu")

# What the environment says of how the test is run is in the name.
function(clsolve_check_told name program)
  if(NOT program)
    return()
  endif()
  string(REGEX REPLACE "^(cuda_stand_in_)?${program}" "" rest ${name})
  foreach(entry IN LISTS ARGN)
    if(NOT entry MATCHES "^(${clsolve_test_told})$" OR "${program} ${entry}" IN_LIST clsolve_test_always)
      continue()
    endif()
    set(told FALSE)
    foreach(line IN LISTS clsolve_test_words clsolve_test_brings)
      string(REGEX MATCH "^([a-z0-9_]+) (.*)$" line "${line}")
      set(word ${CMAKE_MATCH_1})
      set(may_be ${CMAKE_MATCH_2})
      if("${rest}_" MATCHES "_${word}_" AND entry MATCHES "^(${may_be})$")
        set(told TRUE)
      endif()
    endforeach()
    if(NOT told)
      message(FATAL_ERROR "test ${name}: its name does not tell of ${entry}: see clsolve_test_words")
    endif()
  endforeach()
endfunction()

# Which tests say nothing more on a real GPU (docs/contributing.md), from what their environment asks for:
#   pinned  they choose an implementation themselves: PoCL, rusticl, Oclgrind, the stand-in of CUDA, the host, or none;
#           a room whose tests use no device is pinned as a whole
#   as_gpu  they repeat another one with what a GPU has anyway: treated as one, in its shape, and in the room of dense LU
#           with panels on the device; or with the small work-groups that no GPU has
function(clsolve_gpu_label room environment variable)
  set(${variable} "" PARENT_SCOPE)
  if(room MATCHES "^(io|order|schedule|style|install|abi)$") # no device at all
    set(${variable} pinned PARENT_SCOPE)
    return()
  endif()
  if(environment MATCHES "CLSOLVE_(TEST|LAPACK)_DEVICE=|CLSOLVE_HOST=always|OCL_ICD_VENDORS=|POCL_|RUSTICL_|LP_CL=|LD_LIBRARY_PATH=")
    set(${variable} pinned PARENT_SCOPE)
    return()
  endif()
  set(own "CLSOLVE_PRETEND=gpu|CLSOLVE_TEST_SHAPE=32")
  if(room STREQUAL lu)
    string(APPEND own "|CLSOLVE_TEST_PANEL=native")
  endif()
  set(rest ${environment})
  list(FILTER rest EXCLUDE REGEX "^(${own})$")
  if(NOT "${rest}" STREQUAL "${environment}")
    list(FILTER rest EXCLUDE REGEX "^CLSOLVE_(TEST_REDUCED|TEST_FAULT_CALLS|LAPACK|LAPACK_MIN)=")
    if(NOT rest)
      set(${variable} as_gpu PARENT_SCOPE)
    endif()
  endif()
endfunction()

# What every test gets, whether its program was built by clsolve_add_test or not.
# CLSOLVE_TEST_VENDORS: see cmake/ClsolveTestVendors.cmake; a test that sets OCL_ICD_VENDORS itself keeps its own.
# Without PARSE_ARGV, which would make one entry "A=1\;B=2" of a list that is given as one argument.
function(clsolve_test_properties name)
  cmake_parse_arguments(arg "" "" "ENVIRONMENT;LABELS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "test ${name}: clsolve_test_properties does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  clsolve_check_environment(${name} ${arg_ENVIRONMENT})
  clsolve_check_optional(${name} ${arg_ENVIRONMENT})
  clsolve_test_program_of(${name} program)
  clsolve_check_name(${name} "${program}" ${arg_ENVIRONMENT})
  clsolve_check_told(${name} "${program}" ${arg_ENVIRONMENT})
  if(NOT CLSOLVE_TEST_ALL AND name MATCHES "^(${clsolve_test_fewer})$")
    list(APPEND arg_ENVIRONMENT CLSOLVE_TEST_REDUCED=1)
  endif()
  get_property(reducible GLOBAL PROPERTY clsolve_test_reducible)
  if(program AND NOT program IN_LIST reducible) # fewer sizes are for programs that have some to leave out
    list(REMOVE_ITEM arg_ENVIRONMENT "CLSOLVE_TEST_REDUCED=1")
  endif()

  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  clsolve_gpu_label(${room} "${arg_ENVIRONMENT}" label)
  if(name MATCHES "oclgrind" OR arg_LABELS MATCHES "pinned")
    set(label pinned)
  endif()
  # One variable for all that is pretended.
  set(pretended ${arg_ENVIRONMENT})
  list(FILTER pretended INCLUDE REGEX "^CLSOLVE_PRETEND=")
  if(pretended)
    list(FILTER arg_ENVIRONMENT EXCLUDE REGEX "^CLSOLVE_PRETEND=")
    list(TRANSFORM pretended REPLACE "^CLSOLVE_PRETEND=" "")
    list(JOIN pretended "," words)
    list(APPEND arg_ENVIRONMENT "CLSOLVE_PRETEND=${words}")
  endif()
  # A program compares what it was registered with and what it finds; folders and drivers are not its own to see.
  set(registered ${arg_ENVIRONMENT})
  list(FILTER registered INCLUDE REGEX "^CLSOLVE_")
  list(FILTER registered EXCLUDE REGEX "^CLSOLVE_STAND_IN_")
  list(JOIN registered " " registered)
  # PoCL's compiled kernels stay in the build: empty caches are those of a new build, and no test meets what others left.
  # So do the library's: what a test leaves unoptimised must not run in the user's programs.
  if(NOT arg_ENVIRONMENT MATCHES "POCL_CACHE_DIR=")
    list(APPEND arg_ENVIRONMENT "POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/pocl-cache")
  endif()
  if(NOT arg_ENVIRONMENT MATCHES "XDG_CACHE_HOME=")
    list(APPEND arg_ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  endif()
  # Threads of OpenBLAS that wait for work yield without end, and as many tests run as there are cores. Those that
  # ask for several themselves have them.
  if(NOT arg_ENVIRONMENT MATCHES "CLSOLVE_HOST=") # a test is of the device it names, and handles stay there
    list(APPEND arg_ENVIRONMENT "CLSOLVE_HOST=never")
  endif()
  if(NOT arg_ENVIRONMENT MATCHES "OPENBLAS_NUM_THREADS=")
    list(APPEND arg_ENVIRONMENT "OPENBLAS_NUM_THREADS=1")
  endif()
  # On a CPU that is treated as a GPU, PoCL compiles CLBlast's kernels anew for each program of CLBlast's, which takes longer than all
  # else. The built-in products are what such devices have without CLBlast; forms "clblast" are for CLBlast's. On a real GPU
  # scripts/test_gpu.sh takes this out.
  if("gpu" IN_LIST pretended AND NOT arg_ENVIRONMENT MATCHES "CLSOLVE_BLAS=")
    list(APPEND arg_ENVIRONMENT "CLSOLVE_BLAS=own")
  endif()
  if(CLSOLVE_TEST_VENDORS AND NOT arg_ENVIRONMENT MATCHES "OCL_ICD_VENDORS=")
    list(APPEND arg_ENVIRONMENT "OCL_ICD_VENDORS=${CLSOLVE_TEST_VENDORS}")
  endif()
  foreach(pattern IN LISTS clsolve_test_unoptimised) # one by one: CMake's expressions may have few parentheses
    if(CLSOLVE_POCL_UNOPTIMISED AND name MATCHES "^(${pattern})$")
      list(APPEND arg_ENVIRONMENT "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable")
      break()
    endif()
  endforeach()
  if(CLSOLVE_FEW_BUILTINS)
    set_tests_properties(${name} PROPERTIES
      ENVIRONMENT_MODIFICATION "LD_LIBRARY_PATH=path_list_prepend:${CLSOLVE_TEST_LIBRARIES}")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY clsolve_tests_registered
    "${name}\t${room}\t${program}\t${registered}\n")
  list(APPEND arg_ENVIRONMENT "CLSOLVE_TEST_NAME=${name}" "CLSOLVE_TEST_REGISTERED=${registered}"
    "CLSOLVE_TEST_PROGRAM=${program}")
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT ${CLSOLVE_TEST_LIMIT} FIXTURES_REQUIRED ran
    LABELS "${room};${arg_LABELS};${label}" ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# The program again as <program>_<form>, in the configuration that the form's words name: "gpu_hybrid_no_fp64" is a CPU
# treated as a GPU, with hybrid panels, without double. A form has fewer sizes than the program by itself
# (CLSOLVE_TEST_REDUCED), unless it is for the host or another provider. ENVIRONMENT: what every form has beside its words.
# Axes are combined pairwise, not multiplied: docs/contributing.md.
function(clsolve_test_forms program)
  cmake_parse_arguments(arg "" "" "ENVIRONMENT" ${ARGN})
  if(WIN32) # each program runs once there: the forms are of the methods, which are the same
    return()
  endif()
  foreach(form IN LISTS arg_UNPARSED_ARGUMENTS)
    set(left_out FALSE)
    foreach(pattern IN LISTS clsolve_test_with_all)
      if(NOT CLSOLVE_TEST_ALL AND "${program}_${form}" MATCHES "^(${pattern})$")
        set(left_out TRUE)
      endif()
    endforeach()
    if(left_out)
      continue()
    endif()
    set(environment ${arg_ENVIRONMENT})
    set(labels "")
    foreach(line IN LISTS clsolve_test_words)
      string(REGEX MATCH "^([a-z0-9_]+) ([^|]*)" line "${line}")
      set(setting "${CMAKE_MATCH_2}")
      if("_${form}_" MATCHES "_${CMAKE_MATCH_1}_" AND NOT setting MATCHES "\\*") # the caller gives that one
        list(APPEND environment "${setting}")
      endif()
    endforeach()
    if("_${form}_" MATCHES "_rusticl_")
      list(APPEND environment RUSTICL_ENABLE=llvmpipe CLSOLVE_TEST_DEVICE_OPTIONAL=1)
    endif()
    if("_${form}_" MATCHES "_host_") # what the options leave open goes to the host
      list(REMOVE_ITEM environment CLSOLVE_TEST_DEVICE=host)
      list(APPEND environment CLSOLVE_HOST=always)
    endif()
    if("_${form}_" MATCHES "_own_" AND NOT "CLSOLVE_PRETEND=gpu" IN_LIST environment)
      list(APPEND environment CLSOLVE_PRETEND=gpu)
    endif()
    if("_${form}_" MATCHES "_(gpu|native|no_fp64|rusticl)_")
      list(APPEND environment CLSOLVE_TEST_REDUCED=1)
    endif()
    foreach(label gpu single rusticl)
      if("_${form}_" MATCHES "_${label}_")
        list(APPEND labels ${label})
      endif()
    endforeach()
    if("_${form}_" MATCHES "_no_fp64_")
      list(APPEND labels single)
    endif()
    add_test(NAME ${program}_${form} COMMAND ${program})
    clsolve_test_properties(${program}_${form} ENVIRONMENT ${environment} LABELS ${labels})
  endforeach()
endfunction()

# Every test of the folder and those below it carries its own name: it has been through clsolve_test_properties. The list of all
# is written for the table of what ran (tests/support/ran_table.sh).
function(clsolve_check_folder folder)
  get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
  get_property(registered GLOBAL PROPERTY clsolve_tests_registered)
  foreach(test IN LISTS tests)
    string(FIND "\n${registered}" "\n${test}\t" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "test ${test} (${folder}) has no clsolve_test_properties")
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    clsolve_check_folder(${below})
  endforeach()
endfunction()

# Also the first and the last test of a run: they make the table of what ran.
function(clsolve_check_registration)
  clsolve_check_folder(${CMAKE_CURRENT_SOURCE_DIR})
  set(table sh ${CMAKE_CURRENT_SOURCE_DIR}/support/ran_table.sh)
  add_test(NAME ran_begin COMMAND ${table} --begin ${CMAKE_CURRENT_BINARY_DIR}/ran)
  add_test(NAME ran_table COMMAND ${table} ${CMAKE_CURRENT_BINARY_DIR}/ran ${CMAKE_CURRENT_BINARY_DIR}/registered.tsv)
  set_tests_properties(ran_begin PROPERTIES FIXTURES_SETUP ran TIMEOUT ${CLSOLVE_TEST_LIMIT})
  set_tests_properties(ran_table PROPERTIES FIXTURES_CLEANUP ran TIMEOUT ${CLSOLVE_TEST_LIMIT})
  get_property(registered GLOBAL PROPERTY clsolve_tests_registered)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/registered.tsv CONTENT "${registered}")
endfunction()
