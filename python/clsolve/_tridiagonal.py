"""Tridiagonal systems, one or many."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import address, line_of, members_of, op_of, promoted, type_of, word
from ._batches import raise_infos
from ._context import Context, given_context
from ._handle import Handle
from ._library import calls
from ._packages import refuse_gradient, same_place, through_dlpack, unknown

_byref = ctypes.byref


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
) -> Any:
    """Solves many tridiagonal systems at once; leading axes are batches, and broadcast.

    All four are numpy's arrays, or arrays of one other package: they stay on their device, and so does x.

    d
        (..., n) array: the diagonals.
    dl, du
        (..., n - 1) arrays below and above the diagonal. Arrays of n elements have those of row k at k: dl[..., 0] and
        du[..., n - 1] are not used.
    b
        (..., n) with as many axes as d, or (..., n, nrhs) with one more.
    pivoting
        "auto": rows are exchanged where that is needed; "partial", "none".

    Arrays (..., n) are read where they lie, also interleaved ones, such as the transpose of an array (n, count). Those
    of n - 1 elements are copied once, on their device.

    Returns x in the shape of b. Raises LinAlgError for a singular member, ValueError for NaN, Inf and shapes that do
    not fit, TypeError for arrays in different places.

    >>> clsolve.solve_tridiagonal([-1.0, -1.0], [2.0, 2.0, 2.0], [-1.0, -1.0], [1.0, 0.0, 1.0])
    array([1., 1., 1.])
    """
    arrays = {"dl": dl, "d": d, "du": du, "b": b}
    other = unknown(*arrays.values())
    if other is not None:
        given: dict[str, Any] = {"trans": trans, "pivoting": pivoting, "where": where, "context": context}
        return through_dlpack(other, tuple(arrays.values()), lambda *known: solve_tridiagonal(*known, **given))
    refuse_gradient("solve_tridiagonal", *arrays.values())
    adapter, (dl, d, du, b) = same_place(**arrays)
    options = lib.TridiagonalBatchOptions(
        pivoting=word("PIVOTING", "pivoting", pivoting), where=word("WHERE", "where", where)
    )
    op = op_of(trans)
    dims = len(d.shape)
    if dims == 0 or len(b.shape) not in (dims, dims + 1):
        raise ValueError(
            f"d has shape {tuple(d.shape)}, b has shape {tuple(b.shape)}: b has the axes of d, or one more"
        )
    n, vectors = d.shape[-1], len(b.shape) == dims
    for name, line in (("dl", dl), ("du", du)):
        if len(line.shape) == 0 or line.shape[-1] not in (n, max(0, n - 1)):
            raise ValueError(
                f"{name} has shape {tuple(line.shape)}: give n - 1 = {max(0, n - 1)} or n = {n} elements a matrix"
            )
    if b.shape[dims - 1] != n:
        raise ValueError(f"incompatible dimensions: d has shape {tuple(d.shape)}, b has shape {tuple(b.shape)}")
    dtype = promoted(*(adapter.dtype(x) for x in (dl, d, du, b)))
    shape = np.broadcast_shapes(*(tuple(line.shape[:-1]) for line in (dl, d, du)), tuple(b.shape[: dims - 1]))
    context = given_context(context, adapter, d)
    x = _solution(adapter, b, dtype, shape, tuple(b.shape[dims - 1 :]), overwrite_b)
    if math.prod(x.shape):
        diagonals = [adapter.cast(line, dtype) for line in (dl, d, du)]
        lines = [_Line(adapter, line, n, shape, front) for line, front in zip(diagonals, (True, None, False))]
        used = (slice(1 if dl.shape[-1] == n else 0, None), slice(None), slice(n - 1))
        given_lines = [(line, 1, part) for line, part in zip(diagonals, used)]
        _solve_lines(adapter, context, lines, x, vectors, n, shape, given_lines, dtype, op, options)
    return x


def _solution(
    adapter: Adapter, b: Any, dtype: np.dtype, shape: tuple[int, ...], inner: tuple[int, ...], overwrite: bool
) -> Any:
    """The array that is to hold b and then x, in the shape of all members: b itself where it may be, or a copy."""
    x = adapter.cast(b, dtype)
    if tuple(x.shape) != shape + inner:
        return adapter.repeated(x, shape + inner)
    if x is b and not (overwrite and adapter.writeable(x)):
        x = adapter.copy(x)
    flat = shape + (inner if len(inner) == 2 else (*inner, 1))
    strides = adapter.strides(x)
    fits = members_of(
        flat, strides if len(inner) == 2 else (*strides, adapter.dtype(x).itemsize), adapter.dtype(x).itemsize
    )
    # The members of a solution must not overlap. One of a single member has no step.
    return x if fits is not None and (fits[2] or math.prod(shape) == 1) else adapter.contiguous(x)


class _Line:
    """One of the three diagonals as the library reads it, and the array that is held for it."""

    def __init__(self, adapter: Adapter, line: Any, n: int, shape: tuple[int, ...], front: bool | None) -> None:
        self.n, self.count, self.padded_from = n, math.prod(shape), None
        if math.prod(line.shape[:-1]) != 1 and tuple(line.shape[:-1]) != shape:
            line = adapter.broadcast(line, shape + (line.shape[-1],))
        if line.shape[-1] == n:
            suits = line_of(tuple(line.shape), adapter.strides(line), adapter.dtype(line).itemsize) is not None
            self.held = line if suits else adapter.contiguous(line)
        else:
            # The library reads an element before dl[1] and one after du[n - 2], whatever they hold.
            self.padded_from = tuple(line.shape)
            self.held = adapter.padded(adapter.contiguous(line), bool(front))

    def view(self, adapter: Adapter, context: Context) -> lib.Batch:
        return adapter.lines(context, self.held, self.n, self.count, self.padded_from)


def _solve_lines(
    adapter: Adapter,
    context: Context,
    lines: list[_Line],
    x: Any,
    vectors: bool,
    n: int,
    shape: tuple[int, ...],
    given: list[tuple],
    dtype: np.dtype,
    op: int,
    options: lib.TridiagonalBatchOptions,
) -> None:
    count = math.prod(shape)
    info = np.zeros(count, np.int64)
    handle = Handle()
    handle._own(context, "tridiagonal_batch", n, count, type_of(dtype), _byref(options))
    exchanges = options.pivoting != lib.WORDS["PIVOTING"]["none"]
    with handle:
        views = [line.view(adapter, context) for line in lines]
        handle._run(calls.tridiagonal_batch_factor, *map(_byref, views), address(info))
        raise_infos(adapter, info, "", shape, *given, exchanges=exchanges)
        B = adapter.batch(context, x, vectors)
        handle._run(calls.tridiagonal_batch_solve, op, _byref(B), address(info))
        raise_infos(
            adapter, info, "or its right-hand side", shape, *given, (x, 1 if vectors else 2), exchanges=exchanges
        )
