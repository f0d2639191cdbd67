#!/bin/sh
# plot_lu.sh TABLE.csv PLOT.svg: what 'clsolve-bench lu --csv TABLE.csv' measured, as a plot by gnuplot: seconds over n, both
# logarithmic, the study's own figures dashed; a curve for each device.
set -eu
if [ $# -ne 2 ]; then echo "usage: $0 TABLE.csv PLOT.svg" >&2; exit 2; fi
[ -r "$1" ] || { echo "$0: cannot read $1" >&2; exit 1; }
case $1 in *[\'\"\\\$\`]*) echo "$0: rename the table, its name has one of ' \" \\ \$ \`: $1" >&2; exit 2 ;; esac
command -v gnuplot >/dev/null || { echo "$0: gnuplot is not installed" >&2; exit 1; }

# A column that holds no number (a candidate that this version has not) would stop gnuplot: it is left out. Of several devices
# each has its curves; what did not run on them is in the first one's rows.
curves=$(awk -F, -v table="$1" '
    NR == 1 { for (i = 2; i < NF; i++) name[i] = $i; last = NF; next }
            { if (!seen[$last]++) device[++devices] = $last; for (i = 2; i < last; i++) if ($i != "") has[$last, i] = 1 }
    END     { for (d = 1; d <= devices; d++)
                  for (i = 2; i < last; i++) {
                      apart = name[i] ~ /^(study|dgesv|cusolver)/
                      if (!has[device[d], i] || (apart && d > 1)) continue
                      title = name[i]
                      gsub(/_/, " ", title)
                      if (devices > 1 && !apart) title = title ", " device[d]
                      printf "%s\"< awk -F, '"'"'$%d == \\\"%s\\\"'"'"' \\\"%s\\\"\" using 1:%d title \"%s\" with linespoints linewidth 2 dashtype %d",
                             (n++ ? ", " : ""), last, device[d], table, i, title, name[i] ~ /^study/ ? 2 : 1 } }' "$1")
[ -n "$curves" ] || { echo "$0: no rows in $1" >&2; exit 1; }
gnuplot <<EOF
set terminal svg size 900,600 background "white"
set output "$2"
set datafile separator ","
set logscale xy 10
set format y "10^{%T}"
set xtics (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
set grid
set key outside right
set xlabel "n"
set ylabel "seconds, factor and solve"
plot $curves
EOF
