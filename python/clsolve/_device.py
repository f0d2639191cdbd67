"""The work of _solve, _lu and _inverse for arrays of other packages than numpy.

The matrix stays on its device, and the solution is made there, in the order of the arrays' queues or streams. A call
returns when its work is done, so that every queue may use the solution.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._packages import adapter_of, known_array, refuse_gradient, same_place, through_dlpack, wants_gradient
from ._arrays import is_complex, promoted, supported_dtype, type_of, word
from ._batches import raise_infos, run_batch
from ._context import Context, Handle, given_context
from ._errors import UnsupportedTypeError, exception, of_member, warn_if_ill
from ._library import calls
from ._lu import LU
from ._progress import members_reporter, reporter

__all__ = [
    "adapter_of",
    "alike",
    "array_dtype",
    "factor",
    "inv",
    "known_array",
    "slogdet",
    "solve",
    "solve_banded",
    "solve_sparse",
    "solve_with",
    "through_dlpack",
    "wants_gradient",
]

_byref = ctypes.byref


def array_dtype(a: Any) -> np.dtype:
    adapter = adapter_of(a)
    assert adapter is not None
    return adapter.dtype(a)


def _square(a: Any, error: type[Exception] = ValueError) -> int:
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise error(f"expected a square matrix: a has shape {tuple(a.shape)}")
    return a.shape[-1]


def _solution(adapter: Adapter, b: Any, dtype: np.dtype, overwrite: bool) -> Any:
    """The array that is to hold b and then x: b itself, or a copy."""
    x = adapter.cast(b, dtype)
    if x is b and not (overwrite and adapter.writeable(b)):
        x = adapter.copy(b)
    return adapter.readable(x)


def solve(
    a: Any,
    b: Any,
    transposed: bool,
    overwrite_b: bool,
    options: lib.SolverOptions,
    lu_options: lib.LuOptions,
    plain: bool,
    progress: Any,
    context: Context | None,
) -> tuple[Any, lib.ReportDirect | None, np.dtype]:
    """The solution, the report that has the reciprocal condition number (None: of a batch) and the type."""
    adapter, _ = same_place(a=a, b=b)
    n = _square(a)
    vector = len(b.shape) == 1
    if len(b.shape) == 0 or b.shape[0 if vector else -2] != n:
        raise ValueError(f"incompatible dimensions: a has shape {tuple(a.shape)}, b has shape {tuple(b.shape)}")
    dtype = promoted(adapter.dtype(a), adapter.dtype(b))
    context = given_context(context, lambda: adapter.context(a))
    a = adapter.readable(adapter.cast(a, dtype))
    if len(a.shape) > 2 or len(b.shape) > 2:
        x = _solve_batch(adapter, context, a, b, dtype, transposed, overwrite_b, lu_options, plain, progress)
        return x, None, dtype
    x = _solution(adapter, b, dtype, overwrite_b)
    A, B = adapter.matrix(context, a), adapter.matrix(context, x, vector, behind=a)
    report = lib.SolveReport()
    watcher = reporter(context, options, progress)
    status, message = context.status(
        calls.solve, context._handle, int(transposed), _byref(A), _byref(B), _byref(options), _byref(report)
    )
    if watcher is not None:
        watcher.raise_error(status)
    if status:
        raise exception(status, message)
    return x, report.report.direct, dtype


def alike(a: Any, b: Any) -> tuple[Any, Any, np.dtype]:
    """Both arrays in the type of the answer."""
    adapter, _ = same_place(a=a, b=b)
    dtype = promoted(adapter.dtype(a), adapter.dtype(b))
    return adapter.cast(a, dtype), adapter.cast(b, dtype), dtype


def _solve_batch(
    adapter: Adapter,
    context: Context,
    a: Any,
    b: Any,
    dtype: np.dtype,
    transposed: bool,
    overwrite_b: bool,
    lu_options: lib.LuOptions,
    plain: bool,
    progress: Any,
) -> Any:
    """Small members at once, unless there are options (not `plain`); others one after the other."""
    n = a.shape[-1]
    vectors = len(b.shape) == 1
    if vectors:
        b = b.reshape(n, 1)
    shape = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    full = shape + tuple(b.shape[-2:])
    if tuple(b.shape) != full:
        b, overwrite_b = adapter.copy(adapter.contiguous(adapter.broadcast(b, full))), True
    x = adapter.contiguous(_solution(adapter, b, dtype, overwrite_b))
    one_matrix = math.prod(a.shape) == n * n
    tell = members_reporter(progress, math.prod(shape))
    small = bool(n <= lib.BATCH_LARGEST and plain and math.prod(full))
    if small:
        members = adapter.viewable(a if one_matrix else _broadcast(adapter, a, shape + (n, n)))
        A, B = adapter.batch(context, members), adapter.batch(context, x)
        if one_matrix:
            A.count, A.stride = B.count, 0
        info = np.zeros(B.count, np.int64)
        views = _byref(A), _byref(B), info.ctypes.data
        call = calls.gauss_jordan_batch_solve
        small = run_batch(context, n, B.count, dtype, "auto", adapter.on_device, call, int(transposed), *views)
    if small:
        raise_infos(info, "or its right-hand side", shape, (a, 2), (x, 2))
        tell(B.count)
    elif math.prod(full):
        members = _broadcast(adapter, a, shape + (n, n))
        with LU._made(context, n, dtype, lu_options) as lu:
            for done, index in enumerate(np.ndindex(*shape)):
                with of_member(index):
                    lu._factor_view(adapter.matrix(context, members[index]))
                    member = adapter.matrix(context, x[index])
                    lu._run(calls.lu_solve, int(transposed), _byref(member))
                tell(done + 1)
    return x.reshape(shape + (n,)) if vectors else x


def _broadcast(adapter: Adapter, a: Any, shape: tuple[int, ...]) -> Any:
    return a if tuple(a.shape) == shape else adapter.broadcast(a, shape)


def factor(a: Any, context: Context | None) -> tuple[Context, lib.Matrix, np.dtype, Any]:
    """The parts of a device array that lu_factor needs: context, view, type, and the array that the view is of."""
    refuse_gradient("the factorization", a)
    adapter = adapter_of(a)
    assert adapter is not None
    if len(a.shape) != 2:
        raise ValueError(f"expected a square matrix: a has shape {tuple(a.shape)}")
    _square(a)
    dtype = supported_dtype(adapter.dtype(a))
    context = given_context(context, lambda: adapter.context(a))
    a = adapter.readable(adapter.cast(a, dtype))
    return context, adapter.matrix(context, a), dtype, a


def refuse_complex(b: np.dtype, factors: np.dtype) -> None:
    """The type of factors decides that of the solution, which must not lose the imaginary part."""
    if is_complex(supported_dtype(b)) and not is_complex(factors):
        raise TypeError(f"b is {b} and the matrix {factors}: solve for the real and the imaginary part of b")


def solve_with(lu: Any, b: Any, op: int, overwrite_b: bool) -> Any:
    """lu.solve for a device array."""
    if wants_gradient(b):
        from ._torch import LuSolve

        return LuSolve.apply(b, lu, op)
    adapter = adapter_of(b)
    assert adapter is not None
    if len(b.shape) not in (1, 2) or b.shape[0] != lu.shape[0]:
        raise ValueError(f"incompatible dimensions: the matrix is {lu.shape}, b has shape {tuple(b.shape)}")
    refuse_complex(adapter.dtype(b), lu.dtype)
    x = _solution(adapter, b, lu.dtype, overwrite_b)
    B = adapter.matrix(lu.context, x, len(b.shape) == 1)
    lu._run(calls.lu_solve, op, _byref(B))
    return x


def solve_sparse(solver: Any, b: Any, op: int, overwrite_b: bool) -> Any:
    """splu(A).solve for a device array."""
    refuse_gradient("splu(A).solve", b)
    adapter = adapter_of(b)
    assert adapter is not None
    n = solver.shape[0]
    if len(b.shape) not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"matrix - rhs dimension mismatch ({(n, n)} - {tuple(b.shape)})")
    refuse_complex(adapter.dtype(b), solver.dtype)
    x = _solution(adapter, b, solver.dtype, overwrite_b)
    solver._solve(op, adapter.matrix(solver.context, x, len(b.shape) == 1))
    return x


def inv(a: Any, overwrite_a: bool, where: str, rcond: bool, progress: Any, context: Context | None) -> Any:
    """The inverse of a matrix, or of each on the leading axes."""
    from ._inverse import invert

    adapter = adapter_of(a)
    assert adapter is not None
    n = _square(a)
    dtype = supported_dtype(adapter.dtype(a))
    context = given_context(context, lambda: adapter.context(a))
    if len(a.shape) > 2 and n <= lib.BATCH_LARGEST and math.prod(a.shape):
        x = _inv_small(adapter, context, a, dtype, overwrite_a, where, progress)
        if x is not None:
            return x
    if len(a.shape) == 2:
        source, x = _source_and_result(adapter, a, dtype, overwrite_a)
        A = adapter.matrix(context, source)
        X = A if x is source else adapter.matrix(context, x, is_fresh=True)
        try:
            invert(context, A, X, where, progress, dtype, warn=rcond, stacklevel=4)
        except UnsupportedTypeError:
            return _inv_by_lu(adapter, context, source, dtype, where, rcond)
        return x
    x = _solution(adapter, a, dtype, overwrite_a)
    x = adapter.contiguous(x)
    shape = tuple(x.shape[:-2])
    tell = members_reporter(progress, math.prod(shape))
    if math.prod(x.shape) == 0:
        return x
    try:
        for done, index in enumerate(np.ndindex(*shape)):
            X = adapter.matrix(context, x[index])
            with of_member(index):
                invert(context, X, X, where, None, dtype, warn=rcond, stacklevel=4)
            tell(done + 1)
    except UnsupportedTypeError:
        x = _inv_by_lu(adapter, context, x, dtype, where, rcond)
        tell(math.prod(shape))
    return x


def _source_and_result(adapter: Adapter, a: Any, dtype: np.dtype, overwrite: bool) -> tuple[Any, Any]:
    """The array to read, and the one for the answer: the same where that is the caller's wish, or a copy was made."""
    is_matrix = len(a.shape) == 2
    source = adapter.viewable(adapter.cast(a, dtype))
    if source is a and not (overwrite and adapter.writeable(a)):
        result = adapter.fresh(source)
        if result is not None:
            return source, result
        source = adapter.copy(source)
    result = source if is_matrix else adapter.contiguous(source)
    return result, result


