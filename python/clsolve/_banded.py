"""Band and tridiagonal systems."""

from __future__ import annotations

import ctypes
import math
import operator
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import is_complex, promoted, type_of, word
from ._context import Context, given_context
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter, solve_parts
from ._packages import refuse_gradient, taken, through_dlpack, unknown
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
) -> Any:
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
    words: dict[str, Any] = {"where": where, "refine": refine, "equilibrate": equilibrate}
    words.update(memory_limit=memory_limit, progress=progress, context=context)
    adapter = numpy_adapter
    if type(ab) is not np.ndarray or type(b) is not np.ndarray:
        if unknown(ab) is not None:
            return through_dlpack(ab, (ab, b), lambda *known: solve_banded(l_and_u, *known, **words))
        adapter, (ab, b) = taken(ab=ab, b=b)
        refuse_gradient("solve_banded", ab, b)
    if lower < 0 or upper < 0:
        raise ValueError("invalid values for the number of lower and upper diagonals: they must not be negative")
    rows = ab.shape[0] if len(ab.shape) else 0
    if len(ab.shape) != 2 or rows != lower + upper + 1:
        raise ValueError(
            "invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({lower + upper + 1}) does not equal ab.shape[0] ({rows})"
        )
    n = ab.shape[1]
    if len(b.shape) not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"shapes of ab and b are not compatible: {tuple(ab.shape)} and {tuple(b.shape)}")
    dtype = promoted(adapter.dtype(ab), adapter.dtype(b))
    if adapter is numpy_adapter and is_complex(dtype) and not is_complex(ab.dtype):
        return solve_parts(lambda sides: solve_banded(l_and_u, ab, sides, **words), b)
    if math.prod(b.shape) == 0:
        return adapter.solution(b, dtype, overwrite_b)
    context = given_context(context, adapter, ab)
    handle = Handle()
    handle._watcher = reporter(context, options, progress)
    handle._own(context, "band", n, lower, upper, type_of(dtype), _byref(options))
    with handle:
        ab, AB = adapter.read(context, ab, dtype)
        handle._run_watched(calls.band_factor, _byref(AB))
        x, B = adapter.sides(context, b, dtype, overwrite_b)
        handle._run(calls.band_solve, lib.NO_TRANS, _byref(B))
    return x
