"""Norms of matrices whose sums of elements may leave the range of their type."""

from __future__ import annotations

import math

import numpy as np


def _size(a: np.ndarray) -> np.ndarray:
    """The largest absolute value of a real or imaginary part in each matrix of (..., n, n)."""
    size = np.abs(a.real).max(axis=(-2, -1))
    return np.maximum(size, np.abs(a.imag).max(axis=(-2, -1))) if np.iscomplexobj(a) else size


def times_power(a: np.ndarray, exponent: int | np.ndarray) -> np.ndarray:
    """a * 2^exponent, also where 2^exponent is no number."""
    with np.errstate(under="ignore"):
        if np.iscomplexobj(a):
            scaled = np.empty_like(a)
            scaled.real, scaled.imag = np.ldexp(a.real, exponent), np.ldexp(a.imag, exponent)
            return scaled
        return np.ldexp(a, exponent)


def _sums(a: np.ndarray, p: float) -> np.ndarray:
    """The largest sum of a column, of a row for p = inf. einsum is faster than sum for many small matrices."""
    size = np.abs(a)
    if a.ndim == 2:
        return size.sum(axis=0 if p == 1 else 1).max()
    return np.einsum("...ij->...j" if p == 1 else "...ij->...i", size).max(axis=-1)


def norms(a: np.ndarray, p: float = 1) -> tuple[np.ndarray, np.ndarray | int]:
    """(m, e): the norm of each matrix of (..., n, n), n > 0, in the 1-norm or the infinity norm, is m * 2^e.

    e is 0 where norms are far from either end of the range. Then the elements were read once.
    """
    if a.dtype.char not in "fdFD":
        a = a.astype(np.complex128 if np.iscomplexobj(a) else np.float64)
    kind = np.finfo(a.dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        plain = _sums(a, p).astype(np.float64)
        if np.all((plain > math.ldexp(1, kind.minexp // 2)) & (plain < math.ldexp(1, kind.maxexp // 2))):
            return plain, 0
        exponents = np.frexp(_size(a).astype(np.float64))[1]
        wide = a.astype(np.complex128 if np.iscomplexobj(a) else np.float64)
        return _sums(times_power(wide, -exponents[..., None, None]), p), exponents


def norm_in_range(a: np.ndarray, p: float = 1) -> tuple[float, int]:
    """(m, e): the norm of a matrix is m * 2^e; e is 0 unless the norm is beyond the range."""
    m, e = norms(a, p)
    exponent = int(e)
    shift = 64 if exponent > 900 else 0
    return math.ldexp(float(m), exponent - shift), shift


def centred(a: np.ndarray) -> np.ndarray:
    """The matrix, times a power of two where its largest element is near either end of the type's range."""
    kind = np.finfo(a.dtype)
    exponent = int(np.frexp(_size(a))[1])
    return times_power(a, -exponent) if not kind.minexp // 2 < exponent < kind.maxexp // 2 else a


def condition_of(rcond: float, shift: int = 0) -> float:
    """2^shift / rcond; inf where that is no number."""
    try:
        return math.ldexp(1 / rcond, shift) if rcond > 0 else math.inf
    except OverflowError:
        return math.inf


def exp_or_inf(logarithm: float) -> float:
    try:
        return math.exp(logarithm)
    except OverflowError:
        return math.inf
