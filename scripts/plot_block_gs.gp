# plot_block_gs.gp: the tables of `clsolve-bench block-gs --csv block_gs.csv` as pictures:
#     gnuplot -e "csv='block_gs.csv'; out='block_gs'" scripts/plot_block_gs.gp
# of the first device in the table, or of the one that -e "device='cuda:0'" names;
# writes out_iteration.svg (time of a red-black iteration) and out_methods.svg (time to 1e-10 by method).
if (!exists("csv")) csv = "block_gs.csv"
if (!exists("out")) out = "block_gs"
if (!exists("device")) device = system("awk -F, 'NR == 1 { print $NF }' " . csv)
rows = "< awk -F, '$NF == \"" . device . "\"' " . csv . " | grep "
set terminal svg size 720,480 background "white"
set datafile separator ","
set logscale xy
set grid
set key top left
set xlabel "N = M"

set output out . "_iteration.svg"
set ylabel "seconds a red-black iteration"
plot rows . "^iteration," using 2:3 with linespoints title "clsolve", \
     rows . "^iteration," using 2:4 with linespoints title "the study's scheme"

set output out . "_methods.svg"
set ylabel "seconds to a relative residual of 1e-10"
plot rows . "',multigrid'" using 2:4 with linespoints title "multigrid", \
     rows . "',cg + multigrid V(1,1),[^,]*$'" using 2:4 with linespoints title "cg + multigrid", \
     rows . "',cg + multigrid V(1,1) in float'" using 2:4 with linespoints title "cg + multigrid in float", \
     rows . "',cg + zebra'" using 2:4 with linespoints title "cg + zebra", \
     rows . "',red-black'" using 2:4 with linespoints title "red-black block Gauss-Seidel"
