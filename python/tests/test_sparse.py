"""Sparse systems, grids, and operators for scipy's Krylov methods."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import clsolve
from ratios import accept, solve_ratio


def laplacian(N, M, dtype=np.float64):
    def line(n):
        return sp.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])

    return (sp.kron(line(N), sp.eye(M)) + sp.kron(sp.eye(N), line(M))).astype(dtype).tocsr()


def random_sparse(rng, n, dtype=np.float64):
    a = sp.random(n, n, density=0.1, random_state=np.random.RandomState(int(rng.integers(2**31))), format="csr")
    return (a + 5 * sp.eye(n, format="csr")).astype(dtype).tocsr()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_spsolve(rng, form, dtype):
    a = random_sparse(rng, 60, dtype)
    full = a.toarray()
    a = a.asformat(form)
    for b in (rng.uniform(-1, 1, 60).astype(dtype), rng.uniform(-1, 1, (60, 3)).astype(dtype)):
        before = b.copy()
        x = clsolve.spsolve(a, b)
        assert x.shape == b.shape and x.dtype == dtype
        accept(solve_ratio(full, x, b))
        accept(solve_ratio(full, clsolve.solve(a, b), b))
        accept(solve_ratio(full.T, clsolve.spsolve(a, b, trans="T"), b))
        assert (b == before).all()


def test_spsolve_with_a_sparse_right_hand_side(rng):
    a = random_sparse(rng, 20)
    x = clsolve.spsolve(a, sp.eye(20, format="csc"))
    assert sp.issparse(x)
    accept(solve_ratio(a.toarray(), x.toarray(), np.eye(20)))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"])
def test_sparse_arrays(rng, form):
    """scipy's newer classes, whose * is by element."""
    if not hasattr(sp, form + "_array"):
        pytest.skip("this scipy has none")
    a = random_sparse(rng, 20)
    A = getattr(sp, form + "_array")(a)
    b = rng.uniform(-1, 1, 20)
    for x in (clsolve.spsolve(A, b), clsolve.splu(A).solve(b), clsolve.solve(A, b)):
        accept(solve_ratio(a.toarray(), x, b))


def test_solve_hands_its_options_on(rng):
    a = random_sparse(rng, 20)
    b = rng.uniform(-1, 1, 20)
    for options in ({"precision": "mixed"}, {"refine": True}, {"equilibrate": True}, {"transposed": True}):
        op = a.T.toarray() if "transposed" in options else a.toarray()
        accept(solve_ratio(op, clsolve.solve(a, b, **options), b))
    with pytest.raises(ValueError, match="precision"):
        clsolve.solve(a, b, precision="no such")
    with pytest.raises(ValueError, match="assume_a"):
        clsolve.solve(a, b, assume_a="sym")
    own = b.copy()
    assert np.shares_memory(clsolve.solve(a, own, overwrite_b=True), own)


def test_dense_matrices_are_told_apart(rng):
    a = np.eye(3)
    for call in (clsolve.splu, lambda a: clsolve.spsolve(a, np.ones(3)), clsolve.factorized):
        with pytest.raises(TypeError, match="scipy.sparse"):
            call(a)
    a = sp.csr_matrix(a)
    dense = clsolve.inv, clsolve.det, clsolve.lu_factor, clsolve.cho_factor, clsolve.ldl, clsolve.inertia, clsolve.cond
    for call in (*dense, lambda a: clsolve.solve(np.eye(3), a)):
        with pytest.raises(TypeError, match="is a sparse matrix"):
            call(a)


def test_long_indices(rng):
    a = random_sparse(rng, 30)
    a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    accept(solve_ratio(a.toarray(), clsolve.spsolve(a, np.ones(30)), np.ones(30)))


