"""The adapters of numpy, pyopencl, CuPy and PyTorch, the choice among them, and DLPack."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np

from ._adapters import Adapter, _context_for, _follow
from ._arrays import address, host_array, is_foreign
from ._context import Context, default_context
from ._errors import UnsupportedError


class _NumPy(Adapter):
    """numpy's arrays, for calls that have one way for all packages."""

    on_device = False

    def interface(self, x: np.ndarray) -> tuple[int, int, tuple[int, ...] | None]:
        return address(x), 0, x.strides

    def dtype(self, x: np.ndarray) -> np.dtype:
        return x.dtype

    def context(self, x: np.ndarray) -> Context:
        return default_context()

    def cast(self, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return x if x.dtype == dtype and x.flags.aligned else np.array(x, dtype=dtype, order="K")

    def copy(self, x: np.ndarray) -> np.ndarray:
        return x.copy()

    def broadcast(self, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return np.broadcast_to(x, shape)

    def owned(self, x: np.ndarray) -> np.ndarray:
        return np.array(x, order="C")

    def writeable(self, x: np.ndarray) -> bool:
        return x.flags.writeable

    def contiguous(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(x)

    def padded(self, x: np.ndarray, front: bool) -> np.ndarray:
        made = np.empty(x.size + 1, x.dtype)
        made[1 if front else 0 :][: x.size] = x.reshape(-1)
        return made

    def zeros(self, like: np.ndarray) -> np.ndarray:
        return np.zeros(like.shape, like.dtype)


def _order(x: Any) -> str:
    return "F" if len(x.shape) == 2 and x.flags.f_contiguous and not x.flags.c_contiguous else "C"


class _PyOpenCL(Adapter):
    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return (0 if x.base_data is None else x.base_data.int_ptr), x.offset, x.strides  # None: an empty array

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

    def order(self, x: Any) -> int:
        return self.queue(x).int_ptr

    def follow(self, context: Context, x: Any) -> None:
        _follow(context.follow_opencl, self.queue(x).int_ptr)

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    def copy(self, x: Any) -> Any:
        return x.copy() if x.flags.forc else self._copied(x, tuple(x.shape), x.strides)

    def fresh(self, x: Any) -> Any:
        import pyopencl as cl  # type: ignore[import-not-found]

        return cl.array.empty(self.queue(x), tuple(x.shape), x.dtype, order=_order(x))

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

    def padded(self, x: Any, front: bool) -> Any:
        import pyopencl as cl  # type: ignore[import-not-found]

        made = cl.array.empty(self.queue(x), x.size + 1, x.dtype)
        if x.size:
            start = x.dtype.itemsize if front else 0
            self._enqueue(made, x, src_offset=x.offset, dst_offset=start, byte_count=x.nbytes)
        return made

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        if value.ndim == 0:
            return value[()]
        import pyopencl as cl

        return cl.array.to_device(self.queue(like), np.ascontiguousarray(value))

    def zeros(self, like: Any) -> Any:
        import pyopencl as cl

        return cl.array.zeros(self.queue(like), tuple(like.shape), like.dtype)

    @staticmethod
    def _enqueue(made: Any, x: Any, **what: Any) -> None:
        """Enqueues a copy behind everything that the arrays wait for, also in a queue out of order."""
        import pyopencl as cl

        made.add_event(
            cl.enqueue_copy(made.queue, made.base_data, x.base_data, wait_for=[*x.events, *made.events], **what)
        )

    def _copied(self, x: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
        """A contiguous array, made on the device, of the elements that the strides visit.

        pyopencl's own copy takes contiguous arrays alone. One rectangle of OpenCL takes a matrix whose rows have no
        gaps inside, or else a row. A matrix that is the same for all leading indices is copied once, and then doubled.
        """
        import pyopencl as cl

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


class _CuPy(Adapter):
    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return x.data.ptr, 0, x.strides  # CuPy makes its array interface anew each time

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

    def fresh(self, x: Any) -> Any:
        import cupy

        with x.device:
            return cupy.empty(x.shape, x.dtype, order=_order(x))

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        import cupy

        return cupy.broadcast_to(x, shape)

    def owned(self, x: Any) -> Any:
        return x.copy(order="C")

    def to_host(self, x: Any) -> np.ndarray:
        return x.get()

    def writeable(self, x: Any) -> bool:
        return True

    def contiguous(self, x: Any) -> Any:
        import cupy

        return cupy.ascontiguousarray(x)

    def padded(self, x: Any, front: bool) -> Any:
        import cupy

        with x.device:
            made = cupy.empty(x.size + 1, x.dtype)
            made[1 if front else 0 :][: x.size] = x.reshape(-1)
        return made

    def zeros(self, like: Any) -> Any:
        import cupy

        with like.device:
            return cupy.zeros(like.shape, like.dtype)

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
        return np.dtype({"bfloat16": "float32", "complex32": "complex64"}.get(name, name))

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

        x = x.to(getattr(torch, dtype.name))
        for lazy in ("resolve_conj", "resolve_neg"):  # of a view whose elements are conjugated or negated when read
            x = getattr(x, lazy)() if hasattr(x, lazy) else x
        return x

    def copy(self, x: Any) -> Any:
        return x.detach().clone()

    def fresh(self, x: Any) -> Any:
        by_columns = len(x.shape) == 2 and x.stride()[0] == 1 and x.shape[1] > 1
        return x.new_empty(*reversed(x.shape)).t() if by_columns else x.new_empty(*x.shape)

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        return x.expand(shape)

    def owned(self, x: Any) -> Any:
        return x.detach().clone(memory_format=_torch_contiguous())

    def to_host(self, x: Any) -> np.ndarray:
        return x.detach().cpu().numpy()

    def writeable(self, x: Any) -> bool:
        return True

    def contiguous(self, x: Any) -> Any:
        return x.contiguous()

    def padded(self, x: Any, front: bool) -> Any:
        made = x.new_empty(x.numel() + 1)
        made[1 if front else 0 :][: x.numel()] = x.reshape(-1)
        return made

    def zeros(self, like: Any) -> Any:
        return like.new_zeros(tuple(like.shape))

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        import torch

        return torch.from_numpy(np.array(value)).to(like.device)


def _torch_contiguous() -> Any:
    import torch

    return torch.contiguous_format


numpy_adapter, _pyopencl, _cupy, _cuda = _NumPy(), _PyOpenCL(), _CuPy(), Adapter()
_torch_cuda, _torch_host = _Torch(True), _Torch(False)


def _torch_adapter(x: Any) -> Adapter:
    import torch

    if x.layout is not torch.strided:
        raise TypeError(f"tensors of layout {x.layout} are not read: give tensor.to_dense()")
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


def sparse_on_host(a: Any) -> tuple[Any, Any]:
    """A matrix of scipy.sparse for one of cupyx.scipy.sparse or PyTorch, and its values where they lie.

    Anything else comes back as it is, with None.
    """
    module = type(a).__module__.partition(".")[0]
    if module == "cupyx" and hasattr(a, "tocsr"):
        a = a.tocsr()
        return a.get(), a.data
    if module != "torch" or not hasattr(a, "to_sparse_csr"):
        return a, None
    import scipy.sparse
    import torch

    if a.layout is torch.strided:
        return a, None
    refuse_gradient("a call with a sparse matrix", a)
    a = a.detach().to_sparse_csr()
    parts = tuple(part.cpu().numpy() for part in (a.values(), a.col_indices(), a.crow_indices()))
    return scipy.sparse.csr_matrix(parts, shape=tuple(a.shape)), a.values()


def _where(name: str, x: Any) -> str:
    return f"{name} is {type(x).__module__}.{type(x).__name__}"


def same_place(**arrays: Any) -> tuple[Adapter, list[Any]]:
    """The adapter of all arrays, by name, of which numpy reads those that are lists. They must lie in one memory."""
    given = list(arrays.values())
    adapters = [adapter_of(x) for x in given]
    adapter = next((found for found in adapters if found is not None), None)
    if adapter is None:
        return numpy_adapter, [host_array(x, name) for name, x in arrays.items()]
    names = list(arrays)
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if any(found is not adapter for found in adapters):
        raise TypeError(f"{listed} must lie in the same memory: " + ", ".join(_where(*item) for item in arrays.items()))
    devices = [adapter.device(x) for x in given] if adapter.on_device else []
    if any(device != devices[0] for device in devices):
        raise TypeError(f"{listed} must lie on one device: they are on {', '.join(map(str, devices))}")
    return adapter, given


def unknown(*arrays: Any) -> Any:
    """The first array that has DLPack alone, for `through_dlpack`; None where all are known here."""
    return next((x for x in arrays if is_foreign(x) and adapter_of(x) is None), None)


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

    Arrays in the host's memory become numpy's. Arrays of CUDA become CuPy's or PyTorch's, whichever is imported.
    """
    result = function(*(known_array(x) for x in arrays))
    space = a.__array_namespace__() if hasattr(a, "__array_namespace__") else None
    return space.from_dlpack(result) if space is not None and hasattr(space, "from_dlpack") else result


def known_array(a: Any) -> Any:
    """The array itself, or one of a package that is known here where it has DLPack alone."""
    if not is_foreign(a) or adapter_of(a) is not None:
        return a
    kind, _ = a.__dlpack_device__()
    if kind == 1:
        package: Any = np
    elif kind in (2, 3, 13):  # CUDA, its pinned and its managed memory
        package = sys.modules.get("cupy") or sys.modules.get("torch")
        if package is None:
            raise UnsupportedError("arrays of CUDA through DLPack need cupy or torch: import one of them")
    else:
        raise UnsupportedError(f"DLPack's device type {kind} is not reached: move the array to the CPU or to CUDA")
    return getattr(package, "from_dlpack", package.asarray)(a)  # numpy has it from 1.23 on
