#!/bin/sh
# sanitize_cuda.sh [BUILD]: the small programs of each room on cuda:0 under NVIDIA's compute-sanitizer, memcheck and racecheck.
# BUILD (default: build/) was configured with -DCLSOLVE_CUDA=ON. One line a program and tool:
#
#   ok       test_gj_races memcheck          or FAILED, with the last lines of its log, or skipped
#
# CLSOLVE_TEST_DEVICE names another GPU; CLSOLVE_SANITIZE_TIMEOUT: seconds a program (default 300).
# Exit: 0 nothing found, 1 something, 2 wrong usage or no tests built, 77 no compute-sanitizer or no GPU here, or nothing ran
# to its end.
set -u
case ${1-} in
--help | -h) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
-*) echo "sanitize_cuda: there is no option $1; see --help" >&2; exit 2 ;;
esac
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${1-$root/build}
bin=$build/tests/bin
[ -x "$bin/kernels_small" ] || { echo "sanitize_cuda: no tests in $build: build them first" >&2; exit 2; }

for tool in compute-sanitizer "${CUDA_HOME-/usr/local/cuda}/bin/compute-sanitizer" /opt/cuda/bin/compute-sanitizer; do
    sanitizer=$(command -v "$tool") && break
done
[ -n "${sanitizer-}" ] || { echo "skipped: no compute-sanitizer here (it comes with CUDA's toolkit)"; exit 77; }
export CLSOLVE_TEST_DEVICE="${CLSOLVE_TEST_DEVICE-cuda:0}" CLSOLVE_TEST_REDUCED=1 OPENBLAS_NUM_THREADS=1
"$build/clsolve" devices 2>/dev/null | grep -q ' cuda:[0-9]' || { echo "skipped: no GPU through CUDA here"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
found=0
ended=0

# The kernels by themselves, then of each family what is quick: a sanitized kernel takes tens of times as long.
for program in kernels_small kernels_small_rbt device_buffers device_transfers device_launch blas_products \
    test_lu_contract test_lu_tiny test_lu_refine test_gj_contract test_gj_races test_block_gs_small \
    test_block_gs_contract test_tridiagonal_contract test_band_small test_band_contract test_band_batch; do
    [ -x "$bin/$program" ] || continue
    for tool in memcheck racecheck; do
        # That a call to the driver may fail is asked for: the parameters of a kernel are counted until there is none.
        quiet=; [ $tool = memcheck ] && quiet='--report-api-errors no'
        timeout "${CLSOLVE_SANITIZE_TIMEOUT-300}" "$sanitizer" --tool "$tool" $quiet --error-exitcode 99 --launch-timeout 120 \
            --log-file "$work/found" "$bin/$program" >"$work/log" 2>&1 </dev/null
        status=$?
        case $status in
        0)
            ended=$((ended + 1))
            echo "ok       $program $tool: $(sed -n 's/^=* *\(ERROR\|RACECHECK\) SUMMARY: *//p' "$work/found" 2>/dev/null | tail -n 1)"
            ;;
        77) echo "skipped  $program $tool" ;;
        124) echo "too slow $program $tool" ;;
        *)
            found=1
            echo "FAILED   $program $tool: exit $status"
            tail -n 40 "$work/log"
            head -n 60 "$work/found" 2>/dev/null
            ;;
        esac
        rm -f "$work/found"
    done
done
[ "$found$ended" != 00 ] || exit 77
exit "$found"