def _inv_small(
    adapter: Adapter, context: Context, a: Any, dtype: np.dtype, overwrite: bool, where: str, progress: Any
) -> Any:
    """The inverses of members at once, from the caller's array to a new one; None where the library lacks the type."""
    shape = tuple(a.shape[:-2])
    count = math.prod(shape)
    tell = members_reporter(progress, count)
    source, x = _source_and_result(adapter, a, dtype, overwrite)
    A = adapter.batch(context, source)
    X = A if x is source else adapter.batch(context, x, is_fresh=True)
    info = np.zeros(count, np.int64)
    call, views = calls.gauss_jordan_batch_invert, (_byref(A), _byref(X), info.ctypes.data)
    if not run_batch(context, a.shape[-1], count, dtype, where, adapter.on_device, call, *views):
        return None
    raise_infos(info, "", shape, (source, 2))
    tell(count)
    return x


def _inv_by_lu(adapter: Adapter, context: Context, a: Any, dtype: np.dtype, where: str, rcond: bool) -> Any:
    """Inverses by LU, in a type that Gauss-Jordan does not take: solves for the identity."""
    shape, n = tuple(a.shape[:-2]), a.shape[-1]
    identity = np.ascontiguousarray(np.broadcast_to(np.eye(n, dtype=dtype), shape + (n, n)))
    x = adapter.scalar(identity, a)
    if adapter_of(x) is not adapter:
        raise UnsupportedTypeError(f"{dtype} arrays of {type(a).__module__} are not inverted here: use solve")
    options = lib.LuOptions(where=word("WHERE", "where", where), precision=2, rcond=rcond)
    with LU._made(context, n, dtype, options) as lu:
        for index in np.ndindex(*shape):
            with of_member(index):
                lu._factor_view(adapter.matrix(context, a[index] if shape else a))
            if rcond:
                warn_if_ill(lu._direct(), dtype, 5)
            X = adapter.matrix(context, x[index] if shape else x)
            lu._run(calls.lu_solve, lib.NO_TRANS, _byref(X))
    return x


