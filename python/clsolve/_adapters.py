"""Arrays that are not numpy's: pyopencl, CuPy, PyTorch, and others through the CUDA array interface or DLPack.

An adapter describes the arrays of one package: type, shape, strides, memory, context, copies.
"""

from __future__ import annotations

import math
import sys
import threading
from collections import OrderedDict
from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._arrays import layout_of, type_of
from ._context import Context, default_context
from ._errors import UnsupportedError

# ---- contexts of devices ----

_CONTEXTS = 8  # the most that are kept; one in use by a handle lives on
_contexts: OrderedDict[tuple, Context] = OrderedDict()
_contexts_lock = threading.Lock()


def _context_for(key: tuple, make: Callable[[], Context]) -> Context:
    """The context of a device. The library retains the cl_context, so that its address is not used anew meanwhile.

    A context works in a queue of its own and follows the caller's queues, so that one serves them all. A stream that
    the caller destroys, or that is another one in each thread, is not kept.
    """
    with _contexts_lock:
        found = _contexts.get(key)
        if found is None or found._handle is None:
            found = _contexts[key] = make()
        _contexts.move_to_end(key)
        while len(_contexts) > _CONTEXTS:
            _contexts.popitem(last=False)
        return found


def _follow(follow: Callable[[int], None], queue: int) -> None:
    try:
        follow(queue)
    except ValueError as error:
        raise ValueError(f"the context is not the array's: give context=clsolve.Context.of(array) ({error})") from None


# ---- adapters ----


