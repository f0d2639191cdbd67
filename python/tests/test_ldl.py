"""LDL^T: ldl_factor, ldl, inertia and solve with assume_a="sym" and "her" against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import clsolve
from ratios import accept, solve_ratio
from test_cholesky import TYPES, draw, one_half


def indefinite(n: int, dtype: str, hermitian: bool = True, seed: int = 5) -> np.ndarray:
    half = draw(seed, (n, n), dtype)
    return np.asarray(half + (half.conj().T if hermitian else half.T), dtype)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("n, dtype", [(n, TYPES[k]) for k in range(4) for n in ([0, 2, 5, 150], [1, 3, 63])[k % 2]])
def test_factor_and_solve(n: int, dtype: str, hermitian: bool, lower: bool) -> None:
    a, b = indefinite(n, dtype, hermitian), draw(n, (n, 3), dtype)
    given = one_half(a, lower)
    factor = clsolve.ldl_factor(given, lower, hermitian)
    x = factor.solve(b)
    assert x.shape == b.shape and x.dtype == a.dtype
    eps = np.finfo(dtype).eps
    lu, d, perm = clsolve.ldl(given, lower, hermitian)
    other = lu.conj().T if hermitian else lu.T
    assert np.abs(lu @ d @ other - a).sum() <= 100 * max(n, 1) * eps * max(np.abs(a).sum(), 1)
    assert np.array_equal(lu[perm], np.tril(lu[perm]) if lower else np.triu(lu[perm]))
    assert np.all(np.diag(lu[perm]) == 1)
    assert np.count_nonzero(np.triu(d, 2)) == 0
    if n == 0:
        return
    accept(solve_ratio(a, x, b))
    np.testing.assert_allclose(factor.inv() @ a, np.eye(n), atol=1e4 * n * eps * np.linalg.cond(a))
    sign, logarithm = np.linalg.slogdet(a.astype("complex128"))
    found = factor.slogdet()
    assert np.isclose(found[1], logarithm, rtol=1e-3, atol=1e-3) and np.isclose(found[0], sign, atol=1e-3)
    assert repr(factor) == f"<clsolve.LDL {n} x {n} {dtype}>"


@pytest.mark.parametrize("dtype", TYPES)
def test_inertia(dtype: str) -> None:
    for n in (1, 4, 17, 60):
        a = indefinite(n, dtype, seed=n)
        values = scipy.linalg.eigvalsh(a)
        assert clsolve.inertia(one_half(a, True)) == (np.sum(values > 0), np.sum(values < 0), 0)
    assert clsolve.inertia(np.diag([2, 0, -1, 0]).astype(dtype)) == (1, 1, 2)
    assert clsolve.inertia(np.zeros((3, 3)), lower=False).zero == 3


def test_what_factors_know() -> None:
    a = indefinite(40, "float64")
    factor = clsolve.ldl_factor(a, rcond=True)
    exact = np.linalg.cond(a, 1)
    assert exact / 10 < factor.cond(a=a) <= exact * 1.01
    assert 1 / factor.rcond == pytest.approx(factor.cond(a=a))
    assert factor.report.method == "ldl"
    assert factor.report.direct.inertia.negative == factor.inertia().negative
    assert clsolve.ldl_factor(np.diag([2.0, -3.0])).det() == pytest.approx(-6)
    np.testing.assert_allclose(factor.factor(2 * a).solve(a[:, 0]), np.eye(40)[0] / 2, atol=1e-10)


def test_refusals() -> None:
    singular = np.diag([1.0, 0.0])
    with pytest.raises(clsolve.LinAlgError, match="singular"):
        clsolve.ldl_factor(singular)
    lu, d, _ = clsolve.ldl(singular)
    np.testing.assert_array_equal(lu @ d @ lu.T, singular)
    with pytest.raises(clsolve.UnsupportedError):
        clsolve.ldl_factor(np.eye(2) * 1j, hermitian=False).inertia()
    for wrong in (np.ones(3), np.ones((2, 3)), np.ones((2, 65, 65))):
        with pytest.raises(ValueError):
            clsolve.ldl_factor(wrong)
        with pytest.raises(ValueError):
            clsolve.inertia(wrong)
    with pytest.raises(ValueError):
        clsolve.ldl(np.full((2, 2), np.nan))


@pytest.mark.parametrize("assume_a", ["sym", "her"])
def test_solve_of_one_triangle(assume_a: str) -> None:
    for dtype in ("float64", "complex128"):
        a, b = indefinite(200, dtype, assume_a == "her"), draw(1, (200, 2), dtype)
        accept(solve_ratio(a, clsolve.solve(one_half(a, True), b, lower=True, assume_a=assume_a), b))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_inertia_of_stack(dtype: str) -> None:
    """Members that are singular, or hold NaN or Inf in the triangle that is read, spoil no other."""
    a = np.stack([indefinite(9, dtype, True, seed=k) for k in range(6)]).reshape(2, 3, 9, 9)
    values = np.linalg.eigvalsh(a)
    wanted = np.stack([np.sum(values > 0, axis=-1), np.sum(values < 0, axis=-1), np.zeros((2, 3))], axis=-1)
    a[0, 1], wanted[0, 1] = np.diag([1, 0, 0, -1, -1, 2, 0, 3, 4]), (4, 2, 3)
    a[1, 0, 7, 2], wanted[1, 0] = np.nan, -1
    a[1, 2, 3, 3], wanted[1, 2] = np.inf, -1
    a[0, 2, 2, 7] = np.nan  # in the other triangle
    assert np.array_equal(clsolve.inertia(a), wanted)
    upper = a[0, ::2].swapaxes(-1, -2).conj()
    assert np.array_equal(clsolve.inertia(upper, lower=False), wanted[0, ::2])
    assert clsolve.inertia(np.zeros((4, 0, 0), dtype)).shape == (4, 3)


def test_stack_of_order_0() -> None:
    factor = clsolve.ldl_factor(np.zeros((3, 0, 0)), rcond=True)
    sign, size = factor.slogdet()
    assert np.all(sign == 1) and np.all(size == 0) and np.all(factor.rcond == 1)
    assert np.array_equal(factor.inertia(), np.zeros((3, 3))) and factor.solve(np.zeros((3, 0, 2))).shape == (3, 0, 2)


@pytest.mark.parametrize(
    "n, dtype, hermitian",
    [
        (1, "float64", True),
        (5, "float32", True),
        (5, "complex128", False),
        (33, "complex64", True),
        (64, "float64", True),
    ],
)
def test_stack(n: int, dtype: str, hermitian: bool) -> None:
    """The factors of a stack as a handle: solves that spread over it, inverses, inertia, determinants, new values."""
    eps = np.finfo(dtype).eps
    a = np.stack([indefinite(n, dtype, hermitian, seed=k) for k in range(6)]).reshape(2, 3, n, n)
    given = np.stack([one_half(m, False) for m in a.reshape(6, n, n)]).reshape(a.shape)
    factor = clsolve.ldl_factor(given, False, hermitian, rcond=True)
    assert isinstance(factor, clsolve.LDLBatch) and factor.shape == a.shape
    for shape in [(2, 3, n, 4), (3, n, 1), (n, 2)]:
        b = draw(n, shape, dtype)
        x = factor.solve(b)
        spread = np.broadcast_to(b, x.shape)
        for index in np.ndindex(2, 3):
            accept(solve_ratio(a[index], x[index], spread[index]))
    np.testing.assert_allclose(factor.inv() @ a, np.broadcast_to(np.eye(n), a.shape), atol=1e5 * n * eps)
    sign, size = np.linalg.slogdet(a.astype("complex128"))
    found = factor.slogdet()
    assert np.allclose(found[1], size, rtol=1e-3, atol=1e-3) and np.allclose(found[0], sign, atol=1e-3)
    np.testing.assert_allclose(1 / factor.rcond, np.linalg.cond(a.astype("complex128"), 1), rtol=0.05)
    lu, d, perm = factor.factors()
    for index in np.ndindex(2, 3):
        half = lu[index][perm[index]]
        assert np.array_equal(half, np.tril(half)) and np.all(np.diag(half) == 1)
        other = lu[index].conj().T if hermitian else lu[index].T
        rest = np.abs(lu[index] @ d[index] @ other - a[index]).sum()
        assert rest <= 100 * n * eps * np.abs(a[index]).sum()
    if hermitian:
        counts = factor.inertia()
        for index in np.ndindex(2, 3):
            assert counts[index][0] == np.sum(scipy.linalg.eigvalsh(a[index]) > 0)
    else:
        with pytest.raises(clsolve.UnsupportedError):
            factor.inertia()
    x = factor.factor(2 * a).solve(np.ones(n, dtype))
    accept(solve_ratio(2 * a[1, 2], x[1, 2], np.ones(n)))
    a[1, 0] = 0
    with pytest.raises(clsolve.LinAlgError, match=r"\(1, 0\).*singular"):
        factor.factor(a)
    with pytest.raises(ValueError, match="64"):
        clsolve.ldl_factor(np.zeros((2, 65, 65)))
    with pytest.raises(ValueError, match="rcond=True"):
        _ = clsolve.ldl_factor(np.eye(n)[None]).rcond
