"""Arrays of other packages, by each call: pyopencl, PyTorch, CuPy, CUDA's array interface."""

import numpy as np
import pytest

import clsolve
from packages import Cuda, CuPy, PyOpenCL, Torch
from ratios import accept, on_the_device, solve_ratio
from stand_in_torch import StandInTorch

TYPES = [np.float32, np.float64]


def on_host(part):
    """A number of any package's."""
    return np.asarray(part.cpu() if hasattr(part, "cpu") else part.get() if hasattr(part, "get") else part)


@pytest.fixture(params=[PyOpenCL, Torch, StandInTorch, CuPy, Cuda], scope="module")
def package(request):
    made = request.param()
    yield made
    if hasattr(made, "close"):
        made.close()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 33, 65, 130])
def test_solve(package, rng, n, dtype):
    for order in "CF":
        a = np.asarray(rng.uniform(-1, 1, (n, n)), dtype=dtype, order=order)
        for nrhs in (None, 1, 3):
            b = rng.uniform(-1, 1, n if nrhs is None else (n, nrhs)).astype(dtype)
            A, B = package.put(a), package.put(b)
            for transposed, op in ((False, a), (True, a.T)):
                x = clsolve.solve(A, B, transposed=transposed)
                assert tuple(x.shape) == b.shape and package.get(x).dtype == dtype
                accept(solve_ratio(op, package.get(x), b))
            np.testing.assert_array_equal(package.get(A), a)
            np.testing.assert_array_equal(package.get(B), b)
            own = clsolve.solve(A, B, overwrite_b=True)
            assert package.same(own, B)
            accept(solve_ratio(a, package.get(B), b))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 5, 65])
def test_factors_inverse_determinant(package, rng, n, dtype):
    a = (rng.uniform(-1, 1, (n, n)) + 2 * n * np.eye(n)).astype(dtype)
    A = package.put(a)
    lu = clsolve.lu_factor(A)
    for b in (rng.uniform(-1, 1, n).astype(dtype), rng.uniform(-1, 1, (n, 2)).astype(dtype)):
        accept(solve_ratio(a, package.get(lu.solve(package.put(b))), b))
        accept(solve_ratio(a.T, package.get(lu.solve(package.put(b), trans="T")), b))
        accept(solve_ratio(a, lu.solve(b), b))  # numpy's too: the factors are on the device
    other = (a + np.eye(n)).astype(dtype)
    accept(
        solve_ratio(other, package.get(lu.factor(package.put(other)).solve(package.put(np.ones(n, dtype)))), np.ones(n))
    )
    tolerance = 300 * n * np.finfo(dtype).eps
    np.testing.assert_allclose(package.get(clsolve.inv(A)) @ a, np.eye(n), atol=tolerance)
    sign, logarithm = (on_host(part) for part in clsolve.slogdet(A))
    np.testing.assert_allclose([sign, logarithm], np.linalg.slogdet(a.astype(float)), atol=tolerance, rtol=tolerance)
    for p in (1, np.inf):
        exact = np.linalg.cond(a.astype(float), p)
        assert exact / 10 < clsolve.cond(A, p) < exact * (1 + tolerance)
    det = clsolve.det(A)
    np.testing.assert_allclose(float(det), np.linalg.det(a.astype(float)), rtol=tolerance)
    np.testing.assert_array_equal(package.get(A), a)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("n", [1, 5, 65])
