#!/bin/sh
# python.sh SHIM MODULE MIN SYMBOL...: the module's own tests pass with the library in front of the system's LAPACK and each
# system from order MIN on sent to the device; some calls of each symbol ran there, and none of those failed on the way.
. "$(dirname "$0")/common.sh"
module=$2
least=$3
shift 3
python=
for candidate in /usr/bin/python3 python3; do
    [ -n "$python" ] || ! "$candidate" -c "import pytest, hypothesis, ${module%%.*}" 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "no tests of $module here (on Debian: apt-get install python3-numpy python3-scipy python3-pytest python3-hypothesis)"

# A wheel brings a LAPACK with names of its own, which no library in front of it can stand for.
case $module in
numpy.*) caller=numpy.linalg._umath_linalg ;;
*) caller=scipy.linalg._flapack ;;
esac
"$python" -c "
import sys, $caller as caller
sys.exit(b'\\0dgesv_\\0' not in open(caller.__file__, 'rb').read())" ||
    skip "$python's $module calls no dgesv_, but a LAPACK with names of its own"

cd "$work" || exit 1
# Of NumPy's tests over thousands of stacked matrices those of what the library has; the others take most of the time,
# and the long run has them.
# With CLSOLVE_TEST_REDUCED=1 no others: neither eigenvalues nor functions of matrices call what the library has.
few= tests=$module
[ "$module" = numpy.linalg ] && [ "$least" -gt 0 ] && few='not generalized_ or TestSolve or TestInv or TestDet'
case ${CLSOLVE_TEST_REDUCED-}$module in
1numpy.linalg) few='TestSolve or TestInv or TestDet or TestMatrixPower or (TestCond and not generalized)' ;;
1scipy.linalg)
    tests="$module.tests.test_basic $module.tests.test_lapack $module.tests.test_decomp"
    few='not (Lstsq or Eig and not EigBanded or OrdQZ or Schur or SVD or orth_memory or gejsv or uncsd)'
    ;;
esac
# A module may fail tests of its own; the library may add none.
results() { grep -E '^(FAILED|ERROR)' "$1" | sort; }
# shellcheck disable=SC2086
CLSOLVE_LAPACK=on CLSOLVE_LAPACK_MIN=$least with_shim "$python" -m pytest -q -p no:cacheprovider -rfE -k "$few" \
    --pyargs $tests >out 2>&1
tail -n 1 out
grep -Eq '^[0-9].* passed' out || fail "no test passed: $(tail -n 5 out)"
results out >failures
if [ -s failures ]; then
    # shellcheck disable=SC2086
    "$python" -m pytest -q -p no:cacheprovider -rfE -k "$few" --pyargs $tests >plain 2>&1
    results plain | diff - failures || fail "$module fails otherwise than without the library"
fi
for symbol in "$@"; do
    echo "$symbol: $(count "$symbol" device) on the device, $(count "$symbol" failed) handed on"
    [ "$(count "$symbol" device)" -gt 0 ] || fail "$symbol never ran on the device"
done
finish