class Adapter:
    """The arrays of one package. CUDA's array interface and the methods of numpy are the usual case."""

    on_device = True

    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        """Address or buffer, offset in bytes, strides in bytes (None: row after row)."""
        found = x.__cuda_array_interface__
        return found["data"][0], 0, found.get("strides")

    def dtype(self, x: Any) -> np.dtype:
        return np.dtype(x.__cuda_array_interface__["typestr"])

    def device(self, x: Any) -> int:
        return 0

    def stream(self, x: Any) -> int:
        """The stream in whose order the array is now; 1 is CUDA's default stream."""
        return x.__cuda_array_interface__.get("stream") or 1

    def context(self, x: Any) -> Context:
        device = self.device(x)
        return _context_for(("cuda", device), lambda: Context.from_cuda(device, None))

    def follow(self, context: Context, x: Any) -> None:
        """Later calls on the context come behind what was enqueued for the array."""
        _follow(context.follow_cuda, self.stream(x))

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        if self.dtype(x) != dtype:
            raise TypeError(f"arrays of {type(x).__module__} are not converted here: give {dtype}")
        return x

    def copy(self, x: Any) -> Any:
        if not hasattr(x, "copy"):
            raise TypeError(f"arrays of {type(x).__module__} are not copied here: give overwrite_b=True")
        return x.copy()

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        raise ValueError(f"arrays of {type(x).__module__} are not broadcast here: give {shape}, not {tuple(x.shape)}")

    def contiguous(self, x: Any) -> Any:
        return x

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        return value[()]

    def strides(self, x: Any) -> tuple[int, ...]:
        strides = self.interface(x)[2]
        if strides is not None:
            return tuple(strides)
        item, found = self.dtype(x).itemsize, []
        for extent in reversed(tuple(x.shape)):
            found.append(item)
            item *= extent
        return tuple(reversed(found))

    def _place(self, context: Context, x: Any) -> int:
        """Every view is made here for a call that comes next, behind the work on the array."""
        if not self.on_device:
            return lib.ON_HOST
        self.follow(context, x)
        return lib.ON_DEVICE

    def matrix(self, context: Context, x: Any, vector: bool = False) -> lib.Matrix:
        """The view of a matrix, or of a vector as a matrix of one column, for the next call on the context."""
        dtype = self.dtype(x)
        shape, strides = tuple(x.shape), self.strides(x)
        if vector:
            shape, strides = (shape[0], 1), (strides[0], dtype.itemsize)
        layout = layout_of(shape, strides, dtype.itemsize)  # type: ignore[arg-type]
        if layout is None:
            raise ValueError(f"an array on a device with strides {strides} is not read: make it contiguous")
        data, offset, _ = self.interface(x)
        place = self._place(context, x)
        return lib.Matrix(type_of(dtype), layout[0], *shape, layout[1], data, place, offset // dtype.itemsize)

    def batch(self, context: Context, x: Any) -> lib.Batch:
        """The view of contiguous members (..., rows, cols), for the next call on the context."""
        dtype = self.dtype(x)
        rows, cols = x.shape[-2:]
        data, offset, _ = self.interface(x)
        count = math.prod(x.shape[:-2])
        place = self._place(context, x)
        return lib.Batch(
            type_of(dtype),
            lib.ROW_MAJOR,
            count,
            rows,
            cols,
            cols or 1,
            rows * cols,
            None,
            data,
            place,
            offset // dtype.itemsize,
        )


class _PyOpenCL(Adapter):
    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return x.base_data.int_ptr, x.offset, x.strides

    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def queue(self, x: Any) -> Any:
        if x.queue is None:
            raise ValueError("the array has no queue: give it one with array.with_queue(queue)")
        return x.queue

    def context(self, x: Any) -> Context:
        queue = self.queue(x)
        opencl, device = queue.context.int_ptr, queue.device.int_ptr
        return _context_for(("opencl", opencl, device), lambda: Context.from_opencl(opencl, device, None))

    def follow(self, context: Context, x: Any) -> None:
        _follow(context.follow_opencl, self.queue(x).int_ptr)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    def copy(self, x: Any) -> Any:
        if not x.flags.forc:
            raise ValueError("pyopencl copies contiguous arrays alone: make b contiguous, or give overwrite_b=True")
        return x.copy()


class _CuPy(Adapter):
    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def device(self, x: Any) -> int:
        return x.device.id

    def stream(self, x: Any) -> int:
        import cupy  # type: ignore[import-not-found]

        with x.device:
            return cupy.cuda.get_current_stream().ptr or 1

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x.astype(dtype, copy=False)

    def copy(self, x: Any) -> Any:
        return x.copy(order="K") if x.flags.f_contiguous or x.flags.c_contiguous else x.copy(order="C")

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        import cupy

        return cupy.broadcast_to(x, shape)

    def contiguous(self, x: Any) -> Any:
        import cupy

        return cupy.ascontiguousarray(x)

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        import cupy

        with like.device:
            return cupy.asarray(value)


class _Torch(Adapter):
    """Tensors, on a GPU through CUDA or in the host's memory. Their gradients are in clsolve._torch."""

    def __init__(self, on_device: bool) -> None:
        self.on_device = on_device

    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return x.data_ptr(), 0, tuple(stride * x.element_size() for stride in x.stride())

    def dtype(self, x: Any) -> np.dtype:
        name = str(x.dtype).partition(".")[2]
        return np.dtype({"bfloat16": "float32"}.get(name, name))

    def device(self, x: Any) -> int:
        return x.device.index or 0

    def stream(self, x: Any) -> int:
        import torch  # type: ignore[import-not-found]

        return torch.cuda.current_stream(x.device).cuda_stream or 1

    def context(self, x: Any) -> Context:
        if self.on_device:
            return super().context(x)
        return default_context()

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        import torch

        return x.to(torch.float64 if dtype.itemsize == 8 else torch.float32)

    def copy(self, x: Any) -> Any:
        return x.detach().clone()

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        return x.expand(shape)

    def contiguous(self, x: Any) -> Any:
        return x.contiguous()

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        import torch

        return torch.from_numpy(np.array(value)).to(like.device)


_pyopencl, _cupy, _cuda = _PyOpenCL(), _CuPy(), Adapter()
_torch_cuda, _torch_host = _Torch(True), _Torch(False)


def _torch_adapter(x: Any) -> Adapter:
    import torch

    if x.device.type == "cpu":
        return _torch_host
    if x.device.type == "cuda" and torch.version.cuda is not None:
        return _torch_cuda
    raise UnsupportedError(f"tensors on {x.device} are not reached: move them to the CPU or to a CUDA device")


def adapter_of(x: Any) -> Adapter | None:
    """The adapter of an array; None for numpy's, and for what numpy can read."""
    module = type(x).__module__.partition(".")[0]
    if module == "torch" and hasattr(x, "data_ptr"):
        return _torch_adapter(x)
    if module == "pyopencl" and hasattr(x, "base_data"):
        return _pyopencl
    if module == "cupy" and hasattr(x, "__cuda_array_interface__"):
        return _cupy
    return _cuda if hasattr(x, "__cuda_array_interface__") else None


def wants_gradient(*arrays: Any) -> bool:
    """Is one of the arrays a tensor of PyTorch whose operations are being recorded?"""
    if not any(getattr(x, "requires_grad", False) for x in arrays):
        return False
    from ._torch import wants_gradient as recorded

    return recorded(*arrays)


def refuse_gradient(call: str, *arrays: Any) -> None:
    """An answer that PyTorch took for independent of its arguments would give wrong gradients."""
    if wants_gradient(*arrays):
        raise TypeError(f"{call} has no gradient: give tensor.detach(), or use solve or inv")


def through_dlpack(a: Any, arrays: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """Calls `function` with arrays that have DLPack alone as ones that are known here, and gives the answer back.

    Arrays in the host's memory become numpy's. Those of CUDA become CuPy's or PyTorch's, whichever is imported.
    """
    kind, _ = a.__dlpack_device__()
    if kind == 1:
        package: Any = np
    elif kind in (2, 3, 13):  # CUDA, its pinned and its managed memory
        package = sys.modules.get("cupy") or sys.modules.get("torch")
        if package is None:
            raise UnsupportedError("arrays of CUDA through DLPack need cupy or torch: import one of them")
    else:
        raise UnsupportedError(f"DLPack's device type {kind} is not reached: move the array to the CPU or to CUDA")
    take = getattr(package, "from_dlpack", package.asarray)  # numpy has it from 1.23 on
    known = [take(x) if hasattr(x, "__dlpack__") else package.asarray(x) for x in arrays]
    result = function(*known)
    space = a.__array_namespace__() if hasattr(a, "__array_namespace__") else None
    return space.from_dlpack(result) if space is not None and hasattr(space, "from_dlpack") else result
