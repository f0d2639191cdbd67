# sparse.sh: --method sparse-lu, sparse-cholesky and sparse-ldl: orders by name and from a file, both engines, what the reports say,
# and what is refused. All of it is done on the host, so no device is needed.
. "$(dirname "$0")/common.sh"

# A cube for both methods and each order. Its factors are as dense as the order makes them.
run 0 generate poisson-3d --n 343 -o cube.mtx --rhs b.mtx
for method in sparse-lu sparse-cholesky sparse-ldl; do
    for order in auto amd nested metis natural; do
        run 0 solve cube.mtx b.mtx --method $method --order $order -o x.mtx --json r.json
        ones x.mtx 343 1e-12
        json r.json status=OK method=$method info=0 engine:string order:string factor_entries:number \
            operations:number fronts:integer delayed_pivots=0 where=host rcond:number det_sign=1 'scaled_residual<30' \
            'backward_error<2.1e-15'
        [ $order = auto ] || json r.json order=$order engine=multifrontal
    done
done
natural=$(sed -n 's/.*"factor_entries": \([0-9.e+]*\),.*/\1/p' r.json)
run 0 solve cube.mtx --method sparse-cholesky --order amd --json r.json
json r.json "factor_entries<$natural"
has out '^factors +order amd, [0-9.e+]+ entries, [0-9.e+]+ operations, multifrontal, [0-9]+ fronts? of up to [0-9]+ '
has out '^  factor +[0-9.]+ s +[0-9.]+ GFLOP/s$'
has out '^method +sparse-cholesky, double precision$'

# A circuit: KLU's blocks. Fronts exchange rows for the sources, whose diagonal is zero.
run 0 generate circuit --n 400 -o circuit.mtx --rhs b.mtx
run 0 solve circuit.mtx b.mtx --method sparse-lu -o x.mtx --json r.json
ones x.mtx 400 1e-10
json r.json method=sparse-lu engine=klu order=amd fronts=0 factor_entries:number slab_columns:null 'backward_error<2.3e-15'
has out '^factors +order amd, .* klu, [0-9]+ diagonal blocks of up to [0-9]+ rows$'
run 0 solve circuit.mtx b.mtx --method sparse-lu --order amd -o x.mtx --json r.json
ones x.mtx 400 1e-10
json r.json engine=multifrontal equilibrated=3

# The last row is so large that no other one may be a pivot before it: those pivots go up to the parent.
awk -v n=40 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print n, n, 3 * n - 2
    for (i = 1; i < n; i++) { print i, i, 1; print i, n, 1; print n, i, 1000 } print n, n, 500 }' >delayed.mtx
run 0 solve delayed.mtx --method sparse-lu --order natural --json r.json
json r.json 'scaled_residual<30' 'backward_error<8e-16'
has r.json '"delayed_pivots": [1-9]'
has out '; [1-9][0-9]* delayed pivots?$'

# An order of the caller's: reversed columns. The cube is the same from its other end.
awk 'BEGIN { for (k = 343; k >= 1; k--) print k }' >reversed
run 0 solve cube.mtx --method sparse-cholesky --order-file reversed -o x.mtx --json r.json
ones x.mtx 343 1e-12
json r.json order=given factor_entries="$natural"
awk 'BEGIN { for (k = 1; k <= 400; k++) print k }' >given
order_file=given
[ -z "$posix" ] || order_file=/dev/stdin
run 0 solve circuit.mtx --method sparse-lu --json r.json --order-file $order_file <given
json r.json order=given 'backward_error<2.3e-15'

# An order that counts: column 1 last keeps an arrow sparse, column 1 first fills it.
awk -v n=50 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
    print 1, 1, n; for (i = 2; i <= n; i++) { print i, i, 2; print i, 1, -1 } }' >arrow.mtx
awk 'BEGIN { for (k = 2; k <= 50; k++) print k; print ""; print 1 }' >last
run 0 solve arrow.mtx --method sparse-cholesky --order-file last -o x.mtx --json r.json
json r.json order=given factor_entries=99
ones x.mtx 50 1e-12
run 0 solve arrow.mtx --method sparse-cholesky --order natural --json r.json
json r.json order=natural factor_entries=1275

# A file that is no order: exit code 3 and where.
wrong_order() { # pattern, lines...
    pattern=$1
    shift
    printf '%s\n' "$@" >wrong
    error 3 "$pattern" solve arrow.mtx --method sparse-lu --order-file wrong -o y.mtx
    absent y.mtx
}
wrong_order "^clsolve: wrong:2: '51' is not a column number from 1 to 50; give one on each line\$" 1 51
wrong_order "^clsolve: wrong:1: '0' is not a column number" 0 1
wrong_order "^clsolve: wrong:1: '-1' is not a column number" -1
wrong_order "^clsolve: wrong:1: '1 2' is not a column number" '1 2'
wrong_order "^clsolve: wrong:3: 'x' is not a column number" 1 2 x
wrong_order "^clsolve: wrong:1: '1 +' is not a column number" "1$(printf '%300s' '')2"
wrong_order "^clsolve: wrong:1: '99999999999999999999' is not a column number" 99999999999999999999
wrong_order '^clsolve: wrong:3: column 1 stands in line 1 already; give each one once$' 1 2 1
wrong_order '^clsolve: wrong: 3 column numbers, and the matrix in arrow.mtx has 50 columns; give each one once$' 1 2 3
wrong_order '^clsolve: wrong: 0 column numbers, ' ''
error 3 '^clsolve: nosuch: cannot read: ' solve arrow.mtx --method sparse-lu --order-file nosuch
run 3 solve arrow.mtx --method sparse-lu --order-file wrong --json r.json
json r.json status=ERROR_FILE exit_code=3 message:string order:null

