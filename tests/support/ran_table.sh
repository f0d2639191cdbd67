#!/bin/sh
# ran_table.sh --begin RECORDS         a run of ctest begins: records that are older say nothing of it
# ran_table.sh RECORDS REGISTERED      writes RECORDS/table.md: for each registered test the device, precision, panel and pivoting that
#                                      were in effect, from the records that the programs have written in this run (ran.h)
# The folder of the records is CLSOLVE_TEST_RECORDS where that is set.
set -eu
begin=
[ "$1" = --begin ] && begin=1 && shift
records=${CLSOLVE_TEST_RECORDS:-$1}
mkdir -p "$records"
if [ -n "$begin" ]; then
    touch "$records/begin"
    exit
fi
registered=$2
output=$records/table.md

find "$records" -name '*.tsv' -newer "$records/begin" -exec cat {} + >"$output.records"

awk -F '\t' -v rows="$output.records" '
    BEGIN {
        while ((getline line <rows) > 0) {
            split(line, f, "\t")
            record[f[1]] = line
        }
        print "# What ran"
        print ""
        print "Written by the test run: what each program had in effect, not what it was asked for. A number behind a panel, a pivoting or"
        print "a precision counts handles. Scripts run the command or the benchmark and choose their devices themselves."
        print ""
        print "| test | outcome | device | as | double | BLAS | panels | pivoting | precision |"
        print "|---|---|---|---|---|---|---|---|---|"
    }
    {
        if ($3 == "" && !($1 in record)) { scripts++; print "| " $1 " | script | | | | | | | |"; next }
        if (!($1 in record)) { print "| " $1 " | not in this run | | | | | | | |"; missing++; next }
        split(record[$1], f, "\t")
        ran++
        said = f[3] == "passed" ? f[4] - f[5] " passed" (f[5] > 0 ? ", " f[5] " skipped" : "") : f[3] == "skipped" ? "skipped" : "**failed**"
        print "| " $1 " | " said " | " f[7] " | " f[9] " | " f[10] " | " f[11] " | " f[12] " | " f[13] " | " f[14] " |"
    }
    END {
        printf "\n%d programs ran, %d not in this run, %d scripts\n", ran, missing, scripts
    }' "$registered" >"$output"
rm -f "$output.records"
tail -n 1 "$output"
echo "the table is in $output"
