"""Sparse LU and sparse Cholesky: solutions and scipy's, orders, permutations, determinants and the analysis."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import clsolve
from ratios import accept, on_the_device, solve_ratio

TYPES = [np.float32, np.float64, np.complex64, np.complex128]
ORDERS = ["auto", "amd", "nested", "metis", "natural"]


def laplacian(N, M, dtype=np.float64):
    def line(n):
        return sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])

    return (sp.kron(line(N), sp.eye(M)) + sp.kron(sp.eye(N), line(M))).astype(dtype).tocsr()


def scattered(rng, n, dtype, entries=4):
    """A random pattern with a diagonal that is large in half of the rows and zero in the others."""
    i, j = rng.integers(0, n, (2, entries * n))
    a = sp.coo_matrix((rng.uniform(-1, 1, i.size), (i, j)), (n, n)).astype(dtype)
    if np.issubdtype(dtype, np.complexfloating):
        a = a + 1j * sp.coo_matrix((rng.uniform(-1, 1, i.size), (i, j)), (n, n)).astype(dtype)
    ring = 3 * sp.eye(n, k=1) + 3 * sp.eye(n, k=1 - n)
    return (a + sp.diags(np.where(np.arange(n) % 2, 9.0, 0.0)) + ring).astype(dtype).tocsr()


def saddle(rng, n, m, dtype):
    """[H G^T; G 0] with m zeros on the diagonal."""
    G = sp.random(m, n, density=0.1, random_state=np.random.RandomState(int(rng.integers(2**31)))) + sp.eye(m, n)
    return sp.bmat([[laplacian(1, n), G.T], [G, None]]).astype(dtype).tocsr()


def circuit(rng, n, dtype):
    """Conductances of a net with a hub, and a voltage source: tiny fronts, which KLU takes."""
    i = np.concatenate([np.arange(n - 1), rng.integers(0, n, n // 4), np.zeros(n // 8, int)])
    j = np.concatenate([np.arange(1, n), rng.integers(0, n, n // 4), rng.integers(1, n, n // 8)])
    g = np.where(i == j, 0, rng.uniform(0.1, 10, i.size))
    net = sp.coo_matrix((np.r_[g, g, -g, -g], (np.r_[i, j, i, j], np.r_[i, j, j, i])), (n, n))
    source = sp.coo_matrix(([1.0], ([0], [n - 1])), (1, n))
    return sp.bmat([[net + 1e-2 * sp.eye(n), source.T], [source, None]]).astype(dtype).tocsr()


def problems(rng, dtype):
    yield "grid", laplacian(14, 15, dtype)
    yield "scattered", scattered(rng, 150, dtype)
    yield "saddle", saddle(rng, 90, 30, dtype)
    yield "circuit", circuit(rng, 160, dtype)
    yield "one", sp.csr_matrix(np.array([[2]], dtype))


def sides(rng, shape, dtype):
    b = rng.uniform(-1, 1, shape)
    return (b + 1j * rng.uniform(-1, 1, shape) if np.issubdtype(dtype, np.complexfloating) else b).astype(dtype)


# ---- solutions ----


@pytest.mark.parametrize("dtype", TYPES)
def test_solutions_are_scipys(rng, dtype):
    for name, a in problems(rng, dtype):
        n, full = a.shape[0], a.toarray()
        ours, theirs = clsolve.splu(a, method="sparse-lu"), spla.splu(a.tocsc())
        assert ours.dtype == dtype and ours.shape == theirs.shape and ours.report.name == "sparse-lu"
        bound = 100 * np.linalg.cond(full) * np.finfo(dtype).eps
        for trans, op in (("N", full), ("T", full.T), ("H", full.conj().T)):
            for shape in ((n,), (n, 1), (n, 7)):
                b = sides(rng, shape, dtype)
                x, y = ours.solve(b, trans), theirs.solve(b, trans)
                assert x.shape == y.shape and x.dtype == y.dtype, name
                accept(solve_ratio(op, x, b))
                assert np.abs(x - y).max() <= bound * np.abs(y).max(), name
        b = sides(rng, (n,), dtype)
        accept(solve_ratio(full, clsolve.spsolve(a, b, method="sparse-lu"), b))
        accept(solve_ratio(full, clsolve.spsolve(a.tocsc(), b), b))
        accept(solve_ratio(full, clsolve.factorized(a, method="sparse-lu")(b), b))


@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(rng, dtype):
    a = laplacian(14, 15, dtype)
    if np.issubdtype(dtype, np.complexfloating):
        turn = sp.diags(np.exp(1j * np.arange(a.shape[0])).astype(dtype))
        a = ((turn @ a @ turn.conj()) + 0).tocsr()
        a = ((a + a.conj().T) / 2).astype(dtype)
    chol = clsolve.spchol(a)
    n, full = a.shape[0], a.toarray()
    assert chol.report.name == "sparse-cholesky" and chol.dtype == dtype
    for trans, op in (("N", full), ("T", full.T), ("H", full.conj().T)):
        b = sides(rng, (n, 3), dtype)
        accept(solve_ratio(op, chol.solve(b, trans), b))
    np.testing.assert_array_equal(chol.perm_r, chol.perm_c)
    sign, logarithm = chol.slogdet()
    assert abs(sign - 1) < 1e-12 and logarithm == pytest.approx(np.linalg.slogdet(full.astype(complex))[1], rel=1e-5)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_index_widths(rng, index):
    a = scattered(rng, 100, np.float64)
    b = rng.uniform(-1, 1, 100)
    expected = clsolve.spsolve(a, b, method="sparse-lu")
    a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
    np.testing.assert_array_equal(clsolve.spsolve(a, b, method="sparse-lu"), expected)


def test_complex_right_hand_sides_of_a_real_matrix(rng):
    a = scattered(rng, 60, np.float64)
    b = sides(rng, (60, 2), np.complex128)
    for x in (clsolve.spsolve(a, b, order="amd"), clsolve.splu(a, order="amd").solve(b)):
        accept(solve_ratio(a.toarray(), x, b))


def test_new_values(rng):
    a = scattered(rng, 120, np.float64)
    lu = clsolve.splu(a, method="sparse-lu")
    for _ in range(3):
        a.data *= rng.uniform(0.5, 2, a.data.shape)
        accept(solve_ratio(a.toarray(), lu.factor(a).solve(np.ones(120)), np.ones(120)))
    other = a.copy()
    other.data[:] = 0
    with pytest.raises(clsolve.LinAlgError):
        lu.factor(other)
    assert lu.slogdet() == (0, -np.inf)
    with pytest.raises(clsolve.LinAlgError):
        lu.solve(np.ones(120))
    accept(solve_ratio(a.toarray(), lu.factor(a).solve(np.ones(120)), np.ones(120)))


def test_threads_have_their_own_solvers(rng):
    matrices = [scattered(rng, 80 + k, np.float64) for k in range(6)]
    found = [None] * 6

    def work(k):
        found[k] = clsolve.splu(matrices[k], method="sparse-lu").solve(np.ones(80 + k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for a, x in zip(matrices, found):
        accept(solve_ratio(a.toarray(), x, np.ones(a.shape[0])))


def test_progress():
    a, said = laplacian(60, 60), []

    def tell(phase, fraction):
        said.append((phase, fraction))

    def fail(phase, fraction):
        raise KeyError(phase)

    for method in ("sparse-lu", "sparse-cholesky"):
        said.clear()
        clsolve.splu(a, method=method, progress=tell)
        assert said and all(0 <= fraction <= 1 and phase for phase, fraction in said)
        with pytest.raises(KeyError):
            clsolve.splu(a, method=method, progress=fail)


# ---- orders and what the factors tell ----


def permuted(solver, a):
    """Pr A Pc as scipy's SuperLU defines it, dense."""
    n = a.shape[0]
    Pr = sp.csc_matrix((np.ones(n), (solver.perm_r, np.arange(n))), (n, n))
    Pc = sp.csc_matrix((np.ones(n), (np.arange(n), solver.perm_c)), (n, n))
    return (Pr @ a @ Pc).toarray(), np.linalg.det(Pr.toarray()) * np.linalg.det(Pc.toarray())


