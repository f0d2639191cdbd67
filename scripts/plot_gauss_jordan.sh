#!/bin/sh
# plot_gauss_jordan.sh TABLE FILE.csv FILE.svg: draws a table of clsolve-bench, written with --csv, by gnuplot.
# TABLE: gauss-jordan, inverse or batched.
set -eu
[ $# -eq 3 ] || { echo "usage: plot_gauss_jordan.sh gauss-jordan|inverse|batched FILE.csv FILE.svg" >&2; exit 2; }
command -v gnuplot >/dev/null || { echo "no gnuplot here (on Debian: apt-get install gnuplot-nox)" >&2; exit 1; }
[ -r "$2" ] || { echo "cannot read $2" >&2; exit 1; }

case $1 in
gauss-jordan)
    title="Gauss-Jordan, one right-hand side: elimination, seconds"
    # Every other column: the figures without the copy of the solution.
    what='for [c=2:14:2] data using 1:c with linespoints title columnhead(c)'
    ;;
inverse)
    title="Inverse, host to host, seconds"
    what='for [c=2:4] data using 1:c with linespoints title columnhead(c)'
    ;;
batched)
    title="Batch of inverses, seconds"
    what='for [c=3:5] data using 1:c with linespoints title columnhead(c)'
    ;;
*)
    echo "no plot for '$1'; use gauss-jordan, inverse or batched" >&2
    exit 2
    ;;
esac

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
data = '$2'
plot $what
END
