# analyze.sh: clsolve analyze: the analysis in the library's order and in the one asked for, reports, and the picture.
. "$(dirname "$0")/common.sh"
mkdir d
run 0 generate poisson-3d --n 512 -o cube.mtx
run 0 generate circuit --n 400 -o circuit.mtx

# Which method, and one column of figures or two.
run 0 analyze cube.mtx --json r.json
json r.json status=OK exit_code=0 matrix=cube.mtx n=512 entries=3200 method=sparse-cholesky structural_rank=512 \
    auto.engine=multifrontal auto.order:string auto.matched=false auto.factor_entries:number auto.operations:number \
    auto.fronts:integer auto.largest_front:integer auto.levels:integer auto.host_bytes:number auto.seconds:number \
    auto.expected_factor:number auto.expected_solve:number asked:null svg:null
has out '^method +sparse-cholesky$'
has out '^rank +at most 512 by the pattern$'
has out '^entries of the factors +[0-9.e+]+$'
lacks out 'asked for'
run 0 analyze cube.mtx --method sparse-lu --order natural --json r.json
json r.json method=sparse-lu asked.order=natural asked.factor_entries:number asked.engine=multifrontal
has out '^ +auto +asked for$'
has out '^order +(amd|nested) +natural$'
json r.json auto.devices=0 auto.device_bytes=0 auto.streamed_bytes=0
lacks out '^devices'
run 0 analyze circuit.mtx --json r.json
json r.json method=sparse-lu auto.engine=klu auto.fronts=0 auto.blocks:integer auto.largest_block:integer
has out '^fronts +-$'

# An order of the caller's, with figures that one can count.
awk -v n=50 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
    print 1, 1, n; for (i = 2; i <= n; i++) { print i, i, 2; print i, 1, -1 } }' >arrow.mtx
awk 'BEGIN { for (k = 2; k <= 50; k++) print k; print 1 }' >last
run 0 analyze arrow.mtx --order-file last --json r.json
json r.json asked.order=given asked.factor_entries=99 asked.largest_front:integer
run 0 analyze arrow.mtx --order natural --json r.json
json r.json asked.order=natural asked.factor_entries=1275
echo 51 >wrong
error 3 "^clsolve: wrong:1: '51' is not a column number from 1 to 50" analyze arrow.mtx --order-file wrong

# A picture: every tag closed, no more than some thousand rectangles, both patterns.
picture() { # file, least, most
    checks=$((checks + 1))
    [ "$(head -c 5 "$1")$(tail -1 "$1")" = '<svg </svg>' ] || fail "$1 is no whole svg"
    if command -v xmllint >/dev/null; then xmllint --noout "$1" 2>err || fail "$1 is not well-formed"; fi
    opened=$(grep -o '<[a-z]' "$1" | wc -l)
    closed=$(grep -oE '</|/>' "$1" | wc -l)
    [ "$opened" -eq "$closed" ] || fail "$1: $opened tags are opened and $closed closed"
    rectangles=$(grep -c '<rect ' "$1")
    { [ "$rectangles" -ge "$2" ] && [ "$rectangles" -le "$3" ]; } || fail "$1 has $rectangles rectangles"
}
run 0 analyze cube.mtx --svg d/p.svg --json r.json
only p.svg
json r.json svg=d/p.svg
picture d/p.svg 1000 8003
has d/p.svg '>as read: n = 512, 3200 entries<'
has d/p.svg '>order (amd|nested): factors of [0-9.e+]+ entries<'
run 0 analyze arrow.mtx --order-file last --svg a.svg
picture a.svg 150 400
has a.svg '>order given: factors of 99 entries<'
# As read, column 1 is full and row 1 is one rectangle of equal cells; reordered, they are the last ones.
has a.svg '<rect x="0.00" y="0.00" width="300.00" height="6.00" '
has a.svg '<rect x="0.00" y="294.00" width="300.00" height="6.00" '
run 0 analyze circuit.mtx --svg -
has err '^method +sparse-lu$'
mv out c.svg
picture c.svg 500 8003
awk -v n=300 'BEGIN { srand(3); print "%%MatrixMarket matrix coordinate real general"; print n, n, 8 * n + n
    for (i = 1; i <= n; i++) { print i, i, 20; for (k = 1; k <= 8; k++) print i, 1 + int(rand() * n), 1 } }' >many.mtx
