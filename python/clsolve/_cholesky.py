"""Cholesky factors of symmetric and of hermitian positive definite matrices."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator

import numpy as np

from . import _library as lib
from ._arrays import common_dtype, indices, is_complex, square, type_of, word
from ._batches import nan_instead
from ._cholesky_batch import CholeskyBatch, factor_stack
from ._context import Context, given_context
from ._errors import DeviceMemoryError
from ._library import calls
from ._numpy import numpy_adapter, readable
from ._packages import only_host
from ._progress import reporter
from ._symmetric import SymmetricFactor

_byref = ctypes.byref


class Cholesky(SymmetricFactor):
    """The factor of a symmetric or hermitian positive definite matrix, on the device or on the host.

    `clsolve.cho_factor` makes it. `c, lower = clsolve.cho_factor(a)` gives LAPACK's factor as
    scipy.linalg.cho_factor does.
    """

    @classmethod
    def _made(cls, context: Context, n: int, dtype: np.dtype, lower: bool, options: lib.CholeskyOptions) -> Cholesky:
        made = cls.__new__(cls)
        made.shape, made.dtype, made.lower = (n, n), dtype, bool(lower)
        made._own(context, "cholesky", n, type_of(dtype), _byref(options))
        return made

    @classmethod
    def from_factors(
        cls, c: Any, lower: bool = False, *, where: str = "auto", memory_limit: int = 0, context: Context | None = None
    ) -> Cholesky:
        """A Cholesky of a factor that was computed elsewhere, in the form of scipy.linalg.cho_factor.

        The array is read and not kept, and of it the triangle that `lower` names. Raises ValueError for NaN or Inf,
        LinAlgError for a zero on the diagonal.

        >>> factor = clsolve.Cholesky.from_factors([[2.0, 1.0], [0.0, 3.0]])  # of [[4, 2], [2, 10]]
        >>> factor.solve([6.0, 12.0])
        array([1., 1.])
        """
        c = only_host(c, "c")
        if c.ndim != 2 or c.shape[0] != c.shape[1]:
            raise ValueError(f"expected a square factor: c has shape {c.shape}")
        options = lib.CholeskyOptions(
            precision=word("PRECISION", "precision", "working"),
            where=word("WHERE", "where", where),
            memory_limit=memory_limit,
        )
        made = cls._made(given_context(context), c.shape[0], common_dtype(c), lower, options)
        made._take(c)
        return made

    def _take(self, c: np.ndarray) -> None:
        c, view = readable(c, self.dtype)
        self._run(calls.cholesky_import, self._uplo(), _byref(view))

    def slogdet(self) -> tuple[float, float]:
        """Sign and natural logarithm of the determinant, as numpy.linalg.slogdet: the sign is 1."""
        return (1.0, self._direct().log_abs_det) if self.shape[0] else (1.0, 0.0)

    def factors(self) -> tuple[np.ndarray, bool]:
        """(c, lower) as scipy.linalg.cho_factor returns them; the other triangle of c is zeros."""
        return self._triangle(calls.cholesky_factors, self.lower), self.lower

    def __iter__(self) -> Iterator[Any]:
        return iter(self.factors())

    def as_operator(self) -> Any:
        """The inverse as a scipy.sparse.linalg.LinearOperator, for example a preconditioner of a Krylov method."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(
            self.shape, matvec=self.solve, rmatvec=self.solve, matmat=self.solve, rmatmat=self.solve, dtype=self.dtype
        )

    def __repr__(self) -> str:
        return f"<clsolve.Cholesky {self.shape[0]} x {self.shape[1]} {self.dtype}>"


