"""Block-tridiagonal systems on grids."""

from __future__ import annotations

import ctypes
import math
import operator
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import is_complex, promoted, type_of, word
from ._context import Context, given_context
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter
from ._operators import operator_of
from ._packages import known_array, refuse_gradient, same_place, through_dlpack, unknown
from ._progress import reporter
from ._report import Report, report_of

_byref = ctypes.byref


def _axes(x: Any) -> int:
    return len(x.shape) if hasattr(x, "shape") else np.ndim(x)


def _coefficients(up: Any, a: Any, c: Any, b: Any, down: Any) -> tuple[list[Any], Adapter]:
    """The five coefficients, numbers as numpy's, and the adapter of those that are arrays."""
    given = {"up": up, "a": a, "c": c, "b": b, "down": down}
    given = {name: known_array(x) for name, x in given.items()}
    refuse_gradient("Grid", *given.values())
    arrays = {name: x for name, x in given.items() if _axes(x)}
    adapter, known = same_place(**arrays) if arrays else (numpy_adapter, [])
    taken = {**{name: np.asarray(x) for name, x in given.items() if name not in arrays}, **dict(zip(arrays, known))}
    return [taken[name] for name in given], adapter


class Grid(Handle):
    """A block-tridiagonal system on a grid of N lines of M points, solved by an iteration on the device::

        up[i,k] y[i-1,k] + a[i,k] y[i,k-1] + c[i,k] y[i,k] + b[i,k] y[i,k+1] + down[i,k] y[i+1,k] = f[i,k]

    up, a, c, b, down
        (N, M) arrays, or numbers for constant coefficients; `c` is an array, or `shape` is given. Couplings that lead
        out of the grid are not used. Arrays are numpy's, or of one other package: these stay on their device.
    method
        "auto", "multigrid" (its smoother is the zebra sweep: red-black block Gauss-Seidel), "gauss_seidel", "sor",
        "sweeps", or "cg", "cocg", "bicgstab", "fgmres".
    preconditioner
        For the last three: "auto", "zebra", "multigrid", "none".
    cycle
        For multigrid: "v", "w", "f". smooth_before and smooth_after are its sweeps; 0: 1.
    tol, maxiter
        The relative residual to stop at (0: 1e-10, or 1e-5 in float32), and the most iterations (0: chosen).
    callback
        A function (phase, fraction) that is called during solves, or a tqdm bar.

    Raises ValueError for shapes and options that do not fit and for NaN or Inf, LinAlgError where a line by itself is
    singular, UnsupportedError on a context of selector "host".

    >>> grid = clsolve.sparse.Grid(-1.0, -1.0, 4.0, -1.0, -1.0, shape=(31, 33), method="multigrid")
    >>> y = grid.solve(np.ones((31, 33)))
    >>> grid.history[-1] <= 1e-10 < grid.history[0]
    True
    """

    context: Context

    def __init__(
        self,
        up: Any,
        a: Any,
        c: Any,
        b: Any,
        down: Any,
        *,
        shape: tuple[int, int] | None = None,
        method: str = "auto",
        preconditioner: str = "auto",
        cycle: str = "v",
        pivoting: str = "auto",
        smooth_before: int = 0,
        smooth_after: int = 0,
        sweeps: int = 0,
        tol: float = 0,
        maxiter: int = 0,
        omega: float = 0,
        sequential: bool = False,
        jacobi: bool = False,
        single_precision: bool = False,
        zero_guess: bool = False,
        callback: Any = None,
        context: Context | None = None,
    ) -> None:
        given, adapter = _coefficients(up, a, c, b, down)
        arrays = [values for values in given if len(values.shape)]
        context = given_context(context, adapter, arrays[0] if arrays else None)
        if shape is not None:
            grid = tuple(map(operator.index, shape))
        else:
            grid = np.broadcast_shapes(*(tuple(values.shape) for values in given))
        if len(grid) != 2:
            raise ValueError(
                f"the coefficients have shape {grid}: give arrays (N, M), or numbers and the argument shape"
            )
        self.shape: tuple[int, int] = (grid[0], grid[1])
        kinds = [adapter.dtype(values) for values in arrays]
        self.dtype: np.dtype = promoted(*kinds) if kinds else np.dtype(np.float64)
        if any(is_complex(values.dtype) for values in given if not len(values.shape)):
            self.dtype = np.result_type(self.dtype, np.complex64)
        options = lib.BlockGsOptions(
            method=word("BLOCK_GS", "method", method),
            preconditioner=word("BLOCK_GS_PRECONDITIONER", "preconditioner", preconditioner),
            cycle=word("BLOCK_GS_CYCLE", "cycle", cycle),
            pivoting=word("PIVOTING", "pivoting", pivoting),
            smooth_before=smooth_before,
            smooth_after=smooth_after,
            sweeps=sweeps,
            tolerance=tol,
            max_iterations=maxiter,
            omega=omega,
            sequential=sequential,
            jacobi=jacobi,
            single_precision=single_precision,
            zero_guess=zero_guess,
        )
        self._zero_guess = zero_guess
        self._watcher = reporter(context, options, callback)
        self._own(context, "block_gs", *self.shape, type_of(self.dtype), _byref(options))
        self._factor(given, adapter)

    def factor(self, up: Any, a: Any, c: Any, b: Any, down: Any) -> Grid:
        """Takes new coefficients in the same shape, from the host or from the device of the grid."""
        self._factor(*_coefficients(up, a, c, b, down))
        return self

    def _factor(self, given: list[Any], adapter: Adapter) -> None:
        held = []
        for values in given:
            place = adapter if len(values.shape) else numpy_adapter  # a number is one of the host
            values = self._cast(place, values, "a coefficient")
            if tuple(values.shape) != self.shape:
                values = place.repeated(values, self.shape)
            held.append((place, values if place.grid_steps(values) else place.contiguous(values)))
        self._run(calls.block_gs_factor, *(_byref(place.grid(self.context, values)) for place, values in held))

    def _cast(self, adapter: Adapter, values: Any, name: str) -> Any:
        """In the type of the grid, which must not lose the imaginary part."""
        if is_complex(promoted(adapter.dtype(values))) and not is_complex(self.dtype):
            raise TypeError(f"{name} is complex and the grid is of {self.dtype}")
        return adapter.cast(values, self.dtype)

    def solve(self, f: Any, x0: Any = None, *, allow_not_converged: bool = False) -> Any:
        """Solves for one right-hand side (N, M) or several (nrhs, N, M).

        f
            An array of numpy, or one on the device of the grid: y is made there. A grid of numpy's coefficients takes
            them if it was made with `context=clsolve.Context.of(f)`.
        x0
            The initial guess in the shape of f and the same memory, or a number; None: zero.
        allow_not_converged
            True: the best iterate is returned where the iteration does not reach its tolerance; `report` tells. False:
            NotConvergedError is raised then.
        """
        if unknown(f) is not None:
            return through_dlpack(f, (f,), lambda known: self.solve(known, x0, allow_not_converged=allow_not_converged))
        refuse_gradient("Grid.solve", f)
        with_guess = x0 is not None and _axes(x0) > 0
        adapter, (f, *guess) = same_place(f=f, x0=x0) if with_guess else same_place(f=f)
        shape = tuple(f.shape)
        if len(shape) not in (2, 3) or shape[-2:] != self.shape:
            raise ValueError(f"f has shape {shape}: give {self.shape} or (nrhs, {self.shape[0]}, {self.shape[1]})")
        if adapter is numpy_adapter and is_complex(f.dtype) and not is_complex(self.dtype):
            return self._solve_parts(f, guess[0] if guess else x0, allow_not_converged)
        right = self._cast(adapter, f, "f")
        y = self._guess(adapter, right, guess[0] if guess else x0)
        if math.prod(shape) == 0:
            return y
        right = right if adapter.grid_steps(right) else adapter.contiguous(right)
        F, Y = adapter.grid(self.context, right), adapter.grid(self.context, y)
        count, not_converged = 1 if len(shape) == 2 else shape[0], 2 if allow_not_converged else 0
        self._run_watched(calls.block_gs_solve, _byref(F), _byref(Y), count, allowed=not_converged)
        return y

    def _solve_parts(self, f: np.ndarray, x0: Any, allow_not_converged: bool) -> np.ndarray:
        """Real and imaginary parts of f are right-hand sides of their own for a grid of real numbers."""
        both = f.reshape(-1, *self.shape)
        count = both.shape[0]
        if x0 is not None:
            x0 = np.broadcast_to(x0, f.shape).reshape(both.shape)
            x0 = np.concatenate([x0.real, x0.imag])
        y = self.solve(np.concatenate([both.real, both.imag]), x0, allow_not_converged=allow_not_converged)
        return (y[:count] + 1j * y[count:]).reshape(f.shape)

    def _guess(self, adapter: Adapter, f: Any, x0: Any) -> Any:
        """A contiguous array of its own that holds the guess and becomes the solution."""
        if self._zero_guess:
            return adapter.owned(f)  # its values are not read
        if x0 is None:
            return adapter.zeros(f)
        if _axes(x0) == 0:
            y = adapter.zeros(f)
            y += x0 if is_complex(self.dtype) else float(x0)
            return y
        y = self._cast(adapter, x0, "x0")
        return adapter.owned(y) if tuple(y.shape) == tuple(f.shape) else adapter.repeated(y, tuple(f.shape))

    @property
    def report(self) -> Report:
        """The method that ran and why, iterations, residuals and times (clsolve/report.h)."""
        return report_of(self._report())

    @property
    def history(self) -> list[float]:
        """The relative residuals ||f - A y||_2 / ||f||_2 at the stop tests of the last solve, the guess's first."""
        return self.report.block_gs.history

    def as_preconditioner(self) -> Any:
        """y -> the iteration's answer from a zero guess, as a LinearOperator on vectors of N M elements.

        Make the grid for this with a fixed amount of work: method "sweeps" with `sweeps`, which is linear, or
        "multigrid" with `maxiter=1`. Multigrid gives zero where its answer would be worse than zero.
        """
        n = self.shape[0] * self.shape[1]

        def apply(v: np.ndarray) -> np.ndarray:
            columns = np.asarray(v).reshape(n, -1)
            f = np.ascontiguousarray(columns.T).reshape(-1, *self.shape)
            return self.solve(f, allow_not_converged=True).reshape(-1, n).T.reshape(np.shape(v))

        return operator_of((n, n), self.dtype, apply, None)

    def __repr__(self) -> str:
        return f"<clsolve.sparse.Grid {self.shape[0]} lines of {self.shape[1]} {self.dtype}>"
