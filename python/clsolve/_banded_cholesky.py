"""Cholesky factors of symmetric positive definite band matrices."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import common_dtype, is_complex, type_of
from ._context import Context, given_context
from ._handle import Handle
from ._library import calls
from ._numpy import readable, solve_parts, writable_sides
from ._packages import host_array

_byref = ctypes.byref


def _uplo(lower: bool) -> int:
    return lib.LOWER if lower else lib.UPPER


def _band(ab: Any, name: str) -> np.ndarray:
    ab = host_array(ab, name)
    if ab.ndim != 2 or ab.shape[0] == 0:
        raise ValueError(f"expected a band of diagonals, one a row: {name} has shape {ab.shape}")
    return ab


def _handle(ab: np.ndarray, dtype: np.dtype, context: Context | None, refine: bool = False) -> Handle:
    options = lib.BandCholeskyOptions(refine=refine)
    handle = Handle()
    size = ab.shape[1], ab.shape[0] - 1
    handle._own(given_context(context), "band_cholesky", *size, type_of(dtype), _byref(options))
    return handle


def _factor(handle: Handle, ab: np.ndarray, dtype: np.dtype, lower: bool) -> None:
    ab, view = readable(ab, dtype)
    handle._run(calls.band_cholesky_factor, _uplo(lower), _byref(view))


def _sides(ab: np.ndarray, b: Any) -> np.ndarray:
    b = host_array(b, "b")
    if b.ndim not in (1, 2) or b.shape[0] != ab.shape[1]:
        raise ValueError(f"shapes of ab and b are not compatible: {ab.shape} and {b.shape}")
    return b


def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    refine: bool = False,
    context: Context | None = None,
) -> np.ndarray:
    """Solves a x = b for a symmetric or hermitian positive definite band, as scipy.linalg.solveh_banded.

    ab
        (k + 1, n) array of one triangle: a[i, j] is ab[k + i - j, j], or with `lower` ab[i - j, j]. It is not changed.
    b
        (n,) or (n, nrhs) array.
    refine
        Iterative refinement of the solution.

    Returns x in the shape of b. Raises ValueError for shapes that do not fit and for NaN or Inf, LinAlgError for a
    matrix that is not positive definite.

    >>> clsolve.solveh_banded([[0.0, -1.0, -1.0], [2.0, 2.0, 2.0]], [1.0, 0.0, 1.0])
    array([1., 1., 1.])
    """
    ab = _band(ab, "ab")
    b = _sides(ab, b)
    dtype = common_dtype(ab, b)
    if is_complex(dtype) and not is_complex(ab.dtype):
        return solve_parts(lambda sides: solveh_banded(ab, sides, lower=lower, refine=refine, context=context), b)
    x, B = writable_sides(b, dtype, overwrite_b)
    if x.size == 0:
        return x
    with _handle(ab, dtype, context, refine) as handle:
        _factor(handle, ab, dtype, lower)
        handle._run(calls.band_cholesky_solve, _byref(B))
    return x


def cholesky_banded(
    ab: Any,
    overwrite_ab: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    context: Context | None = None,
) -> np.ndarray:
    """The factor of a symmetric or hermitian positive definite band, as scipy.linalg.cholesky_banded.

    ab
        (k + 1, n) array of one triangle, as for clsolve.solveh_banded.

    Returns the factor in the form of ab, with zeros outside of the matrix.

    >>> clsolve.cholesky_banded([[0.0, 2.0], [4.0, 10.0]])
    array([[0., 1.],
           [2., 3.]])
    """
    ab = _band(ab, "ab")
    dtype = common_dtype(ab)
    c, view = readable(np.zeros(ab.shape, dtype), dtype)
    if c.size == 0:
        return c
    with _handle(ab, dtype, context) as handle:
        _factor(handle, ab, dtype, lower)
        handle._run(calls.band_cholesky_factors, _uplo(lower), _byref(view))
    return c


def cho_solve_banded(
    cb_and_lower: tuple[Any, bool],
    b: Any,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    context: Context | None = None,
) -> np.ndarray:
    """Solves a x = b with the factor of cholesky_banded, as scipy.linalg.cho_solve_banded.

    >>> c = clsolve.cholesky_banded([[0.0, 2.0], [4.0, 10.0]])
    >>> clsolve.cho_solve_banded((c, False), [6.0, 12.0])
    array([1., 1.])
    """
    cb, lower = cb_and_lower
    cb = _band(cb, "cb")
    b = _sides(cb, b)
    dtype = common_dtype(cb, b)
    if is_complex(dtype) and not is_complex(cb.dtype):
        return solve_parts(lambda sides: cho_solve_banded((cb, lower), sides, context=context), b)
    x, B = writable_sides(b, dtype, overwrite_b)
    if x.size == 0:
        return x
    with _handle(cb, dtype, context) as handle:
        cb, view = readable(cb, dtype)
        handle._run(calls.band_cholesky_import, _uplo(lower), _byref(view))
        handle._run(calls.band_cholesky_solve, _byref(B))
    return x
