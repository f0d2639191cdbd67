"""Four functions of the Python array API standard's `linalg` extension, on numpy arrays.

>>> from clsolve.array_api import namespace as xp
>>> a, b = xp.asarray([[2.0, 1.0], [1.0, 3.0]]), xp.asarray([4.0, 7.0])
>>> xp.linalg.solve(a, b)            # this package's
array([1., 2.])
>>> float(xp.sum(a))                 # numpy's, and so is xp.linalg.svd
7.0

`namespace` is for functions that take the namespace as an argument. It is numpy but for `linalg`, and there but for
det, inv, slogdet and solve. The standard's types hold: float32, float64, complex64 and complex128 alone, and no
promotion from integers.

It is no full implementation. The arrays are numpy's, so `x.__array_namespace__()` stays numpy. Functions of scipy that
find the namespace from their arrays therefore cannot be pointed here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _inverse, _solve

__all__ = ["linalg", "namespace"]


def _floating(*arrays: Any) -> None:
    for array in arrays:
        if np.asarray(array).dtype not in (np.float32, np.float64, np.complex64, np.complex128):
            raise TypeError(f"the array API has floating and complex types here, not {np.asarray(array).dtype}")


class _Linalg:
    """The extension: four functions of this package; all others are numpy's."""

    @staticmethod
    def solve(x1: Any, x2: Any, /) -> Any:
        """x with x1 x = x2; x1 is (..., M, M), x2 is (M,) or (..., M, K). Raises LinAlgError for a singular x1."""
        _floating(x1, x2)
        return _solve.solve(x1, x2, rcond=False)

    @staticmethod
    def inv(x: Any, /) -> Any:
        """The inverses of (..., M, M). Raises LinAlgError for a singular matrix."""
        _floating(x)
        return _inverse.inv(x, rcond=False)

    @staticmethod
    def det(x: Any, /) -> Any:
        """The determinants of (..., M, M), in the type of x."""
        _floating(x)
        return _inverse.det(x).astype(np.asarray(x).dtype)

    @staticmethod
    def slogdet(x: Any, /) -> Any:
        """The named pair (sign, logabsdet) of (..., M, M)."""
        _floating(x)
        return _inverse.slogdet(x)

    def __getattr__(self, name: str) -> Any:
        return getattr(np.linalg, name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(np.linalg), "det", "inv", "slogdet", "solve"})


class _Namespace:
    """numpy, with this package's linear solvers in `linalg`."""

    linalg = _Linalg()

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def __dir__(self) -> list[str]:
        return dir(np)


namespace = _Namespace()
linalg = namespace.linalg
