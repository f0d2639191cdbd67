# complex.sh: complex and hermitian matrices in and out, by solve and invert; what takes no complex matrix says so.
. "$(dirname "$0")/common.sh"
need_device
mkdir d

# (2 -i 0; i 3 1+i; 0 1-i 4), determinant 16, and a right-hand side with the solution (1, i, 1 - i).
printf '%s\n' '%%MatrixMarket matrix coordinate complex hermitian' '3 3 5' '1 1 2 0' '2 1 0 1' '2 2 3 0' '3 2 1 -1' \
    '3 3 4 0' >H.mtx
printf '%s\n' '%%MatrixMarket matrix array complex general' '3 1' '3 0' '2 4' '5 -3' >c.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '3 1' 2 0 0 >real.mtx
small_system

# numbers FILE TOLERANCE VALUE...: as values, of the real and imaginary parts in turn.
numbers() {
    head -1 "$1" | grep -q '^%%MatrixMarket matrix array complex general$' || fail "$1 is not complex"
    grep '^%' "$1" >numbers.mtx
    grep -v '^%' "$1" | sed -n 1p >>numbers.mtx
    grep -v '^%' "$1" | sed 1d | tr ' ' '\n' >>numbers.mtx
    shift
    values numbers.mtx "$@"
}

run 0 solve H.mtx c.mtx --method lu -o d/x.mtx --json r.json
only x.mtx
numbers d/x.mtx 1e-14 1 0 0 1 1 -1
json r.json status=OK type=c64 method=lu precision=double det_sign=1 det_phase:number rcond:number 'scaled_residual<30'
run 0 solve H.mtx c.mtx --precision single --method lu -o d/x.mtx --json r.json
numbers d/x.mtx 1e-5 1 0 0 1 1 -1
json r.json type=c32
run 0 solve H.mtx c.mtx --precision mixed --equilibrate -o d/x.mtx
numbers d/x.mtx 1e-14 1 0 0 1 1 -1
run 0 solve H.mtx
has out 'scaled .*accepted'

# One of both complex: so is the solution. The inverse times 2 has the first column 1.25, -0.5 i, 0.125 + 0.125 i.
run 0 solve H.mtx real.mtx -o d/x.mtx
numbers d/x.mtx 1e-14 1.25 0 0 -0.5 0.125 0.125
run 0 solve A.mtx c.mtx -o d/x.mtx --json r.json
json r.json type=c64 status=OK
run 0 solve A.mtx real.mtx --json r.json
json r.json type=f64

run 0 invert H.mtx -o d/x.mtx --json r.json
numbers d/x.mtx 1e-14 0.625 0 0 -0.25 0.0625 0.0625 0 0.25 0.5 0 -0.125 0.125 0.0625 -0.0625 -0.125 -0.125 0.3125 0
json r.json type=c64 method=gauss-jordan status=OK
rm -f d/*

# A band: by name, and a long one chosen by auto.
run 0 solve H.mtx c.mtx --method band-lu -o d/x.mtx --json r.json
numbers d/x.mtx 1e-14 1 0 0 1 1 -1
json r.json status=OK type=c64 method=band-lu det_phase:number 'scaled_residual<30'
run 0 solve A.mtx c.mtx --method band-lu -o d/x.mtx --json r.json
json r.json type=c64 method=band-lu status=OK
awk 'BEGIN {
    print "%%MatrixMarket matrix coordinate complex general"; print 500, 500, 1498
    for (i = 1; i <= 500; i++) {
        print i, i, 3, (i % 7) - 3
        if (i > 1) print i, i - 1, -1, 0.5
        if (i < 500) print i, i + 1, 0.25, -1
    }
}' >T.mtx
run 0 solve T.mtx --json r.json
json r.json status=OK type=c64 'method=band-lu|sparse-lu' 'scaled_residual<30'
run 0 solve T.mtx --precision single --json r.json
json r.json status=OK type=c32 'method=band-lu|sparse-lu' 'scaled_residual<30'
rm -f d/*

# A hermitian matrix by Cholesky; another one is refused.
run 0 solve H.mtx c.mtx --method cholesky -o d/x.mtx --json r.json
json r.json type=c64 method=cholesky status=OK 'scaled_residual<30'
printf '%s\n' '%%MatrixMarket matrix array complex general' '2 2' '2 0' '0 1' '0 1' '2 0' >N.mtx
error 2 'the matrix is not hermitian' solve N.mtx --method cholesky -o d/x.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate complex symmetric' '2 2 3' '1 1 2 0' '2 1 0 1' '2 2 2 0' >N.mtx
error 2 'the matrix is not hermitian: A\(2,1\) and A\(1,2\)' solve N.mtx --method cholesky -o d/x.mtx
run 0 solve N.mtx --method ldl --json r.json
json r.json status=OK type=c64 method=ldl inertia=null 'scaled_residual<30'
printf '%s\n' '%%MatrixMarket matrix coordinate complex general' '2 2 2' '1 1 2 0' '2 2 2 1' >N.mtx
error 2 'the matrix is not hermitian: A\(2,2\), counted from 1, is not real' solve N.mtx --method cholesky -o d/x.mtx
rm -f d/*

run 0 solve H.mtx c.mtx --method gauss-jordan -o d/x.mtx --json r.json
numbers d/x.mtx 1e-14 1 0 0 1 1 -1
json r.json status=OK type=c64 method=gauss-jordan 'scaled_residual<30'
rm -f d/*

# Waves with losses as a grid.
run 0 generate helmholtz --n 49 -o wave.mtx --rhs wave_b.mtx
run 0 solve wave.mtx wave_b.mtx --method block-gs -o d/x.mtx --json r.json
json r.json status=OK type=c64 method=block-gs 'relative_residual<1e-9'
run 0 solve wave.mtx wave_b.mtx --method block-gs --solver cocg -o d/x.mtx --json r.json
json r.json status=OK type=c64 method=block-gs 'relative_residual<1e-9'
rm -f d/*

run 0 solve H.mtx --pivoting rbt -o d/x.mtx --json r.json
json r.json status=OK method=lu type=c64 pivoting=rbt
rm -f d/*
printf '%s\n' '%%MatrixMarket matrix array complex general' '2 2' '1 0' '0 1' '0 1' '-1 0' >S.mtx
error 4 'S.mtx: the matrix is singular: U\(2,2\)' solve S.mtx -o d/x.mtx
only
finish
