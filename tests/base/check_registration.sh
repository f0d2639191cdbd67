#!/bin/sh
# check_registration.sh CMAKE MODULE BUILD: configuring fails where a test's environment is not what its name says, or has a variable that
# nobody reads; and every test of BUILD still has the environment that it was registered with. MODULE is
# cmake/ClsolveTestRegistration.cmake.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

try() { # right|wrong, text that must be in a refusal, call...
    expected=$1
    text=$2
    shift 2
    printf 'cmake_minimum_required(VERSION 3.22)\ninclude("%s")\nset_property(GLOBAL PROPERTY clsolve_test_programs test_lu test_lu_rbt)\n%s\n' "$module" "$*" >"$work/try.cmake"
    "$cmake" -P "$work/try.cmake" >"$work/log" 2>&1
    code=$?
    { [ "$expected" = right ] && [ $code -eq 0 ]; } || { [ "$expected" = wrong ] && [ $code -ne 0 ] && grep -q -- "$text" "$work/log"; } || {
        echo "FAILED: $expected expected: $*"
        cat "$work/log"
        status=1
    }
}
cmake=$1
module=$2
build=$3

try right '' 'clsolve_check_environment(a CLSOLVE_TEST_PANEL=native CLSOLVE_PRETEND=no-fp64 "POCL_DEVICES=pthread pthread basic")'
try wrong 'no program reads CLSOLVE_TEST_PANNEL' 'clsolve_check_environment(a CLSOLVE_TEST_PANNEL=native)'
try wrong 'no NAME=value' 'clsolve_check_environment(a CLSOLVE_TEST_PANEL)'
try wrong 'no NAME=value' 'clsolve_check_environment(a "CLSOLVE_TEST_PANEL=native\\\\\\;CLSOLVE_PRETEND=no-fp64")'
try wrong 'holds two variables' 'clsolve_check_environment(a "CLSOLVE_TEST_PANEL=native CLSOLVE_PRETEND=gpu")'
try right '' 'clsolve_check_name(test_lu_gpu_hybrid test_lu CLSOLVE_PRETEND=gpu CLSOLVE_TEST_PANEL=hybrid)'
try wrong 'wants CLSOLVE_TEST_PANEL=hybrid' 'clsolve_check_name(test_lu_gpu_hybrid test_lu CLSOLVE_PRETEND=gpu)'
try wrong 'wants CLSOLVE_TEST_DEVICE=rusticl' 'clsolve_check_name(test_lu_rusticl test_lu CLSOLVE_TEST_DEVICE=rusticll)'
try wrong 'wants CLSOLVE_PRETEND=no-fp64' 'clsolve_check_name(test_lu_native_no_fp64 test_lu CLSOLVE_TEST_PANEL=native)'
try wrong 'wants CLSOLVE_TEST_DEVICE=cuda:0' 'clsolve_check_name(cuda_stand_in_test_lu test_lu CLSOLVE_TEST_REDUCED=1)'
try wrong 'nothing is known of' 'clsolve_check_name(test_lu_natve test_lu CLSOLVE_TEST_PANEL=native)'
try right '' 'clsolve_check_told(test_lu_gpu_hybrid test_lu CLSOLVE_PRETEND=gpu CLSOLVE_TEST_PANEL=hybrid CLSOLVE_TEST_REDUCED=1)'
try right '' 'clsolve_check_told(test_gj_ahead test_gj_ahead CLSOLVE_PRETEND=gpu)'
try wrong 'does not tell of CLSOLVE_TEST_PANEL=native' 'clsolve_check_told(test_lu test_lu CLSOLVE_TEST_PANEL=native)'
try wrong 'does not tell of CLSOLVE_PRETEND=no-fp64' 'clsolve_check_told(test_lu_native test_lu CLSOLVE_TEST_PANEL=native CLSOLVE_PRETEND=no-fp64)'
try wrong 'does not tell of CLSOLVE_TEST_PANEL=hybrid' 'clsolve_check_told(test_lu_gpu test_lu CLSOLVE_PRETEND=gpu CLSOLVE_TEST_PANEL=hybrid)'
try right '' 'clsolve_check_optional(a CLSOLVE_TEST_DEVICE_OPTIONAL=1 CLSOLVE_TEST_DEVICE=rusticl RUSTICL_ENABLE=llvmpipe)'
try wrong 'wants CLSOLVE_TEST_DEVICE' 'clsolve_check_optional(a CLSOLVE_TEST_DEVICE_OPTIONAL=1 CLSOLVE_TEST_DEVICE=potable)'
try right '' 'clsolve_test_program_of(cuda_stand_in_test_lu_rbt_gpu found)
if(NOT found STREQUAL "test_lu_rbt")
  message(FATAL_ERROR "found ${found}")
endif()'

# A test that runs a program is called after it, and nothing was added to its environment behind clsolve_test_properties.
find "$build/tests" -name CTestTestfile.cmake -exec cat {} + | awk -v list="$build/tests/registered.tsv" '
    BEGIN { FS = "\t"; while ((getline <list) > 0) program[$1] = $3; FS = " " }
    /^add_test\(\[=\[/ {
        test = command = $0
        sub(/^add_test\(\[=\[/, "", test)
        sub(/\]=\].*/, "", test)
        if (sub(/^[^"]*"[^"]*\/tests\/bin\//, "", command) && sub(/".*/, "", command) && program[test] != command)
            print "FAILED: " test " runs " command " and is registered as a test of \"" program[test] "\""
    }
    /^set_tests_properties\(\[=\[/ && / ENVIRONMENT "/ {
        test = environment = $0
        sub(/^set_tests_properties\(\[=\[/, "", test)
        sub(/\]=\].*/, "", test)
        sub(/.* ENVIRONMENT "/, "", environment)
        sub(/".*/, "", environment)
        count = split(environment, entries, ";")
        here = registered = ""
        for (i = 1; i <= count; i++)
            if (sub(/^CLSOLVE_TEST_REGISTERED=/, "", entries[i])) registered = entries[i]
            else if (entries[i] ~ /^CLSOLVE_/ && entries[i] !~ /^CLSOLVE_(STAND_IN_|TEST_NAME=|TEST_PROGRAM=)/)
                here = here (here == "" ? "" : " ") entries[i]
        sub(/ ?CLSOLVE_HOST=never/, "", here) # the default, which no test is called after
        if (registered !~ /CLSOLVE_BLAS=/) sub(/ ?CLSOLVE_BLAS=own/, "", here) # what is treated as a GPU has it by default
        if (here != registered) print "FAILED: " test " has " here " and was registered with " registered
    }' >"$work/other"
cat "$work/other"
[ ! -s "$work/other" ] || status=1

# An ENVIRONMENT that is set again later would take the checks of the program with it. The long tests are among them.
"$(dirname -- "$cmake")/ctest" --test-dir "$build" -C long --show-only=json-v1 >"$work/tests.json" || exit 1
cut -f 1 "$build/tests/registered.tsv" | while read -r test; do
    [ "$(grep -c "\"CLSOLVE_TEST_NAME=$test\"" "$work/tests.json")" -eq 1 ] || echo "FAILED: $test has lost its environment"
done >"$work/lost"
cat "$work/lost"
[ ! -s "$work/lost" ] || status=1
exit $status
