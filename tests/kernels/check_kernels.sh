#!/bin/sh
# check_kernels.sh CLANG FOLDER: compiles each FOLDER/*.cl behind dialect.clh, no code written, all warnings errors:
# for spir64, nvptx64 and amdgcn, in double, and in float on a device without fp64. With CLSOLVE_TEST_REDUCED=1 for each
# target, and in each further form, in one of the two, by turns: a file in both all the same. The compilations for spir64
# have the built-in functions of few_builtins.clh alone, as PoCL has.
# Exit: 0 all clean, 1 not, 77 no clang that can do it.
clang=$1
folder=$2

case $clang in
'' | *-NOTFOUND)
    echo "skipped: no clang here (on Debian: apt-get install clang)"
    exit 77
    ;;
esac

flags="-x cl -cl-std=CL1.2 -fsyntax-only -Wall -Wextra -Werror"
all="-Xclang -finclude-default-header"
single="-DREAL=float -DCLS_DOUBLE=0"
double="-DREAL=double -DCLS_DOUBLE=1"
spir="-target spir64 -include opencl-c-base.h -DCLS_FEW_BUILTINS"
nvidia="-target nvptx64 $all"
amd="-target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib $all"

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

forms=$(mktemp) || exit 1
trap 'rm -f "$forms"' EXIT

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

# What a file's parameters switch on and off, beyond its defaults; one set a line.
forms_of() {
    case $(basename "$1") in
    gemm_tiled.cl)
        for trans in "" "-DTRANS_A=1" "-DTRANS_B=1 -DALIGNED=1" "-DTRANS_A=1 -DTRANS_B=1"; do
            echo "$trans -DLOCAL_A=0 -DLOCAL_B=0 -DVECTOR=4"
            echo "$trans -DLOCAL_A=1 -DLOCAL_B=0 -DAHEAD=1"
            echo "$trans -DLOCAL_A=0 -DLOCAL_B=1 -DVECTOR=1 -DAHEAD=1"
            echo "$trans -DAHEAD=1 -DVECTOR=4 -DITEM_N=1"
        done
        ;;
    lu_panel.cl)
        echo "-cl-std=CL2.0 -DCLS_BY_SUB_GROUPS=1"
        echo "-cl-std=CL2.0 -DCLS_BY_SUB_GROUPS=1 -DCLS_COMPLEX=1"
        echo "-DCLS_COMPLEX=1 -DLS=1 -DROWS=256"
        ;;
    lu_together.cl)
        echo "-cl-std=CL2.0 -DCLS_BY_SUB_GROUPS=1"
        echo "-DCLS_COMPLEX=1"
        ;;
    band_narrow.cl | band_members.cl | band_triangle.cl) echo "-DCLS_COMPLEX=1" ;;
    band_narrow_item.cl) for form in "" -DWINDOW -DCONTIGUOUS; do echo "-DCLS_COMPLEX=1 $form"; done ;;
    cholesky.cl)
        echo "-DLEAF=32 -DIN_LOCAL"
        echo "-DCLS_COMPLEX=1 -DLEAF=32"
        ;;
    cholesky_tiles.cl) echo "-DCLS_COMPLEX=1 -DLEAF=64" ;;
    ldl_panel.cl) for form in "" "-DIN_LOCAL -DWINDOW=32"; do echo "-DCLS_COMPLEX=1 -DHERMITIAN=0 $form"; done ;;
    ldl_exact.cl | ldl_solve.cl) echo "-DCLS_COMPLEX=1" ;;
    symmetric.cl)
        echo "-DWIDE"
        echo "-DCLS_COMPLEX=1"
        ;;
    symmetric_check.cl) echo "-DCLS_COMPLEX=1 -DTILE=16 -DLY=4" ;;
    trsm_portable.cl) echo "-DCLS_COMPLEX=1 -DMOST_ROWS=64" ;;
    lu_batch_small.cl) for more in "" -DRAGGED; do echo "-DCLS_COMPLEX=1 $more"; done ;;
    direct_batch_whole.cl)
        for more in "" -DRAGGED; do for which in 0 1; do echo "-DCLS_COMPLEX=1 $more -DCHOLESKY=$which -DPER=2"; done; done
        ;;
    direct_batch_solve.cl | direct_batch_move.cl)
        for more in "" -DRAGGED; do for which in 0 1; do echo "-DCLS_COMPLEX=1 $more -DCHOLESKY=$which"; done; done
        echo "-DCLS_COMPLEX=1 -DLDL_BATCH -DHERMITIAN=0"
        ;;
    ldl_batch.cl)
        echo "-DCLS_COMPLEX=1 -DN=33 -DLX=32 -DPER=4 -DRAGGED"
        echo "-DCLS_COMPLEX=1 -DHERMITIAN=0 -DN=5 -DLX=8 -DLY=8"
        ;;
    ldl_batch_values.cl) echo "-DCLS_COMPLEX=1 -DRAGGED" ;;
    cholesky_batch.cl) for more in "" -DRAGGED; do echo "-DCLS_COMPLEX=1 -DN=33 -DLX=32 -DPER=4 $more"; done ;;
    sparse_batch.cl | sparse_batch_solve.cl) echo "-DCLS_COMPLEX=1 -DITEMS=32" ;;
    gj_batch.cl | gj_block.cl | gj_operations.cl | gj_rows.cl | gemm_complex.cl | lu_rows.cl | transpose.cl | measure.cl | verdict.cl | scale.cl) echo "-DCLS_COMPLEX=1" ;;
    lu_rbt.cl | lu_small_solve.cl | lu_sweep.cl) echo "-DCLS_COMPLEX=1" ;;
    equilibrate.cl) echo "-DCLS_COMPLEX=1 -DOUT=float" ;;
    front_small.cl | front_border.cl | front_product.cl | front_inverse.cl | front_move.cl | front_solve.cl)
        echo "-DLDL=1"
        echo "-DCLS_COMPLEX=1 -DLDL=2"
        ;;
    front_window.cl)
        echo "-DCLS_COMPLEX=1 -DLDL=1"
        echo "-DPER=2 -DW=16 -DCLS_ROLLED"
        ;;
    front_*.cl) echo "-DCLS_COMPLEX=1" ;;
    trsm.cl) echo "-DEACH=2 -DSETS=2" ;;
    bt_sweep.cl) for part in 1 2 4; do echo "-DKERNELS=$part"; done; echo "-DCLS_COMPLEX=1" ;;
    bt_cycle.cl) for part in 1 2; do echo "-DKERNELS=$part"; done; echo "-DCLS_COMPLEX=1" ;;
    bt_factor.cl) for parts in 1 8; do echo "-DCLS_COMPLEX=1 -DP=$parts"; done ;;
    bt_*.cl) echo "-DCLS_COMPLEX=1" ;;
    esac
}

