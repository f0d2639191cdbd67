"""Cholesky factors of many symmetric or hermitian positive definite matrices at once."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Iterator

import numpy as np

from . import _library as lib
from ._arrays import address, common_dtype, is_complex, square, type_of, word
from ._context import Context
from ._errors import LinAlgError, member_name
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter, solve_parts
from ._packages import host_array
from ._report import Report, report_of

_byref = ctypes.byref


class CholeskyBatch(Handle):
    """The factors of a stack of matrices (..., n, n), n up to 4096. `clsolve.cho_factor` makes it of such an array.

    `c, lower = clsolve.cho_factor(a)` gives LAPACK's factors as scipy.linalg.cho_factor does.
    """

    context: Context
    shape: tuple[int, ...]
    dtype: np.dtype
    lower: bool

    @classmethod
    def _made(cls, context: Context, shape: tuple[int, ...], dtype: np.dtype, lower: bool, where: str) -> CholeskyBatch:
        n, count = shape[-1], math.prod(shape[:-2])
        if n > lib.CHOLESKY_BATCH_LARGEST:
            raise ValueError(f"stacks of matrices go up to order {lib.CHOLESKY_BATCH_LARGEST}: a has shape {shape}")
        made = cls.__new__(cls)
        made.shape, made.dtype, made.lower = shape, dtype, bool(lower)
        options = lib.CholeskyBatchOptions(where=word("WHERE", "where", where))
        made._own(context, "cholesky_batch", n, count, type_of(dtype), _byref(options))
        return made

    def _raise(self, info: np.ndarray, what: str) -> None:
        bad = np.flatnonzero(info)
        if bad.size == 0:
            return
        name, minor = member_name(np.unravel_index(int(bad[0]), self.shape[:-2])), int(info[bad[0]])
        if minor > 0:
            raise LinAlgError(f"{name} is not positive definite: its leading minor of order {minor} is not")
        raise ValueError(f"{name} or its {what} holds infs or NaNs, or overflows")

    def factor(self, a: Any) -> CholeskyBatch:
        """Factors another stack of the same shape in the memory that the handle has.

        Raises LinAlgError for the first member that is not positive definite.
        """
        a = host_array(a, "a")
        if a.shape != self.shape:
            raise ValueError(f"a has shape {a.shape}: the handle is for {self.shape}")
        if is_complex(common_dtype(a)) and not is_complex(self.dtype):
            raise TypeError(f"a is {a.dtype}: the handle is for {self.dtype}")
        a = numpy_adapter.viewable(numpy_adapter.cast(a, self.dtype))
        self._run_members("factor", a, "factor", lib.LOWER if self.lower else lib.UPPER)
        return self

    def _run_members(self, call: str, x: np.ndarray, what: str, *arguments: int) -> None:
        """A call that gives each member of x a number, which may name an error in the member's `what`."""
        if x.size:
            info = np.zeros(math.prod(x.shape[:-2]), np.int64)
            view = numpy_adapter.batch(None, x)
            self._run(getattr(calls, f"cholesky_batch_{call}"), *arguments, _byref(view), address(info))
            self._raise(info, what)

    def solve(self, b: Any, overwrite_b: bool = False) -> np.ndarray:
        """Solves a x = b for each member. b is (n,), or (..., n, nrhs) with leading axes that numpy spreads over a's.

        Complex b with real factors gives complex x.
        """
        b = host_array(b, "b")
        n, lead = self.shape[-1], self.shape[:-2]
        if b.ndim == 0 or b.shape[-1 if b.ndim == 1 else -2] != n:
            raise ValueError(f"incompatible dimensions: the matrices are {self.shape}, b has shape {b.shape}")
        if is_complex(common_dtype(b)) and not is_complex(self.dtype):
            return solve_parts(lambda sides: self.solve(sides, True), b)
        sides = b[:, None] if b.ndim == 1 else b
        if np.broadcast_shapes(lead, sides.shape[:-2]) != lead:
            raise ValueError(f"b has more members than the handle: {b.shape} for {self.shape}")
        whole = lead + sides.shape[-2:]
        kept = overwrite_b and sides.shape == whole and sides.dtype == self.dtype
        same = kept and sides.flags.c_contiguous and sides.flags.writeable
        x = sides if same else np.array(np.broadcast_to(sides, whole), dtype=self.dtype, order="C")
        self._run_members("solve", x, "right-hand side")
        return x[..., 0] if b.ndim == 1 else x

    def inv(self) -> np.ndarray:
        """The inverses from the factors, both triangles.

        >>> clsolve.cho_factor([[[2.0, 1.0], [1.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]]]).inv().round(12)[1]
        array([[0.25, 0.  ],
               [0.  , 1.  ]])
        """
        x = np.zeros(self.shape, self.dtype)
        self._run_members("inverse", x, "inverse", lib.LOWER)
        return x + np.tril(x, -1).conj().swapaxes(-1, -2)

    def factors(self) -> tuple[np.ndarray, bool]:
        """(c, lower) as scipy.linalg.cho_factor returns them; the other triangles of c are zeros."""
        c = np.zeros(self.shape, self.dtype)
        if c.size:
            view = numpy_adapter.batch(None, c)
            self._run(calls.cholesky_batch_factors, lib.LOWER if self.lower else lib.UPPER, _byref(view))
        return c, self.lower

    def __iter__(self) -> Iterator[Any]:
        return iter(self.factors())

    @property
    def report(self) -> Report:
        """How the last call went (clsolve/report.h)."""
        return report_of(self._report())

    def __repr__(self) -> str:
        return f"<clsolve.CholeskyBatch {' x '.join(map(str, self.shape))} {self.dtype}>"


def factor_stack(context: Context, a: np.ndarray, lower: bool, where: str = "auto") -> CholeskyBatch:
    """The factors of the matrices (..., n, n) of a."""
    square(a)
    return CholeskyBatch._made(context, a.shape, common_dtype(a), lower, where).factor(a)