def slogdet(
    a: Any, context: Context | None, error: type[Exception] = ValueError
) -> tuple[np.ndarray, np.ndarray, Adapter, np.dtype]:
    """Sign and logarithm as numpy arrays, with the adapter that brings them to the device.

    `error` is raised for a matrix that is not square.
    """
    refuse_gradient("the determinant", a)
    adapter = adapter_of(a)
    assert adapter is not None
    n = _square(a, error)
    dtype = supported_dtype(adapter.dtype(a))
    context = given_context(context, lambda: adapter.context(a))
    a = adapter.readable(adapter.cast(a, dtype))
    shape = tuple(a.shape[:-2])
    sign, logarithm = np.ones(shape, complex if is_complex(dtype) else float), np.zeros(shape)
    if n and sign.size:
        with LU._made(context, n, dtype, lib.LuOptions(precision=lib.WORDS["PRECISION"]["working"])) as lu:
            for index in np.ndindex(*shape):
                with of_member(index):
                    lu._factor_view(adapter.matrix(context, a[index] if shape else a), singular_is_error=False)
                sign[index], logarithm[index] = lu.slogdet()
    return sign, logarithm, adapter, dtype


def solve_banded(
    lower: int,
    upper: int,
    ab: Any,
    b: Any,
    overwrite_b: bool,
    options: lib.BandOptions,
    progress: Any,
    context: Context | None,
) -> Any:
    """A band on a device."""
    refuse_gradient("solve_banded", ab, b)
    adapter, _ = same_place(ab=ab, b=b)
    n = ab.shape[1] if len(ab.shape) == 2 else -1
    if n < 0 or ab.shape[0] != lower + upper + 1 or len(b.shape) not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"shapes of ab and b are not compatible: {tuple(ab.shape)} and {tuple(b.shape)}")
    dtype = promoted(adapter.dtype(ab), adapter.dtype(b))
    context = given_context(context, lambda: adapter.context(ab))
    ab = adapter.readable(adapter.cast(ab, dtype))
    x = _solution(adapter, b, dtype, overwrite_b)
    if math.prod(x.shape) == 0:
        return x
    watcher = reporter(context, options, progress)
    handle = Handle()
    handle._own(context, calls.band_create, calls.band_destroy, n, lower, upper, type_of(dtype), _byref(options))
    with handle:
        status, message = handle._status(calls.band_factor, _byref(adapter.matrix(context, ab)))
        if watcher is not None:
            watcher.raise_error(status)
        if status:
            raise exception(status, message)
        B = adapter.matrix(context, x, len(b.shape) == 1)
        handle._run(calls.band_solve, lib.NO_TRANS, _byref(B))
    return x
