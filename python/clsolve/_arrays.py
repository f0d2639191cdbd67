"""The common ground of all arrays: types, layouts, words of options, and the structures of matrices."""

from __future__ import annotations

import itertools
from typing import Any, Iterator

import numpy as np

from . import _library as lib

_DOUBLE = np.dtype(np.float64)
_SINGLE = np.dtype(np.float32)
_COMPLEX_DOUBLE = np.dtype(np.complex128)
_COMPLEX_SINGLE = np.dtype(np.complex64)
GENERAL = (None, "gen", "general")  # what assume_a is for arrays of any package
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


def indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """numpy.ndindex, which takes longer than a solve of a small matrix."""
    return itertools.product(*map(range, shape))


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
    """An array of another package than numpy, which an adapter may reach; nothing is imported for this."""
    kind = type(a)
    return kind is not np.ndarray and (
        kind.__module__.partition(".")[0] in ("pyopencl", "cupy", "torch")
        or hasattr(a, "__cuda_array_interface__")
        or (hasattr(kind, "__dlpack__") and not isinstance(a, (np.ndarray, np.generic)))
    )


def is_sparse(a: Any) -> bool:
    """A matrix of scipy.sparse or of cupyx.scipy.sparse; neither is imported for this."""
    return type(a).__module__.partition(".")[0] in ("scipy", "cupyx") and hasattr(a, "tocsr")


def square(a: Any) -> int:
    """The order of the matrices (..., n, n), which a must have."""
    shape = a.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"expected a square matrix: a has shape {tuple(shape)}")
    return shape[-1]


def structured(a: np.ndarray, assume_a: str | None, lower: bool) -> np.ndarray:
    """The general matrix that `assume_a` and `lower` mean: for a structure scipy reads only its part of the array."""
    if assume_a in (*GENERAL, "banded"):
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
