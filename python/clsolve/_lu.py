"""LU factors of dense matrices."""

from __future__ import annotations

import cmath
import ctypes
import math
from typing import Any, Iterator

import numpy as np

from . import _library as lib
from ._arrays import address, common_dtype, is_complex, is_foreign, op_of, promoted, type_of, word
from ._context import Context, given_context
from ._errors import LinAlgError, exception, warn_ill_conditioned
from ._handle import Handle
from ._library import calls
from ._norms import condition_of, exp_or_inf, norm_in_range
from ._numpy import numpy_adapter, readable, solve_parts, writable
from ._operators import inverse_operator
from ._packages import host_array, refuse_gradient, taken, through_dlpack, unknown, wants_gradient
from ._report import Report, report_of

_byref = ctypes.byref


class LU(Handle):
    """The factors P a = L U of a dense matrix, on the device or on the host. `clsolve.lu_factor` makes it.

    `lu, piv = clsolve.lu_factor(a)` gives LAPACK's factors as scipy.linalg.lu_factor does.
    """

    context: Context
    shape: tuple[int, int]
    dtype: np.dtype

    @classmethod
    def _made(cls, context: Context, n: int, dtype: np.dtype, options: lib.LuOptions) -> LU:
        made = cls.__new__(cls)
        made.shape, made.dtype = (n, n), dtype
        made._own(context, "lu", n, type_of(dtype), _byref(options))
        return made

    _singular = False

    @classmethod
    def from_factors(
        cls, lu: Any, piv: Any, *, where: str = "auto", memory_limit: int = 0, context: Context | None = None
    ) -> LU:
        """An LU of factors that were computed elsewhere, in the form of scipy.linalg.lu_factor.

        lu
            (n, n) array: U on and above the diagonal, L below it, without its diagonal of ones.
        piv
            n row exchanges: row i was swapped with row piv[i] >= i, counted from 0.

        The arrays are read and not kept. Raises ValueError for pivots that are none and for NaN or Inf, TypeError for
        arrays on a device. A zero on U's diagonal gives a LinAlgWarning; solves then raise LinAlgError.

        >>> lu = clsolve.LU.from_factors([[4.0, 2.0], [0.5, 3.0]], [1, 1])  # of [[2, 4], [4, 2]]
        >>> lu.solve([6.0, 6.0])
        array([1., 1.])
        """
        if is_foreign(lu) or is_foreign(piv):
            raise TypeError("factors are taken from the host's memory: give numpy arrays")
        lu, piv = host_array(lu, "lu"), host_array(piv, "piv")
        if lu.ndim != 2 or lu.shape[0] != lu.shape[1]:
            raise ValueError(f"expected square factors: lu has shape {lu.shape}")
        n = lu.shape[0]
        if piv.shape != (n,) or (n and piv.dtype.kind not in "iu"):
            raise ValueError(f"piv has shape {piv.shape} and type {piv.dtype}: give {n} integers")
        exchanges = piv.astype(np.int64) + 1
        options = lib.LuOptions(
            precision=word("PRECISION", "precision", "working"),
            where=word("WHERE", "where", where),
            memory_limit=memory_limit,
        )
        made = cls._made(given_context(context), n, common_dtype(lu), options)
        lu, view = readable(lu, made.dtype)
        status, message = made._status(calls.lu_import, _byref(view), address(exchanges))
        made._singular = status == 1
        if status not in (0, 1):
            raise exception(status, message)
        made._warn_if_singular()
        return made

    def _warn_if_singular(self) -> None:
        if self._singular:
            warn_ill_conditioned(f"Diagonal number {self.report.info} is exactly zero. Singular matrix.")

    def _factor(self, A: lib.Matrix, singular_is_error: bool = True) -> None:
        self.context._check()
        with self.context._lock:  # what is said of the factors is of these factors, whoever else factors
            status, message = self._status(calls.lu_factor, _byref(A))
            self._singular = status == 1
        if self._watcher is not None:
            self._watcher.raise_error(status)
        if status and (singular_is_error or status != 1):
            raise exception(status, message)

    def factor(self, a: Any) -> LU:
        """Factors another matrix of the same shape with the same options, in the memory that the handle has.

        Raises LinAlgError for a singular matrix.
        """
        adapter, (a,) = taken(a=a)
        refuse_gradient("the factorization", a)
        shape, dtype = tuple(a.shape), promoted(adapter.dtype(a))
        if shape != self.shape:
            raise ValueError(f"a has shape {shape}: the handle is for {self.shape}")
        if is_complex(dtype) and not is_complex(self.dtype):
            raise TypeError(f"a is {adapter.dtype(a)}: the handle is for {self.dtype}")
        a, A = adapter.read(self.context, a, self.dtype)
        self._factor(A)
        return self

    def solve(self, b: Any, trans: int | str = 0, overwrite_b: bool = False) -> np.ndarray:
        """Solves a x = b, a^T x = b with trans "T" or 1, or a^H x = b with trans "C", "H" or 2.

        b is (n,) or (n, nrhs); x has its shape and the type of the factors, and is complex for complex b. Raises
        LinAlgError if the matrix was singular, ValueError for a shape that does not fit and for NaN or Inf.
        """
        adapter = numpy_adapter
        if type(b) is not np.ndarray:
            if unknown(b) is not None:
                return through_dlpack(b, (b,), lambda known: self.solve(known, trans, overwrite_b))
            if wants_gradient(b):
                from ._gradients import LuSolve

                return LuSolve.apply(b, self, op_of(trans))
            adapter, (b,) = taken(b=b)
        if len(b.shape) not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"incompatible dimensions: the matrix is {self.shape}, b has shape {tuple(b.shape)}")
        if is_complex(promoted(adapter.dtype(b))) and not is_complex(self.dtype):
            adapter.refuse_complex(b, self.dtype)
            return solve_parts(lambda sides: self.solve(sides, trans, True), b, self.dtype)
        x, B = adapter.sides(self.context, b, self.dtype, overwrite_b)
        self._run(calls.lu_solve, op_of(trans), _byref(B))
        return x

    @property
    def report(self) -> Report:
        """How the last factorization and the last solve went (clsolve/report.h)."""
        return report_of(self._report())

    def _direct(self) -> lib.ReportDirect:
        return self._factored()[0]

    def _factored(self) -> tuple[lib.ReportDirect, bool]:
        """The report on the factors, and whether they are singular."""
        self.context._check()
        with self.context._lock:
            return self._report().direct, self._singular

    @property
    def rcond(self) -> float:
        """The reciprocal condition number in the 1-norm; -1 without the option rcond of lu_factor.

        If `report.direct.rcond_is_bound` is 1, it is an upper bound: float32 factors tell no more.
        """
        return self._direct().rcond

    def slogdet(self) -> tuple[float | complex, float]:
        """Sign and natural logarithm of the absolute value of the determinant, as numpy.linalg.slogdet.

        The sign of a complex matrix is a complex number of absolute value 1.
        """
        number = complex if is_complex(self.dtype) else float
        if self.shape[0] == 0:
            return number(1), 0.0
        direct, singular = self._factored()
        if singular:
            return number(0), -math.inf
        sign = cmath.exp(1j * direct.det_phase) if number is complex else float(direct.det_sign)
        return sign, direct.log_abs_det

    def det(self) -> float | complex:
        """The determinant; its relative error grows with the logarithm of its size."""
        sign, logarithm = self.slogdet()
        return sign * exp_or_inf(logarithm) if sign else sign

    def cond(self, norm: Any = 1, *, a: Any = None) -> float:
        """The condition number in the norm 1 or inf, estimated from the factors as LAPACK's gecon does.

        a
            The matrix that was factored, or its norm as a number. In the norm 1 it is not needed for a matrix that
            lu_factor has factored with rcond=True.

        The estimate is rarely below a third of the condition number. Returns inf for a singular matrix. Raises
        UnsupportedError where the factors are float32 in an LU of float64, or of pivoting "rbt".

        >>> a = np.array([[1.0, 0.0], [0.0, 4.0]])
        >>> clsolve.lu_factor(a).cond(a=a)
        4.0
        """
        if norm not in (1, np.inf):
            raise ValueError(f"norm is {norm!r}: give 1 or inf")
        if self.shape[0] == 0:
            raise LinAlgError("cond is not defined on empty arrays")
        if a is None:
            direct, singular = self._factored()
            found = 0.0 if singular else direct.rcond if norm == 1 else -1.0
            if found < 0:
                raise ValueError("the norm of the matrix is not known: give a=matrix, or a=its norm")
            return condition_of(found)
        if is_foreign(a) and getattr(a, "shape", ()) != ():
            raise TypeError("a is taken from the host's memory: give a numpy array, or the norm of the matrix")
        size = np.asarray(a, dtype=None if is_complex(np.asarray(a).dtype) else np.float64)
        if size.shape not in ((), self.shape):
            raise ValueError(f"a has shape {size.shape}: give the matrix {self.shape}, or its norm")
        anorm, shift = (float(size.real), 0) if size.ndim == 0 else norm_in_range(size, norm)
        rcond = ctypes.c_double()
        kind = lib.NORM_ONE if norm == 1 else lib.NORM_INF
        self._run(calls.lu_condition, kind, anorm, _byref(rcond))
        return condition_of(rcond.value, shift)

    def inv(self) -> np.ndarray:
        """The inverse from the factors, as LAPACK's getri: an array of numpy in column order.

        `clsolve.inv` needs no factors and takes arrays on devices. Raises LinAlgError for a singular matrix.

        >>> clsolve.lu_factor([[2.0, 1.0], [1.0, 1.0]]).inv().round(12)
        array([[ 1., -1.],
               [-1.,  2.]])
        """
        x, view = writable(np.empty(self.shape, self.dtype, order="F"), self.dtype, True)
        self._run(calls.lu_inverse, _byref(view))
        return x

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """(lu, piv) as scipy.linalg.lu_factor returns them: L and U in one array, and row exchanges from 0."""
        n = self.shape[0]
        lu = np.empty((n, n), self.dtype, order="F")
        piv = np.zeros(n, np.int64)
        _, view = writable(lu, self.dtype, True)
        self._run(calls.lu_factors, _byref(view), address(piv))
        return lu, (piv - 1).astype(np.int32)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.factors())

    def __getitem__(self, part: int) -> np.ndarray:
        return self.factors()[part]

    def as_operator(self) -> Any:
        """The inverse as a scipy.sparse.linalg.LinearOperator, for example a preconditioner of a Krylov method."""
        return inverse_operator(self)

    def __repr__(self) -> str:
        return f"<clsolve.LU {self.shape[0]} x {self.shape[1]} {self.dtype}>"
