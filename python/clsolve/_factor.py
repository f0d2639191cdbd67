"""The calls that factor a dense matrix by LU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import common_dtype, indices, promoted, real_dtype, square, word
from ._batches import nan_instead
from ._context import Context, given_context
from ._errors import of_member
from ._lu import LU
from ._lu_batch import LUBatch
from ._numpy import numpy_adapter, readable
from ._packages import host_array, refuse_gradient, taken
from ._progress import members_reporter, reporter


def lu_factor(
    a: Any,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    precision: str = "auto",
    pivoting: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    rcond: bool = False,
    where: str = "auto",
    memory_limit: int = 0,
    panel: str = "auto",
    seed: int = 0,
    progress: Any = None,
    context: Context | None = None,
) -> Any:
    """Factors a square matrix, P a = L U, or each matrix on the leading axes, for any number of solves.

    a
        (..., n, n) array. It is not changed; `overwrite_a` has no effect. For an array that is not square, the pair
        (lu, piv) of scipy.linalg.lu_factor is returned.
    check_finite
        False: members of a stack that hold NaN or Inf have info -1, and NaN in all that the LUBatch computes. True: the
        first one raises ValueError, as a single matrix does.
    precision
        "auto", "working", or "mixed": float32 factors refined to float64 answers.
    pivoting
        "auto", "partial", "rbt". `seed` is that of "rbt".
    refine, equilibrate, rcond
        True: refine each solution; scale rows and columns; estimate the condition number for `report.direct.rcond`.
    memory_limit
        Bytes of device memory; 0: all that is free. A matrix that is larger is factored out of core.

    Returns an LU, or an LUBatch of a stack (..., n, n), whose members go up to order 4096. A stack takes the options
    `rcond` and `where`: its condition numbers are no estimates.

    A singular matrix gives a LinAlgWarning, as in scipy; solves then raise LinAlgError. Raises
    ValueError for NaN or Inf.

    >>> lu = clsolve.lu_factor([[4.0, 3.0], [6.0, 3.0]])
    >>> lu.solve([10.0, 12.0], trans="N")
    array([1., 2.])
    >>> lu.report.method
    'lu'
    """
    options = lib.LuOptions(
        panel=word("PANEL", "panel", panel),
        precision=word("PRECISION", "precision", precision),
        rcond=rcond,
        equilibrate=equilibrate,
        refine=refine,
        memory_limit=memory_limit,
        pivoting=word("PIVOTING", "pivoting", pivoting),
        seed=seed,
        where=word("WHERE", "where", where),
    )
    adapter, (a,) = taken(a=a)
    refuse_gradient("the factorization", a)
    if len(a.shape) < 2:
        raise ValueError(f"expected a matrix: a has shape {tuple(a.shape)}")
    dtype = promoted(adapter.dtype(a))
    if adapter is numpy_adapter and a.shape[-2] != a.shape[-1]:
        return _padded_factors(a, dtype, context)
    square(a)
    context = given_context(context, adapter, a)
    if len(a.shape) > 2:
        given = {"precision": precision, "pivoting": pivoting, "refine": refine, "equilibrate": equilibrate}
        checks = bool(check_finite)
        return _factored_stack(adapter, context, a, dtype, where, bool(rcond), given, memory_limit, progress, checks)
    watcher = reporter(context, options, progress)
    lu = LU._made(context, a.shape[0], dtype, options)
    lu._watcher = watcher
    a, A = adapter.read(context, a, dtype)
    lu._factor(A, singular_is_error=False)
    lu._warn_if_singular()
    return lu


def _factored_stack(
    adapter: Adapter,
    context: Context,
    a: Any,
    dtype: np.dtype,
    where: str,
    rcond: bool,
    given: dict[str, Any],
    memory_limit: int,
    progress: Any,
    check_finite: bool,
) -> LUBatch:
    for name, value in given.items():
        if value not in ("auto", "working", "partial", False):
            raise ValueError(f"{name} is {value!r}: stacks of matrices have factors with partial pivoting alone")
    if memory_limit:
        raise ValueError("memory_limit is for a single matrix")
    count = math.prod(a.shape[:-2])
    tell = members_reporter(progress, count)
    made = LUBatch._made(context, tuple(a.shape), dtype, where, rcond, check_finite)
    made._factor(adapter, a)
    tell(count)
    return made


def lu_solve(
    lu_and_piv: Any, b: Any, trans: int | str = 0, overwrite_b: bool = False, check_finite: bool = True
) -> np.ndarray:
    """Solves with the factors of `clsolve.lu_factor`; as scipy.linalg.lu_solve.

    lu_and_piv
        An LU, an LUBatch, or a pair (lu, piv) of scipy, which is taken into a handle for this call: `LU.from_factors`
        makes an LU. The members of pairs (..., n, n) and (..., n) are taken one after the other.
    b
        (n,) or (n, nrhs); for a stack of factors (n,) or (..., n, nrhs), whose leading axes broadcast.
    check_finite
        False: members of pairs that hold NaN or Inf, or whose b does, have NaN in x. For an LUBatch lu_factor has it.
    trans
        0 or "N": a x = b; 1 or "T": a^T x = b; 2 or "C" or "H": a^H x = b.

    >>> lu = clsolve.lu_factor([[0.0, 2.0], [1.0, 0.0]])
    >>> clsolve.lu_solve(lu, [2.0, 3.0])
    array([3., 1.])
    """
    if isinstance(lu_and_piv, (LU, LUBatch)):
        return lu_and_piv.solve(b, trans, overwrite_b)
    factors, piv = lu_and_piv
    if max(np.ndim(factors), np.ndim(b)) > 2:
        arrays = host_array(factors, "lu"), host_array(piv, "piv"), host_array(b, "b")
        return _solve_stack(*arrays, trans, check_finite)
    with LU.from_factors(factors, piv) as lu:
        return lu.solve(b, trans, overwrite_b)


def _solve_stack(
    factors: np.ndarray, piv: np.ndarray, b: np.ndarray, trans: int | str, check_finite: bool
) -> np.ndarray:
    """One member after the other."""
    n, vectors = factors.shape[-1], b.ndim == 1
    sides = b[:, None] if vectors else b
    if factors.shape[-2] != n or piv.shape != factors.shape[:-1] or sides.shape[-2] != n:
        raise ValueError(
            f"incompatible dimensions: lu has shape {factors.shape}, piv {piv.shape}, and b has shape {b.shape}"
        )
    lead = np.broadcast_shapes(factors.shape[:-2], sides.shape[:-2])
    spread = [np.broadcast_to(x, lead + x.shape[-axes:]) for x, axes in ((factors, 2), (piv, 1), (sides, 2))]
    x = np.zeros(spread[2].shape, np.result_type(common_dtype(factors), common_dtype(b)))
    for index in indices(lead) if x.size else ():
        with nan_instead(numpy_adapter, x, index, check_finite):
            with LU.from_factors(spread[0][index], spread[1][index]) as lu:
                x[index] = lu.solve(spread[2][index], trans)
    return x[..., 0] if vectors else x


def lu(
    a: Any,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    *,
    context: Context | None = None,
) -> tuple[np.ndarray, ...]:
    """The factors of a = P L U, as scipy.linalg.lu returns them.

    a
        (..., m, n) array. A matrix that is not square is factored as the square one that zeros make of it.
    check_finite
        False: a matrix of a stack that holds NaN or Inf has NaN in its factors.

    Returns (P, L, U), (P L, U) with permute_l, or (p, L, U) with L[p] U = a for p_indices. L is (m, k), U is (k, n)
    with k = min(m, n).

    >>> p, l, u = clsolve.lu([[1.0, 2.0], [4.0, 6.0]])
    >>> u
    array([[4. , 6. ],
           [0. , 0.5]])
    """
    a = host_array(a, "a")
    if a.ndim < 2:
        raise ValueError(f"The input array must be at least two-dimensional: a has shape {a.shape}")
    dtype = common_dtype(a)
    if a.ndim > 2:
        return _lu_batch(a, dtype, permute_l, p_indices, context, check_finite)
    m, n = a.shape
    k = min(m, n)
    factors, piv = _padded_factors(a, dtype, context)
    low = np.tril(factors[:, :k], -1)
    low[np.arange(k), np.arange(k)] = 1
    up = np.triu(factors[:k])
    order = np.arange(m)  # row i of L U is row order[i] of a
    for row in range(k):
        order[[row, piv[row]]] = order[[piv[row], row]]
    if permute_l:
        return low[np.argsort(order)], up
    if p_indices:
        return np.argsort(order), low, up
    permutation = np.zeros((m, m), real_dtype(dtype))
    permutation[order, np.arange(m)] = 1
    return permutation, low, up


def _padded_factors(a: np.ndarray, dtype: np.dtype, context: Context | None) -> tuple[np.ndarray, np.ndarray]:
    """lu and piv of any matrix. Zeros make a square one of it; they change neither pivots nor factors."""
    m, n = a.shape[-2:]
    k, larger = min(m, n), max(m, n)
    if k == 0 or a.ndim > 2:
        lead = a.shape[:-2]
        both = np.zeros(a.shape, dtype), np.zeros((*lead, k), np.int32)
        for index in indices(lead) if k else ():
            with of_member(index):
                both[0][index], both[1][index] = _padded_factors(a[index], dtype, context)
        return both
    if m != n:
        padded = np.zeros((larger, larger), dtype, order="F")
        padded[:m, :n] = a
        a = padded
    with LU._made(given_context(context), larger, dtype, lib.LuOptions(precision=2)) as handle:
        a, A = readable(a, dtype)
        handle._factor(A, singular_is_error=False)
        factors, piv = handle.factors()
    return factors[:m, :n], piv[:k]


def _lu_batch(
    a: np.ndarray, dtype: np.dtype, permute_l: bool, p_indices: bool, context: Context | None, check_finite: bool
) -> tuple[np.ndarray, ...]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    low, up = np.zeros(batch + (m, k), dtype), np.zeros(batch + (k, n), dtype)
    index = np.zeros(batch + (m,), int)
    permutation = np.zeros(batch + (m, m), real_dtype(dtype))
    for place in indices(batch):
        order = np.arange(m) if p_indices else np.eye(m)
        parts: tuple[np.ndarray, ...] = order, low[place], np.full((k, n), np.nan)
        with nan_instead(numpy_adapter, low, place, check_finite):
            parts = lu(a[place], permute_l, p_indices=p_indices, context=context)
        low[place], up[place] = parts[-2:]
        if p_indices and not permute_l:
            index[place] = parts[0]
        elif not permute_l:
            permutation[place] = parts[0]
    return (low, up) if permute_l else (index if p_indices else permutation, low, up)
