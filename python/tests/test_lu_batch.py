"""Many matrices at once by LU: solve, factors, determinants, inverses and condition numbers of stacks."""

import os
import warnings

import numpy as np
import pytest
import scipy.linalg

import clsolve
from ratios import accept, solve_ratio

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
if os.environ.get("CLSOLVE_HOST") == "always":
    CASES = [(n, dtype) for n in (1, 5, 33, 70) for dtype in TYPES]
else:  # each is a program of its own for a device's compiler, and the kernels have tests in C
    CASES = [(1, np.float64), (5, np.float32), (33, np.complex64), (70, np.float64)]
OPS = {"N": lambda a: a, "T": lambda a: a.swapaxes(-1, -2), "H": lambda a: a.conj().swapaxes(-1, -2)}


def stack(rng, shape, dtype):
    a = rng.uniform(-1, 1, shape).astype(dtype)
    return a + (1j * rng.uniform(-1, 1, shape)).astype(dtype) if np.dtype(dtype).kind == "c" else a


def solved(a, x, b):
    """Every member, of arrays that broadcast."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    for index in np.ndindex(lead):
        parts = (np.broadcast_to(y, lead + y.shape[-2:])[index] for y in (a, x, b))
        accept(solve_ratio(*parts))


@pytest.mark.parametrize("dtype", TYPES if len(CASES) > 4 else TYPES[:2])
def test_growing_pivots(dtype):
    """The matrices that elimination on both sides of the diagonal gets wrong."""
    a = np.eye(64) - np.triu(np.ones((64, 64)), 1)
    members = np.stack([a] * 3).astype(dtype)
    for options in ({}, {"where": "host"}, {"transposed": True}):
        given = members.swapaxes(-1, -2) if "transposed" in options else members
        assert (clsolve.solve(given, a.sum(1).astype(dtype), **options) == 1).all()
    if np.dtype(dtype) == np.float32:
        t = np.linspace(0, 1, 32)
        for length in (0.1, 0.2, 0.3, 0.5):
            kernel = np.exp(-((t[:, None] - t) ** 2) / (2 * length**2)) + 1e-6 * np.eye(32)
            x = clsolve.solve(np.stack([kernel] * 3).astype(dtype), np.sin(7 * t).astype(dtype))
            for member in x:
                assert solve_ratio(kernel.astype(dtype), member, np.sin(7 * t).astype(dtype)) < 1


@pytest.mark.parametrize("n, dtype", CASES)
def test_factors(rng, n, dtype):
    a, b = stack(rng, (2, 3, n, n), dtype), stack(rng, (2, 3, n, 2), dtype)
    lu = clsolve.lu_factor(a, rcond=True)
    assert isinstance(lu, clsolve.LUBatch) and lu.shape == a.shape and lu.dtype == dtype and not lu.info.any()
    for trans, op in OPS.items():
        for sides in (b, b[0, 0], b[:1], b[:, :, :, :1]):
            x = lu.solve(sides, trans)
            assert x.dtype == dtype and x.shape == (2, 3, *sides.shape[-2:])
            solved(op(a), x, sides)
        x = clsolve.lu_solve(lu, b[0, 0, :, 0], trans)
        assert x.shape == (2, 3, n)
        solved(op(a), x[..., None], b[0, 0, :, :1])
    own = b.copy()
    assert lu.solve(own, overwrite_b=True) is own
    factors, piv = lu
    for index in np.ndindex(2, 3):
        low, up = np.tril(factors[index], -1) + np.eye(n), np.triu(factors[index])
        product = low @ up
        for k in range(n)[::-1]:
            product[[k, piv[index][k]]] = product[[piv[index][k], k]]
        assert np.abs(low).max() < 1.5 and np.abs(product - a[index]).max() < 30 * n * np.finfo(dtype).eps
    solved(a, clsolve.lu_solve((factors, piv), b), b)
    solved(a[0, 0], clsolve.lu_solve((factors[0, 0], piv[0, 0]), b), b)
    exact = a.astype(complex if a.dtype.kind == "c" else float)
    tolerance = 300 * n * np.finfo(dtype).eps * np.linalg.cond(exact).max()
    np.testing.assert_allclose(lu.det(), np.linalg.det(exact), rtol=tolerance)
    for found, expected in zip(lu.slogdet(), np.linalg.slogdet(exact)):
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(1 / lu.rcond, np.linalg.cond(exact, 1), rtol=tolerance)
    inverse = lu.inv()
    np.testing.assert_allclose(inverse @ a, np.broadcast_to(np.eye(n), a.shape), atol=tolerance)
    solved(2 * a, lu.factor(2 * a).solve(b), b)
    assert lu.report.method == "lu" and "LUBatch" in repr(lu)


@pytest.mark.parametrize("n, dtype", CASES)
def test_determinants_and_conditions(rng, n, dtype):
    a = stack(rng, (2, 3, n, n), dtype) + n**0.5 * np.eye(n, dtype=dtype)
    exact = a.astype(complex if a.dtype.kind == "c" else float)
    tolerance = 30 * n * np.finfo(dtype).eps * np.linalg.cond(exact).max()
    det = clsolve.det(a)
    assert det.shape == (2, 3) and det.dtype == exact.dtype
    np.testing.assert_allclose(det, np.linalg.det(exact), rtol=tolerance)
    found, expected = clsolve.slogdet(a), np.linalg.slogdet(exact)
    assert found[0].dtype == dtype and found[1].dtype == np.finfo(dtype).dtype
    for mine, theirs in zip(found, expected):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
    for p in (1, np.inf):
        np.testing.assert_allclose(clsolve.cond(a, p), np.linalg.cond(exact, p), rtol=tolerance)
    for part in (a[:, 1:], a.swapaxes(0, 1), a[..., ::-1, :], a.swapaxes(-1, -2)):
        np.testing.assert_allclose(clsolve.det(part), np.linalg.det(part.astype(exact.dtype)), rtol=tolerance)
        np.testing.assert_allclose(clsolve.cond(part), np.linalg.cond(part.astype(exact.dtype), 1), rtol=tolerance)
        np.testing.assert_allclose(
            clsolve.inv(part) @ part, np.broadcast_to(np.eye(n), part.shape), atol=100 * tolerance
        )


@pytest.mark.parametrize("n", [3, 66])
def test_singular_members(n):
    a = np.stack([np.eye(n)] * 4)
    a[2, 1, 1] = 0
    for call in (clsolve.inv, lambda a: clsolve.solve(a, np.ones(n))):
        with pytest.raises(clsolve.LinAlgError, match="singular.*member 2"):
            call(a)
    assert clsolve.det(a).tolist() == [1, 1, 0, 1] and clsolve.slogdet(a)[1][2] == -np.inf
    assert clsolve.cond(a).tolist() == [1, 1, np.inf, 1]
    with pytest.warns(clsolve.LinAlgWarning, match="number 2 of member 2"):
        lu = clsolve.lu_factor(a, rcond=True)
    assert lu.info.tolist() == [0, 0, 2, 0] and lu.rcond.tolist() == [1, 1, 0, 1]
    b = np.ones((4, n, 1))
    for call in (lambda: lu.solve(b), lu.inv):
        with pytest.raises(clsolve.LinAlgError, match="member 2"):
            call()
    a[1, 0, 0] = np.nan
    for call in (clsolve.cond, clsolve.det, clsolve.slogdet, clsolve.lu_factor, clsolve.inv, lu.factor):
        with pytest.raises(ValueError, match="member 1"):
            call(a)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_conditions_at_the_ends_of_the_range(dtype):
    kind = np.finfo(dtype)
    sizes = [kind.max / 2, kind.tiny / 4, 1]
    for p in (1, np.inf):
        found = clsolve.cond(np.stack([size * np.eye(3) for size in sizes]).astype(dtype), p)
        np.testing.assert_allclose(found, 1, rtol=4 * kind.eps)
        triangles = np.stack([size * np.triu(np.ones((3, 3))) for size in sizes]).astype(dtype)
        np.testing.assert_allclose(clsolve.cond(triangles, p), 6, rtol=16 * kind.eps)


@pytest.mark.parametrize("lead", [(0,), (2, 0), (3,)])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_empty(lead, n):
    a = np.broadcast_to(np.eye(n), (*lead, n, n))
    assert clsolve.lu_factor(a.copy()).factor(a.copy()).info.shape == lead
    for nrhs in (0, 2):
        assert clsolve.solve(a, np.ones((n, nrhs))).shape == (*lead, n, nrhs)
        assert clsolve.lu_factor(a).solve(np.ones((n, nrhs))).shape == (*lead, n, nrhs)
    assert clsolve.solve(a, np.ones(n)).shape == clsolve.lu_factor(a).solve(np.ones(n)).shape == (*lead, n)
    assert clsolve.inv(a).shape == clsolve.lu_factor(a).inv().shape == a.shape
    assert (clsolve.det(a) == np.ones(lead)).all() and clsolve.det(a).shape == lead
    assert [part.shape for part in clsolve.lu_factor(a).slogdet()] == [lead, lead]
    if n == 0:
        with pytest.raises(clsolve.LinAlgError, match="empty"):
            clsolve.cond(a)
    else:
        assert (clsolve.cond(a) == np.ones(lead)).all()


def test_options_and_errors(rng):
    a = rng.uniform(-1, 1, (3, 4, 4)) + 4 * np.eye(4)
    lu = clsolve.lu_factor(a, where="host", precision="working", pivoting="partial")
    assert lu.report.where == "host"
    for wrong in ({"precision": "mixed"}, {"pivoting": "rbt"}, {"refine": True}, {"memory_limit": 9}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            clsolve.lu_factor(a, **wrong)
    for b in (np.ones(3), np.ones((3, 3, 1)), np.ones((2, 4, 1)), np.ones((2, 3, 4, 1)), np.float64(1)):
        with pytest.raises(ValueError):
            lu.solve(b)
    with pytest.raises(ValueError, match="the handle is for"):
        lu.factor(a[:2])
    with pytest.raises(TypeError, match="the handle is for"):
        lu.factor(1j * a)
    with pytest.raises(ValueError, match="rcond=True"):
        lu.rcond
    b = rng.uniform(-1, 1, (3, 4, 2)) + 1j * rng.uniform(-1, 1, (3, 4, 2))
    solved(a, lu.solve(b), b)
    said = []
    clsolve.lu_factor(a, progress=lambda phase, fraction: said.append((phase, fraction)))
    assert said == [("members", 1.0)]
    wide = rng.uniform(-1, 1, (2, 3, 5))
    factors, piv = clsolve.lu_factor(wide)
    for member in range(2):
        np.testing.assert_allclose(factors[member], scipy.linalg.lu_factor(wide[member, :, :3])[0] @ np.eye(3, 5)
                                   + np.pad(factors[member][:, 3:], ((0, 0), (3, 0))), atol=1e-12)
    lu.close()
    with pytest.raises(RuntimeError, match="closed"):
        lu.solve(np.ones(4))


def test_handles_of_the_host_stay(rng):
    """As those of devices do, in a context of the host's own cores, as long as they are small."""
    with clsolve.Context("host") as context:
        for n, stays in ((5, 1), (5, 1), (6, 2), (7, 3), (8, 4), (9, 4)):
            a = rng.uniform(-1, 1, (3, n, n))
            clsolve.solve(a, np.ones(n)), clsolve.solve(a, np.ones(n))
            assert len(context._kept) == stays
        clsolve.det(a)
        assert len(context._kept) == 4
        context._kept.clear()
        clsolve.det(np.broadcast_to(np.eye(300), (100, 300, 300)))
        assert not context._kept
    context.close()


