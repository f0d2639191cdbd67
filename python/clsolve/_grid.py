"""Block-tridiagonal systems on grids."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _library as lib
from ._arrays import address, common_dtype, type_of, word
from ._context import Context, Handle, default_context, reporter
from ._errors import exception
from ._library import calls
from ._report import Report, report_from

_byref = ctypes.byref


def _grid_view(array: np.ndarray) -> lib.Grid:
    N, M = array.shape[-2:]
    kind = lib.F64 if array.itemsize == 8 else lib.F32
    return lib.Grid(kind, M, 1, N * M, address(array), lib.ON_HOST, 0)


class Grid(Handle):
    """A block-tridiagonal system on a grid of N lines of M points, solved by an iteration on the device::

        up[i,k] y[i-1,k] + a[i,k] y[i,k-1] + c[i,k] y[i,k] + b[i,k] y[i,k+1] + down[i,k] y[i+1,k] = f[i,k]

    up, a, c, b, down
        (N, M) arrays, or numbers for constant coefficients; `c` is an array, or `shape` is given. Couplings that lead
        out of the grid are not used.
    method
        "auto", "multigrid" (its smoother is the zebra sweep: red-black block Gauss-Seidel), "gauss_seidel", "sor",
        "sweeps", or "cg", "bicgstab", "fgmres".
    preconditioner
        Of the last three: "auto", "zebra", "multigrid", "none".
    cycle
        Of multigrid: "v", "w", "f". smooth_before and smooth_after are its sweeps; 0: 1.
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
        context = context or default_context()
        given = [np.asarray(values) for values in (up, a, c, b, down)]
        grid = tuple(shape) if shape is not None else np.broadcast_shapes(*(values.shape for values in given))
        if len(grid) != 2:
            raise ValueError(
                f"the coefficients have shape {grid}: give arrays (N, M), or numbers and the argument shape"
            )
        self.shape: tuple[int, int] = (grid[0], grid[1])
        self.dtype: np.dtype = (
            common_dtype(*(values for values in given if values.ndim))
            if any(values.ndim for values in given)
            else np.dtype(np.float64)
        )
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
        self._watcher = reporter(context, options, callback)
        self._own(
            context, calls.block_gs_create, calls.block_gs_destroy, *self.shape, type_of(self.dtype), _byref(options)
        )
        self.factor(*given)

    def factor(self, up: Any, a: Any, c: Any, b: Any, down: Any) -> Grid:
        """Takes new coefficients in the same shape."""
        arrays = [
            np.ascontiguousarray(np.broadcast_to(values, self.shape), dtype=self.dtype)
            for values in (up, a, c, b, down)
        ]
        self.context.run(calls.block_gs_factor, self._open(), *(_byref(_grid_view(array)) for array in arrays))
        return self

    def solve(self, f: Any, x0: Any = None, *, allow_not_converged: bool = False) -> np.ndarray:
        """Solves for one right-hand side (N, M) or several (nrhs, N, M).

        x0
            The initial guess in the shape of f; None: zero.
        allow_not_converged
            True: the best iterate is returned where the iteration does not reach its tolerance; `report` tells. False:
            NotConvergedError is raised then.
        """
        f = np.asarray(f)
        if f.ndim not in (2, 3) or f.shape[-2:] != self.shape:
            raise ValueError(f"f has shape {f.shape}: give {self.shape} or (nrhs, {self.shape[0]}, {self.shape[1]})")
        common_dtype(f)
        right = np.ascontiguousarray(f, dtype=self.dtype)
        y = np.zeros_like(right)
        if x0 is not None:
            y[...] = x0
        count = 1 if f.ndim == 2 else f.shape[0]
        if y.size == 0:
            return y
        status, message = self.context.status(
            calls.block_gs_solve, self._open(), _byref(_grid_view(right)), _byref(_grid_view(y)), count
        )
        if self._watcher is not None:
            self._watcher.raise_error()
        if status and not (status == 2 and allow_not_converged):
            raise exception(status, message)
        return y

    @property
    def report(self) -> Report:
        """The method that ran and why, iterations, residuals and times (clsolve/report.h)."""
        return report_from(self.context, calls.block_gs_report, self._open(), lib.Report)

    @property
    def history(self) -> list[float]:
        """The relative residuals ||f - A y||_2 / ||f||_2 at the stop tests of the last solve, the guess's first."""
        return self.report.block_gs.history

    def as_preconditioner(self) -> Any:
        """y -> the iteration's answer from a zero guess, as a LinearOperator on vectors of N M elements.

        Make the grid for this with a fixed amount of work: method "sweeps" with `sweeps`, which is linear, or
        "multigrid" with `maxiter=1`. Multigrid gives zero where its answer would be worse than zero.
        """
        from ._operators import _operator

        n = self.shape[0] * self.shape[1]

        def apply(v: np.ndarray) -> np.ndarray:
            columns = np.asarray(v).reshape(n, -1)
            f = np.ascontiguousarray(columns.T).reshape(-1, *self.shape)
            return self.solve(f, allow_not_converged=True).reshape(-1, n).T.reshape(np.shape(v))

        return _operator((n, n), self.dtype, apply, None)

    def __repr__(self) -> str:
        return f"<clsolve.sparse.Grid {self.shape[0]} lines of {self.shape[1]} {self.dtype}>"
