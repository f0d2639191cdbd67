"""A x = b for three unknowns, on the best device there is; then the transposed system with the same factors."""

import numpy as np

import clsolve

A = np.array([[2.0, 1.0, 1.0], [4.0, -6.0, 0.0], [-2.0, 7.0, 2.0]])
b = np.array([7.0, -8.0, 18.0])

x = clsolve.solve(A, b)
print("x =", np.round(x, 3) + 0.0)

lu = clsolve.lu_factor(A)
y = lu.solve(b, trans="T")
print("A^T y - b:", "small" if np.abs(A.T @ y - b).max() < 1e-12 else "large")
print("factored on the", lu.report.where, "with growth", round(lu.report.direct.growth, 3))
