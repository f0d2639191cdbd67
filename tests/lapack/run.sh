#!/bin/sh
# run.sh SHIM CLSOLVE PROGRAM: the command `clsolve run`. PROGRAM is linked with LAPACK and not with the library.
. "$(dirname "$0")/common.sh"
clsolve=$2
program=$3
cd "$work" || exit 1

run() { # CODE ARGUMENTS...
    wanted=$1
    shift
    "$clsolve" run "$@" >out 2>err
    got=$?
    [ "$got" -eq "$wanted" ] || fail "exit code $got, not $wanted: clsolve run $*: $(cat err)"
}
has() { grep -Eq -e "$2" "$1" || fail "$1 has no '$2': $(cat "$1")"; }
lacks() { if grep -Eq -e "$2" "$1"; then fail "$1 has '$2'"; fi; }

run 0 --always --min 50 -- "$program" leave 60
has err '^clsolve: calls of LAPACK'
has err '^  dgesv_ +1 +0$'
run 0 --always --min 61 -- "$program" leave 60
has err '^  dgesv_ +0 +1   \(small 1\)$'
run 0 -v --always --min 50 -- "$program" leave 60
has err '^clsolve: device: '
has err '^  dgesv_ +1 +0$'
run 0 -q --always --min 50 -- "$program" leave 60
[ ! -s err ] || fail "-q prints something: $(cat err)"
# What the environment has stays, and counts of several processes are added.
CLSOLVE_LAPACK=on
CLSOLVE_LAPACK_MIN=0
export CLSOLVE_LAPACK CLSOLVE_LAPACK_MIN
run 0 -- sh -c "'$program' leave 60 && '$program' leave 70"
has err '^  dgesv_ +2 +0$'
run 0 --memory 1 -- "$program" leave 60
has err '^  dgesv_ +0 +1   \(failed 1\)$'
run 0 --device no-such-device -- "$program" leave 60
has err '^clsolve: no device: .*no-such-device'
has err '^  dgesv_ +0 +1   \(closed 1\)$'
run 0 --host "$work/none.so" -- "$program" leave 60
has err '^clsolve: CLSOLVE_LAPACK_HOST=.*none.so: No such file'
lacks err '^clsolve: device'
# A program that calls no LAPACK has the library, which loads no other and counts nothing.
run 0 -- sh -c 'cat /proc/self/maps'
has out 'libclsolve_lapack\.so'
lacks out 'libclsolve\.so|libOpenCL|libopenblas|liblapack\.so'
has err 'made no call of LAPACK'
# The command's own words and codes.
run 5 -- sh -c 'echo out; echo err >&2; exit 5'
has out '^out$'
has err '^err$'
has err 'made no call of LAPACK'
run 143 -- sh -c 'kill -TERM $$'
run 127 -- ./no-such-command
has err 'no-such-command: No such file'
run 2
has err 'the command is missing'
run 2 python3 script.py
has err "unexpected operand 'python3'"
run 2 --nonsense -- true
has err 'unknown option'
run 2 --min banana -- true
has err 'min banana: give an order'
run 2 --memory 5Q -- true
has err 'memory 5Q: give bytes'
# The loader would leave out a library of such a path.
mkdir 'in st'
cp "$shim" 'in st/libclsolve_lapack.so.0'
cp "$(dirname "$shim")/libclsolve.so.0" 'in st/libclsolve.so.0'
LD_LIBRARY_PATH="$work/in st" run 3 -- true
has err 'takes no path with a space'
# What ends it, ends the command.
"$clsolve" run -- sh -c 'echo $$ >started.new; mv started.new started; exec sleep 60' 2>err &
ours=$!
while [ ! -e started ]; do kill -0 $ours || break; done
kill -TERM $ours
wait $ours
got=$?
[ $got -eq 143 ] || fail "exit code $got, not 143, after SIGTERM"
if kill -0 "$(cat started)" 2>/dev/null; then fail "the command goes on after SIGTERM"; fi
[ -z "$(ls /tmp/clsolve-run-?????? 2>/dev/null)" ] || echo "another run's file is in /tmp, or one was left"
finish
