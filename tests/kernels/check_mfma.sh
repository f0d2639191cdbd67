#!/bin/sh
# check_mfma.sh FOLDER TESTS CLANG...: compiles FOLDER/gemm_mfma.cl to machine code for AMD's GPUs with matrix
# instructions in double, in each form of src/blas/builtin_mma.c by turns, by each clang that is there and knows the GPU. Each
# form has matrix instructions, keeps no register in memory, and leaves room for as many waves as its tile was chosen
# for. With CLSOLVE_TEST_REDUCED=1 by the last of the clangs that is here. It prints the figures. Exit: 0 all is so, 1 not, 77 no clang that can do it. Nothing is run on a GPU.
folder=$1
tests=$2
shift 2

code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
checked=0
failed=0

flags="-x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target amdgcn-amd-amdhsa -nogpulib"
flags="$flags -O3 -Wall -Wextra -Werror"

# Unquoted on purpose: $flags and $4 hold several arguments, none with a space in it.
# shellcheck disable=SC2086
compile() { # clang, GPU, type, options
    real="-DREAL=$3 -DCLS_DOUBLE=$([ "$3" = double ] && echo 1 || echo 0)"
    "$1" $flags "-mcpu=$2" $real $4 -include "$tests/amdgcn_builtins.clh" -include "$folder/dialect.clh" \
        -S -o "$code" "$folder/gemm_mfma.cl"
}

figure() { # its name in the compiler's comments
    sed -n "s/^; $1: *\([0-9]*\).*/\1/p" "$code" | head -1
}

check() { # clang, GPU, type, options, waves a unit
    checked=$((checked + 1))
    if ! compile "$1" "$2" "$3" "$4"; then
        echo "FAILED: $1 $2 $3 $4 does not compile"
        failed=$((failed + 1))
        return
    fi
    mfma=$(grep -c '^[[:space:]]*v_mfma_f' "$code")
    scratch=$(figure ScratchSize)
    spilled=$(sed -n 's/^ *\.vgpr_spill_count: *\([0-9]*\)/\1/p' "$code")
    waves=$(figure Occupancy)
    local_bytes=$(figure LDSByteSize)
    echo "$(basename "$1") $2 $3 $4: $mfma matrix instructions, $(figure TotalNumVgprs) registers," \
        "$local_bytes bytes of local memory, $waves waves a unit, $scratch bytes of registers in memory"
    if ! { [ "$mfma" -gt 0 ] && [ "$scratch" -eq 0 ] && [ "$spilled" -eq 0 ] && [ "$waves" -ge "$5" ] &&
        [ $((local_bytes * $5)) -le 65536 ]; }; then
        echo "FAILED"
        failed=$((failed + 1))
    fi
}

if [ -n "${CLSOLVE_TEST_REDUCED-}" ]; then
    for clang in "$@"; do command -v "$clang" >/dev/null 2>&1 && newest=$clang; done
    set -- "${newest-}"
fi
known=""
for clang in "$@"; do
    command -v "$clang" >/dev/null 2>&1 || continue
    real=$(readlink -f "$(command -v "$clang")")
    case " $known " in *" $real "*) continue ;; esac
    known="$known $real"
    turn=0
    for gpu in gfx90a gfx942; do
        turn=$((1 - turn))
        # shellcheck disable=SC2086
        echo 'kernel void f(global float *a) { a[0] = 0; }' |
            "$clang" $flags "-mcpu=$gpu" -S -o "$code" - 2>/dev/null || continue
        for type in float double; do
            for trans in "-DTRANS_A=0 -DTRANS_B=0" "-DTRANS_A=0 -DTRANS_B=1" "-DTRANS_A=1 -DTRANS_B=0" \
                "-DTRANS_A=1 -DTRANS_B=1"; do
                turn=$((1 - turn))
                if [ $turn -eq 0 ]; then
                    check "$clang" $gpu $type "-DBM=64 -DBN=64 -DWM=32 -DWN=32 -DEACH_UNIT=4 $trans" 4
                else
                    check "$clang" $gpu $type "-DBM=128 -DBN=128 -DWM=64 -DWN=64 -DEACH_UNIT=2 $trans" 2
                fi
            done
        done
    done
done
if [ "$checked" -eq 0 ]; then
    echo "skipped: no clang here knows gfx90a or gfx942 (on Debian: apt-get install clang-19)"
    exit 77
fi
echo "$checked compilations, $failed failed"
[ "$failed" -eq 0 ]
