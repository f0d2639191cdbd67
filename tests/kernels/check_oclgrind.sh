#!/bin/sh
# check_oclgrind.sh PROGRAM: runs PROGRAM on Oclgrind's simulated device, with races, barriers and bounds checked; it must
# pass, and Oclgrind's log must stay empty. Exit 77 where there is no Oclgrind.
for folder in /usr/lib/oclgrind /usr/lib/*/oclgrind /usr/local/lib/oclgrind /usr/local/lib; do
    [ -e "$folder/liboclgrind-rt-icd.so" ] && library=$folder/liboclgrind-rt-icd.so && break
done
[ -n "${library-}" ] || { echo "skipped: no Oclgrind here (on Debian: apt-get install oclgrind)"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo "$library" >"$work/oclgrind.icd"
OCL_ICD_VENDORS=$work/oclgrind.icd
OCLGRIND_DATA_RACES=1
OCLGRIND_CHECK_API=1
OCLGRIND_LOG=$work/log
CLSOLVE_TEST_DEVICE=oclgrind
XDG_CACHE_HOME=$work # so that a program that the simulator refuses never hides in a cache
export OCL_ICD_VENDORS OCLGRIND_DATA_RACES OCLGRIND_CHECK_API OCLGRIND_LOG CLSOLVE_TEST_DEVICE XDG_CACHE_HOME

"$1"
status=$?
if [ -s "$work/log" ]; then
    echo "FAILED: Oclgrind found:"
    head -n 100 "$work/log"
    exit 1
fi
[ -e "$work/log" ] || { echo "FAILED: Oclgrind wrote no log: did it run?"; exit 1; }
exit $status
