# memory.sh: --memory-limit and --block: a matrix larger than what the device may hold of it.
. "$(dirname "$0")/common.sh"
need_device

run 0 generate random --n 300 -o A.mtx
precision=double
"$clsolve" devices -v --json - >devices.json 2>/dev/null
grep -q '"fp64": *\(1\|true\)' devices.json || precision=single

# 300 x 300 doubles are 720 000 bytes, floats half of it.
run 0 solve A.mtx --precision $precision --memory-limit 300K -o x.mtx --json r.json
json r.json status=OK 'device_bytes<307201' slab_columns:integer host_bytes:integer 'scaled_residual<30'
checks=$((checks + 1))
grep -q '"slab_columns": 0' r.json && fail "in core in 300K"
run 0 solve A.mtx --precision $precision --memory-limit 300k --block 16
has out '^out of core slabs of [0-9]+ columns, '
run 0 solve A.mtx --precision $precision --block 48 --json r.json
json r.json slab_columns=0 host_bytes=0
run 0 solve A.mtx --precision $precision --memory-limit 1G --json r.json
json r.json slab_columns=0

# Panels on the device and on the host.
for panel in auto native hybrid; do
    call solve A.mtx --precision $precision --panel $panel --json r.json >out 2>err
    code=$?
    if [ "$panel" = hybrid ] && [ "$code" -eq 6 ]; then
        has err 'hybrid panels are for devices that work in the host.s memory'
        continue
    fi
    [ "$code" -eq 0 ] || fail "exit code $code, not 0: --panel $panel"
    json r.json status=OK 'scaled_residual<30'
done
error 2 "no panel 'host'" solve A.mtx --panel host
error 2 'go with --method lu' solve A.mtx --method gauss-jordan --panel native
error 2 'go with --method lu' solve A.mtx --method gauss-jordan --precision mixed
error 2 'go with --method lu' solve A.mtx --method gauss-jordan --refine

# Less than two panels, and how much they would take.
error 7 'wants [0-9]+ bytes of device memory' solve A.mtx --precision $precision --memory-limit 1000

for bytes in 0 -1 1.5G 4T 12x G '' 99999999999999999999 9999999999999G; do
    error 2 "solve: --memory-limit '.*' is not a number of bytes above 0" solve A.mtx --memory-limit="$bytes"
done
for columns in 0 -1 x 16K; do error 2 "solve: --block '.*' is not a whole number" solve A.mtx --block="$columns"; done
error 2 'more columns than a block can have' solve A.mtx --block 3000000000
finish
