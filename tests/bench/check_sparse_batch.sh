#!/bin/sh
# check_sparse_batch.sh CLSOLVE-BENCH: the table of sparse batches for two small networks, on the device under test and
# on the host. The program verifies each candidate, KLU too, before it times it.
set -u
bench=$1
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT

"$bench" sparse-batch -n 5,30 --members 11 -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --device host --csv "$csv"
code=$?
if [ "$code" -eq 6 ]; then echo "SKIPPED: no device that computes in double"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

# A line for each size and device, with a number under every heading.
awk -F, 'NR == 1 { columns = NF; if (!/^buses,n,members,clsolve,factor,solve,there,klu,device/) bad = 1; next }
         { if (NF != columns || $3 != 11 || !($4 > 0) || !($8 > 0)) bad = 1 }
         END { exit bad || NR != 5 }' "$csv" || { cat "$csv"; exit 1; }
