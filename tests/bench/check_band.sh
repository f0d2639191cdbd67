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
awk -F, 'NR == 1 { if ($0 != "row,n,k,mode,nb,seconds,factor,gbtrf_or_kept,copies,window,bus,hidden,ratio,device") bad = 1; next }
         NF != 14 { print "wrong: " $0; bad = 1 }
         $1 == "time" { rows[$2 "," $3]++; seen[$3 $4]++; if (!($6 >= $7 && $7 > 0 && $8 > 0)) bad = 1 }
         END { for (key in rows) { pairs++; if (rows[key] < 4) { print rows[key] " rows of " key; bad = 1 } }
               if (pairs != 4 || !seen["4narrow"] || seen["40narrow"] || !seen["40native"] || !seen["40hybrid"]) bad = 1
               exit bad }' "$csv" || { cat "$csv"; exit 1; }

# A device limit that the band does not fit: a window of it beside the band kept and beside the bus.
"$bench" band -n 3000 -k 100 -b 32 -r 1 -m 1500000 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv" || exit 1
awk -F, '$1 == "window" { windows++; larger = $8 > $11 ? $8 : $11
                            if (!($6 > 0 && $8 > 0 && $10 > 0 && $10 < 3000 && $11 > 0 && $12 >= 0)) bad = 1
                            if (!($13 > 0.99 * $6 / larger && $13 < 1.01 * $6 / larger)) bad = 1 }
         END { exit bad || windows != 1 }' "$csv" || { cat "$csv"; exit 1; }
"$bench" band -n 10 -k 50 -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" | grep -q '^# n 10, k 50 left out: ' ||
    { echo "left out without a word"; exit 1; }
"$bench" band -k 0 >/dev/null 2>&1 && { echo "-k 0 is taken"; exit 1; }
"$bench" band -b x >/dev/null 2>&1 && { echo "-b x is taken"; exit 1; }
exit 0
