#!/bin/sh
# check_plots.sh CLSOLVE-BENCH SCRIPTS: what the bench writes now, the scripts draw: every curve of small tables is in its plot, by its
# title, and gnuplot has nothing to say.
set -u
bench=$1
scripts=$2
command -v gnuplot >/dev/null || { echo "SKIPPED: no gnuplot"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/clsolve-test-plots-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() { echo "plots: $*"; exit 1; }
table() { # name, table and options...
    name=$1
    shift
    "$bench" "$@" -r 1 --device "${CLSOLVE_TEST_DEVICE:-Portable}" --csv "$name.csv" >log 2>&1
    code=$?
    [ "$code" -eq 6 ] && { echo "SKIPPED: no device that computes in double"; exit 77; }
    [ "$code" -eq 0 ] || { cat log; fail "no table of $name"; }
}
# Runs a command that is to be silent.
draw() { "$@" >log 2>&1 || { cat log; fail "$*"; }; [ -s log ] && { cat log; fail "$* has something to say"; }; return 0; }
# plot.svg points titles...: the picture is whole, has so many measured points or more, and each of the titles.
shows() {
    plot=$1
    points=$2
    shift 2
    grep -q '</svg>' "$plot" || fail "$plot is no whole picture"
    for title in "$@"; do grep -qF ">$title</" "$plot" || fail "$plot has no '$title'"; done
    # A mark for each point and one for each curve in the legend.
    [ "$(grep -c "<use xlink:href='#gpPt" "$plot")" -ge "$points" ] || fail "$plot has fewer points than $points"
}

table band band -n 400,900 -k 4,40 -b 16,48
draw sh "$scripts/plot_band.sh" band.csv band
shows band_blocks.svg 16 'hybrid k = 4 n = 400' 'native k = 40 n = 900'
shows band_speedup.svg 6 'k = 4' 'k = 40' 'as fast'
table long band -n 3000,4000 -k 100 -b 32 -m 1500000
cat band.csv long.csv >both.csv
draw sh "$scripts/plot_band.sh" both.csv both
shows both_overlap.svg 3 'k = 100'
head -n 1 band.csv >empty.csv
sh "$scripts/plot_band.sh" empty.csv empty >/dev/null 2>&1 && fail "a table without rows is drawn"

table lu lu -n 32,64
draw sh "$scripts/plot_lu.sh" lu.csv lu.svg
shows lu.svg 20 native hybrid dgesv 'study cpu plain'
table gj gauss-jordan -n 50,100
draw sh "$scripts/plot_gauss_jordan.sh" gauss-jordan gj.csv gj.svg
shows gj.svg 21 sequential model-1 blocked
table inverse inverse -n 32,64
draw sh "$scripts/plot_gauss_jordan.sh" inverse inverse.csv inverse.svg
shows inverse.svg 9 clsolve getrf_getri
table batched batched -n 4,8 --members 100
draw sh "$scripts/plot_gauss_jordan.sh" batched batched.csv batched.svg
shows batched.svg 9 clsolve lapack_loop
table bgs block-gs -n 32,64
draw gnuplot -e "csv='bgs.csv'; out='bgs'" "$scripts/plot_block_gs.gp"
shows bgs_iteration.svg 6 clsolve
shows bgs_methods.svg 12 multigrid 'cg + zebra' 'red-black block Gauss-Seidel'
table peers peers --family lu,band -n 32,64
draw sh "$scripts/plot_peers.sh" peers.csv peers.svg lu band
device=$(awk -F, 'NR == 2 { print $4 }' peers.csv)
shows peers.svg 6 "lu, $device" "band, $device"

# Of two devices each has its curves, what runs on the host one; or one of them is drawn.
for name in lu gj inverse batched band bgs; do
    awk -F, -v OFS=, '/,device$/ { print; next } $NF == "vendor" { next } { print; $NF = "cuda:9"; print }' "$name.csv" >"two_$name.csv"
done
first=$(awk -F, 'NR == 2 { print $NF }' lu.csv)
draw sh "$scripts/plot_lu.sh" two_lu.csv two_lu.svg
shows two_lu.svg 28 "native, $first" 'native, cuda:9' 'study cpu plain'
[ "$(grep -c '>dgesv<' two_lu.svg)" -eq "$(grep -c '>dgesv<' lu.svg)" ] || fail "dgesv is drawn for each device"
draw sh "$scripts/plot_gauss_jordan.sh" gauss-jordan two_gj.csv two_gj.svg
shows two_gj.svg 36 "blocked, $first" 'blocked, cuda:9'
[ "$(grep -c '>sequential<' two_gj.svg)" -eq "$(grep -c '>sequential<' gj.svg)" ] || fail "the sequential program is drawn for each device"
draw sh "$scripts/plot_gauss_jordan.sh" inverse two_inverse.csv two_inverse.svg
shows two_inverse.svg 15 "clsolve, $first" 'clsolve, cuda:9' getrf_getri
sed 's/,cuda:9$/,vendor/' two_inverse.csv >with_vendor.csv
draw sh "$scripts/plot_gauss_jordan.sh" inverse with_vendor.csv with_vendor.svg
shows with_vendor.svg 15 clsolve getrf_getri vendor 'vendor, on_device'
draw sh "$scripts/plot_gauss_jordan.sh" batched two_batched.csv two_batched.svg
shows two_batched.svg 15 "clsolve, $first" 'clsolve, cuda:9' lapack_loop
draw sh "$scripts/plot_band.sh" two_band.csv two_band cuda:9
cmp -s band_blocks.svg two_band_blocks.svg || fail "a device's band is not drawn as it is alone"
draw gnuplot -e "csv='two_bgs.csv'; out='two_bgs'; device='cuda:9'" "$scripts/plot_block_gs.gp"
cmp -s bgs_methods.svg two_bgs_methods.svg || fail "a device's methods are not drawn as they are alone"
mkdir "a folder" && cp lu.csv inverse.csv peers.csv "a folder"
draw sh "$scripts/plot_lu.sh" "a folder/lu.csv" "a folder/lu.svg"
draw sh "$scripts/plot_gauss_jordan.sh" inverse "a folder/inverse.csv" "a folder/inverse.svg"
draw sh "$scripts/plot_peers.sh" "a folder/peers.csv" "a folder/peers.svg" lu
cmp -s lu.svg "a folder/lu.svg" || fail "a folder's name with a space changes the plot"
sh "$scripts/plot_peers.sh" peers.csv peers.svg lies >/dev/null 2>&1 && fail "a family without rows is drawn"
exit 0