run 0 analyze many.mtx --svg many.svg
picture many.svg 500 8003

# Singular matrices have an analysis, and an order.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 3 4' '1 1 1' '2 1 1' '3 3 1' '2 3 1' >pattern.mtx
run 0 analyze pattern.mtx --svg s.svg --json r.json
json r.json status=OK structural_rank=2
has out '^rank +at most 2 by the pattern: the matrix is singular whatever its values are$'
lacks err 'warning'
picture s.svg 3 10
has s.svg 'order'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '0 0 0' >empty.mtx
run 0 analyze empty.mtx --svg e.svg --json r.json
json r.json n=0 structural_rank=0
picture e.svg 3 3

# Dense and complex files; what is no such matrix.
run 0 generate random --n 20 -o dense.mtx
run 0 analyze dense.mtx --json r.json
json r.json method=sparse-lu entries=400 auto.factor_entries:number
run 0 generate helmholtz --n 100 -o waves.mtx
run 0 analyze waves.mtx --svg w.svg --json r.json
json r.json method=sparse-lu n=100
picture w.svg 100 8003
error 2 'circuit.mtx: the matrix is not symmetric; --method sparse-cholesky takes symmetric' \
    analyze circuit.mtx --method sparse-cholesky
error 2 'dense.mtx: the matrix is not symmetric' analyze dense.mtx --method sparse-cholesky
run 0 analyze arrow.mtx --method sparse-cholesky
# Rounding makes no matrix unsymmetric for those who ask by name.
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 2 4' '1 1 2' '2 2 2' '1 2 1' '2 1 1.0000000000000002' \
    >rounded.mtx
run 0 analyze rounded.mtx --method sparse-cholesky --json r.json
json r.json method=sparse-cholesky
run 0 solve rounded.mtx --method sparse-cholesky
run 0 analyze rounded.mtx --json r.json
json r.json method=sparse-lu

# A complex symmetric file, for sparse-ldl alone.
printf '%s\n' '%%MatrixMarket matrix coordinate complex symmetric' '3 3 4' '1 1 1 1' '2 1 0 2' '3 2 1 0' '3 3 2 1' >complex.mtx
run 0 analyze complex.mtx --method sparse-ldl --json r.json
json r.json method=sparse-ldl
error 2 'the matrix is not hermitian; --method sparse-cholesky takes hermitian matrices$' \
    analyze complex.mtx --method sparse-cholesky

# The command line and the files.
error 2 'the matrix file is missing' analyze
error 2 "unexpected operand 'b.mtx'" analyze A.mtx b.mtx
error 2 "method 'lu' is unknown; use auto, sparse-lu, sparse-cholesky or sparse-ldl$" analyze arrow.mtx --method lu
error 2 "order 'rcm' is unknown; use auto, amd, nested, metis or natural$" analyze arrow.mtx --order rcm
error 2 '^clsolve: analyze: --order and --order-file both give an order' analyze arrow.mtx --order amd --order-file last
error 2 'same file' analyze arrow.mtx --svg x --json x
error 2 'same file' analyze arrow.mtx --svg arrow.mtx
error 2 'same file' analyze arrow.mtx --json last --order-file last
error 3 '^clsolve: nosuch.mtx: cannot read' analyze nosuch.mtx
error 3 'nosuch/p.svg: cannot write' analyze arrow.mtx --svg nosuch/p.svg
run 3 analyze nosuch.mtx --json r.json
json r.json status=ERROR_FILE exit_code=3 n:null auto:null method:null message:string
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '2 3 1' '1 1 1' >oblong.mtx
error 3 'the matrix is 2 x 3' analyze oblong.mtx
if [ -e /dev/full ]; then error 3 'cannot write' analyze arrow.mtx --svg /dev/full; fi
finish
