#!/bin/sh
# check_band.sh CLSOLVE-BENCH: the band table at small sizes: every mode and block order verified and timed, a window too.
set -u
bench=$1
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT

"$bench" band -n 400,900 -k 4,40 -b 16,48 -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv"
code=$?
if [ "$code" -eq 6 ]; then echo "SKIPPED: no device that computes in double"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

# Of each n and k: both modes with their own block order and at least one of them with the two given; narrow for k = 4.
awk -F, 'NR == 1 { if ($0 != "row,n,k,mode,nb,seconds,gbtrf_or_kept,copies,window") bad = 1; next }
         $1 == "time" { rows[$2 "," $3]++; seen[$3 $4]++; if (!($6 > 0 && $7 > 0)) bad = 1 }
         END { for (key in rows) { pairs++; if (rows[key] < 4) { print rows[key] " rows of " key; bad = 1 } }
               if (pairs != 4 || !seen["4narrow"] || seen["40narrow"] || !seen["40native"] || !seen["40hybrid"]) bad = 1
               exit bad }' "$csv" || { cat "$csv"; exit 1; }
"$bench" band -k 0 >/dev/null 2>&1 && { echo "-k 0 is taken"; exit 1; }
"$bench" band -b x >/dev/null 2>&1 && { echo "-b x is taken"; exit 1; }
exit 0
