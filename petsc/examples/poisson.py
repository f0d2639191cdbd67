"""Poisson's equation by petsc4py, with clsolve in each subdomain.

    mpirun -n 2 python3 poisson.py build/libpetscclsolve.so

Other arguments are PETSc's options.
"""

import sys

import petsc4py

petsc4py.init([sys.argv[0], "-dll_prepend", *sys.argv[1:]])
from petsc4py import PETSc  # noqa: E402 (init comes first)

lines, length = 40, 30
A = PETSc.Mat().createAIJ(lines * length, nnz=5)
first, end = A.getOwnershipRange()
for row in range(first, end):
    line, k = divmod(row, length)
    A[row, row] = 4.0
    if k > 0:
        A[row, row - 1] = -1.0
    if k < length - 1:
        A[row, row + 1] = -1.0
    if line > 0:
        A[row, row - length] = -1.0
    if line < lines - 1:
        A[row, row + length] = -1.0
A.assemble()

ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("gmres")
ksp.setTolerances(rtol=1e-10)
ksp.getPC().setType("bjacobi")
options = PETSc.Options()
options["sub_pc_type"] = "lu"
options["sub_pc_factor_mat_solver_type"] = "clsolve"
ksp.setFromOptions()

x, b = A.createVecs()
b.set(1.0)
ksp.solve(b, x)
residual = (b - A * x).norm() / b.norm()
PETSc.Sys.Print(f"converged: {ksp.getConvergedReason() > 0}, residual below 1e-8: {residual < 1e-8}")
