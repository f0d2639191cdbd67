#!/bin/sh
# check_exports.sh LIBRARY HEADERS: the shared library exports clsolve_* alone, and all that the headers declare.
library=$1
headers=$2
command -v nm >/dev/null || { echo "skipped: no nm here (on Debian: apt-get install binutils)"; exit 77; }

exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | sort -u)
declared=$(cat "$headers"/*.h | tr '\n' ' ' | sed 's/CLSOLVE_API/\n&/g' |
    sed -n 's/^CLSOLVE_API[^(#]*[ *]\(clsolve_[a-z0-9_]*\)(.*/\1/p' | sort -u)

[ -n "$declared" ] || { echo "FAILED: found no declarations in $headers"; exit 1; }
status=0
for name in $exported; do
    case $name in
    clsolve_*) ;;
    *) echo "FAILED: exports $name"; status=1 ;;
    esac
done
for name in $declared; do
    echo "$exported" | grep -qx "$name" || { echo "FAILED: declares but does not export $name"; status=1; }
done
for name in $exported; do
    echo "$declared" | grep -qx "$name" || { echo "FAILED: exports but declares nowhere $name"; status=1; }
done
echo "$(echo "$exported" | wc -l) exported, $(echo "$declared" | wc -l) declared"
exit $status
