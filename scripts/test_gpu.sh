#!/bin/sh
# test_gpu.sh [OPTION...] [DEVICE...]: the tests on the GPUs that are here, one ctest for each DEVICE, all concurrently.
#
#   --build BUILD    folder of the tests (default: build/), for CUDA configured with -DCLSOLVE_CUDA=AUTO. It may have been built
#                    on another machine: then it lies at the same path here, and no compiler is needed
#   --out FOLDER     folder of the results (default: BUILD/gpu)
#   --part K/N       runs the K-th of N parts of the list, which take about as long as each other
#   --again          also runs tests that have passed with this build
#   --full           all sizes, as many connections to the GPU as the driver makes by itself, a device opened as often as a
#                    program asks for it, and each script on every DEVICE
#   --limit SECONDS  time of one test, after which it has failed (default: 300)
#   --jobs N         so many tests at once for each DEVICE (default: five for four cores, dealt out over the DEVICEs)
#   --list           prints the list of tests, or of the part, and runs none
#
# DEVICE is a selector (include/clsolve/context.h). Default: an NVIDIA GPU through OpenCL ("NVIDIA CUDA") and through CUDA ("cuda:0"),
# else "gpu". With several NVIDIA GPUs each DEVICE gets one of its own.
#
# A call goes on where the calls before ended or were cut off: tests that have passed or were skipped are not run again, whichever
# part they were of. Only tests that ran at that moment are lost. Another build, driver or device begins anew.
#
# Left out are tests that say nothing of a GPU: the labels as_gpu and pinned (docs/contributing.md). Tests that failed last
# time, or did not run, come first; then the longest.
#
# NVIDIA's driver opens devices one after the other, for all programs of a machine together. Without --full:
#   - each program takes the sizes of CLSOLVE_TEST_REDUCED, about every third;
#   - a test program keeps the driver's context of a device until its end (CLSOLVE_TEST_KEEP);
#   - the scripts that start a process for each check (the command, Python, benchmarks, LAPACK's names, examples) are dealt
#     out over the DEVICEs, because programs test the same calls on every DEVICE;
#   - the tests of failing calls let about one of each list fail; CLSOLVE_TEST_FAULT_MOST says another number;
#   - programs make two connections to the GPU instead of eight, because an H200 then opens in 0.1 s instead of 0.22 s;
#     CUDA_DEVICE_MAX_CONNECTIONS says another number.
#
# In FOLDER/NUMBER, for each DEVICE: log (of ctest), results (test, outcome, seconds), ran (records and a table of what was in effect).
# The table at the end is of the whole list. Exit: 0 none failed and, without --part, none is left; 1 some failed or are left; 2 wrong
# usage, or no tests built; 77 no GPU here.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
. "$root/scripts/packages.sh"
build=$root/build
out=
jobs=
part=1
parts=1
again=
list_only=
full=
limit=300
usage() { echo "test_gpu: $*; see --help" >&2; exit 2; }
is_number() { case $1 in '' | 0* | *[!0-9]*) return 1 ;; esac; }
while [ $# -gt 0 ]; do
    case $1 in
    --build | --out | --part | --limit | --jobs) [ $# -gt 1 ] || usage "$1 wants a value" ;;
    esac
    case $1 in
    --build) build=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --part) part=${2%%/*} parts=${2#"$part"}; parts=${parts#/}; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --jobs) jobs=$2; is_number "$jobs" || usage "no number of jobs: $jobs"; shift 2 ;;
    --again) again=1; shift ;;
    --full) full=1; shift ;;
    --list) list_only=1; shift ;;
    --help) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
    -*) usage "there is no option $1" ;;
    *) break ;;
    esac
done
is_number "$limit" || usage "no number of seconds: $limit"
is_number "$part" && is_number "$parts" && [ "$part" -le "$parts" ] || usage "--part wants K/N, as in 2/5"
[ -x "$build/clsolve" ] && [ -f "$build/CTestTestfile.cmake" ] || usage "no tests in $build: run scripts/test.sh first"
build=$(CDPATH='' cd -- "$build" && pwd)
[ -n "$out" ] || out=$build/gpu
mkdir -p "$out" || usage "no folder $out"
out=$(CDPATH='' cd -- "$out" && pwd)

there() { "$build/clsolve" devices 2>/dev/null | grep -q "$1"; }
if [ $# -eq 0 ]; then
    there ' opencl:[0-9]*.*NVIDIA' && set -- "$@" "NVIDIA CUDA"
    there ' cuda:0' && set -- "$@" cuda:0
    [ $# -gt 0 ] || { there GPU && set -- gpu; }
    [ $# -gt 0 ] || { echo "skipped: no GPU here"; exit 77; }
fi
devices=$#
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0
cores=$(packages_cores)
[ -n "$jobs" ] || jobs=$((5 * cores / 4 / $# + 1))

# The references use one thread each. Programs wait for the driver and the GPU for half of their time, so more of them run
# than there are cores.
export OPENBLAS_NUM_THREADS=1 CLSOLVE_TEST_FAULT_MOST="${CLSOLVE_TEST_FAULT_MOST-1}"
[ -n "$full" ] || export CLSOLVE_TEST_REDUCED=1 CLSOLVE_TEST_KEEP=1 CUDA_DEVICE_MAX_CONNECTIONS="${CUDA_DEVICE_MAX_CONNECTIONS-2}"

without='^(as_gpu|pinned)$'
without_names='^(ran_begin|ran_table)$'
dealt_names='^(tool|bench|petsc|fortran|example|lapack|python)_'
! ldd "$build/petsc/petsc_factor" 2>/dev/null | grep -q 'not found' || without_names="$without_names|^petsc_" # built elsewhere
! ldd "$build/tests/fortran/fortran_module" 2>/dev/null | grep -q 'not found' || without_names="$without_names|^fortran_" # no libgfortran

# What results depend on: programs and scripts, the driver, the GPU.
stamp() {
    {
        find "$build/clsolve" "$build/src" "$build/tests" \( -type f -perm -u+x -o -name '*.so*' \) ! -path '*/pocl-cache/*' -print0 |
            sort -z | xargs -0 -P "$cores" -n 16 md5sum | sort
        find "$root/tests" -name '*.sh' -print0 | sort -z | xargs -0 md5sum
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
        echo "$full ${CUDA_DEVICE_MAX_CONNECTIONS-}"
    } | md5sum | cut -d ' ' -f 1
}

# results of a log of ctest: test, outcome, seconds; of the list's tests alone.
harvest() { # list, log
    [ -f "$2" ] || return 0
    awk -v list="$1" '
        BEGIN { while ((getline name <list) > 0) known[name] = 1 }
        match($0, /^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: /) && / sec *$/ {
            rest = substr($0, RSTART + RLENGTH)
            name = rest
            sub(/ .*/, "", name)
            if (!(name in known)) next
            outcome = rest ~ /\*\*\*Skipped/ ? "skipped" : rest ~ /\*\*\*/ ? "failed" : "passed"
            print name, outcome, $(NF - 1)
        }' "$2"
}

