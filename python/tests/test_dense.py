"""Dense systems: residuals, types, orders, batches, errors."""

import os
import warnings

import numpy as np
import pytest
import scipy.linalg

import clsolve
from ratios import accept, norm1, solve_ratio

SIZES = [1, 2, 3, 5, 31, 32, 33, 64, 65, 97, 130]
TYPES = [np.float32, np.float64]


def matrix(rng, n, dtype, order="C"):
    return np.asarray(rng.uniform(-1, 1, (n, n)), dtype=dtype, order=order)


def test_runs_where_its_environment_says(rng):
    where = clsolve.lu_factor(matrix(rng, 5, np.float64)).report.where
    wanted = {"never": "device", "always": "host"}.get(os.environ.get("CLSOLVE_HOST", ""))
    assert wanted in (None, where)


# ---- solve ----


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solve(rng, n, dtype):
    for order in "CF":
        for nrhs in (None, 1, 3):
            a = matrix(rng, n, dtype, order)
            b = rng.uniform(-1, 1, n if nrhs is None else (n, nrhs)).astype(dtype)
            a0, b0 = a.copy(), b.copy()
            x = clsolve.solve(a, b)
            assert x.shape == b.shape and x.dtype == dtype
            accept(solve_ratio(a, x, b))
            assert (a == a0).all() and (b == b0).all()
            accept(solve_ratio(a.T, clsolve.solve(a, b, transposed=True), b))


def test_empty():
    assert clsolve.solve(np.empty((0, 0)), np.empty(0)).shape == (0,)
    assert clsolve.solve(np.empty((0, 0)), np.empty((0, 2))).shape == (0, 2)
    assert clsolve.solve(np.eye(3), np.empty((3, 0))).shape == (3, 0)
    assert clsolve.solve(np.empty((0, 3, 3)), np.empty((0, 3, 1))).shape == (0, 3, 1)
    assert clsolve.inv(np.empty((0, 0))).shape == (0, 0)
    assert clsolve.det(np.empty((0, 0))) == 1
    assert clsolve.solve(2.0, [4.0, 6.0]).tolist() == [2, 3] and clsolve.solve([[2.0]], 4.0) == 2
    assert clsolve.solve_banded((0, 0), np.empty((1, 0)), np.empty(0)).shape == (0,)


@pytest.mark.parametrize(
    "kind_a, kind_b, result",
    [
        ("f4", "f4", "f4"),
        ("f4", "f8", "f8"),
        ("f8", "f4", "f8"),
        ("i4", "f4", "f8"),
        ("i2", "f4", "f4"),
        ("i8", "i8", "f8"),
        ("?", "f4", "f4"),
        ("f2", "f2", "f4"),
        (">f8", "<f8", "f8"),
        (">f4", "<f4", "f4"),
        ("u1", "u1", "f8"),
    ],
)
def test_types_are_promoted(kind_a, kind_b, result):
    a, b = np.eye(3, dtype=kind_a), np.ones(3, dtype=kind_b)
    x = clsolve.solve(a, b)
    assert x.dtype == np.dtype(result) and x.dtype.isnative
    assert (x == 1).all()


@pytest.mark.parametrize("kind", ["O", "g", "G", "U3"])
def test_other_types_are_refused(kind):
    a = np.eye(2).astype(kind)
    for call in (
        lambda: clsolve.solve(a, np.ones(2)),
        lambda: clsolve.inv(a),
        lambda: clsolve.lu_factor(a),
        lambda: clsolve.det(a),
        lambda: clsolve.solve(np.eye(2), a),
    ):
        with pytest.raises(TypeError):
            call()


def test_views_are_not_copied(rng):
    from clsolve._numpy import matrix_view, readable

    big = rng.uniform(-1, 1, (40, 50))
    for view in (big, big.T, big[3:20, 5:22], big.T[3:20, 5:22], big[:, 7:8], big[9:10, :], big[::2, 3:20], big[:, :1]):
        used, _ = readable(view, np.dtype(float))
        assert used is view
    for view in (big[:, ::2], big[::-1], big[::2, ::2], np.broadcast_to(big[:1], (3, 50))):
        assert matrix_view(view) is None or view.strides[0] > 0 and view.shape[0] == 1
        used, _ = readable(view, np.dtype(float))
        assert used is not view


