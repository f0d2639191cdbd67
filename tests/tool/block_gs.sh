# block_gs.sh: --method block-gs: grids found or refused with the reason, solvers, what the reports say, generate's grids.
. "$(dirname "$0")/common.sh"
need_device
mkdir d

# Every kind on a grid is solved by every way that suits it.
for kind in hemodynamics-1 hemodynamics-2 "anisotropic --ratio 0.01" "anisotropic --ratio 100" "convection --peclet 50"; do
    # shellcheck disable=SC2086 # a kind and its parameter
    run 0 generate $kind --lines 12 --line-length 9 -o A.mtx --rhs b.mtx
    has out ', 12 lines of 9, [0-9]+ entries$'
    # auto takes a small grid directly, and iterates where an option of the iteration is given.
    run 0 solve A.mtx b.mtx -o x.mtx --json r.json
    json r.json 'method=band-lu|sparse-lu|lu|sparse-cholesky|cholesky' status=OK 'backward_error<2e-15' method_reason:string
    ones x.mtx 108 1e-9
    for method in 'auto --tolerance 1e-10' block-gs; do
        # shellcheck disable=SC2086 # a method and an option
        run 0 solve A.mtx b.mtx --method $method -o x.mtx --json r.json
        json r.json method=block-gs lines=12 line_length=9 status=OK 'relative_residual<1.1e-10' reason:string
        has out "^iterations +$(sed -n 's/.*"iterations": *\([1-9][0-9]*\).*/\1/p' r.json)$"
        ones x.mtx 108 1e-7
        lacks out '^condition|not known'
    done
done
run 0 generate hemodynamics-2 --lines 9 --line-length 12 -o A.mtx
for solver in gauss-seidel sor multigrid cg bicgstab fgmres; do
    run 0 solve A.mtx --method block-gs --solver $solver -o x.mtx
    ones x.mtx 108 1e-6
done
has out '^grid +9 lines of 12$'
has out '^solver +fgmres'
run 0 solve A.mtx --method block-gs --tolerance 1e-3 --plot d/p.svg --json r.json
json r.json 'relative_residual<1e-3' status=OK
only p.svg
has d/p.svg '^</svg>$'
# As many points as tests of the residual: the last, and only it, is below the tolerance.
points=$(sed -n 's/.* points="\([^"]*\)".*/\1/p' d/p.svg | wc -w)
json r.json "residual_history.$((points - 1))<1e-3" "residual_history.$((points - 2)):number"
run 0 solve A.mtx --method block-gs --solver gauss-seidel --plot d/q.svg
has d/q.svg 'relative residual, 9 lines of 12, red-black block Gauss-Seidel'

# Pressure known up to a constant, nothing through the walls: solved, and said so. 3 lines of 4.
awk 'BEGIN { for (i = 0; i < 12; ++i) { sum = 0
        for (j = 0; j < 12; ++j) { d = j > i ? j - i : i - j
            if (d == 4 || (d == 1 && int(i / 4) == int(j / 4))) { e[++n] = i + 1 " " j + 1 " -1"; ++sum } }
        e[++n] = i + 1 " " i + 1 " " sum }
    print "%%MatrixMarket matrix coordinate real general"; print 12, 12, n
    for (j = 1; j <= n; ++j) print e[j] }' >closed.mtx
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print 12, 1; for (i = 0; i < 12; ++i) print i - 5.5 }' >inside.mtx
run 0 solve closed.mtx inside.mtx --method block-gs -o x.mtx --json r.json
has out '; singular: the solution with mean 0'
json r.json singular=true status=OK 'relative_residual<1.1e-10'
awk '!/^%/ && NF == 1 { sum += $1; big += $1 * $1 } END { exit !(big > 1 && sum < 1e-9 && sum > -1e-9) }' x.mtx ||
    fail 'the mean of x.mtx is not 0'
sed -e '$s/.*/100/' inside.mtx >outside.mtx
error 5 'row sums are zero' solve closed.mtx outside.mtx --method block-gs

# Not converged: told, with exit code 5 and the report.
error 5 'A.mtx: .* 3 iterations' solve A.mtx --method block-gs --solver gauss-seidel --max-iterations 3 -o n.mtx --json r.json
json r.json status=NOT_CONVERGED exit_code=5
absent n.mtx

# What is no grid is refused, with the entry.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '6 6 8' '1 1 4' '2 2 4' '3 3 4' '4 4 4' '5 5 4' '6 6 4' \
    '1 4 1' '3 4 1' >ends.mtx
