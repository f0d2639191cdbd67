"""Inverses and preconditioners as scipy's LinearOperator."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._arrays import is_complex


def operator_of(shape: tuple[int, int], dtype: Any, apply: Callable, transposed: Callable | None) -> Any:
    try:
        from scipy.sparse.linalg import LinearOperator
    except ImportError as error:
        raise ImportError("clsolve: operators for Krylov methods need scipy: pip install scipy") from error

    def flat(function: Callable) -> Callable:
        return lambda v: function(np.ravel(v))

    return LinearOperator(
        shape,
        dtype=dtype,
        matvec=flat(apply),
        matmat=apply,
        rmatvec=None if transposed is None else flat(transposed),
        rmatmat=transposed,
    )


def inverse_operator(factors: Any) -> Any:
    """v -> a^-1 v from a handle with solve(b, trans): an LU or a Solver.

    float32 factors are a preconditioner for float64 systems: the operator's result has the type of the factors.
    """
    kind = factors.dtype

    def typed(v: np.ndarray) -> np.ndarray:
        return v if np.iscomplexobj(v) and not is_complex(kind) else np.asarray(v, dtype=kind)

    def apply(v: np.ndarray) -> np.ndarray:
        return factors.solve(typed(v))

    def transposed(v: np.ndarray) -> np.ndarray:
        return factors.solve(typed(v), trans="H")

    return operator_of(factors.shape, kind, apply, transposed)