def test_strided_views_are_solved(rng):
    big = rng.uniform(-1, 1, (120, 130))
    for a in (big[3:40, 5:42], big.T[3:40, 5:42], big[::2, ::2][:37, :37], big[36::-1, :37], big[:74:2, :37]):
        b = rng.uniform(-1, 1, (74, 6))[::2, ::3]
        accept(solve_ratio(a, clsolve.solve(a, b), b))


def test_overwrite_b(rng):
    a = matrix(rng, 7, np.float64)
    for b in (
        rng.uniform(-1, 1, 7),
        rng.uniform(-1, 1, (7, 2)),
        np.asfortranarray(rng.uniform(-1, 1, (7, 2))),
        rng.uniform(-1, 1, 14)[::2],
        rng.uniform(-1, 1, (7, 5))[:, 1:3],
    ):
        before = b.copy()
        x = clsolve.solve(a, b, overwrite_b=True)
        assert np.shares_memory(x, b)
        assert (x == b).all()
        accept(solve_ratio(a, x, before))
    fixed = np.ones(7)
    fixed.flags.writeable = False
    accept(solve_ratio(a, clsolve.solve(a, fixed, overwrite_b=True), fixed))
    integers = np.ones(7, int)
    clsolve.solve(a, integers, overwrite_b=True)
    assert (integers == 1).all()


def test_b_is_unchanged_by_a_failure():
    for bad, error in ((np.zeros((3, 3)), clsolve.LinAlgError), (np.full((3, 3), np.nan), ValueError)):
        b = np.arange(3.0)
        with pytest.raises(error):
            clsolve.solve(bad, b, overwrite_b=True)
        assert (b == np.arange(3.0)).all()


