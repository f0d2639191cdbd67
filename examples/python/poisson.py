"""Poisson's equation on a grid: zebra multigrid with its residuals, the sparse solver, and a preconditioner."""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

import clsolve

N, M = 63, 95
f = np.ones((N, M)) / (N + 1) ** 2

grid = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(N, M), method="multigrid")
y = grid.solve(f)
print(f"{grid.report.block_gs.method}: {len(grid.history) - 1} cycles to a residual of {grid.history[-1]:.0e}")


def line(n):
    return scipy.sparse.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])


A = scipy.sparse.kron(line(N), scipy.sparse.eye(M)) + scipy.sparse.kron(scipy.sparse.eye(N), line(M))
A = A.tocsr()
lu = clsolve.splu(A)
x = lu.solve(f.ravel())
print(f"splu took {lu.report.name}: {lu.report.reason}")
print("both agree to 1e-6:", "yes" if np.abs(x - y.ravel()).max() < 1e-6 * np.abs(x).max() else "no")

cycle = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(N, M), method="multigrid", maxiter=1).as_preconditioner()
steps = []
z, info = scipy.sparse.linalg.gmres(A, f.ravel(), M=cycle, callback=steps.append, callback_type="pr_norm")
print(f"gmres with one cycle as preconditioner: {len(steps)} steps, converged: {'yes' if info == 0 else 'no'}")
