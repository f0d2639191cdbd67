#!/bin/sh
# plot_peers.sh PEERS.csv PLOT.svg FAMILY [FAMILY...]: what 'clsolve-bench peers --csv PEERS.csv' measured of these families, as a plot by
# gnuplot: seconds on the device over n, both logarithmic, a curve for each family and candidate; NVIDIA's libraries dashed.
set -eu
if [ $# -lt 3 ]; then echo "usage: $0 PEERS.csv PLOT.svg FAMILY [FAMILY...]" >&2; exit 2; fi
[ -r "$1" ] || { echo "$0: cannot read $1" >&2; exit 1; }
case $1 in *[\'\"\\\$\`]*) echo "$0: rename the table, its name has one of ' \" \\ \$ \`: $1" >&2; exit 2 ;; esac
command -v gnuplot >/dev/null || { echo "$0: gnuplot is not installed" >&2; exit 1; }
table=$1 plot=$2
shift 2

curves=
for family; do
    more=$(awk -F, -v family="$family" -v table="$table" '
        $1 == family && !seen[$4]++ { name[++n] = $4 }
        END { for (i = 1; i <= n; i++)
                  printf "%s\"< awk -F, '"'"'$1 == \\\"%s\\\" && $4 == \\\"%s\\\"'"'"' \\\"%s\\\"\" using 2:5 with linespoints linewidth 2 dashtype %d title \"%s, %s\"",
                         (i > 1 ? ", " : ""), family, name[i], table, name[i] ~ /^(opencl|cuda):/ ? 1 : 2, family, name[i] }' "$table")
    [ -n "$more" ] || { echo "$0: no rows of $family in $table" >&2; exit 1; }
    curves="$curves${curves:+, }$more"
done
gnuplot <<EOF
set terminal svg size 900,600 background "white"
set output "$plot"
set datafile separator ","
set logscale xy 10
set format y "10^{%T}"
set xtics (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
set autoscale xfix
set grid
set key outside bottom center
set xlabel "n"
set ylabel "seconds on the device"
plot $curves
EOF
