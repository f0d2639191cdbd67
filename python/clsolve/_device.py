"""Arrays that are not numpy's: pyopencl, CuPy, PyTorch, and others through the CUDA array interface or DLPack.

An adapter describes the arrays of one package: type, shape, strides, memory, context, copies. With these the functions
below do for device arrays what _dense does for numpy's. The matrix stays on its device, and the solution is made there, in
the order of the array's queue or stream. A call returns when its work is done.
"""

from __future__ import annotations

import ctypes
import math
import sys
import threading
from collections import OrderedDict
from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._arrays import layout_of, supported_dtype, type_of
from ._context import Context
from ._errors import UnsupportedError, exception
from ._library import calls

_byref = ctypes.byref

# ---- contexts of queues and streams ----

_CONTEXTS = 8  # the most that are kept; one in use by a handle lives on
_contexts: OrderedDict[tuple, Context] = OrderedDict()
_contexts_lock = threading.Lock()


def _context_for(key: tuple, make: Callable[[], Context]) -> Context:
    """The context of a queue or stream. It holds the caller's object, so that an address is not used anew meanwhile."""
    with _contexts_lock:
        found = _contexts.get(key)
        if found is None or found._handle is None:
            found = _contexts[key] = make()
        _contexts.move_to_end(key)
        while len(_contexts) > _CONTEXTS:
            _contexts.popitem(last=False)
        return found


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

    def context(self, x: Any) -> Context:
        stream = x.__cuda_array_interface__.get("stream") or 1  # 1: CUDA's default stream
        return _context_for(("cuda", 0, stream), lambda: Context.from_cuda(0, stream))

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

    def matrix(self, x: Any, vector: bool = False) -> lib.Matrix:
        """The view of a matrix, or of a vector as a matrix of one column."""
        dtype = self.dtype(x)
        shape, strides = tuple(x.shape), self.strides(x)
        if vector:
            shape, strides = (shape[0], 1), (strides[0], dtype.itemsize)
        layout = layout_of(shape, strides, dtype.itemsize)  # type: ignore[arg-type]
        if layout is None:
            raise ValueError(f"an array on a device with strides {strides} is not read: make it contiguous")
        data, offset, _ = self.interface(x)
        place = lib.ON_DEVICE if self.on_device else lib.ON_HOST
        return lib.Matrix(type_of(dtype), layout[0], *shape, layout[1], data, place, offset // dtype.itemsize)

    def batch(self, x: Any) -> lib.Batch:
        """The view of contiguous members (..., rows, cols)."""
        dtype = self.dtype(x)
        rows, cols = x.shape[-2:]
        data, offset, _ = self.interface(x)
        count = math.prod(x.shape[:-2])
        place = lib.ON_DEVICE if self.on_device else lib.ON_HOST
        return lib.Batch(
            type_of(dtype), lib.ROW_MAJOR, count, rows, cols, cols or 1, rows * cols, None, data, place,
            offset // dtype.itemsize,
        )


class _PyOpenCL(Adapter):
    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        return x.base_data.int_ptr, x.offset, x.strides

    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def context(self, x: Any) -> Context:
        queue = x.queue
        if queue is None:
            raise ValueError("the array has no queue: give it one with array.with_queue(queue)")
        return _context_for(
            ("opencl", queue.int_ptr),
            lambda: Context.from_opencl(queue.context.int_ptr, queue.device.int_ptr, queue.int_ptr, keep=queue),
        )

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        return x if x.dtype == dtype else x.astype(dtype)

    def copy(self, x: Any) -> Any:
        if not x.flags.forc:
            raise ValueError("pyopencl copies contiguous arrays alone: make b contiguous, or give overwrite_b=True")
        return x.copy()


class _CuPy(Adapter):
    def dtype(self, x: Any) -> np.dtype:
        return x.dtype

    def context(self, x: Any) -> Context:
        import cupy  # type: ignore[import-not-found]

        device = x.device.id
        with x.device:
            stream = cupy.cuda.get_current_stream()
        pointer = stream.ptr or 1
        return _context_for(("cuda", device, pointer), lambda: Context.from_cuda(device, pointer, keep=stream))

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

    def context(self, x: Any) -> Context:
        import torch  # type: ignore[import-not-found]

        if not self.on_device:
            from ._context import default_context

            return default_context()
        device = x.device.index or 0
        stream = torch.cuda.current_stream(x.device)
        pointer = stream.cuda_stream or 1
        return _context_for(("cuda", device, pointer), lambda: Context.from_cuda(device, pointer, keep=stream))

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        import torch

        return x.to(torch.float64 if dtype.itemsize == 8 else torch.float32)

    def copy(self, x: Any) -> Any:
        return x.clone()

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


def through_dlpack(a: Any, arrays: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """Calls `function` with arrays of packages that have DLPack alone as ones that are known here, and gives the answer back.

    Arrays in the host's memory become numpy's. Those of CUDA become CuPy's or PyTorch's, whichever is imported or can be.
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
    known = [package.from_dlpack(x) if hasattr(x, "__dlpack__") else package.asarray(x) for x in arrays]
    result = function(*known)
    space = a.__array_namespace__() if hasattr(a, "__array_namespace__") else None
    return space.from_dlpack(result) if space is not None and hasattr(space, "from_dlpack") else result


# ---- functions ----


def _same_package(a: Any, b: Any) -> Adapter:
    adapter = adapter_of(a)
    if adapter is None or adapter_of(b) is not adapter:
        raise TypeError(
            f"a and b must lie in the same memory: they are {type(a).__module__}.{type(a).__name__} and "
            f"{type(b).__module__}.{type(b).__name__}"
        )
    return adapter


def _square(a: Any) -> int:
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"expected a square matrix: a has shape {tuple(a.shape)}")
    return a.shape[-1]


def _solution(adapter: Adapter, b: Any, dtype: np.dtype, overwrite: bool) -> Any:
    """The array that is to hold b and then x: b itself, or a copy."""
    x = adapter.cast(b, dtype)
    return x if x is not b or overwrite else adapter.copy(b)


def solve(
    a: Any, b: Any, transposed: bool, overwrite_b: bool, options: lib.SolverOptions, lu_options: lib.LuOptions,
    context: Context | None,
) -> tuple[Any, float, np.dtype]:
    """The solution, the reciprocal condition number (-1: not known) and the type."""
    adapter = _same_package(a, b)
    n = _square(a)
    vector = len(b.shape) == 1
    if len(b.shape) == 0 or b.shape[0 if vector else -2] != n:
        raise ValueError(f"incompatible dimensions: a has shape {tuple(a.shape)}, b has shape {tuple(b.shape)}")
    dtype = supported_dtype(np.result_type(adapter.dtype(a), adapter.dtype(b)))
    context = context or adapter.context(a)
    a = adapter.cast(a, dtype)
    if len(a.shape) > 2 or len(b.shape) > 2:
        return _solve_batch(adapter, context, a, b, dtype, transposed, overwrite_b, lu_options), -1.0, dtype
    x = _solution(adapter, b, dtype, overwrite_b)
    A, B = adapter.matrix(a), adapter.matrix(x, vector)
    report = lib.SolveReport()
    context.run(
        calls.solve, context._handle, int(transposed), _byref(A), _byref(B), _byref(options), _byref(report)
    )
    return x, report.report.direct.rcond, dtype


def _solve_batch(
    adapter: Adapter, context: Context, a: Any, b: Any, dtype: np.dtype, transposed: bool, overwrite_b: bool,
    lu_options: lib.LuOptions,
) -> Any:
    from ._dense import LU, _batch_handle, _infos

    n = a.shape[-1]
    vectors = len(b.shape) == 1
    if vectors:
        b = b.reshape(n, 1)
    shape = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    full = shape + tuple(b.shape[-2:])
    if tuple(b.shape) != full:
        b, overwrite_b = adapter.copy(adapter.contiguous(adapter.broadcast(b, full))), True
    x = adapter.contiguous(_solution(adapter, b, dtype, overwrite_b))
    one_matrix = math.prod(a.shape) == n * n
    if n <= lib.BATCH_LARGEST and math.prod(full):
        members = adapter.contiguous(a if one_matrix else _broadcast(adapter, a, shape + (n, n)))
        A, B = adapter.batch(members), adapter.batch(x)
        if one_matrix:
            A.count, A.stride = B.count, 0
        info = np.zeros(B.count, np.int64)
        with _batch_handle(context, n, B.count, dtype) as handle:
            context.run(
                calls.gauss_jordan_batch_solve, handle._open(), int(transposed), _byref(A), _byref(B), info.ctypes.data
            )
        _infos(info, "or its right-hand side")
    elif math.prod(full):
        members = _broadcast(adapter, a, shape + (n, n))
        with LU._made(context, n, dtype, lu_options) as lu:
            for index in np.ndindex(*shape):
                lu._factor_view(adapter.matrix(members[index]), f"member {index}: ")
                context.run(calls.lu_solve, lu._open(), int(transposed), _byref(adapter.matrix(x[index])))
    return x.reshape(shape + (n,)) if vectors else x


def _broadcast(adapter: Adapter, a: Any, shape: tuple[int, ...]) -> Any:
    return a if tuple(a.shape) == shape else adapter.broadcast(a, shape)


def factor(a: Any, context: Context | None) -> tuple[Context, lib.Matrix, np.dtype, Any]:
    """What lu_factor needs of a device array: context, view, type, and the array that the view is of."""
    adapter = adapter_of(a)
    assert adapter is not None
    if len(a.shape) != 2:
        raise ValueError(f"expected a square matrix: a has shape {tuple(a.shape)}")
    _square(a)
    dtype = supported_dtype(adapter.dtype(a))
    context = context or adapter.context(a)
    a = adapter.cast(a, dtype)
    return context, adapter.matrix(a), dtype, a


def solve_with(lu: Any, b: Any, op: int, overwrite_b: bool) -> Any:
    """lu.solve for a device array."""
    adapter = adapter_of(b)
    assert adapter is not None
    if len(b.shape) not in (1, 2) or b.shape[0] != lu.shape[0]:
        raise ValueError(f"incompatible dimensions: the matrix is {lu.shape}, b has shape {tuple(b.shape)}")
    supported_dtype(adapter.dtype(b))
    x = _solution(adapter, b, lu.dtype, overwrite_b)
    lu.context.run(calls.lu_solve, lu._open(), op, _byref(adapter.matrix(x, len(b.shape) == 1)))
    return x


def inv(a: Any, overwrite_a: bool, where: str, rcond: bool, context: Context | None) -> Any:
    """The inverse of a matrix, or of each on the leading axes."""
    from ._dense import _batch_handle, _infos, _invert

    adapter = adapter_of(a)
    assert adapter is not None
    n = _square(a)
    dtype = supported_dtype(adapter.dtype(a))
    context = context or adapter.context(a)
    x = _solution(adapter, a, dtype, overwrite_a)
    if len(x.shape) == 2:
        _invert(context, adapter.matrix(x), where, None, dtype, warn=rcond, stacklevel=4)
        return x
    x = adapter.contiguous(x)
    if math.prod(x.shape) == 0:
        return x
    if n > lib.BATCH_LARGEST:
        for index in np.ndindex(*x.shape[:-2]):
            _invert(context, adapter.matrix(x[index]), where, None, dtype, warn=rcond, stacklevel=4)
        return x
    X = adapter.batch(x)
    info = np.zeros(X.count, np.int64)
    with _batch_handle(context, n, X.count, dtype) as handle:
        context.run(calls.gauss_jordan_batch_invert, handle._open(), _byref(X), _byref(X), info.ctypes.data)
    _infos(info, "or its inverse")
    return x


def slogdet(a: Any, context: Context | None) -> tuple[np.ndarray, np.ndarray, Adapter, np.dtype]:
    """Sign and logarithm as numpy arrays, with the adapter that brings them to the device."""
    from ._dense import LU

    adapter = adapter_of(a)
    assert adapter is not None
    n = _square(a)
    dtype = supported_dtype(adapter.dtype(a))
    context = context or adapter.context(a)
    a = adapter.cast(a, dtype)
    shape = tuple(a.shape[:-2])
    sign, logarithm = np.ones(shape), np.zeros(shape)
    if n and sign.size:
        with LU._made(context, n, dtype, lib.LuOptions(precision=lib.WORDS["PRECISION"]["working"])) as lu:
            for index in np.ndindex(*shape):
                lu._factor_view(adapter.matrix(a[index] if shape else a), singular_is_error=False)
                sign[index], logarithm[index] = lu.slogdet()
    return sign, logarithm, adapter, dtype


def solve_banded(
    lower: int, upper: int, ab: Any, b: Any, overwrite_b: bool, options: lib.BandOptions, context: Context | None
) -> Any:
    """A band on a device."""
    from ._context import Handle

    adapter = _same_package(ab, b)
    n = ab.shape[1] if len(ab.shape) == 2 else -1
    if ab.shape[0] != lower + upper + 1 or len(b.shape) not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"shapes of ab and b are not compatible: {tuple(ab.shape)} and {tuple(b.shape)}")
    dtype = supported_dtype(np.result_type(adapter.dtype(ab), adapter.dtype(b)))
    context = context or adapter.context(ab)
    ab = adapter.cast(ab, dtype)
    x = _solution(adapter, b, dtype, overwrite_b)
    handle = Handle()
    handle._own(context, calls.band_create, calls.band_destroy, n, lower, upper, type_of(dtype), _byref(options))
    with handle:
        status, message = context.status(calls.band_factor, handle._open(), _byref(adapter.matrix(ab)))
        if status:
            raise exception(status, message)
        context.run(calls.band_solve, handle._open(), lib.NO_TRANS, _byref(adapter.matrix(x, len(b.shape) == 1)))
    return x
