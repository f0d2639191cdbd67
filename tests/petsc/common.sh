# shellcheck shell=sh
# common.sh: how the tests of the plug-in run a program on several processes. Sourced; wants these variables:
#
#   MPIEXEC        mpiexec of the MPI that PETSc was built with
#   PLUGIN         libpetscclsolve.so
#   BIN            folder of the programs
#   DEVICE_FAILS   the module device_fails.c, for failures.sh
status=0
fail() { echo "FAILED: $*"; status=1; }

# As root Open MPI wants to be told twice, and it starts more processes than cores only when told to.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export POCL_MAX_PTHREAD_COUNT=1 OMP_NUM_THREADS=1
many=
"$MPIEXEC" --version 2>&1 | grep -qi "open.mpi" && many=--oversubscribe

# plain N PROGRAM ...: on N processes, standard error too. A program that hangs is ended, and says so by 124.
plain() {
    n=$1
    shift
    # shellcheck disable=SC2086
    timeout 100 "$MPIEXEC" $many -n "$n" "$@" 2>&1
    code=$?
    [ $code -ne 124 ] || echo "HANGS"
    return $code
}

# run N PROGRAM ...: an unchanged program of PETSc with the plug-in
run() {
    n=$1 program=$2
    shift 2
    plain "$n" "$BIN/$program" -dll_prepend "$PLUGIN" "$@"
}

# The number of iterations in what a program printed; "none" where it did not converge.
iterations() { sed -n 's/.*converged due to CONVERGED.*iterations \([0-9]*\).*/\1/p; s/^solve .*: CONVERGED.*, iterations \([0-9]*\),.*/\1/p' | tail -n 1 | grep . || echo none; }

# same WHAT A B: two counts of iterations are the same, and are counts
same() {
    echo "$1: $2, $3"
    { [ "$2" != none ] && [ "$2" = "$3" ]; } || fail "$1: $2 and $3 iterations"
}

# has WHAT TEXT PATTERN: the text has a line of this pattern
has() { echo "$2" | grep -q -e "$3" || { fail "$1: nothing like \"$3\" in:"; echo "$2" | head -n 40; }; }