turn=0
# shellcheck disable=SC2086
for file in "$folder"/*.cl; do
    [ -f "$file" ] || continue
    for target in "$spir" "$nvidia" "$amd"; do
        turn=$(((turn + 1) % 2))
        [ -n "${CLSOLVE_TEST_REDUCED-}" ] && [ $turn -eq 0 ] || check "$file" "($target, double)" $target $double
        [ -n "${CLSOLVE_TEST_REDUCED-}" ] && [ $turn -eq 1 ] ||
            check "$file" "($target, float, no fp64)" $target $single -Xclang -cl-ext=-cl_khr_fp64 -Wdouble-promotion
    done
    case $(basename "$file") in
    gemm_mma.cl) # NVIDIA's OpenCL compiles it with clang's warnings, and tells the user's terminal of their number
        for form in "" "-DTRANS_A=1 -DVECTOR=1" "-DTRANS_B=1"; do
            check "$file" "($nvidia, double, matrix unit, $form)" $nvidia $double -DCLS_UNIT=90 -Dasm=__asm__ $form
            check "$file" "($nvidia, float, matrix unit, $form)" $nvidia $single -DCLS_UNIT=90 -Dasm=__asm__ $form
        done
        ;;
    esac
    forms_of "$file" >"$forms"
    while read -r form; do
        turn=$(((turn + 1) % 2))
        [ -n "${CLSOLVE_TEST_REDUCED-}" ] && [ $turn -eq 0 ] || check "$file" "($spir, double, $form)" $spir $double $form
        [ -n "${CLSOLVE_TEST_REDUCED-}" ] && [ $turn -eq 1 ] ||
            check "$file" "($amd, float, no fp64, $form)" $amd $single $form -Xclang -cl-ext=-cl_khr_fp64 -Wdouble-promotion
    done <"$forms"
done
echo "$checked compilations, $failed failed"
[ "$failed" -eq 0 ] || exit 1
[ "$checked" -gt 0 ] || { echo "no kernels in $folder"; exit 77; }
