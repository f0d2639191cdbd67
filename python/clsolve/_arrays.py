"""numpy arrays as views of the library: types, orders, copies."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _library as lib

_DOUBLE = np.dtype(np.float64)
_SINGLE = np.dtype(np.float32)
_COMPLEX_DOUBLE = np.dtype(np.complex128)
_COMPLEX_SINGLE = np.dtype(np.complex64)
_TYPES = {"f": lib.F32, "d": lib.F64, "F": lib.C32, "D": lib.C64}  # by the character of numpy's type


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def common_dtype(*arrays: Any) -> np.dtype:
    """The type of an answer from these arrays, as numpy promotes them: float32 or float64, complex64 or complex128.

    float32 is that of float32 and float16 alone, complex64 that of these and complex64. All others are double.
    """
    return promoted(*(array.dtype for array in arrays))


def promoted(*dtypes: np.dtype) -> np.dtype:
    """The type of an answer from arrays of these types."""
    if all(dtype is _DOUBLE for dtype in dtypes):  # the usual case, which result_type is slow for
        return _DOUBLE
    return supported_dtype(dtypes[0] if len(dtypes) == 1 else np.result_type(*dtypes))


def supported_dtype(result: np.dtype) -> np.dtype:
    if result == _DOUBLE:
        return _DOUBLE
    kind = result.kind
    if kind == "f" and result.itemsize <= 4:
        return _SINGLE
    if kind in "biu" or (kind == "f" and result.itemsize == 8):  # the second: of the other byte order
        return _DOUBLE
    if kind == "c" and result.itemsize <= 16:
        return _COMPLEX_SINGLE if result.itemsize == 8 else _COMPLEX_DOUBLE
    raise TypeError(
        f"array type {result} is unsupported in clsolve: give float32, float64, complex64, complex128 or integers"
    )


def type_of(dtype: np.dtype) -> int:
    """The library's number of a type that `supported_dtype` has returned."""
    return _TYPES[dtype.char]


def is_complex(dtype: np.dtype) -> bool:
    return dtype.kind == "c"


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The type of the absolute values."""
    return np.empty(0, dtype).real.dtype


def solve_parts(solve: Callable[[np.ndarray], np.ndarray], b: np.ndarray) -> np.ndarray:
    """The solution for complex right-hand sides (n,) or (..., n, nrhs) of a real matrix, which `solve` has.

    Real and imaginary parts are right-hand sides of their own: complex factors would take four times the work.
    """
    if b.ndim == 1:
        x = solve(np.stack([b.real, b.imag], axis=-1))
        return x[..., 0] + 1j * x[..., 1]
    x = solve(np.concatenate([b.real, b.imag], axis=-1))
    nrhs = b.shape[-1]
    return x[..., :nrhs] + 1j * x[..., nrhs:]


def layout_of(shape: tuple[int, int], strides: tuple[int, int], item: int) -> tuple[int, int] | None:
    """Layout and leading dimension of a 2-D array; None where its strides are no layout of the library."""
    rows, cols = shape
    s0, s1 = strides
    if (s1 == item or cols <= 1) and (rows <= 1 or (s0 >= cols * item and s0 % item == 0)):
        return lib.ROW_MAJOR, (s0 // item if rows > 1 else cols) or 1
    if (s0 == item or rows <= 1) and (cols <= 1 or (s1 >= rows * item and s1 % item == 0)):
        return lib.COLUMN_MAJOR, (s1 // item if cols > 1 else rows) or 1
    return None


def _leading_step(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """The step that visits all elements of the leading axes, the last one fastest; None where there is none."""
    step, following = 0, None
    for extent, stride in zip(reversed(shape), reversed(strides)):
        if extent == 1:
            continue
        if following is None:
            step = stride
        elif stride != following:
            return None
        following = stride * extent
    return step


def members_of(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> tuple[int, int, int] | None:
    """Layout, leading dimension and stride of members (..., rows, cols) without gaps inside; None for others.

    The stride is 0 where all members are one matrix, as numpy's broadcast_to makes them.
    """
    rows, cols = shape[-2:]
    if rows * cols == 0:
        return lib.ROW_MAJOR, cols or 1, 0
    layout = layout_of((rows, cols), strides[-2:], item)  # type: ignore[arg-type]
    step = _leading_step(shape[:-2], strides[:-2])
    if layout is None or step is None or step % item or step < 0:
        return None
    if layout[1] != (cols if layout[0] == lib.ROW_MAJOR else rows) or 0 < step < rows * cols * item:
        return None
    return (*layout, step // item)


def line_of(shape: tuple[int, ...], strides: tuple[int, ...], item: int) -> tuple[int, int] | None:
    """The steps from element to element and from vector to vector of (..., n), in elements; None for others."""
    step = _leading_step(shape[:-1], strides[:-1])
    inner = strides[-1] if shape[-1] > 1 else item
    if step is None or step < 0 or step % item or inner < item or inner % item:
        return None
    return inner // item, step // item


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


def readable_members(array: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, lib.Batch]:
    """Members (..., rows, cols) that a call reads, in either layout, or one for all of them, and their view."""
    if array.dtype != dtype or not array.flags.aligned or not array.dtype.isnative:
        array = np.array(array, dtype=dtype, order="K")
    found = members_of(array.shape, array.strides, array.itemsize)
    if found is None:
        array = np.ascontiguousarray(array)
        return array, batch_view(array)
    rows, cols = array.shape[-2:]
    count = array.size // (rows * cols) if rows * cols else 0
    kind = type_of(array.dtype)
    return array, lib.Batch(kind, found[0], count, rows, cols, *found[1:], None, address(array), lib.ON_HOST, 0)


def batch_view(array: np.ndarray) -> lib.Batch:
    """The view of a C-contiguous array of members (..., rows, cols)."""
    rows, cols = array.shape[-2:]
    count = array.size // (rows * cols) if rows * cols else int(np.prod(array.shape[:-2]))
    kind = type_of(array.dtype)
    return lib.Batch(
        kind, lib.ROW_MAJOR, count, rows, cols, cols or 1, rows * cols, None, address(array), lib.ON_HOST, 0
    )


def op_of(trans: Any) -> int:
    """scipy's trans: 0 or "N", 1 or "T", 2 or "C" or "H"."""
    if isinstance(trans, str):
        key: Any = trans.upper()
    else:
        key = int(trans) if trans in (0, 1, 2) else None
    try:
        return {"N": 0, "T": 1, "C": 2, "H": 2, 0: 0, 1: 1, 2: 2}[key]
    except KeyError:
        raise ValueError(f'trans is {trans!r}: give 0 or "N", 1 or "T", 2 or "C" or "H"') from None


