# interrupt.sh: a signal in the midst of writing ends the command by that signal, and leaves what was there before.
. "$(dirname "$0")/common.sh"
mkdir d
run 0 generate --help
kind=$(sed -n '/^Kinds:/,/^$/p' out | awk 'NR == 2 { print $1 }')

# Waits for the temporary file, then sends the signal. The command runs in the foreground: a shell without job control
# lets what runs in the background ignore SIGINT.
interrupt() {
    (
        while [ ! -s pid ] || [ -z "$(ls -A d | grep '[.]tmp$')" ]; do
            [ ! -e done ] || exit 0
            sleep 0.01
        done
        kill -s "$1" "$(cat pid)"
    ) &
    checks=$((checks + 1))
    sh -c 'echo $$ >pid; exec "$0" "$@"' "$clsolve" generate "$kind" --n "$2" -o d/A.mtx >out 2>err
    got=$?
    : >done
    wait
    rm -f pid done
}

for signal in INT:130 TERM:143 HUP:129; do
    # Where the tests themselves run with a signal ignored (in the background, under nohup), so does the command.
    if [ -n "$(sh -c "kill -s ${signal%:*} \$\$; echo alive" 2>/dev/null)" ]; then
        echo "not tried, because it is ignored here: SIG${signal%:*}"
        continue
    fi
    # Long enough is a matter of the machine.
    for n in 1500 3000 6000; do
        echo before >d/A.mtx
        interrupt "${signal%:*}" $n
        [ $got -eq 0 ] || break
    done
    [ $got -eq "${signal#*:}" ] || fail "SIG${signal%:*}: exit code $got, not ${signal#*:}"
    only A.mtx
    has d/A.mtx '^before$'
done

# What is ignored stays ignored: nohup.
(trap '' HUP; interrupt HUP 600; [ $got -eq 0 ]) || fail "an ignored SIGHUP ends the command"
only A.mtx
finish
