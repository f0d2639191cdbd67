# common.sh: what the scripts here begin with. SHIM=$1 is the library under test.
shim=$1
failures=0

work=$(mktemp -d "${TMPDIR:-/tmp}/clsolve-lapack-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

finish() {
    echo "$failures failed"
    [ "$failures" -eq 0 ]
    exit
}

# with_shim COMMAND...: the command, with the library in front of its LAPACK and its counts added to $work/counts.
with_shim() {
    CLSOLVE_LAPACK_STATS=$work/counts LD_PRELOAD=$shim "$@"
}

# count SYMBOL WAY: how many calls of the symbol went that way.
count() {
    [ -e "$work/counts" ] || { echo 0; return; }
    awk -v symbol="$1" -v way="$2" '
        $2 == symbol { for (k = 3; k < NF; k += 2) if ($k == way) sum += $(k + 1) } END { print sum + 0 }' "$work/counts"
}
