#!/bin/sh
# format.sh [--check]: lays the C sources and the kernels out as .clang-format says, or only tells which are not.
# clang-format's majors differ in what they write, so only the one below counts.
# Exit: 0 all well, 1 some file differs (--check), 2 wrong usage, 77 no clang-format of that major here.
set -eu
case $#${1-} in
0 | 1--check) ;;
1--help) sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"; exit 0 ;;
*) echo "format: there is no option $*; see --help" >&2; exit 2 ;;
esac
major=14
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

format=
for candidate in "clang-format-$major" clang-format; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q " version $major\."; then
        format=$candidate
        break
    fi
done
[ -n "$format" ] || { echo "skipped: no clang-format $major here (on Debian 12: apt-get install clang-format)"; exit 77; }

files=$(find include src tests examples bench cl petsc -name '*.[ch]' -o -name '*.cl' -o -name '*.clh' | sort)
if [ "${1-}" = --check ]; then
    # shellcheck disable=SC2086
    found=$("$format" --dry-run -Werror $files 2>&1) && exit 0
    echo "$found" | sed -n 's/:[0-9]*:[0-9]*: error: .*//p' | sort -u | sed 's/^/not formatted: /'
    echo "run scripts/format.sh"
    exit 1
fi
# shellcheck disable=SC2086
"$format" -i $files
