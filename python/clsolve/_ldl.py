"""LDL^T of symmetric and hermitian matrices of any signs, and their inertia."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from . import _library as lib
from ._arrays import common_dtype, is_complex, square, type_of, word
from ._cholesky_batch import LDLBatch, taken_apart
from ._context import Context, given_context
from ._library import calls
from ._numpy import writable
from ._packages import only_host
from ._progress import reporter
from ._symmetric import SymmetricFactor

_byref = ctypes.byref
_SINGULAR = next(number for number, name in lib.STATUS.items() if name == "SINGULAR")


class Inertia(NamedTuple):
    """How many eigenvalues are above, below and equal to zero."""

    positive: int
    negative: int
    zero: int


class LDL(SymmetricFactor):
    """The factors of a symmetric or hermitian matrix of any signs, on the device or on the host.

    `clsolve.ldl_factor` makes it.
    """

    hermitian: bool

    @classmethod
    def _made(
        cls, context: Context, n: int, dtype: np.dtype, lower: bool, hermitian: bool, options: lib.LdlOptions
    ) -> LDL:
        made = cls.__new__(cls)
        made.shape, made.dtype, made.lower = (n, n), dtype, bool(lower)
        made.hermitian = made._hermitian = bool(hermitian) or not is_complex(dtype)
        options.symmetry = int(not made.hermitian)
        made._own(context, "ldl", n, type_of(dtype), _byref(options))
        return made

    def slogdet(self) -> tuple[Any, float]:
        """Sign and natural logarithm of the determinant, as numpy.linalg.slogdet."""
        direct = self._direct()
        if self.shape[0] == 0:
            return 1.0, 0.0
        if self.hermitian:  # a real number, whatever the type
            turned = direct.det_sign * np.cos(direct.det_phase)
            return float(np.sign(round(turned))), direct.log_abs_det
        return direct.det_sign * np.exp(1j * direct.det_phase), direct.log_abs_det

    def inertia(self) -> Inertia:
        """How many eigenvalues are above, below and equal to zero, by the signs of D (Sylvester's law of inertia).

        Raises UnsupportedError for a complex matrix with a = a^T, whose eigenvalues have no signs, and for the float32
        factors of the precision "mixed".

        >>> clsolve.ldl_factor([[1.0, 2.0], [2.0, 1.0]]).inertia()
        Inertia(positive=1, negative=1, zero=0)
        """
        found = lib.Inertia()
        self._run(calls.ldl_inertia, _byref(found))
        return Inertia(found.positive, found.negative, found.zero)

    def factors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(lu, d, perm) with a = lu d lu^H as scipy.linalg.ldl returns them for lower=True; lu[perm] is triangular."""
        f = np.zeros(self.shape, self.dtype, order="F")
        ipiv = np.zeros(self.shape[0], np.int64)
        _, view = writable(f, self.dtype, True)
        self._run(calls.ldl_factors, _byref(view), ipiv.ctypes.data)
        return taken_apart(f, ipiv, self.hermitian)

    def __repr__(self) -> str:
        return f"<clsolve.LDL {self.shape[0]} x {self.shape[1]} {self.dtype}>"


def ldl_factor(
    a: Any,
    lower: bool = True,
    hermitian: bool = True,
    *,
    check_finite: bool = True,
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    rcond: bool = False,
    where: str = "auto",
    memory_limit: int = 0,
    panel: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> LDL | LDLBatch:
    """Factors a symmetric or hermitian matrix of any signs, P^T a P = L D L^T, for any number of solves.

    a
        (n, n) array, of which the triangle that `lower` names is read. It is not changed.
    hermitian
        False: a complex array is symmetric, a = a^T; True: a = a^H, and imaginary parts on the diagonal count as
        zeros. Real arrays are both.
    check_finite
        False: members of a stack that hold NaN or Inf have info -1, NaN in all that the LDLBatch computes, and -1 in
        its inertia.
    precision, refine, equilibrate, rcond, where, memory_limit, panel, progress, context
        As for clsolve.lu_factor.

    Returns an LDL. Raises LinAlgError for a singular matrix, whose inertia `clsolve.inertia` gives; ValueError for NaN
    or Inf.

    A stack (..., n, n) of matrices of order up to 64 gives an LDLBatch, all of them factored at once. `check_finite`,
    `rcond`, `where` and `context` are its only options.

    >>> factor = clsolve.ldl_factor([[0.0, 2.0], [2.0, 1.0]])
    >>> factor.solve([2.0, 3.0])
    array([1., 1.])
    """
    a = only_host(a, "a")
    square(a)
    if a.ndim > 2:
        others = precision, refine, equilibrate, memory_limit, panel, progress
        if others != ("auto", False, False, 0, "auto", None):
            raise ValueError("a stack of matrices has the options rcond, where and context alone")
        kind = common_dtype(a), lower, hermitian, where, rcond, check_finite
        stack = LDLBatch._made(given_context(context), a.shape, *kind)
        stack.factor(a)
        return stack
    options = lib.LdlOptions(
        panel=word("PANEL", "panel", panel),
        precision=word("PRECISION", "precision", precision),
        rcond=rcond,
        equilibrate=equilibrate,
        refine=refine,
        memory_limit=memory_limit,
        where=word("WHERE", "where", where),
    )
    context = given_context(context)
    watcher = reporter(context, options, progress)
    made = LDL._made(context, a.shape[0], common_dtype(a), lower, hermitian, options)
    made._watcher = watcher
    return made.factor(a)


def _counted(a: Any, lower: bool, hermitian: bool, context: Context | None) -> LDL:
    """Factors in the working precision, of a singular matrix too."""
    a = only_host(a, "a")
    square(a)
    if a.ndim != 2:
        raise ValueError(f"expected a square matrix: a has shape {a.shape}")
    options = lib.LdlOptions(precision=word("PRECISION", "precision", "working"))
    made = LDL._made(given_context(context), a.shape[0], common_dtype(a), lower, hermitian, options)
    made._allowed = _SINGULAR
    return made.factor(a)


def ldl(
    A: Any,
    lower: bool = True,
    hermitian: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    context: Context | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(lu, d, perm) with A = lu d lu^H, or lu d lu^T, as scipy.linalg.ldl; the pivots may be others than scipy's.

    A
        (n, n) array, of which the triangle that `lower` names is read. `overwrite_a` and `check_finite` have no effect.
    hermitian
        As for clsolve.ldl_factor.

    lu[perm] is unit lower triangular, or without `lower` upper triangular, and d has blocks of order 1 and 2.

    >>> lu, d, perm = clsolve.ldl([[2.0, 1.0], [1.0, -3.0]])
    >>> (lu @ d @ lu.T).round(12)
    array([[ 2.,  1.],
           [ 1., -3.]])
    """
    A = only_host(A, "A")
    if lower or A.ndim != 2:
        with _counted(A, True, hermitian, context) as handle:
            return handle.factors()
    with _counted(A[::-1, ::-1], True, hermitian, context) as handle:  # the upper triangle, from the last row on
        lu, d, perm = handle.factors()
    return lu[::-1, ::-1], d[::-1, ::-1], len(perm) - 1 - perm[::-1]


def inertia(a: Any, lower: bool = True, *, context: Context | None = None) -> Inertia | np.ndarray:
    """How many eigenvalues of a symmetric or hermitian matrix are above, below and equal to zero.

    a
        (n, n) array, of which the triangle that `lower` names is read; a singular one will do. An eigenvalue within
        rounding of zero may be counted with either sign. A stack (..., n, n) of matrices of order up to 64 gives an
        array (..., 3), with -1 for a member that holds NaN or Inf.

    >>> clsolve.inertia([[1.0, 2.0], [2.0, 1.0]])
    Inertia(positive=1, negative=1, zero=0)
    >>> clsolve.inertia([[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, np.nan]]])
    array([[ 1,  1,  0],
           [-1, -1, -1]])
    """
    a = only_host(a, "a")
    square(a)
    if a.ndim > 2:
        kind = common_dtype(a), lower, True, "auto", False, False
        with LDLBatch._made(given_context(context), a.shape, *kind) as stack:
            stack._silent = True
            return stack.factor(a).inertia()
    with _counted(a, lower, True, context) as handle:
        return handle.inertia()