def test_complex(package, rng, n, dtype):
    a = (rng.uniform(-1, 1, (n, n)) + 1j * rng.uniform(-1, 1, (n, n)) + 2 * n * np.eye(n)).astype(dtype)
    b = (rng.uniform(-1, 1, (n, 2)) + 1j * rng.uniform(-1, 1, (n, 2))).astype(dtype)
    A, B = package.put(a), package.put(b)
    for transposed, op in ((False, a), (True, a.T)):
        x = package.get(clsolve.solve(A, B, transposed=transposed))
        assert x.dtype == dtype
        accept(solve_ratio(op, x, b))
    lu = clsolve.lu_factor(A)
    for trans, op in (("N", a), ("T", a.T), ("H", a.conj().T)):
        accept(solve_ratio(op, package.get(lu.solve(B, trans=trans)), b))
    tolerance = 300 * n * np.finfo(dtype).eps
    sign, logarithm = (on_host(part) for part in clsolve.slogdet(A))
    np.testing.assert_allclose([sign, logarithm], np.linalg.slogdet(a.astype(complex)), atol=tolerance, rtol=tolerance)
    np.testing.assert_allclose(complex(on_host(clsolve.det(A))), np.linalg.det(a.astype(complex)), rtol=tolerance)
    stack = np.stack([a, 2j * a])
    np.testing.assert_allclose(
        package.get(clsolve.solve(package.put(stack), package.put(np.stack([b, b])))),
        np.linalg.solve(stack, np.stack([b, b])),
        atol=tolerance,
    )
    for given in (a, stack):
        try:
            inverse = package.get(clsolve.inv(package.put(given)))
        except clsolve.UnsupportedTypeError:  # nothing is made of a package that is known by its interface alone
            assert isinstance(package, Cuda)
        else:
            np.testing.assert_allclose(inverse @ given, np.broadcast_to(np.eye(n), given.shape), atol=tolerance)
    with pytest.raises(TypeError, match="imaginary part"):
        clsolve.lu_factor(package.put(np.ascontiguousarray(a.real))).solve(B)
    if not isinstance(package, Cuda):
        real = np.ascontiguousarray(a.real)
        accept(solve_ratio(real, package.get(clsolve.solve(package.put(real), B)), b))


@pytest.mark.parametrize("n", [3, 20, 70])
def test_batches(package, rng, n):
    a = rng.uniform(-1, 1, (4, n, n)) + 2 * n * np.eye(n)
    b = rng.uniform(-1, 1, (4, n, 2))
    np.testing.assert_allclose(
        package.get(clsolve.solve(package.put(a), package.put(b))), np.linalg.solve(a, b), atol=1e-12
    )
    np.testing.assert_allclose(package.get(clsolve.inv(package.put(a))), np.linalg.inv(a), atol=1e-12)
    np.testing.assert_allclose(on_host(clsolve.det(package.put(a))), np.linalg.det(a), rtol=1e-10)
    np.testing.assert_allclose(on_host(clsolve.cond(package.put(a))), np.linalg.cond(a, 1), rtol=1e-10)
    lu = clsolve.lu_factor(package.put(a))
    for trans, op in (("N", a), ("T", a.swapaxes(-1, -2))):
        np.testing.assert_allclose(package.get(lu.solve(package.put(b), trans)), np.linalg.solve(op, b), atol=1e-12)
    own = package.put(b)
    assert package.same(lu.factor(package.put(2 * a)).solve(own, overwrite_b=True), own)
    np.testing.assert_allclose(package.get(own), np.linalg.solve(2 * a, b), atol=1e-12)
    a[2, 0, n - 1] = np.nan
    if not isinstance(package, Cuda):  # where nobody knows how to write NaN
        lu = clsolve.lu_factor(package.put(a), check_finite=False)
        for x, kind in (
            (clsolve.solve(package.put(a), package.put(b), check_finite=False), b),
            (clsolve.inv(package.put(a), check_finite=False), a),
            (lu.solve(package.put(b)), b),
        ):
            found = np.isnan(package.get(x))
            assert found.shape == kind.shape and found[2].all() and not found[[0, 1, 3]].any()
    a[1] = 0
    with pytest.raises(clsolve.LinAlgError, match="member .*1|singular"):
        clsolve.solve(package.put(a), package.put(b))


