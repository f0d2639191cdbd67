#!/bin/sh
# check_faults.sh LIBRARY LIST: each driver call in the static library has its wrapper in the list (tests/support/faults.h).
command -v nm >/dev/null || { echo "skipped: no nm here (on Debian: apt-get install binutils)"; exit 77; }
status=0
calls=$(nm "$1" 2>/dev/null | sed -n 's/^ *U \(cl[A-Z][A-Za-z]*\|CLBlast[A-Za-z]*\)$/\1/p' | sort -u)
[ -n "$calls" ] || { echo "FAILED: found no driver calls in $1"; exit 1; }
for call in $calls; do
    [ "$call" = CLBlastClearCache ] && continue # its failure changes nothing
    grep -qx -e "--wrap=$call" "$2" || { echo "FAILED: no wrapper for $call"; status=1; }
done
exit $status
