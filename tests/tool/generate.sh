# generate.sh: every kind: the same again from the same seed, readable, and solvable unless it is meant not to be.
. "$(dirname "$0")/common.sh"
mkdir d
run 0 generate --help
kinds=$(sed -n '/^Kinds:/,/^$/p' out | awk 'NR > 1 && NF { print $1 }')
[ -n "$kinds" ] || fail "no kinds"
if "$clsolve" devices >/dev/null 2>&1; then device=yes; else device=no; fi

# 16 and 4 are squares and even, which some kinds want, and small enough for those whose pivots grow.
for kind in $kinds; do
    run 0 generate "$kind" --n 16 --seed 7 -o d/A.mtx --rhs d/b.mtx
    has out "^d/A.mtx: $kind, n = 16, seed 7, [0-9]+ entries\$"
    only A.mtx b.mtx
    run 0 generate "$kind" -n 16 --seed 7 -o A2.mtx
    checks=$((checks + 1))
    cmp -s d/A.mtx A2.mtx || fail "$kind: another matrix from the same seed"
    run 0 generate "$kind" --n 16 --seed=7 -o -
    cmp -s d/A.mtx out || fail "$kind: another matrix on standard output"
    has err "seed 7"
    run 0 generate "$kind" --n 4 -o four.mtx
    has out "seed 1,"
    run 0 generate "$kind" --n 4 --seed 18446744073709551615 -o four.mtx --rhs -
    case $kind in *complex | hermitian | helmholtz) field=complex ;; *) field=real ;; esac
    has out "^%%MatrixMarket matrix array $field general"

    [ $device = yes ] || continue
    # b.mtx is what solve forms itself, to the bit.
    checks=$((checks + 1))
    call solve d/A.mtx d/b.mtx --method lu --json r.json >out 2>err
    code=$?
    case $kind in *singular*) wanted=4 ;; *) wanted=0 ;; esac
    [ $code -eq $wanted ] || fail "$kind: solve ends with $code, not $wanted"
    if [ $wanted -eq 0 ]; then json r.json status=OK n=16 'scaled_residual<30'; fi
    call solve d/A.mtx --method lu -o x1.mtx >/dev/null 2>&1
    call solve d/A.mtx d/b.mtx --method lu -o x2.mtx >/dev/null 2>&1
    [ $wanted -ne 0 ] || cmp -s x1.mtx x2.mtx || fail "$kind: --rhs is not the right-hand side of solve"
done
[ $device = yes ] || echo "no device: the matrices were generated, not solved"

# Bands: as many entries as there are, in their diagonals; the right-hand side that solve forms.
run 0 generate band --n 40 --lower 3 --upper 5 --seed 9 -o d/A.mtx --rhs d/b.mtx
has out '^d/A.mtx: band, n = 40, kl = 3, ku = 5, seed 9, 339 entries$'
only A.mtx b.mtx
checks=$((checks + 1))
awk '/^%/ { next } !size { size = $3; next }
     { rows++; k = $1 - $2; if (k > kl) kl = k; if (-k > ku) ku = -k; if ($3 < -1 || $3 >= 1) bad = 1 }
     END { exit bad || rows != size || size != 339 || kl != 3 || ku != 5 }' d/A.mtx || fail "band: not the band asked for"
run 0 generate band --n 40 --lower 3 --upper 5 --seed 9 -o -
checks=$((checks + 1))
cmp -s d/A.mtx out || fail "band: another matrix from the same seed"
run 0 generate band --n 40 --lower 3 --upper 5 --seed 9 --dominant -o dominant.mtx
checks=$((checks + 1))
awk '/^%/ { next } !size { size = $3; next } $1 == $2 { if ($3 != 9) bad = 1; seen++ } END { exit bad || seen != 40 }' dominant.mtx ||
    fail "band --dominant: not kl + ku + 1 on the diagonal"
if [ $device = yes ]; then
    call solve d/A.mtx --method lu -o x1.mtx >/dev/null 2>&1
    call solve d/A.mtx d/b.mtx --method lu -o x2.mtx >/dev/null 2>&1
    checks=$((checks + 1))
    cmp -s x1.mtx x2.mtx || fail "band: --rhs is not the right-hand side of solve"
fi
run 0 generate band --n 1 --lower 0 --upper 0 -o one.mtx
has out ', 1 entries$'
run 0 generate band --n 100000 --lower 2 --upper 1 -o long.mtx # 80 GB, were it dense
has out ', 399996 entries$'
error 2 'give --lower KL and --upper KU' generate band --n 5 --lower 1 -o x.mtx
error 2 'at most 4 diagonals on each side; make --upper smaller' generate band --n 5 --lower 1 --upper 5 -o x.mtx
error 2 "--lower '-1' is not a whole number from 0 on" generate band --n 5 --lower=-1 --upper 5 -o x.mtx
error 2 "not for 'random'" generate random --n 5 --dominant -o x.mtx
error 2 "not for 'poisson'" generate poisson --n 4 --lower 1 -o x.mtx
error 2 'more than a matrix file can have' generate band --n 3000000000 --lower 1 --upper 1 -o x.mtx
absent x.mtx

# A cube of 3 x 3 x 3 points has 54 pairs of neighbours; more points begin the next plane.
run 0 generate poisson-3d --n 27 -o cube.mtx
has out ', 135 entries$'
run 0 generate poisson-3d --n 28 -o cube.mtx
has out '^cube.mtx: poisson-3d, n = 28, seed 1, [0-9]+ entries$'
run 0 generate circuit --n 64 -o circuit.mtx
checks=$((checks + 1))
awk '!/^%/ && size++ && $1 == $2 { diagonal++ } END { exit diagonal != 56 }' circuit.mtx || fail "circuit: no sources"

# A size that the kind does not have is a wrong option.
for kind in $kinds; do
    "$clsolve" generate "$kind" --n 5 -o five.mtx >out 2>err && continue
    error 2 "^clsolve: generate: $kind: n = 5 " generate "$kind" --n 5 -o five.mtx
done
# More than any memory holds is refused before it is tried.
error 7 "^clsolve: generate: out of host memory: a dense matrix of 100000000 x 100000000" \
    generate random --n 100000000 -o huge.mtx
error 7 "out of (host )?memory" generate random --n 9223372036854775807 -o huge.mtx
absent huge.mtx
finish
