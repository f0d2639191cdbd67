#!/bin/sh
# check_kernels.sh CLANG FOLDER: compiles each FOLDER/*.cl behind dialect.clh, no code written, all warnings errors:
# for spir64, nvptx64 and amdgcn, in float and in double, and in float on a device without fp64.
# Exit: 0 all clean, 1 not, 77 no clang that can do it.
clang=$1
folder=$2

case $clang in
'' | *-NOTFOUND)
    echo "skipped: no clang here (on Debian: apt-get install clang)"
    exit 77
    ;;
esac

flags="-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror"
single="-DREAL=float -DCLS_DOUBLE=0"
double="-DREAL=double -DCLS_DOUBLE=1"
spir="-target spir64"
nvidia="-target nvptx64"
amd="-target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib"

# Unquoted on purpose: each variable holds several arguments, none with a space in it.
# shellcheck disable=SC2086
compile() { "$clang" $flags "$@"; }

for target in "$spir" "$nvidia" "$amd"; do
    # shellcheck disable=SC2086
    if ! echo 'kernel void f(global float *a) { a[0] = 0; }' | compile $target - 2>/dev/null; then
        echo "skipped: $clang knows no ${target%% -m*}"
        exit 77
    fi
done

checked=0
failed=0
check() { # file, what it is called, flags
    file=$1
    what=$2
    shift 2
    checked=$((checked + 1))
    compile "$@" -include "$folder/dialect.clh" "$file" || {
        echo "FAILED: $(basename "$file") $what"
        failed=$((failed + 1))
    }
}

# shellcheck disable=SC2086
for file in "$folder"/*.cl; do
    [ -f "$file" ] || continue
    for target in "$spir" "$nvidia" "$amd"; do
        check "$file" "($target, float)" $target $single
        check "$file" "($target, double)" $target $double
        check "$file" "($target, float, no fp64)" $target $single -Xclang -cl-ext=-cl_khr_fp64 -Wdouble-promotion
    done
done
echo "$checked compilations, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$checked" -gt 0 ] || { echo "no kernels in $folder"; exit 77; }
