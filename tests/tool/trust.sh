# trust.sh: what the reports say of an answer's worth; mixed precision, scaling, refinement, devices without double.
. "$(dirname "$0")/common.sh"
need_device
small_system

# det A = 4*(5*3-1*2) - (-1)*(1*3-0) = 55 for the small system; its condition is about 3.
run 0 solve A.mtx b.mtx --method lu --json r.json
json r.json factors=double precision_reason:string fallback:null rcond:number growth:number det_sign=1 log_abs_det:number equilibrated=0 \
    iterations=0 'log_abs_det<4.00734' 'history:array'
if "$check_json" r.json 'log_abs_det<4.00733' 2>/dev/null; then fail "log|det| is not log 55"; fi
if "$check_json" r.json 'rcond<0.2' 2>/dev/null; then fail "rcond of a matrix of condition 3"; fi
has out '^condition +about [0-9.]+e[+]0[0-9], pivot growth 1.05, det [+] exp\(4.00733\)$'

# Mixed precision: the accuracy of double from factors in float.
run 0 generate random --n 120 -o R.mtx --seed 5
run 0 solve R.mtx -o x.mtx --precision mixed --json r.json
json r.json precision=mixed factors=mixed fallback:null 'scaled_residual<30' 'backward_error<1e-14' history.1:number \
    equilibrated=3
ones x.mtx 120 1e-9
has out '^precision +mixed: '
has out '^refinement +[0-9]+ steps?, .*backward error [0-9.]+e-[0-9]+ to [0-9.]+e-1[0-9]$'

# Entries that are 0 or Inf in float are neither after scaling.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1e200 2e-200 1e200 -3e-200 >wide.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 3e200 -4e-200 >wide_b.mtx
run 0 solve wide.mtx wide_b.mtx --precision mixed -o x.mtx --json r.json
values x.mtx 1e-12 1 2
json r.json factors=mixed fallback:null

# Scaling and refinement in double.
run 0 solve wide.mtx wide_b.mtx --equilibrate --refine -o x.mtx --json r.json
values x.mtx 1e-12 1 2
# Where rows of size 1 would let the first column underflow it does not; the message of a singular matrix says that it was scaled.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1e-300 2e-300 1e285 1e280 >far.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 3e285 3e280 >far_b.mtx
run 0 solve far.mtx far_b.mtx --equilibrate --method lu -o x.mtx
values x.mtx 1e-12 0 3
# Nor does a right-hand side that rows of size 1 would let underflow.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 1e-300 2e-300 >far_b.mtx
run 0 solve far.mtx far_b.mtx --equilibrate --method lu -o x.mtx
values x.mtx 1e-12 1 0
# A solution that underflows is 0, which is none.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 2e300 1e300 1e300 3e300 >huge.mtx
error 5 'scaled residual inf' solve huge.mtx far_b.mtx --equilibrate --method lu -o x.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 1 1e10 1e10 >flat.mtx
error 4 'U[(]2,2[)] of its factors is exactly zero; it was scaled, and elements may have underflowed to 0' \
    solve flat.mtx --equilibrate --method lu
run 0 generate foster --n 60 -o foster.mtx
run 0 solve foster.mtx --refine --json r.json
json r.json history.0:number

# No pivots: of a full matrix, and of one that falls back, with what is known of either; and as partial pivoting has them.
run 0 solve R.mtx -o x.mtx --pivoting rbt --seed 3 --json r.json
json r.json pivoting=rbt pivoting_used=rbt pivoting_fallback:null seed=3 iterations:integer 'scaled_residual<30' \
    'backward_error<1e-14' rcond:number log_abs_det:number status=OK
ones x.mtx 120 1e-9
has out '^pivoting +none, of a matrix randomised by butterflies \(seed 3\)$'
has out '^refinement +[0-9]+ steps?, backward error '
run 0 solve R.mtx -o x.mtx --pivoting rbt --seed 9223372036854775807 --json r.json
json r.json seed:integer seed=9223372036854775807
run 0 solve R.mtx -o x.mtx --pivoting rbt --seed 18446744073709551615 --json r.json
json r.json seed:string seed=18446744073709551615 'scaled_residual<30'
run 0 solve foster.mtx -o x.mtx --pivoting rbt --json r.json
ones x.mtx 60 1e-9
json r.json pivoting=rbt seed=0 'scaled_residual<30' unrefined_residual:null
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 30, 30, 30
             for (i = 1; i <= 30; i++) print i, i % 30 + 1, 1 }' >cycle.mtx