def word(kind: str, name: str, value: str) -> int:
    """The number of an option's word, for example word("WHERE", "where", "host")."""
    words = lib.WORDS[kind]
    try:
        return words[value.lower().replace("-", "_")]
    except (KeyError, AttributeError):
        offered = (repr(known) for known in words if known != "tournament")  # which the library refuses
        raise ValueError(f"{name} is {value!r}: give one of {', '.join(offered)}") from None


def is_foreign(a: Any) -> bool:
    """An array of another package than numpy, which _device may reach; nothing is imported for this."""
    kind = type(a)
    return (
        kind.__module__.partition(".")[0] in ("pyopencl", "cupy", "torch")
        or hasattr(a, "__cuda_array_interface__")
        or (hasattr(kind, "__dlpack__") and not isinstance(a, (np.ndarray, np.generic)))
    )


def host_array(a: Any, name: str) -> np.ndarray:
    """The numpy array of anything that numpy reads. An array that it would misread is refused."""
    if type(a) is np.ndarray:
        return a
    if isinstance(a, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, and masks are not supported: give {name}.filled(value)")
    if is_sparse(a):
        raise TypeError(
            f"{name} is a sparse matrix: clsolve.spsolve and clsolve.splu take these; or give {name}.toarray()"
        )
    if is_foreign(a):
        from ._packages import adapter_of, known_array

        a = known_array(a)
        adapter = adapter_of(a)
        if adapter is not None and adapter.on_device:
            raise TypeError(
                f"{name} must lie in the host's memory here, as the other arrays do: it is "
                f"{type(a).__module__}.{type(a).__name__}, on a device"
            )
    return np.asarray(a)


def is_known(a: Any) -> bool:
    """An array of another package that the library reads where it lies."""
    if type(a) is np.ndarray or not is_foreign(a):
        return False
    from ._packages import adapter_of

    return adapter_of(a) is not None


def is_sparse(a: Any) -> bool:
    """A matrix of scipy.sparse or of cupyx.scipy.sparse; neither is imported for this."""
    return type(a).__module__.partition(".")[0] in ("scipy", "cupyx") and hasattr(a, "tocsr")


def square(a: np.ndarray, name: str = "a") -> None:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"expected a square matrix: {name} has shape {a.shape}")


def structured(a: np.ndarray, assume_a: str | None, lower: bool) -> np.ndarray:
    """The general matrix that `assume_a` and `lower` mean: for a structure scipy reads only its part of the array."""
    if assume_a in (None, "gen", "general", "banded"):
        return a
    if assume_a in ("diagonal", "tridiagonal"):
        width = 0 if assume_a == "diagonal" else 1
        return np.triu(np.tril(a, width), -width)
    if assume_a in ("upper triangular", "lower triangular"):
        return np.triu(a) if assume_a[0] == "u" else np.tril(a)
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        half = np.tril(a, -1) if lower else np.triu(a, 1)
        diagonal = np.zeros_like(half)
        index = np.arange(a.shape[-1])
        other = np.swapaxes(half, -1, -2)
        if assume_a in ("sym", "symmetric"):
            diagonal[..., index, index] = a[..., index, index]
        else:  # hermitian: LAPACK takes the diagonal as real
            other = other.conj()
            diagonal[..., index, index] = a[..., index, index].real
        return half + other + diagonal
    raise ValueError(f"{assume_a!r} is not a recognized matrix structure")
