#!/bin/sh
# counted.sh SHIM PROGRAM "SYMBOL WAY..." [ARGUMENT...]: the program succeeds, and at least one call of each symbol went each
# way. The program is linked with the library, or loads it.
. "$(dirname "$0")/common.sh"
program=$2
wanted=$3
shift 3
CLSOLVE_LAPACK_STATS=$work/counts "$program" "$@" || fail "$program $* ended with $?"
cat "$work/counts" 2>/dev/null
set -- $wanted
while [ $# -ge 2 ]; do
    [ "$(count "$1" "$2")" -gt 0 ] || fail "no call of $1 was counted as $2"
    shift 2
done
finish
