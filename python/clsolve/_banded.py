"""Band and tridiagonal systems."""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import (
    common_dtype,
    host_array,
    is_complex,
    is_foreign,
    readable,
    solve_parts,
    type_of,
    word,
    writable_sides,
)
from ._context import Context, Handle, given_context
from ._errors import exception
from ._library import calls
from ._progress import reporter

_byref = ctypes.byref


def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    where: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    memory_limit: int = 0,
    progress: Any = None,
    context: Context | None = None,
) -> np.ndarray:
    """Solves a x = b for a band matrix with l diagonals below and u above the main one, as scipy.linalg.solve_banded.

    ab
        (l + u + 1, n) array: a[i, j] is ab[u + i - j, j]. Elements outside the matrix are not read. It is not changed.
    b
        (n,) or (n, nrhs) array.
    memory_limit
        Bytes of device memory; a band that needs more passes through a window (clsolve/band.h).

    Returns x in the shape of b. Raises ValueError for shapes that do not fit and for NaN or Inf, LinAlgError for a
    singular matrix.

    >>> ab = [[0.0, -1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0, 0.0]]
    >>> clsolve.solve_banded((1, 1), ab, [1.0, 0.0, 1.0])
    array([1., 1., 1.])
    """
    lower, upper = map(operator.index, l_and_u)
    options = lib.BandOptions(
        where=word("WHERE", "where", where), refine=refine, equilibrate=equilibrate, memory_limit=memory_limit
    )
    if is_foreign(ab):
        from . import _device

        if _device.adapter_of(ab) is None:
            given: dict[str, Any] = {
                "overwrite_b": overwrite_b,
                "where": where,
                "refine": refine,
                "equilibrate": equilibrate,
            }
            given.update(memory_limit=memory_limit, progress=progress, context=context)
            return _device.through_dlpack(ab, (ab, b), lambda *known: solve_banded(l_and_u, *known, **given))
        return _device.solve_banded(lower, upper, ab, b, overwrite_b, options, progress, context)
    ab = host_array(ab, "ab")
    b = host_array(b, "b")
    if lower < 0 or upper < 0:
        raise ValueError("invalid values for the number of lower and upper diagonals: they must not be negative")
    if ab.ndim != 2 or ab.shape[0] != lower + upper + 1:
        raise ValueError(
            "invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({lower + upper + 1}) does not equal ab.shape[0] ({ab.shape[0] if ab.ndim else 0})"
        )
    n = ab.shape[1]
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"shapes of ab and b are not compatible: {ab.shape} and {b.shape}")
    dtype = common_dtype(ab, b)
    if is_complex(dtype) and not is_complex(ab.dtype):
        words: dict[str, Any] = {"where": where, "refine": refine, "equilibrate": equilibrate, "progress": progress}
        words.update(memory_limit=memory_limit, context=context)
        return solve_parts(lambda sides: solve_banded(l_and_u, ab, sides, **words), b)
    x, B = writable_sides(b, dtype, overwrite_b)
    if x.size == 0:
        return x
    ab, AB = readable(ab, dtype)
    context = given_context(context)
    watcher = reporter(context, options, progress)
    handle = Handle()
    handle._own(context, calls.band_create, calls.band_destroy, n, lower, upper, type_of(dtype), _byref(options))
    with handle:
        status, message = handle._status(calls.band_factor, _byref(AB))
        if watcher is not None:
            watcher.raise_error(status)
        if status:
            raise exception(status, message)
        handle._run(calls.band_solve, lib.NO_TRANS, _byref(B))
    return x
