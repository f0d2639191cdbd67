#!/bin/sh
# check_configuration.sh PROGRAM: a test program fails where what runs is not what its environment and its registration say
# (tests/support/ran.h), and its record tells what ran. PROGRAM is probe_configuration.
set -u
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export CLSOLVE_TEST_RECORDS="$work" CLSOLVE_TEST_NAME=probe
unset CLSOLVE_TEST_REGISTERED
status=0

run() { # right|wrong, text that must be in the output, environment...
    expected=$1
    text=$2
    shift 2
    env "$@" "$program" >"$work/log" 2>&1
    code=$?
    if [ $code -eq 77 ] && [ "$expected" = right ]; then
        echo "skipped: no device here"
        exit 77
    fi
    { [ "$expected" = right ] && [ $code -eq 0 ]; } || { [ "$expected" = wrong ] && [ $code -ne 0 ] && [ $code -ne 77 ]; } || {
        echo "FAILED: $expected expected, exit $code: $*"
        cat "$work/log"
        status=1
    }
    grep -q -- "$text" "$work/log" || { echo "FAILED: no \"$text\" in the output of: $*"; cat "$work/log"; status=1; }
}

recorded() { # field, pattern
    cut -f "$1" "$work/probe.tsv" | grep -qx -- "$2" || { echo "FAILED: field $1 is no $2:"; cat "$work/probe.tsv"; status=1; }
}

run right CLSOLVE_TEST_SEED=1
run right 'CLSOLVE_TEST_SEED=[0-9]' CLSOLVE_TEST_SEED=clock
run right PASSED CLSOLVE_TEST_SEED=1
recorded 2 probe_configuration
recorded 3 passed
recorded 14 'single 1'
for panel in native hybrid; do
    run right PASSED CLSOLVE_TEST_PANEL=$panel CLSOLVE_TEST_REGISTERED=CLSOLVE_TEST_PANEL=$panel
    recorded 12 "$panel 1"
done
run right PASSED CLSOLVE_PRETEND=gpu CLSOLVE_TEST_REGISTERED=CLSOLVE_PRETEND=gpu
recorded 13 'partial 1'
recorded 9 'treated as GPU'
run right PASSED CLSOLVE_PRETEND=no-fp64 CLSOLVE_TEST_REGISTERED=CLSOLVE_PRETEND=no-fp64
recorded 10 hidden
run right PASSED CLSOLVE_BLAS=clblast CLSOLVE_TEST_REGISTERED=CLSOLVE_BLAS=clblast CLSOLVE_PRETEND=gpu
recorded 11 CLBlast

# A teardown that fails, which cmocka prints and does not count.
run wrong 'GROUP TEARDOWN' PROBE_TEARDOWN=returns
run wrong 'GROUP TEARDOWN' PROBE_TEARDOWN=asserts
recorded 3 failed

# Misspelt names and values.
run wrong 'knows this variable' CLSOLVE_TEST_PANNEL=native
run wrong 'knows this variable' CLSOLVE_NOFP64=1
run wrong 'is no seed' CLSOLVE_TEST_SEED=clocks
run wrong 'auto, native or hybrid' CLSOLVE_TEST_PANEL=natve
run wrong 'no context' CLSOLVE_TEST_DEVICE=potable
# Two variables in one, as a list that was escaped once too often gives it; and one that was lost on the way.
run wrong 'auto, native or hybrid' 'CLSOLVE_TEST_PANEL=native\;CLSOLVE_PRETEND=no-fp64'
run wrong 'no such variable' CLSOLVE_TEST_REGISTERED=CLSOLVE_TEST_PANEL=native
run wrong 'but the environment has' CLSOLVE_TEST_REGISTERED=CLSOLVE_TEST_PANEL=native CLSOLVE_TEST_PANEL=hybrid
# What this program has no use for.
run wrong 'never asked for it' CLSOLVE_TEST_SHAPE=gpu CLSOLVE_TEST_REGISTERED=CLSOLVE_TEST_SHAPE=gpu
run wrong 'never asked for it' CLSOLVE_TEST_REDUCED=1 CLSOLVE_TEST_REGISTERED=CLSOLVE_TEST_REDUCED=1
recorded 3 failed
exit $status