def factors_without_pivoting(full):
    """L and U in one array, and the pattern of both."""
    lu, filled = full.astype(complex), full != 0
    for k in range(len(lu)):
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
        filled[k + 1 :, k + 1 :] |= np.outer(filled[k + 1 :, k], filled[k, k + 1 :])
    return lu, filled


@pytest.mark.parametrize("order", ORDERS)
def test_the_permuted_matrix_needs_no_pivoting(rng, order):
    for name, a in problems(rng, np.float64):
        solver = clsolve.splu(a, order=order, method="sparse-lu")
        full, sign_of_permutations = permuted(solver, a)
        lu, filled = factors_without_pivoting(full)
        growth = np.abs(lu).max() / np.abs(full).max()
        assert growth < 1e6, (name, growth)
        n = a.shape[0]
        L, U = np.tril(lu, -1) + np.eye(n), np.triu(lu)
        assert np.abs(L @ U - full).max() <= 1e-9 * np.abs(full).max(), name
        sign, logarithm = solver.slogdet()
        expected = np.linalg.slogdet(a.toarray())
        assert sign == expected[0] and logarithm == pytest.approx(expected[1], abs=1e-9 * n), name
        assert np.sign(np.prod(np.sign(np.diag(U).real))) * np.round(sign_of_permutations) == sign, name
        assert order == "auto" or solver.analysis.order == order or n == 1  # METIS knows no graph without edges
        assert a.nnz <= solver.nnz