@pytest.mark.parametrize("dtype", TYPES + [np.complex64, np.complex128])
def test_inverses_apart_and_in_place(package, rng, dtype):
    """Inverses of matrices and of members, in either order. a stays without a solution, and without overwrite_a."""
    for shape in ((1, 1), (5, 5), (70, 70), (3, 5, 5), (2, 2, 20, 20), (2, 70, 70)):
        n = shape[-1]
        a = (rng.uniform(-1, 1, shape) + 2 * n * np.eye(n)).astype(dtype)
        for given in (a, np.asfortranarray(a)) if a.ndim == 2 else (a,):
            A = package.put(given)
            x = clsolve.inv(A)
            found = package.get(x)
            assert found.dtype == dtype and found.shape == shape and not package.same(x, A)
            np.testing.assert_array_equal(package.get(A), a)
            tolerance = 300 * n * np.finfo(dtype).eps
            np.testing.assert_allclose(found @ a, np.broadcast_to(np.eye(n), shape), atol=tolerance)
            own = clsolve.inv(A, overwrite_a=True)
            assert package.same(own, A)
            np.testing.assert_array_equal(package.get(own), found)
        a[..., 0] = 0
        A = package.put(a)
        for overwrite in (False, True):
            with pytest.raises(clsolve.LinAlgError, match="singular"):
                clsolve.inv(A, overwrite_a=overwrite and a.ndim > 2)
            np.testing.assert_array_equal(package.get(A), a)


OPTIONS = {
    "mixed": ({"precision": "mixed"}, lambda report: report.precision == "mixed"),
    "refine": ({"refine": True}, lambda report: report.refinement.backward_error >= 0),
    "equilibrate": ({"equilibrate": True}, lambda report: report.direct.equilibrated),
    "rbt": ({"pivoting": "rbt", "seed": 7}, lambda report: report.direct.pivoting_used == "rbt"),
    "all": ({"precision": "mixed", "refine": True, "equilibrate": True}, lambda report: report.precision == "mixed"),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("n", [5, 33, 97])
def test_options(package, rng, name, n):
    """Handles with a copy of the matrix, and with scaling. The report proves that the option was in use."""
    options, used = OPTIONS[name]
    rows = 2.0 ** np.linspace(0, 60, n).astype(int)[:, None] if "equilibrate" in options else 1.0
    for order in "CF":
        a = np.asarray(rows * (rng.uniform(-1, 1, (n, n)) + 3 * np.eye(n)), order=order)
        b = rows * rng.uniform(-1, 1, (n, 3))
        A = package.put(a)
        lu = clsolve.lu_factor(A, **options)
        for trans, op in ((0, a), (1, a.T)):
            accept(solve_ratio(op, package.get(lu.solve(package.put(b), trans=trans)), b))
        assert used(lu.report)
        given = {key: value for key, value in options.items() if key != "seed"}
        accept(solve_ratio(a, package.get(clsolve.solve(A, package.put(b), rcond=False, **given)), b))
        np.testing.assert_array_equal(package.get(A), a)
    stack, right = np.stack([a, 2 * a]).copy("C"), np.stack([b, b])
    x = package.get(clsolve.solve(package.put(stack), package.put(right), **given))
    for member in range(2):
        accept(solve_ratio(stack[member], x[member], right[member]))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(
    "options", [{}, {"refine": True}, {"equilibrate": True}, {"refine": True, "equilibrate": True}]
)
@pytest.mark.parametrize("n", [1, 3, 50, 131])
def test_band(package, rng, n, options, order):
    ab = np.asarray(rng.uniform(-1, 1, (4, n)) + np.array([[0], [0], [5], [0]]), order=order)
    dense = sum(np.diag(ab[2 - k, max(k, 0) : n + min(k, 0)], k) for k in range(-1, 3) if abs(k) < n)
    AB = package.put(ab)
    for b in (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 3))):
        B = package.put(b)
        accept(solve_ratio(dense, package.get(clsolve.solve_banded((1, 2), AB, B, **options)), b))
        np.testing.assert_array_equal(package.get(B), b)
    np.testing.assert_array_equal(package.get(AB), ab)


def tridiagonal(dl, d, du):
    return np.diag(dl, -1) + np.diag(d) + np.diag(du, 1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 33, 130])
