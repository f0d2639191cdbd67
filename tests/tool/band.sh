# band.sh: --method band-lu: what becomes a band and how narrow, what the reports say, what auto takes, memory, panels.
. "$(dirname "$0")/common.sh"
folder=${CLSOLVE_TEST_MATRICES:-$matrices} # of real matrices; those that are not there are not tried
need_device
precision=double
"$clsolve" devices -v --json - >devices.json 2>/dev/null
grep -q '"fp64": *\(1\|true\)' devices.json || precision=single

# A band as generated: nothing to reorder; wide enough for blocks, and a narrow one.
for band in '200 70 40' '300 2 1' '50 0 3' '50 3 0' '40 39 39' '1 0 0'; do
    # shellcheck disable=SC2086 # three numbers
    set -- $band
    run 0 generate band --n "$1" --lower "$2" --upper "$3" --dominant -o A.mtx --rhs b.mtx
    run 0 solve A.mtx b.mtx --method band-lu --precision $precision -o x.mtx --json r.json
    json r.json status=OK method=band-lu kl="$2" ku="$3" kl_before="$2" ku_before="$3" reordered=false \
        'scaled_residual<30' panel:string block:integer
    has out "^band +kl = $2, ku = $3; "
    [ $precision = single ] || ones x.mtx "$1" 1e-12
    run 0 solve A.mtx b.mtx --method band-lu --precision single -o x.mtx
    ones x.mtx "$1" 1e-4
done

# Pivots at every step, a panel and a block of one's own, and what dense LU has too.
run 0 generate band --n 150 --lower 20 --upper 30 -o A.mtx
for options in '--panel native' '--panel hybrid' '--panel native --block 8' '--block 200' '--refine' '--equilibrate'; do
    # shellcheck disable=SC2086
    run 0 solve A.mtx --method band-lu --precision $precision $options --json r.json
    json r.json status=OK method=band-lu 'scaled_residual<30'
done
run 0 solve A.mtx --method band-lu --precision mixed --json r.json
json r.json status=OK 'scaled_residual<30'
run 0 solve A.mtx --method band-lu --precision $precision --panel native --block 8 --json r.json
json r.json panel=native block=8

# Less memory than the band takes: a window of it.
run 0 generate band --n 3000 --lower 40 --upper 40 -o long.mtx
run 0 solve long.mtx --method band-lu --precision $precision --memory-limit 1500K --json r.json
json r.json status=OK 'scaled_residual<30' slab_columns:integer 'device_bytes<1536001'
checks=$((checks + 1))
grep -q '"slab_columns": 0' r.json && fail "not streamed in 1500K"
has out '^out of core a window of [0-9]+ columns'
error 7 'device memory' solve long.mtx --method band-lu --precision $precision --memory-limit 1000

# Shuffled rows and columns are found to be a band; more right-hand sides than one; the solution is in its own order.
awk -v n=60 'BEGIN {
    srand(5); for (i = 1; i <= n; i++) p[i] = i
    for (i = n; i > 1; i--) { j = 1 + int(rand() * i); t = p[i]; p[i] = p[j]; p[j] = t }
    print "%%MatrixMarket matrix coordinate real general"; print n, n, 3 * n - 2
    for (i = 1; i <= n; i++) { print p[i], p[i], 4
        if (i < n) { print p[i], p[i + 1], -1; print p[i + 1], p[i], -2 } } }' >shuffled.mtx
awk -v n=60 'BEGIN { print "%%MatrixMarket matrix array real general"; print n, 2
    for (c = 1; c <= 2; c++) for (i = 1; i <= n; i++) print c * i }' >two.mtx
run 0 solve shuffled.mtx two.mtx --method band-lu --precision $precision -o x.mtx --json r.json
json r.json kl=1 ku=1 reordered=true nrhs=2 'backward_error<1e-6'
has out '^band +kl = 1, ku = 1 by reverse Cuthill-McKee, from kl = [0-9][0-9], '
run 0 solve shuffled.mtx two.mtx --method lu --precision $precision -o y.mtx
checks=$((checks + 1))
paste x.mtx y.mtx | awk 'NR > 3 { d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-3)) bad = 1 } END { exit bad }' ||
    fail "band-lu and lu disagree on a reordered system"

