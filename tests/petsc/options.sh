#!/bin/sh
# options.sh: what -help, -ksp_view, -log_view and -clsolve_view say, and that new values need no new analysis.
. "$(dirname "$0")/common.sh"
lu="-pc_type bjacobi -sub_pc_type lu -sub_pc_factor_mat_solver_type clsolve"

text=$(run 2 grid $lu -solves 3 -sub_mat_clsolve_method band -ksp_view -log_view -clsolve_view -help)
for option in device method order precision panel pivoting where block memory_limit nrhs equilibrate refine \
    error_if_failure; do
    has "-help" "$text" "-sub_mat_clsolve_$option.*:* *[A-Z]"
done
has "-clsolve_view" "$text" "^clsolve: process 1 is number 1 of 2 on "
for line in "package used to perform factorization: clsolve" "clsolve: device .*process 0 of 2 on its node" \
    "method band-lu" "diagonals below [0-9]*, above [0-9]*.*, block [1-9]" "device memory [0-9]* bytes" \
    "analyses 1, factorizations 3,"; do
    has "-ksp_view" "$text" "$line"
done
for event in ClsolveSymbolic ClsolveNumeric ClsolveSolve; do has "-log_view" "$text" "^$event  *[1-9]"; done

# Sparse methods: chosen, by name, and by an order; with the figures of their analysis.
lu="-pc_type lu -pc_factor_mat_solver_type clsolve -da_grid_x 129 -da_grid_y 129"
text=$(run 1 grid $lu -convection 3 -solves 2 -ksp_view)
for line in "method sparse-lu: auto: the model expects" "total: nonzeros=[1-9]" \
    "order [amdnest]*, entries of the factors [1-9][0-9]*, operations [1-9].*, delayed pivots [0-9]" "levels [1-9]" \
    "analyses 1, factorizations 2,"; do
    has "a sparse method" "$text" "$line"
done
has "a sparse method" "$text" "^solve 2: CONVERGED"
for order in nested metis; do
    has "an order" "$(run 1 grid $lu -mat_clsolve_order $order -ksp_view)" "order $order, entries of the factors [1-9]"
done
text=$(run 1 grid $lu -pc_type cholesky -mat_clsolve_order natural -ksp_view)
for line in "method sparse-ldl:" "order natural, entries of the factors [1-9]"; do
    has "Cholesky in an order" "$text" "$line"
done
has "no such order" "$(run 1 grid $lu -mat_clsolve_method band -mat_clsolve_order amd)" "order is an option of SPARSE_LU"

text=$(run 2 grid -pc_type clsolvemg -solves 2 -ksp_view -log_view -help)
for option in device line_length coarse_lines levels cycle smooth; do has "-help" "$text" "-pc_clsolvemg_$option"; done
for line in "6 levels on the device, lines from the finest: 65 32 16 8 4 2" "cycle v, sweeps before and after 1" \
    "process 1 of 2 on its node: lines 32, device memory [1-9][0-9]* bytes, half-sweeps .*bytes up .*bytes down"; do
    has "-ksp_view" "$text" "$line"
done
for event in ClsolveMGSetUp ClsolveMGCycle ClsolveHalo; do has "-log_view" "$text" "^$event  *[1-9]"; done
has "new values" "$text" "^solve 2: CONVERGED"

# Processes without lines on the coarser levels, and lines of one point.
has "coarse levels without lines" "$(run 4 grid -da_grid_x 17 -da_grid_y 9 -pc_type clsolvemg -pc_clsolvemg_coarse_lines 1)" \
    "^solve 1: CONVERGED"
has "lines of one point" "$(run 2 grid -da_grid_x 1 -da_grid_y 33 -pc_type clsolvemg)" "^solve 1: CONVERGED"
# The same with the levels in PETSc, and the other cycle on the device.
has "W" "$(run 2 grid -pc_type clsolvemg -pc_clsolvemg_cycle w -pc_clsolvemg_smooth 2 -ksp_view)" "cycle w, .* 2$"
has "no sweeps" "$(run 1 grid -pc_type clsolvezebra -pc_clsolvezebra_sweeps 0)" "pc_clsolvezebra_sweeps is 0: 1 at least"
has "fewer lines than none" "$(run 1 grid -pc_type clsolvemg -pc_clsolvemg_coarse_lines -3)" "coarse_lines is -3: 0 at least"
text=$(run 2 grid -pc_type clsolvemg -pc_clsolvemg_levels petsc -solves 2 -ksp_view -log_view -help)
for option in clsolvemg_device clsolvemg_line_length clsolvemg_coarse_lines; do has "-help" "$text" "-pc_$option"; done
has "-help" "$text" "-clsolvemg_mg_levels_1_pc_clsolvezebra_symmetric"
for line in "levels, lines from the finest: 65 32 16 8 4 2" "65 lines along rows of 65 unknowns" \
    "process 1 of 2 on its node: 32 lines, device memory [1-9][0-9]* bytes"; do
    has "-ksp_view" "$text" "$line"
done
for event in ClsolveMGSetUp ClsolveZebraSet ClsolveZebra; do has "-log_view" "$text" "^$event  *[1-9]"; done
has "new values" "$text" "^solve 2: CONVERGED"
# Four processes and two devices: PoCL makes two of one processor.
text=$(POCL_DEVICES="pthread pthread" run 4 grid -pc_type clsolvemg -clsolve_view -ksp_view)
for process in 0 1 2 3; do
    device=opencl:$((process % 2))
    has "four processes and two devices" "$text" "^clsolve: process $process is number $process of 4 on .*: $device$"
    has "four processes and two devices" "$text" "clsolve: device $device .*process $process of 4 on its node"
done
has "four processes and two devices" "$text" "^solve 1: CONVERGED"
exit $status