def test_tridiagonal(package, rng, n, dtype):
    count = 4
    d = (3 + rng.uniform(-1, 1, (count, n))).astype(dtype)
    dl, du = (rng.uniform(-1, 1, (count, n)).astype(dtype) for _ in range(2))
    dl[:, 0] = du[:, -1] = np.nan  # never used
    full = [tridiagonal(dl[k, 1:], d[k], du[k, :-1]) for k in range(count)]
    for shape in ((count, n), (count, n, 3)):
        b = rng.uniform(-1, 1, shape).astype(dtype)
        DL, D, DU, B = (package.put(x) for x in (dl, d, du, b))
        for trans in ("N", "T"):
            for pivoting in ("auto", "partial"):
                x = package.get(clsolve.solve_tridiagonal(DL, D, DU, B, trans=trans, pivoting=pivoting))
                assert x.shape == b.shape and x.dtype == dtype
                for k in range(count):
                    accept(solve_ratio(full[k] if trans == "N" else full[k].T, x[k], b[k]))
        np.testing.assert_array_equal(package.get(B), b)
        np.testing.assert_array_equal(package.get(D), d)
        own = clsolve.solve_tridiagonal(DL, D, DU, B, overwrite_b=True)
        assert package.same(own, B)
        accept(solve_ratio(full[1], package.get(B)[1], b[1]))
    one = package.get(clsolve.solve_tridiagonal(*(package.put(x[0]) for x in (dl, d, du, b[..., :2].copy()))))
    accept(solve_ratio(full[0], one, b[0, :, :2]))
    many = package.get(clsolve.solve_tridiagonal(*(package.put(x) for x in (dl[0], d[:1], du[0], b[..., 0].copy()))))
    for k in range(count):  # one matrix, several right-hand sides
        accept(solve_ratio(full[0], many[k], b[k, :, 0]))


@pytest.mark.parametrize("n", [1, 2, 40])
def test_tridiagonal_arrays_of_lapack(package, rng, n):
    """n - 1 elements next to the diagonal are copied on the device. Interleaved members are read where they lie."""
    d, b = 3 + rng.uniform(-1, 1, (3, n)), rng.uniform(-1, 1, (3, n))
    dl, du = rng.uniform(-1, 1, (2, 3, n - 1))
    if isinstance(package, Cuda) and n == 1:
        pytest.skip("it has no empty arrays")
    given = [package.put(x) for x in (dl, d, du, b)]
    if isinstance(package, Cuda):
        with pytest.raises(ValueError, match="give n elements"):
            clsolve.solve_tridiagonal(*given)
        return
    for one in (False, True):  # the same elements for all members
        if one:
            given[0], given[2] = package.put(dl[0]), package.put(du[0])
        x = package.get(clsolve.solve_tridiagonal(*given))
        for k in range(3):
            accept(solve_ratio(tridiagonal(dl[0 if one else k], d[k], du[0 if one else k]), x[k], b[k]))
    interleaved = [package.put(x.T.copy()).T for x in (dl, d, du, b)]
    x = package.get(clsolve.solve_tridiagonal(*interleaved))
    for k in range(3):
        accept(solve_ratio(tridiagonal(dl[k], d[k], du[k]), x[k], b[k]))


def laplacian_times(y):
    left = 4 * y
    left[..., 1:, :] -= y[..., :-1, :]
    left[..., :-1, :] -= y[..., 1:, :]
    left[..., 1:] -= y[..., :-1]
    left[..., :-1] -= y[..., 1:]
    return left


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["auto", "multigrid", "cg"])
def test_grid(package, rng, method, dtype):
    if isinstance(package, Torch) and package.device == "cpu" and clsolve.default_context().device.backend == "host":
        pytest.skip("the host alone has no iterations for grids")
    N, M = 15, 17
    c, side = package.put(np.full((N, M), 4, dtype)), package.put(np.full((N, M), -1, dtype))
    tolerance = 2e-10 if dtype == np.float64 else 3e-5
    for coefficients in ((side,) * 2 + (c,) + (side,) * 2, (-1.0, -1.0, c, side, -1.0)):
        grid = clsolve.Grid(*coefficients, method=method)
        assert grid.shape == (N, M) and grid.dtype == dtype
        for shape in ((N, M), (3, N, M)):
            f, x0 = rng.uniform(-1, 1, shape).astype(dtype), rng.uniform(-1, 1, shape).astype(dtype)
            F, X0 = package.put(f), package.put(x0)
            if isinstance(package, Cuda):
                with pytest.raises(TypeError, match="give x0"):
                    grid.solve(F)
            else:
                y = package.get(grid.solve(F))
                assert y.shape == shape and y.dtype == dtype
                assert np.linalg.norm(f - laplacian_times(y)) <= tolerance * np.linalg.norm(f)
            y = package.get(grid.solve(F, x0=X0))
            assert np.linalg.norm(f - laplacian_times(y)) <= tolerance * np.linalg.norm(f)
            np.testing.assert_array_equal(package.get(F), f)
            np.testing.assert_array_equal(package.get(X0), x0)
        assert isinstance(grid.solve(f), np.ndarray)  # numpy's too: the coefficients are on the device
    again = package.put(np.full((N, M), 8, dtype))
    y = grid.factor(again, again, package.put(np.full((N, M), 64, dtype)), again, again).solve(f, x0=1)
    assert np.linalg.norm(f - 64 * y) < np.linalg.norm(f)
    numbers = clsolve.Grid(-1, -1, 4, -1, -1, shape=(N, M), zero_guess=True, context=clsolve.Context.of(F))
    y = package.get(numbers.solve(package.put(f.astype(float))))
    assert np.linalg.norm(f - laplacian_times(y)) <= 2e-10 * np.linalg.norm(f)


