#!/bin/sh
# no_matrices.sh TESTS COMMAND CHECK_JSON BIN LIST: what reads real matrices passes or skips where there are none: every test whose program
# asks for one (test_matrix_path), and the command's scripts. TESTS is the folder of the tests, BIN that of the programs, LIST registered.tsv.
set -u
tests=$1
command=$2
json=$3
bin=$4
list=$5
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/none"
export CLSOLVE_TEST_MATRICES="$folder/none" CLSOLVE_TEST_RECORDS="$folder"
failed=0
ran=0
check() { # what, then the command
    what=$1
    shift
    "$@" >"$folder/out" 2>&1
    case $? in
    0 | 77)
        ran=$((ran + 1))
        ! grep -q 'Running 0 test' "$folder/out" || { echo "FAILED: $what has no function *matri*"; failed=1; }
        ;;
    *) echo "FAILED: $what without matrices:"; cat "$folder/out"; failed=1 ;;
    esac
}
programs=" $(grep -l 'test_matrix_path(' "$tests"/*/test_*.c | sed 's|.*/||; s|\.c$||' | grep -vx test_support | tr '\n' ' ')"
tab=$(printf '\t')
while IFS="$tab" read -r test room program registered; do
    case "$programs" in *" $program "*) ;; *) continue ;; esac
    [ -n "$program" ] || continue
    case "$registered" in *rusticl* | *cuda:0*) continue ;; esac # where their drivers are not, they skip before
    case $program in *matri*) only= ;; *) only='*matri*' ;; esac
    # shellcheck disable=SC2046 # a word for each variable
    check "$test ($room)" env $registered CLSOLVE_TEST_ONLY="$only" CLSOLVE_TEST_NAME="$test" CLSOLVE_TEST_PROGRAM="$program" \
        CLSOLVE_TEST_REGISTERED="$registered" "$bin/$program"
done <"$list"
check tool/matrices.sh sh "$tests/tool/matrices.sh" "$command" "$json" "$folder/none"
[ $ran -gt 5 ] || { echo "FAILED: nothing ran"; failed=1; }
exit $failed
