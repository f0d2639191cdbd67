# solve.sh: answers, reports and numerical outcomes.
. "$(dirname "$0")/common.sh"
need_device
small_system
mkdir d

keys="version:string method:string device:string selector:string backend:string n:integer nrhs:integer entries:integer
    precision:string status:string status_text:string info:integer iterations:integer seconds.build:number
    seconds.upload:number seconds.factor:number seconds.solve:number seconds.download:number seconds.total:number
    seconds.read:number seconds.write:number seconds.command:number bytes_up:integer bytes_down:integer transfers_up:integer
    transfers_down:integer device_bytes:integer exit_code:integer matrix:string det_sign:integer
    equilibrated:integer gmres_iterations:integer history:array"

# The report for people, and x.
run 0 solve A.mtx b.mtx --method lu -o d/x.mtx
only x.mtx
values d/x.mtx 1e-14 1 2 3
has out '^matrix +A.mtx: n = 3, 7 entries \(sparse\)$'
has out '^right side +b.mtx: 1 column$'
has out '^method +lu, double precision$'
has out '^device +(opencl|cuda):'
has out '^  factor +[0-9.]+ s +[0-9.]+ GFLOP/s$'
has out '^transfers +[0-9.]+ [kMG]?B up, [0-9.]+ [kMG]?B down$'
has out '^residual +relative [0-9.e+-]+, backward error [0-9.e+-]+, scaled [0-9.e+-]+'
has out '^status +success, info 0$'
has out '^solution +d/x.mtx$'
[ ! -s err ] || fail "something on stderr"

# Without b the solution is ones. What auto takes of lu and band-lu is the device's.
for method in auto lu; do
    run 0 solve A.mtx --method $method -o x.mtx --json r.json
    ones x.mtx 3 1e-14
    json r.json $keys status=OK exit_code=0 info=0 n=3 nrhs=1 entries=7 precision=double rhs:null message:null \
        'relative_residual<1e-14' 'backward_error<1e-15' 'scaled_residual<30' matrix=A.mtx solution=x.mtx
    [ $method = auto ] || json r.json method=$method
done

# Gauss-Jordan has no factors to estimate a condition from; the report for people says who does.
run 0 solve A.mtx b.mtx --method gauss-jordan
has out '^residual '
has out "^condition +not known after gauss-jordan; --method lu estimates it\$"

# Standard output holds what was asked for and nothing else.
run 0 solve A.mtx b.mtx --json -
json out $keys rhs=b.mtx solution:null
[ ! -s err ] || fail "--json - writes to stderr"
run 0 solve A.mtx b.mtx -o -
values out 1e-14 1 2 3
has err '^residual '
run 0 solve A.mtx b.mtx -o - --json r.json
values out 1e-14 1 2 3
json r.json $keys solution=-

# Several right-hand sides, a sparse one, a dense matrix, a symmetric one, an input that is its own output.
printf '%s\n' '%%MatrixMarket matrix array real general' '3 2' 2 14 13 4 28 26 >b2.mtx
run 0 solve A.mtx b2.mtx -o x.mtx --json r.json
values x.mtx 1e-13 1 2 3 2 4 6
json r.json nrhs=2
has x.mtx '^3 2$'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 1 1' '1 1 4' >e.mtx
run 0 solve A.mtx e.mtx -o x.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 0 1 2 0 >dense.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 6 5 >c.mtx
run 0 solve dense.mtx c.mtx -o c.mtx
values c.mtx 1e-14 5 3
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 2 3' '1 1 2' '2 1 1' '2 2 3' >symmetric.mtx
run 0 solve symmetric.mtx -o x.mtx
ones x.mtx 2 1e-14
printf '%s\n' '%%MatrixMarket matrix array real general' '3 1' 0 0 0 >zero.mtx
run 0 solve A.mtx zero.mtx -o x.mtx --json r.json
values x.mtx 0 0 0 0
json r.json status=OK

# Nothing to solve is solved.
printf '%s\n' '%%MatrixMarket matrix array real general' '0 0' >empty.mtx
run 0 solve empty.mtx -o x.mtx --json r.json
json r.json $keys n=0 nrhs=1 status=OK
run 0 solve empty.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '3 0' >none.mtx
run 0 solve A.mtx none.mtx -o x.mtx --json r.json
json r.json n=3 nrhs=0 status=OK

# A singular matrix: told with its column, in JSON too, and no file of the solution.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 1' '1 2 1' '2 1 0' '3 3 1' >singular.mtx
error 4 'singular.mtx: the matrix is singular: U\(2,2\)' solve singular.mtx --method lu -o d/s.mtx --json d/s.json
only s.json x.mtx
json d/s.json $keys status=SINGULAR info=2 exit_code=4 relative_residual:null solution:null message:string
run 4 solve singular.mtx --method lu --json -
json out status=SINGULAR info=2
printf '%s\n' '%%MatrixMarket matrix array real general' '1 1' 0 >zero1.mtx
error 4 'U\(1,1\)' solve zero1.mtx

# By any method it is singular.
run 4 solve singular.mtx --json -
json out status=SINGULAR

# Factors beyond the range of double.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 -1 1e308 1e308 >overflow.mtx
error 5 'overflow.mtx: ' solve overflow.mtx c.mtx -o d/o.mtx --json d/o.json
json d/o.json $keys status=OVERFLOW exit_code=5
absent d/o.mtx

# Pivot growth: refined without being asked, and told. A right-hand side of all sizes brings it out.
sines() { # n file
    awk -v n="$1" 'BEGIN { print "%%MatrixMarket matrix array real general"; print n, 1; for (i = 1; i <= n; i++) print sin(i * i) }' \
        >"$2"
}
run 0 generate foster --n 60 -o foster.mtx
sines 60 few.mtx
run 0 solve foster.mtx few.mtx --json r.json
[ ! -s err ] || fail "something on stderr"
json r.json status=OK 'scaled_residual<30' unrefined_residual:number
if "$check_json" r.json 'unrefined_residual<30' 2>/dev/null; then fail "refined without need"; fi
run 0 solve foster.mtx few.mtx
has out '^refinement +not asked for'
run 0 solve foster.mtx few.mtx --refine --json r.json
json r.json unrefined_residual:null

# Growth beyond what refinement mends: no success, no solution.
run 0 generate wilkinson --n 120 -o wilkinson.mtx
sines 120 sines.mtx
rm -f d/*
for precision in double single; do
    error 5 '^clsolve: wilkinson.mtx: the scaled residual .* is not below 30.*try --' \
        solve wilkinson.mtx sines.mtx --precision $precision -o d/w.mtx --json d/w.json
    only w.json
    json d/w.json status=NOT_CONVERGED exit_code=5 solution:null scaled_residual:number unrefined_residual:number
    if "$check_json" d/w.json 'scaled_residual<30' 2>/dev/null; then fail "an accepted residual is refused"; fi
done

# Selectors.
error 6 "clsolve devices' lists" solve A.mtx --device nosuch -o d/o.mtx --json d/o.json
json d/o.json status=ERROR_NO_DEVICE device:null selector=nosuch exit_code=6
run 0 solve A.mtx --device opencl
run 0 solve --json - -- A.mtx
json out $keys
finish