def test_mixed_places(package):
    """Host and device in one call are one clear error, whichever argument it is."""
    if isinstance(package, Torch) and package.device == "cpu":
        pytest.skip("all lies on the host")
    host, there = np.eye(3), package.put(np.eye(3))
    ones = package.put(np.ones(3))
    grid = clsolve.Grid(-1, -1, 4, -1, -1, shape=(3, 3), context=clsolve.Context.of(there))
    for call in (
        lambda: clsolve.solve(there, np.ones(3)),
        lambda: clsolve.solve(host, ones),
        lambda: clsolve.solve(there, [1.0, 2.0, 3.0]),
        lambda: clsolve.solve_banded((1, 1), there, np.ones(3)),
        lambda: clsolve.solve_banded((1, 1), host, ones),
        lambda: clsolve.solve_tridiagonal(ones, np.ones(3), ones, ones),
        lambda: clsolve.solve_tridiagonal(np.ones(3), ones, ones, ones),
        lambda: clsolve.solve_tridiagonal(np.ones(3), np.ones(3), np.ones(3), ones),
        lambda: clsolve.Grid(-1, -1, there, host, -1),
        lambda: grid.solve(there, x0=host),
        lambda: clsolve.lu(there),
    ):
        with pytest.raises(TypeError, match="must lie in the (same|host's) memory"):
            call()


def test_progress(package, rng):
    a, b = package.put(rng.uniform(-1, 1, (70, 70)) + 9 * np.eye(70)), package.put(np.ones(70))
    band = package.put(np.asfortranarray(np.tile([[1.0], [4.0], [1.0]], 400)))
    for call in (
        lambda told: clsolve.solve(a, b, progress=told),
        lambda told: clsolve.inv(a, progress=told),
        lambda told: clsolve.lu_factor(a, progress=told),
        lambda told: clsolve.solve_banded((1, 1), band, package.put(np.ones(400)), progress=told),
    ):
        seen = []
        call(lambda phase, fraction: seen.append(fraction))
        assert seen and all(0 <= fraction <= 1 for fraction in seen)


@pytest.mark.parametrize("method", ["auto", "lu", "band", "sparse-lu"])
def test_right_hand_sides_of_sparse_matrices(package, rng, method):
    import scipy.sparse

    n = 60
    A = scipy.sparse.diags([-1.0, 4.0, -1.5, 0.5], [-1, 0, 1, 7], shape=(n, n), format="csr")
    for b in (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 2)), np.asfortranarray(rng.uniform(-1, 1, (n, 2)))):
        B = package.put(b)
        lu = clsolve.splu(A, method=method, context=clsolve.Context.of(B))
        for trans, op in (("N", A.toarray()), ("T", A.toarray().T)):
            accept(solve_ratio(op, package.get(lu.solve(B, trans=trans)), b))
            accept(solve_ratio(op, package.get(clsolve.spsolve(A, B, trans=trans, method=method)), b))
        np.testing.assert_array_equal(package.get(B), b)
        accept(solve_ratio(A.toarray(), package.get(clsolve.solve(A, B)), b))
        own = lu.solve(B, overwrite_b=True)
        assert package.same(own, B)
    narrow = clsolve.spsolve(A.astype(np.float32), package.put(np.ones(n)))
    assert package.get(narrow).dtype == np.float64
    with pytest.raises(ValueError, match="mismatch"):
        lu.solve(package.put(np.ones(n + 1)))