def test_fill_is_that_of_the_order():
    a = laplacian(13, 14)
    for order in ORDERS:
        chol = clsolve.spchol(a, order=order)
        filled = np.tril(factors_without_pivoting(permuted(chol, a)[0])[1]).sum()
        assert filled <= chol.nnz <= 2 * filled  # joined fronts hold zeros


@pytest.mark.parametrize("method", ["sparse-lu", "sparse-cholesky", "sparse-ldl"])
def test_the_callers_order(rng, method):
    a = laplacian(6, 7)
    order = rng.permutation(42)
    for given in (order, list(order), order.astype(np.int32)):
        solver = clsolve.splu(a, method=method, order=given)
        assert solver.analysis.order == "given"
        accept(solve_ratio(a.toarray(), solver.solve(np.ones(42)), np.ones(42)))
        accept(solve_ratio(a.toarray(), clsolve.spsolve(a, np.ones(42), method=method, order=given), np.ones(42)))
    for wrong in (order[:-1], order + 0.5, np.zeros(42, int), order + 1, "given", "colamd", None):
        with pytest.raises(ValueError):
            clsolve.splu(a, method=method, order=wrong)
    natural = clsolve.splu(a, "NATURAL")
    np.testing.assert_array_equal(natural.perm_c, np.arange(42))
    with pytest.raises(ValueError, match="SPARSE_LU"):
        clsolve.splu(a, method="band", order="amd")


def test_an_order_takes_sparse_lu():
    a = laplacian(6, 7)
    for order in ("nested", "metis"):
        lu = clsolve.splu(a, order=order)
        assert (lu.report.method, lu.analysis.order) == ("sparse_lu", order)
    assert clsolve.splu(a, order=range(42)).report.method == "sparse_lu"


def test_analysis():
    solver = clsolve.spchol(laplacian(30, 31))
    analysis = solver.analysis
    assert (analysis.n, analysis.entries, analysis.structural_rank) == (930, 4528, 930)
    assert analysis.engine == "multifrontal" and analysis.order in ("amd", "nested") and analysis.delayed == 0
    assert solver.nnz == analysis["factor_entries"] and analysis.operations > analysis.factor_entries
    assert 1 < analysis.levels <= analysis.fronts < 930 and 1 < analysis.largest_front < 930
    assert analysis.host_bytes >= 8 * analysis.factor_entries
    assert "order: " in str(analysis) and analysis.to_dict()["n"] == 930


