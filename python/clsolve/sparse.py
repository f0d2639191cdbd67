"""Sparse systems, with names of scipy.sparse.linalg, and systems on grids.

Matrices are those of scipy.sparse, or of cupyx.scipy.sparse and PyTorch, whose pattern is taken to the host. `spsolve`
solves once; `splu` gives a handle for many right-hand sides and new values, `spchol` one of Cholesky factors, and
`spldl` one of LDL^T; `Grid` solves block-tridiagonal systems by zebra multigrid, sweeps and Krylov methods. The library
chooses the method of a sparse matrix by a model of the time: sparse LU, Cholesky or LDL^T in an order with little fill,
the first two of a band after reordering or of a dense matrix, or the iteration for grids.
"""

from __future__ import annotations

import cmath
import ctypes
import math
from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import address, common_dtype, is_complex, op_of, promoted, type_of, word
from ._context import Context, given_context
from ._errors import LinAlgError, UnsupportedError, sparse_exception
from ._grid import Grid
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter, solve_parts
from ._operators import inverse_operator
from ._packages import SparseParts, adapter_of, refuse_gradient, sparse_on_host, sparse_parts, taken
from ._progress import reporter
from ._report import Report, report_of

__all__ = ["Grid", "Solver", "factorized", "spchol", "spldl", "spsolve", "splu"]

_byref = ctypes.byref


def _size(a: Any) -> int:
    if not hasattr(a, "tocsr"):
        raise TypeError(
            f"A is {type(a).__module__}.{type(a).__name__}: give a matrix of scipy.sparse, or use clsolve.solve"
        )
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"matrix must be square (has shape {tuple(a.shape)})")
    return a.shape[0]


def matrix_taken(a: Any, context: Context | None) -> tuple[Any, SparseParts | None, Context | None]:
    """A matrix of scipy.sparse; for one of another package its parts, where they lie, and a context of their device."""
    if hasattr(a, "tocsr") and type(a).__module__.startswith("scipy."):
        return a, None, context
    parts = sparse_parts(a)
    if parts is None:
        return a, None, context
    return sparse_on_host(parts), parts, Context.of(parts.values) if context is None else context


def _kept_pattern(parts: SparseParts | None) -> tuple[Any, Any] | None:
    """Copies of columns and starts on the device, for new values of the pattern there."""
    adapter = None if parts is None else adapter_of(parts.values)
    if parts is None or adapter is None:
        return None
    return adapter.copy(parts.columns), adapter.copy(parts.starts)


def csr_view(a: Any, dtype: np.dtype | None = None) -> tuple[Any, lib.Csr]:
    """The matrix as CSR and its view. Indices and values are scipy's arrays, without a copy where they suit."""
    _size(a)
    a = a.tocsr()
    found = common_dtype(a.data)
    kind = found if dtype is None else dtype
    if is_complex(found) and not is_complex(kind):
        raise TypeError(f"A is complex: the handle is for {kind}")
    values = np.ascontiguousarray(a.data, dtype=kind)
    index = np.int64 if a.indices.dtype == np.int64 or a.indptr.dtype == np.int64 else np.int32
    starts = np.ascontiguousarray(a.indptr, dtype=index)
    columns = np.ascontiguousarray(a.indices, dtype=index)
    _check_rows(starts, a.shape[0], min(columns.size, values.size))
    view = lib.Csr(
        type_of(kind),
        lib.I64 if index is np.int64 else lib.I32,
        0,
        a.shape[0],
        a.shape[1],
        address(starts),
        address(columns),
        address(values),
    )
    return (starts, columns, values), view


def _check_rows(starts: np.ndarray, n: int, entries: int) -> None:
    """The library does not know the lengths of the arrays, and scipy does not compare them when they are assigned."""
    if starts.shape != (n + 1,) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"the matrix has no rows: indptr must have {n + 1} elements, begin with 0 and not decrease")
    if starts[-1] > entries:
        raise ValueError(f"the matrix has {entries} entries: indptr ends with {starts[-1]}, which is more")


def _options(
    method: str,
    precision: str,
    refine: bool,
    equilibrate: bool,
    rcond: bool,
    pivoting: str,
    iteration: str,
    tol: float,
    maxiter: int,
    nrhs: int,
    where: str,
) -> lib.SolverOptions:
    return lib.SolverOptions(
        method=word("METHOD", "method", method),
        precision=word("PRECISION", "precision", precision),
        refine=refine,
        equilibrate=equilibrate,
        rcond=rcond,
        pivoting=word("PIVOTING", "pivoting", pivoting),
        iteration=word("BLOCK_GS", "iteration", iteration),
        tolerance=tol,
        max_iterations=maxiter,
        nrhs=nrhs,
        where=word("WHERE", "where", where),
    )


