"""The common part of the factors of symmetric matrices, Cholesky and LDL^T."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import common_dtype, is_complex
from ._context import Context
from ._errors import LinAlgError
from ._handle import Handle
from ._library import calls
from ._norms import condition_of, exp_or_inf, norm_in_range
from ._numpy import readable, solve_parts, writable, writable_sides
from ._packages import only_host
from ._report import Report, report_of

_byref = ctypes.byref


class SymmetricFactor(Handle):
    """Factors of a matrix of which one triangle is read, on the device or on the host."""

    context: Context
    shape: tuple[int, int]
    dtype: np.dtype
    lower: bool
    _hermitian = True  # a complex matrix is
    _allowed = 0  # a status of a factorization that raises nothing

    def _call(self, verb: str) -> Any:
        return getattr(calls, f"{self._family}_{verb}")

    def _uplo(self) -> int:
        return lib.LOWER if self.lower else lib.UPPER

    def factor(self, a: Any) -> Any:
        """Factors another matrix of the same shape with the same options, in the memory that the handle has.

        Raises LinAlgError as the call that made the handle does.
        """
        a = only_host(a, "a")
        if a.shape != self.shape:
            raise ValueError(f"a has shape {a.shape}: the handle is for {self.shape}")
        if is_complex(common_dtype(a)) and not is_complex(self.dtype):
            raise TypeError(f"a is {a.dtype}: the handle is for {self.dtype}")
        a, view = readable(a, self.dtype)
        self._run_watched(self._call("factor"), self._uplo(), _byref(view), allowed=self._allowed)
        return self

    def solve(self, b: Any, overwrite_b: bool = False) -> np.ndarray:
        """Solves a x = b. b is (n,) or (n, nrhs); x has its shape and the type of the factor.

        Complex b with a real factor gives complex x.
        """
        b = only_host(b, "b")
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"incompatible dimensions: the matrix is {self.shape}, b has shape {b.shape}")
        if is_complex(common_dtype(b)) and not is_complex(self.dtype):
            return solve_parts(lambda sides: self.solve(sides, True), b, self.dtype)
        x, view = writable_sides(b, self.dtype, overwrite_b)
        self._run(self._call("solve"), _byref(view))
        return x

    @property
    def report(self) -> Report:
        """How the last factorization and the last solve went (clsolve/report.h)."""
        return report_of(self._report())

    def _direct(self) -> lib.ReportDirect:
        return self._report().direct

    @property
    def rcond(self) -> float:
        """The reciprocal condition number in the 1-norm; -1 without the option rcond."""
        return self._direct().rcond

    def slogdet(self) -> tuple[Any, float]:
        """Sign and natural logarithm of the determinant, as numpy.linalg.slogdet."""
        raise NotImplementedError

    def det(self) -> Any:
        """The determinant; its relative error grows with the logarithm of its size."""
        sign, logarithm = self.slogdet()
        return sign * exp_or_inf(logarithm)

    def cond(self, *, a: Any) -> float:
        """The condition number in the 1-norm, estimated as LAPACK's pocon and sycon do.

        a
            The norm of the matrix that was factored, or the matrix with both of its triangles.

        >>> a = np.array([[1.0, 0.0], [0.0, 4.0]])
        >>> clsolve.cho_factor(a).cond(a=a)
        4.0
        """
        if self.shape[0] == 0:
            raise LinAlgError("cond is not defined on empty arrays")
        size = np.asarray(only_host(a, "a"))
        if size.shape not in ((), self.shape):
            raise ValueError(f"a has shape {size.shape}: give the matrix {self.shape}, or its norm")
        anorm, shift = (float(size.real), 0) if size.ndim == 0 else norm_in_range(size)
        rcond = ctypes.c_double()
        self._run(self._call("condition"), anorm, _byref(rcond))
        return condition_of(rcond.value, shift)

    def inv(self) -> np.ndarray:
        """The inverse, as LAPACK's potri and sytri: both triangles of an array of numpy in column order.

        >>> clsolve.cho_factor([[2.0, 1.0], [1.0, 1.0]]).inv().round(12)
        array([[ 1., -1.],
               [-1.,  2.]])
        """
        half = self._triangle(self._call("inverse"), True)
        other = np.tril(half, -1).T
        return np.asfortranarray(half + (other.conj() if self._hermitian else other))

    def _triangle(self, call: Any, lower: bool) -> np.ndarray:
        found = np.zeros(self.shape, self.dtype, order="F")
        _, view = writable(found, self.dtype, True)
        self._run(call, lib.LOWER if lower else lib.UPPER, _byref(view))
        return found