def test_arrays_that_do_not_fit_are_refused():
    """scipy does not compare what is assigned; the library would read beyond the arrays."""
    for starts, why in (
        ([0, 1, 2, 2**31 - 1], "is more"),
        ([0, 1, 2, 4], "is more"),
        ([1, 1, 2, 3], "begin with 0"),
        ([0, 2, 1, 3], "not decrease"),
        ([0, 1, 2], "4 elements"),
    ):
        a = sp.csr_matrix(np.eye(3))
        a.indptr = np.array(starts, np.int32)
        for call in (lambda a: clsolve.spsolve(a, np.ones(3)), clsolve.splu, clsolve.splu(sp.eye(3).tocsr()).factor):
            with pytest.raises(ValueError, match=why):
                call(a)
    for name in ("data", "indices"):
        a = sp.csr_matrix(np.eye(3))
        setattr(a, name, getattr(a, name)[:2])
        with pytest.raises(ValueError, match="2 entries"):
            clsolve.spsolve(a, np.ones(3))


def test_splu(rng):
    a = random_sparse(rng, 50)
    lu = clsolve.splu(a)
    for trans, op in (("N", a), ("T", a.T), ("H", a.T)):
        accept(solve_ratio(op.toarray(), lu.solve(np.ones(50), trans), np.ones(50)))
    assert lu.shape == (50, 50) and lu.report.entries == a.nnz <= lu.nnz
    assert lu.report.method in ("lu", "band", "sparse_lu")
    assert "diagonals" in lu.report.reason or lu.report.reason
    b = a.copy()
    b.data = b.data * rng.uniform(1, 1.1, b.data.shape)
    accept(solve_ratio(b.toarray(), lu.factor(b).solve(np.ones(50)), np.ones(50)))
    accept(solve_ratio(a.toarray(), clsolve.factorized(a)(np.ones(50)), np.ones(50)))
    with pytest.raises(ValueError):
        lu.factor(sp.eye(50, format="csr"))
    with pytest.raises(clsolve.LinAlgError):
        clsolve.splu(sp.csr_matrix((3, 3)))
    with pytest.raises(ValueError, match="square"):
        clsolve.splu(sp.csr_matrix((3, 4)))
    with pytest.raises(ValueError, match="mismatch"):
        lu.solve(np.ones(3))


@pytest.mark.parametrize(
    "dtype, exponent, where", [(np.float64, -1060, "auto"), (np.complex128, -1060, "host"), (np.float32, -143, "host")]
)
def test_splu_of_numbers_near_the_smallest(dtype, exponent, where):
    """A band of integers times a power of two, and its solution: no digit is lost, with A and with its transpose."""
    n, unit = 28, 2.0**exponent
    lines = [np.full(n - abs(k), v) for k, v in ((-2, 1.0), (-1, -3.0), (0, 9.0), (1, 2.0))]
    plain = sp.diags(lines, [-2, -1, 0, 1]).toarray() * (1 if dtype != np.complex128 else 1 - 2j)
    x = 1.0 + np.arange(n) % 5
    for trans, op in (("N", plain), ("T", plain.T)):
        lu = clsolve.splu(sp.csc_matrix((plain * unit).astype(dtype)), where=where)
        found = lu.solve((op @ x * unit).astype(dtype), trans)
        assert np.abs(found - x).max() <= 32 * np.finfo(dtype).eps
        assert lu.report.backward_error <= max(np.sqrt(n), 10) * np.finfo(dtype).eps / 2


def test_method_is_chosen_by_name(rng):
    a = laplacian(12, 11)
    for method, name in (("lu", "lu"), ("band", "band-lu")):
        lu = clsolve.splu(a, method=method)
        accept(solve_ratio(a.toarray(), lu.solve(np.ones(132)), np.ones(132)))
        assert lu.report.name == name


@pytest.fixture
def grid_context(context):
    if context.device.backend == "host":
        pytest.skip("the host alone has no iterations for grids")
    return context


@pytest.mark.parametrize("method", ["auto", "multigrid", "cg", "sor"])
def test_grid(rng, grid_context, method):
    N, M = 15, 17
    grid = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(N, M), method=method)
    a = laplacian(N, M)
    f = rng.uniform(-1, 1, (3, N, M))
    for right in (f[0], f):
        y = grid.solve(right)
        assert y.shape == right.shape
        residual = np.linalg.norm(right.reshape(-1, N * M).T - a @ y.reshape(-1, N * M).T, axis=0)
        assert (residual <= 2e-10 * np.linalg.norm(right.reshape(-1, N * M), axis=1)).all()
        assert abs(grid.history[0] - 1) < 1e-12 and grid.history[-1] <= 1e-10
    assert grid.report.block_gs.method and grid.report.method == "block-gs"


