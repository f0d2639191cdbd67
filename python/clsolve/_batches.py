"""Shared by the calls for many small matrices: the handle, and the meaning of its numbers for each member."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import type_of, word
from ._context import Context
from ._errors import LinAlgError, member_name
from ._handle import Handle
from ._kept import run


def raise_infos(
    adapter: Adapter, info: np.ndarray, message: str, shape: tuple[int, ...], *parts: tuple, exchanges: bool = True
) -> None:
    """Raises what the first member without a solution asks for.

    `parts` are arrays, their axes within a member, and the part of the last axis that is used, if not all. They tell
    NaN and Inf in them from those that the elimination made. A member without a solution is as it was. Without
    `exchanges` of rows a zero pivot does not tell that the matrix is singular.
    """
    bad = np.flatnonzero(info)
    if bad.size == 0:
        return
    member, value = int(bad[0]), int(info[bad[0]])
    name = member_name(np.unravel_index(member, shape)) if shape else "the matrix"
    if value > 0 and not exchanges:
        raise LinAlgError(
            f'without row exchanges pivot {value} of {name} is exactly zero; pivoting="auto" exchanges rows'
        )
    if value > 0:
        raise LinAlgError(f"Matrix is singular: pivot {value} of {name} is exactly zero")
    if all(_finite(adapter, shape, member, *part) for part in parts):
        raise LinAlgError(f"{name} has no solution in this type: the elimination overflows")
    raise ValueError(f"array must not contain infs or NaNs: {name} {message}".rstrip())


def _finite(
    adapter: Adapter, shape: tuple[int, ...], member: int, array: Any, axes: int, used: slice = slice(None)
) -> bool:
    """Is this member's part finite? Not, where the package of the array has no way to the host that is known here."""
    found = adapter.to_host(array)
    if found is None:
        return False
    found = np.broadcast_to(found, shape + found.shape[found.ndim - axes :])[..., used]
    return bool(np.isfinite(found[np.unravel_index(member, shape)] if shape else found).all())


def run_batch(
    adapter: Adapter, context: Context, n: int, count: int, dtype: np.dtype, where: str, call: Any, *arguments: Any
) -> None:
    """A call of clsolve/gauss_jordan_batch.h for small members.

    The handle for members on the device stays with the context. That for members in the host's memory chooses between
    device and host anew each time.
    """
    options = lib.GaussJordanBatchOptions(where=word("WHERE", "where", where))
    sizes = n, count, type_of(dtype)
    if adapter.on_device:
        run(context, "gauss_jordan_batch", sizes, options, call, *arguments)
        return
    handle = Handle()
    handle._own(context, "gauss_jordan_batch", *sizes, ctypes.byref(options))
    with handle:
        handle._run(call, *arguments)
