"""Band and tridiagonal systems."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import address, batch_view, common_dtype, is_foreign, op_of, readable, type_of, word, writable
from ._context import Context, Handle, default_context, reporter
from ._batches import raise_infos
from ._errors import exception
from ._library import calls

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
    lower, upper = (int(count) for count in l_and_u)
    options = lib.BandOptions(
        where=word("WHERE", "where", where), refine=refine, equilibrate=equilibrate, memory_limit=memory_limit
    )
    if is_foreign(ab):
        from . import _device

        if _device.adapter_of(ab) is not None:
            return _device.solve_banded(lower, upper, ab, b, overwrite_b, options, progress, context)
    ab = np.asarray(ab)
    b = np.asarray(b)
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
    x, B = writable(b[:, None] if b.ndim == 1 else b, dtype, overwrite_b)
    if x.size == 0:
        return x[:, 0] if b.ndim == 1 else x
    ab, AB = readable(ab, dtype)
    context = context or default_context()
    watcher = reporter(context, options, progress)
    handle = Handle()
    handle._own(context, calls.band_create, calls.band_destroy, n, lower, upper, type_of(dtype), _byref(options))
    with handle:
        status, message = context.status(calls.band_factor, handle._open(), _byref(AB))
        if watcher is not None:
            watcher.raise_error()
        if status:
            raise exception(status, message)
        context.run(calls.band_solve, handle._open(), lib.NO_TRANS, _byref(B))
    return x[:, 0] if b.ndim == 1 else x


def _off_diagonal(values: Any, n: int, first: bool, dtype: np.dtype, name: str) -> np.ndarray:
    """The elements beside the diagonal, an array (..., n) as the library has it: one of the ends is not used."""
    values = np.asarray(values)
    if values.ndim == 0 or values.shape[-1] not in (n, max(0, n - 1)):
        raise ValueError(f"{name} has shape {values.shape}: give n - 1 = {max(0, n - 1)} or n = {n} elements a matrix")
    if values.shape[-1] == n:
        return values.astype(dtype, copy=False)
    made = np.zeros(values.shape[:-1] + (n,), dtype)
    made[..., 1:] = values if first else 0
    if not first:
        made[..., : n - 1] = values
    return made


def solve_tridiagonal(
    dl: Any,
    d: Any,
    du: Any,
    b: Any,
    overwrite_b: bool = False,
    *,
    trans: int | str = 0,
    pivoting: str = "auto",
    where: str = "auto",
    context: Context | None = None,
) -> np.ndarray:
    """Solves many tridiagonal systems at once; leading axes are batches, and broadcast.

    d
        (..., n) array: the diagonals.
    dl, du
        (..., n - 1) arrays below and above the diagonal. Arrays of n elements have those of row k at k: dl[..., 0] and
        du[..., n - 1] are not used.
    b
        (..., n) with as many axes as d, or (..., n, nrhs) with one more.
    pivoting
        "auto": rows are exchanged where that is needed; "partial", "none".

    Returns x in the shape of b. Raises LinAlgError for a singular member, ValueError for NaN, Inf and shapes that do
    not fit.

    >>> clsolve.solve_tridiagonal([-1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0], [1.0, 0.0, 1.0])
    array([1., 1., 1.])
    """
    d = np.asarray(d)
    b = np.asarray(b)
    if d.ndim == 0 or b.ndim not in (d.ndim, d.ndim + 1):
        raise ValueError(f"d has shape {d.shape}, b has shape {b.shape}: b has the axes of d, or one more")
    n = d.shape[-1]
    dtype = common_dtype(np.asarray(dl), d, np.asarray(du), b)
    lines = [
        _off_diagonal(dl, n, True, dtype, "dl"),
        d.astype(dtype, copy=False),
        _off_diagonal(du, n, False, dtype, "du"),
    ]
    vectors = b.ndim == d.ndim
    right = b[..., None] if vectors else b
    if right.shape[-2] != n:
        raise ValueError(f"incompatible dimensions: d has shape {d.shape}, b has shape {b.shape}")
    shape = np.broadcast_shapes(*(line.shape[:-1] for line in lines), right.shape[:-2])
    full = shape + (n, right.shape[-1])
    same = overwrite_b and right.shape == full and right.dtype == dtype and right.flags.c_contiguous
    x = right if same and right.flags.writeable else np.array(np.broadcast_to(right, full), dtype=dtype, order="C")
    if x.size:
        _solve_lines(context or default_context(), lines, x, dtype, op_of(trans), pivoting, where)
    return x[..., 0] if vectors else x


def _solve_lines(
    context: Context, lines: list[np.ndarray], x: np.ndarray, dtype: np.dtype, op: int, pivoting: str, where: str
) -> None:
    n = x.shape[-2]
    B = batch_view(x)
    views = []
    for k, line in enumerate(lines):
        line = lines[k] = np.ascontiguousarray(line if line.size == n else np.broadcast_to(line, x.shape[:-1]))
        view = batch_view(line[..., None])
        if line.size == n:  # one matrix for all members
            view.count, view.stride = B.count, 0
        views.append(view)
    options = lib.TridiagonalBatchOptions(
        pivoting=word("PIVOTING", "pivoting", pivoting), where=word("WHERE", "where", where)
    )
    info = np.zeros(B.count, np.int64)
    handle = Handle()
    handle._own(
        context,
        calls.tridiagonal_batch_create,
        calls.tridiagonal_batch_destroy,
        n,
        B.count,
        type_of(dtype),
        _byref(options),
    )
    with handle:
        context.run(calls.tridiagonal_batch_factor, handle._open(), *map(_byref, views), address(info))
        raise_infos(info, "")
        context.run(calls.tridiagonal_batch_solve, handle._open(), op, _byref(B), address(info))
        raise_infos(info, "or its right-hand side")
