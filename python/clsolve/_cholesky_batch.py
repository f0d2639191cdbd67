"""Cholesky and LDL^T factors of many symmetric or hermitian matrices at once."""

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


class SymmetricBatch(Handle):
    """The factors of a stack of matrices of each of which one triangle is read.

    info
        int64 of the leading axes, after check_finite=False: -1 where the member holds NaN or Inf, else 0. Such a member
        has NaN for all that is asked, and -1 in its inertia.
    """

    context: Context
    shape: tuple[int, ...]
    dtype: np.dtype
    lower: bool
    info: np.ndarray
    _checks: bool
    _hermitian = True  # a complex matrix is
    _silent = False  # members without factors raise nothing
    _largest: int
    _bad: str  # what a member is whose info is a number from 1

    @classmethod
    def _new(
        cls,
        context: Context,
        shape: tuple[int, ...],
        dtype: np.dtype,
        lower: bool,
        family: str,
        options: Any,
        check_finite: bool,
    ) -> Any:
        n, count = shape[-1], math.prod(shape[:-2])
        if n > cls._largest:
            raise ValueError(f"stacks of matrices go up to order {cls._largest}: a has shape {shape}")
        made = cls.__new__(cls)
        made.shape, made.dtype, made.lower, made._checks = shape, dtype, bool(lower), bool(check_finite)
        made.info = np.zeros(shape[:-2], np.int64)
        made._own(context, family, n, count, type_of(dtype), _byref(options))
        return made

    def _raise(self, info: np.ndarray, what: str) -> None:
        bad = np.flatnonzero(info if self._checks else info > 0)
        if bad.size == 0 or self._silent:
            return
        name, number = member_name(np.unravel_index(int(bad[0]), self.shape[:-2])), int(info[bad[0]])
        if number > 0:
            raise LinAlgError(f"{name} is {self._bad.format(number)}")
        raise ValueError(f"{name} or its {what} holds infs or NaNs, or overflows")

    def factor(self, a: Any) -> Any:
        """Factors another stack of the same shape in the memory that the handle has.

        Raises LinAlgError for the first member without factors.
        """
        a = host_array(a, "a")
        if a.shape != self.shape:
            raise ValueError(f"a has shape {a.shape}: the handle is for {self.shape}")
        if is_complex(common_dtype(a)) and not is_complex(self.dtype):
            raise TypeError(f"a is {a.dtype}: the handle is for {self.dtype}")
        a = numpy_adapter.viewable(numpy_adapter.cast(a, self.dtype))
        info = self._run_members("factor", a, "factor", self._uplo())
        self.info = np.minimum(info, 0).reshape(self.shape[:-2])
        return self

    def _uplo(self) -> int:
        return lib.LOWER if self.lower else lib.UPPER

    def _run_members(self, call: str, x: np.ndarray, what: str, *arguments: int) -> np.ndarray:
        """A call that gives each member of x a number, which may name an error in the member's `what`."""
        info = np.zeros(math.prod(x.shape[:-2]), np.int64)
        if x.size:
            view = numpy_adapter.batch(None, x)
            self._run(getattr(calls, f"{self._family}_{call}"), *arguments, _byref(view), address(info))
            self._raise(info, what)
        return info

    def _make_members(self, call: str, x: np.ndarray, what: str, *arguments: int) -> None:
        """The same for a call that writes x. Without checks a member with NaN or Inf becomes NaN."""
        info = self._run_members(call, x, what, *arguments)
        x[info.reshape(x.shape[:-2]) < 0] = np.nan

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
        self._make_members("solve", x, "right-hand side")
        return x[..., 0] if b.ndim == 1 else x

    def inv(self) -> np.ndarray:
        """The inverses from the factors, both triangles.

        >>> clsolve.cho_factor([[[2.0, 1.0], [1.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]]]).inv().round(12)[1]
        array([[0.25, 0.  ],
               [0.  , 1.  ]])
        """
        x = np.zeros(self.shape, self.dtype)
        self._make_members("inverse", x, "inverse", lib.LOWER)
        other = np.tril(x, -1).swapaxes(-1, -2)
        return x + (other.conj() if self._hermitian else other)

    @property
    def report(self) -> Report:
        """How the last call went (clsolve/report.h)."""
        return report_of(self._report())

    def __repr__(self) -> str:
        return f"<clsolve.{type(self).__name__} {' x '.join(map(str, self.shape))} {self.dtype}>"


class CholeskyBatch(SymmetricBatch):
    """The factors of a stack of matrices (..., n, n), n up to 4096. `clsolve.cho_factor` makes it of such an array.

    `c, lower = clsolve.cho_factor(a)` gives LAPACK's factors as scipy.linalg.cho_factor does.
    """

    _largest = lib.CHOLESKY_BATCH_LARGEST
    _bad = "not positive definite: its leading minor of order {} is not"

    def factors(self) -> tuple[np.ndarray, bool]:
        """(c, lower) as scipy.linalg.cho_factor returns them; the other triangles of c are zeros."""
        c = np.zeros(self.shape, self.dtype)
        if c.size:
            view = numpy_adapter.batch(None, c)
            self._run(calls.cholesky_batch_factors, self._uplo(), _byref(view))
            c[self.info < 0] = (np.tril if self.lower else np.triu)(np.full(self.shape[-2:], np.nan))
        return c, self.lower

    def __iter__(self) -> Iterator[Any]:
        return iter(self.factors())


