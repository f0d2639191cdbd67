#!/bin/sh
# build.sh [--all] FOLDER TARGET [oldest]: builds the programs that the library asks for on a GPU (list_programs FOLDER) to
# machine code by its maker's compiler, and reads out what the compiler says of each kernel.
#
#   TARGET gfx...   clang with libclc's builtins and those of amd_sub_groups.cl, the newest here that knows it; `oldest`: the oldest, which
#                   only has to build them
#   else            Intel's ocloc
#
# Without --all, kernels that are in no inner loop are built for one target of the maker in the list, by turns; those
# whose speed counts, and files that are new here, for all (turns.awk); with CLSOLVE_TEST_REDUCED=1 one shape of each kind. Figures go to FOLDER/figures/TARGET[-oldest].tsv, a row a kernel:
#
#   TARGET COMPILER FILE KERNEL OPTIONS REGISTERS SCALARS LOCAL SPILLED WAVE GROUP WAVES
#
# REGISTERS of a lane (Intel: of a thread), SCALARS: Intel has none. LOCAL and SPILLED in bytes. WAVE: lanes of a wave or
# sub-group. WAVES: that a SIMD (Intel: a vector engine) has room for. Then judge.awk compares them with expected.txt.
#
# Exit: 0 fine, 1 a program does not build or a kernel is worse than expected, 77 no compiler.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
every=0
[ "${1-}" = --all ] && { every=1; shift; }
folder=$1
target=$2
age=${3-newest}

skip() { echo "skipped: $*"; exit 77; }

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ---- AMD ----

amd_flags="-x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -nogpulib -O3 -Wno-linker-warnings -Wno-unused-command-line-argument"
amd_probe='kernel void f(global float *a) { a[get_global_id(0)] = 0; }'

# Bitcode of another LLVM than the compiler's own is read by newer ones.
amd_find() {
    compiler='' bitcode=''
    [ "$age" = oldest ] && versions="14 15 16 17 18 19 20 21" || versions="21 20 19 18 17 16 15 14"
    for version in $versions; do
        for place in "/usr/lib/clc/amdgcn--amdhsa.bc" "/usr/lib/llvm-$version/lib/clc/amdgcn--amdhsa.bc" \
            "/usr/share/clc/amdgcn--amdhsa.bc"; do
            if ! command -v "clang-$version" >/dev/null || [ ! -f "$place" ]; then continue; fi
            # shellcheck disable=SC2086
            echo "$amd_probe" | "clang-$version" $amd_flags -mcpu="$target" -Xclang -mlink-builtin-bitcode -Xclang "$place" \
                -c -o "$work/probe" - 2>/dev/null || continue
            reader=$(command -v "llvm-readelf-$version" || command -v llvm-readelf-19 || command -v llvm-readelf) || continue
            compiler=clang-$version bitcode=$place
            # shellcheck disable=SC2086
            "$compiler" $amd_flags -cl-std=CL2.0 -mcpu="$target" -emit-llvm -c -o "$work/sub_groups.bc" "$here/amd_sub_groups.cl"
            return
        done
    done
    return 1
}

amd_build() { # source, options, object
    case $2 in
    *-DCLS_BY_SUB_GROUPS*) more="-Xclang -mlink-builtin-bitcode -Xclang $work/sub_groups.bc" ;;
    *) more='' ;;
    esac
    # shellcheck disable=SC2086
    "$compiler" $amd_flags -mcpu="$target" $more -Xclang -mlink-builtin-bitcode -Xclang "$bitcode" $2 -c -o "$3" "$1"
}

amd_figures() { # file, options, object
    "$reader" --notes "$3" | awk -v target="$target" -v compiler="$compiler" -v file_name="$1" -v options="$2" -f "$here/amd.awk"
}

# ---- Intel ----

intel_find() {
    command -v ocloc >/dev/null && command -v readelf >/dev/null || return 1
    compiler=ocloc
    echo "$amd_probe" >"$work/probe.cl"
    intel_build "$work/probe.cl" "" "$work/probe" >/dev/null 2>&1
}

intel_build() { # source, options, object
    ocloc compile -q -file "$1" -device "$target" --format zebin -exclude_ir -output_no_suffix -output "$(basename "$3")" \
        -out_dir "$(dirname "$3")" -options "-cl-std=CL1.2 $2" >"$3.said" 2>&1 && [ -s "$3" ] && return 0
    cat "$3.said"
    return 1
}

intel_figures() { # file, options, object
    place=$(readelf -SW "$3" 2>/dev/null | sed -n 's/.*\.ze_info *[^ ]* *[^ ]* *\([^ ]*\) *\([^ ]*\).*/0x\1 0x\2/p')
    [ -n "$place" ] || return 1
    tail -c +$((${place% *} + 1)) "$3" | head -c $((${place#* })) |
        awk -v target="$target" -v compiler=ocloc -v file_name="$1" -v options="$2" -f "$here/intel.awk"
}

# ---- all ----

breaks() { # file, options
    awk -F '\t' -v target="$target" -v file="$1" -v options="$2" '
        $1 == "breaks" && target ~ "^(" $2 ")$" && file == $3 && options ~ $4 { found = 1 }
        END { exit !found }' "$here/expected.txt"
}

case $target in
gfx*) maker=amd ;;
*) maker=intel ;;
esac
"${maker}_find" || {
    [ $maker = amd ] && skip "no clang with libclc knows $target (on Debian: apt-get install clang-19 llvm-19 libclc-15)"
    skip "no ocloc that knows $target (on Debian: apt-get install intel-opencl-icd)"
}

mkdir -p "$folder/figures"
awk -F '\t' -v OFS='\t' -v target="$target" -v every=$every -v age="$age" \
    -v few="${CLSOLVE_TEST_REDUCED-0}" -f "$here/turns.awk" \
    "$folder/programs.tsv" >"$work/programs"
[ -s "$work/programs" ] || { echo "no programs of $target in $folder"; exit 1; }

built=0
failed=0
: >"$work/figures"
while IFS='	' read -r file options; do
    rm -f "$work/object"
    if "${maker}_build" "$folder/source/$file.cl" "$options" "$work/object" >"$work/log" 2>&1; then
        built=$((built + 1))
        [ -s "$work/log" ] && { echo "$file.cl $options"; cat "$work/log"; }
        "${maker}_figures" "$file" "$options" "$work/object" >>"$work/figures"
    elif breaks "$file" "$options"; then
        echo "$file.cl $options: known to break this compiler (expected.txt)"
    else
        failed=$((failed + 1))
        echo "FAILED: $file.cl for $target with $options"
        head -20 "$work/log"
    fi
done <"$work/programs"
[ "$age" = oldest ] && suffix=-oldest || suffix=
mv "$work/figures" "$folder/figures/$target$suffix.tsv"
echo "$target: $built programs built by $compiler, $failed failed, $(wc -l <"$folder/figures/$target$suffix.tsv") kernels"
awk -F '\t' -v every=$every -f "$here/judge.awk" "$here/expected.txt" \
    "$folder/figures/$target$suffix.tsv" || failed=1
[ "$failed" -eq 0 ]
