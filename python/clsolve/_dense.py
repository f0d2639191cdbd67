"""Dense systems: solve, LU and what follows from its factors."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Iterator

import numpy as np

from . import _library as lib
from ._arrays import (
    address, batch_view, common_dtype, is_foreign, is_sparse, op_of, readable, square, type_of, word, writable,
)
from ._context import Context, Handle, default_context, reporter
from ._errors import LinAlgError, exception, warn_ill_conditioned
from ._library import calls
from ._report import Report, report_from

_byref = ctypes.byref


def _warn_if_ill(rcond: float, dtype: np.dtype, stacklevel: int) -> None:
    if 0 <= rcond < np.finfo(dtype).eps:
        warn_ill_conditioned(
            f"An ill-conditioned matrix detected: result may not be accurate (rcond={rcond:.6g}).", stacklevel + 1
        )


# ---- the matrix in the caller's words ----


def _structured(a: np.ndarray, assume_a: str | None, lower: bool) -> np.ndarray:
    """The general matrix that `assume_a` and `lower` mean: for a structure scipy reads only its part of the array."""
    if assume_a in (None, "gen", "general", "diagonal", "tridiagonal", "banded"):
        return a
    if assume_a in ("upper triangular", "lower triangular"):
        return np.triu(a) if assume_a[0] == "u" else np.tril(a)
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        half = np.tril(a, -1) if lower else np.triu(a, 1)
        diagonal = np.zeros_like(half)
        index = np.arange(a.shape[-1])
        diagonal[..., index, index] = a[..., index, index]
        return half + np.swapaxes(half, -1, -2) + diagonal
    raise ValueError(f"{assume_a!r} is not a recognized matrix structure")


def _solver_options(precision: str, refine: bool, equilibrate: bool, pivoting: str, where: str, rcond: bool) -> lib.SolverOptions:
    return lib.SolverOptions(
        precision=word("PRECISION", "precision", precision), equilibrate=equilibrate, refine=refine, rcond=rcond,
        pivoting=word("PIVOTING", "pivoting", pivoting), where=word("WHERE", "where", where),
    )


# The usual calls: with the condition number, and without.
_plain_options = {True: lib.SolverOptions(rcond=1), False: lib.SolverOptions()}


def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: str | None = None, transposed: bool = False, *, precision: str = "auto",
    refine: bool = False, equilibrate: bool = False, pivoting: str = "auto", where: str = "auto",
    rcond: bool = True, progress: Any = None, context: Context | None = None,
) -> Any:
    """Solves a x = b for a dense or a sparse matrix.

    a
        (..., n, n) array, or an (n, n) matrix of scipy.sparse, for which `clsolve.sparse.spsolve` has the options.
    b
        (n,) or (..., n, nrhs) array. Leading axes are batches and broadcast as in numpy.linalg.solve.
    lower, assume_a
        As scipy.linalg.solve has them. The system is solved as a general one, from the part of `a` that is meant.
    overwrite_b
        True: the solution may be written into `b`. `a` is never changed, so `overwrite_a` has no effect.
    check_finite
        Has no effect: the library always checks.
    transposed
        True: solves a^T x = b.
    precision, refine, equilibrate, pivoting, where
        Options of the library: "auto", "mixed", "working"; "auto", "partial", "tournament", "rbt"; "auto", "device",
        "host".
    rcond
        True: estimates the condition number, and warns if no digit of x is sure. False saves that time.
    progress
        A function (phase, fraction), or a tqdm bar.

    Returns x in the shape that numpy.linalg.solve gives, in float32 if `a` and `b` are, else float64.

    Raises ValueError for shapes that do not fit and for NaN or Inf, LinAlgError for a singular matrix, TypeError for
    complex numbers. Warns with LinAlgWarning for an ill-conditioned matrix.

    >>> clsolve.solve([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0])
    array([1., 2.])
    """
    if type(a) is not np.ndarray:
        if is_sparse(a):
            from .sparse import spsolve

            return spsolve(a, b, trans="T" if transposed else "N", where=where, progress=progress, context=context)
        if is_foreign(a):
            return _solve_foreign(
                a, b, transposed, overwrite_b, assume_a,
                {"precision": precision, "refine": refine, "equilibrate": equilibrate, "pivoting": pivoting,
                 "where": where, "rcond": rcond}, context,
            )
        a = np.asarray(a)
    if type(b) is not np.ndarray:
        b = np.asarray(b)
    if a.ndim < 2:
        a = np.atleast_2d(a)
    square(a)
    if assume_a is not None and assume_a not in ("gen", "general"):
        a = _structured(a, assume_a, lower)
    if a.shape == (1, 1) and b.ndim < 2 and b.shape != (1,):  # scipy takes any b for a single number a
        return solve(a, b.reshape(1, -1), check_finite=check_finite, where=where, rcond=rcond, context=context).reshape(b.shape)
    vector = b.ndim == 1
    if b.ndim == 0 or b.shape[0 if vector else -2] != a.shape[-1]:
        raise ValueError(f"incompatible dimensions: a has shape {a.shape}, b has shape {b.shape}")
    if context is None:
        context = default_context()
    plain = precision == "auto" and pivoting == "auto" and where == "auto" and not (refine or equilibrate or progress)
    if a.ndim > 2 or b.ndim > 2:
        options = None if plain else _solver_options(precision, refine, equilibrate, pivoting, where, False)
        return _solve_batch(context, a, b, transposed, overwrite_b, options)

    dtype = common_dtype(a, b)
    if plain:
        options = _plain_options[bool(rcond)]
    else:
        options = _solver_options(precision, refine, equilibrate, pivoting, where, rcond)
    watcher = reporter(context, options, progress)
    a, A = readable(a, dtype)
    b, B = writable(b[:, None] if vector else b, dtype, overwrite_b)
    report = lib.SolveReport() if rcond else None
    status, message = context.status(
        calls.solve, context._handle, 1 if transposed else 0, _byref(A), _byref(B), _byref(options),
        None if report is None else _byref(report),
    )
    if watcher is not None:
        watcher.raise_error()
    if status:
        raise exception(status, message)
    if report is not None:
        found = report.report.direct.rcond
        if found < 1e-6:  # a quick test for the usual case, before the type's epsilon is looked up
            _warn_if_ill(found, dtype, 2)
    return b[:, 0] if vector else b


def _solve_foreign(
    a: Any, b: Any, transposed: bool, overwrite_b: bool, assume_a: str | None, words: dict[str, Any],
    context: Context | None,
) -> Any:
    """solve for arrays of other packages."""
    from . import _device

    if assume_a not in (None, "gen", "general"):
        raise ValueError("assume_a is for numpy arrays: give the general matrix")
    if _device.adapter_of(a) is None:
        given = {**words, "transposed": transposed, "context": context}
        return _device.through_dlpack(a, (a, b), lambda *arrays: solve(*arrays, **given))
    if type(a).__module__.partition(".")[0] == "torch":
        from . import _torch

        if _torch.wants_gradient(a, b):
            return _torch.Solve.apply(a, b, transposed, [], {**words, "context": context})
        a, b = a.detach(), b.detach() if hasattr(b, "detach") else b
    options = _solver_options(**words)
    x, rcond, dtype = _device.solve(a, b, transposed, overwrite_b, options, _lu_options_of(options), context)
    if words["rcond"]:
        _warn_if_ill(rcond, dtype, 3)
    return x


def _infos(info: np.ndarray, message: str) -> None:
    """Raises what the first member without a solution asks for."""
    bad = np.flatnonzero(info)
    if bad.size == 0:
        return
    member, value = int(bad[0]), int(info[bad[0]])
    if value < 0:
        raise ValueError(f"array must not contain infs or NaNs: member {member} {message}")
    raise LinAlgError(f"Matrix is singular: pivot {value} of member {member} is exactly zero")


def _solve_batch(
    context: Context, a: np.ndarray, b: np.ndarray, transposed: bool, overwrite_b: bool, options: lib.SolverOptions | None
) -> np.ndarray:
    dtype = common_dtype(a, b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    n, nrhs = b.shape[-2:]
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    same_b = overwrite_b and b.shape[:-2] == shape and b.dtype == dtype and b.flags.c_contiguous and b.flags.writeable
    x = b if same_b else np.array(np.broadcast_to(b, shape + (n, nrhs)), dtype=dtype, order="C")
    members_a = np.broadcast_to(a, shape + (n, n))
    if n <= lib.BATCH_LARGEST and options is None and x.size:
        one_matrix = a.size == n * n
        members = np.ascontiguousarray(a if one_matrix else members_a, dtype=dtype)
        A, B = batch_view(members), batch_view(x)
        if one_matrix:
            A.count, A.stride = B.count, 0
        info = np.zeros(B.count, np.int64)
        handle = _batch_handle(context, n, B.count, dtype)
        try:
            context.run(
                calls.gauss_jordan_batch_solve, handle._open(), int(transposed), _byref(A), _byref(B), address(info)
            )
        finally:
            handle.close()
        _infos(info, "or its right-hand side")
    else:
        _solve_each(context, members_a, x, dtype, transposed, options)
    return x[..., 0] if vector else x


class _BatchHandle(Handle):
    pass


def _batch_handle(context: Context, n: int, count: int, dtype: np.dtype) -> _BatchHandle:
    handle = _BatchHandle()
    handle._own(
        context, calls.gauss_jordan_batch_create, calls.gauss_jordan_batch_destroy, n, count, type_of(dtype), None
    )
    return handle


def _solve_each(
    context: Context, a: np.ndarray, x: np.ndarray, dtype: np.dtype, transposed: bool, options: lib.SolverOptions | None
) -> None:
    """Larger members, one after the other. x holds the right-hand sides and becomes the solutions."""
    n, nrhs = x.shape[-2:]
    if x.size == 0:
        return
    shape = x.shape[:-2]
    handle = LU._made(context, n, dtype, _lu_options_of(options))
    with handle:
        for index in np.ndindex(*shape):
            handle._factor(a[index], f"member {index}: ")
            _, B = writable(x[index], dtype, True)
            context.run(calls.lu_solve, handle._open(), int(transposed), _byref(B))


def _lu_options_of(options: lib.SolverOptions | None) -> lib.LuOptions:
    made = lib.LuOptions()
    if options is not None:
        for name in ("precision", "equilibrate", "refine", "pivoting", "where", "rcond"):
            setattr(made, name, getattr(options, name))
    return made


# ---- LU ----


class LU(Handle):
    """The factors P a = L U of a dense matrix, on the device or on the host. `clsolve.lu_factor` makes it.

    `lu, piv = clsolve.lu_factor(a)` gives LAPACK's factors as scipy.linalg.lu_factor does.
    """

    context: Context
    shape: tuple[int, int]
    dtype: np.dtype

    @classmethod
    def _made(cls, context: Context, n: int, dtype: np.dtype, options: lib.LuOptions) -> LU:
        made = cls.__new__(cls)
        made.shape, made.dtype = (n, n), dtype
        made._singular = False
        made._watcher = None
        made._own(context, calls.lu_create, calls.lu_destroy, n, type_of(dtype), _byref(options))
        return made

    _singular: bool
    _watcher: Any

    def _factor(self, a: np.ndarray, prefix: str = "", singular_is_error: bool = True) -> None:
        a, A = readable(a, self.dtype)
        self._factor_view(A, prefix, singular_is_error)

    def _factor_view(self, A: lib.Matrix, prefix: str = "", singular_is_error: bool = True) -> None:
        status, message = self.context.status(calls.lu_factor, self._open(), _byref(A))
        if self._watcher is not None:
            self._watcher.raise_error()
        self._singular = status == 1
        if status and (singular_is_error or status != 1):
            raise exception(status, prefix + message)

    def factor(self, a: Any) -> LU:
        """Factors another matrix of the same shape with the same options, in the memory that the handle has.

        Raises LinAlgError for a singular matrix.
        """
        if is_foreign(a):
            from . import _device

            _, view, dtype, held = _device.factor(a, self.context)
            if held.shape != self.shape or dtype != self.dtype:
                raise ValueError(f"a is {tuple(held.shape)} {dtype}: the handle is for {self.shape} {self.dtype}")
            self._factor_view(view)
            return self
        a = np.asarray(a)
        if a.shape != self.shape:
            raise ValueError(f"a has shape {a.shape}: the handle is for {self.shape}")
        common_dtype(a)
        self._factor(a)
        return self

    def solve(self, b: Any, trans: int | str = 0, overwrite_b: bool = False) -> np.ndarray:
        """Solves a x = b, or a^T x = b with trans "T" or 1.

        b is (n,) or (n, nrhs); x has its shape and the type of the factors. Raises LinAlgError if the matrix was
        singular, ValueError for a shape that does not fit and for NaN or Inf.
        """
        if type(b) is not np.ndarray and is_foreign(b):
            from . import _device

            if _device.adapter_of(b) is not None:
                return _device.solve_with(self, b, op_of(trans), overwrite_b)
        b = np.asarray(b)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"incompatible dimensions: the matrix is {self.shape}, b has shape {b.shape}")
        common_dtype(b)
        x, B = writable(b[:, None] if b.ndim == 1 else b, self.dtype, overwrite_b)
        self.context.run(calls.lu_solve, self._open(), op_of(trans), _byref(B))
        return x[:, 0] if b.ndim == 1 else x

    @property
    def report(self) -> Report:
        """How the last factorization and the last solve went (clsolve/report.h)."""
        return report_from(self.context, calls.lu_report, self._open(), lib.Report)

    def _direct(self) -> lib.ReportDirect:
        report = lib.Report()
        self.context.run(calls.lu_report, self._open(), _byref(report))
        return report.direct

    @property
    def rcond(self) -> float:
        """The reciprocal condition number in the 1-norm; -1 without the option rcond of lu_factor."""
        return self._direct().rcond

    def slogdet(self) -> tuple[float, float]:
        """Sign and natural logarithm of the absolute value of the determinant, as numpy.linalg.slogdet."""
        if self.shape[0] == 0:
            return 1.0, 0.0
        direct = self._direct()
        return (0.0, -math.inf) if self._singular else (float(direct.det_sign), direct.log_abs_det)

    def det(self) -> float:
        """The determinant; its relative error grows with the logarithm of its size."""
        sign, logarithm = self.slogdet()
        return sign * (math.exp(logarithm) if logarithm < 709.7 else math.inf) if sign else 0.0

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """(lu, piv) as scipy.linalg.lu_factor returns them: L and U in one array, and row exchanges from 0."""
        n = self.shape[0]
        lu = np.empty((n, n), self.dtype, order="F")
        piv = np.zeros(n, np.int64)
        _, view = writable(lu, self.dtype, True)
        self.context.run(calls.lu_factors, self._open(), _byref(view), address(piv))
        return lu, (piv - 1).astype(np.int32)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.factors())

    def as_operator(self) -> Any:
        """The inverse as a scipy.sparse.linalg.LinearOperator, for example a preconditioner of a Krylov method."""
        from ._operators import inverse_operator

        return inverse_operator(self)

    def __repr__(self) -> str:
        return f"<clsolve.LU {self.shape[0]} x {self.shape[1]} {self.dtype}>"


def lu_factor(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, *, precision: str = "auto", pivoting: str = "auto",
    refine: bool = False, equilibrate: bool = False, rcond: bool = False, where: str = "auto", memory_limit: int = 0,
    panel: str = "auto", seed: int = 0, progress: Any = None, context: Context | None = None,
) -> Any:
    """Factors a square matrix, P a = L U, for any number of solves.

    a
        (n, n) array. It is not changed; `overwrite_a` and `check_finite` have no effect. For an array that is not
        square, the pair (lu, piv) of scipy.linalg.lu_factor is returned.
    precision
        "auto", "working", or "mixed": float32 factors refined to float64 answers.
    pivoting
        "auto", "partial", "tournament", "rbt". `seed` is that of "rbt".
    refine, equilibrate, rcond
        True: refine each solution; scale rows and columns; estimate the condition number for `report.direct.rcond`.
    memory_limit
        Bytes of device memory; 0: all that is free. A matrix that is larger is factored out of core.

    Returns an LU. A singular matrix gives a LinAlgWarning, as in scipy; solves then raise LinAlgError. Raises
    ValueError for NaN or Inf.

    >>> lu = clsolve.lu_factor([[4.0, 3.0], [6.0, 3.0]])
    >>> lu.solve([10.0, 12.0], trans="N")
    array([1., 2.])
    >>> lu.report.method
    'lu'
    """
    view = None
    if is_foreign(a):
        from . import _device

        if _device.adapter_of(a) is not None:
            context, view, dtype, a = _device.factor(a, context)
    if view is None:
        a = np.asarray(a)
        if a.ndim != 2:
            raise ValueError(f"expected a matrix: a has shape {a.shape}")
        dtype = common_dtype(a)
        if a.shape[0] != a.shape[1]:
            return _padded_factors(a, dtype, context)
    context = context or default_context()
    options = lib.LuOptions(
        panel=word("PANEL", "panel", panel), precision=word("PRECISION", "precision", precision), rcond=rcond,
        equilibrate=equilibrate, refine=refine, memory_limit=memory_limit,
        pivoting=word("PIVOTING", "pivoting", pivoting), seed=seed, where=word("WHERE", "where", where),
    )
    watcher = reporter(context, options, progress)
    lu = LU._made(context, a.shape[0], dtype, options)
    lu._watcher = watcher
    if view is None:
        lu._factor(a, singular_is_error=False)
    else:
        lu._factor_view(view, singular_is_error=False)
    if lu._singular:
        warn_ill_conditioned(
            f"Diagonal number {lu.report.info} is exactly zero. Singular matrix.", 2
        )
    return lu


def lu_solve(
    lu_and_piv: Any, b: Any, trans: int | str = 0, overwrite_b: bool = False, check_finite: bool = True
) -> np.ndarray:
    """Solves with the factors of `clsolve.lu_factor`; as scipy.linalg.lu_solve.

    lu_and_piv
        An LU. A pair (lu, piv) of scipy is multiplied out and factored again: keep the LU where that matters.
    b
        (n,) or (n, nrhs).
    trans
        0 or "N": a x = b; 1 or "T", 2 or "C": a^T x = b.

    >>> lu = clsolve.lu_factor([[0.0, 2.0], [1.0, 0.0]])
    >>> clsolve.lu_solve(lu, [2.0, 3.0])
    array([3., 1.])
    """
    if isinstance(lu_and_piv, LU):
        return lu_and_piv.solve(b, trans, overwrite_b)
    lu, piv = (np.asarray(part) for part in lu_and_piv)
    square(lu, "lu")
    a = np.tril(lu, -1) @ np.triu(lu) + np.triu(lu)
    for row in range(len(piv) - 1, -1, -1):
        a[[row, piv[row]]] = a[[piv[row], row]]
    return lu_factor(a).solve(b, trans, overwrite_b)


def lu(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False,
    *, context: Context | None = None,
) -> tuple[np.ndarray, ...]:
    """The factors of a = P L U, as scipy.linalg.lu returns them.

    a
        (..., m, n) array. A matrix that is not square is factored as the square one that zeros make of it.

    Returns (P, L, U), (P L, U) with permute_l, or (p, L, U) with L[p] U = a for p_indices. L is (m, k), U is (k, n)
    with k = min(m, n).

    >>> p, l, u = clsolve.lu([[1.0, 2.0], [4.0, 6.0]])
    >>> u
    array([[4. , 6. ],
           [0. , 0.5]])
    """
    a = np.asarray(a)
    if a.ndim < 2:
        raise ValueError(f"The input array must be at least two-dimensional: a has shape {a.shape}")
    dtype = common_dtype(a)
    if a.ndim > 2:
        return _lu_batch(a, dtype, permute_l, p_indices, context)
    m, n = a.shape
    k = min(m, n)
    factors, piv = _padded_factors(a, dtype, context)
    low = np.tril(factors[:, :k], -1)
    low[np.arange(k), np.arange(k)] = 1
    up = np.triu(factors[:k])
    order = np.arange(m)  # row i of L U is row order[i] of a
    for row in range(k):
        order[[row, piv[row]]] = order[[piv[row], row]]
    if permute_l:
        return low[np.argsort(order)], up
    if p_indices:
        return np.argsort(order), low, up
    permutation = np.zeros((m, m), dtype)
    permutation[order, np.arange(m)] = 1
    return permutation, low, up


def _padded_factors(a: np.ndarray, dtype: np.dtype, context: Context | None) -> tuple[np.ndarray, np.ndarray]:
    """lu and piv of any matrix. Zeros make a square one of it; they change neither pivots nor factors."""
    m, n = a.shape
    k, larger = min(m, n), max(m, n)
    if k == 0:
        return np.zeros((m, n), dtype), np.zeros(0, np.int32)
    if m != n:
        padded = np.zeros((larger, larger), dtype, order="F")
        padded[:m, :n] = a
        a = padded
    with LU._made(context or default_context(), larger, dtype, lib.LuOptions(precision=2)) as handle:
        handle._factor(a, singular_is_error=False)
        factors, piv = handle.factors()
    return factors[:m, :n], piv[:k]


def _lu_batch(
    a: np.ndarray, dtype: np.dtype, permute_l: bool, p_indices: bool, context: Context | None
) -> tuple[np.ndarray, ...]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    low, up = np.zeros(batch + (m, k), dtype), np.zeros(batch + (k, n), dtype)
    index = np.zeros(batch + (m,), int)
    permutation = np.zeros(batch + (m, m), dtype)
    for place in np.ndindex(*batch):
        parts = lu(a[place], permute_l, p_indices=p_indices, context=context)
        low[place], up[place] = parts[-2:]
        if p_indices and not permute_l:
            index[place] = parts[0]
        elif not permute_l:
            permutation[place] = parts[0]
    return (low, up) if permute_l else (index if p_indices else permutation, low, up)


# ---- inverse, determinant, condition ----


def inv(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, assume_a: str | None = None, lower: bool = False, *,
    where: str = "auto", rcond: bool = True, progress: Any = None, context: Context | None = None,
) -> np.ndarray:
    """The inverse of a square matrix, or of each matrix on the leading axes, by Gauss-Jordan.

    a
        (..., n, n) array. With overwrite_a its memory may become that of the inverse.
    assume_a, lower
        As for `clsolve.solve`.

    rcond
        False: no warnings for ill-conditioned matrices. For batches they take two passes over both arrays.

    Returns an array of the same shape. Raises LinAlgError for a singular matrix, ValueError for a matrix that is not
    square or holds NaN or Inf. Warns with LinAlgWarning where no digit of an inverse is sure.

    >>> clsolve.inv([[2.0, 1.0], [1.0, 1.0]]).round(12)
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    given = a
    if is_foreign(a):
        return _inv_foreign(a, overwrite_a, assume_a, where, rcond, context)
    a = np.asarray(a)
    square(a)
    if assume_a is not None:
        a = _structured(a, assume_a, lower)
    dtype = common_dtype(a)
    context = context or default_context()
    overwrite = overwrite_a and a is given
    if a.ndim > 2:
        return _inv_batch(context, a, dtype, overwrite, where, rcond)
    x, X = writable(a, dtype, overwrite)
    _invert(context, X, where, progress, dtype, warn=rcond)
    return x


