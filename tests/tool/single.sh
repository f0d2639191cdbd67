# single.sh: --precision single: rounded to float, judged in double against the matrix as read.
. "$(dirname "$0")/common.sh"
need_device
small_system

run 0 solve A.mtx b.mtx --precision single -o x.mtx --json r.json
values x.mtx 1e-5 1 2 3
json r.json precision=single status=OK 'relative_residual<1e-5' 'scaled_residual<30'

# Thirds are not floats: the double residual must see the rounding of the matrix.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 0.33333333333333333 0.1 0.7 0.9 >thirds.mtx
run 0 solve thirds.mtx --precision single --json r.json
json r.json status=OK 'relative_residual<1e-6' 'scaled_residual<30'
if "$check_json" r.json 'relative_residual<1e-12' 2>/dev/null; then fail "a single residual as small as a double one"; fi

printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 0 1e39 1 >large.mtx
error 3 'large.mtx: entry \(1, 2\) is 1e\+39, out of the range of single precision' \
    solve large.mtx --precision single -o x2.mtx --json r.json
json r.json status=ERROR_FILE exit_code=3
absent x2.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 1 -1e300 >b.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 0 0 1 >I.mtx
error 3 'b.mtx: entry \(2, 1\) is -1e\+300' solve I.mtx b.mtx --precision single

# Entries that vanish in float are told of, and the rest is solved.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 1e-60 0 1 >tiny.mtx
run 0 solve tiny.mtx --precision single
has err '^clsolve: warning: tiny.mtx: 1 entries? .*single precision$'
# A device without double. (The variable makes any device such a one.)
CLSOLVE_PRETEND=no-fp64
export CLSOLVE_PRETEND
run 0 solve A.mtx --precision single
run 0 devices --json d.json
json d.json devices.0.fp64=false
finish