def test_both_engines(rng):
    found = {clsolve.splu(a, method="sparse-lu").analysis.engine for _, a in problems(rng, np.float64)}
    assert found == {"klu", "multifrontal"}


def test_other_methods_have_no_order():
    a = laplacian(6, 7)
    lu = clsolve.splu(a, method="band")
    for name in ("perm_r", "perm_c", "analysis"):
        with pytest.raises(AttributeError, match="band-lu"):
            getattr(lu, name)
    for solver in (lu, clsolve.spchol(a)):
        for name in ("L", "U"):
            with pytest.raises(AttributeError, match="stay in the library"):
                getattr(solver, name)
    assert lu.slogdet()[1] == pytest.approx(np.linalg.slogdet(a.toarray())[1])
    counts = {"lu": 42 * 42, "cholesky": 42 * 43 // 2, "ldl": 42 * 43 // 2, "band": None}
    for method, count in counts.items():
        nnz = clsolve.splu(a, method=method).nnz
        assert nnz == count or (count is None and a.nnz <= nnz < 42 * 42)


# ---- what has no factors ----


def test_singular_matrices():
    empty_column = sp.csr_matrix(np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 1.0, 0.0]]))
    equal_rows = sp.csr_matrix(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.0, 1.0, 5.0]]))
    for a in (empty_column, equal_rows, sp.csr_matrix((4, 4)), sp.csr_matrix(np.zeros((2, 2)))):
        for call in (lambda a: clsolve.splu(a, method="sparse-lu"), lambda a: clsolve.factorized(a, order="amd")):
            with pytest.raises(clsolve.LinAlgError, match="singular") as caught:
                call(a)
            assert isinstance(caught.value, RuntimeError)  # scipy's
        with pytest.raises(clsolve.LinAlgError):
            clsolve.spsolve(a, np.ones(a.shape[0]))


@pytest.mark.parametrize("dtype, small", [(np.float32, 1e-30), (np.complex64, 1e-30), (np.float64, 1e-200)])
@pytest.mark.parametrize("method", ["sparse-lu", "sparse-cholesky"])
def test_solutions_beyond_the_range_of_the_type(method, dtype, small):
    a = sp.csr_matrix(np.diag([1, small, 2]).astype(dtype))
    b = np.array([1, 1 / small, 1]).astype(dtype)
    for call in (clsolve.splu(a, method=method).solve, lambda b: clsolve.spsolve(a, b, method=method)):
        before = b.copy()
        with pytest.raises(clsolve.LinAlgError, match="NaN or Inf"):
            call(b)
        np.testing.assert_array_equal(b, before)


def test_the_backward_error_is_that_of_the_rounded_solution(rng):
    a = scattered(rng, 80, np.float32)
    lu = clsolve.splu(a, method="sparse-lu")
    assert "backward_error" not in lu.report.to_dict()  # nothing is solved yet
    b = sides(rng, (80,), np.float32)
    x, full = lu.solve(b).astype(float), a.toarray().astype(float)
    found = np.abs(b - full @ x).max() / (np.abs(full).sum(1).max() * np.abs(x).max() + np.abs(b).max())
    assert lu.report.backward_error == pytest.approx(found, rel=1e-3) and found > 1e-10


