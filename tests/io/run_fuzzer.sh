#!/bin/sh
# run_fuzzer.sh <program> <folder of this script> <seconds>: fuzzes from the corpus here with a printed seed. New inputs
# go to a folder beside the program; one that fails stays there as crash-*.
program=$1
here=$2
seconds=$3
if [ ! -x "$program" ]; then
    echo "skipped: no clang with libFuzzer was there when this was built"
    exit 77
fi
seed=${CLSOLVE_TEST_SEED:-1}
[ "$seed" != clock ] || seed=$(date +%s)
found=$program.found
echo "CLSOLVE_TEST_SEED=$seed"
rm -rf "$found"
mkdir -p "$found" || exit 1
exec "$program" -seed="$seed" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict="$here/matrix_market.dict" -artifact_prefix="$found/" -verbosity=0 "$found" "$here/corpus"
