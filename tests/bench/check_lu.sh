#!/bin/sh
# check_lu.sh CLSOLVE-BENCH: the dense LU table at two small sizes. The program verifies each candidate before it times
# it and fails when one is wrong; here it is seen to have had all of them.
set -u
bench=$1
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT

"$bench" lu -n 16,64 -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv"
code=$?
if [ "$code" -eq 6 ]; then echo "SKIPPED: no device that computes in double"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

# A line a size; in it a number under every heading, but for panels on the host where the device does not work in its
# memory.
awk -F, 'NR == 1 { columns = NF; if (!/^n,plain,reduced,native,hybrid,dgesv,/) bad = 1; next }
         { rows++; if (NF != columns) bad = 1
           for (i = 1; i <= NF; i++) if ($i == "" && i != 5) { print "nothing in column " i " of n = " $1; bad = 1 } }
         END { if (rows != 2) { print rows " rows"; bad = 1 } exit bad }' "$csv" || { cat "$csv"; exit 1; }

# Without pivots beside them, in a column of its own.
"$bench" lu -n 16,64 -r 1 --pivoting rbt --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv" >/dev/null || exit 1
awk -F, 'NR == 1 { if (!/,dgesv,rbt,/) bad = 1; next }
         { if (!($7 > 0)) bad = 1 }
         END { exit bad || NR != 3 }' "$csv" || { cat "$csv"; exit 1; }

# The host has no kernels: its rows have an empty column native.
"$bench" lu -n 16,64 -r 1 --device host --csv "$csv" >/dev/null || exit 1
awk -F, 'NR == 1 { if (!/^n,plain,reduced,native,hybrid,dgesv,/) bad = 1; next }
         { if ($4 != "" || !($5 > 0) || !($6 > 0)) bad = 1 }
         END { exit bad || NR != 3 }' "$csv" || { cat "$csv"; exit 1; }
"$bench" lu -n 16 -r 1 --device host --panel native 2>&1 >/dev/null | grep -q "no kernels" ||
    { echo "it is not said that the host has no native panels"; exit 1; }

# What cannot be done is said, not tried.
"$bench" lu --pivoting none >/dev/null 2>&1 && { echo "--pivoting none is taken"; exit 1; }
"$bench" lu --limit 0 >/dev/null 2>&1 && { echo "--limit 0 is taken"; exit 1; }
"$bench" none >/dev/null 2>&1 && { echo "a table that is not there is taken"; exit 1; }
exit 0
