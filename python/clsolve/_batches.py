"""What calls for many small matrices share: the handle, and what its numbers say of each member."""

from __future__ import annotations

import numpy as np

from ._arrays import type_of
from ._context import Context, Handle
from ._errors import LinAlgError
from ._library import calls


def raise_infos(info: np.ndarray, message: str) -> None:
    """Raises what the first member without a solution asks for."""
    bad = np.flatnonzero(info)
    if bad.size == 0:
        return
    member, value = int(bad[0]), int(info[bad[0]])
    if value < 0:
        raise ValueError(f"array must not contain infs or NaNs: member {member} {message}")
    raise LinAlgError(f"Matrix is singular: pivot {value} of member {member} is exactly zero")


class BatchHandle(Handle):
    """A handle of clsolve/gauss_jordan_batch.h."""


def batch_handle(context: Context, n: int, count: int, dtype: np.dtype) -> BatchHandle:
    handle = BatchHandle()
    handle._own(
        context, calls.gauss_jordan_batch_create, calls.gauss_jordan_batch_destroy, n, count, type_of(dtype), None
    )
    return handle