@pytest.mark.parametrize("method", ["sparse-lu", "sparse-cholesky"])
def test_sparse_factors_on_the_device(package, rng, method):
    import scipy.sparse

    n = 400
    A = scipy.sparse.diags([-1.0, -1.0, 4.5, -1.0, -1.0], [-20, -1, 0, 1, 20], shape=(n, n), format="csr")
    for b in (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 3)), np.asfortranarray(rng.uniform(-1, 1, (n, 3)))):
        B = package.put(b)
        with on_the_device(clsolve.splu, A, method=method, context=clsolve.Context.of(B)) as lu:
            x = lu.solve(B)
            accept(solve_ratio(A.toarray(), package.get(x), b))
            assert lu.report.report.where == "device"
            assert 0 <= lu.report.backward_error < 1e-14
            assert package.same(lu.solve(B, overwrite_b=True), B)
            np.testing.assert_array_equal(package.get(B), package.get(x))


def test_sparse_matrices_of_packages(package, rng):
    import scipy.sparse

    if not hasattr(package, "put_sparse"):
        pytest.skip("the package has no sparse matrices")
    n = 90
    a = scipy.sparse.diags([-1.0, 4.0, -1.5, 0.5], [-1, 0, 1, 7], shape=(n, n), format="csr")
    A, b = package.put_sparse(a), rng.uniform(-1, 1, (n, 2))
    B = package.put(b)
    lu = clsolve.splu(A, method="sparse-lu")
    for x in (lu.solve(B), clsolve.spsolve(A, B), clsolve.factorized(A)(B), lu.factor(A).solve(B)):
        accept(solve_ratio(a.toarray(), package.get(x), b))
    assert lu.context is clsolve.Context.of(B)
    accept(solve_ratio(a.toarray(), clsolve.spsolve(A, b), b))
    c = (a + a.T).tocsr()
    accept(solve_ratio(c.toarray(), package.get(clsolve.spchol(package.put_sparse(c)).solve(B)), b))


@pytest.mark.parametrize("method", ["sparse-lu", "sparse-cholesky", "sparse-ldl"])
def test_sparse_values_on_the_device(package, rng, method):
    import scipy.sparse

    n = 400
    A = scipy.sparse.diags([-1.0, -1.0, 4.5, -1.0, -1.0], [-20, -1, 0, 1, 20], shape=(n, n), format="csr")
    for dtype in (np.float64, np.float32):
        data, b = A.data.astype(dtype), rng.uniform(-1, 1, n).astype(dtype)
        values, B = package.put(2 * data), package.put(b)
        with on_the_device(clsolve.splu, A.astype(dtype), method=method, context=clsolve.Context.of(B)) as lu:
            for _ in range(2):
                accept(solve_ratio(2 * A.toarray().astype(dtype), package.get(lu.factor(values).solve(B)), b))
            moved = lu.report.report
            assert moved.where == "device"
            if dtype is np.float64 and isinstance(package, (PyOpenCL, CuPy, Cuda)):
                assert moved.bytes_up == 0 and moved.bytes_down < 8 * n
            accept(solve_ratio(2 * A.toarray().astype(dtype), lu.solve(b), b))
            with pytest.raises(ValueError, match="infs or NaNs"):
                lu.factor(package.put(np.full_like(data, np.nan)))
            accept(solve_ratio(2 * A.toarray().astype(dtype), package.get(lu.solve(B)), b))
            with pytest.raises(ValueError, match="values"):
                lu.factor(package.put(data[1:].copy()))
            with pytest.raises(TypeError, match="complex"):
                lu.factor(package.put(data.astype(complex)))
            accept(solve_ratio(A.toarray().astype(dtype), lu.factor(data).solve(b), b))
            with pytest.raises(clsolve.LinAlgError):
                lu.factor(package.put(np.zeros_like(data)))


