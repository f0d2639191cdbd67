#!/bin/sh
# check_devices.sh CLSOLVE-BENCH [vendor]: the tables on two devices side by side, at small sizes: of each row's key there is one line
# for each device, and one of NVIDIA's libraries where they are there (with "vendor" they have to be).
set -u
bench=$1
wanted_vendor=${2:-}
csv=$(mktemp "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -f "$csv"' EXIT
if [ -n "${CLSOLVE_TEST_DEVICE:-}" ]; then
    first=$CLSOLVE_TEST_DEVICE second=${CLSOLVE_TEST_SECOND:-$CLSOLVE_TEST_DEVICE}
else
    first=pthread second=basic # PoCL's two devices
    export POCL_DEVICES="pthread basic"
fi
same=
[ "$first" != "$second" ] || same=yes
vendor=yes
"$bench" inverse -n 4 -r 1 -d "$first" 2>/dev/null | grep -q "^# without NVIDIA's libraries" && vendor=
[ -z "$wanted_vendor" ] || [ -n "$vendor" ] || { echo "no peers of NVIDIA's"; exit 1; }

# table KEY ROWS VENDOR_ROWS TABLE OPTIONS...: KEY, awk's text of what makes a row; so many rows each, so many more with the vendor.
table() {
    key=$1 wanted=$2
    [ -z "$vendor" ] || wanted=$(($2 + $3))
    shift 3
    "$bench" "$@" -r 1 -d "$first" -d "$second" --csv "$csv"
    code=$?
    if [ "$code" -eq 6 ]; then echo "SKIPPED: no such device"; exit 77; fi
    [ "$code" -eq 0 ] || exit 1
    # The device is named in the last column; the first device's row comes first, the vendor's last.
    awk -F, -v wanted="$wanted" -v same="$same" '
        NR == 1 && ('"$key"') !~ /[0-9]/ { columns = NF; next }
        { k = '"$key"'; if (k == "") next
          rows[k]++; seen[k, $NF]++; if (rows[k] == 1) keys++; if (seen[k, $NF] > 1 && !same) { print "twice: " $0; bad = 1 }
          if (columns && NF != columns) { print "wrong: " $0; bad = 1 }
          if ($NF !~ /^(opencl:[0-9]+|cuda:[0-9]+|vendor)$/) { print "no device: " $0; bad = 1 } }
        END { for (k in rows) if (rows[k] != wanted) { print k ": " rows[k] " rows, not " wanted; bad = 1 }
              exit bad || keys < 1 }' "$csv" || { cat "$csv"; exit 1; }
}
column() { # the table that was made last has this heading
    head -n 1 "$csv" | grep -q ",$1," || { echo "no column $1"; exit 1; }
}

table '$1' 2 0 lu -n 16,40
[ -z "$vendor" ] || column cusolver
table '$1' 2 0 gauss-jordan -n 20,33
[ -z "$vendor" ] || column cusolver
table '$1' 2 1 cholesky -n 100
table '$1' 2 1 batched -n 3,8 --members 20
# In other types: each table in one or two, for each has kernels of its own, and each device.
table '$1' 2 0 lu -n 40 -t c64
column zgesv
table '$1' 2 1 inverse -n 40 -t c32
table '$1' 2 1 cholesky -n 40 -t c64
table '$1' 2 1 batched -n 3 --members 20 -t c64
table '$1' 2 1 cholesky-batch -n 8 --members 20 -t f32
table '$1' 2 1 ldl-batch -n 8 --members 20 -t f32
table '$1' 2 1 lu-batch -n 8 --members 20 -t f32
table '$1 == "time" ? $2 " " $3 " " $4 : ""' 2 0 band -n 200,300 -k 8 -b 1000 -t c64
table '$1' 2 0 band-cholesky -n 200 -k 8 -t c32
table '$1 == "iteration" || $1 == "long" ? $1 " " $2 " " $3 * ($1 == "long") : ""' 2 0 block-gs -n 16
exit 0
