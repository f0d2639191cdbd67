#!/bin/sh
# portability.sh [BUILD]: runs the tests of the methods on every OpenCL implementation that is here and, in a build with
# -DCLSOLVE_CUDA=ON, on CUDA, and writes what passed to docs/portability.md. BUILD (default: build/) holds a build with its
# tests. An implementation that is not installed gets a row that says so. Intel's runtime for CPUs is in the package
# intel-opencl-rt of the Python index: unpack it and what it requires, write the full name of libintelocl.so into a .icd
# file beside the others', and name the folders by OCL_ICD_VENDORS and LD_LIBRARY_PATH.
#
#   portability.sh --rows NAME [BUILD] >FILE    only the rows of the implementation NAME ("NVIDIA CUDA", "CUDA", "Intel", ...), for
#                                               a page on another machine; the page here stays as it is
#   portability.sh --take FILE                  puts such rows into the page, in the place of those of that name; runs nothing
#
# Exit: 0 nothing failed, 1 something did.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
page=$root/docs/portability.md
only=
take=
case ${1-} in
--rows) only=${2:?portability: --rows wants the name of an implementation} ; shift 2 ;;
--take) take=${2:?portability: --take wants the file of rows} ; shift 2 ;;
-*)
    sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"
    [ "$1" = --help ] && exit
    echo "portability: there is no option $1" >&2
    exit 1
    ;;
esac
build=${1-$root/build}
bin=$build/tests/bin

# Lines of "TABLE <tab> PLATFORM <tab> HOW <tab> ROW": each goes where the page has a row of the same table, platform and how.
take_rows() { # file
    awk -F '\t' -v rows="$1" '
        function named(line, platform, how) { # "| PLATFORM (...)|: not here [; HOW] |"
            sub(/^\| */, "", line)
            sub(/ *\|.*/, "", line)
            if (index(line, platform " (") != 1 && index(line, platform ": not here") != 1) return 0
            sub(/; run elsewhere on [0-9-]*$/, "", line)
            return how == "" ? line !~ /; / : substr(line, length(line) - length(how) - 1) == "; " how
        }
        BEGIN {
            while ((getline line <rows) > 0)
                if (split(line, part, "\t") == 4) { table[++n] = part[1]; platform[n] = part[2]; how[n] = part[3]; row[n] = part[4] }
        }
        /^\| implementation \| dense LU/ { here = "core" }
        /^\| implementation \| mixed/ { here = "trust" }
        {
            for (i = 1; i <= n; i++)
                if (table[i] == here && /^\| / && named($0, platform[i], how[i])) { $0 = row[i]; taken[i] = 1 }
            print
        }
        END {
            for (i = 1; i <= n; i++)
                if (!taken[i]) { print "portability: no row in the page for " platform[i] " " how[i] >"/dev/stderr"; bad = 1 }
            if (n == 0) { print "portability: no rows in " rows >"/dev/stderr"; bad = 1 }
            exit bad
        }' "$page" >"$page.new" && mv "$page.new" "$page" && return
    rm -f "$page.new"
    return 1
}
if [ -n "$take" ]; then
    [ -r "$take" ] || { echo "portability: cannot read $take" >&2; exit 1; }
    take_rows "$take"
    exit
fi
[ -x "$bin/test_lu_accuracy" ] && [ -x "$build/clsolve" ] || {
    echo "portability: no tests in $build, or no clsolve: run scripts/test.sh first" >&2
    exit 1
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# The tests of one program by name: "name passed|skipped|failed" a line, from cmocka's XML.
outcomes() { # program, environment...
    program=$1
    shift
    rm -f "$work"/result*.xml
    env "$@" CMOCKA_MESSAGE_OUTPUT=xml CMOCKA_XML_FILE="$work/result.xml" "$bin/$program" >"$work/log" 2>&1
    [ $? -eq 77 ] && { echo "all absent"; return; }
    [ -s "$work/result.xml" ] || { echo "all failed"; return; }
    awk '/<testcase /  { name = $0; sub(/.*name="/, "", name); sub(/".*/, "", name); said = "passed" }
         /<skipped/    { said = "skipped" }
         /<failure/    { said = "failed" }
         /<\/testcase/ { print name, said }
         /<testcase .*\/>/ { print name, said }' "$work/result.xml"
}

# One cell of the table, from the outcomes of the tests whose name matches the pattern (all that do not with "!").
cell() { # pattern
    case $1 in
    !*) grep -vE "${1#!}" "$work/outcomes" ;;
    *) grep -E "$1" "$work/outcomes" ;;
    esac >"$work/some"
    passed=$(grep -c ' passed$' "$work/some")
    skipped=$(grep -c ' skipped$' "$work/some")
    if grep -q '^all absent$' "$work/outcomes"; then
        echo "not here"
    elif grep -qE ' failed$' "$work/outcomes" && { grep -q '^all failed$' "$work/outcomes" || grep -q ' failed$' "$work/some"; }; then
        echo "**failed**: $(sed -n 's/ failed$//p' "$work/some" | tr '\n' ' ')"
    elif [ "$passed" -eq 0 ] && [ "$skipped" -gt 0 ]; then
        echo "skipped: no fp64"
    elif [ "$skipped" -gt 0 ]; then
        echo "$passed passed, $skipped skipped"
    else
        echo "$passed passed"
    fi
}

