#!/bin/sh
# check_peers.sh CLSOLVE-BENCH [COUNT]: the table of all families on two devices, at a small size. The program verifies
# each candidate before it times it and fails when one is wrong; here it is seen to have had all of them: at least the two
# devices, or COUNT candidates.
set -u
bench=$1
wanted=${2:-2}
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv" "$csv.out"' EXIT

first=${CLSOLVE_TEST_DEVICE:-Portable}
"$bench" peers -n 40 -r 1 --members 20 -d "$first" -d "${CLSOLVE_TEST_SECOND:-$first}" --csv "$csv" >"$csv.out"
code=$?
cat "$csv.out"
if [ "$code" -eq 6 ]; then echo "SKIPPED: no such device"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

# Each of eight families, by each candidate, with two times above 0; what no vendor has by the devices alone.
awk -F, -v all="$wanted" '
    NR == 1 { if ($0 != "family,n,members,candidate,device,host_to_host") bad = 1; next }
            { rows[$1 "," $2]++; if (NF != 6 || !($5 > 0) || !($6 > 0)) { print "wrong: " $0; bad = 1 } }
    END     { for (r in rows) { cells++; wanted = r ~ /^(band|block-gs),/ && all > 2 ? 2 : all
                                    if (rows[r] < wanted) { print r ": " rows[r] " candidates"; bad = 1 } }
              if (cells != 8) { print cells " cells"; bad = 1 }
              exit bad }' "$csv" || { cat "$csv"; exit 1; }

# With a vendor the end lists the rows where it took less time than a device: those of the file, and no others.
awk -F, '
    FNR == NR && FNR > 1 { n = ++rows; family[n] = $1; d[n] = $5; t[n] = $6; if ($4 ~ / |cu[SB]/) { vendor++; device[$1] = $5; total[$1] = $6 } }
    FNR != NR && /^# rows where the vendor is ahead/ { listing = 1; next }
    FNR != NR && listing && /^#/ { listed++ }
    END { if (!vendor) exit listing
          for (n in family) if (family[n] in device && (device[family[n]] < d[n] || total[family[n]] < t[n])) ahead++
          if (!listing || listed + 0 != ahead + 0) { print "listed " listed + 0 ", ahead " ahead + 0; exit 1 } }' \
    "$csv" "$csv.out" || exit 1

# In another type, and in one that mixed precision and grids are not measured in.
"$bench" peers -n 5 -r 1 --members 20 -t c64 -d "$first" --csv "$csv" || exit 1
awk -F, -v vendor="$((wanted - 2))" '
    NR > 1 { rows[$1]++; if (!($5 > 0)) bad = 1 }
    END    { for (f in rows) { families++; least = f ~ /^(band|block-gs)$/ ? 1 : 1 + vendor
                               if (rows[f] < least) { print f; bad = 1 } }
             exit bad || families != 8 }' "$csv" || { cat "$csv"; exit 1; }
"$bench" peers --family lu,mixed,block-gs -n 8 -r 1 -t c32 -d "$first" --csv "$csv" | grep -c "left out" | grep -qx 2 || exit 1
"$bench" auto -t c64 -n 8 -r 1 -d "$first" 2>/dev/null && { echo "auto is taken in c64"; exit 1; }
"$bench" lu -t c16 -n 8 -r 1 -d "$first" 2>/dev/null && { echo "an unknown type is taken"; exit 1; }

# Some of the families alone.
"$bench" peers --family lines,mixed -n 8 -r 1 -d "$first" | grep -c '^ *8 ' | grep -qx 2 || exit 1
"$bench" peers --family "" -n 8 -r 1 -d "$first" 2>/dev/null && { echo "no family is taken"; exit 1; }
"$bench" peers --family lu,lies -n 8 -r 1 -d "$first" 2>/dev/null && { echo "an unknown family is taken"; exit 1; }
exit 0
