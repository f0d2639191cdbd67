"""Arrays of any package: an adapter describes type, shape, strides, memory, device and copies of one package's.

The base class is CUDA's array interface. numpy, pyopencl, CuPy and PyTorch have files of their own, and _packages
chooses. Adapters know no contexts but by the calls that views are made for.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._arrays import layout_of, line_of, members_of, type_of


def follow(follow: Callable[[int], None], queue: int) -> None:
    try:
        follow(queue)
    except ValueError as error:
        raise ValueError(f"the context is not the array's: give context=clsolve.Context.of(array) ({error})") from None


def _elements(offset: int, dtype: np.dtype) -> int:
    if offset % dtype.itemsize:
        raise ValueError(f"an array begins {offset} bytes into its buffer, which is no multiple of {dtype.itemsize}")
    return offset // dtype.itemsize


def order_of(x: Any) -> Any:
    """The order of a contiguous copy, for packages whose flags are numpy's."""
    return "F" if len(x.shape) == 2 and x.flags.f_contiguous and not x.flags.c_contiguous else "C"


class Adapter:
    """The arrays of one package. CUDA's array interface and the methods of numpy are the usual case."""

    on_device = True
    splits_complex = False  # whether complex right-hand sides of real matrices are solved for in parts
    one_order = False  # whether all arrays of a device are in one order, that of its current stream

    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        """Address or buffer, offset in bytes, strides in bytes (None: row after row)."""
        found = x.__cuda_array_interface__
        return found["data"][0], 0, found.get("strides")

    def dtype(self, x: Any) -> np.dtype:
        found = x.__cuda_array_interface__
        if found.get("mask") is not None:
            raise ValueError("an array has a mask, and masks are not supported")
        return np.dtype(found["typestr"])

    def device(self, x: Any) -> int:
        return 0

    def stream(self, x: Any) -> int:
        """The stream in whose order the array is now; 1 is CUDA's default stream."""
        return x.__cuda_array_interface__.get("stream") or 1

    def home(self, x: Any) -> tuple[str, tuple]:
        """The backend of a device's array, and what a context there is made of."""
        return "cuda", (self.device(x),)

    def lasting(self, x: Any) -> int | None:
        """The array's queue or stream, if it stays as long as the device: CUDA's default stream alone."""
        return 1 if self.stream(x) == 1 else None

    def follow(self, context: Any, x: Any) -> None:
        """Later calls on the context come behind what was enqueued for the array."""
        follow(context.follow_cuda, self.stream(x))

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        if self.dtype(x) != dtype:
            raise TypeError(f"arrays of {type(x).__module__} are not converted here: give {dtype}")
        return x

    def copy(self, x: Any) -> Any:
        if not hasattr(x, "copy"):
            raise TypeError(f"arrays of {type(x).__module__} are not copied here: give overwrite_b=True")
        return x.copy()

    def fresh(self, x: Any) -> Any:
        """A contiguous array like x, of any values, whose memory is ready behind the work on x; None: not known how.

        A matrix in column order gives one in column order.
        """
        return None

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        raise ValueError(f"arrays of {type(x).__module__} are not broadcast here: give {shape}, not {tuple(x.shape)}")

    def contiguous(self, x: Any) -> Any:
        return x

    def refuse_complex(self, b: Any, factors: np.dtype) -> None:
        """The type of real factors decides that of the solution, which must not lose the imaginary part."""
        if not self.splits_complex:
            kind = self.dtype(b)
            raise TypeError(f"b is {kind} and the matrix {factors}: solve for the real and the imaginary part of b")

    def readable(self, x: Any) -> Any:
        """The array, or a copy of one in the host's memory whose strides are no layout of the library."""
        if self.on_device:
            return x
        shape, strides, item = tuple(x.shape), self.strides(x), self.dtype(x).itemsize
        if len(shape) == 1:
            fits = shape[0] < 2 or (strides[0] >= item and strides[0] % item == 0)
        else:
            fits = layout_of(shape[-2:], strides[-2:], item) is not None  # type: ignore[arg-type]
        return x if fits else self.contiguous(x)

    def owned(self, x: Any) -> Any:
        """A contiguous copy."""
        return self.copy(self.contiguous(x))

    def repeated(self, x: Any, shape: tuple[int, ...]) -> Any:
        """A contiguous copy in a shape that x is broadcast to."""
        return self.owned(self.broadcast(x, shape))

    def writeable(self, x: Any) -> bool:
        return not x.__cuda_array_interface__["data"][1]

    def set_nan(self, x: Any, index: tuple[int, ...]) -> None:
        """NaN for all elements of a member of a contiguous stack."""
        raise ValueError(f"arrays of {type(x).__module__} are not written here: leave check_finite=True")

    def padded(self, x: Any, front: bool) -> Any:
        """The elements of a contiguous array, one after the other, with one of any value before or after them."""
        raise ValueError(f"arrays of {type(x).__module__} are not made here: give n elements a matrix, not n - 1")

    def zeros(self, like: Any) -> Any:
        """Contiguous zeros of the shape and the type of `like`."""
        raise TypeError(f"arrays of {type(like).__module__} are not made here: give x0")

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        return value[()]

    def to_host(self, x: Any) -> np.ndarray | None:
        """A copy of numpy's; None where it is not known how."""
        return None

    def strides(self, x: Any) -> tuple[int, ...]:
        strides = self.interface(x)[2]
        if strides is not None:
            return tuple(strides)
        item, found = self.dtype(x).itemsize, []
        for extent in reversed(tuple(x.shape)):
            found.append(item)
            item *= extent
        return tuple(reversed(found))

    def order(self, x: Any) -> Any:
        """The queue or stream in whose order the array is, as a number."""
        return self.device(x), self.stream(x)

    def _place(self, context: Any, x: Any, behind: Any = None, is_fresh: bool = False) -> int:
        """Every view is made here for a call that comes next, behind the work on the array.

        `behind` is an array that was followed a moment ago: nothing was enqueued since. A fresh array has no work of
        its own.
        """
        if not self.on_device:
            return lib.ON_HOST
        if is_fresh or (behind is not None and self.one_order):
            return lib.ON_DEVICE
        order = self.order(x)
        if order != context._order and (behind is None or self.order(behind) != order):
            self.follow(context, x)
        return lib.ON_DEVICE

    def matrix(
        self, context: Any, x: Any, vector: bool = False, behind: Any = None, is_fresh: bool = False
    ) -> lib.Matrix:
        """The view of a matrix, or of a vector as a matrix of one column, for the next call on the context."""
        dtype, shape = self.dtype(x), tuple(x.shape)
        data, offset, strides = self.interface(x)
        if strides is None:
            strides = self.strides(x)
        if vector:
            shape, strides = (shape[0], 1), (strides[0], dtype.itemsize)
        layout = layout_of(shape, strides, dtype.itemsize)  # type: ignore[arg-type]
        if layout is None:
            raise ValueError(f"an array on a device with strides {strides} is not read: make it contiguous")
        place = self._place(context, x, behind, is_fresh)
        return lib.Matrix(type_of(dtype), layout[0], *shape, layout[1], data, place, _elements(offset, dtype))

    def read(self, context: Any, x: Any, dtype: np.dtype) -> tuple[Any, lib.Matrix]:
        """A matrix that the next call on the context reads, in this type, and its view."""
        x = self.readable(self.cast(x, dtype))
        return x, self.matrix(context, x)

    def solution(self, b: Any, dtype: np.dtype, overwrite: bool) -> Any:
        """The array that is to hold b and then x: b itself, or a copy."""
        x = self.cast(b, dtype)
        if x is b and not (overwrite and self.writeable(b)):
            x = self.copy(b)
        return self.readable(x)

    def spread(self, b: Any, lead: tuple[int, ...], dtype: np.dtype, overwrite: bool) -> Any:
        """The contiguous array (*lead, n, nrhs) that is to hold b and then x, of b (n,) or (..., n, nrhs)."""
        if len(b.shape) == 1:
            b = b.reshape(b.shape[0], 1)
        full = lead + tuple(b.shape[-2:])
        if tuple(b.shape) == full:
            return self.contiguous(self.solution(b, dtype, overwrite))
        return self.repeated(self.cast(b, dtype), full)

    def sides(self, context: Any, b: Any, dtype: np.dtype, overwrite: bool) -> tuple[Any, lib.Matrix]:
        """The same for right-hand sides (n,) or (n, nrhs), and its view as a matrix for the next call."""
        x = self.solution(b, dtype, overwrite)
        return x, self.matrix(context, x, len(b.shape) == 1)

    def system(
        self, context: Any, a: Any, b: Any, dtype: np.dtype, overwrite: bool
    ) -> tuple[Any, lib.Matrix, Any, lib.Matrix]:
        """Both for one call. All copies are enqueued before the first view is made."""
        x, a = self.solution(b, dtype, overwrite), self.readable(self.cast(a, dtype))
        return a, self.matrix(context, a), x, self.matrix(context, x, len(b.shape) == 1, behind=a)

    def source_and_result(self, a: Any, dtype: np.dtype, overwrite: bool) -> tuple[Any, Any]:
        """The array to read, and the one for the answer: the same where the caller wishes it, or a copy was made."""
        source = self.viewable(self.cast(a, dtype))
        if source is a and not (overwrite and self.writeable(a)):
            result = self.fresh(source)
            if result is not None:
                return source, result
            source = self.copy(source)
        result = source if len(a.shape) == 2 else self.contiguous(source)
        return result, result

    def viewable(self, x: Any) -> Any:
        """The array (..., rows, cols), or a contiguous copy of one that `matrix` or `batch` has no view of."""
        view: Callable[..., Any] = layout_of if len(x.shape) == 2 else members_of
        found = view(tuple(x.shape), self.strides(x), self.dtype(x).itemsize)
        return self.contiguous(x) if found is None else x

    def batch(self, context: Any, x: Any, vectors: bool = False, is_fresh: bool = False) -> lib.Batch:
        """The view of members (..., rows, cols) without gaps, or (..., rows), for the next call on the context."""
        dtype, shape, strides = self.dtype(x), tuple(x.shape), self.strides(x)
        if vectors:
            shape, strides = (*shape, 1), (*strides, dtype.itemsize)
        rows, cols = shape[-2:]
        found = members_of(shape, strides, dtype.itemsize)
        assert found is not None
        count = math.prod(shape[:-2])
        data, offset, _ = self.interface(x)
        place = self._place(context, x, is_fresh=is_fresh)
        return lib.Batch(
            type_of(dtype), found[0], count, rows, cols, *found[1:], None, data, place, _elements(offset, dtype)
        )

    def lines(self, context: Any, x: Any, n: int, count: int, padded_from: tuple[int, ...] | None = None) -> lib.Batch:
        """The view of vectors (..., n) with any strides, or of one for all members, for the next call on the context.

        `padded_from` is the shape (..., n - 1) of the array that `padded` made x of.
        """
        dtype = self.dtype(x)
        if padded_from is None:
            found = line_of(tuple(x.shape), self.strides(x), dtype.itemsize)
            assert found is not None
        else:
            found = 1, n - 1 if math.prod(padded_from[:-1]) > 1 else 0
        data, offset, _ = self.interface(x)
        place = self._place(context, x)
        return lib.Batch(
            type_of(dtype), lib.ROW_MAJOR, count, n, 1, *found, None, data, place, _elements(offset, dtype)
        )

    def grid_steps(self, x: Any) -> tuple[int, ...] | None:
        """The strides of (N, M) or (nrhs, N, M) in elements; None for those that a grid does not have."""
        item = self.dtype(x).itemsize
        steps = []
        for extent, stride in zip(x.shape, self.strides(x)):
            if extent > 1 and (stride < item or stride % item):
                return None
            steps.append(stride // item if extent > 1 else 1)
        return tuple(steps)

    def grid(self, context: Any, x: Any) -> lib.Grid:
        """The view of an array that has such strides, for the next call on the context."""
        dtype, steps = self.dtype(x), self.grid_steps(x)
        assert steps is not None
        data, offset, _ = self.interface(x)
        place = self._place(context, x)
        rhs = steps[0] if len(steps) == 3 else 1
        return lib.Grid(type_of(dtype), steps[-2], steps[-1], rhs, data, place, _elements(offset, dtype))


cuda_adapter = Adapter()
