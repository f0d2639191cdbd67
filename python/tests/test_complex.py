"""Complex systems: residuals, operations, types, determinants, inverses, batches, and families of real matrices."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import clsolve
from ratios import accept, norm1, solve_ratio

SIZES = [1, 2, 3, 5, 31, 33, 64, 65, 130]
TYPES = [np.complex64, np.complex128]


def draw(rng, shape, dtype=np.complex128):
    x = rng.uniform(-1, 1, shape)
    return (x + 1j * rng.uniform(-1, 1, shape)).astype(dtype) if np.dtype(dtype).kind == "c" else x.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solve_and_factors(rng, n, dtype):
    for order in "CF":
        a = np.asarray(draw(rng, (n, n), dtype), order=order)
        lu = clsolve.lu_factor(a)
        given = clsolve.LU.from_factors(*scipy.linalg.lu_factor(a))
        for shape in (n, (n, 1), (n, 3)):
            b = draw(rng, shape, dtype)
            a0, b0 = a.copy(), b.copy()
            x = clsolve.solve(a, b)
            assert x.shape == b.shape and x.dtype == dtype
            accept(solve_ratio(a, x, b))
            accept(solve_ratio(a.T, clsolve.solve(a, b, transposed=True), b))
            for factors in (lu, given):
                for trans, op in ((0, a), ("N", a), (1, a.T), ("T", a.T), (2, a.conj().T), ("C", a.conj().T)):
                    accept(solve_ratio(op, factors.solve(b, trans), b))
            assert (a == a0).all() and (b == b0).all()
        own = clsolve.solve(a, b, overwrite_b=True)
        assert np.shares_memory(own, b)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 3, 40, 97])
def test_inverse_determinant_condition(rng, n, dtype):
    a = (draw(rng, (n, n), dtype) + 2 * n * np.eye(n)).astype(dtype)
    double, tolerance = a.astype(complex), 300 * n * np.finfo(dtype).eps
    lu = clsolve.lu_factor(a)
    for x in (clsolve.inv(a), lu.inv()):
        assert x.dtype == dtype
        np.testing.assert_allclose(x.astype(complex) @ double, np.eye(n), atol=tolerance)
    sign, logarithm = clsolve.slogdet(a)
    wanted = np.linalg.slogdet(double)
    assert sign.dtype == dtype and logarithm.dtype == np.finfo(dtype).dtype and abs(abs(sign) - 1) < tolerance
    np.testing.assert_allclose([sign, logarithm], wanted, atol=tolerance, rtol=tolerance)
    np.testing.assert_allclose(lu.slogdet(), wanted, atol=tolerance, rtol=tolerance)
    if n < 50:
        np.testing.assert_allclose([clsolve.det(a), lu.det()], np.linalg.det(double), rtol=tolerance)
    for p in (1, np.inf):
        exact = np.linalg.cond(double, p)
        assert exact / 10 < clsolve.cond(a, p) < exact * (1 + tolerance)
        assert exact / 10 < lu.cond(p, a=a) < exact * (1 + tolerance)
        np.testing.assert_allclose(clsolve.cond(a, p, exact=True), exact, rtol=tolerance)
    low, up = clsolve.lu(a, permute_l=True)
    assert norm1(low @ up - a) < tolerance * norm1(a)
    assert clsolve.lu(a)[0].dtype == np.finfo(dtype).dtype


def test_singular_and_empty():
    singular = np.array([[1j, 2j], [2j, 4j]])
    with pytest.raises(clsolve.LinAlgError, match="singular"):
        clsolve.solve(singular, np.ones(2))
    assert clsolve.det(singular) == 0 and clsolve.cond(singular) == np.inf
    assert clsolve.slogdet(singular) == (0, -np.inf) and clsolve.slogdet(singular)[0].dtype == complex
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve(np.eye(2), np.array([1, complex(0, np.nan)]))
    assert clsolve.det(np.empty((0, 0), complex)) == 1 and clsolve.inv(np.empty((0, 0), complex)).dtype == complex
    assert clsolve.solve(np.empty((0, 3, 3), complex), np.empty((0, 3, 1))).shape == (0, 3, 1)


@pytest.mark.parametrize(
    "kind_a, kind_b, result",
    [
        ("c8", "c8", "c8"),
        ("c8", "f4", "c8"),
        ("f4", "c8", "c8"),
        ("c8", "f8", "c16"),
        ("f8", "c8", "c16"),
        ("c8", "i4", "c16"),
        ("i2", "c8", "c8"),
        ("c16", "?", "c16"),
        (">c16", "c8", "c16"),
    ],
)
def test_types_are_promoted(rng, kind_a, kind_b, result):
    for shape_a, shape_b in (((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (2, 3, 2))):
        a, b = np.broadcast_to(2 * np.eye(3, dtype=kind_a), shape_a), np.full(shape_b, 4).astype(kind_b)
        if b.dtype.kind == "c":
            b *= 1j
        x = clsolve.solve(a, b)
        assert x.dtype == np.dtype(result) and x.dtype.isnative
        assert (x == b / np.array(2, kind_a)).all() and x.shape == (b if b.ndim > 1 else x).shape


def test_real_factors_solve_for_complex_sides(rng):
    for kind, result in (("f4", "c8"), ("f8", "c16")):
        a = (rng.uniform(-1, 1, (20, 20)) + 8 * np.eye(20)).astype(kind)
        spd = (a @ a.T).astype(kind)
        for b in (draw(rng, 20), draw(rng, (20, 2))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for trans, op in ((0, a), (1, a.T), (2, a.T)):
                    x = clsolve.lu_factor(a).solve(b, trans)
                    assert x.dtype == result
                    accept(solve_ratio(op, x, b))
                accept(solve_ratio(spd, clsolve.cho_factor(spd).solve(b), b))
                accept(solve_ratio(spd, clsolve.solve(spd, b, assume_a="pos"), b))
                sparse = scipy.sparse.csr_matrix(np.triu(np.tril(a, 1), -1))
                dense = sparse.toarray()
                accept(solve_ratio(dense, clsolve.spsolve(sparse, b), b))
                accept(solve_ratio(dense.T, clsolve.splu(sparse).solve(b, "H"), b))
                ab = np.stack([np.append(0, np.diag(dense, 1)), np.diag(dense), np.append(np.diag(dense, -1), 0)])
                accept(solve_ratio(dense, clsolve.solve_banded((1, 1), ab.astype(kind), b.astype(result)), b))


@pytest.mark.parametrize("options", [{"precision": "mixed"}, {"refine": True}, {"equilibrate": True}])
def test_options(rng, options):
    a, b = draw(rng, (90, 90)) + 30 * np.eye(90), draw(rng, (90, 2))
    accept(solve_ratio(a, clsolve.solve(a, b, **options), b))
    lu = clsolve.lu_factor(a, **options)
    for trans, op in ((0, a), (1, a.T), (2, a.conj().T)):
        accept(solve_ratio(op, lu.solve(b, trans), b))
    assert lu.report.precision == ("mixed" if "precision" in options else "double")


@pytest.mark.parametrize("n", [1, 3, 20, 70])
def test_batches(rng, n):
    for dtype in TYPES:
        a, b = (draw(rng, (2, 2, n, n)) + 2 * n * np.eye(n)).astype(dtype), draw(rng, (2, n, 2), dtype)
        tolerance = 1e3 * n * np.finfo(dtype).eps
        for transposed, op in ((False, a), (True, np.swapaxes(a, -1, -2))):
            x = clsolve.solve(a, b, transposed=transposed)
            assert x.dtype == dtype
            np.testing.assert_allclose(x, np.linalg.solve(op, np.broadcast_to(b, (2, 2, n, 2))), atol=tolerance)
        np.testing.assert_allclose(clsolve.inv(a), np.linalg.inv(a), atol=tolerance)
        for mine, numpys in zip(clsolve.slogdet(a), np.linalg.slogdet(a)):
            np.testing.assert_allclose(mine, numpys, atol=tolerance, rtol=tolerance)
    a[1, 0] = 0
    with pytest.raises(clsolve.LinAlgError, match="member"):
        clsolve.solve(a, b)


def test_hermitian_and_symmetric_structures(rng):
    a, b = draw(rng, (9, 9)), draw(rng, 9)
    for assume, whole in (("her", a + a.conj().T), ("pos", a @ a.conj().T + np.eye(9)), ("sym", a + a.T)):
        for lower in (False, True):
            part = np.tril(whole) if lower else np.triu(whole)
            accept(solve_ratio(whole, clsolve.solve(part, b, lower=lower, assume_a=assume), b))


def test_operators_of_factors(rng):
    a, b = draw(rng, (12, 12)) + 6 * np.eye(12), draw(rng, 12)
    inverse = clsolve.lu_factor(a).as_operator()
    accept(solve_ratio(a, inverse.matvec(b), b))
    accept(solve_ratio(a.conj().T, inverse.rmatvec(b), b))


def test_a_call_that_takes_real_matrices_alone_says_so(rng):
    """The library decides: where it takes the type, the answer is right; else the error is a TypeError too."""
    diagonals = np.stack([draw(rng, 6), draw(rng, 6) + 6, draw(rng, 6)])
    dense = np.diag(diagonals[0, 1:], 1) + np.diag(diagonals[1]) + np.diag(diagonals[2, :-1], -1)
    spd, b = dense @ dense.conj().T, draw(rng, 6)
    sparse = scipy.sparse.csr_matrix(dense)
    for call, matrix in (
        (lambda: clsolve.solve_banded((1, 1), diagonals, b), dense),
        (lambda: clsolve.solve_tridiagonal(diagonals[2, :-1], diagonals[1], diagonals[0, 1:], b), dense),
        (lambda: clsolve.spsolve(sparse, b), dense),
        (lambda: clsolve.cho_factor(spd).solve(b), spd),
    ):
        try:
            accept(solve_ratio(matrix, call(), b))
        except clsolve.UnsupportedTypeError as error:
            assert isinstance(error, TypeError) and "real matrices alone" in str(error)
    for lossy in (
        lambda: clsolve.lu_factor(np.eye(2)).factor(1j * np.eye(2)),
        lambda: clsolve.splu(scipy.sparse.eye(6, format="csr")).factor(sparse),
        lambda: clsolve.Grid(-1.0, -1.0, 5.0, -1.0, -1.0, shape=(7, 7)).factor(-1.0, -1.0, 5j, -1.0, -1.0),
    ):
        with pytest.raises(TypeError, match="float64"):
            lossy()
    try:
        assert clsolve.Grid(-1.0, -1.0, 5j, -1.0, -1.0, shape=(7, 7)).dtype == complex
    except clsolve.UnsupportedTypeError:
        pass


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_grid_of_real_numbers_takes_complex_right_hand_sides(rng, dtype):
    grid = clsolve.Grid(*(np.full((6, 9), value, dtype) for value in (-1, -1, 4.5, -1, -1)))
    for shape in ((6, 9), (2, 6, 9)):
        f = draw(rng, shape, np.result_type(dtype, np.complex64))
        wanted = grid.solve(f.real.copy()) + 1j * grid.solve(f.imag.copy())
        for guess in (None, 0.5, f, f.real.copy()):
            y = grid.solve(f, guess)
            assert y.dtype == f.dtype and y.shape == shape
            assert np.abs(y - wanted).max() <= (1e-4 if dtype is np.float32 else 1e-8) * np.abs(wanted).max()