# "platform, version, driver" of the first device of a platform, as the library sees it.
describe() { # selector, environment...
    wanted=$1
    shift
    env "$@" "$build/clsolve" devices --verbose 2>/dev/null | awk -v wanted="$wanted" '
        /^(opencl|cuda):/ { if (platform ~ wanted && !done) { print platform " (" version ", driver " driver ")"; done = 1 } }
        /^  platform  /   { platform = $0; sub(/^ *platform */, "", platform) }
        /^  version  /    { version = $0; sub(/^ *version */, "", version); sub(/ HSTR:.*/, "", version) }
        /^  driver  /     { driver = $0; sub(/^ *driver */, "", driver) }
        END               { if (platform ~ wanted && !done) print platform " (" version ", driver " driver ")" }'
}

# The beginning of a row in $line, and its name; false where the platform is not here: the row is then whole.
begin_row() { # cells, how it is shown, platform, environment...
    cells=$1
    how=$2
    platform=$3
    shift 3
    echo "portability: $how" >&2
    name=$(describe "$platform" "$@")
    line="| ${name:-$(plain "$platform"): not here}${how:+; $how} |"
    [ -n "$name" ] && return 0
    while [ "$cells" -gt 0 ]; do
        line="$line not here |"
        cells=$((cells - 1))
    done
    echo "$line"
    return 1
}

core_row() { # how it is shown, platform, environment...
    begin_row 8 "$@" || return
    shift 2
    outcomes test_lu_accuracy "$@" CLSOLVE_TEST_REDUCED=1 >"$work/outcomes"
    line="$line $(cell '^test_f64|^all') | $(cell '^test_f32|^all') |"
    interop="test_lu_interop test_lu_enqueue"
    [ "$platform" = '^CUDA$' ] && interop="cuda_interop cuda_interop_refused"
    for programs in test_gj_contract test_block_tridiag_contract "test_band_contract test_band_accuracy" test_lu_contract "$interop" kernels_small; do
        for program in $programs; do outcomes "$program" "$@" CLSOLVE_TEST_REDUCED=1; done >"$work/outcomes"
        line="$line $(cell .) |"
    done
    echo "$line"
}

# The second table: what is built on the factors. The tests of refinement and mixed precision hold double's answers.
trust_row() { # how it is shown, platform, environment...
    begin_row 3 "$@" || return
    shift 2
    for program in test_lu_mixed test_lu_refine test_lu_out_of_core; do
        outcomes "$program" "$@" CLSOLVE_TEST_REDUCED=1 >"$work/outcomes"
        line="$line $(cell .) |"
    done
    echo "$line"
}

# An implementation that clsolve refuses, by the message that it gives.
refused_row() { # platform, environment...
    platform=$1
    shift
    begin_row 8 "refused" "$platform" "$@" || return
    printf '%s\n' '%%MatrixMarket matrix array real general' '1 1' '1' >"$work/one.mtx"
    said=$(env "$@" "$build/clsolve" solve --device "$platform" "$work/one.mtx" 2>&1 | head -n 1)
    said=$(echo "$said" | grep -o 'clsolve needs OpenCL [0-9.]*') || said='**failed**: not refused'
    echo "$line $said | | | | | | | |"
}

# What a row is called in the tables: "^CUDA$" is a pattern for "CUDA" alone.
plain() { echo "$1" | tr -d '^$'; }

row_of() { # core or trust, and the rest as those have it
    table=$1
    shift
    if [ -n "$only" ]; then
        [ "$(plain "$2")" = "$only" ] || return 0
        printf '%s\t%s\t%s\t' "$table" "$(plain "$2")" "$1"
        shown="$1${1:+; }run elsewhere on $(date -u +%Y-%m-%d)"
        shift
        set -- "$shown" "$@"
    fi
    case $table in
    core) core_row "$@" ;;
    trust) trust_row "$@" ;;
    esac
}

# Every implementation, one row each.
rows() { # core or trust
    row_of "$1" "" "Portable Computing Language" CLSOLVE_TEST_DEVICE="Portable Computing Language"
    row_of "$1" "treated as a GPU: staging, CLBlast, work-groups of many" "Portable Computing Language" \
        CLSOLVE_TEST_DEVICE="Portable Computing Language" CLSOLVE_TREAT_AS_GPU=1
    row_of "$1" "its double hidden" "Portable Computing Language" \
        CLSOLVE_TEST_DEVICE="Portable Computing Language" CLSOLVE_NO_FP64=1
    row_of "$1" "" rusticl RUSTICL_ENABLE=llvmpipe CLSOLVE_TEST_DEVICE=rusticl
    row_of "$1" "treated as a GPU" rusticl RUSTICL_ENABLE=llvmpipe CLSOLVE_TEST_DEVICE=rusticl CLSOLVE_TREAT_AS_GPU=1
    row_of "$1" "" Intel CLSOLVE_TEST_DEVICE=Intel
    row_of "$1" "treated as a GPU" Intel CLSOLVE_TEST_DEVICE=Intel CLSOLVE_TREAT_AS_GPU=1
    row_of "$1" "" "NVIDIA CUDA" CLSOLVE_TEST_DEVICE="NVIDIA CUDA"
    row_of "$1" "clsolve's CUDA backend" '^CUDA$' CLSOLVE_TEST_DEVICE=cuda
}

