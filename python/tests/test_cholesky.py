"""Cholesky: cho_factor, cho_solve, cholesky and solve with assume_a="pos" against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import clsolve
from ratios import accept, solve_ratio

TYPES = ["float32", "float64", "complex64", "complex128"]


def draw(seed: int, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    parts = np.random.default_rng(seed).standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]).astype(dtype)


def spd(n: int, dtype: str = "float64", seed: int = 3) -> np.ndarray:
    """Symmetric, or of a complex type hermitian."""
    half = draw(seed, (n, n), "complex128" if dtype.startswith("complex") else "float64")
    return (half @ half.conj().T + n * np.eye(n)).astype(dtype)


def one_half(a: np.ndarray, lower: bool) -> np.ndarray:
    """`a` with NaN in the triangle that is not to be read."""
    out = a.copy()
    out[np.triu_indices(len(a), 1) if lower else np.tril_indices(len(a), -1)] = np.nan
    return out


# Each order in two types, each type with four orders or more: a type is a set of kernels of its own.
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    "n, dtype",
    [(n, TYPES[k]) for k in range(4) for n in ([0, 2, 5, 64, 150], [1, 3, 63, 65])[k % 2]] + [(65, "float32")],
)
def test_factor_and_solve(n: int, lower: bool, order: str, dtype: str) -> None:
    a = np.asarray(spd(n, dtype), order=order)
    b = draw(n, (n, 3), dtype)
    given = one_half(a, lower)
    factor = clsolve.cho_factor(given, lower)
    c, low = factor
    assert low == lower and c.dtype == a.dtype
    eps = np.finfo(dtype).eps
    product = c @ c.conj().T if lower else c.conj().T @ c
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
    for wrong in (np.ones(3), np.ones((2, 3)), np.ones((2, 2, 3))):
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


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("n", [7, 70])
def test_batch(dtype: str, n: int) -> None:
    a = np.stack([spd(n, dtype, seed=k) for k in range(4)]).reshape(2, 2, n, n)
    c = clsolve.cholesky(a, lower=True)
    np.testing.assert_allclose(c @ np.swapaxes(c, -1, -2).conj(), a, rtol=1e-12, atol=1e-12)


# Each order and type is a program of its own.
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    "n, dtype", [(1, "float64"), (5, "float32"), (5, "complex128"), (33, "complex64"), (64, "float64"), (70, "float64")]
)
def test_stack(n: int, lower: bool, dtype: str) -> None:
    """The factors of a stack as a handle: solves that spread over it, inverses, new values."""
    eps = np.finfo(dtype).eps
    a = np.stack([spd(n, dtype, seed=k) for k in range(6)]).reshape(2, 3, n, n)
    given = np.stack([one_half(m, lower) for m in a.reshape(6, n, n)]).reshape(a.shape)
    factor = clsolve.cho_factor(given, lower)
    assert isinstance(factor, clsolve.CholeskyBatch) and factor.shape == a.shape
    for shape in [(2, 3, n, 4), (3, n, 1), (n, 2)]:
        b = draw(n, shape, dtype)
        for x in (clsolve.cho_solve(factor, b), clsolve.cho_solve(tuple(factor), b)):
            assert x.shape == (2, 3, *shape[-2:]) and x.dtype == dtype
            spread = np.broadcast_to(b, x.shape)
            for index in np.ndindex(2, 3):
                accept(solve_ratio(a[index], x[index], spread[index]))
    for x in (factor.solve(np.ones(n, dtype)), clsolve.cho_solve(tuple(factor), np.ones(n, dtype))):
        assert x.shape == (2, 3, n)
    c, got = factor
    assert got == lower
    half = np.tril if lower else np.triu
    other = np.stack([half(scipy.linalg.cho_factor(m, lower)[0]) for m in a.reshape(6, n, n)]).reshape(a.shape)
    np.testing.assert_allclose(c, other, rtol=1e3 * eps, atol=1e3 * eps * n)
    np.testing.assert_allclose(factor.inv(), np.linalg.inv(a), rtol=1e4 * eps, atol=1e3 * eps)
    x = factor.factor(a).solve(np.ones(n, dtype))
    accept(solve_ratio(a[1, 2], x[1, 2], np.ones(n)))
    if not dtype.startswith("complex"):
        b = draw(3, (2, 3, n, 2), "complex128")
        x = factor.solve(b)
        assert x.dtype == np.result_type(dtype, np.complex64)
        np.testing.assert_allclose(x.imag, factor.solve(b.imag), rtol=1e3 * eps, atol=1e3 * eps)


def test_pair_of_a_stack() -> None:
    """As scipy's: of any order, spread over the right-hand sides' members too; both sorts of numbers."""
    n = 70
    a = np.stack([spd(n, seed=k) for k in range(2)])
    pair = clsolve.cholesky(a, lower=True), True
    b = draw(1, (3, 1, n, 2), "complex128")
    x = clsolve.cho_solve(pair, b)
    assert x.shape == (3, 2, n, 2) and x.dtype == "complex128"
    for index in np.ndindex(3, 2):
        accept(solve_ratio(a[index[1]], x[index], b[index[0], 0]))
    assert clsolve.cho_solve((np.zeros((0, 3, 3)), True), np.ones(3)).shape == (0, 3)
    for c, b in ((pair[0], np.ones(n + 1)), (pair[0], np.float64(1)), (pair[0], np.ones((3, n, 1)))):
        with pytest.raises(ValueError):
            clsolve.cho_solve((c, True), b)
    with pytest.raises(ValueError, match="incompatible"):
        clsolve.cho_solve((np.ones((2, 3, 4)), True), np.ones(4))


def test_stack_refuses() -> None:
    a = np.stack([spd(3, seed=k) for k in range(3)])
    factor = clsolve.cho_factor(a)
    with pytest.raises(ValueError, match="where and context"):
        clsolve.cho_factor(a, refine=True)
    with pytest.raises(ValueError, match="order 4096"):
        clsolve.cho_factor(np.broadcast_to(0.0, (2, 4097, 4097)))
    with pytest.raises(ValueError, match="shape"):
        factor.factor(a[:2])
    with pytest.raises(TypeError):
        factor.factor(a.astype(complex))
    for b in (np.ones(4), np.ones((4, 3, 1)), np.float64(1)):
        with pytest.raises(ValueError):
            factor.solve(b)
    assert clsolve.cho_factor(np.zeros((0, 3, 3))).solve(np.ones((0, 3, 1))).shape == (0, 3, 1)
    assert clsolve.cho_factor(np.zeros((2, 0, 0))).inv().shape == (2, 0, 0)
    bad = a.copy()
    bad[1, 2, 2] = -1
    with pytest.raises(clsolve.LinAlgError, match="member 1 .* order 3"):
        clsolve.cho_factor(bad)
    bad[1, 2, 2] = np.nan
    with pytest.raises(ValueError, match="member 1"):
        clsolve.cho_factor(bad)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("lower", [False, True])
def test_hermitian(dtype: str, lower: bool) -> None:
    """The properties of a complex factor, and systems with the transpose, which is the conjugate."""
    n, eps = 40, np.finfo(dtype).eps
    a, b = spd(n, dtype), draw(5, (n, 2), dtype)
    given = one_half(a, lower)
    given[np.diag_indices(n)] += 3j  # as in LAPACK a diagonal is real
    factor = clsolve.cho_factor(given, lower, rcond=True)
    c, _ = scipy.linalg.cho_factor(a, lower)
    half = np.tril if lower else np.triu
    np.testing.assert_allclose(factor.factors()[0], half(c), rtol=1e3 * eps, atol=1e3 * eps * n)
    accept(solve_ratio(a, clsolve.cho_solve((c, lower), b), b))
    np.testing.assert_allclose(factor.inv(), np.linalg.inv(a), rtol=1e4 * eps, atol=1e3 * eps)
    sign, logarithm = factor.slogdet()
    assert sign == 1 and np.isclose(logarithm, np.linalg.slogdet(a)[1], rtol=1e-4)
    exact = np.linalg.cond(a, 1)
    assert exact / 10 < factor.cond(a=a) <= exact * 1.01
    for assume in ("pos", "her"):
        accept(solve_ratio(a, clsolve.solve(given, b, lower, assume_a=assume), b))
        accept(solve_ratio(a.T, clsolve.solve(given, b, lower, assume_a=assume, transposed=True), b))
    real = clsolve.cho_factor(spd(n, "float64"), lower)
    accept(solve_ratio(spd(n, "float64"), real.solve(b.astype("complex128")), b.astype("complex128")))
    a[5, 5] = -1
    with pytest.raises(clsolve.LinAlgError, match="minor of order 6"):
        clsolve.cho_factor(a, lower)
    with pytest.raises(clsolve.LinAlgError):
        clsolve.solve(a, b, assume_a="pos")
    accept(solve_ratio(a, clsolve.solve(a, b, assume_a="her"), b))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_auto_goes_by_cholesky_and_back(dtype: str) -> None:
    """A symmetric or hermitian matrix that is not positive definite is solved by LU."""
    a = spd(200, dtype)
    b = np.ones(200)
    accept(solve_ratio(a, clsolve.solve(a, b), b))
    a[5, 150] = a[150, 5] = 1e4
    accept(solve_ratio(a, clsolve.solve(a, b), b))