def _inv_foreign(
    a: Any, overwrite_a: bool, assume_a: str | None, where: str, rcond: bool, context: Context | None
) -> Any:
    """inv for arrays of other packages."""
    from . import _device

    if assume_a not in (None, "gen", "general"):
        raise ValueError("assume_a is for numpy arrays: give the general matrix")
    options: dict[str, Any] = {"where": where, "rcond": rcond, "context": context}
    if _device.adapter_of(a) is None:
        return _device.through_dlpack(a, (a,), lambda array: inv(array, **options))
    if type(a).__module__.partition(".")[0] == "torch":
        from . import _torch

        if _torch.wants_gradient(a):
            return _torch.Inverse.apply(a, options)
        a = a.detach()
    return _device.inv(a, overwrite_a, where, rcond, context)


def _invert(
    context: Context, X: lib.Matrix, where: str, progress: Any, dtype: np.dtype, warn: bool = True, stacklevel: int = 3
) -> None:
    options = lib.GaussJordanOptions(where=word("WHERE", "where", where))
    watcher = reporter(context, options, progress)
    handle = Handle()
    handle._own(
        context, calls.gauss_jordan_create, calls.gauss_jordan_destroy, X.rows, type_of(dtype), _byref(options)
    )
    with handle:
        status, message = context.status(calls.gauss_jordan_invert, handle._open(), _byref(X), _byref(X))
        if watcher is not None:
            watcher.raise_error()
        if status:
            raise exception(status, message)
        if warn:
            report = lib.Report()
            context.run(calls.gauss_jordan_report, handle._open(), _byref(report))
            _warn_if_ill(report.direct.rcond, dtype, stacklevel)


