#!/bin/sh
# check_judge.sh: the check of figures finds what it is for: a spill, a wave too few, an exception that is exceeded or that
# is needed no more; and lets the rest pass. Exit: 0 it does, 1 it does not.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'rule\tgfx9.*\t0\t2\nrule\t.*\t0\t4\nknown\tgfx9.*\tf/g\tdouble\t100\t1\ta reason\n' >"$work/rules"
status=0

expect() { # 0 or 1, every, compiler, target, kernel, options, spilled, waves
    printf '%s\t%s\tf\t%s\t%s\t64\t0\t0\t%s\t64\t64\t%s\n' "$4" "$3" "$5" "$6" "$7" "$8" >"$work/figures"
    awk -F '\t' -v every="$2" -f "$here/judge.awk" "$work/rules" "$work/figures" >"$work/said"
    found=$?
    [ $found -eq "$1" ] || { echo "FAILED: expected $1, found $found: $*"; cat "$work/said"; status=1; }
}

expect 0 0 clang-19 gfx90a h "-DREAL=double" 0 2
expect 1 0 clang-19 gfx90a h "-DREAL=double" 8 2
expect 1 0 clang-19 gfx90a h "-DREAL=double" 0 1
expect 1 0 clang-19 gfx1100 h "-DREAL=double" 0 3
expect 1 0 ocloc pvc h "-DREAL=float" 64 8
expect 0 0 clang-19 gfx90a g "-DREAL=double" 100 1
expect 1 0 clang-19 gfx90a g "-DREAL=double" 101 1
expect 1 0 clang-19 gfx90a g "-DREAL=float" 100 1
expect 0 0 clang-19 gfx90a g "-DREAL=double" 0 2
expect 1 1 clang-19 gfx90a g "-DREAL=double" 0 2
expect 0 0 clang-15 gfx90a h "-DREAL=double" 8 2
expect 0 0 clang-19 gfx90a h "-DCLS_CANDIDATE -DREAL=double" 8 1
exit $status
