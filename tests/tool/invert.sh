# invert.sh: inverses, their reports and their failures; solve --method gauss-jordan with every variant.
. "$(dirname "$0")/common.sh"
need_device
small_system
mkdir d

# The command takes the device under test for invert too.
invert() {
    wanted=$1
    shift
    if [ -n "${CLSOLVE_TEST_DEVICE:-}" ]; then
        run "$wanted" invert --device "$CLSOLVE_TEST_DEVICE" "$@"
    else
        run "$wanted" invert "$@"
    fi
}

# 2 x 2 by hand: A = (0 2; 4 1) has the inverse (-1/8 1/4; 1/2 0).
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 0 4 2 1 >two.mtx
invert 0 two.mtx -o d/inverse.mtx
only inverse.mtx
values d/inverse.mtx 1e-15 -0.125 0.5 0.25 0
has out '^method +gauss-jordan, double precision$'
has out '^residual .*scaled'
has out '^condition +about [0-9.e+-]+'
has out '^inverse +d/inverse.mtx$'
[ ! -s err ] || fail "something on stderr"

# A Hilbert matrix of order 14: no digit of the inverse is sure.
awk 'BEGIN { print "%%MatrixMarket matrix array real general\n14 14"; for (k = 0; k < 196; k++) printf "%.17g\n", 1 / (int(k / 14) + k % 14 + 1) }' >hilbert.mtx
invert 0 hilbert.mtx --json h.json
json h.json 'rcond<1e-15' rcond:number
has err '^clsolve: warning: hilbert.mtx: the matrix is singular to working precision .*the inverse may have no correct digit'
# The method is no choice.
invert 0 two.mtx --method gauss-jordan
error 2 '^clsolve: invert: --method is for solve, .*choose a --variant$' invert two.mtx --method lu

for variant in two-pass one-pass operations blocked; do
    invert 0 A.mtx --variant $variant -o inverse.mtx --json r.json
    json r.json method=gauss-jordan status=OK n=3 nrhs=3 'scaled_residual<30' rcond:number info=0 solution=inverse.mtx rhs:null
    run 0 solve A.mtx b.mtx --method gauss-jordan --variant $variant -o x.mtx --json r.json
    values x.mtx 1e-14 1 2 3
    json r.json method=gauss-jordan status=OK 'scaled_residual<30' rcond:null
done
# The inverse of the inverse.
invert 0 inverse.mtx -o again.mtx
values again.mtx 1e-14 4 1 0 -1 5 2 0 1 3
invert 0 A.mtx --precision single -o again.mtx
run 0 solve A.mtx b.mtx --method gauss-jordan --precision single -o x.mtx
values x.mtx 1e-5 1 2 3
invert 0 two.mtx -o -
values out 1e-15 -0.125 0.5 0.25 0
invert 0 two.mtx --json -
json out status=OK solution:null

printf '%s\n' '%%MatrixMarket matrix array real general' '0 0' >empty.mtx
invert 0 empty.mtx -o inverse.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 1' '1 2 1' '2 1 0' '3 3 1' >singular.mtx
error 4 'singular.mtx: the matrix is singular: the pivot of column 2' invert singular.mtx -o d/s.mtx --json d/s.json
json d/s.json status=SINGULAR info=2 exit_code=4 'rcond<1e-300' scaled_residual:null
absent d/s.mtx
for variant in two-pass one-pass operations blocked; do
    error 4 'the pivot of column 2' solve singular.mtx --method gauss-jordan --variant $variant --json d/s.json
    json d/s.json status=SINGULAR info=2 'rcond<1e-300'
done
# Refused before anything was eliminated, by each command.
error 6 'leave out --where host' solve singular.mtx --method gauss-jordan --variant two-pass --where host --json d/s.json
json d/s.json status=ERROR_UNSUPPORTED info:null where:null device_bytes:null
error 6 'leave out --where host' invert singular.mtx --variant two-pass --where host --json d/s.json
json d/s.json status=ERROR_UNSUPPORTED info:null where:null device_bytes:null
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 1 2 >flat.mtx
error 3 'flat.mtx: the matrix is 2 x 1; an inverse needs a square one' invert flat.mtx -o d/f.mtx
absent d/f.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '1 1' 1e-310 >tiny.mtx
error 5 'tiny.mtx: ' invert tiny.mtx -o d/t.mtx
absent d/t.mtx
# The last pivot overflows, and would make zeros of its row.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 1 -1.7976931348623157e308 1.7976931348623157e308 >wild.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 0 2 >wild_b.mtx
for variant in two-pass one-pass operations blocked; do
    error 5 'wild.mtx: .*scale' invert wild.mtx --variant $variant -o d/w.mtx
    error 5 'wild.mtx: .*scale' solve wild.mtx wild_b.mtx --method gauss-jordan --variant $variant -o d/w.mtx
    absent d/w.mtx
done
# The 1-norm overflows, the inverse does not.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1.5e308 .7e308 .7e308 1.5e308 >large.mtx
invert 0 large.mtx -o inverse.mtx --json r.json
json r.json status=OK 'scaled_residual<30' rcond:number

error 2 'the matrix file is missing' invert
error 2 "unexpected operand 'b.mtx'" invert A.mtx b.mtx
error 2 "--variant 'three-pass' is unknown; use two-pass, one-pass, operations or blocked$" invert A.mtx --variant three-pass
error 2 "solve: --variant goes with --method gauss-jordan$" solve A.mtx --variant blocked
error 2 'share standard output' invert A.mtx -o - --json -
CLSOLVE_PRETEND=no-fp64
export CLSOLVE_PRETEND
error 6 'does not compute in double; use --precision single' invert A.mtx -o d/n.mtx
absent d/n.mtx
invert 0 A.mtx --precision single
finish