oclgrind_row() {
    echo "portability: Oclgrind" >&2
    sh "$root/tests/kernels/check_oclgrind.sh" "$bin/kernels_small" >"$work/log" 2>&1
    case $? in
    0) said="$(grep -c '\[       OK' "$work/log") passed, no race and no access out of bounds found" ;;
    77) said="not here" ;;
    *) said="**failed**" ;;
    esac
    version=$(oclgrind --version 2>/dev/null | sed -n 's/^Oclgrind */, /p' | head -n 1)
    echo "| Oclgrind${version}, a simulator; $(uname -m) | not run: too slow | not run | not run | not run | not run | not run | not run | $said |"
}

if [ -n "$only" ]; then
    { rows core; rows trust; } >"$work/rows"
    [ -s "$work/rows" ] || { echo "portability: no implementation is called $only here" >&2; exit 1; }
    if grep -q ': not here' "$work/rows"; then
        echo "portability: $only is not here" >&2
        exit 1
    fi
    cat "$work/rows"
    if grep -q '\*\*failed\*\*' "$work/rows"; then exit 1; fi
    exit 0
fi

{
    cat <<'EOF'
# Portability

What was tested where. This page is written by `scripts/portability.sh`, the tables from the outcomes of the tests; the notes at the end
are the script's own text.

EOF
    commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null) # of the source; it may have changed since the build
    echo "Version $("$build/clsolve" --version 2>/dev/null | sed 's/^clsolve *//' | head -n 1)${commit:+, commit $commit}, $(date -u +%Y-%m-%d)."
    cat <<'EOF'

| implementation | dense LU, double | dense LU, single | Gauss-Jordan's contract | block-tridiagonal systems' contract | banded LU | LU's contract | caller's own OpenCL or CUDA | each kernel by itself |
|---|---|---|---|---|---|---|---|---|
EOF
    rows core
    refused_row Clover LP_CL=1
    oclgrind_row
    cat <<'EOF'

| implementation | mixed precision | refinement | out of core |
|---|---|---|---|
EOF
    rows trust
    cat <<'EOF'

A number counts test functions; each goes through many sizes, layouts and kinds of matrix. "Skipped" is said by the test
itself: it wants double, or is about a CPU's shape of the kernels; "not here": the implementation was not installed where the script ran (Intel's package has its platform under
"Intel(R) OpenCL", NVIDIA's driver under "NVIDIA CUDA", and through clsolve's CUDA backend under "CUDA"). LU is accepted by LAPACK's test ratios. A row
that was run elsewhere is of that day's code, which may have had fewer tests.
Other devices can be put to the same tests: `CLSOLVE_TEST_DEVICE=<selector> ctest --test-dir build -L lu`.

## Notes

**Two GPUs**: two contexts on two NVIDIA H200 of one host, from two threads of one process at once (`cuda_two_devices`): passed,
driver 580.159.04, 2026-11-22.

**The whole suite on an NVIDIA H200**, driver 580.159.04, 2026-11-22: every test through OpenCL and through CUDA, in several runs; what was red was
mended and run again, with two exceptions. Tests of failing calls through OpenCL let one of 25 calls fail, for it takes a second to open a device there; one of them,
`test_band_faults`, did not come to its end in the time there was, and of `test_lu_faults` one function was mended and not run there again.
compute-sanitizer of CUDA 13.0 by `scripts/sanitize_cuda.sh`: no error in its 16 programs by memcheck, no hazard in 14 by
racecheck; `test_gj_contract` and `test_block_tridiag_contract` did not come to their end under it in 200 seconds.

**PoCL 5.0** (Ubuntu 24.04), a CPU: several contexts that run kernels from several threads at once can abort the process, in
`pocl_release_dlhandle_cache` ("Assertion `found->ref_count > 0' failed"): 5 of 5 runs of `test_lu_threads` that had to
compile and none of 7 from warm caches, with the CPU treated as a GPU. That is PoCL's count of who uses a compiled kernel. Locks of ours
around every compilation, kernel and launch did not keep it right. One context, used by several threads, is right:
share one there, or take a PoCL other than 5.
EOF
} >"$work/page"
grep -q '\*\*failed\*\*' "$work/page" && failures=1
cp "$work/page" "$page"
exit "$failures"