error 2 'entry \(3, 4\) couples the end of a line' solve ends.mtx --method block-gs
sed -e 's/^3 4 1/1 6 1/' ends.mtx >far.mtx
error 2 'entry \(1, 6\) is on diagonal 5, not 0' solve far.mtx --method block-gs
sed -e 's/^1 4 1/1 5 1/' -e '/^3 4 1/d' -e 's/6 6 8/6 6 7/' ends.mtx >divide.mtx
error 2 'does not divide n = 6; use --method lu' solve divide.mtx --method block-gs
run 0 solve far.mtx --json r.json
json r.json method:string
lacks r.json '"method": "block-gs"'

# A line that is singular, options that are wrong.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 4' '1 1 1' '2 2 1' '1 3 1' '3 1 1' >line.mtx
error 4 'line 2' solve line.mtx --method block-gs
error 2 "--solver 'magic' is unknown" solve A.mtx --method block-gs --solver magic
error 2 'above 10000000' solve A.mtx --method block-gs --max-iterations 2305843009213693952
# Numbers whose squares vanish or overflow are solved all the same.
n=$(awk '!/^%/ { print $1; exit }' A.mtx)
for size in 1e-300 1e300; do
    awk -v n="$n" -v x="$size" 'BEGIN { print "%%MatrixMarket matrix array real general"; print n, 1; while (n-- > 0) print x }' >far.rhs
    for solver in auto gauss-seidel; do
        run 0 solve A.mtx far.rhs --method block-gs --solver $solver -o far.x --json r.json
        json r.json status=OK 'relative_residual<1.1e-10'
    done
done

# What the iteration gives up `auto` hands to LU, and says so; asked for by its name, it says what would do.
awk -v N=16 -v M=23 'function entry(i, j, x) { e[++n] = i " " j " " x }
    BEGIN { for (i = 1; i <= N * M; ++i) { l = int((i - 1) / M); k = (i - 1) % M
        entry(i, i, 2.7)
        if (k > 0) entry(i, i - 1, -1); if (k < M - 1) entry(i, i + 1, -1)
        if (l > 0) entry(i, i - M, -1); if (l < N - 1) entry(i, i + M, -1) }
    print "%%MatrixMarket matrix coordinate real general"; print N * M, N * M, n
    for (i = 1; i <= n; ++i) print e[i] }' >wave.mtx
awk -v N=16 -v M=23 'function entry(i, j) { e[++n] = i " " j " " 2 * rand() - 1 }
    BEGIN { srand(7); for (i = 1; i <= N * M; ++i) { l = int((i - 1) / M); k = (i - 1) % M
        entry(i, i)
        if (k > 0) entry(i, i - 1); if (k < M - 1) entry(i, i + 1)
        if (l > 0) entry(i, i - M); if (l < N - 1) entry(i, i + M) }
    print "%%MatrixMarket matrix coordinate real general"; print N * M, N * M, n
    for (i = 1; i <= n; ++i) print e[i] }' >random.mtx
run 0 solve wave.mtx --tolerance 1e-10 -o x.mtx --json r.json
has out '^solver +bicgstab \+ zebra \(auto: fgmres came to a standstill\)'
json r.json method=block-gs method_fallback=null 'relative_residual<1.2e-10'
ones x.mtx 368 1e-6
run 0 solve random.mtx -o x.mtx --json r.json --plot d/f.svg
has out '^fallback +from block-gs: .*(standstill|limit|diverging)'
json r.json 'method=band-lu|sparse-lu|lu|sparse-cholesky|cholesky' status=OK 'method_fallback:string' 'relative_residual<1e-8'
ones x.mtx 368 1e-6
has d/f.svg 'relative residual, 16 lines of 23'
error 5 '; --method band-lu needs no convergence' solve random.mtx --method block-gs
error 5 '1 iteration, its limit' solve random.mtx --max-iterations 1
error 5 '2 iterations, its limit' solve random.mtx --max-iterations 2
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 1' '2 2 1' '1 3 1' '2 4 1' '3 1 1' '4 2 1' >between.mtx
error 4 'line 2.*singular.*--method band-lu tells; no solution is written' solve between.mtx --method block-gs
run 0 solve between.mtx --tolerance 1e-10 -o x.mtx --json r.json
has out '^fallback +from block-gs: .*line 2'
json r.json method:string status=OK
lacks r.json '"method": "block-gs"'
ones x.mtx 4 1e-12
error 4 'the matrix is singular[: ].*; no solution is written' solve line.mtx
error 4 'the matrix is singular[: ].*; no solution is written; before that .*line 2.*singular' solve line.mtx --tolerance 1e-10

