"""numpy's arrays."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._adapters import Adapter, order_of
from ._arrays import address, layout_of, type_of


def solve_parts(
    solve: Callable[[np.ndarray], np.ndarray], b: np.ndarray, factors: np.dtype | None = None
) -> np.ndarray:
    """The solution for complex right-hand sides (n,) or (..., n, nrhs) of a real matrix, which `solve` has.

    Real and imaginary parts are right-hand sides of their own: complex factors would take four times the work. The type
    of the factors decides that of the solution.
    """
    if factors is not None:
        return solve_parts(solve, b).astype(np.result_type(factors, np.complex64), copy=False)
    if b.ndim == 1:
        x = solve(np.stack([b.real, b.imag], axis=-1))
        return x[..., 0] + 1j * x[..., 1]
    x = solve(np.concatenate([b.real, b.imag], axis=-1))
    nrhs = b.shape[-1]
    return x[..., :nrhs] + 1j * x[..., nrhs:]


_SURE = {"f": 2e-4, "d": 1e-8}  # an error of this size in a known solution is far from the loss of all digits


def _signs(n: int) -> np.ndarray:
    """Ones with signs that no matrix knows."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.where((mixed >> np.uint64(40)) & np.uint64(1), 1.0, -1.0)


def _is_scaled(matrix: np.ndarray) -> bool:
    """Whether rows or columns are so unlike in size that the condition number alone is beyond the type's digits."""
    parts = (matrix.real, matrix.imag) if matrix.dtype.kind == "c" else (matrix,)
    least = (16 * np.finfo(matrix.dtype).eps) ** 2
    for sums in ("ij,ij->i", "ij,ij->j"):
        squares = sum(np.einsum(sums, part, part) for part in parts)
        if not squares.min() > least * squares.max():
            return True
    return False


def solve_by_numpy(a: np.ndarray, b: np.ndarray, transposed: bool) -> np.ndarray | None:
    """The solution by numpy's LAPACK; None where the library is to say what is wrong.

    That is a matrix with NaN or Inf, a singular one, and one that may be ill-conditioned: by the sizes of its rows and
    columns, or because a known solution of a second right-hand side does not come out. A library's first use of LAPACK
    starts threads, and numpy's run already.
    """
    dtype = a.dtype
    if b.dtype != dtype or dtype.char not in "fdFD" or not (dtype.isnative and b.dtype.isnative):
        return None
    matrix, n = (a.T if transposed else a), len(a)
    known = _signs(n).astype(dtype)
    sides = np.empty((n, (1 if b.ndim == 1 else b.shape[1]) + 1), dtype)
    with np.errstate(all="ignore"):
        sides[:, 0 : sides.shape[1] - 1] = b[:, None] if b.ndim == 1 else b
        sides[:, -1] = matrix @ known
        if not np.isfinite(sides).all() or _is_scaled(matrix):  # each element of the matrix is in the product
            return None
        try:
            x = np.linalg.solve(matrix, sides)
        except np.linalg.LinAlgError:
            return None
        error = np.abs(x[:, -1] - known).max()
        if not (error < _SURE[dtype.char.lower()] and np.isfinite(x).all()):
            return None
    return np.ascontiguousarray(x[:, 0] if b.ndim == 1 else x[:, :-1])


def matrix_view(array: np.ndarray) -> lib.Matrix | None:
    """The view of a 2-D array; None where it must be copied."""
    item = array.itemsize
    found = layout_of(array.shape, array.strides, item)  # type: ignore[arg-type]
    if found is None:
        return None
    return lib.Matrix(type_of(array.dtype), found[0], *array.shape, found[1], address(array), lib.ON_HOST, 0)


def readable(array: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, lib.Matrix]:
    """A 2-D array that a call reads, and its view: a copy only where its type or its strides ask for it."""
    flags = array.flags
    if array.dtype is dtype and flags.c_contiguous and flags.aligned:  # the usual case
        rows, cols = array.shape
        return array, lib.Matrix(type_of(dtype), lib.ROW_MAJOR, rows, cols, cols or 1, address(array), lib.ON_HOST, 0)
    if array.dtype != dtype or not flags.aligned or not array.dtype.isnative:
        array = np.array(array, dtype=dtype, order="K")
    view = matrix_view(array)
    if view is None:
        array = np.array(array, dtype=dtype, order="C")
        view = matrix_view(array)
    assert view is not None
    return array, view