run 0 solve cycle.mtx -o x.mtx --pivoting rbt --json r.json
has out '^pivoting +fell back from rbt to partial: a pivot is zero or nearly so$'
ones x.mtx 30 1e-15
json r.json method=lu pivoting=rbt pivoting_used=partial pivoting_fallback:string seed=0
# Pivoting by name is dense LU's, whatever the matrix.
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 100, 100, 199
             for (i = 1; i <= 100; i++) { print i, i, 3; if (i < 100) print i, i + 1, 1 } }' >narrow.mtx
run 0 solve narrow.mtx --json r.json
json r.json 'method=band-lu|sparse-lu'
run 0 solve narrow.mtx --pivoting partial --json r.json
json r.json method=lu pivoting=partial
run 0 solve R.mtx --json r.json --pivoting partial
json r.json pivoting=partial pivoting_used=partial pivoting_fallback:null seed:null
run 0 solve R.mtx --json r.json --method gauss-jordan
json r.json pivoting:null pivoting_used:null seed:null

# As good as singular: solved, and told.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 1 1 1.0000000000000002 >near.mtx
run 0 solve near.mtx --json r.json
has err '^clsolve: warning: near.mtx: the matrix is singular to working precision'
tail -n 1 out | grep -q '^next  *look for a row or column' || fail "the last line does not say what to do: $(tail -n 1 out)"
json r.json 'rcond<1e-15'

# The last line: the digits of an ill-conditioned system, or how to have the solution written.
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print 9, 9
             for (j = 0; j < 9; j++) for (i = 0; i < 9; i++) printf "%.17g\n", 1 / (i + j + 1) }' >hilbert9.mtx
run 0 solve hilbert9.mtx
tail -n 1 out | grep -q '^next .* about [34] digits of the solution are right$' || fail "the last line: $(tail -n 1 out)"
run 0 solve A.mtx b.mtx
tail -n 1 out | grep -q '^next  *-o x.mtx writes the solution$' || fail "the last line: $(tail -n 1 out)"
run 0 solve A.mtx b.mtx -o x.mtx
tail -n 1 out | grep -q '^solution  *x.mtx$' || fail "the last line: $(tail -n 1 out)"

# Float factors do not know how ill-conditioned this is: they say so, and of what the determinant is.
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print 14, 14
             for (j = 0; j < 14; j++) for (i = 0; i < 14; i++) printf "%.17g\n", 1 / (i + j + 1) }' >hilbert.mtx
run 0 solve hilbert.mtx --precision mixed --json r.json
has err '^clsolve: warning: hilbert.mtx: the matrix may be singular to working precision \(rcond is at most '
json r.json 'rcond<1.2e-7' rcond_is_bound=true det_precision=single slabs=1
has out '^condition +at least [0-9.]+e[+][01][0-9], .* as single-precision factors have it$'
run 0 solve hilbert.mtx --json r.json
has err '^clsolve: warning: hilbert.mtx: the matrix is singular to working precision'
json r.json 'rcond<1e-16' rcond_is_bound=false det_precision=double

# Numbers that have lost most of their bits.
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 4e-320 2e-320 1e-320 3e-320 >tiny.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 6e-320 8e-320 >tiny_b.mtx
run 0 solve tiny.mtx tiny_b.mtx -o x.mtx --json r.json
json r.json equilibrated=4 'rcond<0.6'
values x.mtx 1e-3 1 2

# Where double is slow, float factors are the default, and double ones are made for those who ask.
CLSOLVE_PRETEND=gpu,double-ratio=32
CLSOLVE_HOST=never
export CLSOLVE_PRETEND CLSOLVE_HOST
run 0 solve A.mtx b.mtx --method lu -o x.mtx --json r.json
values x.mtx 1e-14 1 2 3
json r.json precision=double factors=mixed fallback:null precision_reason:string 'scaled_residual<30'
run 0 solve A.mtx b.mtx --method lu --precision double --json r.json
json r.json precision=double factors=double 'precision_reason=asked for'

# A device without double solves in double all the same.
CLSOLVE_PRETEND=no-fp64
export CLSOLVE_PRETEND
run 0 solve A.mtx b.mtx --method lu -o x.mtx --json r.json
values x.mtx 1e-14 1 2 3
json r.json precision=double factors=mixed status=OK 'scaled_residual<30'
run 0 solve R.mtx --method lu -o x.mtx --json r.json
ones x.mtx 120 1e-9
json r.json factors=mixed 'scaled_residual<30'
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1 1 1 1 >ones.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 1 2 >ones_b.mtx
error 5 'ones.mtx: .*ill-conditioned' solve ones.mtx ones_b.mtx -o y.mtx --json r.json
json r.json status=NOT_CONVERGED exit_code=5
absent y.mtx
finish
