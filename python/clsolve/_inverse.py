"""Inverses, determinants and condition numbers of dense matrices."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import (
    GENERAL,
    address,
    indices,
    is_complex,
    is_foreign,
    promoted,
    real_dtype,
    square,
    structured,
    type_of,
    word,
)
from ._batches import nan_instead, raise_infos, run_inverses, run_lu
from ._context import Context, given_context
from ._errors import LinAlgError, of_member, warn_if_ill
from ._handle import Handle
from ._kept import run
from ._library import calls
from ._lu import LU
from ._norms import centred, condition_of, norms
from ._numpy import numpy_adapter
from ._packages import refuse_gradient, taken, through_dlpack, unknown, wants_gradient
from ._progress import members_reporter, reporter

_byref = ctypes.byref


def inv(
    a: Any,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    lower: bool = False,
    *,
    where: str = "auto",
    rcond: bool = True,
    progress: Any = None,
    context: Context | None = None,
) -> np.ndarray:
    """The inverse of a square matrix, or of each matrix on the leading axes.

    It goes by Gauss-Jordan, and by LU for stacks of matrices above order 64.

    a
        (..., n, n) array. With overwrite_a its memory may become that of the inverse.
    check_finite
        False: a member of a stack that holds NaN or Inf has NaN in the inverse, as in numpy.linalg.inv.
    assume_a, lower
        As for `clsolve.solve`.
    where, progress
        As for `clsolve.solve`.
    rcond
        False: no warnings for ill-conditioned matrices. For batches they take two passes over both arrays.

    Returns an array of the same shape. Raises LinAlgError for a singular matrix, ValueError for a matrix that is not
    square or holds NaN or Inf. Warns with LinAlgWarning where no digit of an inverse is sure.

    >>> clsolve.inv([[2.0, 1.0], [1.0, 1.0]]).round(12)
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    word("WHERE", "where", where)
    given, adapter = a, numpy_adapter
    if type(a) is not np.ndarray:
        if assume_a not in GENERAL and is_foreign(a):
            raise ValueError("assume_a is for numpy arrays: give the general matrix")
        options: dict[str, Any] = {"where": where, "rcond": rcond, "progress": progress, "context": context}
        options["check_finite"] = check_finite
        if unknown(a) is not None:
            return through_dlpack(a, (a,), lambda known: inv(known, **options))
        if wants_gradient(a):
            from ._gradients import Inverse

            return Inverse.apply(a, lambda known: inv(known, **options))
        adapter, (a,) = taken(a=a)
    square(a)
    if assume_a is not None:
        a = structured(a, assume_a, lower)
    dtype = promoted(adapter.dtype(a))
    source, x = adapter.source_and_result(a, dtype, overwrite_a and a is given)
    context = given_context(context, adapter, a)
    if len(source.shape) > 2:
        _invert_stack(adapter, context, source, x, dtype, where, rcond, progress, check_finite)
    else:
        _invert(adapter, context, source, x, dtype, where, rcond, progress)
    return x


def _invert(
    adapter: Adapter,
    context: Context,
    source: Any,
    x: Any,
    dtype: np.dtype,
    where: str = "auto",
    rcond: bool = False,
    progress: Any = None,
) -> None:
    """The inverse of source into x, which may be source. The handle for matrices on a device stays with the context."""
    A = adapter.matrix(context, source)
    X = A if x is source else adapter.matrix(context, x, is_fresh=True)
    options = lib.GaussJordanOptions(where=word("WHERE", "where", where))
    watcher = reporter(context, options, progress)
    call, views, sizes = calls.gauss_jordan_invert, (_byref(A), _byref(X)), (A.rows, type_of(dtype))
    if adapter.on_device and watcher is None:
        report = run(context, "gauss_jordan", sizes, options, (call, *views))
    else:
        handle = Handle()
        handle._watcher = watcher
        handle._own(context, "gauss_jordan", *sizes, _byref(options))
        with handle:
            handle._run_watched(call, *views)
            report = handle._report() if rcond else lib.Report()
    if rcond:
        warn_if_ill(report.direct, dtype)