def test_errors_say_what_is_wrong():
    with pytest.raises(clsolve.LinAlgError, match="singular"):
        clsolve.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    with pytest.raises(np.linalg.LinAlgError):
        clsolve.inv(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve(np.eye(2), [1.0, np.inf])
    with pytest.raises(ValueError, match=r"square.*\(2, 3\)"):
        clsolve.solve(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match=r"\(2, 2\).*\(3,\)"):
        clsolve.solve(np.eye(2), np.ones(3))
    with pytest.raises(ValueError, match="'auto', 'device', 'host'"):
        clsolve.solve(np.eye(2), np.ones(2), where="gpu")
    with pytest.raises(ValueError, match="trans"):
        clsolve.lu_factor(np.eye(2)).solve(np.ones(2), trans="X")


def test_arguments_are_verified():
    eye = np.eye(2)
    for call in (
        clsolve.inv,
        clsolve.lu_factor,
        clsolve.det,
        clsolve.cond,
        lambda a, **given: clsolve.solve(a, a, **given),
    ):
        with pytest.raises(TypeError, match="give a clsolve.Context"):
            call(eye, context="cpu")
    for a, b in ((2.0, 3.0), (eye, np.ones(2))):
        with pytest.raises(ValueError, match="precision is 'bogus'"):
            clsolve.solve(a, b, precision="bogus")
    with pytest.raises(ValueError, match="precision is 'bogus'"):
        clsolve.lu_factor(np.ones((3, 2)), precision="bogus")
    with pytest.raises(clsolve.LinAlgError, match="square"):
        clsolve.slogdet(np.ones((2, 3)))
    with pytest.raises(ValueError, match="square"):
        clsolve.det(np.ones((2, 3)))
    with pytest.raises(TypeError):
        clsolve.solve_banded((1.5, 1), np.ones((3, 3)), np.ones(3))


def test_messages_have_pythons_words():
    from clsolve._errors import exception

    with pytest.raises(ValueError, match="give float64"):
        clsolve.solve(np.eye(2, dtype="f4"), np.ones(2, "f4"), precision="mixed")
    with pytest.raises(clsolve.UnsupportedError, match='was removed: use pivoting="partial" or pivoting="rbt"'):
        clsolve.lu_factor(np.eye(2), pivoting="tournament")
    with pytest.raises(ValueError, match="a norm is a number from 0$"):
        clsolve.lu_factor(np.eye(2), precision="working").cond(a=-1.0)
    for words, expected in (
        ("give CLSOLVE_F32 or CLSOLVE_F64", "give float32 or float64"),
        ("; use CLSOLVE_METHOD_LU", '; use method="lu"'),
        ("CLSOLVE_METHOD_BLOCK_GS", 'method="block_gs"'),
        ("do: leave `where` 0", 'do: leave where="auto"'),
        ("; set `where` to CLSOLVE_WHERE_HOST", '; give where="host"'),
        ("CLSOLVE_PRECISION_WORKING, without", 'precision="working", without'),
    ):
        assert str(exception(-1, words)) == expected


def test_ill_conditioned_matrices_are_told_of():
    a = scipy.linalg.hilbert(14)
    with pytest.warns(scipy.linalg.LinAlgWarning) as told:
        clsolve.solve(a, np.ones(14))
    assert issubclass(told[0].category, clsolve.LinAlgWarning)
    assert told[0].filename == __file__
    for matrices in (a, np.stack([np.eye(14), a])):
        with pytest.warns(clsolve.LinAlgWarning) as told:
            clsolve.inv(matrices)
        assert told[0].filename == __file__
    with pytest.warns(clsolve.LinAlgWarning, match="at most|rcond="):  # float32 factors have no more than a bound
        clsolve.solve(a, a @ np.ones(14), precision="mixed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clsolve.solve(a, np.ones(14), rcond=False)
        clsolve.solve(np.diag([1.0, 1e-9]), np.ones(2))


@pytest.mark.parametrize("structure", ["sym", "her", "pos", "positive definite"])
def test_structures_read_one_triangle(rng, structure):
    half = rng.uniform(-1, 1, (9, 9))
    full = half @ half.T + np.eye(9)
    for lower, part in ((False, np.triu(full)), (True, np.tril(full))):
        x = clsolve.solve(part, np.ones(9), lower=lower, assume_a=structure)
        accept(solve_ratio(full, x, np.ones(9)))
    x = clsolve.solve(full, np.ones(9), assume_a="upper triangular")
    accept(solve_ratio(np.triu(full), x, np.ones(9)))
    with pytest.raises(ValueError, match="not a recognized"):
        clsolve.solve(full, np.ones(9), assume_a="round")


@pytest.mark.parametrize(
    "options", [{"precision": "mixed"}, {"refine": True}, {"equilibrate": True}, {"where": "device"}]
)
def test_options(rng, options):
    a, b = matrix(rng, 40, np.float64), rng.uniform(-1, 1, 40)
    accept(solve_ratio(a, clsolve.solve(a, b, **options), b))
    lu = clsolve.lu_factor(a, **options)
    accept(solve_ratio(a, lu.solve(b), b))
    if "precision" in options:
        assert lu.report.precision == "mixed"
    if "where" in options:
        assert lu.report.where == "device"


# ---- batches ----


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 17, 64, 65, 70])
def test_batches_broadcast_as_numpy(rng, n, dtype):
    for shape_a, shape_b in (((4,), (4,)), ((2, 3), (2, 3)), ((), (4,)), ((4,), ()), ((2, 1), (1, 3)), ((1,), (1,))):
        a = (rng.uniform(-1, 1, shape_a + (n, n)) + 2 * n * np.eye(n)).astype(dtype)
        b = rng.uniform(-1, 1, shape_b + (n, 2)).astype(dtype)
        a0, b0 = a.copy(), b.copy()
        x = clsolve.solve(a, b)
        shape = np.broadcast_shapes(shape_a, shape_b)  # numpy 1 takes some stacks of matrices for vectors
        expected = np.linalg.solve(np.broadcast_to(a, shape + (n, n)), np.broadcast_to(b, shape + (n, 2)))
        assert x.shape == expected.shape and x.dtype == dtype
        np.testing.assert_allclose(x, expected, rtol=0, atol=100 * np.finfo(dtype).eps)
        assert (a == a0).all() and (b == b0).all()
    a = rng.uniform(-1, 1, (3, n, n)) + 2 * n * np.eye(n)
    for transposed in (False, True):
        x = clsolve.solve(a, np.ones(n), transposed=transposed)
        assert x.shape == (3, n)
        for member in range(3):
            accept(solve_ratio(a[member].T if transposed else a[member], x[member], np.ones(n)))


