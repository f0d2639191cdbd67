"""solve, for one dense system and for many."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Callable

import numpy as np

from . import _library as lib
from ._arrays import (
    address,
    batch_view,
    common_dtype,
    host_array,
    is_complex,
    is_foreign,
    is_sparse,
    readable,
    readable_members,
    solve_parts,
    square,
    structured,
    word,
    writable,
    writable_sides,
)
from ._batches import batch_handle_of_type, raise_infos
from ._context import Context, given_context
from ._errors import exception, of_member, warn_if_ill
from ._library import calls
from ._lu import LU
from ._progress import members_reporter, reporter

_byref = ctypes.byref


def _solver_options(
    precision: str, refine: bool, equilibrate: bool, pivoting: str, where: str, rcond: bool
) -> lib.SolverOptions:
    return lib.SolverOptions(
        precision=word("PRECISION", "precision", precision),
        equilibrate=equilibrate,
        refine=refine,
        rcond=rcond,
        pivoting=word("PIVOTING", "pivoting", pivoting),
        where=word("WHERE", "where", where),
    )


# The usual calls: with the condition number, and without.
_plain_options = {True: lib.SolverOptions(rcond=1), False: lib.SolverOptions()}


def solve(
    a: Any,
    b: Any,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
    *,
    precision: str = "auto",
    refine: bool = False,
    equilibrate: bool = False,
    pivoting: str = "auto",
    where: str = "auto",
    rcond: bool = True,
    progress: Any = None,
    context: Context | None = None,
) -> Any:
    """Solves a x = b for a dense or a sparse matrix.

    a
        (..., n, n) array, or an (n, n) matrix of scipy.sparse, for which `clsolve.sparse.spsolve` has the options.
    b
        (n,) or (..., n, nrhs) array. Leading axes are batches and broadcast as in numpy.linalg.solve of numpy 2: `b` is
        a vector only if it has one axis.
    lower, assume_a
        As scipy.linalg.solve has them: the part of `a` that is meant is read. "pos" is solved by Cholesky, which raises
        LinAlgError for a matrix that is not positive definite; anything else as a general system.
    overwrite_b
        True: the solution may be written into `b`. `a` is never changed, so `overwrite_a` has no effect.
    check_finite
        Has no effect: the library always checks.
    transposed
        True: solves a^T x = b, which conjugates nothing.
    precision, refine, equilibrate, pivoting, where
        Options of the library: "auto", "mixed", "working"; "auto", "partial", "rbt"; "auto", "device", "host".
    rcond
        True: estimates the condition number, and warns if no digit of x is sure. With "mixed" that is already so where
        the float32 factors tell no more than a bound, also if the refined x has correct digits. False saves that time.
    progress
        A function (phase, fraction), or a tqdm bar. It is told of the members of a batch that are done.

    Returns x in the shape that numpy 2's linalg.solve gives. It is float32 if `a` and `b` are, else float64; and
    complex64 or complex128 if one of them is complex.

    Raises ValueError for shapes that do not fit and for NaN or Inf, LinAlgError for a singular matrix, TypeError for
    long double. Warns with LinAlgWarning for an ill-conditioned matrix.

    >>> clsolve.solve([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0])
    array([1., 2.])
    """
    if type(a) is not np.ndarray:
        if is_sparse(a):
            from .sparse import spsolve

            if assume_a not in (None, "gen", "general"):
                raise ValueError("assume_a is for numpy arrays: give the general matrix")
            return spsolve(
                a,
                b,
                trans="T" if transposed else "N",
                overwrite_b=overwrite_b,
                precision=precision,
                refine=refine,
                equilibrate=equilibrate,
                pivoting=pivoting,
                where=where,
                progress=progress,
                context=context,
            )
        if is_foreign(a):
            return _solve_foreign(
                a,
                b,
                transposed,
                overwrite_b,
                assume_a,
                {
                    "precision": precision,
                    "refine": refine,
                    "equilibrate": equilibrate,
                    "pivoting": pivoting,
                    "where": where,
                    "rcond": rcond,
                },
                progress,
                context,
            )
        a = host_array(a, "a")
    if type(b) is not np.ndarray:
        b = host_array(b, "b")
    if a.ndim == 1 and a.shape != (1,):
        raise ValueError(f"expected a square matrix: a has shape {a.shape}")
    if a.ndim < 2:
        a = np.atleast_2d(a)
    square(a)
    positive = assume_a in ("pos", "positive definite") and pivoting == "auto"
    if assume_a is not None and assume_a not in ("gen", "general"):
        a = structured(a, assume_a, lower)
    if a.shape == (1, 1) and b.ndim < 2 and b.shape != (1,):  # scipy takes any b for a single number a
        words: dict[str, Any] = {"precision": precision, "pivoting": pivoting, "where": where, "rcond": rcond}
        words.update(refine=refine, equilibrate=equilibrate, progress=progress, context=context)
        x = solve(a, b.reshape(1, -1), **words)
        return x.reshape(b.shape or (1,))
    vector = b.ndim == 1
    if b.ndim == 0 or b.shape[0 if vector else -2] != a.shape[-1]:
        raise ValueError(f"incompatible dimensions: a has shape {a.shape}, b has shape {b.shape}")
    if is_complex(b.dtype) and not is_complex(a.dtype):
        common_dtype(a, b)
        given: dict[str, Any] = {"transposed": transposed, "precision": precision, "refine": refine, "where": where}
        given.update(equilibrate=equilibrate, pivoting=pivoting, rcond=rcond, progress=progress, context=context)
        given.update(assume_a="pos" if positive else None)
        return solve_parts(lambda sides: solve(a, sides, **given), b)
    context = given_context(context)
    plain = precision == "auto" and pivoting == "auto" and where == "auto" and not (refine or equilibrate)
    if a.ndim > 2 or b.ndim > 2:
        options = None if plain else _solver_options(precision, refine, equilibrate, pivoting, where, False)
        return _solve_batch(context, a, b, transposed, overwrite_b, options, progress)

    dtype = common_dtype(a, b)
    if plain and not positive and progress is None:
        options = _plain_options[bool(rcond)]
    else:
        options = _solver_options(precision, refine, equilibrate, pivoting, where, rcond)
        options.method = word("METHOD", "method", "cholesky" if positive else "auto")
    watcher = reporter(context, options, progress)
    a, A = readable(a, dtype)
    b, B = writable_sides(b, dtype, overwrite_b)
    report = lib.SolveReport() if rcond else None
    status, message = context.status(
        calls.solve,
        context._handle,
        1 if transposed else 0,
        _byref(A),
        _byref(B),
        _byref(options),
        None if report is None else _byref(report),
    )
    if watcher is not None:
        watcher.raise_error(status)
    if status:
        raise exception(status, message)
    if report is not None:
        direct = report.report.direct
        if direct.rcond < 1e-6 or direct.rcond_is_bound:  # a quick test, before the type's epsilon is looked up
            warn_if_ill(direct, dtype, 2)
    return b


def _solve_foreign(
    a: Any,
    b: Any,
    transposed: bool,
    overwrite_b: bool,
    assume_a: str | None,
    words: dict[str, Any],
    progress: Any,
    context: Context | None,
) -> Any:
    """solve for arrays of other packages."""
    from . import _device

    if assume_a not in (None, "gen", "general"):
        raise ValueError("assume_a is for numpy arrays: give the general matrix")
    if _device.adapter_of(a) is None:
        given = {**words, "transposed": transposed, "progress": progress, "context": context}
        return _device.through_dlpack(a, (a, b), lambda *arrays: solve(*arrays, **given))
    if _device.wants_gradient(a, b):
        from ._torch import Solve

        a, b, dtype = _device.alike(a, b)
        held: list[LU] = []  # the factors
        x = Solve.apply(a, b, int(bool(transposed)), held, {**words, "progress": progress, "context": context})
        if words["rcond"] and held:
            warn_if_ill(held[0]._direct(), dtype, 3)
        return x
    options = _solver_options(**words)
    plain = all(words[name] in ("auto", False) for name in words if name != "rcond")
    x, direct, dtype = _device.solve(
        a, b, transposed, overwrite_b, options, _lu_options_of(options), plain, progress, context
    )
    if words["rcond"] and direct is not None:
        warn_if_ill(direct, dtype, 3)
    return x


def _solve_batch(
    context: Context,
    a: np.ndarray,
    b: np.ndarray,
    transposed: bool,
    overwrite_b: bool,
    options: lib.SolverOptions | None,
    progress: Any,
) -> np.ndarray:
    dtype = common_dtype(a, b)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    n, nrhs = b.shape[-2:]
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    same_b = overwrite_b and b.shape[:-2] == shape and b.dtype == dtype and b.flags.c_contiguous and b.flags.writeable
    x = b if same_b else np.array(np.broadcast_to(b, shape + (n, nrhs)), dtype=dtype, order="C")
    members_a = np.broadcast_to(a.astype(dtype, copy=False), shape + (n, n))
    tell = members_reporter(progress, math.prod(shape))
    small = n <= lib.BATCH_LARGEST and options is None and x.size
    handle = batch_handle_of_type(context, n, math.prod(shape), dtype) if small else None
    if handle is not None:
        members, A = readable_members(members_a, dtype)
        B = batch_view(x)
        info = np.zeros(B.count, np.int64)
        try:
            handle._run(calls.gauss_jordan_batch_solve, int(transposed), _byref(A), _byref(B), address(info))
        finally:
            handle.close()
        raise_infos(info, "or its right-hand side", shape, (members_a, 2), (x, 2))
        tell(B.count)
    else:
        _solve_each(context, members_a, x, dtype, transposed, options, tell)
    return x[..., 0] if vector else x


def _solve_each(
    context: Context,
    a: np.ndarray,
    x: np.ndarray,
    dtype: np.dtype,
    transposed: bool,
    options: lib.SolverOptions | None,
    tell: Callable[[int], None],
) -> None:
    """Larger members, one after the other. x holds the right-hand sides and becomes the solutions."""
    n, nrhs = x.shape[-2:]
    if x.size == 0:
        return
    shape = x.shape[:-2]
    handle = LU._made(context, n, dtype, _lu_options_of(options))
    with handle:
        for done, index in enumerate(np.ndindex(*shape)):
            with of_member(index):
                handle._factor(a[index])
                _, B = writable(x[index], dtype, True)
                handle._run(calls.lu_solve, int(transposed), _byref(B))
            tell(done + 1)


def _lu_options_of(options: lib.SolverOptions | None) -> lib.LuOptions:
    made = lib.LuOptions()
    if options is not None:
        for name in ("precision", "equilibrate", "refine", "pivoting", "where", "rcond"):
            setattr(made, name, getattr(options, name))
    return made
