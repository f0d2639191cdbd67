# progress.sh: a bar on a terminal while long work runs, gone at the end; none anywhere else.
. "$(dirname "$0")/common.sh"
need_device
# script -e hands the exit code on: util-linux; others have no such option.
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no 'script' that can give a command a terminal"
escape=$(printf '\033')

# Long enough is a matter of the machine: the first size that shows a bar will do.
device=
[ -z "${CLSOLVE_TEST_DEVICE:-}" ] || device="--device '$CLSOLVE_TEST_DEVICE'"
shown=no
for n in 1000 2500 5000 10000 20000; do
    awk -v n=$n 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print n, n, 3 * n - 2
        for (i = 1; i <= n; i++) { print i, i, 4; if (i > 1) print i, i - 1, -1; if (i < n) print i, i + 1, -2 } }' >A.mtx
    TERM=xterm script -qec "'$clsolve' solve A.mtx --method lu $device 2>&1 >r.txt" /dev/null >terminal </dev/null
    if grep -q '[[]#*-*[]] *[0-9]* %' terminal; then shown=yes && break; fi
done
checks=$((checks + 1))
[ $shown = yes ] || fail "no bar on a terminal, up to n = $n"
has terminal "${escape}\[K\$"
has r.txt '^status +success'
if grep -q ' %' r.txt; then fail "the bar is on standard output"; fi

run 0 solve A.mtx --method lu
[ ! -s err ] || fail "something on stderr that is no terminal"
TERM=dumb script -qec "'$clsolve' solve A.mtx --method lu $device 2>&1 >r.txt" /dev/null >terminal </dev/null
if grep -q '#' terminal; then fail "a bar on a dumb terminal"; fi

# Short work, below half a second, shows none. A machine that is busy with other things may make it long, so it has some tries;
# and where a driver takes longer to open its device, there is no short work.
small_system
checks=$((checks + 1))
for try in 1 2 3 4 5; do
    began=$(date +%s%N)
    TERM=xterm script -qec "'$clsolve' solve A.mtx --method lu $device >r.txt" /dev/null >terminal </dev/null
    took=$((($(date +%s%N) - began) / 1000000))
    [ -s terminal ] || break
    [ $took -ge 500 ] || fail "work of $took ms writes to the terminal: $(cat terminal)"
done
finish