def test_members_that_the_device_has_no_room_for(rng, monkeypatch):
    """They go in halves."""
    from clsolve import _batches

    a, b = rng.uniform(-1, 1, (5, 4, 4)) + 4 * np.eye(4), rng.uniform(-1, 1, (5, 4, 1))
    run, counts = _batches.run, []

    def small(context, family, sizes, *rest, **more):
        if sizes[1] > 2:
            raise clsolve.DeviceMemoryError("no room")
        counts.append(sizes[1])
        return run(context, family, sizes, *rest, **more)

    monkeypatch.setattr(_batches, "run", small)
    solved(a, clsolve.solve(a, b), b)
    assert counts == [2, 1, 2]
    np.testing.assert_allclose(clsolve.det(a), np.linalg.det(a))
    np.testing.assert_allclose(clsolve.cond(a), np.linalg.cond(a, 1))
    monkeypatch.setattr(_batches, "run", lambda *given, **more: small(*given[:2], (4, 9, 2), **more))
    with pytest.raises(clsolve.DeviceMemoryError):
        clsolve.det(a)


def test_one_matrix_and_many_sides(rng):
    for n in (4, 70):
        a, b = rng.uniform(-1, 1, (n, n)) + 2 * np.eye(n), rng.uniform(-1, 1, (3, 2, n, 2))
        for given in (a, a[None]):
            solved(a, clsolve.solve(given, b), b)
            solved(a.T, clsolve.solve(given, b, transposed=True), b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clsolve.solve(np.ones((1, 1)) * 2, np.ones((3, 1, 1))).tolist() == [[[0.5]]] * 3


# ---- members with NaN and Inf ----


def with_bad_members(a, bad=((1,), (3,))):
    """A copy, of which the members of these indices hold NaN or Inf in both triangles."""
    a = a.copy()
    for index, value in zip(bad, (np.nan, np.inf)):
        a[index][..., -1, 0] = a[index][..., 0, -1] = value
    return a


def nan_in(x, bad):
    """All elements of the bad members are NaN, and none of the others."""
    flat = np.isnan(x).reshape(x.shape[0], -1)
    return flat[bad].all() and not np.delete(flat, bad, axis=0).any()


def solved_but(bad, a, x, b):
    assert nan_in(x, bad)
    solved(*(np.delete(np.broadcast_to(y, (len(x), *y.shape[-2:])), bad, axis=0) for y in (a, x, b)))


QUIET = {"check_finite": False}


@pytest.mark.parametrize("n, dtype", CASES)
def test_bad_members_become_nan(rng, n, dtype):
    a = stack(rng, (5, n, n), dtype) + 2 * n * np.eye(n, dtype=dtype)
    a = a + a.conj().swapaxes(-1, -2)
    b, one = stack(rng, (5, n, 2), dtype), np.eye(n, dtype=dtype)
    spoilt, bad = with_bad_members(a), [1, 3]
    for call in (clsolve.inv, clsolve.lu_factor, clsolve.cholesky, clsolve.cho_factor):
        with pytest.raises(ValueError, match="infs or NaNs"):
            call(spoilt)
    solved_but(bad, a, clsolve.solve(spoilt, b, **QUIET), b)
    solved_but(bad, a, clsolve.inv(spoilt, **QUIET), one)
    assert nan_in(clsolve.det(spoilt, **QUIET), bad)
    lu = clsolve.lu_factor(spoilt, rcond=True, **QUIET)
    assert list(lu.info) == [0, -1, 0, -1, 0]
    solved_but(bad, a, lu.solve(b), b)
    solved_but(bad, a, lu.inv(), one)
    assert nan_in(lu.det(), bad) and nan_in(lu.rcond, bad) and nan_in(lu.factors()[0], bad)
    chol = clsolve.cho_factor(spoilt, lower=True, **QUIET)
    assert list(chol.info) == [0, -1, 0, -1, 0]
    solved_but(bad, a, clsolve.cho_solve(chol, b), b)
    solved_but(bad, a, chol.inv(), one)
    c = clsolve.cholesky(spoilt, lower=True, **QUIET)
    np.testing.assert_array_equal(c, chol.factors()[0])
    assert nan_in(c[:, -1, 0], bad)
    if n <= 64:
        ldl = clsolve.ldl_factor(spoilt, **QUIET)
        solved_but(bad, a, ldl.solve(b), b)
        solved_but(bad, a, ldl.inv(), one)
        assert nan_in(ldl.slogdet()[1], bad) and nan_in(ldl.factors()[0], bad)
        assert [tuple(counts) for counts in ldl.inertia()] == [(-1,) * 3 if m in bad else (n, 0, 0) for m in range(5)]


def test_bad_members_among_others(rng):
    n, bad = 5, [1, 3]
    a, b = stack(rng, (5, n, n), np.float64) + 5 * np.eye(n), stack(rng, (5, n, 2), np.float64)
    spoilt, sides, singular = with_bad_members(a), b.copy(), with_bad_members(a)
    sides[2, 1, 0] = np.inf
    solved_but([2], a, clsolve.solve(a, sides, **QUIET), b)
    solved_but([2], a[0], clsolve.solve(a[0], sides, **QUIET), b)
    assert np.isnan(clsolve.solve(spoilt[1], b, **QUIET)).all()
    for options in ({"refine": True}, {"pivoting": "rbt"}):  # one member after the other
        solved_but(bad, a, clsolve.solve(spoilt, b, **QUIET, **options), b)
    p, low, up = clsolve.lu(spoilt, **QUIET)
    assert nan_in(low, bad) and nan_in(up, bad)
    np.testing.assert_allclose(np.delete(p @ low @ up, bad, axis=0), np.delete(a, bad, axis=0), atol=1e-12)
    lu = clsolve.lu_factor(spoilt, **QUIET)
    solved_but(bad, a, clsolve.lu_solve(lu.factors(), b, **QUIET), b)
    c = clsolve.cholesky(a @ a.swapaxes(-1, -2))
    c[1, 0, 0] = np.nan
    solved_but([1], a @ a.swapaxes(-1, -2), clsolve.cho_solve((c, False), b, **QUIET), b)
    singular[4] = 0
    with pytest.raises(clsolve.LinAlgError, match="member 4"):  # as numpy does
        clsolve.solve(singular, b, **QUIET)
    with pytest.raises(ValueError, match="infs or NaNs"):  # a single system
        clsolve.solve(spoilt[1], b[1], **QUIET)