def _norms(a: np.ndarray) -> np.ndarray:
    return np.abs(a).sum(axis=-2).max(axis=-1)


def _inv_batch(
    context: Context, a: np.ndarray, dtype: np.dtype, overwrite: bool, where: str, rcond: bool
) -> np.ndarray:
    n = a.shape[-1]
    same = overwrite and a.dtype == dtype and a.flags.c_contiguous and a.flags.writeable
    x = a if same else np.array(a, dtype=dtype, order="C")
    if x.size == 0:
        return x
    if n > lib.BATCH_LARGEST:
        for index in np.ndindex(*a.shape[:-2]):
            _, member = writable(x[index], dtype, True)
            _invert(context, member, where, None, dtype, warn=rcond, stacklevel=4)
        return x
    norms = _norms(x) if rcond else None
    X = batch_view(x)
    info = np.zeros(X.count, np.int64)
    with _batch_handle(context, n, X.count, dtype) as handle:
        context.run(calls.gauss_jordan_batch_invert, handle._open(), _byref(X), _byref(X), address(info))
    _infos(info, "or its inverse")
    if norms is not None:
        with np.errstate(over="ignore"):
            _warn_if_ill(float(1 / (norms * _norms(x)).max()), dtype, 3)
    return x


def slogdet(a: Any, *, context: Context | None = None) -> Any:
    """Sign and natural logarithm of the absolute determinant of each matrix, as numpy.linalg.slogdet.

    a is (..., n, n). Returns a named pair (sign, logabsdet) of shape (...); a singular matrix gives (0, -inf). Raises
    ValueError for NaN, Inf or a matrix that is not square.

    >>> sign, logdet = clsolve.slogdet([[0.0, 2.0], [3.0, 0.0]])
    >>> float(sign), round(float(logdet), 6)
    (-1.0, 1.791759)
    """
    if is_foreign(a):
        from . import _device

        if _device.adapter_of(a) is None:
            return slogdet(np.from_dlpack(a), context=context)
        sign, logarithm, adapter, dtype = _device.slogdet(a, context)
        return _slogdet_result(adapter.scalar(sign.astype(dtype), a), adapter.scalar(logarithm.astype(dtype), a))
    a = np.asarray(a)
    sign, logarithm = _slogdet(a, context)
    dtype = common_dtype(a)
    return _slogdet_result(sign.astype(dtype)[()], logarithm.astype(dtype)[()])