def writable(array: np.ndarray, dtype: np.dtype, overwrite: bool) -> tuple[np.ndarray, lib.Matrix]:
    """A 2-D array that a call changes, and its view: the array itself with `overwrite` where it suits, else a copy."""
    if overwrite and array.dtype == dtype and array.dtype.isnative and array.flags.writeable and array.flags.aligned:
        view = matrix_view(array)
        if view is not None:
            return array, view
    array = np.array(array, dtype=dtype, order="F" if array.flags.f_contiguous else "C")
    view = matrix_view(array)
    assert view is not None
    return array, view


def writable_sides(b: np.ndarray, dtype: np.dtype, overwrite: bool) -> tuple[np.ndarray, lib.Matrix]:
    """The same for right-hand sides (n,) or (n, nrhs): the array has the shape of b, the view is a matrix."""
    if b.ndim != 1:
        return writable(b, dtype, overwrite)
    step = 1
    if overwrite and b.dtype == dtype and b.dtype.isnative and b.flags.writeable and b.flags.aligned:
        step = b.strides[0] // b.itemsize if b.size > 1 else 1
        if b.size > 1 and (step < 1 or b.strides[0] % b.itemsize):
            overwrite, step = False, 1
    else:
        overwrite = False
    x = b if overwrite else np.array(b, dtype=dtype)
    return x, lib.Matrix(type_of(dtype), lib.ROW_MAJOR, x.size, 1, step, address(x), lib.ON_HOST, 0)


class NumPy(Adapter):
    """The usual case has shorter ways of its own, with the same answers."""

    on_device = False
    splits_complex = True

    def interface(self, x: np.ndarray) -> tuple[int, int, tuple[int, ...] | None]:
        return address(x), 0, x.strides

    def dtype(self, x: np.ndarray) -> np.dtype:
        return x.dtype

    def strides(self, x: np.ndarray) -> tuple[int, ...]:
        return x.strides

    def matrix(
        self, context: Any, x: np.ndarray, vector: bool = False, behind: Any = None, is_fresh: bool = False
    ) -> lib.Matrix:
        view = None if vector else matrix_view(x)
        return super().matrix(context, x, vector) if view is None else view

    def read(self, context: Any, x: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, lib.Matrix]:
        return readable(x, dtype)

    def sides(self, context: Any, b: np.ndarray, dtype: np.dtype, overwrite: bool) -> tuple[np.ndarray, lib.Matrix]:
        return writable_sides(b, dtype, overwrite)

    def system(self, context: Any, a: np.ndarray, b: np.ndarray, dtype: np.dtype, overwrite: bool) -> tuple:
        return *readable(a, dtype), *writable_sides(b, dtype, overwrite)

    def source_and_result(self, a: np.ndarray, dtype: np.dtype, overwrite: bool) -> tuple[np.ndarray, np.ndarray]:
        if overwrite or a.ndim > 2:
            return super().source_and_result(a, dtype, overwrite)
        x = np.array(a, dtype=dtype, order=order_of(a))
        return x, x

    def cast(self, x: np.ndarray, dtype: np.dtype) -> np.ndarray:
        return x if x.dtype == dtype and x.flags.aligned else np.array(x, dtype=dtype, order="K")

    def copy(self, x: np.ndarray) -> np.ndarray:
        return x.copy(order=order_of(x))

    def broadcast(self, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return np.broadcast_to(x, shape)

    def owned(self, x: np.ndarray) -> np.ndarray:
        return np.array(x, order="C")

    def to_host(self, x: np.ndarray) -> np.ndarray:
        return x

    def writeable(self, x: np.ndarray) -> bool:
        return x.flags.writeable

    def contiguous(self, x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(x)

    def set_nan(self, x: np.ndarray, index: tuple[int, ...]) -> None:
        x[index] = np.nan

    def padded(self, x: np.ndarray, front: bool) -> np.ndarray:
        made = np.empty(x.size + 1, x.dtype)
        made[1 if front else 0 :][: x.size] = x.reshape(-1)
        return made

    def zeros(self, like: np.ndarray) -> np.ndarray:
        return np.zeros(like.shape, like.dtype)


numpy_adapter: Adapter = NumPy()