def test_sparse_values_of_packages(package, rng):
    import scipy.sparse

    if not hasattr(package, "put_sparse"):
        pytest.skip("the package has no sparse matrices")
    n = 400
    a = scipy.sparse.diags([-1.0, -1.5, 4.5, -1.0, -1.0], [-20, -1, 0, 1, 20], shape=(n, n), format="csr")
    b = rng.uniform(-1, 1, n)
    with on_the_device(clsolve.splu, package.put_sparse(a), method="sparse-lu") as lu:
        for factor in (2.0, 3.0):
            x = lu.factor(package.put_sparse(factor * a)).solve(package.put(b))
            accept(solve_ratio(factor * a.toarray(), package.get(x), b))
        other = scipy.sparse.diags([-1.0, -1.5, 4.5, -1.0, -1.0], [-21, -1, 0, 1, 20], shape=(n, n), format="csr")
        with pytest.raises(ValueError, match="pattern"):
            lu.factor(package.put_sparse(other))
    members = np.stack([a.data, 2 * a.data])
    x = package.get(clsolve.splu_batch(package.put_sparse(a), package.put(members)).solve(package.put(b)))
    for m in range(2):
        accept(solve_ratio((m + 1) * a.toarray(), x[m], b))


def test_failures_leave_b(package):
    b = np.arange(3.0)
    B = package.put(b)
    with pytest.raises(clsolve.LinAlgError):
        clsolve.solve(package.put(np.zeros((3, 3))), B, overwrite_b=True)
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve(package.put(np.full((3, 3), np.nan)), B, overwrite_b=True)
    np.testing.assert_array_equal(package.get(B), b)
    with pytest.raises(TypeError, match="same memory"):
        clsolve.solve(package.put(np.eye(3)), b)
    with pytest.raises(ValueError, match="incompatible"):
        clsolve.solve(package.put(np.eye(3)), package.put(np.ones(4)))
    with pytest.raises(ValueError, match="square"):
        clsolve.solve(package.put(np.ones((2, 3))), package.put(np.ones(2)))


def test_strides_in_the_hosts_memory(package, rng):
    """Tensors of the host are copied where their strides are no layout, as numpy's arrays are."""
    if not isinstance(package, Torch) or package.device != "cpu":
        pytest.skip("the arrays lie on a device")
    n = 6
    wide = rng.uniform(-1, 1, (2 * n, 2 * n)) + 9 * np.eye(2 * n)
    a, b = wide[::2, ::2], wide[:n, ::2]
    W = package.put(wide)
    A, B = W[::2, ::2], W[:n, ::2]
    for overwrite in (False, True):
        accept(solve_ratio(a, package.get(clsolve.solve(A, B, overwrite_b=overwrite)), b))
    np.testing.assert_array_equal(package.get(W), wide)
    lu = clsolve.lu_factor(A)
    accept(solve_ratio(a, package.get(lu.solve(B)), b))
    accept(solve_ratio(a, package.get(lu.solve(W[1, ::2])), wide[1, ::2]))
    accept(solve_ratio(b, package.get(lu.factor(B).solve(W[1, ::2])), wide[1, ::2]))
    np.testing.assert_allclose(package.get(clsolve.inv(A)), np.linalg.inv(a), atol=1e-12)
    np.testing.assert_allclose(on_host(clsolve.det(A)), np.linalg.det(a), rtol=1e-12)
    assert clsolve.cond(A) == clsolve.cond(a)
    main = np.abs(wide[:1, ::2]) + 1
    np.testing.assert_allclose(
        package.get(clsolve.solve_banded((0, 0), package.put(np.repeat(main, 2, 1))[:, ::2], B)), b / main.T, atol=1e-12
    )
    many = rng.uniform(-1, 1, (3, 2 * n, 2 * n)) + 9 * np.eye(2 * n)
    x = clsolve.solve(package.put(many)[:, ::2, ::2], B)
    np.testing.assert_allclose(package.get(x), np.linalg.solve(many[:, ::2, ::2], b[None]), atol=1e-12)
