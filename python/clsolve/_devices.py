"""The devices that the library finds."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from . import _library as lib
from ._errors import exception
from ._library import calls
from ._processes import use_drivers


@dataclass(frozen=True)
class Device:
    """A device, as `clsolve.devices()` lists it. Sizes are in bytes."""

    selector: str
    backend: str
    name: str
    vendor: str
    platform: str
    version: str
    driver: str
    type: str
    compute_units: int
    clock_mhz: int
    max_work_group: int
    local_memory: int
    global_memory: int
    max_allocation: int
    fp64: bool
    host_memory: bool


def _device(info: lib.DeviceInfo) -> Device:
    values: dict[str, Any] = {}
    for name, *_ in lib.DeviceInfo._fields_[:-1]:
        value = getattr(info, name)
        values[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    values["type"] = lib.DEVICE_TYPES.get(values["type"], "other")
    values["fp64"] = bool(values["fp64"])
    values["host_memory"] = bool(values["host_memory"])
    return Device(**values)


def devices() -> list[Device]:
    """Lists the devices. The list is empty where there is no driver.

    >>> all(device.selector for device in clsolve.devices())
    True
    """
    use_drivers()
    count = ctypes.c_int64(0)
    status = calls.devices(None, 0, ctypes.byref(count))
    if status:
        raise exception(status, "clsolve_devices failed")
    found = (lib.DeviceInfo * max(1, count.value))()
    status = calls.devices(ctypes.byref(found), count.value, ctypes.byref(count))
    if status:
        raise exception(status, "clsolve_devices failed")
    return [_device(info) for info in found[: count.value]]
