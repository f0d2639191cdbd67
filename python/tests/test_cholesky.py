"""Cholesky: cho_factor, cho_solve, cholesky and solve with assume_a="pos" against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import clsolve
from ratios import accept, solve_ratio


def spd(n: int, dtype: str = "float64", seed: int = 3) -> np.ndarray:
    half = np.random.default_rng(seed).standard_normal((n, n))
    return (half @ half.T + n * np.eye(n)).astype(dtype)


def one_half(a: np.ndarray, lower: bool) -> np.ndarray:
    """`a` with NaN in the triangle that is not to be read."""
    out = a.copy()
    out[np.triu_indices(len(a), 1) if lower else np.tril_indices(len(a), -1)] = np.nan
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 63, 64, 65, 150])
def test_factor_and_solve(n: int, lower: bool, order: str, dtype: str) -> None:
    a = np.asarray(spd(n, dtype), order=order)
    b = np.random.default_rng(n).standard_normal((n, 3)).astype(dtype)
    given = one_half(a, lower)
    factor = clsolve.cho_factor(given, lower)
    c, low = factor
    assert low == lower and c.dtype == a.dtype
    eps = np.finfo(dtype).eps
    product = c @ c.T if lower else c.T @ c
    assert np.abs(product - a).sum() <= 30 * max(n, 1) * eps * max(np.abs(a).sum(), 1)
    for x in (factor.solve(b), clsolve.cho_solve((c, lower), b), clsolve.cho_solve(factor, b)):
        assert x.shape == b.shape and x.dtype == a.dtype
        if n:
            accept(solve_ratio(a, x, b))
    assert clsolve.cholesky(given, lower).shape == (n, n)
    if n:
        np.testing.assert_allclose(
            clsolve.cholesky(given, lower), scipy.linalg.cholesky(a, lower), rtol=1e3 * eps, atol=1e3 * eps * n
        )
        x = clsolve.solve(given if n > 1 else a, b[:, 0], lower=lower, assume_a="pos")
        accept(solve_ratio(a, x, b[:, 0]))


def test_what_a_factor_knows() -> None:
    a = spd(40)
    factor = clsolve.cho_factor(a, rcond=True)
    sign, logarithm = factor.slogdet()
    assert sign == 1 and np.isclose(logarithm, np.linalg.slogdet(a)[1])
    assert clsolve.cho_factor(np.eye(3) * 2).det() == pytest.approx(8)
    exact = np.linalg.cond(a, 1)
    assert exact / 10 < factor.cond(a=a) <= exact * 1.01
    assert 1 / factor.rcond == pytest.approx(factor.cond(a=np.linalg.norm(a, 1)))
    np.testing.assert_allclose(factor.inv(), np.linalg.inv(a), rtol=1e-9, atol=1e-12)
    assert factor.report.method == "cholesky"
    assert repr(factor) == "<clsolve.Cholesky 40 x 40 float64>"
    np.testing.assert_allclose(factor.as_operator() @ a, np.eye(40), atol=1e-10)
    again = factor.factor(2 * a)
    assert again is factor
    np.testing.assert_allclose(factor.solve(a[:, 0]), np.eye(40)[0] / 2, atol=1e-12)


def test_refusals() -> None:
    a = spd(6)
    a[3, 3] = -1
    with pytest.raises(clsolve.LinAlgError, match="minor of order 4"):
        clsolve.cho_factor(a)
    with pytest.raises(clsolve.LinAlgError, match="minor of order 4"):
        clsolve.cholesky(a)
    with pytest.raises(clsolve.LinAlgError):
        clsolve.solve(a, np.ones(6), assume_a="pos")
    clsolve.solve(a, np.ones(6), assume_a="sym")
    a = spd(6)
    a[0, 2] = np.nan
    with pytest.raises(ValueError):
        clsolve.cho_factor(a)
    clsolve.cho_factor(a, lower=True)
    for wrong in (np.ones(3), np.ones((2, 3)), np.ones((2, 2, 2))):
        with pytest.raises(ValueError):
            clsolve.cho_factor(wrong)
    factor = clsolve.cho_factor(spd(6))
    with pytest.raises(ValueError):
        factor.solve(np.ones(5))
    with pytest.raises(ValueError):
        factor.factor(spd(5))
    with pytest.raises(clsolve.LinAlgError):
        clsolve.Cholesky.from_factors(np.zeros((2, 2)))
    with pytest.raises(ValueError):
        clsolve.Cholesky.from_factors(np.full((2, 2), np.inf))


def test_batch() -> None:
    a = np.stack([spd(7, seed=k) for k in range(4)]).reshape(2, 2, 7, 7)
    c = clsolve.cholesky(a, lower=True)
    np.testing.assert_allclose(c @ np.swapaxes(c, -1, -2), a, rtol=1e-12)


def test_auto_goes_by_cholesky_and_back() -> None:
    """A symmetric matrix that is not positive definite is solved by LU."""
    a = spd(200)
    b = np.ones(200)
    accept(solve_ratio(a, clsolve.solve(a, b), b))
    a[5, 150] = a[150, 5] = 1e4
    accept(solve_ratio(a, clsolve.solve(a, b), b))
