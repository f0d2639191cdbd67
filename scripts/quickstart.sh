#!/bin/sh
# quickstart.sh [device]: installs what is missing, builds into build/, and solves a system on the best device there is,
# or on the one named ("cpu", "gpu", "opencl:1", part of a name).
# Exit: 0 solved, 2 wrong usage, else that of the command that failed.
set -eu
case ${1-} in
--help | -h) sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0 ;;
-*) echo "quickstart: there is no option $1; see --help" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "quickstart: one device, not $#; see --help" >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"
device=${1-}

say() { printf '\n== %s ==\n' "$*"; }

packages_install quickstart
say "Building"
cd "$root"
# shellcheck disable=SC2046 # an option and its value, or nothing
cmake --preset release $(packages_generator build) -DCLSOLVE_BUILD_TESTS=OFF -DCLSOLVE_BUILD_BENCH=OFF
cmake --build build --parallel "$(packages_cores)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
clsolve=build/clsolve
show() { printf '$ %s\n' "$*"; "$@"; }

say "Devices"
show $clsolve devices

say "A random system of 1000 equations"
show $clsolve generate random --n 1000 --seed 1 -o "$work/A.mtx" --rhs "$work/b.mtx"

say "Solving it"
if [ -n "$device" ]; then
    show $clsolve solve "$work/A.mtx" "$work/b.mtx" -o "$work/x.mtx" --device "$device"
else
    show $clsolve solve "$work/A.mtx" "$work/b.mtx" -o "$work/x.mtx"
fi

say "The pressure on a grid: 127 lines of 127, where sweeps would take thousands of iterations"
show $clsolve generate hemodynamics-2 --lines 127 --line-length 127 -o "$work/grid.mtx" --rhs "$work/grid_b.mtx"
grid() {
    show $clsolve solve "$work/grid.mtx" "$work/grid_b.mtx" --method block-gs ${device:+--device "$device"} "$@"
}
grid || grid --precision single # a device without double

say "Pressure in a vessel: time steps with new right-hand sides, and a picture (examples/vessel.c)"
if show build/examples/vessel build/vessel.png ${device:+"$device"}; then
    echo "The field after the last step: build/vessel.png"
else
    echo "It computes in double: name a device that does."
fi

say "Next"
echo "Your own system:  build/clsolve solve A.mtx b.mtx -o x.mtx    (docs/command.md)"
echo "From C:           examples/solve_small.c                      (examples/README.md)"