def test_grid_with_coefficients(rng, grid_context):
    N, M = 9, 14
    up, a, b, down = (-rng.uniform(0.5, 1, (N, M)) for _ in range(4))
    c = 5 + rng.uniform(0, 1, (N, M))
    grid = clsolve.Grid(up, a, c, b, down)
    y = grid.solve(np.ones((N, M)), x0=np.full((N, M), 0.1))
    left = c * y
    left[1:] += up[1:] * y[:-1]
    left[:-1] += down[:-1] * y[1:]
    left[:, 1:] += a[:, 1:] * y[:, :-1]
    left[:, :-1] += b[:, :-1] * y[:, 1:]
    assert np.linalg.norm(left - 1) <= 2e-10 * np.sqrt(N * M)
    said = []
    told = clsolve.Grid(up, a, c, b, down, callback=lambda phase, fraction: said.append(fraction))
    told.solve(np.ones((N, M)))
    assert said == sorted(said)


def test_grid_that_does_not_converge(grid_context):
    grid = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(31, 31), method="multigrid", maxiter=1)
    with pytest.raises(clsolve.NotConvergedError):
        grid.solve(np.ones((31, 31)))
    y = grid.solve(np.ones((31, 31)), allow_not_converged=True)
    assert y.any() and grid.report.block_gs.failed == 1
    with pytest.raises(ValueError, match=r"\(31, 31\)"):
        grid.solve(np.ones((30, 31)))
    with pytest.raises(ValueError):
        clsolve.Grid(1, 1, 4, 1, 1)
    with pytest.raises(TypeError):
        clsolve.Grid(1, 1, 4, 1, 1, shape=(3.5, 4))


def test_a_bar_of_a_grid_is_full_at_the_end(grid_context):
    class Bar:
        total, n, said = 100, 0, ()

        def update(self, by):
            self.n += by
            self.said += (self.n,)

        def reset(self):
            self.n = 0

        def refresh(self):
            pass

    bar = Bar()
    grid = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(31, 31), method="multigrid", callback=bar)
    for _ in range(2):
        bar.said = ()
        grid.solve(np.ones((31, 31)))
        assert bar.n == pytest.approx(100) and list(bar.said) == sorted(bar.said)


# ---- scipy's Krylov methods ----


def test_factors_precondition(rng):
    a = random_sparse(rng, 80)
    operator = clsolve.splu(a).as_operator()
    steps = []
    x, info = spla.gmres(a, np.ones(80), M=operator, callback=steps.append, callback_type="pr_norm")
    assert info == 0 and len(steps) <= 3
    single = clsolve.lu_factor(a.toarray().astype(np.float32)).as_operator()
    assert single.dtype == np.float32
    x, info = spla.gmres(a, np.ones(80), M=single)
    assert info == 0 and np.linalg.norm(a @ x - 1) <= 1e-4 * np.sqrt(80)
    v = rng.uniform(-1, 1, (80, 2))
    np.testing.assert_allclose(a @ (operator @ v), v, atol=1e-12)
    np.testing.assert_allclose(a.T @ (operator.T @ v), v, atol=1e-12)


def test_grid_preconditions(grid_context):
    N, M = 15, 17
    a = laplacian(N, M)
    grid = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(N, M), method="multigrid", maxiter=1)
    with_it, without = [], []
    x, info = spla.gmres(
        a, np.ones(N * M), M=grid.as_preconditioner(), callback=with_it.append, callback_type="pr_norm"
    )
    spla.gmres(a, np.ones(N * M), callback=without.append, callback_type="pr_norm")
    assert info == 0 and np.linalg.norm(a @ x - 1) <= 1e-4 * np.sqrt(N * M)
    assert len(with_it) < len(without)
    sweeps = clsolve.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(N, M), method="sweeps", sweeps=2).as_preconditioner()
    v, w = np.random.default_rng(3).uniform(-1, 1, (2, N * M))
    np.testing.assert_allclose(sweeps @ (v + 2 * w), sweeps @ v + 2 * (sweeps @ w), atol=1e-12)  # sweeps are linear
