#!/bin/sh
# examples.sh: programs that PETSc comes with, unchanged, with clsolve in the place of PETSc's own solvers. The counts of
# iterations are those of PETSc's and MUMPS's factorizations: a direct solver of a subdomain changes none of them. With
# CLSOLVE_TEST_REDUCED=1 on two processes what is otherwise on four, and the multigrids on a smaller grid.
. "$(dirname "$0")/common.sh"
reason=-ksp_converged_reason
most=4 points=65
[ -z "${CLSOLVE_TEST_REDUCED-}" ] || most=2 points=33

for program in ex2 ex29 ex45 ex71; do
    [ -x "$BIN/$program" ] || { echo "skipped: no PETSc examples here (Debian: libpetsc3.18-dev-examples)"; exit 77; }
done

# PETSc's own factorizations are still there: ILU in the blocks, with the plug-in and without it.
grid="-m 40 -n 40"
without=$(plain 2 "$BIN/ex2" $grid -pc_type bjacobi $reason | iterations)
same "bjacobi with ILU, without the plug-in and with it" "$without" \
    "$(run 2 ex2 $grid -pc_type bjacobi $reason | iterations)"

# lu PREFIX SOLVER: options
lu() { echo "-${1}pc_type lu -${1}pc_factor_mat_solver_type $2"; }
same "bjacobi with LU on 2 processes, petsc and clsolve" \
    "$(run 2 ex2 $grid -pc_type bjacobi $(lu sub_ petsc) $reason | iterations)" \
    "$(run 2 ex2 $grid -pc_type bjacobi $(lu sub_ clsolve) $reason | iterations)"
same "ASM with overlap 2 on $most processes, mumps and clsolve" \
    "$(run $most ex2 $grid -pc_type asm -pc_asm_overlap 2 $(lu sub_ mumps) $reason | iterations)" \
    "$(run $most ex2 $grid -pc_type asm -pc_asm_overlap 2 $(lu sub_ clsolve) $reason | iterations)"
bddc() {
    run $most ex71 -pde_type Poisson -cells 8,8,8 -dim 3 -pc_type bddc -ksp_type cg $reason \
        $(lu pc_bddc_dirichlet_ "$1") $(lu pc_bddc_neumann_ "$1") | iterations
}
same "BDDC on $most processes, petsc and clsolve" "$(bddc petsc)" "$(bddc clsolve)"

# Zebra in PETSc's own multigrid, and clsolvemg: as many iterations on any number of processes, one more at most.
near() {
    echo "$1: $2, $3"
    { [ "$2" != none ] && [ "$3" != none ] && [ "$3" -le $(($2 + 1)) ]; } || fail "$1: $2 and $3 iterations"
}
zebra="-da_grid_x $points -da_grid_y $points -da_processors_x 1 -pc_type mg -pc_mg_levels 4 -mg_levels_ksp_type richardson
    -mg_levels_ksp_max_it 1 -mg_levels_pc_type clsolvezebra"
multigrid="-da_grid_x $points -da_grid_y $points -da_processors_x 1 -pc_type clsolvemg"
one_zebra=$(run 1 ex29 $zebra $reason | iterations)
one_multigrid=$(run 1 ex29 $multigrid $reason | iterations)
for n in 2; do
    near "PCMG with zebra on 1 and $n processes" "$one_zebra" "$(run $n ex29 $zebra $reason | iterations)"
    near "clsolvemg on 1 and $n processes" "$one_multigrid" "$(run $n ex29 $multigrid $reason | iterations)"
done
near "clsolvemg, a singular matrix with its null space, on 1 and 2 processes" \
    "$(run 1 ex29 $multigrid -bc_type neumann $reason | iterations)" \
    "$(run 2 ex29 $multigrid -bc_type neumann $reason | iterations)"
solid="-da_grid_x 9 -da_grid_y 9 -da_grid_z 9 -da_processors_x 1 -pc_type clsolvezebra -ksp_type cg
    -pc_clsolvezebra_symmetric"
near "zebra with CG in three dimensions, on 1 and $most processes" "$(run 1 ex45 $solid $reason | iterations)" \
    "$(run $most ex45 $solid $reason | iterations)"
exit $status
