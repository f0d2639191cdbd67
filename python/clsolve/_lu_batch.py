"""LU factors of many matrices at once."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Iterator

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import address, is_complex, op_of, promoted, type_of, word
from ._batches import raise_infos
from ._context import Context
from ._errors import LinAlgError, member_name, warn_ill_conditioned
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter, solve_parts
from ._packages import refuse_gradient, taken, through_dlpack, unknown, wants_gradient
from ._report import Report, report_of

_byref = ctypes.byref


class LUBatch(Handle):
    """The factors P a = L U of a stack of matrices (..., n, n). `clsolve.lu_factor` makes it of such an array.

    `lu, piv = clsolve.lu_factor(a)` gives LAPACK's factors as scipy.linalg.lu_factor does.

    shape
        (..., n, n)
    dtype
        float32, float64, complex64 or complex128
    info
        int64 of the leading axes: k > 0 where pivot k, counted from 1, is exactly zero; -1 where the member holds NaN
        or Inf, after lu_factor(a, check_finite=False); else 0. Such a member has NaN for all that is asked.
    """

    context: Context
    shape: tuple[int, ...]
    dtype: np.dtype
    info: np.ndarray
    _condition: bool
    _checks: bool

    @classmethod
    def _made(
        cls,
        context: Context,
        shape: tuple[int, ...],
        dtype: np.dtype,
        where: str,
        condition: bool,
        check_finite: bool = True,
    ) -> LUBatch:
        n, count = shape[-1], math.prod(shape[:-2])
        made = cls.__new__(cls)
        made.shape, made.dtype, made._condition, made._checks = shape, dtype, condition, check_finite
        options = lib.LuBatchOptions(where=word("WHERE", "where", where), condition=condition)
        made._own(context, "lu_batch", n, count, type_of(dtype), _byref(options))
        return made

    @property
    def _lead(self) -> tuple[int, ...]:
        return self.shape[:-2]

    def _factor(self, adapter: Adapter, a: Any) -> None:
        info = np.zeros(self._lead, np.int64)
        if info.size == 0:
            self.info = info
            return
        a = adapter.viewable(adapter.cast(a, self.dtype))
        self._run(calls.lu_batch_factor, _byref(adapter.batch(self.context, a)), address(info))
        if self._checks:
            raise_infos(adapter, np.minimum(info, 0), "", self._lead, (a, 2))
        self.info = info
        bad = np.argwhere(info > 0)
        if len(bad):
            index = tuple(map(int, bad[0]))
            number = f"Diagonal number {info[index]} of {member_name(index)} is exactly zero."
            warn_ill_conditioned(f"{number} Singular matrix.")

    def factor(self, a: Any) -> LUBatch:
        """Factors another stack of the same shape in the memory that the handle has.

        Singular members give a LinAlgWarning, and have `info`. Raises ValueError for NaN or Inf.
        """
        adapter, (a,) = taken(a=a)
        refuse_gradient("the factorization", a)
        if tuple(a.shape) != self.shape:
            raise ValueError(f"a has shape {tuple(a.shape)}: the handle is for {self.shape}")
        if is_complex(promoted(adapter.dtype(a))) and not is_complex(self.dtype):
            raise TypeError(f"a is {adapter.dtype(a)}: the handle is for {self.dtype}")
        self._factor(adapter, a)
        return self

    def solve(self, b: Any, trans: int | str = 0, overwrite_b: bool = False) -> Any:
        """Solves a x = b for each member, a^T x = b with trans "T" or 1, or a^H x = b with trans "C", "H" or 2.

        b is (n,), or (..., n, nrhs) with leading axes that numpy spreads over those of the matrices. x has all leading
        axes and the type of the factors, and is complex for complex b. Raises LinAlgError for a singular member.
        """
        adapter = numpy_adapter
        if type(b) is not np.ndarray:
            if unknown(b) is not None:
                return through_dlpack(b, (b,), lambda known: self.solve(known, trans, overwrite_b))
            if wants_gradient(b):
                from ._gradients import LuSolve

                return LuSolve.apply(b, self, op_of(trans))
            adapter, (b,) = taken(b=b)
        n, lead, axes = self.shape[-1], self._lead, len(b.shape)
        if axes == 0 or b.shape[0 if axes == 1 else -2] != n:
            raise ValueError(f"incompatible dimensions: the matrices are {self.shape}, b has shape {tuple(b.shape)}")
        if np.broadcast_shapes(lead, tuple(b.shape[:-2])) != lead:
            raise ValueError(f"b has more members than the handle: {tuple(b.shape)} for {self.shape}")
        if is_complex(promoted(adapter.dtype(b))) and not is_complex(self.dtype):
            adapter.refuse_complex(b, self.dtype)
            return solve_parts(lambda sides: self.solve(sides, trans, True), b, self.dtype)
        x = adapter.spread(b, lead, self.dtype, overwrite_b)
        if math.prod(x.shape):
            info = np.zeros(lead, np.int64)
            self._run(calls.lu_batch_solve, op_of(trans), _byref(adapter.batch(self.context, x)), address(info))
            result = None if self._checks else x
            raise_infos(adapter, info, "or its right-hand side", lead, (x, 2), result=result)
        return x.reshape((*lead, n)) if axes == 1 else x

    def inv(self) -> np.ndarray:
        """The inverses from the factors. Raises LinAlgError for a singular member.

        >>> clsolve.lu_factor([[[2.0, 1.0], [1.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]]]).inv().round(12)[1]
        array([[0.25, 0.  ],
               [0.  , 1.  ]])
        """
        x, info = np.zeros(self.shape, self.dtype), np.zeros(self._lead, np.int64)
        if x.size:
            self._run(calls.lu_batch_inverse, _byref(numpy_adapter.batch(None, x)), address(info))
            raise_infos(numpy_adapter, info, "", self._lead, (x, 2), result=None if self._checks else x)
        return x

    def _numbers(self) -> list[np.ndarray]:
        """Determinants, and their signs and logarithms."""
        kind = np.complex128 if is_complex(self.dtype) else np.float64
        found = [np.ones(self._lead, kind), np.ones(self._lead, kind), np.zeros(self._lead)]
        if found[0].size:
            self._run(calls.lu_batch_determinant, *map(address, found))
        return found

    def det(self) -> np.ndarray:
        """The determinants; 0 for a singular member."""
        return self._numbers()[0]

    def slogdet(self) -> tuple[np.ndarray, np.ndarray]:
        """Signs and natural logarithms of the absolute values of the determinants, as numpy.linalg.slogdet."""
        return tuple(self._numbers()[1:])  # type: ignore[return-value]

    @property
    def rcond(self) -> np.ndarray:
        """The reciprocal condition numbers in the 1-norm, after lu_factor(a, rcond=True). They are no estimates."""
        if not self._condition:
            raise ValueError("the norms are not known: make the factors with lu_factor(a, rcond=True)")
        if self.shape[-1] == 0:
            raise LinAlgError("cond is not defined on empty arrays")
        found = np.zeros(self._lead)
        if found.size:
            self._run(calls.lu_batch_condition, address(found))
        return found

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """(lu, piv) as scipy.linalg.lu_factor returns them: L and U in one array, and row exchanges from 0."""
        lu, piv = np.zeros(self.shape, self.dtype), np.zeros(self.shape[:-1], np.int64)
        if lu.size:
            self._run(calls.lu_batch_factors, _byref(numpy_adapter.batch(None, lu)), address(piv))
            lu[self.info < 0], piv[self.info < 0] = np.nan, np.arange(1, self.shape[-1] + 1)
        return lu, (piv - 1).astype(np.int32)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.factors())

    def __getitem__(self, part: int) -> np.ndarray:
        return self.factors()[part]

    @property
    def report(self) -> Report:
        """How the last call went (clsolve/report.h)."""
        return report_of(self._report())

    def __repr__(self) -> str:
        return f"<clsolve.LUBatch {' x '.join(map(str, self.shape))} {self.dtype}>"
