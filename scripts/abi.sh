#!/bin/sh
# abi.sh --check|--store [--build FOLDER]: the binary interface of the library, compared with the one that is stored in
# tests/abi/interface.txt: exported functions, their arguments, the layout of public structs, values of constants.
#
#   --check          fails on any difference but new calls. A name in the place of a reserved word is a difference too,
#                    though a harmless one: store it.
#   --store          stores today's interface, for a change that is meant; then CHANGELOG.md says what changed.
#                    It also writes debian/*.symbols, the names that Debian's packages promise
#   --build FOLDER   holds a build with its tests (default: build/)
#
# Needs abidw of libabigail and Python, on x86-64. Exit: 0 all well, 1 a difference, 2 wrong usage, 77 not possible here.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
usage() {
    echo "abi: $1; see --help" >&2
    exit 2
}
build=$root/build mode=
while [ $# -gt 0 ]; do
    case $1 in
    --check | --store) mode=$1 ;;
    --build)
        [ $# -gt 1 ] || usage "--build wants a folder"
        build=$2
        shift
        ;;
    --help)
        sed -n '2,/^set -eu/{s/^# \{0,1\}//;/^set -eu/!p;}' "$0"
        exit 0
        ;;
    *) usage "there is no option $1" ;;
    esac
    shift
done
[ -n "$mode" ] || usage "give --check or --store"
skip() {
    echo "abi: $1"
    exit 77
}
command -v abidw >/dev/null || skip "no abidw here: install libabigail's tools"
command -v python3 >/dev/null || skip "no python3 here"
[ "$(uname -m)" = x86_64 ] || skip "the stored interface is that of x86-64"
stored=$root/tests/abi/interface.txt
library=$(find "$build" -maxdepth 2 -name libclsolve.so | head -n 1)
[ -n "$library" ] || usage "$build holds no build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A library of the same interface whose calls do nothing, made from the headers alone: so its debug information has the
# public types and no others.
printf '#include <clsolve/%s>\n' clsolve.h opencl.h cuda.h >"$work/all.c"
${CC:-cc} -std=c11 -E -P -I "$root/include" "$work/all.c" >"$work/all.i"
{
    printf '#include <clsolve/%s>\n' clsolve.h opencl.h cuda.h
    tr '\n' ' ' <"$work/all.i" | sed 's/[;{}]/&\n/g' | # a statement a line
        sed -n 's/^ *\([a-z0-9_]*\( \*\|const\| \)*clsolve_[a-z0-9_]*(.*)\);$/\1 { __builtin_trap(); }/p;
                s/^ *\(const char \*clsolve_[a-z0-9_]*(.*)\);$/\1 { __builtin_trap(); }/p' | grep -v '^typedef' | LC_ALL=C sort -u
} >"$work/calls.c"
${CC:-cc} -std=c11 -g -gdwarf-4 -w -shared -fPIC -I "$root/include" -o "$work/libclsolve.so" "$work/calls.c"

# Are these all the calls that the library exports?
exported() { nm -D --defined-only "$1" | sed -n 's/.* T \(clsolve_.*\)/\1/p' | LC_ALL=C sort; }
exported "$library" >"$work/real"
exported "$work/libclsolve.so" >"$work/described"
cmp -s "$work/real" "$work/described" || {
    echo "abi: the headers do not declare what the library exports:" >&2
    diff "$work/real" "$work/described" >&2 || true
    exit 1
}
abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --out-file "$work/all.abi" "$work/libclsolve.so"
python3 "$root/tests/abi/interface.py" --write "$work/all.abi" >"$work/now"
if [ "$mode" = --store ]; then
    cp "$work/now" "$stored"
    sh "$root/tests/abi/check_symbols.sh" --store "$root" "$(dirname "$library")"
    echo "abi: stored $(wc -l <"$work/real") calls in $stored"
    exit 0
fi
[ -f "$stored" ] || usage "$stored is missing: store it with --store"
python3 "$root/tests/abi/interface.py" --compare "$stored" "$work/now" >"$work/report" && exit 0
cat "$work/report" >&2
echo "abi: the interface is not the stored one. If that is meant: scripts/abi.sh --store" >&2
exit 1