@pytest.mark.parametrize("n", [3, 66])
def test_a_member_without_a_solution_is_named(n):
    a = np.broadcast_to(np.eye(n), (4, n, n)).copy()
    a[2, 1, 1] = 0
    b = np.ones((4, n, 1))
    with pytest.raises(clsolve.LinAlgError, match="member .*2"):
        clsolve.solve(a, b)
    with pytest.raises(clsolve.LinAlgError):
        clsolve.inv(a)
    a[2, 1, 1] = np.nan
    with pytest.raises(ValueError):
        clsolve.solve(a, b)
    assert clsolve.det(np.where(np.isnan(a), 0, a)).tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize("n", [3, 66])
def test_every_call_names_the_member(n):
    """By its number, or by its index where the stack has more than one axis; a matrix by itself is no member."""
    bad = np.stack([np.eye(n)] * 6)
    bad[4, 2, 1] = bad[4, 1, 2] = np.nan
    calls = [
        clsolve.det,
        clsolve.slogdet,
        clsolve.inv,
        clsolve.lu,
        clsolve.cholesky,
        lambda a: clsolve.solve(a, np.ones(n)),
    ]
    for call in calls:
        for shape, name in (((6,), "member 4"), ((2, 3), r"member \(1, 1\)")):
            with pytest.raises(ValueError, match=name + r"\b|" + name):
                call(bad.reshape(shape + (n, n)))
        with pytest.raises(ValueError) as error:
            call(bad[4])
        assert "member" not in str(error.value)
    bad[4] = 0
    for call in (clsolve.inv, clsolve.cholesky, lambda a: clsolve.solve(a, np.ones(n))):
        with pytest.raises(clsolve.LinAlgError, match="member 4"):
            call(bad)


