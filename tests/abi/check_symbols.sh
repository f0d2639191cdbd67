#!/bin/sh
# check_symbols.sh --check|--store ROOT BUILD: debian/*.symbols list what the libraries of BUILD export, or are made to.
# Names that stood there keep the version that they came with; new ones get today's.
mode=$1 root=$2 build=$3
command -v nm >/dev/null || { echo "skipped: no nm here (on Debian: apt-get install binutils)"; exit 77; }
version=$(sed -n '1s/.*(\([^-]*\)-.*/\1/p' "$root/debian/changelog")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
for pair in libclsolve.so.0:libclsolve0 libclsolve_lapack.so.0:libclsolve-lapack0; do
    soname=${pair%%:*} package=${pair#*:}
    library=$build/$soname file=$root/debian/$package.symbols
    [ -e "$library" ] || { echo "$soname is not built here"; continue; }
    nm -D --defined-only "$library" | awk '$2 ~ /[TWBDR]/ { print $3 }' | LC_ALL=C sort >"$work/names"
    {
        echo "$soname $package #MINVER#"
        echo "* Build-Depends-Package: libclsolve-dev"
        awk -v version="$version" -v before="$file" '
            BEGIN { while ((getline line <before) > 0) if (split(line, part, " ") == 2 && part[1] ~ /@/) since[part[1]] = part[2] }
            { name = $1 "@Base"; print " " name " " (name in since ? since[name] : version) }' "$work/names"
    } >"$work/symbols"
    if [ "$mode" = --store ]; then
        cp "$work/symbols" "$file"
    elif ! diff "$file" "$work/symbols"; then
        echo "FAILED: $file is not what $soname exports: scripts/abi.sh --store writes it"
        status=1
    fi
done
exit $status
