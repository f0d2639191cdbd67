"""solve, for one dense system and for many."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import GENERAL, indices, is_complex, is_foreign, is_sparse, promoted, square, structured, word
from ._batches import nan_instead, raise_infos, run_lu
from ._context import Context, given_context, is_meanwhile, open_meanwhile, quick_context
from ._errors import exception, warn_if_ill
from ._factor import lu_factor
from ._library import calls
from ._lu import LU
from ._lu_batch import LUBatch
from ._numpy import numpy_adapter, solve_by_numpy, solve_parts
from ._packages import adapter_of_pair, taken, through_dlpack, unknown, wants_gradient
from ._progress import members_reporter, reporter
from .sparse import spsolve

_byref = ctypes.byref


def _numbers(precision: str, refine: bool, equilibrate: bool, pivoting: str, where: str) -> dict[str, int]:
    """The options that dense LU has too."""
    return {
        "precision": word("PRECISION", "precision", precision),
        "refine": refine,
        "equilibrate": equilibrate,
        "pivoting": word("PIVOTING", "pivoting", pivoting),
        "where": word("WHERE", "where", where),
    }


_QUICK = 2000  # rows that the host solves before a GPU is open, which takes some tenths of a second
_NUMPY = 200  # rows from which on it does so by numpy

# The usual calls: with the condition number of what may be ill-conditioned, and without.
_rcond = {True: lib.RCOND_IF_ILL, False: 0}
_plain_options = {asked: lib.SolverOptions(rcond=value) for asked, value in _rcond.items()}


def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
    *,
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    pivoting: str = "auto",
    where: str = "auto",
    rcond: bool = True,
    progress: Any = None,
    context: Context | None = None,
) -> Any:
    """Solves a x = b for a dense or a sparse matrix.

    a
        (..., n, n) array, or an (n, n) matrix of scipy.sparse, for which `clsolve.sparse.spsolve` has the options.
    b
        (n,) or (..., n, nrhs) array. Leading axes are batches and broadcast as in numpy.linalg.solve of numpy 2: `b` is
        a vector only if it has one axis.
    lower, assume_a
        As scipy.linalg.solve has them: the part of `a` that is meant is read. "pos" is solved by Cholesky, which raises
        LinAlgError for a matrix that is not positive definite. "sym" and "her" go to LDL^T where that is
        expected to be faster than LU. Anything else is a general system.
    overwrite_b
        True: the solution may be written into `b`. `a` is never changed, so `overwrite_a` has no effect.
    check_finite
        False: in a stack of matrices a member that holds NaN or Inf, in `a` or in `b`, has NaN in x, as in
        numpy.linalg.solve, and the others are solved. A single system is checked always.
    transposed
        True: solves a^T x = b, which conjugates nothing.
    precision, refine, equilibrate, pivoting, where
        Options of the library: "auto", "mixed", "working"; "auto", "partial", "rbt"; "auto", "device", "host".
    rcond
        True: warns if no digit of x is sure. The condition number is estimated where solves with one or two random
        vectors do not show that it is small. With "mixed" there is a warning already where the float32 factors tell no
        more than a bound, also if the refined x has correct digits. False saves that time.
    progress
        A function (phase, fraction), or a tqdm bar. It is told of the members of a batch that are done.

    Returns x in the shape that numpy 2's linalg.solve gives. It is float32 if `a` and `b` are, else float64; and
    complex64 or complex128 if one of them is complex.

    Raises ValueError for shapes that do not fit and for NaN or Inf, LinAlgError for a singular matrix, TypeError for
    long double. Warns with LinAlgWarning for an ill-conditioned matrix.

    >>> clsolve.solve([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0])
    array([1., 2.])
    """
    words: dict[str, Any] = {
        "precision": precision,
        "refine": refine,
        "equilibrate": equilibrate,
        "pivoting": pivoting,
        "where": where,
        "progress": progress,
        "context": context,
    }
    adapter: Adapter = numpy_adapter
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        pair = adapter_of_pair(a, b) if assume_a in GENERAL else None
        if pair is not None:
            adapter = pair
        elif assume_a not in GENERAL and (is_sparse(a) or is_foreign(a)):
            raise ValueError("assume_a is for numpy arrays: give the general matrix")
        elif is_sparse(a):
            return spsolve(a, b, trans="T" if transposed else "N", overwrite_b=overwrite_b, **words)
        elif unknown(a) is not None:
            words.update(transposed=transposed, rcond=rcond, check_finite=check_finite)
            return through_dlpack(a, (a, b), lambda *known: solve(*known, **words))
        else:
            adapter, (a, b) = taken(a=a, b=b)
    if adapter is numpy_adapter and a.ndim < 2 and a.shape in ((), (1,)):
        a = a.reshape(1, 1)
    n = square(a)
    if assume_a is not None and assume_a not in GENERAL:
        a = structured(a, assume_a, lower)
    if n == 1 and a.shape == (1, 1) and adapter is numpy_adapter and b.ndim < 2 and b.shape != (1,):
        x = solve(a, b.reshape(1, -1), rcond=rcond, **words)  # scipy takes any b for a single number a
        return x.reshape(b.shape or (1,))
    axes = len(b.shape)
    if axes == 0 or b.shape[0 if axes == 1 else -2] != n:
        raise ValueError(f"incompatible dimensions: a has shape {tuple(a.shape)}, b has shape {tuple(b.shape)}")
    dtype = promoted(adapter.dtype(a), adapter.dtype(b))
    positive = assume_a in ("pos", "positive definite") and pivoting == "auto"
    if adapter is not numpy_adapter:
        if wants_gradient(a, b):
            words.update(rcond=rcond, check_finite=check_finite)
            return _solve_recorded(adapter, a, b, dtype, int(bool(transposed)), words)
    elif dtype.kind == "c" and not is_complex(a.dtype):
        words.update(transposed=transposed, rcond=rcond, check_finite=check_finite)
        words.update(assume_a="pos" if positive else None)
        return solve_parts(lambda sides: solve(a, sides, **words), b)
    usual = precision == "auto" and pivoting == "auto" and not (refine or equilibrate)
    plain = usual and where == "auto"
    usual_call = context is None and plain and adapter is numpy_adapter and progress is None and axes < 3
    quick = usual_call and n <= _QUICK
    by_numpy = usual_call and n >= _NUMPY and len(a.shape) == 2 and not positive
    context = quick_context() if quick else given_context(context, adapter, a)
    try:
        if by_numpy and is_meanwhile(context, n, dtype):
            x = solve_by_numpy(a, b, transposed)
            if x is not None:
                return x
        if axes > 2 or len(a.shape) > 2:
            lu_options = lib.LuOptions(**_numbers(precision, refine, equilibrate, pivoting, where))
            together = where if usual else None
            return _solve_batch(
                adapter, context, a, b, dtype, transposed, overwrite_b, lu_options, together, progress, check_finite
            )
        if plain and not positive and progress is None:
            options = _plain_options[bool(rcond)]
        else:
            numbers = _numbers(precision, refine, equilibrate, pivoting, where)
            options = lib.SolverOptions(rcond=_rcond[bool(rcond)], **numbers)
            options.method = word("METHOD", "method", "cholesky" if positive else "auto")
        return _solve_one(adapter, context, a, b, dtype, transposed, overwrite_b, options, rcond, progress)
    finally:
        if quick:
            open_meanwhile(n, dtype)


def _solve_one(
    adapter: Adapter,
    context: Context,
    a: Any,
    b: Any,
    dtype: np.dtype,
    transposed: bool,
    overwrite_b: bool,
    options: lib.SolverOptions,
    rcond: bool,
    progress: Any,
) -> Any:
    watcher = reporter(context, options, progress)
    a, A, x, B = adapter.system(context, a, b, dtype, overwrite_b)
    report = lib.SolveReport() if rcond else None
    status, message = context.status(
        calls.solve,
        context._handle,
        1 if transposed else 0,
        _byref(A),
        _byref(B),
        _byref(options),
        None if report is None else _byref(report),
    )
    if watcher is not None:
        watcher.raise_error(status)
    if status:
        raise exception(status, message)
    if report is not None:
        direct = report.report.direct
        if 0 <= direct.rcond < 1e-6 or direct.rcond_is_bound:  # quick, before the type's epsilon is looked up
            warn_if_ill(direct, dtype)
    return x


class _Recorded:
    """Solves for PyTorch's gradients: the factors stay from one call to the next."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words
        self.lu: LU | LUBatch | None = None

    def _keeps_factors(self, a: Any, b: Any) -> bool:
        """True for a matrix, and for a stack that is solved at once for right-hand sides that spread over it."""
        lead, sides, words = tuple(a.shape[:-2]), tuple(b.shape[:-2]), self.words
        if not lead:
            return not sides
        usual = (words["precision"], words["pivoting"]) == ("auto", "auto")
        usual = usual and not (words["refine"] or words["equilibrate"]) and words["progress"] is None
        return usual and a.shape[-1] <= lib.LU_BATCH_LARGEST and np.broadcast_shapes(lead, sides) == lead

    def __call__(self, a: Any, b: Any, op: int) -> Any:
        """x of op(a) x = b; op is 0 for a, 1 for a^T, 2 for a^H."""
        if not self._keeps_factors(a, b):
            return solve(a.conj() if op == 2 else a, b, transposed=op != 0, **self.words)
        if self.lu is None:
            self.lu = lu_factor(a, **{**self.words, "rcond": self.words["rcond"] and len(a.shape) == 2})
        return self.lu.solve(b, trans=op)