def test_messages_name_what_was_given():
    with pytest.raises(ValueError, match=r"a has shape \(2,\)"):
        clsolve.solve([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="infs or NaNs: clsolve_"):
        clsolve.solve([[np.nan]], [1.0])
    np.testing.assert_array_equal(clsolve.solve([2.0], [4.0]), [2.0])


@pytest.mark.parametrize("n", [3, 66])
def test_overflow_is_told_from_nonfinite_input(n):
    """Where the input is finite it is a LinAlgError, for a batch as for one system."""
    tiny, large = np.stack([np.eye(n), np.eye(n) * 1e-300]), np.full(n, 1e300)
    for a in (tiny, tiny[1]):
        with pytest.raises(clsolve.LinAlgError):
            clsolve.solve(a, large)
        with pytest.raises(clsolve.LinAlgError):
            clsolve.inv(a * 1e-10)
    for call in (
        lambda: clsolve.solve(tiny, np.full(n, np.nan)),
        lambda: clsolve.solve(np.where(tiny == 1, np.inf, tiny), large),
        lambda: clsolve.inv(np.where(tiny == 1, np.nan, tiny)),
    ):
        with pytest.raises(ValueError, match="infs or NaNs") as error:
            call()
        assert not isinstance(error.value, clsolve.LinAlgError)


@pytest.mark.parametrize(
    "dtype, exponent", [(np.float64, -1060), (np.complex128, -1060), (np.float32, -143), (np.complex64, -143)]
)
@pytest.mark.parametrize("n", [5, 33])
def test_batches_of_numbers_near_the_smallest(dtype, exponent, n):
    """As a whole, and in one column: [2s 1; s 1]. One member is of ordinary numbers. The kernels have tests in C."""
    unit, x = 2.0**exponent, 1.0 + np.arange(n) % 5
    full = 2 * n * np.eye(n) + np.triu(np.ones((n, n))) * (1j if np.dtype(dtype).kind == "c" else 1)
    full = full + full.conj().T
    a, b = np.stack([full * unit, full]).astype(dtype), np.stack([full @ x * unit, full @ x]).astype(dtype)
    for options in ({}, {"assume_a": "pos"}):
        found = clsolve.solve(a, b[..., None], where="host", **options)[..., 0]
        assert np.abs(found - x).max() <= 64 * np.finfo(dtype).eps
    full[:, n // 2] *= unit  # a pair of steps has a tiny second pivot, or a first one
    full[:, n // 2 + 1] *= unit
    x[n // 2] = x[n // 2 + 1] = 0
    a = np.stack([full, np.roll(full, 1, 1)]).astype(dtype)
    found = clsolve.solve(a, np.stack([full @ x] * 2).astype(dtype)[..., None], where="host")[..., 0]
    for member, shift in ((0, 0), (1, 1)):
        inside = np.roll(x, shift) != 0
        assert np.abs(found[member] - np.roll(x, shift))[inside].max() <= 64 * np.finfo(dtype).eps
    s = 2.0 ** (-1030 if np.finfo(dtype).nmant > 30 else -130)
    a, b = np.array([[2 * s, 1], [s, 1]], dtype), np.array([2 * s, s], dtype)
    found = clsolve.solve(np.stack([a, a]), np.stack([b, b])[..., None], where="host")[..., 0]
    assert (found == [1, 0]).all()


@pytest.mark.parametrize("n", [3, 66])
def test_options_of_batches(n):
    a = np.stack([np.eye(n)] * 4).reshape(2, 2, n, n)
    for call in (lambda **given: clsolve.solve(a, np.ones(n), **given), lambda **given: clsolve.inv(a, **given)):
        said = []
        call(progress=lambda phase, fraction: said.append(fraction))
        assert said and said[-1] == 1 and said == sorted(said)
        with pytest.raises(TypeError, match="progress"):
            call(progress=5)
        with pytest.raises(ValueError, match="where is 'bogus'"):
            call(where="bogus")
        assert (call(where="host") == call()).all()

        def stop(phase, fraction):
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            call(progress=stop)


# ---- factors ----


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_lu_is_reused(rng, n, dtype):
    a = matrix(rng, n, dtype)
    lu = clsolve.lu_factor(a)
    for trans, op in ((0, a), ("N", a), (1, a.T), ("T", a.T), (2, a.T), ("c", a.T), ("H", a.T)):
        for b in (rng.uniform(-1, 1, n).astype(dtype), np.asfortranarray(rng.uniform(-1, 1, (n, 4)).astype(dtype))):
            accept(solve_ratio(op, lu.solve(b, trans=trans), b))
            accept(solve_ratio(op, clsolve.lu_solve(lu, b, trans), b))
    other = matrix(rng, n, dtype)
    accept(solve_ratio(other, lu.factor(other).solve(np.ones(n)), np.ones(n)))
    assert lu.report.n == n and lu.report.status == "OK" and "total" in lu.report.seconds


@pytest.mark.parametrize("n", [1, 2, 40, 97])
def test_factors_are_lapacks(rng, n):
    a = matrix(rng, n, np.float64)
    lu, piv = clsolve.lu_factor(a, precision="working")
    accept(solve_ratio(a, scipy.linalg.lu_solve((lu, piv), np.ones(n)), np.ones(n)))
    accept(solve_ratio(a, clsolve.lu_solve((lu, piv), np.ones(n)), np.ones(n)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, *SIZES])
def test_factors_of_scipy(rng, n, dtype):
    """Factors from elsewhere: solves, determinant, and the factors back, in both orders and types of the pivots."""
    a = matrix(rng, n, dtype)
    given, piv = scipy.linalg.lu_factor(a) if n else (a, np.zeros(0, np.int32))
    for lu, exchanges in ((given, piv), (np.ascontiguousarray(given), piv.astype(np.int64)), (given, piv.tolist())):
        made = clsolve.LU.from_factors(lu, exchanges)
        assert made.dtype == dtype
        for trans, op in ((0, a), (1, a.T)):
            b = rng.uniform(-1, 1, (n, 3)).astype(dtype)
            accept(solve_ratio(op, made.solve(b, trans=trans), b))
        back, piv_back = made.factors()
        np.testing.assert_array_equal(back, given)
        np.testing.assert_array_equal(piv_back, piv)
        sign = (-1) ** np.count_nonzero(piv != np.arange(n))  # the determinant of these factors, whatever a's is
        tolerance = max(1e-8, 10 * np.finfo(dtype).eps)  # a device multiplies in the type of the factors
        np.testing.assert_allclose(made.det(), sign * np.prod(np.diag(given).astype(float)), rtol=tolerance)
    b = np.ones(n, dtype)
    accept(solve_ratio(a, clsolve.lu_solve((given, piv), b), b))
    other = matrix(rng, n, dtype)
    accept(solve_ratio(other, made.factor(other).solve(b), b))


def test_factors_that_are_refused():
    eye = np.eye(3)
    for piv, why in (([0, 0, 2], "ipiv"), ([0, 1, 3], "ipiv"), ([0, 1], "3 integers"), ([0.0, 1.0, 2.0], "integers")):
        with pytest.raises(ValueError, match=why):
            clsolve.LU.from_factors(eye, piv)
    with pytest.raises(ValueError, match="square"):
        clsolve.LU.from_factors(np.ones((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="NaN|infs"):
        clsolve.LU.from_factors(np.full((2, 2), np.nan), [0, 1])
    with pytest.raises(TypeError, match="complex256"):
        clsolve.LU.from_factors(np.eye(2, dtype=np.clongdouble), [0, 1])
    with pytest.warns(clsolve.LinAlgWarning, match="Diagonal number 2") as told:
        lu = clsolve.LU.from_factors([[1.0, 2.0], [0.5, 0.0]], [1, 1])
    assert told[0].filename == __file__ and lu.det() == 0 and lu.cond(a=1.0) == np.inf and lu.cond() == np.inf
    for call in (lambda: lu.solve(np.ones(2)), lu.inv):
        with pytest.raises(clsolve.LinAlgError):
            call()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, *SIZES])
def test_condition_and_inverse_of_factors(rng, n, dtype):
    a = matrix(rng, n, dtype)
    given, piv = scipy.linalg.lu_factor(a) if n else (a, np.zeros(0, np.int32))
    gecon = scipy.linalg.get_lapack_funcs("gecon", (a,))
    for lu in (clsolve.lu_factor(a, precision="working"), clsolve.LU.from_factors(given, piv)):
        x = lu.inv()
        assert x.dtype == dtype and x.shape == (n, n)
        if n == 0:
            with pytest.raises(clsolve.LinAlgError, match="empty"):
                lu.cond()
            continue
        accept(norm1(np.eye(n) - a.astype(float) @ x) / (norm1(a) * norm1(x) * n * np.finfo(dtype).eps))
        for norm, letter in ((1, "1"), (np.inf, "I")):
            size = np.linalg.norm(a, norm)
            exact = np.linalg.cond(a.astype(float), norm)
            found = lu.cond(norm, a=a)
            assert found == lu.cond(norm, a=float(np.linalg.norm(a.astype(float), norm)))
            assert exact / 10 < found < exact * (1 + 100 * n * exact * np.finfo(dtype).eps)
            lapack = 1 / gecon(given, size, norm=letter)[0]
            assert lapack / 3 < found < 3 * lapack
    if n:
        known = clsolve.lu_factor(a, rcond=True, precision="working")
        assert known.cond() == pytest.approx(1 / known.rcond)
        for call in (lambda: lu.cond(), lambda: known.cond(np.inf)):
            with pytest.raises(ValueError, match="give a="):
                call()
        with pytest.raises(ValueError, match="shape"):
            lu.cond(a=np.ones(n + 1))
        with pytest.raises(ValueError, match="1 or inf"):
            lu.cond(2)


def test_inverse_of_mixed_factors(rng):
    a = matrix(rng, 40, np.float64)
    lu = clsolve.lu_factor(a, precision="mixed")
    accept(norm1(np.eye(40) - a @ lu.inv()) / (norm1(a) * norm1(np.linalg.inv(a)) * 40 * np.finfo(float).eps))
    if lu.report.precision == "mixed":
        with pytest.raises(clsolve.UnsupportedError):
            lu.cond(a=a)


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (7, 3), (3, 7), (50, 20), (0, 3)])
def test_lu(rng, shape):
    a = rng.uniform(-1, 1, shape)
    p, l, u = clsolve.lu(a)
    eps = np.finfo(float).eps
    if a.size:
        accept(norm1(p @ l @ u - a) / (norm1(a) * max(shape) * eps))
        pl, u2 = clsolve.lu(a, permute_l=True)
        np.testing.assert_array_equal(pl, p @ l)
        index, l3, _ = clsolve.lu(a, p_indices=True)
        np.testing.assert_array_equal(l3[index], p @ l)
    assert (np.tril(l, -1) + np.eye(*l.shape) == l).all() and (np.triu(u) == u).all()
    stack = clsolve.lu(np.stack([a, 2 * a]))
    np.testing.assert_allclose(stack[0][0], p)
    np.testing.assert_allclose(stack[2][1], 2 * u)
    assert l.shape == (shape[0], min(shape)) and u.shape == (min(shape), shape[1])


def test_singular_factors():
    with pytest.warns(clsolve.LinAlgWarning, match="Diagonal number 2"):
        lu = clsolve.lu_factor([[1.0, 2.0], [2.0, 4.0]])
    assert lu.det() == 0 and lu.slogdet() == (0, -np.inf)
    with pytest.raises(clsolve.LinAlgError):
        lu.solve(np.ones(2))
    assert clsolve.cond(np.ones((3, 3))) == np.inf


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_inverse_and_determinant(rng, n, dtype):
    a = (rng.uniform(-1, 1, (n, n)) + 3 * np.eye(n)).astype(dtype)
    x = clsolve.inv(a)
    eps = np.finfo(dtype).eps
    accept(norm1(np.eye(n) - a.astype(float) @ x) / (norm1(a) * norm1(x) * n * eps))
    assert x.dtype == dtype
    sign, logarithm = clsolve.slogdet(a)
    expected = np.linalg.slogdet(a.astype(float))
    assert sign == expected[0]
    assert abs(logarithm - expected[1]) < 30 * n * eps * (1 + abs(expected[1]))
    assert sign.dtype == logarithm.dtype == dtype and clsolve.det(a).dtype == np.float64
    own = a.copy()
    assert clsolve.inv(own, overwrite_a=True) is own
    np.testing.assert_array_equal(own, x)


def test_inverse_of_batches(rng):
    for n in (2, 33, 66):
        a = rng.uniform(-1, 1, (2, 3, n, n)) + 3 * np.eye(n)
        np.testing.assert_allclose(clsolve.inv(a), np.linalg.inv(a), atol=1e-10)
        np.testing.assert_allclose(clsolve.slogdet(a)[1], np.linalg.slogdet(a)[1], rtol=1e-10)
    assert clsolve.det(np.eye(2) * 1e200) == np.inf


@pytest.mark.parametrize("n", [1, 5, 64, 100])
def test_condition(rng, n):
    a = rng.uniform(-1, 1, (n, n)) + np.eye(n)
    for p in (1, np.inf):
        exact = np.linalg.cond(a, p)
        assert abs(clsolve.cond(a, p, exact=True) / exact - 1) < 1e-6
        assert exact / 10 < clsolve.cond(a, p) < exact * 1.001
    with pytest.raises(ValueError, match="singular values"):
        clsolve.cond(a, 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exact", [False, True])
def test_condition_at_the_ends_of_the_range(exact):
    for size in (9e307, np.finfo(float).max, 1e-310, 5e-324):
        a = size * np.eye(3)
        assert clsolve.cond(a, exact=exact) == pytest.approx(1, rel=1e-12)
        assert clsolve.cond(a, np.inf, exact=exact) == pytest.approx(1, rel=1e-12)
    for size in (np.finfo(float).max, 1e-310):
        triangle = np.triu(np.full((3, 3), size))
        assert 6 / 3.001 < clsolve.cond(triangle, exact=exact) < 6.001
    part = np.finfo(float).max / 2
    assert 6 / 3.001 < clsolve.cond(np.triu(np.full((3, 3), part + 1j * part)), exact=exact) < 6.001
    assert clsolve.cond((3e38 * np.eye(3)).astype(np.float32), exact=exact) == pytest.approx(1, rel=1e-6)
    assert clsolve.cond(np.diag([1e300, 1e-300]), exact=exact) == np.inf


@pytest.mark.filterwarnings("error")
def test_condition_of_factors_at_the_ends_of_the_range():
    triangle = np.triu(np.full((3, 3), np.finfo(float).max))
    for factors in (clsolve.lu_factor(triangle), clsolve.cho_factor(np.diag(np.diag(triangle)))):
        a = triangle if isinstance(factors, clsolve.LU) else np.diag(np.diag(triangle))
        assert 1 - 1e-12 < factors.cond(a=a) < 6.001
    for size in (1e-310, 5e-324):
        assert clsolve.lu_factor(size * np.eye(3)).cond(a=size * np.eye(3)) == pytest.approx(1)
    assert clsolve.lu_factor([[1.79e308]]).det() == pytest.approx(1.79e308) == clsolve.det([[1.79e308]])


def test_an_ill_conditioned_matrix_warns_at_the_ends_of_the_range():
    hilbert = scipy.linalg.hilbert(12)
    for size in (5e307, 1.0, 1e-290):
        for call in (
            lambda a: clsolve.solve(a, np.full(12, min(size, 1.0))),
            lambda a: clsolve.solve(a, np.full(12, min(size, 1.0)), where="device"),
            lambda a: clsolve.inv(np.stack([a, a])),
        ):
            with pytest.warns(clsolve.LinAlgWarning, match="rcond=[1-9]"):
                call(hilbert * size)


def test_progress_and_its_exceptions(rng):
    a = matrix(rng, 300, np.float64)
    said = []
    lu = clsolve.lu_factor(a, progress=lambda phase, fraction: said.append((phase, fraction)), where="device")
    assert said and all(0 <= fraction <= 1 for _, fraction in said)
    assert said == sorted(said, key=lambda item: item[1])

    def stop(phase, fraction):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        clsolve.lu_factor(a, progress=stop, where="device")

    def calls_back(phase, fraction):
        lu.solve(np.ones(300))

    with pytest.raises(RuntimeError, match="progress function"):
        clsolve.lu_factor(a, progress=calls_back, where="device")
    accept(solve_ratio(a, lu.solve(np.ones(300)), np.ones(300)))

    class Bar:
        total, n = 40, 0

        def update(self, by):
            self.n += by

    bar = Bar()
    for _ in range(2):  # a bar is full after each call, and begins anew with the next one
        clsolve.lu_factor(a, progress=bar, where="device")
        assert bar.n == pytest.approx(40)
    clsolve.inv(np.stack([np.eye(3)] * 2), progress=bar)
    assert bar.n == pytest.approx(40)
    with pytest.raises(TypeError):
        clsolve.lu_factor(a, progress=3)