def _invert_stack(
    adapter: Adapter,
    context: Context,
    source: Any,
    x: Any,
    dtype: np.dtype,
    where: str,
    rcond: bool,
    progress: Any,
    check_finite: bool,
) -> None:
    """Members at once: small ones by Gauss-Jordan, others by LU; large ones one after the other."""
    shape, n, count = tuple(x.shape[:-2]), x.shape[-1], math.prod(x.shape[:-2])
    tell = members_reporter(progress, count)
    if n > lib.LU_BATCH_LARGEST:
        for done, index in enumerate(indices(shape)):
            member = x[index]
            with nan_instead(adapter, x, index, check_finite):
                _invert(adapter, context, member if x is source else source[index], member, dtype, where, rcond)
            tell(done + 1)
    elif n and count:
        by_norms = rcond and adapter is numpy_adapter
        of_a = norms(source) if by_norms else None
        A = adapter.batch(context, source)
        X = A if x is source else adapter.batch(context, x, is_fresh=True)
        if n <= lib.BATCH_LARGEST:
            info = run_inverses(adapter, context, n, dtype, where, A, X)
        else:
            info = run_lu(context, n, (A, X), (), _inverse_steps, where=where)
        raise_infos(adapter, info, "", shape, (source, 2), result=None if check_finite else x)
        tell(count)
        if of_a is not None:
            of_x = norms(x)
            with np.errstate(all="ignore"):
                conditions = np.ldexp(of_a[0] * of_x[0], of_a[1] + of_x[1])
                warn_if_ill(float((1 / conditions).min(initial=1, where=info.reshape(shape) == 0)), dtype)


def _inverse_steps(views: Any, numbers: Any, info: int) -> list[tuple]:
    return [(calls.lu_batch_inverse, _byref(views[1]), info)]


def slogdet(a: Any, *, context: Context | None = None) -> Any:
    """Sign and natural logarithm of the absolute determinant of each matrix, as numpy.linalg.slogdet.

    a is (..., n, n). Returns a named pair (sign, logabsdet) of shape (...); a singular matrix gives (0, -inf). The sign
    of a complex matrix is a complex number of absolute value 1. Raises
    ValueError for NaN and Inf, LinAlgError for a matrix that is not square, as numpy does.

    >>> sign, logdet = clsolve.slogdet([[0.0, 2.0], [3.0, 0.0]])
    >>> float(sign), round(float(logdet), 6)
    (-1.0, 1.791759)
    """
    adapter, a, sign, logarithm = _determinants(a, context, LinAlgError)
    dtype = promoted(adapter.dtype(a))
    return _slogdet_result(
        adapter.scalar(sign.astype(dtype), a), adapter.scalar(logarithm.astype(real_dtype(dtype)), a)
    )


def _determinants(
    a: Any,
    context: Context | None,
    error: type[Exception] = ValueError,
    values: bool = False,
    check_finite: bool = True,
) -> tuple[Adapter, Any, np.ndarray, np.ndarray]:
    """The array with its adapter, and signs and logarithms of the determinants.

    With `values` the determinants are in the place of the signs. `error` is numpy's or scipy's for an array that is
    not square.
    """
    adapter, (a,) = taken(a=a)
    refuse_gradient("the determinant", a)
    if len(a.shape) < 2:
        raise error(f"The input array must be at least two-dimensional: a has shape {tuple(a.shape)}")
    if a.shape[-1] != a.shape[-2]:
        raise error(f"Last 2 dimensions of the array must be square: a has shape {tuple(a.shape)}")
    dtype = promoted(adapter.dtype(a))
    context = given_context(context, adapter, a)
    shape, n = tuple(a.shape[:-2]), a.shape[-1]
    sign, logarithm = np.ones(shape, complex if is_complex(dtype) else float), np.zeros(shape)
    if n and sign.size and shape and n <= lib.LU_BATCH_LARGEST:
        members = adapter.viewable(adapter.cast(a, dtype))
        numbers = [sign.reshape(-1)] if values else [sign.reshape(-1), logarithm.reshape(-1)]
        info = run_lu(context, n, (adapter.batch(context, members),), numbers, _determinant_steps)
        if check_finite:
            raise_infos(adapter, np.minimum(info, 0), "", shape, (members, 2))
    elif n and sign.size:
        members = adapter.readable(adapter.cast(a, dtype))
        with LU._made(context, n, dtype, lib.LuOptions(precision=word("PRECISION", "precision", "working"))) as lu:
            for index in indices(shape):
                with nan_instead(numpy_adapter, sign, index, check_finite):
                    lu._factor(adapter.matrix(context, members[index] if shape else members), singular_is_error=False)
                    sign[index], logarithm[index] = lu.slogdet()
        if values:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                sign = np.where(sign == 0, 0.0, sign * np.exp(logarithm))
    return adapter, a, sign, logarithm


def _determinant_steps(views: Any, numbers: Any, info: int) -> list[tuple]:
    wanted = [address(found) for found in numbers]
    return [(calls.lu_batch_determinant, *([*wanted, None, None] if len(wanted) == 1 else [None, *wanted]))]


