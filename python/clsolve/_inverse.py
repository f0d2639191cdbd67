"""Inverses, determinants and condition numbers of dense matrices."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import (
    address,
    batch_view,
    common_dtype,
    host_array,
    is_complex,
    is_foreign,
    real_dtype,
    square,
    structured,
    type_of,
    word,
    writable,
)
from ._batches import batch_handle_of_type, raise_infos
from ._context import Context, Handle, given_context
from ._errors import LinAlgError, UnsupportedTypeError, exception, of_member, warn_if_ill
from ._kept import run
from ._library import calls
from ._lu import LU
from ._norms import centred, condition_of, norms
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
    """The inverse of a square matrix, or of each matrix on the leading axes, by Gauss-Jordan, or by LU.

    a
        (..., n, n) array. With overwrite_a its memory may become that of the inverse.
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
    given = a
    word("WHERE", "where", where)
    if is_foreign(a):
        return _inv_foreign(a, overwrite_a, assume_a, where, rcond, progress, context)
    a = host_array(a, "a")
    square(a)
    if assume_a is not None:
        a = structured(a, assume_a, lower)
    dtype = common_dtype(a)
    context = given_context(context)
    overwrite = overwrite_a and a is given
    if a.ndim > 2:
        return _inv_batch(context, a, dtype, overwrite, where, rcond, progress)
    x, X = writable(a, dtype, overwrite)
    invert(context, X, X, where, progress, dtype, warn=rcond)
    return x


def _inv_foreign(
    a: Any, overwrite_a: bool, assume_a: str | None, where: str, rcond: bool, progress: Any, context: Context | None
) -> Any:
    """inv for arrays of other packages."""
    from . import _device

    if assume_a not in (None, "gen", "general"):
        raise ValueError("assume_a is for numpy arrays: give the general matrix")
    options: dict[str, Any] = {"where": where, "rcond": rcond, "progress": progress, "context": context}
    if _device.adapter_of(a) is None:
        return _device.through_dlpack(a, (a,), lambda array: inv(array, **options))
    if _device.wants_gradient(a):
        from ._torch import Inverse

        return Inverse.apply(a, options)
    return _device.inv(a, overwrite_a, where, rcond, progress, context)


def invert(
    context: Context,
    A: lib.Matrix,
    X: lib.Matrix,
    where: str,
    progress: Any,
    dtype: np.dtype,
    warn: bool = True,
    stacklevel: int = 3,
) -> None:
    """The inverse of A into X, which may be A. The handle for matrices on a device stays with the context."""
    options = lib.GaussJordanOptions(where=word("WHERE", "where", where))
    watcher = reporter(context, options, progress)
    status, message, report = 0, "", lib.Report()
    try:
        if A.place == lib.ON_DEVICE and watcher is None:
            call, views = calls.gauss_jordan_invert, (_byref(A), _byref(X))
            status, message, report = run(context, "gauss_jordan", (A.rows,), type_of(dtype), options, call, *views)
        else:
            handle = Handle()
            create, destroy = calls.gauss_jordan_create, calls.gauss_jordan_destroy
            handle._own(context, create, destroy, A.rows, type_of(dtype), _byref(options))
            with handle:
                status, message = handle._status(calls.gauss_jordan_invert, _byref(A), _byref(X))
                if warn and not status:
                    handle._run(calls.gauss_jordan_report, _byref(report))
    except UnsupportedTypeError:
        _invert_by_lu(context, A, X, where, progress, dtype, warn, stacklevel + 1)
        return
    if watcher is not None:
        watcher.raise_error(status)
    if status:
        raise exception(status, message)
    if warn:
        warn_if_ill(report.direct, dtype, stacklevel)


def _invert_by_lu(
    context: Context,
    A: lib.Matrix,
    X: lib.Matrix,
    where: str,
    progress: Any,
    dtype: np.dtype,
    warn: bool,
    stacklevel: int,
) -> None:
    """For types that Gauss-Jordan does not take. _device has its own way for a matrix on a device."""
    options = lib.LuOptions(
        where=word("WHERE", "where", where), precision=lib.WORDS["PRECISION"]["working"], rcond=warn
    )
    watcher = reporter(context, options, progress)
    with LU._made(context, X.rows, dtype, options) as handle:
        handle._watcher = watcher
        handle._factor_view(A)
        if X.place == lib.ON_HOST:
            handle._run(calls.lu_inverse, _byref(X))
        else:
            raise UnsupportedTypeError(f"{dtype} arrays on a device are not inverted in their place")
        if warn:
            warn_if_ill(handle._direct(), dtype, stacklevel)


