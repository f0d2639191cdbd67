#!/bin/sh
# soak.sh [MINUTES] [DEVICE...]: random systems of every family for so long (default: 60 minutes), on each device in turn
# (default: the one that tests take). Each answer is checked by plain loops on the host, and memory must stay flat.
#
#   scripts/soak.sh                       an hour
#   scripts/soak.sh 10 cuda:0 opencl:1    ten minutes, two devices by turns
#   scripts/soak.sh 10 cpu -- --stop      options of the program behind --: see build/tests/bin/soak --help
#
#   CLSOLVE_TEST_SEED   the run's seed (default: clock, another in each run); each run prints its own. A system that is wrong is printed with the command that repeats it.
#   CLSOLVE_SOAK_BIN    folder of the program `soak`, where it was carried elsewhere (default: build/tests/bin)
#
# Exit: 0 all right, 1 something is wrong, 2 bad arguments or no program, 77 no device.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
bin=${CLSOLVE_SOAK_BIN-$root/build/tests/bin}
export CLSOLVE_TEST_SEED="${CLSOLVE_TEST_SEED:-clock}"

case ${1-} in
--help | -h)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
minutes=${1-60}
[ $# -eq 0 ] || shift
case $minutes in
'' | *[!0-9]*)
    echo "soak.sh: '$minutes' is no number of minutes; --help says more" >&2
    exit 2
    ;;
esac
[ -x "$bin/soak" ] || {
    echo "soak.sh: no program $bin/soak: build it first, cmake --preset release -DCLSOLVE_BUILD_TESTS=ON &&" \
        "cmake --build build --target soak, or name its folder in CLSOLVE_SOAK_BIN" >&2
    exit 2
}

# Each device becomes --device DEVICE; what stands behind -- goes to the program as it is.
count=$#
own=0
while [ "$count" -gt 0 ]; do
    if [ "$own" = 0 ] && [ "$1" = -- ]; then
        own=1
    elif [ "$own" = 1 ]; then
        set -- "$@" "$1"
    else
        case $1 in
        -*)
            echo "soak.sh: there is no option $1; options of the program stand behind --; --help says more" >&2
            exit 2
            ;;
        esac
        set -- "$@" --device "$1"
    fi
    shift
    count=$((count - 1))
done
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS-1}"
exec "$bin/soak" --minutes "$minutes" "$@"