# The list's tests that this DEVICE runs: of the scripts every so many.
deal() { # number, how many
    awk -v at="$1" -v of="$2" -v names="$dealt_names" '!($0 ~ names) || ++k % of == at % of'
}

# Seconds that each test of the list is expected to take. A script, unless it is known, opens a device again and again.
costs() { # list, costs
    awk -v costs="$2" '
        BEGIN { while ((getline line <costs) > 0) { split(line, f, " "); cost[f[1]] = f[2] } }
        { printf "%s %.2f\n", $1, $1 in cost ? cost[$1] : /^(tool|bench|lapack|python)_/ ? 30 : /faults|_batch/ ? 20 : 2 }' "$1"
}

# Which tests are of the part: the longest first, each to the part that has least to do so far.
choose() { # list, costs
    costs "$1" "$2" |
        LC_ALL=C sort -k 2,2nr -k 1,1 | awk -v part="$part" -v parts="$parts" '
        {
            least = 1
            for (p = 2; p <= parts; p++) if (sum[p] + 0 < sum[least] + 0) least = p
            sum[least] += $2 + 0.1
            if (least == part) print $1
        }'
}

# The folder of a device: the list, its costs, and what has been found with this build, from calls that were cut off too.
prepare() { # number, device
    folder=$out/$1
    mkdir -p "$folder"
    rm -rf "$folder/ctest"
    mkdir "$folder/ctest"
    (cd "$build" && find . -name CTestTestfile.cmake ! -path './gpu/*' -exec cp --parents {} "$folder/ctest" \;)
    find "$folder/ctest" -name CTestTestfile.cmake -exec sed -i -e "s/ TIMEOUT \"[0-9]*\"/ TIMEOUT \"$limit\"/" \
        -e '/^set_tests_properties(\[=\[[^]]*_own/!s/;CLSOLVE_BLAS=own//' {} +
    ctest --test-dir "$folder/ctest" -N -LE "$without" 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p' |
        grep -Ev "$without_names" | if [ -n "$full" ]; then cat; else deal "$1" "$devices"; fi >"$folder/list"
    touch "$folder/results"
    harvest "$folder/list" "$folder/log" >>"$folder/results"
    rm -f "$folder/log"
    if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp $2" ]; then
        # Parts of this build are all cut by the same costs: of the build before, or of the tests on other devices.
        {
            sed -n '/^---/q;p' "$build/Testing/Temporary/CTestCostData.txt" 2>/dev/null | awk '$2 > 0 { print $1, $3 }'
            awk '{ print $1, $3 }' "$folder/results"
        } >"$folder/costs"
        # A build that replaces one whose tests did not all pass: those come first.
        [ ! -s "$folder/results" ] || awk -v results="$folder/results" '
            BEGIN { while ((getline line <results) > 0) { split(line, f, " "); done[f[1]] = f[2] != "failed" } }
            !done[$1]' "$folder/list" >"$folder/first"
        : >"$folder/results"
        echo "$stamp $2" >"$folder/stamp"
    fi
    choose "$folder/list" "$folder/costs" >"$folder/part"
    awk -v results="$folder/results" -v again="$again" '
        BEGIN { while ((getline line <results) > 0) { split(line, f, " "); done[f[1]] = f[2] != "failed" } }
        again || !done[$1]' "$folder/part" >"$folder/todo"
    mkdir -p "$folder/ctest/Testing/Temporary"
    touch "$folder/first"
    {
        costs "$folder/list" "$folder/costs" | awk -v first="$folder/first" '
            BEGIN { while ((getline line <first) > 0) early[line] = 10000 }
            { print $1, 1, $2 + early[$1] }'
        echo '---'
    } >"$folder/ctest/Testing/Temporary/CTestCostData.txt"
}