def _slogdet(a: np.ndarray, context: Context | None) -> tuple[np.ndarray, np.ndarray]:
    if a.ndim < 2:
        raise ValueError(f"The input array must be at least two-dimensional: a has shape {a.shape}")
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Last 2 dimensions of the array must be square: a has shape {a.shape}")
    dtype = common_dtype(a)
    context = context or default_context()
    shape, n = a.shape[:-2], a.shape[-1]
    sign, logarithm = np.ones(shape), np.zeros(shape)
    if n and sign.size:
        with LU._made(context, n, dtype, lib.LuOptions(precision=lib.WORDS["PRECISION"]["working"])) as handle:
            for index in np.ndindex(*shape):
                handle._factor(a[index], singular_is_error=False)
                sign[index], logarithm[index] = handle.slogdet()
    return sign, logarithm


def _slogdet_result(sign: Any, logarithm: Any) -> Any:
    kind = getattr(np.linalg, "_linalg", np.linalg)
    named = getattr(kind, "SlogdetResult", None)
    return named(sign, logarithm) if named is not None else (sign, logarithm)


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True, *, context: Context | None = None) -> Any:
    """The determinant of each matrix of `a`, an array (..., n, n); 0 for a singular matrix. It is float64, as scipy's.

    It is made from `slogdet`, so its relative error grows with the logarithm of its size.

    >>> round(float(clsolve.det([[1.0, 2.0], [3.0, 4.0]])), 12)
    -2.0
    """
    adapter = None
    if is_foreign(a):
        from . import _device

        adapter = _device.adapter_of(a)
    if adapter is not None:
        sign, logarithm, adapter, _ = _device.slogdet(a, context)
    else:
        sign, logarithm = _slogdet(np.asarray(a), context)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        value = np.where(sign == 0, 0.0, sign * np.exp(logarithm))
    return value[()] if adapter is None else adapter.scalar(value, a)