# All row sums are zero and the iteration gives up: where LU leaves no residual to speak of, its solution with mean 0; where b is not
# in the range, what the iteration said. Asked for by its name, none of that.
closed() {
    awk -v N=16 -v M=23 -v bad="$2" -v A="$1.mtx" -v B="$1.rhs" 'function entry(i, j, x) { e[++n] = i " " j " " x; return x }
        function random() { return int(2000 * rand() - 1000) / 1000 }
        BEGIN { srand(7); for (i = 1; i <= N * M; ++i) { l = int((i - 1) / M); k = (i - 1) % M; sum = f = 0
            for (q = 0; q < 4; ++q) { j = q == 0 ? i - 1 : q == 1 ? i + 1 : q == 2 ? i - M : i + M
                if (q == 0 && k == 0 || q == 1 && k == M - 1 || q == 2 && l == 0 || q == 3 && l == N - 1) continue
                x = entry(i, j, random()); sum += x; f += x * (j % 7 - 3) }
            entry(i, i, -sum); F[i] = f - sum * (i % 7 - 3) + (i == bad) }
        print "%%MatrixMarket matrix coordinate real general" >A; print N * M, N * M, n >A
        for (i = 1; i <= n; ++i) print e[i] >A
        print "%%MatrixMarket matrix array real general" >B; print N * M, 1 >B
        for (i = 1; i <= N * M; ++i) printf "%.15g\n", F[i] >B }'
}
closed in 0
closed beside 5
run 0 solve in.mtx in.rhs -o x.mtx --json r.json
has out '^fallback +from block-gs: [^;]* iterations, [^;]*$'
has out '^singular +all row sums are zero: the solution with mean 0$'
json r.json 'method=band-lu|sparse-lu|lu|sparse-cholesky|cholesky' status=OK singular=true 'relative_residual<1e-9' 'method_fallback:string'
awk '!/^%/ && NF == 1 { x[++n] = $1; sum += $1; want += n % 7 - 3 } END { for (i = 1; i <= n; ++i) {
    d = x[i] - (i % 7 - 3) + want / n; if (d < -1e-6 || d > 1e-6) exit 1 } exit !(n == 368 && sum * sum < 1e-12) }' x.mtx ||
    fail 'x.mtx is not the solution with mean 0'
lacks err 'may have no correct digit'
error 5 'row sums are zero: b is not in the matrix.s range' solve beside.mtx beside.rhs -o n.mtx --json r.json
json r.json method=block-gs status=NOT_CONVERGED method_fallback=null lines=16
absent n.mtx
error 5 'row sums are zero' solve in.mtx in.rhs --method block-gs

# Nothing of the library's names in what the command says.
lacks err 'clsolve_|CLSOLVE_|\.h'
error 5 'its limit' solve random.mtx --max-iterations 1
lacks err 'clsolve_|CLSOLVE_|\.h'
error 4 'line 2' solve between.mtx --method block-gs
lacks err 'clsolve_|CLSOLVE_|\.h'
error 2 "--tolerance '2'" solve A.mtx --method block-gs --tolerance 2
error 2 'are for --method block-gs' solve A.mtx --method lu --solver cg
error 2 'are for --method block-gs' solve A.mtx --method gauss-jordan --tolerance 1e-3
error 2 'same file' solve A.mtx --plot same.svg -o same.svg
error 2 'same file' solve A.mtx --plot same.json --json same.json
absent same.svg
absent same.json
# What only LU has is not for block-gs, and auto then takes the band's.
for option in --refine --equilibrate '--precision mixed' '--memory-limit 64M' '--block 16'; do
    # shellcheck disable=SC2086 # an option and its value
    error 2 'are not for --method block-gs' solve A.mtx --method block-gs $option
    # shellcheck disable=SC2086
    run 0 solve A.mtx $option --json r.json
    json r.json 'method=band-lu|sparse-lu|lu|sparse-cholesky|cholesky' status=OK
done
error 2 'is a grid: give --lines' generate hemodynamics-1 --n 16 -o x.mtx
error 2 "--peclet is not for 'anisotropic'" generate anisotropic --lines 3 --line-length 3 --peclet 2 -o x.mtx
error 2 "--ratio '-1'" generate anisotropic --lines 3 --line-length 3 --ratio -1 -o x.mtx
run 0 solve A.mtx --method block-gs --precision single --json r.json
json r.json 'relative_residual<1e-4'

if [ -r "$matrices/pde900.mtx" ]; then
    run 0 solve "$matrices/pde900.mtx" --method block-gs -o x.mtx --json r.json
    json r.json lines=30 line_length=30 status=OK 'relative_residual<1.1e-10'
    ones x.mtx 900 1e-6
    run 0 solve "$matrices/pde900.mtx" -o x.mtx --json r.json
    json r.json 'method=band-lu|sparse-lu|lu|sparse-cholesky|cholesky' status=OK 'relative_residual<1e-14' 'backward_error<2e-15'
    ones x.mtx 900 1e-12
fi
finish
