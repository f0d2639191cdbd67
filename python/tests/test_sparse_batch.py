"""Sparse LU of many matrices of one pattern: solutions, shapes, types, members that fail, and the example."""

import numpy as np
import pytest
import scipy.sparse as sp

import clsolve
from ratios import accept, solve_ratio
from test_sparse_direct import TYPES, circuit, scattered, sides


def members(rng, a, lead):
    return (a.data * rng.uniform(0.8, 1.2, (*lead, a.nnz))).astype(a.dtype)


def dense(a, values):
    return sp.csr_matrix((values, a.indices, a.indptr), a.shape).toarray()


@pytest.mark.parametrize("dtype", TYPES)
def test_solutions(rng, dtype):
    a = scattered(rng, 40, dtype)
    values = members(rng, a, (2, 3))
    lu = clsolve.splu_batch(a, values)
    assert lu.shape == (2, 3, 40, 40) and lu.dtype == dtype and lu.nnz == a.nnz
    for shape in [(2, 3, 40), (2, 3, 40, 4), (40,)]:
        for trans in "NTH":
            b = sides(rng, shape, dtype)
            before = b.copy()
            x = lu.solve(b, trans)
            assert (b == before).all() and x.dtype == dtype and x.shape == (shape if len(shape) > 1 else (2, 3, 40))
            for at in np.ndindex(2, 3):
                m = dense(a, values[at])
                m = m if trans == "N" else m.T if trans == "T" else m.conj().T
                right = np.broadcast_to(b, x.shape)[at]
                accept(solve_ratio(m, x[at].reshape(40, -1), right.reshape(40, -1)))
    values = members(rng, a, (2, 3))
    x = lu.factor(values).solve(np.ones(40, dtype))
    accept(solve_ratio(dense(a, values[1, 2]), x[1, 2][:, None], np.ones((40, 1), dtype)))
    expected = np.linalg.slogdet(np.stack([dense(a, values[at]) for at in np.ndindex(2, 3)]).reshape(2, 3, 40, 40))
    for part, whole in zip(lu.slogdet(), expected):
        np.testing.assert_allclose(part, whole, rtol=1e5 * np.finfo(dtype).eps, atol=1e5 * np.finfo(dtype).eps)
    assert lu.report.method == "sparse-lu" and lu.report.members == 6 and (lu.info == 0).all()
    assert lu.analysis.structural_rank == 40 and "40 x 40" in repr(lu)


def test_complex_sides(rng):
    a = circuit(rng, 30, np.float64)
    values = members(rng, a, (3,))
    b = sides(rng, (3, a.shape[0]), np.complex128)
    x = clsolve.splu_batch(a, values).solve(b)
    for m in range(3):
        accept(solve_ratio(dense(a, values[m]), x[m][:, None], b[m][:, None]))


def test_overwrite(rng):
    a = circuit(rng, 30, np.float64)
    b = sides(rng, (3, a.shape[0]), np.float64)
    lu = clsolve.splu_batch(a, members(rng, a, (3,)))
    assert lu.rcond.shape == (3,) and (lu.rcond > 0).all() and (lu.rcond <= 1).all()
    assert lu.solve(b, overwrite_b=True) is b


def test_members_that_fail(rng):
    a = scattered(rng, 20, np.float64)
    values = members(rng, a, (5,))
    values[1] = 0
    values[3, 2] = np.nan
    with pytest.raises(clsolve.LinAlgError, match="member 1 is singular"):
        clsolve.splu_batch(a, values)
    lu = clsolve.splu_batch(a, values, check=False)
    assert lu.info[1] > 0 and lu.info[3] == -1 and (lu.info[[0, 2, 4]] == 0).all()
    b = sides(rng, (5, 20), np.float64)
    x = lu.solve(b)
    assert (x[[1, 3]] == b[[1, 3]]).all() and lu.info[1] > 0 and lu.info[3] == -1
    accept(solve_ratio(dense(a, values[2]), x[2][:, None], b[2][:, None]))
    with pytest.raises(ValueError, match="member 3"):
        clsolve.splu_batch(a, np.where(np.arange(5)[:, None] == 1, 1, values))


def test_shapes(rng):
    a = scattered(rng, 20, np.float64)
    lu_values = members(rng, a, (5,))
    lu = clsolve.splu_batch(a, lu_values)
    with pytest.raises(ValueError, match="values have shape"):
        lu.factor(a.data)
    with pytest.raises(ValueError, match="incompatible"):
        lu.solve(np.ones((5, 19)))
    with pytest.raises(ValueError, match="incompatible"):
        lu.solve(np.ones((4, 20)))
    with pytest.raises(TypeError, match="complex"):
        lu.factor(np.ones((5, a.nnz), complex))
    x = lu.solve(np.ones(20))  # one right-hand side for all members of a single axis
    assert x.shape == (5, 20)
    for m in range(5):
        accept(solve_ratio(dense(a, lu_values[m]), x[m][:, None], np.ones((20, 1))))
    one = clsolve.splu_batch(a, a.data)
    assert one.shape == (20, 20) and one.solve(np.ones(20)).shape == (20,)
    none = clsolve.splu_batch(a, np.ones((0, a.nnz)))
    assert none.solve(np.ones((0, 20))).shape == (0, 20)
    nothing = clsolve.splu_batch(sp.csr_matrix((4, 4)), np.ones((2, 0)), check=False)
    assert (nothing.info == 1).all() and nothing.solve(np.ones((2, 4, 0))).shape == (2, 4, 0)
    empty = clsolve.splu_batch(sp.csr_matrix((0, 0)), np.ones((3, 0)))
    assert empty.solve(np.ones((3, 0))).shape == (3, 0)
