"""Band and tridiagonal systems."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import clsolve
from ratios import accept, solve_ratio

TYPES = [np.float32, np.float64]


def band(rng, n, lower, upper, dtype):
    ab = rng.uniform(-1, 1, (lower + upper + 1, n)).astype(dtype)
    full = np.zeros((n, n), dtype)
    for i in range(n):
        for j in range(max(0, i - lower), min(n, i + upper + 1)):
            full[i, j] = ab[upper + i - j, j]
    for j in range(n):  # elements outside the matrix are not read
        for row in range(lower + upper + 1):
            if not 0 <= j + row - upper < n:
                ab[row, j] = np.nan
    return ab, full


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "n, lower, upper", [(1, 0, 0), (2, 1, 0), (5, 1, 1), (5, 4, 2), (33, 2, 3), (70, 0, 5), (70, 9, 0)]
)
def test_solve_banded(rng, n, lower, upper, dtype):
    for order in "CF":
        ab, full = band(rng, n, lower, upper, dtype)
        full += 3 * np.eye(n, dtype=dtype)
        ab[upper] += 3
        for b in (rng.uniform(-1, 1, n).astype(dtype), rng.uniform(-1, 1, (n, 3)).astype(dtype)):
            x = clsolve.solve_banded((lower, upper), np.asarray(ab, order=order), b)
            assert x.shape == b.shape and x.dtype == dtype
            accept(solve_ratio(full, x, b))
            own = b.copy()
            assert np.shares_memory(clsolve.solve_banded((lower, upper), ab, own, overwrite_b=True), own)


@pytest.mark.parametrize(
    "dtype, exponent", [(np.float64, -1060), (np.complex128, -1060), (np.float32, -143), (np.complex64, -143)]
)
def test_numbers_near_the_smallest(dtype, exponent):
    """Integers times a power of two, and the solution: no digit is lost."""
    n, unit, x = 12, 2.0**exponent, 1.0 + np.arange(12) % 5
    off = -2 + 1j if np.dtype(dtype).kind == "c" else -2
    full = 7 * np.eye(n) + np.diag(np.full(n - 1, off), -1) + np.diag(np.full(n - 1, np.conj(off)), 1)
    ab = np.array([np.r_[0, np.diag(full, 1)], np.diag(full), np.r_[np.diag(full, -1), 0]])
    a, b = (ab * unit).astype(dtype), (full @ x * unit).astype(dtype)
    lines = np.stack([a[2, :-1]] * 2), np.stack([a[1]] * 2), np.stack([a[0, 1:]] * 2)
    where = "auto" if dtype == np.float64 else "host"  # the kernels have tests in C
    for found in (
        clsolve.solve_banded((1, 1), a, b, where=where),
        clsolve.solveh_banded(a[1:], b, lower=True),
        clsolve.solve_tridiagonal(*lines, np.stack([b, b]), where=where)[1],
    ):
        assert np.abs(found - x).max() <= 32 * np.finfo(dtype).eps


def test_overflow_of_tridiagonal_systems():
    """It is told from NaN and Inf. Elements that are not used do not count."""
    unused, d, b = np.array([np.nan, 0.0, 0.0]), np.full((2, 3), 1e-300), np.full(3, 1e300)
    for dl, du in ((unused, unused[::-1]), (np.zeros(2), np.zeros(2))):
        with pytest.raises(clsolve.LinAlgError, match="overflows"):
            clsolve.solve_tridiagonal(dl, d, du, np.stack([b, b]))
    for dl, right in ((np.array([np.nan, 0.0]), b), (np.zeros(2), b * np.inf)):
        with pytest.raises(ValueError, match="infs or NaNs"):
            clsolve.solve_tridiagonal(dl, d, np.zeros(2), np.stack([right, right]))


def test_band_errors():
    ab, b = np.ones((3, 4)), np.ones(4)
    with pytest.raises(ValueError, match="does not equal"):
        clsolve.solve_banded((1, 2), ab, b)
    with pytest.raises(ValueError, match="negative"):
        clsolve.solve_banded((-1, 3), ab, b)
    with pytest.raises(ValueError, match="not compatible"):
        clsolve.solve_banded((1, 1), ab, np.ones(5))
    with pytest.raises(clsolve.LinAlgError):
        clsolve.solve_banded((1, 1), np.zeros((3, 4)), b)
    ab[1, 1] = np.nan
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve_banded((1, 1), ab, b)


def tridiagonal(dl, d, du):
    return np.diag(dl, -1) + np.diag(d) + np.diag(du, 1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 33, 200])
def test_solve_tridiagonal(rng, n, dtype):
    d = (3 + rng.uniform(-1, 1, (4, n))).astype(dtype)
    dl, du = (rng.uniform(-1, 1, (4, n - 1)).astype(dtype) for _ in range(2))
    long_dl, long_du = np.full((4, n), np.nan, dtype), np.full((4, n), np.nan, dtype)
    long_dl[:, 1:], long_du[:, :-1] = dl, du
    for b in (rng.uniform(-1, 1, (4, n)).astype(dtype), rng.uniform(-1, 1, (4, n, 3)).astype(dtype)):
        for trans in ("N", "T"):
            for below, above in ((dl, du), (long_dl, long_du)):
                x = clsolve.solve_tridiagonal(below, d, above, b, trans=trans)
                assert x.shape == b.shape and x.dtype == dtype
                for member in range(4):
                    full = tridiagonal(dl[member], d[member], du[member])
                    accept(solve_ratio(full if trans == "N" else full.T, x[member], b[member]))
    one = clsolve.solve_tridiagonal(dl[0], d[0], du[0], b[0, :, :2])  # one matrix, two right-hand sides
    accept(solve_ratio(tridiagonal(dl[0], d[0], du[0]), one, b[0, :, :2]))
    many = clsolve.solve_tridiagonal(dl[0], d[:1], du[0], b[..., 0])  # one matrix, four right-hand sides
    for member in range(4):
        accept(solve_ratio(tridiagonal(dl[0], d[0], du[0]), many[member], b[member, :, 0]))


def test_tridiagonal_errors():
    with pytest.raises(clsolve.LinAlgError, match="member 1"):
        clsolve.solve_tridiagonal(np.zeros(2), [[1.0, 1, 1], [1, 0, 1]], np.zeros(2), np.ones((2, 3)))
    with pytest.raises(ValueError, match="give n - 1 = 2 or n = 3"):
        clsolve.solve_tridiagonal(np.ones(4), np.ones(3), np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve_tridiagonal(np.ones(2), [1.0, np.nan, 1.0], np.ones(2), np.ones(3))
    with pytest.raises(ValueError):
        clsolve.solve_tridiagonal(np.ones(2), np.ones(3), np.ones(2), np.ones(4))


def test_as_scipy(rng):
    ab, _ = band(rng, 40, 2, 2, np.float64)
    ab[2] += 6
    ab = np.nan_to_num(ab)
    b = rng.uniform(-1, 1, 40)
    np.testing.assert_allclose(
        clsolve.solve_banded((2, 2), ab, b), scipy.linalg.solve_banded((2, 2), ab, b), atol=1e-13
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n, k", [(1, 0), (5, 1), (5, 4), (40, 3)])
def test_cholesky_of_bands(rng, n, k, lower, dtype):
    full = np.zeros((n, n), dtype)
    ab = np.full((k + 1, n), np.nan, dtype)  # what is not the matrix's is not read
    for d in range(k + 1):
        values = rng.uniform(-1, 1, n - d) + (1j * rng.uniform(-1, 1, n - d) if d and np.iscomplexobj(full) else 0)
        values = values.astype(dtype) if d else (values + 4 * k + 2).astype(dtype)
        full += np.diag(values, -d) + (np.diag(values.conj(), d) if d else 0)
        ab[d if lower else k - d, (slice(0, n - d) if lower else slice(d, n))] = values if lower else values.conj()
    for b in (rng.uniform(-1, 1, n).astype(dtype), rng.uniform(-1, 1, (n, 3)).astype(dtype)):
        accept(solve_ratio(full, clsolve.solveh_banded(ab, b, lower=lower), b))
        accept(solve_ratio(full, clsolve.solveh_banded(np.asfortranarray(ab), b, lower=lower, refine=True), b))
        c = clsolve.cholesky_banded(ab, lower=lower)
        assert c.dtype == dtype and np.all(np.isfinite(c))
        accept(solve_ratio(full, clsolve.cho_solve_banded((c, lower), b), b))
    expected = scipy.linalg.cholesky_banded(np.where(np.isnan(ab), 0, ab), lower=lower)
    np.testing.assert_allclose(c, expected, atol=100 * np.finfo(dtype).eps * np.abs(expected).max())


def test_cholesky_of_bands_errors():
    with pytest.raises(clsolve.LinAlgError, match="order 2"):
        clsolve.solveh_banded([[0.0, 2.0], [1.0, 1.0]], [1.0, 1.0])
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.cholesky_banded([[0.0, np.inf], [1.0, 1.0]])
    with pytest.raises(ValueError, match="not compatible"):
        clsolve.solveh_banded([[0.0, 0.5], [1.0, 1.0]], [1.0, 1.0, 1.0])
    assert clsolve.solveh_banded(np.ones((1, 2)), np.array([1j, 2.0])).dtype == np.complex128
    assert clsolve.cholesky_banded(np.empty((1, 0))).shape == (1, 0)


@pytest.mark.parametrize("where", ["auto", "device"])
def test_without_exchanges_a_zero_pivot_is_no_singular_matrix(where):
    lines = ([3.0], [0.0, 0.0], [2.0])  # 2 y = 1, 3 x = 1
    with pytest.raises(clsolve.LinAlgError, match="^without row exchanges pivot 1 of the matrix.*auto") as error:
        clsolve.solve_tridiagonal(*lines, [1.0, 1.0], pivoting="none", where=where)
    assert "singular" not in str(error.value)
    np.testing.assert_allclose(clsolve.solve_tridiagonal(*lines, [1.0, 1.0], where=where), [1 / 3, 1 / 2])
    matrix = scipy.sparse.csr_matrix([[0.0, 2.0], [3.0, 0.0]])
    for method in ("block_gs", "gauss_jordan"):
        with pytest.raises(clsolve.LinAlgError, match='without pivoting.* pivoting="auto" exchanges') as error:
            clsolve.sparse.spsolve(matrix, np.ones(2), method=method, pivoting="none")
        assert "singular" not in str(error.value)


def test_without_exchanges_the_host_says_what_it_has():
    for given in ({"where": "host"}, {"context": clsolve.Context("host")}):
        with pytest.raises(clsolve.UnsupportedError, match='without row exchanges .*with pivoting="auto" it solves'):
            clsolve.solve_tridiagonal([1.0], [4.0, 4.0], [1.0], [5.0, 5.0], pivoting="none", **given)
        np.testing.assert_allclose(clsolve.solve_tridiagonal([1.0], [4.0, 4.0], [1.0], [5.0, 5.0], **given), [1, 1])
