"""CuPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import cupy  # type: ignore[import-not-found]

from ._adapters import Adapter, order_of


class CuPy(Adapter):
    one_order = True

    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return x.data.ptr, 0, x.strides  # CuPy makes its array interface anew each time

    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def device(self, x: Any) -> int:
        return x.data.device_id

    def stream(self, x: Any) -> int:
        if cupy.cuda.runtime.getDevice() == x.data.device_id:  # the usual case: to enter a device takes longer
            return cupy.cuda.get_current_stream().ptr or 1
        with x.device:
            return cupy.cuda.get_current_stream().ptr or 1

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    def copy(self, x: Any) -> Any:
        flags = x.flags
        return x.copy(order="K") if flags.f_contiguous or flags.c_contiguous else x.copy(order="C")

    def fresh(self, x: Any) -> Any:
        with x.device:
            return cupy.empty(x.shape, x.dtype, order=order_of(x))

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        return cupy.broadcast_to(x, shape)

    def owned(self, x: Any) -> Any:
        return x.copy(order="C")

    def to_host(self, x: Any) -> np.ndarray:
        return x.get()

    def writeable(self, x: Any) -> bool:
        return True

    def contiguous(self, x: Any) -> Any:
        return cupy.ascontiguousarray(x)

    def set_nan(self, x: Any, index: tuple[int, ...]) -> None:
        with x.device:
            x[index] = np.nan

    def padded(self, x: Any, front: bool) -> Any:
        with x.device:
            made = cupy.empty(x.size + 1, x.dtype)
            made[1 if front else 0 :][: x.size] = x.reshape(-1)
        return made

    def zeros(self, like: Any) -> Any:
        with like.device:
            return cupy.zeros(like.shape, like.dtype)

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        with like.device:
            return cupy.asarray(value)


cupy_adapter = CuPy()