# Singular: row and column of the file, whatever the order is, and no factors' element.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 1' '2 2 1' '3 2 1' '2 3 1' '3 3 1' '4 4 1' \
    >singular.mtx
error 4 'singular.mtx: the matrix is singular: no pivot is left for column 3, counted from 1; row 3 is the nearest; no' \
    solve singular.mtx --method sparse-lu --order natural -o y.mtx
absent y.mtx
error 4 'singular.mtx: the matrix is singular: no pivot is left for row [23], counted from 1; column [23] is the nearest; no solution is written$' \
    solve singular.mtx --method sparse-lu
lacks err 'U\('
run 4 solve singular.mtx --method sparse-lu --order natural --json r.json
json r.json status=SINGULAR exit_code=4 info=3 method=sparse-lu det_sign=0 order=natural engine=multifrontal
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 1' '2 1 1' '3 3 1' '2 3 1' >pattern.mtx
error 4 'pattern.mtx: the matrix is singular whatever its values are: its structural rank is 2 of 3; no column is left for row [12], counted from 1;' \
    solve pattern.mtx --method sparse-lu
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 4' '1 1 1' '2 2 1' '3 3 1' '3 2 2' >indefinite.mtx
error 4 'the matrix is not positive definite: the pivot of column [23], counted from 1, is not positive; .*; try --method sparse-ldl$' \
    solve indefinite.mtx --method sparse-cholesky
lacks err 'minor'
run 0 solve indefinite.mtx --method sparse-ldl --json r.json
json r.json method=sparse-ldl inertia.0=2 inertia.1=1 inertia.2=0 'backward_error<2e-15' det_sign=-1 engine=multifrontal
has out '^inertia +2 positive, 1 negative, 0 zero$'
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 4' '1 1 1' '2 1 1' '2 2 1' '3 3 -2' >rank2.mtx
error 4 'singular' solve rank2.mtx --method sparse-ldl --json r.json
json r.json method=sparse-ldl inertia.0=1 inertia.1=1 inertia.2=1
run 0 solve indefinite.mtx --method sparse-lu --json r.json
json r.json inertia:null
error 2 'A is not symmetric: A\([0-9]+,[0-9]+\) .*--method sparse-ldl takes symmetric' \
    solve circuit.mtx --method sparse-ldl
error 2 'A is not symmetric: A\([0-9]+,[0-9]+\) .*--method sparse-cholesky takes symmetric' \
    solve circuit.mtx --method sparse-cholesky

# Several right-hand sides, single precision, complex numbers, a dense file, an empty one.
awk -v n=343 'BEGIN { print "%%MatrixMarket matrix array real general"; print n, 3
    for (c = 1; c <= 3; c++) for (i = 1; i <= n; i++) print c * i }' >three.mtx
run 0 solve cube.mtx three.mtx --method sparse-lu --json r.json
json r.json nrhs=3 'backward_error<2.1e-15'
run 0 solve cube.mtx --method sparse-cholesky --precision single -o x.mtx --json r.json
json r.json precision=single type=f32 'scaled_residual<30'
run 0 generate helmholtz --n 100 -o waves.mtx
run 0 solve waves.mtx --method sparse-lu --json r.json
json r.json type=c64 'backward_error<1.2e-15' det_phase:number
run 0 generate random --n 20 -o dense.mtx
run 0 solve dense.mtx --method sparse-lu --json r.json
json r.json method=sparse-lu factor_entries=400 'scaled_residual<30'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '0 0 0' >empty.mtx
run 0 solve empty.mtx --method sparse-lu

# No device is opened, unless one is named.
run 0 generate poisson --n 16 -o A.mtx
checks=$((checks + 1))
OCL_ICD_VENDORS=/nowhere "$clsolve" solve A.mtx --method sparse-lu --json r.json >out 2>err || fail "a device is wanted"
json r.json selector=host backend=host

# Other methods have null, and no such options.
run 0 solve A.mtx --device host --method lu --json r.json
json r.json order:null engine:null factor_entries:null operations:null fronts:null delayed_pivots:null
for method in auto lu band-lu cholesky; do
    error 2 "order and --order-file go with --method sparse-lu, sparse-cholesky and sparse-ldl, not $method" \
        solve A.mtx --method $method --order amd
    error 2 "order and --order-file go with" solve A.mtx --method $method --order-file last
done
error 2 "order 'rcm' is unknown; use auto, amd, nested, metis or natural$" solve A.mtx --method sparse-lu --order rcm
error 2 'order and --order-file both give an order' solve A.mtx --method sparse-lu --order amd --order-file last
for option in --equilibrate --refine '--block 8' '--panel native' '--precision mixed'; do
    # shellcheck disable=SC2086
    error 2 'are not for --method sparse-lu' solve A.mtx --method sparse-lu $option
done
run 0 solve A.mtx --method sparse-lu --memory-limit 1G
error 7 'the factors take .* GB and --memory-limit is 8e-09 GB; use a larger limit$' solve A.mtx --method sparse-lu --memory-limit 8
error 2 'pivoting goes with --method lu, not sparse-lu' solve A.mtx --method sparse-lu --pivoting partial
error 2 'are for --method block-gs' solve A.mtx --method sparse-cholesky --tolerance 1e-3
error 2 'same file' solve arrow.mtx --method sparse-lu --order-file last --json last

# auto takes them where the model expects it.
run 0 solve circuit.mtx --device host --json r.json
json r.json 'method=sparse-lu|band-lu|lu' status=OK
run 0 solve cube.mtx --device host --json r.json
json r.json method=band-cholesky
run 0 generate poisson-3d --n 8000 -o large.mtx
run 0 solve large.mtx --device host --json r.json
json r.json method=sparse-cholesky
finish
