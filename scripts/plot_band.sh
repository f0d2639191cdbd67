#!/bin/sh
# plot_band.sh TABLE.csv PLOT: what 'clsolve-bench band --csv TABLE.csv' measured, as plots by gnuplot:
#     PLOT_blocks.svg    seconds over the block order, a curve for each mode, half-bandwidth and n
#     PLOT_speedup.svg   LAPACK's gbtrf over the best of clsolve, over n, a curve for each half-bandwidth
#     PLOT_overlap.svg   where a band passed through a window: the share of the copies hidden, over n, likewise
set -eu
if [ $# -ne 2 ]; then echo "usage: $0 TABLE.csv PLOT" >&2; exit 2; fi
command -v gnuplot >/dev/null || { echo "$0: gnuplot is not installed" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/plot-band-XXXXXX")
trap 'rm -rf "$work"' EXIT
# A block of lines, with its title, for each curve.
awk -F, '$1 == "time" && $4 != "narrow" { print $4 ", k = " $3 ", n = " $2 "," $5 "," $6 }' "$1" | sort -t, -k1,3 -k4,4n |
    awk -F, '{ title = $1 "," $2 "," $3; if (title != last) { printf "%s\"%s\"\n", last == "" ? "" : "\n\n", title; last = title }
               print $4, $5 }' >"$work/blocks"
awk -F, '$1 == "time" { key = $3 "," $2; if (!(key in best) || $6 < best[key]) best[key] = $6; lapack[key] = $7 }
         END { for (key in best) print key "," lapack[key] / best[key] }' "$1" | sort -t, -k1,1n -k2,2n |
    awk -F, '{ if ($1 != last) { printf "%s\"k = %s\"\n", last == "" ? "" : "\n\n", $1; last = $1 } print $2, $3 }' >"$work/speedup"

awk -F, '$1 == "window" { print $3 "," $2 "," 100 * $11 }' "$1" | sort -t, -k1,1n -k2,2n |
    awk -F, '{ if ($1 != last) { printf "%s\"k = %s\"\n", last == "" ? "" : "\n\n", $1; last = $1 } print $2, $3 }' >"$work/overlap"

gnuplot <<EOF
set terminal svg size 900,600 background "white"
set key outside right
set grid
set key autotitle columnhead
set logscale xy
set output "$2_blocks.svg"
set xlabel "columns in a block"
set ylabel "seconds, a factorization"
stats "$work/blocks" using 1 nooutput
plot for [i = 0:STATS_blocks - 1] "$work/blocks" index i using 1:2 with linespoints linewidth 2
unset logscale y
set output "$2_speedup.svg"
set xlabel "n"
set ylabel "gbtrf on all cores / best of clsolve"
stats "$work/speedup" using 1 nooutput
plot for [i = 0:STATS_blocks - 1] "$work/speedup" index i using 1:2 with linespoints linewidth 2, 1 title "as fast" dashtype 2
EOF
[ -s "$work/overlap" ] || exit 0
gnuplot <<EOF
set terminal svg size 900,600 background "white"
set key outside right
set grid
set key autotitle columnhead
set logscale x
set output "$2_overlap.svg"
set xlabel "n"
set ylabel "copies hidden under the computation, %"
stats "$work/overlap" using 1 nooutput
set yrange [0:100]
plot for [i = 0:STATS_blocks - 1] "$work/overlap" index i using 1:2 with linespoints linewidth 2
EOF