@pytest.mark.parametrize("dtype", TYPES)
def test_ldl(rng, dtype):
    n = 90
    a = scattered(rng, n, dtype)
    a = (a + a.conj().T).tocsr()
    for shift in (0, 3):
        shifted = (a - shift * sp.identity(n, dtype=dtype)).tocsr().astype(dtype)
        ldl, full = clsolve.spldl(shifted), shifted.toarray()
        assert ldl.report.name == "sparse-ldl" and ldl.dtype == dtype
        for trans, op in (("N", full), ("T", full.T), ("H", full.conj().T)):
            b = sides(rng, (n, 3), dtype)
            accept(solve_ratio(op, ldl.solve(b, trans), b))
        values = np.linalg.eigvalsh(full.astype(complex))
        assert ldl.inertia == ((values > 0).sum(), (values < 0).sum(), 0)
        sign, logarithm = ldl.slogdet()
        expected = np.linalg.slogdet(full.astype(complex))
        assert abs(sign - expected[0]) < 1e-4 and logarithm == pytest.approx(expected[1], rel=1e-4, abs=1e-3)
    assert clsolve.spchol(laplacian(5, 6)).inertia == (30, 0, 0)


def test_what_ldl_refuses():
    with pytest.raises(clsolve.LinAlgError):
        clsolve.spldl(sp.csr_matrix(np.array([[1.0, 1.0], [1.0, 1.0]])))
    with pytest.raises(ValueError):
        clsolve.spldl(sp.csr_matrix(np.array([[1.0, 2.0], [0.0, 5.0]])))
    turned = clsolve.spldl(sp.csr_matrix(np.array([[1.0, 2.0 + 1j], [2.0 + 1j, 3.0]])))  # its own transpose
    accept(solve_ratio(np.array([[1.0, 2.0 + 1j], [2.0 + 1j, 3.0]]), turned.solve(np.ones(2)), np.ones(2)))
    for solver in (turned, clsolve.splu(laplacian(5, 6), method="sparse-lu")):
        with pytest.raises(AttributeError, match="inertia"):
            _ = solver.inertia


def test_what_cholesky_refuses():
    for a, error in (
        ([[1.0, 2.0], [2.0, 1.0]], clsolve.LinAlgError),
        ([[1.0, 2.0], [0.0, 5.0]], ValueError),
        ([[0.0, 0.0], [0.0, 1.0]], clsolve.LinAlgError),
        ([[np.nan, 0.0], [0.0, 1.0]], ValueError),
        ([[2.0, 1j], [-1j, 3.0 + 0.5j]], ValueError),
    ):
        with pytest.raises(error):
            clsolve.spchol(sp.csr_matrix(np.array(a)))
    with pytest.raises(TypeError, match="scipy.sparse"):
        clsolve.spchol(np.eye(3))
    chol = clsolve.spchol(sp.csr_matrix(np.array([[2.0, 1.0], [1.0, 2.0]])))
    with pytest.raises(clsolve.LinAlgError):
        chol.factor(sp.csr_matrix(np.array([[1.0, 2.0], [2.0, 1.0]])))
    with pytest.raises(clsolve.LinAlgError, match="not positive definite"):
        chol.slogdet()


def test_numbers_on_the_device() -> None:
    a = laplacian(6, 7)
    for factors, options in ((clsolve.splu, {"method": "sparse-lu"}), (clsolve.spchol, {}), (clsolve.spldl, {})):
        solver = on_the_device(factors, a, **options)
        accept(solve_ratio(a.toarray(), solver.solve(np.ones(42)), np.ones(42)))
        assert solver.report.report.where == "device"


def test_values_that_are_refused():
    a = laplacian(6, 7)
    a.data[5] = np.inf
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.splu(a, method="sparse-lu")
    lu = clsolve.splu(laplacian(6, 7), method="sparse-lu")
    with pytest.raises(ValueError, match="infs or NaNs"):
        lu.solve(np.full(42, np.nan))
    accept(solve_ratio(laplacian(6, 7).toarray(), lu.solve(np.ones(42)), np.ones(42)))
    for options in ({"refine": True}, {"precision": "mixed"}):
        with pytest.raises((ValueError, clsolve.UnsupportedError)):
            clsolve.splu(laplacian(6, 7), method="sparse-lu", **options)
    empty = clsolve.splu(sp.csr_matrix((0, 0)), method="sparse-lu")
    assert empty.solve(np.ones(0)).shape == (0,) and empty.slogdet() == (1, 0)
