# usage.sh: help, version, and every way to get the command line wrong.
. "$(dirname "$0")/common.sh"
small_system

run 0 --version
has out '^clsolve [0-9]+\.[0-9]+\.[0-9]+$'
run 0 --help
has out 'Exit codes: 0'
for command in devices solve analyze invert tune warm run schedule generate; do
    run 0 --help
    has out "^  $command "
    for flag in --help -h; do
        run 0 $command $flag
        has out "^Usage: clsolve $command "
        has out 'Exit codes: 0'
        [ ! -s err ] || fail "$command $flag writes to stderr"
    done
    error 2 "^clsolve: $command: --nonsense: unknown option; see 'clsolve $command --help'" $command --nonsense
    error 2 "-z: unknown option" $command -z
done
run 0 solve --help
has out '--precision=NAME +auto, double, single or mixed; default: the$'
# What --help lists is what a wrong name is told.
list=$(tr -s '\n ' ' ' <out | sed -n 's/.*--method=NAME \([^;]*\); default: the first.*/\1/p') # help breaks lines
[ -n "$list" ] || fail "solve --help lists no methods"
error 2 "use $list$" solve A.mtx --method nosuch
run 0 generate --help
has out 'Default seed: [0-9]+'

error 2 'a command is missing'
error 2 "unknown command 'sovle'" sovle
error 2 "unknown option '--sovle'" --sovle
error 2 "unexpected operand 'more'" --version more
error 2 "unexpected operand 'more'" --help more
error 2 "unexpected operand 'more'" devices more
error 2 'the matrix file is missing' solve
error 2 'the matrix file is missing' solve --method lu
error 2 "unexpected operand 'c.mtx'" solve A.mtx b.mtx c.mtx
for command in 'solve A.mtx' 'invert A.mtx' tune warm; do
    # shellcheck disable=SC2086
    error 2 'device is empty: give a selector' $command --device=
    # shellcheck disable=SC2086
    error 2 'device is empty: give a selector' $command --device ''
done
error 2 'cannot share standard input' solve - -
error 2 'missing argument' solve A.mtx -o
error 2 'missing argument' solve A.mtx --json
error 2 'share standard output' solve A.mtx -o - --json -
error 2 'name of an output file is empty' solve A.mtx -o ''

error 2 "no pivoting 'none'; there are partial and rbt" solve A.mtx --pivoting none
for method in gauss-jordan band-lu block-gs; do
    error 2 "pivoting goes with --method lu, not $method" solve A.mtx --pivoting rbt --method $method
done
for arguments in A.mtx nosuch.mtx 'A.mtx --panel hybrid' 'A.mtx --method lu'; do # refused before the file is read
    # shellcheck disable=SC2086
    error 6 '^clsolve: solve: --pivoting tournament was removed: use --pivoting partial or --pivoting rbt$' \
        solve $arguments -o x.mtx --pivoting tournament --json u.json
    json u.json status=ERROR_UNSUPPORTED exit_code=6 pivoting:null
    absent x.mtx
done
error 2 'seed goes with --pivoting rbt' solve A.mtx --seed 1
error 2 'seed goes with --pivoting rbt' solve A.mtx --pivoting partial --seed 1
error 2 "seed '-1' is not a whole number" solve A.mtx --pivoting rbt --seed -1
error 2 "seed '18446744073709551616' is not a whole number from 0 to 18446744073709551615" \
    solve A.mtx --pivoting rbt --seed 18446744073709551616
error 2 'pivoting is for --method lu, and --solver' solve A.mtx --pivoting rbt --solver cg
error 2 'pivoting is for --method lu, and --solver' solve A.mtx --pivoting partial --tolerance 1e-8

# A report of a wrong command line, for those who asked for reports; not where it would be the wrong thing itself.
rm -f u.json
for arguments in 'A.mtx --method lue' 'A.mtx --precision half' 'A.mtx b.mtx c.mtx' '' 'A.mtx --nonsense'; do
    # shellcheck disable=SC2086
    error 2 '' solve --json u.json $arguments
    json u.json status=ERROR_USAGE exit_code=2 message:string n:null entries:null info:null device:null \
        seconds.build:null seconds.command:number
    rm -f u.json
done
run 2 solve A.mtx --method lue --json -
json out status=ERROR_USAGE method:null precision:null matrix=A.mtx
error 2 'same file' solve A.mtx --json u.json -o u.json
absent u.json

# Given twice, the last counts; that the first is not forgotten in memory is for sanitized builds to see.
error 2 "unknown kind 'nosuch'" generate nosuch --n 1 --n 2 --seed 1 --seed 2 -o a -o b --rhs c --rhs d
error 2 "'second' is unknown" solve A.mtx --method first --method second --json first.json --json second.json
absent first.json
json second.json status=ERROR_USAGE

error 2 "--method 'lue' is unknown; use auto, lu, cholesky, ldl, gauss-jordan, band-lu, block-gs, sparse-lu, sparse-cholesky or sparse-ldl$" solve A.mtx --method lue
error 2 "--method '' is unknown" solve A.mtx --method ''
error 2 "--precision 'half' is unknown; use auto, double, single or mixed$" solve A.mtx --precision half
error 2 "--precision 'half' is unknown; use auto, double, single or mixed$" solve A.mtx --precision=half

run 0 generate --help
kind=$(sed -n '/^Kinds:/,/^$/p' out | awk 'NR == 2 { print $1 }')
[ -n "$kind" ] || fail "generate --help lists no kind"
error 2 'kind of matrix is missing' generate
error 2 "unknown kind 'nosuch'" generate nosuch --n 3 -o x.mtx
error 2 'give --n N' generate "$kind" -o x.mtx
error 2 'give -o A.mtx' generate "$kind" --n 3
error 2 'share standard output' generate "$kind" --n 3 -o - --rhs -
error 2 "--lines and --line-length are not for '$kind'; use --n N" generate "$kind" --lines 3 --line-length 4 -o x.mtx
error 2 "--lines 'a' is not a whole number" generate "$kind" --lines a --line-length 4 -o x.mtx
error 2 "--line-length '0' is not a whole number" generate "$kind" --lines 3 --line-length 0 -o x.mtx
for bad in 0 -3 +3 3.5 1e3 '' ' 3' three 3x 9223372036854775808 99999999999999999999999; do
    error 2 "--n '.*' is not a whole number above 0" generate "$kind" --n "$bad" -o x.mtx
done
for bad in -1 1.5 '' x 18446744073709551616; do
    error 2 "--seed '.*' is not a whole number from 0 to 18446744073709551615" \
        generate "$kind" --n 3 --seed "$bad" -o x.mtx
done
absent x.mtx

# A reader that is not there, a disk that is full.
if [ -e /dev/full ]; then
    "$clsolve" --help >/dev/full 2>err
    [ $? -eq 3 ] || fail "--help >/dev/full does not end with 3"
    has err '^clsolve: standard output: cannot write: '
fi
finish
