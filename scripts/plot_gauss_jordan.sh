#!/bin/sh
# plot_gauss_jordan.sh TABLE FILE.csv FILE.svg: draws a table of clsolve-bench, written with --csv, by gnuplot.
# TABLE: gauss-jordan, inverse or batched. Each device of the table has its curves.
set -eu
[ $# -eq 3 ] || { echo "usage: plot_gauss_jordan.sh gauss-jordan|inverse|batched FILE.csv FILE.svg" >&2; exit 2; }
command -v gnuplot >/dev/null || { echo "no gnuplot here (on Debian: apt-get install gnuplot-nox)" >&2; exit 1; }
case $2 in *[\'\"\\\$\`]*) echo "rename the table, its name has one of ' \" \\ \$ \`: $2" >&2; exit 2 ;; esac
[ -r "$2" ] || { echo "cannot read $2" >&2; exit 1; }

case $1 in
gauss-jordan)
    title="Gauss-Jordan, one right-hand side: elimination, seconds"
    first=2 step=2 # every other column: the figures without the copy of the solution
    ;;
inverse)
    title="Inverse, host to host, seconds"
    first=2 step=1
    ;;
batched)
    title="Batch of inverses, seconds"
    first=3 step=1
    ;;
*)
    echo "no plot for '$1'; use gauss-jordan, inverse or batched" >&2
    exit 2
    ;;
esac

# What runs on the host stands in every device's rows, and is drawn once; what a device has no figure of is left out.
what=$(awk -F, -v table="$2" -v first="$first" -v step="$step" '
    NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; last = NF; next }
            { if (!seen[$last]++) { device[++devices] = $last; ours += $last != "vendor" }; for (i = 1; i < last; i++) if ($i != "") has[$last, i] = 1 }
    END     { for (d = 1; d <= devices; d++)
                  for (i = first; i < last; i += step) {
                      apart = name[i] ~ /^(sequential|getrf_getri|lapack_loop|cusolver)$/
                      if (!has[device[d], i] || (apart && d > 1)) continue
                      title = name[i] (ours > 1 && !apart ? ", " device[d] : "")
                      if (device[d] == "vendor") title = name[i] == "on_device" ? "vendor, on_device" : "vendor"
                      printf "%s\"< awk -F, '"'"'$%d == \\\"%s\\\"'"'"' \\\"%s\\\"\" using 1:%d with linespoints title \"%s\"",
                             (n++ ? ", " : ""), last, device[d], table, i, title } }' "$2")
[ -n "$what" ] || { echo "$2 has no rows of $1" >&2; exit 1; }

gnuplot <<END
set terminal svg size 720,480 background rgb 'white'
set output '$3'
set datafile separator ','
set title '$title'
set logscale xy
set xlabel 'n'
set ylabel 'seconds'
set key left top noenhanced
set grid
plot $what
END