def _set_order(options: lib.SolverOptions, order: Any, n: int) -> np.ndarray | None:
    """Puts the order of elimination into the options.

    Orders are of the sparse methods alone: "auto" becomes sparse LU. A permutation is returned and must live as long as
    the options are in use.
    """
    permutation = None
    if isinstance(order, str):
        options.order = word("ORDER", "order", order)
    else:
        permutation = np.asarray(order)
        if permutation.shape != (n,) or permutation.dtype.kind not in "iu":
            raise ValueError(f"order must be a word, or a permutation of {n} columns as integers")
        permutation = np.array(permutation, np.int64)
        options.order, options.permutation = lib.ORDER_GIVEN, address(permutation)
    if options.order and not options.method:
        options.method = lib.WORDS["METHOD"]["sparse_lu"]
    return permutation


def _right_hand_side(b: Any, n: int) -> tuple[Adapter, Any]:
    refuse_gradient("splu(A).solve", b)
    adapter, (b,) = taken(b=b)
    if len(b.shape) not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"matrix - rhs dimension mismatch ({(n, n)} - {tuple(b.shape)})")
    return adapter, b


_SPARSE = ("sparse-lu", "sparse-cholesky", "sparse-ldl")


class Solver(Handle):
    """A sparse matrix that is analysed and factored. `clsolve.splu`, `clsolve.spchol` and `clsolve.spldl` make it.

    shape
        (n, n)
    dtype
        float32, float64, complex64 or complex128
    nnz
        The number of entries of the factors, the diagonal once.
    perm_r, perm_c
        The order of elimination, as scipy's SuperLU has it: with
        Pr = csc_array((ones(n), (perm_r, arange(n)))) and Pc = csc_array((ones(n), (arange(n), perm_c))) the matrix
        Pr @ A @ Pc has LU factors without further pivoting. So row i of A becomes row perm_r[i], and column j column
        perm_c[j]. The sparse methods have them; after other methods they raise AttributeError. LDL^T has blocks of
        order 2: there the row of a column's pivot is that of its partner.
    inertia
        Numbers of positive, negative and zero eigenvalues: a tuple. LDL^T of a hermitian matrix and sparse Cholesky
        have it; else AttributeError.

    The factors L and U stay in the library.
    """

    context: Context
    shape: tuple[int, int]
    dtype: np.dtype
    _exception = staticmethod(sparse_exception)

    def __init__(
        self, a: Any, options: lib.SolverOptions, progress: Any, context: Context | None, order: Any = "auto"
    ) -> None:
        a, parts, context = matrix_taken(a, context)
        context = given_context(context)
        self._arrays, view = csr_view(a)
        self._pattern = _kept_pattern(parts)
        self._permutation = _set_order(options, order, a.shape[0])
        self.shape, self.dtype = tuple(a.shape), self._arrays[2].dtype
        self._watcher = reporter(context, options, progress)
        self._own(context, "solver", _byref(view), _byref(options), create="create_csr")
        self._run_watched(calls.solver_factor_csr, _byref(view))

    def factor(self, a: Any) -> Solver:
        """Takes new values for the same pattern, as a matrix or as an array (nnz,).

        The entries of a matrix are in the same order. An array has the values of all entries in the order of the data
        of A.tocsr(). The device memory and the analysis stay. Raises ValueError for another pattern, LinAlgError for a
        singular matrix.

        Values on the device, of an array or of a matrix of CuPy or PyTorch, stay there if `analysis.device_bytes` is
        not 0 and the type is float64, or complex128 with method="sparse-lu". Else they cross to the host once.

        >>> import scipy.sparse
        >>> lu = clsolve.splu(scipy.sparse.csr_matrix([[3.0, 0.0], [1.0, 2.0]]))
        >>> lu.factor(np.array([6.0, 2.0, 4.0])).solve(np.array([3.0, 5.0]))
        array([0.5, 1. ])
        """
        if not hasattr(a, "tocsr") and len(getattr(a, "shape", ())) == 1:
            return self._factor_values(a)
        parts = sparse_parts(a)
        if parts is not None and self._pattern is not None and self._has_pattern(parts):
            return self._factor_values(parts.values)
        arrays, view = csr_view(a if parts is None else sparse_on_host(parts), self.dtype)
        self._run_watched(calls.solver_factor_csr, _byref(view))
        self._arrays = arrays
        return self

    def _has_pattern(self, parts: SparseParts) -> bool:
        """Compares on the device; False also for parts of another package."""
        assert self._pattern is not None
        pairs = list(zip(self._pattern, (parts.columns, parts.starts)))
        if parts.shape != self.shape or any(type(x) is not type(y) or x.shape != y.shape for x, y in pairs):
            return False
        return all(bool((x == y).all()) for x, y in pairs)

    def _factor_values(self, values: Any) -> Solver:
        refuse_gradient("splu(A).factor", values)
        adapter, (values,) = taken(values=values)
        if is_complex(promoted(adapter.dtype(values))) and not is_complex(self.dtype):
            raise TypeError(f"values are complex: the handle is for {self.dtype}")
        values = adapter.contiguous(adapter.cast(values, self.dtype))
        view = adapter.matrix(self.context, values, vector=True)
        self._run_watched(calls.solver_factor_values, _byref(view))
        return self

    def solve(self, rhs: Any, trans: int | str = "N", overwrite_b: bool = False) -> np.ndarray:
        """Solves a x = rhs, a^T x = rhs with trans "T", or a^H x = rhs with trans "H".

        rhs is (n,) or (n, nrhs); x has its shape and the type of the matrix. Raises NotConvergedError where an
        iteration that was asked for does not reach its tolerance, ValueError for NaN, Inf and shapes that do not fit.

        For rhs on a device, make the handle with `splu(A, context=clsolve.Context.of(rhs))`, or of an A from there. x
        is made there. With sparse factors in double on the device nothing crosses. Else rhs goes to the host once, and
        x back.
        """
        adapter, b = _right_hand_side(rhs, self.shape[0])
        if is_complex(promoted(adapter.dtype(b))) and not is_complex(self.dtype):
            adapter.refuse_complex(b, self.dtype)
            return solve_parts(lambda sides: self.solve(sides, trans, True), b, self.dtype)
        x, B = adapter.sides(self.context, b, self.dtype, overwrite_b)
        self._run_watched(calls.solver_solve, op_of(trans), _byref(B))
        return x

    __call__ = solve

    @property
    def report(self) -> Report:
        """The method that was chosen and why, what was given up, the accuracy and the times (clsolve/solve.h)."""
        return report_of(self._report(lib.SolveReport))

    @property
    def analysis(self) -> Report:
        """The findings of the analysis of a sparse method (clsolve/sparse.h).

        Among the fields are order, engine, factor_entries, operations, fronts, largest_front, levels, delayed,
        host_bytes and structural_rank. Raises AttributeError after another method.
        """
        self._needs_sparse("analysis")
        found = lib.SparseAnalysis()
        self._run(calls.solver_sparse_analysis, _byref(found))
        return report_of(found)

    def _needs_sparse(self, name: str) -> None:
        method = self.report.name
        if method not in _SPARSE:
            raise AttributeError(f'{name} is not known: the method is {method}; give method="sparse-lu"')

    def _permutations(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        self._needs_sparse(name)
        rows, columns = np.empty((2, self.shape[0]), np.int64)
        self._run(calls.solver_sparse_permutations, address(rows), address(columns))
        return rows, columns

    @property
    def perm_r(self) -> np.ndarray:
        return _inverse(self._permutations("perm_r")[0])

    @property
    def perm_c(self) -> np.ndarray:
        return _inverse(self._permutations("perm_c")[1])

    @property
    def inertia(self) -> tuple[int, int, int]:
        report = self.report.report
        found = report.direct.inertia
        counts = int(found.positive), int(found.negative), int(found.zero)
        if sum(counts) != self.shape[0]:
            if report.precision == "single":
                raise AttributeError('inertia is not known of factors in float: give where="host"')
            raise AttributeError("inertia is not known: use clsolve.spldl for a real symmetric or a hermitian matrix")
        return counts

    @property
    def L(self) -> Any:
        raise AttributeError("L and U stay in the library: use solve, slogdet, perm_r and perm_c")

    U = L

    @property
    def nnz(self) -> int:
        report = self.report
        if report.name in _SPARSE:
            return int(self.analysis.factor_entries)
        return _factor_entries(report.name, self.shape[0], report)

    def slogdet(self) -> tuple[float | complex, float]:
        """Sign and natural logarithm of the absolute value of the determinant, as numpy.linalg.slogdet.

        If report.report.direct.det_precision is "single", both are rough, and the sign may be wrong. The sign
        of a complex matrix is a complex number of absolute value 1. Raises UnsupportedError after a method
        that computes no determinant, such as the iteration for grids.
        """
        number = complex if is_complex(self.dtype) else float
        if self.shape[0] == 0:
            return number(1), 0.0
        report = self.report
        direct = report.report.direct
        if report.report.status == "SINGULAR":
            return number(0), -math.inf
        if report.report.status == "NOT_POSITIVE_DEFINITE":
            raise LinAlgError("the matrix of the last factorization is not positive definite: there are no factors")
        if direct.det_precision is None:
            raise UnsupportedError(f'{report.name} computes no determinant: give method="sparse-lu"')
        sign = cmath.exp(1j * direct.det_phase) if number is complex else float(direct.det_sign)
        return sign, direct.log_abs_det

    def as_operator(self) -> Any:
        """The inverse as a scipy.sparse.linalg.LinearOperator."""
        return inverse_operator(self)

    def __repr__(self) -> str:
        return f"<clsolve.sparse.Solver {self.shape[0]} x {self.shape[1]} {self.dtype}>"


def _inverse(permutation: np.ndarray) -> np.ndarray:
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(permutation.size)
    return inverse


def _factor_entries(method: str | None, n: int, report: Report) -> int:
    """Places for entries of the factors of a method that is not sparse; of an iteration the entries of A."""
    if method not in ("lu", "gauss-jordan", "cholesky", "ldl", "band-lu", "band-cholesky"):
        return report.entries
    is_band, has_upper = method.startswith("band"), not method.endswith(("cholesky", "ldl"))
    below = report.lower if is_band else n - 1
    above = 0 if not has_upper else min(report.lower + report.upper, n - 1) if is_band else n - 1
    return sum(n * width - width * (width + 1) // 2 for width in (below, above) if width > 0) + n


def splu(
    A: Any,
    permc_spec: str | None = None,
    *,
    method: str = "auto",
    order: Any = "auto",
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    rcond: bool = False,
    pivoting: str = "auto",
    iteration: str = "auto",
    tol: float = 0,
    maxiter: int = 0,
    nrhs: int = 0,
    where: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> Solver:
    """Analyses and factors a sparse matrix, for any number of right-hand sides.

    A
        (n, n) matrix of scipy.sparse, cupyx.scipy.sparse or PyTorch. CSR is used as it is; other forms are converted.
    permc_spec
        "NATURAL" is order="natural"; all else has no effect.
    method
        "auto", "sparse-lu", "sparse-cholesky", "sparse-ldl", "lu", "gauss-jordan", "band", "cholesky", or
        "block-gs" for grids.
    order
        The order of elimination of the sparse methods: "auto", "amd", "nested", "metis", "natural", or a permutation:
        column order[k] is eliminated k-th. Columns may change places where this changes no entry of the factors, and
        pivots that are too small come later. With an order the method "auto" is sparse LU.
    iteration, tol, maxiter
        For grids: the iteration ("multigrid", "cg", ...), the relative residual and the iterations to stop at.
    nrhs
        Right-hand sides that are expected; the choice of the method depends on it.
    where
        "auto", "device" or "host": where a sparse or dense method computes (clsolve/factorization.h).

    Returns a Solver, without attributes L and U. Raises ValueError for a matrix that is not square, TypeError for
    complex values that the method does not take, LinAlgError for a singular matrix. This error is a RuntimeError too,
    as scipy's is.

    >>> import scipy.sparse
    >>> a = scipy.sparse.diags([[-1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0]], [-1, 0, 1], format="csr")
    >>> lu = clsolve.splu(a)
    >>> lu.solve(np.array([1.0, 0.0, 1.0])).round(12)
    array([1., 1., 1.])
    >>> lu.report.entries, lu.report.symmetric
    (7, 1)
    >>> clsolve.splu(a, order="natural").perm_c
    array([0, 1, 2])
    """
    options = _options(method, precision, refine, equilibrate, rcond, pivoting, iteration, tol, maxiter, nrhs, where)
    if permc_spec == "NATURAL" and isinstance(order, str) and order == "auto":
        order = "natural"
    return Solver(A, options, progress, context, order)


def spchol(
    A: Any,
    *,
    order: Any = "auto",
    rcond: bool = False,
    nrhs: int = 0,
    where: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> Solver:
    """Analyses and factors a sparse symmetric or hermitian positive definite matrix by sparse Cholesky.

    A
        (n, n) matrix of scipy.sparse, cupyx.scipy.sparse or PyTorch, both triangles.
    order, where
        As for `clsolve.splu`.

    Returns a Solver: perm_r and perm_c are one permutation. Raises LinAlgError for a matrix that is not positive
    definite, ValueError for one that is not symmetric. Where the report's precision is "single", factors are in float:
    they do not prove a matrix of doubles positive definite.

    >>> import scipy.sparse
    >>> a = scipy.sparse.csr_matrix([[4.0, 2.0], [2.0, 5.0]])
    >>> chol = clsolve.spchol(a)
    >>> chol.solve([8.0, 12.0]).round(12)
    array([1., 2.])
    >>> chol.nnz, round(chol.slogdet()[1], 6) == round(float(np.log(16)), 6)
    (3, True)
    """
    options = _options("sparse-cholesky", "auto", False, False, rcond, "auto", "auto", 0, 0, nrhs, where)
    return Solver(A, options, progress, context, order)


def spldl(
    A: Any,
    *,
    order: Any = "auto",
    rcond: bool = False,
    nrhs: int = 0,
    where: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> Solver:
    """Analyses and factors a sparse symmetric or hermitian matrix, definite or not, by LDL^T or LDL^H.

    A
        (n, n) matrix as for `clsolve.spchol`. A complex one is hermitian, or symmetric: its own transpose.
    order, where
        As for `clsolve.splu`.

    Returns a Solver, whose inertia says how many eigenvalues are positive, negative and zero. Raises LinAlgError for a
    singular matrix, ValueError for one that is not symmetric.

    >>> import scipy.sparse
    >>> a = scipy.sparse.csr_matrix([[2.0, 1.0], [1.0, 0.0]])
    >>> ldl = clsolve.spldl(a)
    >>> ldl.solve([4.0, 1.0]).round(12)
    array([1., 2.])
    >>> ldl.inertia
    (1, 1, 0)
    """
    options = _options("sparse-ldl", "auto", False, False, rcond, "auto", "auto", 0, 0, nrhs, where)
    return Solver(A, options, progress, context, order)


def factorized(A: Any, **options: Any) -> Callable[[Any], np.ndarray]:
    """A function that solves for a right-hand side; options are those of `clsolve.splu`."""
    return splu(A, **options).solve


def spsolve(
    A: Any,
    b: Any,
    permc_spec: str | None = None,
    use_umfpack: bool = True,
    *,
    trans: int | str = "N",
    overwrite_b: bool = False,
    method: str = "auto",
    order: Any = "auto",
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    pivoting: str = "auto",
    iteration: str = "auto",
    tol: float = 0,
    maxiter: int = 0,
    where: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> Any:
    """Solves A x = b for a sparse matrix, in one call.

    A
        (n, n) matrix of scipy.sparse, cupyx.scipy.sparse or PyTorch.
    b
        (n,) or (n, nrhs) array, also on a device, or a sparse matrix: then x is a sparse matrix too.
    permc_spec, use_umfpack
        Have no effect.

    The other arguments are those of `clsolve.splu`. Returns x in the shape of b. For a singular matrix,
    where scipy warns and returns NaN, this call raises LinAlgError.

    >>> import scipy.sparse
    >>> a = scipy.sparse.csr_matrix([[3.0, 0.0], [1.0, 2.0]])
    >>> clsolve.spsolve(a, [3.0, 5.0])
    array([1., 2.])
    """
    options = _options(method, precision, refine, equilibrate, False, pivoting, iteration, tol, maxiter, 0, where)
    A, _, context = matrix_taken(A, context)
    sparse_b = hasattr(b, "tocsr")
    adapter, dense = _right_hand_side(b.toarray() if sparse_b else b, _size(A))
    kind = promoted(A.dtype, adapter.dtype(dense))
    if adapter is not numpy_adapter:  # on a device, or a tensor: a handle for one solve
        A = A.tocsr().astype(kind, copy=False)
        with Solver(A, options, progress, given_context(context, adapter, dense), order) as solver:
            return solver.solve(dense, trans, overwrite_b)
    if is_complex(kind) and not is_complex(A.dtype) and not sparse_b:
        words: dict[str, Any] = {"trans": trans, "method": method, "order": order, "precision": precision}
        words.update(refine=refine, where=where, equilibrate=equilibrate, pivoting=pivoting, iteration=iteration)
        words.update(tol=tol, maxiter=maxiter, progress=progress, context=context)
        return solve_parts(lambda sides: spsolve(A, sides, **words), dense)
    arrays, view = csr_view(A, kind)
    context = given_context(context)
    x, B = adapter.sides(context, dense, kind, overwrite_b or sparse_b)
    watcher = reporter(context, options, progress)
    permutation = _set_order(options, order, A.shape[0])
    status, message = context.status(
        calls.solve_csr, context._handle, op_of(trans), _byref(view), _byref(B), _byref(options), None
    )
    del arrays, permutation
    if watcher is not None:
        watcher.raise_error(status)
    if status:
        raise sparse_exception(status, message)
    if sparse_b:
        return type(b)(x)
    return x
