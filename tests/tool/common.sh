# common.sh: what every script here begins with: . "$(dirname "$0")/common.sh"
#
# Arguments of each script: the command, the JSON checker, the folder of matrices. It works in a folder of its own that
# goes away at the end. A check that fails says so and the script goes on; finish() gives the verdict.

clsolve=$1
check_json=$2
matrices=$3
name=$(basename "$0" .sh)
posix=yes
case $clsolve in */run_*) posix= ;; esac # the command for Windows, by Wine
failures=0
checks=0

work=$(mktemp -d "${TMPDIR:-/tmp}/clsolve-test-$name-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    if [ -s "$work/err" ]; then sed 's/^/    stderr: /' "$work/err" | head -5; fi
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

finish() {
    echo "$name: $checks checks, $failures failed"
    [ "$failures" -eq 0 ]
    exit
}

# The command, with the device under test where one is named (a --device that follows wins).
call() {
    if [ "$1" = solve ] && [ -n "${CLSOLVE_TEST_DEVICE:-}" ]; then
        shift
        set -- solve --device "$CLSOLVE_TEST_DEVICE" "$@"
    fi
    "$clsolve" "$@"
}

# run CODE ARGUMENTS...: the command ends with CODE. Its output is in ./out and ./err.
run() {
    wanted=$1
    shift
    checks=$((checks + 1))
    call "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$wanted" ] || fail "exit code $got, not $wanted: clsolve $*"
}

# error CODE PATTERN ARGUMENTS...: the same, and exactly one line on stderr, "clsolve: ..." with PATTERN, none on stdout.
error() {
    code=$1
    pattern=$2
    shift 2
    run "$code" "$@"
    lines=$(wc -l <"$work/err")
    [ "$lines" -eq 1 ] || fail "$lines lines on stderr, not 1: clsolve $*"
    grep -q '^clsolve: ' "$work/err" || fail "no 'clsolve: ' before the message: clsolve $*"
    grep -Eq -e "$pattern" "$work/err" || fail "stderr has no '$pattern': clsolve $*"
    [ ! -s "$work/out" ] || fail "something on stdout: clsolve $*"
}

# has FILE PATTERN
has() {
    checks=$((checks + 1))
    grep -Eq -e "$2" "$1" || fail "$1 has no '$2'"
}

# lacks FILE PATTERN
lacks() {
    checks=$((checks + 1))
    if grep -Eq -e "$2" "$1"; then fail "$1 has '$2'"; fi
}

# absent FILE
absent() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 is there"
}

# json FILE CHECK...: see check_json.c
json() {
    checks=$((checks + 1))
    "$check_json" "$@" >"$work/json.err" 2>&1 || {
        fail "$(cat "$work/json.err")"
        sed 's/^/    /' "$1" | head -50
    }
}

# only FILE...: the folder ./d holds these and nothing else (no temporary file stayed).
only() {
    checks=$((checks + 1))
    left=$(ls -A "$work/d" | tr '\n' ' ')
    [ "$left" = "$*${1:+ }" ] || fail "the folder holds '$left', not '$*'"
}

# values FILE TOLERANCE VALUE...: an array file whose entries, column by column, are these.
values() {
    checks=$((checks + 1))
    file=$1
    tolerance=$2
    shift 2
    echo "$@" | tr ' ' '\n' >"$work/values.wanted"
    grep -v '^%' "$file" | sed 1d >"$work/values.got"
    [ "$(wc -l <"$work/values.wanted")" -eq "$(wc -l <"$work/values.got")" ] || {
        fail "$file: not as many values as $#"
        return
    }
    paste "$work/values.wanted" "$work/values.got" | awk -v t="$tolerance" '
        { d = $1 - $2; if (d < 0) d = -d; if (!(d <= t)) bad = 1 } END { exit bad }' ||
        fail "$file: $(tr '\n' ' ' <"$work/values.got")is not $*"
}

# ones FILE N TOLERANCE
ones() {
    checks=$((checks + 1))
    grep -v '^%' "$1" | sed 1d | awk -v n="$2" -v t="$3" '
        { d = $1 - 1; if (d < 0) d = -d; if (!(d <= t)) bad = 1 } END { exit bad || NR != n }' ||
        fail "$1: not $2 ones within $3"
}

need_device() {
    "$clsolve" devices >/dev/null 2>"$work/err"
    case $? in
    0) ;;
    6) skip "$(cat "$work/err")" ;;
    *) fail "clsolve devices" && finish ;;
    esac
}

# The 3 x 3 system of most checks, with the solution 1, 2, 3.
small_system() {
    cat >A.mtx <<'END'
%%MatrixMarket matrix coordinate real general
3 3 7
1 1 4
2 1 1
1 2 -1
2 2 5
3 2 2
2 3 1
3 3 3
END
    cat >b.mtx <<'END'
%%MatrixMarket matrix array real general
3 1
2
14
13
END
}
