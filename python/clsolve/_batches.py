"""Shared by the calls for many small matrices: the handle, and the meaning of its numbers for each member."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import type_of, word
from ._context import Context, Handle
from ._errors import LinAlgError, UnsupportedTypeError, exception, member_name
from ._library import calls
from ._kept import run
from ._packages import adapter_of


def raise_infos(info: np.ndarray, message: str, shape: tuple[int, ...], *parts: tuple, exchanges: bool = True) -> None:
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
    if all(_finite(shape, member, *part) for part in parts):
        raise LinAlgError(f"{name} has no solution in this type: the elimination overflows")
    raise ValueError(f"array must not contain infs or NaNs: {name} {message}".rstrip())


def _finite(shape: tuple[int, ...], member: int, array: Any, axes: int, used: slice = slice(None)) -> bool:
    """Is this member's part finite? Not, where the package of the array has no way to the host that is known here."""
    adapter = adapter_of(array)
    found = array if adapter is None else adapter.to_host(array)
    if found is None:
        return False
    found = np.broadcast_to(found, shape + found.shape[found.ndim - axes :])[..., used]
    return bool(np.isfinite(found[np.unravel_index(member, shape)] if shape else found).all())


class BatchHandle(Handle):
    """A handle of clsolve/gauss_jordan_batch.h."""


def batch_handle(context: Context, n: int, count: int, dtype: np.dtype, where: str = "auto") -> BatchHandle:
    handle = BatchHandle()
    options = lib.GaussJordanBatchOptions(where=word("WHERE", "where", where))
    create, destroy = calls.gauss_jordan_batch_create, calls.gauss_jordan_batch_destroy
    handle._own(context, create, destroy, n, count, type_of(dtype), ctypes.byref(options))
    return handle


def batch_handle_of_type(
    context: Context, n: int, count: int, dtype: np.dtype, where: str = "auto"
) -> BatchHandle | None:
    """The same; None where the family does not take the type, so that dense LU takes one member after the other."""
    try:
        return batch_handle(context, n, count, dtype, where)
    except UnsupportedTypeError:
        return None


def run_batch(
    context: Context, n: int, count: int, dtype: np.dtype, where: str, stays: bool, call: Any, *arguments: Any
) -> bool:
    """A call for small members. False where the family does not take the type.

    `stays`: the members lie on the device, so that the handle stays with the context. The handle for numpy's arrays
    chooses between device and host anew each time.
    """
    if not stays:
        handle = batch_handle_of_type(context, n, count, dtype, where)
        if handle is None:
            return False
        with handle:
            handle._run(call, *arguments)
        return True
    options = lib.GaussJordanBatchOptions(where=word("WHERE", "where", where))
    try:
        status, message, _ = run(context, "gauss_jordan_batch", (n, count), type_of(dtype), options, call, *arguments)
    except UnsupportedTypeError:
        return False
    if status:
        raise exception(status, message)
    return True
