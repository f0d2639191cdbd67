#!/bin/sh
# check_wrong.sh CLSOLVE-BENCH LIAR: solvers that do nothing, or fail once they have been verified (liar.c), end a table with a word
# and no row; and of two devices each does its own part. With CLSOLVE_TEST_REDUCED=1 some of the tables, each with one lie.
set -u
bench=$1
liar=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/clsolve-test-bench-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export POCL_DEVICES="pthread basic"
fail() { echo "$*"; cat "$work/out" "$work/said"; exit 1; }

# lies HOW OPTIONS...: no candidate of that table is believed.
lies() {
    how=$1
    shift
    # shellcheck disable=SC2086
    LIAR=$how LD_PRELOAD=$liar "$bench" "$@" -r 2 -d pthread $second >"$work/out" 2>"$work/said"
    code=$?
    [ "$code" -eq 6 ] && { echo "SKIPPED: no such device"; exit 77; }
    [ "$code" -eq 1 ] || fail "$how, $*: exit code $code"
    grep -q '^clsolve-bench: ' "$work/said" || fail "$how, $*: not a word"
}
second=
all="lu inverse band"
[ -z "${CLSOLVE_TEST_REDUCED-}" ] || all=band
for family in $all; do
    lies idle:0 peers --family $family -n 40 --members 5
done
lies fail:2 peers --family batched -n 40 --members 5
# fail:4: after as many calls as there are to be verified. Of the last two tables one call is all of that.
for table in "lu -n 40" "gauss-jordan -n 40" "band -n 200 -k 4" "block-gs -n 20"; do
    hows="idle:0 fail:4"
    case ${CLSOLVE_TEST_REDUCED-}$table in
    1lu* | 1band*) hows=idle:0 ;;
    1*) hows=fail:4 ;;
    esac
    # shellcheck disable=SC2086
    for how in $hows; do lies $how $table; done
done
for how in idle:1 fail:0; do lies $how lu -n 40; done
for table in "inverse -n 40" "batched -n 8 --members 5"; do
    hows="idle:0 fail:0 fail:1"
    case ${CLSOLVE_TEST_REDUCED-}$table in
    1inverse*) hows="idle:0 fail:1" ;;
    1*) hows=fail:0 ;;
    esac
    # shellcheck disable=SC2086
    for how in $hows; do lies $how $table; done
done
# The second device's idle solver, after the first one's answer.
second="-d basic"
[ -n "${CLSOLVE_TEST_REDUCED-}" ] || lies idle:1 inverse -n 40
lies idle:1 batched -n 8 --members 5
lies idle:1 peers --family inverse -n 40

# Two devices: as many calls of each, in every table whose candidates take turns; but one that is short comes behind one
# of its own in all rounds but the first, and on a machine with other work a call may not be short.
for table in "lu -n 40" "gauss-jordan -n 40" "inverse -n 40" "peers -n 40 --family inverse"; do
    case ${CLSOLVE_TEST_REDUCED-}$table in 1gauss* | 1inverse*) continue ;; esac
    # shellcheck disable=SC2086
    LIAR=log LD_PRELOAD=$liar "$bench" $table -r 3 -d pthread -d basic --csv "$work/csv" >"$work/out" 2>"$work/said" || fail "$table: $?"
    awk '/^liar: / { calls[$NF]++ } END { for (d in calls) { devices++; n = calls[d]; if (!low || n < low) low = n; if (n > high) high = n }
                                          exit devices != 2 || low < 4 || high - low > 2 }' "$work/said" || fail "$table: other calls of one device than of the other"
done
# Both devices' rows have the host's figures.
LD_PRELOAD='' "$bench" lu -n 40 -r 1 -d pthread -d basic --csv "$work/csv" >"$work/out" || fail "lu"
awk -F, 'NR > 1 { host[$6]++; if ($6 <= 0) exit 1; name[$NF]++ } END { for (h in host) if (host[h] != 2) exit 1
                                                                       for (d in name) n++; exit n != 2 }' "$work/csv" || fail "dgesv differs: $(cat "$work/csv")"
# Beyond the limit nothing more of a scheme is run.
"$bench" lu -n 16,64 -r 1 --limit 1e-9 -d pthread --csv "$work/csv" >"$work/out" || fail "--limit"
awk -F, '$1 == 16 && $2 == "" { exit 1 } $1 == 64 && ($2 != "" || $3 != "" || $4 == "") { exit 1 }' "$work/csv" || fail "--limit: $(cat "$work/csv")"
"$bench" gauss-jordan -n 16,64 -r 1 --limit 1e-9 -d pthread --csv "$work/csv" >"$work/out" || fail "--limit"
awk -F, '$1 == 16 && $2 == "" { exit 1 } $1 == 64 && $2 != "" { exit 1 }' "$work/csv" || fail "--limit: $(cat "$work/csv")"
# A table that does not reach its file whole is no success.
if [ -w /dev/full ]; then
    for table in "lu -n 40" "inverse -n 40" "gauss-jordan -n 40" "batched -n 8 --members 5" "band -n 200 -k 4" \
        "block-gs -n 20" "peers -n 40 --family inverse"; do
        case ${CLSOLVE_TEST_REDUCED-}$table in 1lu* | 1gauss* | 1inverse*) continue ;; esac
        # shellcheck disable=SC2086
        "$bench" $table -r 1 -d pthread --csv /dev/full >"$work/out" 2>"$work/said" && fail "$table: a full disk is a success"
        grep -q '/dev/full' "$work/said" || fail "$table: a full disk is not told"
    done
fi
exit 0
