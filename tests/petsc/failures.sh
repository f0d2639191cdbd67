#!/bin/sh
# failures.sh: a process that fails, alone or with the others, ends all of them with one clear message, and none hangs.
. "$(dirname "$0")/common.sh"
lu="-pc_type bjacobi -sub_pc_type lu -sub_pc_factor_mat_solver_type clsolve"

# without RANK ...: the program on 2 processes, of which one finds no OpenCL device
nothing=$(mktemp -d)
trap 'rm -rf "$nothing"' EXIT
cat >"$nothing/one" <<'END'
#!/bin/sh
# one RANK FOLDER PROGRAM ...: this process has no drivers but those in the folder, if it has the rank
rank=${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}
[ "$rank" != "$1" ] || export OCL_ICD_VENDORS="$2"
shift 2
exec "$@"
END
without() { rank=$1; shift; plain 2 sh "$nothing/one" "$rank" "$nothing" "$BIN/grid" "$@"; }

# A device of one process alone. What it fails in is its own business, so PETSc ends the solve on all.
for rank in 0 1; do
    text=$(without $rank $lu)
    has "LU, process $rank without a device" "$text" "^\[$rank\] clsolve: ERROR_NO_DEVICE"
    has "LU, process $rank without a device" "$text" "^solve 1: DIVERGED_PC_FAILED"
done
text=$(without 1 -pc_type clsolvezebra)
has "zebra, process 1 without a device" "$text" "^\[0\]PETSC ERROR: .*clsolve, process 1: ERROR_NO_DEVICE"
text=$(without 1 -pc_type clsolvemg)
has "multigrid, process 1 without a device" "$text" "^\[0\]PETSC ERROR: .*clsolve, process 1: ERROR_NO_DEVICE"
text=$(without 1 $lu -sub_mat_clsolve_error_if_failure) && fail "an error of one process: the program ended well"
has "LU, an error at once" "$text" "^\[1\]PETSC ERROR: clsolve: ERROR_NO_DEVICE"

# A device that fails in the middle: while a subdomain is factored, while lines are factored, and in a sweep.
broken() { after=$1; shift; plain 2 env LD_PRELOAD="$DEVICE_FAILS" FAILING_RANK=1 FAILING_AFTER="$after" "$BIN/grid" "$@"; }
text=$(broken 5 $lu -sub_mat_clsolve_method band -sub_mat_clsolve_panel native)
has "a device that fails, LU" "$text" "^\[1\] clsolve: ERROR_DEVICE: .*CL_OUT_OF_RESOURCES"
has "a device that fails, LU" "$text" "^solve 1: DIVERGED_PC_FAILED"
text=$(broken 0 -pc_type clsolvemg) && fail "a device that fails: multigrid was set up"
has "a device that fails, multigrid" "$text" "^\[0\]PETSC ERROR: clsolve, process 1: ERROR_DEVICE: .*CL_OUT_OF_RESOURCES"
text=$(broken 60 -pc_type clsolvezebra)
has "a device that fails in a sweep" "$text" "^\[1\] clsolve: ERROR_DEVICE: .*CL_OUT_OF_RESOURCES"
has "a device that fails in a sweep" "$text" "^solve 1: DIVERGED_PC_FAILED"
text=$(broken 300 -pc_type clsolvemg)
has "a device that fails in a cycle" "$text" "^\[1\] clsolve: ERROR_DEVICE: .*CL_OUT_OF_RESOURCES"
has "a device that fails in a cycle" "$text" "^solve 1: DIVERGED_PC_FAILED"

# Memory of the device, on all processes.
text=$(run 2 grid $lu -sub_mat_clsolve_method band -sub_mat_clsolve_memory_limit 1000)
has "too little memory" "$text" "^\[1\] clsolve: ERROR_OUT_OF_DEVICE_MEMORY: .*memory_limit"
has "too little memory" "$text" "^solve 1: DIVERGED_PC_FAILED"

# refuses WHAT PATTERN OPTIONS...: PETSc's error has the message, and the program does not end well
refuses() {
    what=$1 pattern=$2
    shift 2
    text=$(run 2 grid "$@") && fail "$what: the program ended well"
    has "$what" "$text" "PETSC ERROR: .*$pattern"
}
refuses "ICC" "clsolve does not support factorization type ICC" -pc_type bjacobi -sub_pc_type icc \
    -sub_pc_factor_mat_solver_type clsolve
refuses "a matrix of several processes" "clsolve does not support matrix type mpiaij" -pc_type lu \
    -pc_factor_mat_solver_type clsolve
refuses "a method that is none" "-sub_mat_clsolve_method" $lu -sub_mat_clsolve_method gauss
refuses "a pivoting that bands do not have" "CLSOLVE_PIVOTING_RBT" $lu -sub_mat_clsolve_method band \
    -sub_mat_clsolve_pivoting rbt
refuses "divided lines" "Lines along x are divided.*-da_processors_x 1" -pc_type clsolvemg -da_processors_x 2 \
    -da_processors_y 1
refuses "levels on a device that is none" "-pc_clsolvemg_levels device wants a device" -pc_type clsolvemg \
    -pc_clsolvemg_device host -pc_clsolvemg_levels device
refuses "lines in no direction" "pc_clsolvezebra_lines" -pc_type clsolvezebra -pc_clsolvezebra_lines w
refuses "lines in a direction that the grid lacks" "2 dimensions, so no lines along z" -pc_type clsolvezebra \
    -pc_clsolvezebra_lines z
text=$(run 2 grid $lu -sub_mat_clsolve_device cuda:99)
has "a device that is none" "$text" "clsolve: ERROR_.*cuda:99"
has "a device that is none" "$text" "^solve 1: DIVERGED_PC_FAILED"
exit $status