def _inv_batch(
    context: Context, a: np.ndarray, dtype: np.dtype, overwrite: bool, where: str, rcond: bool, progress: Any
) -> np.ndarray:
    n, shape = a.shape[-1], a.shape[:-2]
    tell = members_reporter(progress, math.prod(shape))
    same = overwrite and a.dtype == dtype and a.flags.c_contiguous and a.flags.writeable
    x = a if same else np.array(a, dtype=dtype, order="C")
    if x.size == 0:
        return x
    handle = batch_handle_of_type(context, n, math.prod(shape), dtype, where) if n <= lib.BATCH_LARGEST else None
    if handle is None:
        for done, index in enumerate(np.ndindex(*shape)):
            _, member = writable(x[index], dtype, True)
            with of_member(index):
                invert(context, member, member, where, None, dtype, warn=rcond, stacklevel=4)
            tell(done + 1)
        return x
    of_a = norms(x) if rcond else None
    X = batch_view(x)
    info = np.zeros(X.count, np.int64)
    with handle:
        handle._run(calls.gauss_jordan_batch_invert, _byref(X), _byref(X), address(info))
    raise_infos(info, "", shape, (x, 2))
    tell(X.count)
    if of_a is not None:
        of_x = norms(x)
        with np.errstate(all="ignore"):
            conditions = np.ldexp(of_a[0] * of_x[0], of_a[1] + of_x[1])
            warn_if_ill(float((1 / conditions).min()), dtype, 3)
    return x


def slogdet(a: Any, *, context: Context | None = None) -> Any:
    """Sign and natural logarithm of the absolute determinant of each matrix, as numpy.linalg.slogdet.

    a is (..., n, n). Returns a named pair (sign, logabsdet) of shape (...); a singular matrix gives (0, -inf). The sign
    of a complex matrix is a complex number of absolute value 1. Raises
    ValueError for NaN and Inf, LinAlgError for a matrix that is not square, as numpy does.

    >>> sign, logdet = clsolve.slogdet([[0.0, 2.0], [3.0, 0.0]])
    >>> float(sign), round(float(logdet), 6)
    (-1.0, 1.791759)
    """
    if is_foreign(a):
        from . import _device

        a = _device.known_array(a)
        if _device.adapter_of(a) is None:
            return slogdet(a, context=context)
        sign, logarithm, adapter, dtype = _device.slogdet(a, context, LinAlgError)
        return _slogdet_result(
            adapter.scalar(sign.astype(dtype), a), adapter.scalar(logarithm.astype(real_dtype(dtype)), a)
        )
    a = host_array(a, "a")
    sign, logarithm = _slogdet(a, context, LinAlgError)
    dtype = common_dtype(a)
    return _slogdet_result(sign.astype(dtype)[()], logarithm.astype(real_dtype(dtype))[()])


def _slogdet(
    a: np.ndarray, context: Context | None, error: type[Exception] = ValueError
) -> tuple[np.ndarray, np.ndarray]:
    """`error` is numpy's or scipy's for a matrix that is not square."""
    if a.ndim < 2:
        raise error(f"The input array must be at least two-dimensional: a has shape {a.shape}")
    if a.shape[-1] != a.shape[-2]:
        raise error(f"Last 2 dimensions of the array must be square: a has shape {a.shape}")
    dtype = common_dtype(a)
    context = given_context(context)
    shape, n = a.shape[:-2], a.shape[-1]
    sign, logarithm = np.ones(shape, complex if is_complex(dtype) else float), np.zeros(shape)
    if n and sign.size:
        with LU._made(context, n, dtype, lib.LuOptions(precision=lib.WORDS["PRECISION"]["working"])) as handle:
            for index in np.ndindex(*shape):
                with of_member(index):
                    handle._factor(a[index], singular_is_error=False)
                sign[index], logarithm[index] = handle.slogdet()
    return sign, logarithm


def _slogdet_result(sign: Any, logarithm: Any) -> Any:
    kind = getattr(np.linalg, "_linalg", np.linalg)
    named = getattr(kind, "SlogdetResult", None)
    return named(sign, logarithm) if named is not None else (sign, logarithm)


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True, *, context: Context | None = None) -> Any:
    """The determinant of each matrix of `a`, an array (..., n, n); 0 for a singular matrix. It is float64 or
    complex128, as scipy's.

    It is made from `slogdet`, so its relative error grows with the logarithm of its size.

    >>> round(float(clsolve.det([[1.0, 2.0], [3.0, 4.0]])), 12)
    -2.0
    """
    adapter = None
    if is_foreign(a):
        from . import _device

        a = _device.known_array(a)
        adapter = _device.adapter_of(a)
    if adapter is not None:
        sign, logarithm, adapter, _ = _device.slogdet(a, context)
    else:
        sign, logarithm = _slogdet(host_array(a, "a"), context)
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

        a = _device.known_array(a)
        if _device.adapter_of(a) is not None:
            return _cond_foreign(a, p, exact, context)
    a = host_array(a, "a")
    if a.ndim != 2:
        raise ValueError(f"expected a square matrix: a has shape {a.shape}")
    square(a)
    if a.shape[0] == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    dtype = common_dtype(a)
    context = given_context(context)
    if exact:
        a = centred(a.astype(dtype))
        x, X = writable(a, dtype, False)
        try:
            invert(context, X, X, "auto", None, dtype, warn=False)
        except LinAlgError:
            return math.inf
        of_a, of_x = norms(a, p), norms(x, p)
        with np.errstate(over="ignore"):
            return float(np.ldexp(of_a[0] * of_x[0], of_a[1] + of_x[1]))
    handle = LU._made(context, a.shape[0], dtype, lib.LuOptions(precision=2, rcond=1))
    with handle:
        handle._factor(a if p == 1 else a.T, singular_is_error=False)
        found = 0.0 if handle._singular else handle.rcond
    return condition_of(found)


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
    return condition_of(found)
