#!/bin/sh
# check_block_gs.sh CLSOLVE-BENCH: the block-tridiagonal tables at one small size. The program compares its candidates'
# iterates and checks the solution itself; here each table is seen to have its rows.
set -u
bench=$1
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT

"$bench" block-gs -n 17,24 -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv"
code=$?
if [ "$code" -eq 6 ]; then echo "SKIPPED: no device that computes in double"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

awk -F, '$1 == "iteration" { iterations++; if (NF != 7 || $3 <= 0 || $5 <= 0) bad = 1 }
         $1 == "long" { longs++; if (NF != 10 || $2 != 64 || $4 <= 0 || $7 <= 0) bad = 1 }
         $1 == "method" { methods++; if (NF < 7 || $3 <= 0) bad = 1; if ($6 ~ /multigrid/) multigrid++ }
         $1 == "method" && $6 ~ /cg \+ multigrid/ && $3 > 12 { print "cg took " $3; bad = 1 }
         END { if (iterations != 2 || longs != 2 || methods < 10 || multigrid < 6) { print "rows are missing"; bad = 1 } exit bad }' \
    "$csv" || { cat "$csv"; exit 1; }
exit 0
