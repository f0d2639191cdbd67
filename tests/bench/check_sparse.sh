#!/bin/sh
# check_sparse.sh CLSOLVE-BENCH: the table of sparse systems on the device under test, host to host and with arrays
# there, and on the host beside the peers.
set -u
bench=$1
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT

"$bench" sparse --family poisson2d:9,convection2d:8 --order metis -r 2 -d "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$csv"
code=$?
if [ "$code" -eq 6 ]; then echo "SKIPPED: no device with memory for a program's own arrays"; exit 77; fi
[ "$code" -eq 0 ] || exit 1

# LU of both, Cholesky and L D L^T of the first; times under every heading, and errors as small as promised.
awk -F, 'NR == 1 { columns = NF; next }
         { if (NF != columns) bad = 1
           for (k = 4; k <= 8; k++) if (!($k > 0)) bad = 1
           if (!($9 <= 1.2e-15)) bad = 1
           rows[$3]++ }
         END { exit bad || NR != 5 || rows["lu"] != 2 || rows["cholesky"] != 1 || rows["ldl"] != 1 }' "$csv" ||
    { cat "$csv"; exit 1; }
"$bench" sparse --order none -d "${CLSOLVE_TEST_DEVICE:-Portable}" 2>/dev/null && exit 1
exit 0
