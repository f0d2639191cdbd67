#!/bin/sh
# check_finds_faults.sh CLANG FOLDER: check_kernels.sh must refuse kernels with known faults and take a sound one.
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$2/dialect.clh" "$2/few_builtins.clh" "$2/elements.clh" "$work/" || exit 1

expect() { # status, what
    sh "$here/check_kernels.sh" "$clang" "$work" >"$work/log" 2>&1
    got=$?
    [ "$got" -eq 77 ] && { cat "$work/log"; exit 77; }
    [ "$got" -eq "$1" ] || { echo "FAILED: $2: exit $got, not $1"; cat "$work/log"; exit 1; }
}
clang=$1

echo 'KERNEL WORK_GROUP(64, 1, 1) void sound(GLOBAL REAL *a, idx_t n) { if (GROUP_ID(0) < n) a[GROUP_ID(0)] = 1; }' \
    >"$work/k.cl"
expect 0 "a sound kernel"
echo 'KERNEL void spaces(GLOBAL REAL *a) { LOCAL_PTR REAL *p = a; p[0] = 0; }' >"$work/k.cl"
expect 1 "a pointer into the wrong address space"
echo 'KERNEL void scope(GLOBAL REAL *a) { if (a[0] > 0) { LOCAL_ARRAY(REAL, t, 4); t[0] = 0; a[1] = t[0]; } }' >"$work/k.cl"
expect 1 "local memory declared in an inner scope"
echo 'KERNEL void argument(GLOBAL REAL *a, bool b) { a[0] = b; }' >"$work/k.cl"
expect 1 "a bool argument"
echo 'KERNEL void fp64(GLOBAL REAL *a) { double d = a[0]; a[1] = (REAL)d; }' >"$work/k.cl"
expect 1 "double where there is none"
