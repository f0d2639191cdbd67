#!/bin/sh
# portability.sh [--fewer] [RECORDS...]: writes what the tests really ran on into the table of docs/portability.md. RECORDS is a folder of the records
# that a run of ctest has left (default: build/tests/ran), here or on another machine: carry the folder.
#
#   scripts/test.sh && scripts/portability.sh
#   CLSOLVE_TEST_DEVICE=Intel CLSOLVE_TEST_RECORDS=/tmp/intel ctest --preset release -LE pinned; scripts/portability.sh /tmp/intel
#
# A row of the page stands until records of the same implementation, major version of its driver, device type and precision replace it; the
# text around the tables stays. A row of fewer than half as many tests is refused, for it is that of a part of the suite; with --fewer it is taken.
# Settings with fewer than ten functions in all get no row.
# scripts/runtimes.sh leaves records of other implementations in build/runtimes/NAME/ran.
#
# Exit: 0 the records have no failure, 1 some have (the page says which), 2 wrong usage, or there are no records.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
page=$root/docs/portability.md
usage() { echo "portability: $*; see --help" >&2; exit 2; }
fewer=0
case ${1-} in
--fewer) fewer=1; shift ;;
--help) sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0 ;;
-*) usage "there is no option $1" ;;
esac
[ $# -gt 0 ] || set -- "$root/build/tests/ran"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only what the last run of ctest has written (tests/support/ran_table.sh).
for records in "$@"; do
    [ -e "$records/begin" ] || usage "no records in $records: run scripts/test.sh first"
    find "$records" -name '*.tsv' -newer "$records/begin" -exec cat {} +
done >"$work/records"
[ -s "$work/records" ] || usage "no program of the tests has left a record in: $*"

# Rows "TABLE <tab> KEY <tab> ROW". Fields of a record: tests/support/ran.h.
awk -F '\t' '
    function family(program) {
        if (program ~ /^test_lu|^test_refine/) return "lu"
        if (program ~ /^test_band/) return "band"
        if (program ~ /^test_gj|^test_schedule/) return "gj"
        if (program ~ /^test_block_gs/) return "bt"
        if (program ~ /^kernels_/) return "kernels"
        if (program ~ /^(device|blas)_/) return "device"
        return "other"
    }
    function implementation(name, devices) {
        if (name ~ /^cuda_stand_in_/) return "NVIDIA\047s three libraries played by PoCL and OpenBLAS"
        if (devices ~ /; /) return "several in one program"
        sub(/: [^:]*$/, "", devices) # the name of the device
        sub(/ \(, driver \)/, "", devices) # the host has neither version nor driver
        return devices
    }
    function cell(key, f) {
        if (failed[key, f] != "") return "**failed**:" failed[key, f]
        if (!ran[key, f] && !skipped[key, f]) return ""
        return ran[key, f] " (" functions[key, f] ")" (skipped[key, f] ? ", " skipped[key, f] " skipped" : "")
    }
    $7 != "-" {
        platform = implementation($1, $7)
        if ($10 ~ /;/) next # with double precision and without: it stands for neither
        key = platform " | " ($9 ~ /;/ ? "several" : $9) " | " $10
        if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
        f = family($2)
        if ($3 == "passed") { ran[key, f]++; functions[key, f] += $4 - $5 }
        if ($3 == "skipped") skipped[key, f]++
        if ($3 == "failed") failed[key, f] = failed[key, f] " " $1
        day = substr($15, 1, 10)
        if (day > last[key]) last[key] = day
    }
    END {
        split("lu band gj bt kernels device other", families, " ")
        for (k = 1; k <= count; k++) {
            key = keys[k]
            row = "| " key " |"
            many = 0
            for (i = 1; i <= 7; i++) {
                row = row " " cell(key, families[i]) " |"
                many += failed[key, families[i]] != "" ? 10 : functions[key, families[i]]
            }
            if (many < 10) continue
            print "tests\t" key "\t" row " " last[key] " |"
        }
    }' "$work/records" >"$work/rows"

# Old rows without a new one of their platform, type and precision stay. A driver of another minor version is the same platform.
awk -F '\t' -v rows="$work/rows" -v fewer=$fewer '
    function plain(key,    driver) {
        driver = match(key, /driver [^0-9|]*[0-9]+/) ? " " substr(key, RSTART, RLENGTH) : ""
        sub(/ \([^|]*\) \|/, driver " |", key)
        return key
    }
    function key_of(line,    parts) {
        split(line, parts, / *\| */)
        return parts[2] " | " parts[3] " | " parts[4]
    }
    # "49 (296)" in each of the cells behind the key
    function tests_of(row,    cells, i, sum) {
        split(row, cells, "|")
        for (i = 5; i <= 11; i++) sum += cells[i]
        return sum + 0
    }
    function put(table,    i) {
        for (i = 1; i <= n; i++) if (tables[i] == table) print texts[i]
    }
    BEGIN {
        while ((getline line <rows) > 0) {
            split(line, part, "\t")
            tables[++n] = part[1]
            fresh[part[1], plain(part[2])] = 1
            texts[n] = part[3]
            if (part[1] == "tests") now[plain(part[2])] = part[3]
        }
    }
    /^\| implementation \| as \| double \| dense LU/ { here = "tests" }
    here == "tests" && /^\| / && !fewer && (plain(key_of($0)) in now) {
        ran = tests_of(now[plain(key_of($0))])
        if (2 * ran < tests_of($0)) {
            printf "portability: %s: %d tests ran, and docs/portability.md has %d: run the whole suite, or say --fewer\n",
                key_of($0), ran, tests_of($0) >"/dev/stderr"
            refused = 1
        }
    }
    here != "" && /^\|---/ { print; put(here); next }
    here != "" && /^\| / && !/^\| implementation/ { if (!((here, plain(key_of($0))) in fresh)) print; next }
    !/^\|/ { here = "" }
    { print }
    END { exit refused }' "$page" >"$work/page" || exit 1
cp "$work/page" "$page"
if grep -q '\*\*failed\*\*' "$work/rows"; then
    echo "portability: some tests failed: see docs/portability.md" >&2
    exit 1
fi
