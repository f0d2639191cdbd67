# cholesky.sh: --method cholesky: symmetric files, what is refused and how, what auto takes and what follows.
. "$(dirname "$0")/common.sh"
need_device

# A symmetric file has one triangle; the solution of the ones' right-hand side is ones.
cat >A.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
4 4 7
1 1 4
2 1 1
2 2 5
3 3 3
4 1 -1
4 3 1
4 4 6
END
for precision in double single mixed; do
    run 0 solve A.mtx --method cholesky --precision $precision -o x.mtx --json r.json
    ones x.mtx 4 1e-5
    json r.json status=OK exit_code=0 method=cholesky info=0 det_sign=1 'scaled_residual<30' pivoting:null growth:null
done
run 0 solve A.mtx --method cholesky
has out '^method +cholesky, double precision$'
has out '^  factor +[0-9.]+ s +[0-9.]+ GFLOP/s$'
run 0 solve A.mtx --method cholesky --equilibrate --refine --block 64 --json r.json
json r.json status=OK method=cholesky

# A general file whose values are symmetric will do.
cat >general.mtx <<'END'
%%MatrixMarket matrix array real general
2 2
2
1
1
2
END
run 0 solve general.mtx --method cholesky --json r.json
json r.json status=OK method=cholesky

# Not symmetric: the command line asks for what the file does not have.
cat >skewed.mtx <<'END'
%%MatrixMarket matrix array real general
2 2
2
1
1.5
2
END
error 2 'skewed.mtx: the matrix is not symmetric.*--method cholesky takes symmetric' solve skewed.mtx --method cholesky

# So does a sparse complex one, refused before anything is factored.
awk 'BEGIN { n = 40; print "%%MatrixMarket matrix coordinate complex general"; print n, n, n + 1
             for (i = 1; i <= n; i++) print i, i, 4, 0; print 4, 3, 1, 1 }' >unequal.mtx
run 2 solve unequal.mtx --method cholesky --json r.json
json r.json status=ERROR_INVALID_ARGUMENT exit_code=2 info:null det_sign:null

# Not positive definite: the minor is named, in the line and in the report.
cat >indefinite.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
3 3 5
1 1 1
2 2 2
3 2 4
3 3 1
3 1 1
END
error 4 'indefinite.mtx: the matrix is not positive definite: its leading minor of order 3 .*; try --method ldl$' \
    solve indefinite.mtx --method cholesky -o y.mtx
absent y.mtx
run 4 solve indefinite.mtx --method cholesky --json r.json
json r.json status=NOT_POSITIVE_DEFINITE exit_code=4 info=3 method=cholesky

# Options of other methods.
error 2 '--pivoting goes with --method lu, not cholesky' solve A.mtx --method cholesky --pivoting partial
error 2 'for --method block-gs' solve A.mtx --method cholesky --tolerance 1e-3
error 2 '--variant goes with' solve A.mtx --method cholesky --variant blocked

# A small band: the same method by a form of its own; hermitian files too.
awk 'BEGIN { n = 60; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
             for (i = 1; i <= n; i++) { print i, i, 4; if (i > 1) print i, i - 1, -1 } }' >band.mtx
run 0 solve band.mtx --method cholesky --json r.json -o x.mtx
json r.json status=OK method=band-cholesky type=f64
ones x.mtx 60 1e-12
awk 'BEGIN { n = 60; print "%%MatrixMarket matrix coordinate complex hermitian"; print n, n, 2 * n - 1
             for (i = 1; i <= n; i++) { print i, i, 4, 0; if (i > 1) print i, i - 1, 0.5, -1 } }' >band.mtx
run 0 solve band.mtx --method cholesky --json r.json
json r.json status=OK method=band-cholesky type=c64

# Advice that a band, which may be large, can follow.
awk 'BEGIN { n = 60; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
             for (i = 1; i <= n; i++) { print i, i, i == 30 ? -4 : 4; if (i > 1) print i, i - 1, -1 } }' >band.mtx
error 4 'not positive definite: its leading minor of order 30 .*; try --method sparse-ldl$' solve band.mtx --method cholesky
run 0 solve band.mtx --method sparse-ldl

# auto: a dense file of 150 rows, symmetric with a positive diagonal; and the same, indefinite.
dense() {
    awk -v n=150 -v off="$1" 'BEGIN {
        print "%%MatrixMarket matrix array real symmetric"; print n, n
        for (j = 1; j <= n; j++) for (i = j; i <= n; i++)
            print i == j ? 100 : i == 120 && j == 40 ? off : (i * j) % 7 / 10
    }'
}
dense 1 >dense.mtx
run 0 solve dense.mtx --json r.json -o x.mtx
json r.json status=OK method_fallback:null
ones x.mtx 150 1e-12
# A GPU has few rows by the method that is expected to be faster, and its times decide.
by_lu=
grep -q '"where": "device"' r.json && [ -n "${CLSOLVE_TEST_DEVICE:-}" ] && grep -q '"method": "lu"' r.json && by_lu=1
[ -n "$by_lu" ] || json r.json method=cholesky
dense 500 >dense.mtx
run 0 solve dense.mtx --json r.json -o x.mtx
json r.json status=OK
grep -Eq '"method": "(lu|ldl)"' r.json || fail "the method is neither lu nor ldl" # the one that is expected to be faster
[ -n "$by_lu" ] || grep -q 'method_fallback.*minor of order 120' r.json || fail "no word of the minor in method_fallback"
ones x.mtx 150 1e-9
error 4 'order 120' solve dense.mtx --method cholesky

# The same by name, which counts eigenvalues: one is below zero. A singular one, and one that is not symmetric.
inertia() { tr -d ' \n' <r.json | grep -qF "\"inertia\":$1" || fail "the inertia is not $1"; }
run 0 solve dense.mtx --method ldl --json r.json -o x.mtx
json r.json status=OK method=ldl det_sign=-1 'scaled_residual<30'
inertia '[149,1,0]'
ones x.mtx 150 1e-9
run 0 solve dense.mtx --method ldl
has out '^inertia +149 positive, 1 negative, 0 zero$'
run 0 solve dense.mtx --method lu --json r.json
inertia null
printf '%%%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n2 1 0 1\n3 3 -2 0\n' >C.mtx
run 0 solve C.mtx --method ldl --json r.json
json r.json status=OK method=ldl type=c64
inertia '[1,2,0]'
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >E.mtx
run 0 solve E.mtx --method ldl --json r.json
inertia '[0,0,0]'
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 1\n' >A.mtx
error 4 'D.[13],[13]. of its factors' solve A.mtx --method ldl # devices take another pivot first than LAPACK
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 1\n2 2 1\n' >A.mtx
error 2 '--method ldl takes symmetric' solve A.mtx --method ldl
finish
