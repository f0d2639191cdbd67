#!/bin/sh
# races.sh PROGRAM: runs it on Oclgrind, a simulator that finds data races, barrier divergence and accesses out of bounds
# in kernels. Its log must stay empty. Without Oclgrind the test counts as skipped.
program=$1
library=
for candidate in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/oclgrind/liboclgrind-rt-icd.so; do
    [ -e "$candidate" ] && library=$candidate
done
[ -n "$library" ] || { echo "skipped: no Oclgrind here (on Debian: apt-get install oclgrind)"; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/clsolve-races-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
echo "$library" >"$work/oclgrind.icd"
: >"$work/log"

# Small work-groups and sizes, for the simulator is a thousand times slower than the device it simulates.
OCL_ICD_VENDORS=$work/oclgrind.icd OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$work/log CLSOLVE_TEST_SHAPE=32 \
    CLSOLVE_TEST_DEVICE=Oclgrind XDG_CACHE_HOME=$work/cache "$program"
code=$?
[ $code -eq 0 ] || exit $code
if [ -s "$work/log" ]; then
    echo "FAILED: Oclgrind's log:"
    head -40 "$work/log"
    exit 1
fi
echo "no race, no divergence, nothing out of bounds"