# Explicit zeros are no diagonals; a dense file may hold a band; an empty matrix.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 5' '1 1 2' '2 2 2' '3 3 2' '1 3 0' '3 1 0' >zeros.mtx
run 0 solve zeros.mtx --method band-lu --precision $precision --json r.json
json r.json kl=0 ku=0
printf '%s\n' '%%MatrixMarket matrix array real general' '3 3' 2 1 0 0 2 1 0 0 2 >dense.mtx
run 0 solve dense.mtx --method band-lu --precision $precision -o x.mtx --json r.json
json r.json kl=1 ku=0
ones x.mtx 3 1e-6

# auto: a narrow band goes to band-lu or sparse-lu, which take about the same time. A wide one goes to lu, or to the fronts on the
# host while the kernels of lu are still to be built.
run 0 generate band --n 100 --lower 10 --upper 10 -o A.mtx
run 0 solve A.mtx --precision $precision --json r.json
json r.json 'method=band-lu|sparse-lu'
run 0 generate band --n 200 --lower 180 --upper 180 -o A.mtx
run 0 solve A.mtx --precision $precision --json r.json
json r.json 'method=lu|sparse-lu'
checks=$((checks + 1))
grep -q kl_before r.json && fail 'a wide band is none'
# Dense it would take 80 GB and more.
run 0 generate band --n 100000 --lower 1 --upper 1 --dominant -o long.mtx
run 0 solve long.mtx --precision $precision --refine --json r.json
json r.json 'method=band-lu|sparse-lu' 'scaled_residual<30'

# Where band-lu's smallest window is too much for the device, dense LU's slabs are tried; where they are, too, band-lu's words stay.
run 0 generate band --n 100 --lower 20 --upper 20 -o A.mtx
tried=0
for limit in 300K 100K 60K 50K 45K 40K 35K 30K 25K 20K; do
    call solve A.mtx --method lu --precision $precision --memory-limit $limit >/dev/null 2>&1 || continue
    run 0 solve A.mtx --precision $precision --memory-limit $limit -o x.mtx --json r.json
    json r.json status=OK 'scaled_residual<30' "device_bytes<$((${limit%K} * 1024 + 1))"
    call solve A.mtx --method band-lu --precision $precision --memory-limit $limit >/dev/null 2>&1 && continue
    tried=$((tried + 1))
    json r.json 'method=lu|sparse-lu' # the model may expect less of fronts, which want none of the device's memory
    grep -q '"method": "lu"' r.json || continue
    json r.json method_fallback:string
    has out '^fallback +from band-lu: a band of order 100 .* by its --memory-limit: raise it'
done
checks=$((checks + 1))
[ $tried -gt 0 ] || fail 'no limit that holds lu and not band-lu'
error 7 'a band of order 100 .* wants [0-9]+ bytes' solve A.mtx --precision $precision --memory-limit 1000 --json r.json
json r.json method=band-lu method_fallback=null exit_code=7

# Singular, and out of float's range.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 1' '2 1 1' '3 3 1' '2 3 1' >singular.mtx
error 4 'U\([0-9],[0-9]\) of its factors' solve singular.mtx --method band-lu --precision $precision -o x2.mtx
absent x2.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 2 2' '1 1 1e300' '2 2 1' >large.mtx
error 3 'entry \(1, 1\) is 1e\+300, out of the range of single' solve large.mtx --method band-lu --precision single
error 2 'are for --method block-gs' solve A.mtx --method band-lu --solver cg

# Real ones.
for matrix in jpwh_991 e05r0500 olm500 sherman1 gre__115 west0479 1138_bus pde900; do
    [ -r "$folder/$matrix.mtx" ] || { echo "band: no $folder/$matrix.mtx, not tried"; continue; }
    run 0 solve "$folder/$matrix.mtx" --method band-lu --precision $precision --json r.json
    json r.json status=OK method=band-lu 'scaled_residual<30' 'backward_error<1e-5'
    [ $precision = single ] || json r.json 'backward_error<1e-14' 'relative_residual<1e-12'
done
if [ -r "$folder/sherman1.mtx" ]; then
    run 0 solve "$folder/sherman1.mtx" --method band-lu --precision $precision --json r.json
    json r.json kl_before=100 'kl<70' reordered=true
fi
finish
