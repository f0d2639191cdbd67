"""Linear systems on GPUs and CPUs, through OpenCL and CUDA, with the names of scipy.linalg.

    import clsolve
    x = clsolve.solve(A, b)
    lu = clsolve.lu_factor(A)
    x = lu.solve(b, trans="T")
    print(lu.report)

Without a `context`, calls work on the best device, or on the host where that is faster. `clsolve.devices()` lists the
devices; `with clsolve.Context("gpu"):` chooses one. The GIL is released while the library works.
"""

from . import sparse
from ._banded import solve_banded
from ._banded_cholesky import cho_solve_banded, cholesky_banded, solveh_banded
from ._cholesky import Cholesky, cho_factor, cho_solve, cholesky
from ._cholesky_batch import CholeskyBatch, LDLBatch
from ._context import Context, default_context
from ._devices import Device, devices
from ._errors import (
    DeviceError,
    DeviceMemoryError,
    ForkError,
    LinAlgError,
    LinAlgWarning,
    NoDeviceError,
    NoDeviceWarning,
    NotConvergedError,
    UnsupportedError,
    UnsupportedTypeError,
)
from ._factor import lu, lu_factor, lu_solve
from ._inverse import cond, det, inv, slogdet
from ._ldl import LDL, inertia, ldl, ldl_factor
from ._library import calls as _calls
from ._lu import LU
from ._lu_batch import LUBatch
from ._report import Report
from ._solve import solve
from ._sparse_batch import SparseBatch, splu_batch
from ._tridiagonal import solve_tridiagonal
from .sparse import Grid, Solver, factorized, spchol, spldl, splu, spsolve

__version__: str = _calls.version().decode()

__all__ = [
    "Cholesky",
    "CholeskyBatch",
    "Context",
    "Device",
    "DeviceError",
    "DeviceMemoryError",
    "ForkError",
    "Grid",
    "LDL",
    "LDLBatch",
    "LU",
    "LUBatch",
    "LinAlgError",
    "LinAlgWarning",
    "NoDeviceError",
    "NoDeviceWarning",
    "NotConvergedError",
    "Report",
    "Solver",
    "SparseBatch",
    "UnsupportedError",
    "UnsupportedTypeError",
    "cho_factor",
    "cho_solve",
    "cho_solve_banded",
    "cholesky",
    "cholesky_banded",
    "cond",
    "default_context",
    "det",
    "devices",
    "factorized",
    "inertia",
    "inv",
    "ldl",
    "ldl_factor",
    "lu",
    "lu_factor",
    "lu_solve",
    "slogdet",
    "solve",
    "solve_banded",
    "solve_tridiagonal",
    "solveh_banded",
    "sparse",
    "spchol",
    "spldl",
    "splu",
    "splu_batch",
    "spsolve",
]