# One ctest in a folder of its own: CTest keeps its log in the folder it runs in, and two in one would mix theirs. It writes a line as each
# test ends.
run() { # number, device
    folder=$out/$1
    [ -s "$folder/todo" ] || return 0
    [ "$gpus" -gt 1 ] && export CUDA_VISIBLE_DEVICES=$((($1 - 1) % gpus))
    export CLSOLVE_TEST_DEVICE="$2" CLSOLVE_TEST_RECORDS="$folder/ran"
    exec ctest --test-dir "$folder/ctest" --parallel "$jobs" -R "^($(tr '\n' '|' <"$folder/todo" | sed 's/|$//'))\$" \
        --output-on-failure >"$folder/log" 2>&1
}

# The table of a device, for the whole list; its last result counts. Status 1: some have failed; 3: some are left.
table() { # number, device
    folder=$out/$1
    { cat "$folder/results"; harvest "$folder/list" "$folder/log"; } >"$folder/all"
    awk -v device="$2" -v all="$folder/all" '
        BEGIN { while ((getline line <all) > 0) { split(line, f, " "); outcome[f[1]] = f[2]; seconds[f[1]] = f[3] } }
        { names[++count] = $1; if ($1 in outcome) { n[outcome[$1]]++; time += seconds[$1] } }
        END {
            printf "== %s: %d tests: %d passed, %d failed, %d skipped, %d not run yet; %.0f s ==\n", device, count, n["passed"],
                n["failed"], n["skipped"], count - n["passed"] - n["failed"] - n["skipped"], time
            for (k = 1; k <= count; k++) if (outcome[names[k]] == "failed") printf "failed  %8.2f s  %s\n", seconds[names[k]], names[k]
            exit n["failed"] ? 1 : count > n["passed"] + n["skipped"] ? 3 : 0
        }' "$folder/list"
    code=$?
    awk '{ seconds[$1] = $3 } END { for (name in seconds) print seconds[name], name }' "$folder/all" | sort -rn | head -n 20 |
        awk '{ printf "slow    %8.2f s  %s\n", $1, $2 }'
    return "$code"
}

end() {
    status=0
    number=0
    for device in "$@"; do
        number=$((number + 1))
        table "$number" "$device"
        case $? in
        0) ;;
        3) left=1 ;;
        *) status=1 ;;
        esac
    done
}

stamp=$(stamp)
number=0
for device in "$@"; do
    number=$((number + 1))
    prepare "$number" "$device"
    if [ -n "$list_only" ]; then
        echo "== $device =="
        cat "$out/$number/part"
    fi
done
[ -z "$list_only" ] || exit 0

children=
left=
# The processes below those given. A ctest that ends by a signal leaves its tests running, so they are ended by name.
below() { # processes
    ps -A -o pid= -o ppid= | awk -v of="$*" '
        BEGIN { count = split(of, p, " "); for (k = 1; k <= count; k++) ours[p[k]] = 1 }
        { pid[NR] = $1; parent[NR] = $2 }
        END {
            do for (k = more = 0; ++k <= NR;) if (parent[k] in ours && !(pid[k] in ours)) { ours[pid[k]] = more = 1; print pid[k] }
            while (more)
        }'
}
cut_off() {
    trap '' HUP INT TERM
    if [ -n "$children" ]; then
        kill -STOP $children 2>/dev/null # so that no further test begins
        kill -TERM $(below $children) $children 2>/dev/null
        kill -CONT $children 2>/dev/null
        wait
    fi
    end "$@"
    echo "cut off: the next call goes on"
    exit 1
}
trap 'cut_off "$@"' HUP INT TERM
number=0
for device in "$@"; do
    number=$((number + 1))
    run "$number" "$device" &
    children="$children $!"
done
wait
children=
end "$@"
if [ "$gpus" -gt 1 ] && [ "$part" -eq 1 ]; then # the one test that wants to see two
    echo "== two GPUs =="
    CLSOLVE_TEST_DEVICE=cuda:0 ctest --test-dir "$build" -R '^cuda_two_devices$' --output-on-failure >"$out/log" || status=1
    sed -n '/% tests passed/,$p' "$out/log"
fi
[ "$parts" -gt 1 ] || [ -z "$left" ] || status=1
exit $status
