"""Shared by the calls for many matrices at once: their handles, and the meaning of their numbers for each member."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Sequence

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import address, type_of, word
from ._context import Context
from ._errors import DeviceMemoryError, LinAlgError, NonfiniteError, member_name, of_member
from ._handle import Handle
from ._kept import run
from ._library import calls

_byref = ctypes.byref
_HOST_BYTES = 64 << 20  # the most that a handle which stays may hold in the host's memory


def raise_infos(
    adapter: Adapter,
    info: np.ndarray,
    message: str,
    shape: tuple[int, ...],
    *parts: tuple,
    exchanges: bool = True,
    result: Any = None,
) -> None:
    """Raises what the first member without a solution asks for.

    `parts` are arrays, their axes within a member, and the part of the last axis that is used, if not all. They tell
    NaN and Inf in them from those that the elimination made. A member without a solution is as it was. Without
    `exchanges` of rows a zero pivot does not tell that the matrix is singular. A contiguous `result` gets NaN in the
    place of an exception for members with NaN, Inf or an overflow.
    """
    bad = np.flatnonzero(info)
    if result is not None and bad.size:
        for member in bad[info.flat[bad] < 0]:
            adapter.set_nan(result, tuple(map(int, np.unravel_index(member, shape))))
        bad = bad[info.flat[bad] > 0]
    if bad.size == 0:
        return
    member, value = int(bad[0]), int(info.flat[bad[0]])
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


class nan_instead(of_member):
    """As of_member. Without `check_finite` a member of the contiguous result gets NaN where NaN or Inf were met."""

    def __init__(self, adapter: Adapter, result: Any, index: tuple[int, ...], check_finite: bool) -> None:
        super().__init__(index)
        self.adapter, self.result, self.check_finite = adapter, result, check_finite

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool | None:
        super().__exit__(kind, error, trace)
        if self.check_finite or not self.index or not isinstance(error, NonfiniteError):
            return None
        self.adapter.set_nan(self.result, self.index)
        return True


def _finite(
    adapter: Adapter, shape: tuple[int, ...], member: int, array: Any, axes: int, used: slice = slice(None)
) -> bool:
    """Is this member's part finite? Not, where the package of the array has no way to the host that is known here."""
    found = adapter.to_host(array)
    if found is None:
        return False
    found = np.broadcast_to(found, shape + found.shape[found.ndim - axes :])[..., used]
    return bool(np.isfinite(found[np.unravel_index(member, shape)] if shape else found).all())


def run_inverses(
    adapter: Adapter, context: Context, n: int, dtype: np.dtype, where: str, A: lib.Batch, X: lib.Batch
) -> np.ndarray:
    """clsolve_gauss_jordan_batch_invert: the numbers of the members.

    The handle for members on the device stays with the context. That for members in the host's memory chooses between
    device and host anew each time.
    """
    info = np.zeros(A.count, np.int64)
    options = lib.GaussJordanBatchOptions(where=word("WHERE", "where", where))
    sizes, arguments = (n, A.count, type_of(dtype)), (_byref(A), _byref(X), address(info))
    if adapter.on_device:
        run(context, "gauss_jordan_batch", sizes, options, (calls.gauss_jordan_batch_invert, *arguments))
        return info
    handle = Handle()
    handle._own(context, "gauss_jordan_batch", *sizes, _byref(options))
    with handle:
        handle._run(calls.gauss_jordan_batch_invert, *arguments)
    return info


Steps = Callable[[Sequence[lib.Batch], Sequence[np.ndarray], int], Sequence[tuple]]


def run_lu(
    context: Context,
    n: int,
    views: Sequence[lib.Batch],
    numbers: Sequence[np.ndarray],
    steps: Steps,
    *,
    where: str = "auto",
    condition: bool = False,
    factor: bool = True,
) -> np.ndarray:
    """Factors the members of the first view, and takes `steps` (clsolve/lu_batch.h). Returns the members' infos.

    `steps` gives the calls that come behind the factorization, of the views, of the numbers, which have a row for each
    member, and of the address of the infos; without `factor` a step factors. Members that the device has no room for go
    in halves.
    """
    A = views[0]
    info = np.zeros(A.count, np.int64)
    options = lib.LuBatchOptions(where=word("WHERE", "where", where), condition=condition)
    try:
        run(
            context,
            "lu_batch",
            (n, A.count, A.type),
            options,
            *([(calls.lu_batch_factor, _byref(A), address(info))] if factor else []),
            *steps(views, numbers, address(info)),
            stays=lambda report: _stays(context, report),
        )
    except DeviceMemoryError:
        if A.count < 2:
            raise
        half = A.count // 2
        for part in (slice(0, half), slice(half, A.count)):
            mine = [_part(view, part) for view in views], [found[part] for found in numbers]
            info[part] = run_lu(context, n, *mine, steps, where=where, condition=condition, factor=factor)
    return info


def _stays(context: Context, report: lib.Report) -> bool:
    """A handle that went to the host while a device's kernels compile shall choose anew."""
    if report.where != b"host":
        return True
    return report.host_bytes <= _HOST_BYTES and context.device.type in ("cpu", "host")


def _part(view: lib.Batch, part: slice) -> lib.Batch:
    """Some of the members."""
    found = lib.Batch.from_buffer_copy(view)
    found.count = part.stop - part.start
    begin = part.start * view.stride
    if view.place == lib.ON_DEVICE:
        found.offset += begin
    else:
        found.data += begin * lib.ITEM[view.type]
    return found
