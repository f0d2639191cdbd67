#!/bin/sh
# rounding.sh [options] [PROGRAM...]: runs the test programs that draw random numbers with many seeds, under settings
# that round differently. A test that is red under one of them asks for something that rounding decides, or has found a
# fault. Without PROGRAM: every program of a room with random numbers, those that let calls fail excepted.
#
#   --seeds 1-20        the seeds, a range or one number (default: 1-5)
#   --settings "A B"    only these of the settings below (default: all of them that are possible here)
#   --build FOLDER      holds a build with its tests (default: build/)
#   --jobs N            that many runs at once (default: the cores)
#   --logs FOLDER       where caches and what failed runs printed go (default: rounding/ in the build)
#   --timeout SECONDS   a longer run has failed (default: 1800)
#
# | setting   | sets                           | what rounds differently                                       |
# |-----------|--------------------------------|---------------------------------------------------------------|
# | plain     | nothing                        |                                                               |
# | avx       | POCL_KERNELLIB_NAME=avx        | kernels: PoCL's compiler has no fused multiply-add            |
# | sse2      | POCL_KERNELLIB_NAME=sse2       | kernels: the same, with vectors of two doubles                |
# | avx2      | POCL_KERNELLIB_NAME=avx2       | kernels: fused multiply-add                                   |
# | Prescott, Nehalem, Haswell, Zen, SkylakeX | OPENBLAS_CORETYPE | products on the host: order of sums, fused or not |
# | threads-1, threads-2 | OPENBLAS_NUM_THREADS | products on the host: how work is divided                   |
#
# avx2 and SkylakeX want a processor that has them; the others any of this architecture. The caller's own environment
# holds too: CLSOLVE_PRETEND=gpu scripts/rounding.sh ... A program that prints no seed runs once. Start it with nice where
# others work.
# Prints a line for each program and setting: how many seeds passed, and which failed.
# Exit: 0 nothing failed, 1 something did, 2 wrong usage.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$root/build
seeds=1-5
settings=
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
logs=
limit=1800

usage() { echo "rounding: $*; see --help" >&2; exit 2; }

cpu_has() { grep -q -w "$1" /proc/cpuinfo 2>/dev/null; }

# The assignments of a setting, for env.
setting_of() { # setting
    case $1 in
    plain) echo ;;
    avx | sse2 | avx2) echo "POCL_KERNELLIB_NAME=$1 XDG_CACHE_HOME=$logs/cache-$1 POCL_CACHE_DIR=$logs/cache-$1/pocl" ;;
    Prescott | Nehalem | Haswell | Zen | SkylakeX) echo "OPENBLAS_CORETYPE=$1" ;;
    threads-[12]) echo "OPENBLAS_NUM_THREADS=${1#threads-}" ;;
    *) return 1 ;;
    esac
}

# One run, for xargs: its log stays where it fails. Names of logs hold the seed.
if [ "${1-}" = --one ]; then # program-file log seconds seed
    CLSOLVE_TEST_SEED=$5 timeout "$4" "$2" >"$3.$5" 2>&1
    code=$?
    echo "$code" >"$3.$5.code"
    exit 0
fi

while [ $# -gt 0 ]; do
    case $1 in
    --help) sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/!p;}' "$0"; exit 0 ;;
    --seeds | --settings | --build | --jobs | --logs | --timeout)
        [ $# -ge 2 ] || usage "$1 wants a value"
        case $1 in
        --seeds) seeds=$2 ;;
        --settings) settings=$2 ;;
        --build) build=$2 ;;
        --jobs) jobs=$2 ;;
        --logs) logs=$2 ;;
        --timeout) limit=$2 ;;
        esac
        shift 2 ;;
    -*) usage "there is no option $1" ;;
    *) break ;;
    esac
done
bin=$build/tests/bin
[ -d "$bin" ] || usage "no tests in $build"
logs=${logs:-$build/rounding}
case $seeds in
*[!0-9-]* | -* | *- | *-*-* | '' | 0?* | *-0?*) usage "no range of seeds: $seeds" ;;
esac
for number in "$jobs" "$limit"; do
    case $number in
    *[!0-9]* | 0* | '') usage "no number: $number" ;;
    esac
done
first=${seeds%%-*}
last=${seeds##*-}
[ "$first" -le "$last" ] || usage "no range of seeds: $seeds"
if [ -z "$settings" ]; then
    settings="plain avx sse2"
    cpu_has fma && settings="$settings avx2 Haswell Zen"
    cpu_has avx512f && settings="$settings SkylakeX"
    settings="$settings Nehalem Prescott threads-1 threads-2"
fi
for setting in $settings; do
    setting_of "$setting" >/dev/null || usage "there is no setting $setting"
done
if [ $# -eq 0 ]; then
    for file in "$bin"/test_band_* "$bin"/test_block_gs* "$bin"/test_gj_* "$bin"/test_lu_* "$bin"/test_refine \
        "$bin"/test_schedule_launches "$bin"/kernels_* "$bin"/blas_products "$bin"/blas_threads "$bin"/blas_tiled; do
        case $file in *faults*) continue ;; esac
        [ -x "$file" ] && set -- "$@" "$(basename "$file")"
    done
fi
for program in "$@"; do
    case $program in */*) usage "a program's name, without its folder: $program" ;; esac
    [ -x "$bin/$program" ] || usage "no program $bin/$program"
done
[ $# -gt 0 ] && [ -n "$(echo $settings)" ] || usage "no programs in $bin, or no settings"
case $logs in *[[:space:]]*) usage "the folder of the logs may have no spaces in its name: $logs" ;; esac
mkdir -p "$logs" || exit 1

# Counts the runs of one program under one setting, forgets the logs of good ones, prints the line.
report() { # program setting log
    passed=0 skipped=0 failed=
    for code in "$3".*.code; do
        seed=${code%.code}
        case $(cat "$code") in
        0) passed=$((passed + 1)); rm -f "$seed" ;;
        77) skipped=$((skipped + 1)); rm -f "$seed" ;;
        *) failed="$failed ${seed##*.}" ;;
        esac
        rm -f "$code"
    done
    line="$1 $2: $passed passed"
    [ $skipped -eq 0 ] || line="$line, $skipped skipped"
    if [ -n "$failed" ]; then
        # shellcheck disable=SC2086 # a list of numbers
        line="$line, failed with seed$(printf '%s\n' $failed | sort -n | tr '\n' ' ' | sed 's/^/ /;s/ $//') ($3.SEED)"
        status=1
    fi
    echo "$line"
}

status=0
for setting in $settings; do
    assignments=$(setting_of "$setting")
    for program in "$@"; do
        log=$logs/$program.$setting
        rm -f "$log".*
        # The first run fills the caches for the others, and tells whether there is a seed at all.
        # shellcheck disable=SC2086 # assignments without spaces
        env $assignments sh "$0" --one "$bin/$program" "$log" "$limit" "$first"
        if grep -q '^CLSOLVE_TEST_SEED=' "$log.$first" && [ "$first" -lt "$last" ]; then
            # shellcheck disable=SC2086
            awk -v a=$((first + 1)) -v b="$last" 'BEGIN { for (s = a; s <= b; s++) print s }' |
                env $assignments xargs -n 1 -P "$jobs" sh "$0" --one "$bin/$program" "$log" "$limit"
        fi
        report "$program" "$setting" "$log"
    done
done
exit $status