def taken_apart(f: np.ndarray, ipiv: np.ndarray, hermitian: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """LAPACK's sytrf_rook as L with all exchanges in it, D, and the order of rows."""
    n = len(ipiv)
    d = np.diag(np.diag(f))
    order = np.arange(n)
    k = 0
    while k < n:
        pair = ipiv[k] < 0
        for row in (k, k + 1)[: 1 + pair]:
            other = abs(ipiv[row]) - 1
            f[[row, other], :k] = f[[other, row], :k]
            order[[row, other]] = order[[other, row]]
        if pair:
            d[k + 1, k] = f[k + 1, k]
            d[k, k + 1] = f[k + 1, k].conj() if hermitian else f[k + 1, k]
            f[k + 1, k] = 0
        k += 1 + pair
    lu = np.zeros_like(f)
    lu[order] = np.tril(f, -1) + np.eye(n, dtype=f.dtype)
    return lu, d, order


class LDLBatch(SymmetricBatch):
    """The factors of a stack of matrices (..., n, n), n up to 64. `clsolve.ldl_factor` makes it of such an array."""

    _largest = lib.LDL_BATCH_LARGEST
    _bad = "singular: pivot {} is zero"

    _condition: bool

    @classmethod
    def _made(
        cls,
        context: Context,
        shape: tuple[int, ...],
        dtype: np.dtype,
        lower: bool,
        hermitian: bool,
        where: str,
        condition: bool,
        check_finite: bool,
    ) -> LDLBatch:
        real = hermitian or not is_complex(dtype)
        options = lib.LdlBatchOptions(
            where=word("WHERE", "where", where), symmetry=int(not real), condition=bool(condition)
        )
        made: LDLBatch = cls._new(context, shape, dtype, lower, "ldl_batch", options, check_finite)
        made._hermitian, made._condition = bool(real), bool(condition)
        return made

    def inertia(self) -> np.ndarray:
        """How many eigenvalues of each member are above, below and equal to zero, as an array (..., 3).

        `clsolve.inertia` counts without factors that are kept, of singular members too.

        >>> clsolve.ldl_factor([[[1.0, 2.0], [2.0, 1.0]], [[4.0, 0.0], [0.0, 1.0]]]).inertia()
        array([[1, 1, 0],
               [2, 0, 0]])
        """
        found = np.zeros((*self.shape[:-2], 3), np.int64)
        if found.size and self.shape[-1]:
            self._run(calls.ldl_batch_inertia, address(found))
        return found

    def slogdet(self) -> tuple[np.ndarray, np.ndarray]:
        """Signs and natural logarithms of the determinants, as numpy.linalg.slogdet."""
        sign = np.ones(self.shape[:-2], np.complex128 if is_complex(self.dtype) else np.float64)
        size = np.zeros(self.shape[:-2])
        if size.size and self.shape[-1]:
            self._run(calls.ldl_batch_determinant, None, address(sign), address(size))
        return sign, size

    @property
    def rcond(self) -> np.ndarray:
        """The reciprocal condition numbers in the 1-norm, after ldl_factor(a, rcond=True). They are no estimates."""
        if not self._condition:
            raise ValueError("the norms are not known: make the factors with ldl_factor(a, rcond=True)")
        found = np.ones(self.shape[:-2])  # of order 0
        if found.size and self.shape[-1]:
            self._run(calls.ldl_batch_condition, address(found))
        return found

    def factors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(lu, d, perm) of all members, each as LDL.factors has them.

        >>> lu, d, perm = clsolve.ldl_factor([[[2.0, 1.0], [1.0, -3.0]]]).factors()
        >>> (lu @ d @ lu.swapaxes(-1, -2)).round(12)
        array([[[ 2.,  1.],
                [ 1., -3.]]])
        """
        lu, ipiv = np.zeros(self.shape, self.dtype), np.zeros(self.shape[:-1], np.int64)
        d, perm = np.zeros_like(lu), np.zeros_like(ipiv)
        if lu.size:
            self._run(calls.ldl_batch_factors, _byref(numpy_adapter.batch(None, lu)), address(ipiv))
        for index in np.ndindex(*self.shape[:-2]):
            if self.info[index] < 0:
                lu[index], d[index], perm[index] = np.nan, np.nan, np.arange(self.shape[-1])
            else:
                lu[index], d[index], perm[index] = taken_apart(lu[index], ipiv[index], self._hermitian)
        return lu, d, perm


def factor_stack(
    context: Context, a: np.ndarray, lower: bool, where: str = "auto", check_finite: bool = True
) -> CholeskyBatch:
    """The factors of the matrices (..., n, n) of a."""
    square(a)
    options = lib.CholeskyBatchOptions(where=word("WHERE", "where", where))
    family = "cholesky_batch"
    made: CholeskyBatch = CholeskyBatch._new(context, a.shape, common_dtype(a), lower, family, options, check_finite)
    made.factor(a)
    return made
