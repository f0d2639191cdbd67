"""pyopencl's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl  # type: ignore[import-not-found,import-untyped]
import pyopencl.array  # type: ignore[import-not-found,import-untyped]  # noqa: F401  # it makes cl.array

from ._adapters import Adapter, follow, order_of


_OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE


class PyOpenCL(Adapter):
    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return (0 if x.base_data is None else x.base_data.int_ptr), x.offset, x.strides  # None: an empty array

    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def queue(self, x: Any) -> Any:
        if x.queue is None:
            raise ValueError("the array has no queue: give it one with array.with_queue(queue)")
        return x.queue

    def home(self, x: Any) -> tuple[str, tuple]:
        queue = self.queue(x)
        return "opencl", (queue.context.int_ptr, queue.device.int_ptr)

    def lasting(self, x: Any) -> int | None:
        """The library retains the queue. It takes none that runs out of order."""
        queue = self.queue(x)
        return None if queue.properties & _OUT_OF_ORDER else queue.int_ptr

    def order(self, x: Any) -> int:
        return self.queue(x).int_ptr

    def follow(self, context: Any, x: Any) -> None:
        follow(context.follow_opencl, self.queue(x).int_ptr)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    def copy(self, x: Any) -> Any:
        return x.copy() if x.flags.forc else self._copied(x, tuple(x.shape), x.strides)

    def fresh(self, x: Any) -> Any:
        return cl.array.empty(self.queue(x), tuple(x.shape), x.dtype, order=order_of(x))

    def owned(self, x: Any) -> Any:
        return self._copied(x, tuple(x.shape), x.strides)

    def repeated(self, x: Any, shape: tuple[int, ...]) -> Any:
        return self.broadcast(x, shape)

    def to_host(self, x: Any) -> np.ndarray:
        return x.get()

    def writeable(self, x: Any) -> bool:
        return True

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        extra = len(shape) - len(x.shape)
        strides = [0] * extra
        for extent, stride, wanted in zip(x.shape, x.strides, shape[extra:]):
            strides.append(stride if extent == wanted else 0)
        return self._copied(x, shape, tuple(strides))

    def contiguous(self, x: Any) -> Any:
        return x if x.flags.c_contiguous else self._copied(x, tuple(x.shape), x.strides)

    def set_nan(self, x: Any, index: tuple[int, ...]) -> None:
        x[index].fill(x.dtype.type(np.nan))

    def padded(self, x: Any, front: bool) -> Any:
        made = cl.array.empty(self.queue(x), x.size + 1, x.dtype)
        if x.size:
            start = x.dtype.itemsize if front else 0
            self._enqueue(made, x, src_offset=x.offset, dst_offset=start, byte_count=x.nbytes)
        return made

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        if value.ndim == 0:
            return value[()]
        return cl.array.to_device(self.queue(like), np.ascontiguousarray(value))

    def zeros(self, like: Any) -> Any:
        return cl.array.zeros(self.queue(like), tuple(like.shape), like.dtype)

    @staticmethod
    def _enqueue(made: Any, x: Any, **what: Any) -> None:
        """Enqueues a copy behind everything that the arrays wait for, also in a queue out of order."""
        made.add_event(
            cl.enqueue_copy(made.queue, made.base_data, x.base_data, wait_for=[*x.events, *made.events], **what)
        )

    def _copied(self, x: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        """A contiguous array, made on the device, of the elements that the strides visit.

        pyopencl's own copy takes contiguous arrays alone. One rectangle of OpenCL takes a matrix whose rows have no
        gaps inside, or else a row. A matrix that is the same for all leading indices is copied once, and then doubled.
        """
        made = cl.array.empty(self.queue(x), shape, x.dtype)
        if made.size == 0:
            return made
        outer, (rows, cols) = ((), (1, 1, *shape)[-2:]) if len(shape) < 2 else (shape[:-2], shape[-2:])
        row_step, col_step = (0, 0, *strides)[-2:]
        same = all(extent == 1 or step == 0 for extent, step in zip(outer, strides))
        block = rows * cols * x.dtype.itemsize
        for member, index in enumerate([(0,) * len(outer)] if same else np.ndindex(*outer)):
            source = x.offset + sum(k * step for k, step in zip(index, strides))
            self._copy_matrix(made, x, source, member * block, (rows, row_step), (cols, col_step))
        done = block
        while same and done < made.nbytes:
            count = min(done, made.nbytes - done)
            self._enqueue(made, made, src_offset=0, dst_offset=done, byte_count=count)
            done += count
        return made

    def _copy_matrix(
        self, made: Any, x: Any, source: int, target: int, rows: tuple[int, int], cols: tuple[int, int]
    ) -> None:
        """rows and cols are extents and steps in bytes, source and target are bytes too."""
        item = x.dtype.itemsize
        width = cols[0] * item
        if cols[0] == 1 or cols[1] == item:
            if rows[0] == 1 or rows[1] >= width:
                pieces = [(source, target, (width, rows[0], 1), max(rows[1], width), width)]
            else:
                pieces = [
                    (source + r * rows[1], target + r * width, (width, 1, 1), width, width) for r in range(rows[0])
                ]
        elif cols[1] < item:
            raise ValueError(
                f"pyopencl does not copy arrays with a stride of {cols[1]} bytes on the last axis: make it contiguous"
            )
        else:
            pieces = [
                (source + r * rows[1], target + r * width, (item, cols[0], 1), cols[1], item) for r in range(rows[0])
            ]
        for start, end, region, pitch, packed in pieces:
            self._enqueue(
                made,
                x,
                src_origin=(start, 0, 0),
                dst_origin=(end, 0, 0),
                region=region,
                src_pitches=(pitch, 0),
                dst_pitches=(packed, 0),
            )


pyopencl_adapter = PyOpenCL()