def _slogdet_result(sign: Any, logarithm: Any) -> Any:
    kind = getattr(np.linalg, "_linalg", np.linalg)
    named = getattr(kind, "SlogdetResult", None)
    return named(sign, logarithm) if named is not None else (sign, logarithm)


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True, *, context: Context | None = None) -> Any:
    """The determinant of each matrix of `a`, an array (..., n, n); 0 for a singular matrix. It is float64 or
    complex128, as scipy's.

    With check_finite=False a matrix of a stack that holds NaN or Inf has NaN, as in numpy.linalg.det. The determinant
    of a single matrix is made from `slogdet`: its relative error grows with the logarithm of its size.

    >>> round(float(clsolve.det([[1.0, 2.0], [3.0, 4.0]])), 12)
    -2.0
    """
    adapter, a, value, _ = _determinants(a, context, values=True, check_finite=check_finite)
    return adapter.scalar(value, a)


def cond(a: Any, p: Any = 1, *, exact: bool = False, context: Context | None = None) -> Any:
    """The condition number of a square matrix in the norm p, or of each matrix on the leading axes.

    p
        1 or inf. numpy's default, the 2-norm, needs singular values, which this library does not compute.
    exact
        False: the estimate of LAPACK's gecon, almost always within a factor 3 below the condition number. True: from
        the explicit inverse, as always for a stack.

    Returns inf for a singular matrix. Raises ValueError for another norm, and for NaN or Inf.

    >>> float(clsolve.cond([[1.0, 0.0], [0.0, 4.0]]))
    4.0
    """
    if p not in (1, np.inf):
        raise ValueError(f"p is {p!r}: give 1 or inf; numpy.linalg.cond has norms that need singular values")
    adapter, (a,) = taken(a=a)
    refuse_gradient("the factorization", a)
    if exact and adapter is not numpy_adapter:
        raise ValueError("exact=True is for numpy arrays")
    n = square(a)
    if n == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    dtype = promoted(adapter.dtype(a))
    context = given_context(context, adapter, a)
    if len(a.shape) > 2:
        return _conditions(adapter, context, a, dtype, p)
    if exact:
        a = centred(a.astype(dtype))
        x = adapter.copy(a)
        try:
            _invert(adapter, context, x, x, dtype)
        except LinAlgError:
            return math.inf
        of_a, of_x = norms(a, p), norms(x, p)
        with np.errstate(over="ignore"):
            return float(np.ldexp(of_a[0] * of_x[0], of_a[1] + of_x[1]))
    a, A = adapter.read(context, a, dtype)
    if p != 1:  # the transposed matrix is the same memory in the other order
        A.layout = lib.ROW_MAJOR if A.layout == lib.COLUMN_MAJOR else lib.COLUMN_MAJOR
    with LU._made(context, n, dtype, lib.LuOptions(precision=word("PRECISION", "precision", "working"), rcond=1)) as lu:
        lu._factor(A, singular_is_error=False)
        return condition_of(0.0 if lu._singular else lu.rcond)


def _conditions(adapter: Adapter, context: Context, a: Any, dtype: np.dtype, p: float) -> Any:
    """The condition numbers of all members. Norms and inverses that leave the type's range are found one by one."""
    members, shape, n = adapter.viewable(adapter.cast(a, dtype)), tuple(a.shape[:-2]), a.shape[-1]
    found = np.full(shape, math.inf)
    if found.size == 0:
        return adapter.scalar(found, a)
    if n > lib.LU_BATCH_LARGEST:
        for index in indices(shape):
            with of_member(index):
                found[index] = cond(members[index], p, context=context)
        return adapter.scalar(found, a)
    A = adapter.batch(context, members)
    if p != 1:  # the transposed matrices are the same memory in the other order
        A.layout = lib.ROW_MAJOR if A.layout == lib.COLUMN_MAJOR else lib.COLUMN_MAJOR
    rcond = found.reshape(-1)

    def steps(views: Any, numbers: Any, info: int) -> list[tuple]:
        return [(calls.lu_batch_condition, address(numbers[0]))]

    info = run_lu(context, n, (A,), (rcond,), steps, condition=True)
    raise_infos(adapter, np.minimum(info, 0), "", shape, (members, 2))
    with np.errstate(divide="ignore", over="ignore"):
        found = 1 / found
    if adapter is numpy_adapter:
        for index in np.argwhere((found == np.inf) & (info.reshape(shape) == 0)):
            found[tuple(index)] = cond(members[tuple(index)], p, exact=True, context=context)
    return adapter.scalar(found, a)
