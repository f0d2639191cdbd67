#!/bin/sh
# python.sh PYTHON EXAMPLE: petsc4py solves with the plug-in, on 1 and 2 processes.
. "$(dirname "$0")/common.sh"
"$1" -c "import petsc4py" 2>/dev/null || { echo "skipped: $1 has no petsc4py (Debian: python3-petsc4py)"; exit 77; }
for n in 1 2; do
    text=$(plain $n "$1" "$2" "$PLUGIN" -ksp_view)
    has "poisson.py on $n processes" "$text" "^converged: True, residual below 1e-8: True"
    has "poisson.py on $n processes" "$text" "clsolve: device"
done
exit $status
