#!/bin/sh
# plot_band.sh TABLE.csv PLOT [DEVICE]: what 'clsolve-bench band --csv TABLE.csv' measured, as plots by gnuplot:
#     PLOT_blocks.svg    seconds over the block order, a curve for each mode, half-bandwidth and n
#     PLOT_speedup.svg   LAPACK's gbtrf over the best of clsolve, over n, a curve for each half-bandwidth
#     PLOT_overlap.svg   where a band passed through a window: the share of the copies hidden, over n, likewise
# of DEVICE, as the table names it, or of the first one in the table.
# Tables of several runs may stand in one file, one behind the other; of what was measured twice the lesser time counts.
set -eu
if [ $# -lt 2 ] || [ $# -gt 3 ]; then echo "usage: $0 TABLE.csv PLOT [DEVICE]" >&2; exit 2; fi
command -v gnuplot >/dev/null || { echo "$0: gnuplot is not installed" >&2; exit 1; }
[ -r "$1" ] || { echo "$0: cannot read $1" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/plot-band-XXXXXX")
trap 'rm -rf "$work"' EXIT

# rows ROW KEYS VALUE: of the rows of that kind a line "keys,value" for each combination of the named columns, its least value.
rows() {
    awk -F, -v row="$1" -v keys="$2" -v value="$3" -v device="$device" '
        $1 == "row" { for (i = 1; i <= NF; i++) at[$i] = i; count = split(keys, key, " "); next }
        $1 == row && $NF == device { line = ""; for (i = 1; i <= count; i++) line = line $at[key[i]] ","
                    number = $at[value]; if (!(line in least) || number < least[line]) least[line] = number }
        END { for (line in least) print line least[line] }' "$table"
}
# A block of lines "x y" with its title for each curve, from lines "title,x,y".
curves() {
    awk -F, '$1 != last { printf "%s\"%s\"\n", last == "" ? "" : "\n\n", $1; last = $1 } { print $2, $3 }'
}
table=$1
device=${3:-$(awk -F, '$1 != "row" { print $NF; exit }' "$table")}

# Of each k and n the hybrid curve and then the native one.
rows time "k n mode nb" seconds | awk -F, '$3 != "narrow"' | sort -t, -k1,1n -k2,2n -k3,3 -k4,4n |
    awk -F, '{ print $3 " k = " $1 " n = " $2 "," $4 "," $5 }' | curves >"$work/blocks"
rows time "k n" seconds >"$work/best"
rows time "k n" gbtrf_or_kept | sort -t, -k1,1n -k2,2n |
    awk -F, 'NR == FNR { best[$1 "," $2] = $3; next } { print "k = " $1 "," $2 "," $3 / best[$1 "," $2] }' "$work/best" - |
    curves >"$work/speedup"
rows window "k n" hidden | sort -t, -k1,1n -k2,2n | awk -F, '{ print "k = " $1 "," $2 "," 100 * $3 }' | curves >"$work/overlap"

[ -s "$work/blocks" ] || { echo "$0: $1 has no rows of blocks" >&2; exit 1; }

# plot FILE NAME MORE...: the curves of FILE over a logarithmic x, whose marks are the values that were measured.
plot() {
    ticks=$(awk 'NF == 2 && $1 ~ /^[0-9]/ { print $1 }' "$work/$1" | sort -nu | paste -sd, -)
    least=${ticks%%,*} most=${ticks##*,}
    gnuplot <<END
stats "$work/$1" using 1 nooutput
set terminal svg size 900,600 background "white"
set output "$plots"
set key outside right
set grid
set key autotitle columnhead
set logscale x
set xrange [$least / 1.25 : $most * 1.25]
set xtics ($ticks)
set tmargin 2
$3
plot for [i = 0:STATS_blocks - 1] "$work/$1" index i using 1:2 with linespoints linewidth 2 pointsize 1.5 $2
END
}
plots=$2_blocks.svg
plot blocks "linecolor i / 2 + 1 pointtype i / 2 + 1 dashtype 2 - i % 2" \
    "set xtics rotate by -60; set logscale y; set ytics (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, .1, .2, .5, 1, 2, 5, 10, 20, 50); set xlabel \"columns in a block\"; set ylabel \"seconds, a factorization\""
plots=$2_speedup.svg
plot speedup ", 1 with lines title \"as fast\" dashtype 2" \
    "set yrange [0:*]; set xlabel \"n\"; set ylabel \"gbtrf on all cores / best of clsolve\""
plots=$2_overlap.svg
[ -s "$work/overlap" ] || exit 0
plot overlap "" "set yrange [0:100]; set xlabel \"n\"; set ylabel \"copies hidden under the computation, %\""
