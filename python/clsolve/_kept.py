"""Handles that stay with a context from one call on a device's arrays to the next.

A handle takes and gives back memory of the device, which takes longer than the work on small matrices. It serves calls
of one family that have the same sizes, type and options. A context keeps the last few: all together they hold at most
a small part of the device's memory, and they go when a call finds no room on the device.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple

from . import _library as lib
from ._context import Context
from ._errors import exception
from ._library import calls

_MOST = 4  # handles of a context
_SHARE = 64  # they hold at most one part in so many of the device's memory


class Kept(NamedTuple):
    destroy: Callable[[Any], None]  # of the library
    handle: int
    device_bytes: int


def _put(context: Context, key: tuple, kept: Kept) -> None:
    if context._kept_bytes < 0:
        context._kept_bytes = calls.context_device(context._handle).global_memory // _SHARE
    context._kept[key] = kept
    while len(context._kept) > _MOST or sum(one.device_bytes for one in context._kept.values()) > context._kept_bytes:
        old = context._kept.popitem(last=False)[1]
        old.destroy(old.handle)


def _any(_: lib.Report) -> bool:
    return True


def run(
    context: Context, family: str, sizes: tuple, options: Any, *steps: tuple, stays: Callable[[lib.Report], bool] = _any
) -> lib.Report:
    """Calls on the handle of a family for these sizes, the type the last, and options without `progress`.

    `steps` are the calls, each with its arguments behind the handle; one that fails is the last. `stays` tells by the
    report whether the handle may stay. Returns the report. Raises what the library says of the handle or of a call.
    """
    key = (family, sizes, bytes(options))
    context._check()
    with context._lock:
        context._check()
        kept = context._kept.pop(key, None)
        destroy = getattr(calls, f"{family}_destroy") if kept is None else kept.destroy
        handle = _made(context, family, sizes, options) if kept is None else kept.handle
        report, keep = lib.Report(), False
        try:
            for call, *arguments in steps:
                status, message = context._status(call, handle, *arguments)
                if status:
                    break
            getattr(calls, f"{family}_report")(handle, ctypes.byref(report))
            keep = status == 0 and stays(report)
        finally:
            if keep:
                _put(context, key, Kept(destroy, handle, report.device_bytes))
            else:
                destroy(handle)
    if status:
        raise exception(status, message)
    return report


def _made(context: Context, family: str, sizes: tuple, options: Any) -> int:
    handle = ctypes.c_void_p()
    create = getattr(calls, f"{family}_create")
    status, message = context._status(create, context._handle, *sizes, ctypes.byref(options), ctypes.byref(handle))
    if status:
        raise exception(status, message)
    assert handle.value is not None
    return handle.value