def cho_factor(
    a: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    rcond: bool = False,
    where: str = "auto",
    memory_limit: int = 0,
    panel: str = "auto",
    progress: Any = None,
    context: Context | None = None,
) -> Cholesky | CholeskyBatch:
    """Factors a symmetric positive definite matrix, a = L L^T = U^T U, for any number of solves.

    a
        (n, n) array, of which the triangle that `lower` names is read. It is not changed; `overwrite_a` has no effect.
        A complex array is hermitian: L^T is the conjugate transpose, and imaginary parts on the diagonal count as
        zeros, as in LAPACK.
    check_finite
        False: members of a stack that hold NaN or Inf have info -1, and NaN in all that the CholeskyBatch computes.
    precision, refine, equilibrate, rcond, where, memory_limit, panel, progress, context
        As for clsolve.lu_factor.

    Returns a Cholesky, which is also the pair (c, lower) of scipy.linalg.cho_factor. Raises LinAlgError for a matrix
    that is not positive definite, ValueError for NaN or Inf.

    A stack (..., n, n) of matrices of order up to 4096 gives a CholeskyBatch, all of them factored at once. `where` and
    `context` are its only options.

    >>> factor = clsolve.cho_factor([[4.0, 2.0], [2.0, 10.0]])
    >>> factor.solve([6.0, 12.0])
    array([1., 1.])
    """
    a = only_host(a, "a")
    if a.ndim < 2:
        raise ValueError(f"expected a square matrix: a has shape {a.shape}")
    square(a)
    if a.ndim > 2:
        others = precision, refine, equilibrate, rcond, memory_limit, panel, progress
        if others != ("auto", False, False, False, 0, "auto", None):
            raise ValueError("a stack of matrices has the options where and context alone")
        return factor_stack(given_context(context), a, lower, where, check_finite)
    options = lib.CholeskyOptions(
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
    made = Cholesky._made(context, a.shape[0], common_dtype(a), lower, options)
    made._watcher = watcher
    return made.factor(a)


def _solve_stack(c: np.ndarray, lower: bool, b: np.ndarray, check_finite: bool) -> np.ndarray:
    """Solves with factors (..., n, n), by one handle that takes them one after the other."""
    if b.ndim == 0 or c.shape[-1] != c.shape[-2] or b.shape[-1 if b.ndim == 1 else -2] != c.shape[-1]:
        raise ValueError(f"incompatible dimensions: c has shape {c.shape}, b has shape {b.shape}")
    sides = b[:, None] if b.ndim == 1 else b
    lead = np.broadcast_shapes(c.shape[:-2], sides.shape[:-2])
    c = np.broadcast_to(c, lead + c.shape[-2:])
    sides = np.broadcast_to(sides, lead + sides.shape[-2:])
    dtype = common_dtype(c)
    if is_complex(common_dtype(b)):
        dtype = np.result_type(dtype, np.complex64)
    x = np.zeros(sides.shape, dtype)
    if x.size:
        with Cholesky.from_factors(np.eye(c.shape[-1], dtype=common_dtype(c)), lower) as factor:
            for index in indices(lead):
                with nan_instead(numpy_adapter, x, index, check_finite):
                    factor._take(c[index])
                    x[index] = factor.solve(sides[index])
    return x[..., 0] if b.ndim == 1 else x


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> np.ndarray:
    """Solves a x = b with the factor of cho_factor, as scipy.linalg.cho_solve.

    c_and_lower
        A Cholesky, a CholeskyBatch, or a pair (c, lower) of scipy, which is taken into a handle for this call. Factors
        c (..., n, n) are taken one after the other; a CholeskyBatch solves with all of them at once. With
        check_finite=False those that hold NaN or Inf, or whose b does, have NaN in x; a CholeskyBatch is as cho_factor
        was asked to make it.

    >>> clsolve.cho_solve(clsolve.cho_factor([[4.0, 2.0], [2.0, 10.0]]), [6.0, 12.0])
    array([1., 1.])
    """
    if isinstance(c_and_lower, (Cholesky, CholeskyBatch)):
        return c_and_lower.solve(b, overwrite_b)
    c, lower = c_and_lower
    c = only_host(c, "c")
    if c.ndim > 2:
        return _solve_stack(c, lower, only_host(b, "b"), check_finite)
    with Cholesky.from_factors(c, lower) as factor:
        return factor.solve(b, overwrite_b)


def cholesky(
    a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True, *, context: Context | None = None
) -> np.ndarray:
    """The factor of a = L L^T (`lower`) or a = U^T U, as scipy.linalg.cholesky: zeros in the other triangle.

    a
        (..., n, n) array; the triangle that `lower` names is read. A complex array is hermitian.
    check_finite
        False: a matrix of a stack that holds NaN or Inf has NaN in its factor.

    >>> clsolve.cholesky([[4.0, 2.0], [2.0, 10.0]])
    array([[2., 1.],
           [0., 3.]])
    """
    a = only_host(a, "a")
    if a.ndim < 2:
        raise ValueError(f"The input array must be at least two-dimensional: a has shape {a.shape}")
    square(a)
    dtype = common_dtype(a)
    n = a.shape[-1]
    if a.ndim > 2:
        out = np.zeros(a.shape, dtype)
    if n == 0 or a.size == 0:
        return np.zeros(a.shape, dtype)
    if a.ndim > 2 and n <= lib.CHOLESKY_BATCH_LARGEST:
        try:
            with factor_stack(given_context(context), a, lower, check_finite=check_finite) as batch:
                return batch.factors()[0]
        except DeviceMemoryError:  # one after the other
            pass
    options = lib.CholeskyOptions(precision=word("PRECISION", "precision", "working"))
    with Cholesky._made(given_context(context), n, dtype, lower, options) as handle:
        if a.ndim == 2:
            return handle.factor(a).factors()[0]
        for index in indices(a.shape[:-2]):
            with nan_instead(numpy_adapter, out, index, check_finite):
                out[index] = handle.factor(a[index]).factors()[0]
    return out