def cond(a: Any, p: Any = 1, *, exact: bool = False, context: Context | None = None) -> float:
    """The condition number of a square matrix in the norm p.

    p
        1 or inf. numpy's default, the 2-norm, needs singular values, which this library does not compute.
    exact
        False: the estimate of LAPACK's gecon, almost always within a factor 3 below the condition number. True: from
        the explicit inverse.

    Returns inf for a singular matrix. Raises ValueError for another norm.

    >>> float(clsolve.cond([[1.0, 0.0], [0.0, 4.0]]))
    4.0
    """
    if p not in (1, np.inf):
        raise ValueError(f"p is {p!r}: give 1 or inf; numpy.linalg.cond has norms that need singular values")
    if is_foreign(a):
        from . import _device

        if _device.adapter_of(a) is not None:
            return _cond_foreign(a, p, exact, context)
    a = np.asarray(a)
    if a.ndim != 2:
        raise ValueError(f"expected a square matrix: a has shape {a.shape}")
    square(a)
    if a.shape[0] == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    dtype = common_dtype(a)
    context = context or default_context()
    if exact:
        x, X = writable(a, dtype, False)
        try:
            _invert(context, X, "auto", None, dtype, warn=False)
        except LinAlgError:
            return math.inf
        return float(np.linalg.norm(a.astype(dtype), p) * np.linalg.norm(x, p))
    handle = LU._made(context, a.shape[0], dtype, lib.LuOptions(precision=2, rcond=1))
    with handle:
        handle._factor(a if p == 1 else a.T, singular_is_error=False)
        found = 0.0 if handle._singular else handle.rcond
    return 1 / found if found > 0 else math.inf


def _cond_foreign(a: Any, p: Any, exact: bool, context: Context | None) -> float:
    """cond for device arrays. The transposed matrix is the same memory in the other order."""
    from . import _device

    if exact:
        raise ValueError("exact=True is for numpy arrays")
    context, view, dtype, held = _device.factor(a, context)
    if p != 1:
        view.layout = lib.ROW_MAJOR if view.layout == lib.COLUMN_MAJOR else lib.COLUMN_MAJOR
    with LU._made(context, view.rows, dtype, lib.LuOptions(precision=2, rcond=1)) as handle:
        handle._factor_view(view, singular_is_error=False)
        found = 0.0 if handle._singular else handle.rcond
    del held
    return 1 / found if found > 0 else math.inf
