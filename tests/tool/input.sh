# input.sh: files that cannot be used, each told with its name and line; exit code 3 and nothing written.
. "$(dirname "$0")/common.sh"
small_system
mkdir d

# refuse PATTERN LINE...: a matrix file of these lines is refused.
refuse() {
    pattern_of_refusal=$1
    shift
    printf '%s\n' "$@" >bad.mtx
    error 3 "$pattern_of_refusal" solve bad.mtx -o d/x.mtx --json r.json
    json r.json status=ERROR_FILE exit_code=3 message:string matrix=bad.mtx relative_residual:null \
        info:null nrhs:null bytes_up:null det_sign:null history:null seconds.total:null seconds.command:number
    only
}

error 3 'nosuch.mtx' solve nosuch.mtx -o d/x.mtx
error 3 'nosuch.mtx' solve A.mtx nosuch.mtx -o d/x.mtx
error 3 '^clsolve: d: cannot read: it is a folder; name a file in it$' solve d -o d/x.mtx
error 3 '^clsolve: d: cannot read: it is a folder; name a file in it$' solve A.mtx d -o d/x.mtx
error 3 "^clsolve: A.mtx/b.mtx: cannot read: 'A.mtx' is a file, not a folder; name a path" solve A.mtx A.mtx/b.mtx
only
error 3 'nosuch.mtx' solve A.mtx nosuch.mtx --json r.json
json r.json n=3 entries=7 nrhs:null info:null
error 3 'nosuch.mtx' solve nosuch.mtx --json r.json
json r.json n:null entries:null nrhs:null info:null method:null
refuse 'bad.mtx:1: ' ''
refuse 'bad.mtx:1: ' 'no matrix at all'
refuse 'bad.mtx:3: the imaginary part is missing' '%%MatrixMarket matrix coordinate complex general' '1 1 1' '1 1 1'
refuse 'bad.mtx:4: ' '%%MatrixMarket matrix coordinate real general' '2 2 2' '1 1 1' '3 1 1'
refuse 'bad.mtx:4: ' '%%MatrixMarket matrix coordinate real general' '2 2 2' '1 1 1' '2 2 x'
refuse 'bad.mtx:4: ' '%%MatrixMarket matrix coordinate real general' '2 2 2' '1 1 1' '2 2 nan'
refuse 'bad.mtx:[0-9]+: ' '%%MatrixMarket matrix array real general' '2 2' 1 2 3
refuse 'bad.mtx:[0-9]+: ' '%%MatrixMarket matrix array real general' '2 2' 1 2 3 4 5
refuse 'bad.mtx: the matrix is 2 x 3; a linear system needs a square one' \
    '%%MatrixMarket matrix array real general' '2 3' 1 2 3 4 5 6
: >empty.mtx
error 3 'clsolve: empty.mtx:1: the file is empty' solve empty.mtx -o d/x.mtx

printf '%s\n' '%%MatrixMarket matrix array real general' '2 1' 1 2 >short.mtx
error 3 'short.mtx: the right-hand side has 2 rows and the matrix in A.mtx has 3' solve A.mtx short.mtx -o d/x.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '3 1' 1 2 inf >inf.mtx
error 3 'inf.mtx:5: ' solve A.mtx inf.mtx -o d/x.mtx
printf '%s\n' '%%MatrixMarket matrix array real general' '2 2' 1e308 1 1e308 2 >large.mtx
error 3 'large.mtx: the right-hand side A\*\(1,...,1\) overflows in row 1' solve large.mtx -o d/x.mtx

# A dense matrix beyond any memory is refused before it is tried.
awk 'BEGIN { n = 1000000; print "%%MatrixMarket matrix coordinate real general"; print n, n, n
             for (i = 1; i <= n; i++) print i, i, 1 }' >wide.mtx
error 7 'wide.mtx: out of host memory: a dense matrix of 1000000 x 1000000 takes 8000.0 GB' \
    solve wide.mtx --method lu -o d/x.mtx --json r.json
json r.json status=ERROR_OUT_OF_MEMORY exit_code=7 n=1000000 seconds.read:number
only
finish
