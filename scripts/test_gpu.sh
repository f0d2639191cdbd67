#!/bin/sh
# test_gpu.sh [--build BUILD] [--jobs N] [DEVICE...]: the tests on the GPUs that are here, one ctest for each DEVICE, all side by side.
# DEVICE is a selector (include/clsolve/context.h). Default: an NVIDIA GPU through OpenCL ("NVIDIA CUDA") and through CUDA ("cuda:0"), else
# "gpu". BUILD (default: build/) holds the tests, for CUDA configured with -DCLSOLVE_CUDA=AUTO.
#
# Left out are tests that say nothing of a GPU: the labels as_gpu and pinned (docs/contributing.md), and the rooms that use no device.
# NVIDIA's OpenCL takes a second to open a device, so the tests of failing calls let about 12 of each list fail; CLSOLVE_TEST_FAULT_CALLS says
# another number. With several NVIDIA GPUs each DEVICE gets one of its own.
#
# The log of each ctest, its records and its table of what ran are in BUILD/gpu/NUMBER. Exit: 0 all passed, 1 some failed, 2 wrong usage, or no tests built,
# 77 no GPU here.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"
build=$root/build
jobs=
usage() { echo "test_gpu: $*; see --help" >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
    --build | --jobs) [ $# -gt 1 ] || usage "$1 wants a value" ;;
    esac
    case $1 in
    --build) build=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --help) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
    -*) usage "there is no option $1" ;;
    *) break ;;
    esac
done
case $jobs in
0* | *[!0-9]*) usage "no number of jobs: $jobs" ;;
esac
[ -x "$build/clsolve" ] && [ -f "$build/CTestTestfile.cmake" ] || usage "no tests in $build: run scripts/test.sh first"

there() { "$build/clsolve" devices 2>/dev/null | grep -q "$1"; }
if [ $# -eq 0 ]; then
    there ' opencl:[0-9]*.*NVIDIA' && set -- "$@" "NVIDIA CUDA"
    there ' cuda:0' && set -- "$@" cuda:0
    [ $# -gt 0 ] || { there GPU && set -- gpu; }
    [ $# -gt 0 ] || { echo "skipped: no GPU here"; exit 77; }
fi
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0
[ -n "$jobs" ] || jobs=$(($(packages_cores) / $# + 1))

# The references use one thread each: as many programs run as there are cores.
export OPENBLAS_NUM_THREADS=1 CLSOLVE_TEST_FAULT_CALLS="${CLSOLVE_TEST_FAULT_CALLS-12}"

# One ctest in a folder of its own: CTest keeps its log in the folder it runs in, and two in one would mix theirs.
run() { # number, device
    folder=$build/gpu/$1
    mkdir -p "$folder"
    (cd "$build" && find . -name CTestTestfile.cmake ! -path './gpu/*' -exec cp --parents {} "$folder" \;)
    without='^(as_gpu|pinned|io|order|schedule|style|install)$'
    [ "$gpus" -gt 1 ] && export CUDA_VISIBLE_DEVICES=$((($1 - 1) % gpus))
    CLSOLVE_TEST_DEVICE=$2 CLSOLVE_TEST_RECORDS=$folder/ran \
        ctest --test-dir "$folder" --parallel "$jobs" -LE "$without" --output-on-failure >"$folder/log" 2>&1
    echo $? >"$folder/code"
}

number=0
for device in "$@"; do
    number=$((number + 1))
    run "$number" "$device" &
done
wait

status=0
number=0
for device in "$@"; do
    number=$((number + 1))
    folder=$build/gpu/$number
    echo "== $device =="
    sed -n '/% tests passed/,$p' "$folder/log" | grep -v 'sec\*proc\|^Label Time\|^$'
    [ "$(cat "$folder/code")" = 0 ] || status=1
done
if [ "$gpus" -gt 1 ]; then # the one test that wants to see two
    echo "== two GPUs =="
    CLSOLVE_TEST_DEVICE=cuda:0 ctest --test-dir "$build" -R '^cuda_two_devices$' --output-on-failure >"$build/gpu/log" || status=1
    sed -n '/% tests passed/,$p' "$build/gpu/log"
fi
exit $status