def _solve_recorded(adapter: Adapter, a: Any, b: Any, dtype: np.dtype, op: int, words: dict[str, Any]) -> Any:
    from ._gradients import Solve

    solver = _Recorded(words)
    x = Solve.apply(adapter.cast(a, dtype), adapter.cast(b, dtype), op, solver)
    if words["rcond"] and isinstance(solver.lu, LU):
        warn_if_ill(solver.lu._direct(), dtype)
    return x


def _solve_batch(
    adapter: Adapter,
    context: Context,
    a: Any,
    b: Any,
    dtype: np.dtype,
    transposed: bool,
    overwrite_b: bool,
    options: lib.LuOptions,
    together: str | None,
    progress: Any,
    check_finite: bool,
) -> Any:
    """Members at once, `together` being the option `where`; large members, and with other options, one by one."""
    n = a.shape[-1]
    one_matrix = math.prod(a.shape[:-2]) == 1
    shape = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    a = adapter.readable(adapter.cast(a, dtype))
    x = adapter.spread(b, shape, dtype, overwrite_b)
    tell = members_reporter(progress, math.prod(shape))
    if together is not None and n <= (lib.BATCH_LARGEST if one_matrix else lib.LU_BATCH_LARGEST):
        if math.prod(x.shape):
            _solve_members(adapter, context, a, x, transposed, together, check_finite)
            tell(math.prod(shape))
    elif math.prod(x.shape):
        members = _broadcast(adapter, a, shape + (n, n))
        factored = False
        with LU._made(context, n, dtype, options) as lu:
            for done, index in enumerate(indices(shape)):
                with nan_instead(adapter, x, index, check_finite):
                    if not (factored and one_matrix):
                        lu._factor(adapter.matrix(context, members[index]))
                    factored = True
                    lu._run(calls.lu_solve, int(transposed), _byref(adapter.matrix(context, x[index])))
                tell(done + 1)
    return x.reshape(shape + (n,)) if len(b.shape) == 1 else x


def _solve_members(
    adapter: Adapter, context: Context, a: Any, x: Any, transposed: bool, where: str, check_finite: bool
) -> None:
    shape, n = tuple(x.shape[:-2]), a.shape[-1]
    one_matrix = math.prod(a.shape[:-2]) == 1
    members = adapter.viewable(a if one_matrix else _broadcast(adapter, a, shape + (n, n)))
    A, B = adapter.batch(context, members), adapter.batch(context, x)
    if one_matrix:
        A.count, A.stride = B.count, 0

    def steps(views: Any, numbers: Any, info: int) -> list[tuple]:
        return [(calls.lu_batch_factor_solve, int(transposed), _byref(views[0]), _byref(views[1]), info)]

    info = run_lu(context, n, (A, B), (), steps, where=where, factor=False)
    result = None if check_finite else x
    raise_infos(adapter, info, "or its right-hand side", shape, (a, 2), (x, 2), result=result)


def _broadcast(adapter: Adapter, a: Any, shape: tuple[int, ...]) -> Any:
    return a if tuple(a.shape) == shape else adapter.broadcast(a, shape)
