"""Sparse LU factors of many matrices of one pattern at once."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from . import _library as lib
from ._adapters import Adapter
from ._arrays import address, is_complex, op_of, promoted, word
from ._context import Context, given_context
from ._errors import LinAlgError, NotConvergedError, member_name
from ._handle import Handle
from ._library import calls
from ._numpy import numpy_adapter
from ._packages import refuse_gradient, taken
from ._report import Report, report_of
from .sparse import csr_view, matrix_taken

_byref = ctypes.byref


class SparseBatch(Handle):
    """Sparse matrices of one pattern that are factored at once. `clsolve.splu_batch` makes it.

    shape
        (..., n, n): the leading axes are those of the values.
    dtype
        float32, float64, complex64 or complex128
    nnz
        The number of values of a member.
    info
        int64 of the leading axes, of the last call: 0; k > 0 where the member is singular, no pivot being left for
        column k, counted from 1; -1 where it, b or x holds infs or NaNs; -2 where x is not accurate.
    """

    context: Context
    shape: tuple[int, ...]
    dtype: np.dtype
    nnz: int
    info: np.ndarray
    _checks: bool

    @classmethod
    def _made(
        cls, a: Any, values: Any, adapter: Adapter, check: bool, where: str, memory_limit: int, context: Context | None
    ) -> SparseBatch:
        made = cls.__new__(cls)
        lead = tuple(values.shape)[:-1]
        dtype = promoted(np.result_type(adapter.dtype(values), a.dtype))
        arrays, view = csr_view(a, dtype)
        made.shape, made.dtype, made.nnz, made._checks = (*lead, *a.shape), dtype, int(arrays[0][-1]), check
        made.info = np.zeros(lead, np.int64)
        options = lib.SparseBatchOptions(where=word("WHERE", "where", where), memory_limit=memory_limit)
        context = given_context(Context.of(values) if context is None and adapter.on_device else context)
        made._own(context, "sparse_batch", _byref(view), math.prod(lead), _byref(options), create="create_csr")
        return made

    @property
    def _lead(self) -> tuple[int, ...]:
        return self.shape[:-2]

    def _run_members(self, adapter: Adapter, x: Any, vectors: bool, call: Any, *arguments: Any) -> None:
        """A call with the members of x that gives each member a number."""
        self.info = np.zeros(self._lead, np.int64)
        if self.info.size == 0 or self.shape[-1] == 0:
            return
        view = adapter.batch(self.context, x, vectors=vectors)
        self._run(call, *arguments, _byref(view), address(self.info))
        bad = np.argwhere(self.info)
        if len(bad) == 0 or not self._checks:
            return
        name, info = member_name(tuple(map(int, bad[0]))), int(self.info[tuple(bad[0])])
        if info > 0:
            raise LinAlgError(f"{name} is singular: no pivot is left for column {info}")
        if info == -1:
            raise ValueError(f"{name} or its right-hand side holds infs or NaNs, or overflows")
        raise NotConvergedError(f"{name} is not solved to the accuracy that is promised")

    def factor(self, values: Any) -> SparseBatch:
        """Factors other values (..., nnz), in the memory that the handle has."""
        refuse_gradient("SparseBatch.factor", values)
        adapter, (values,) = taken(values=values)
        if tuple(values.shape) != (*self._lead, self.nnz):
            raise ValueError(f"values have shape {tuple(values.shape)}: the handle is for {(*self._lead, self.nnz)}")
        if is_complex(promoted(adapter.dtype(values))) and not is_complex(self.dtype):
            raise TypeError(f"values are complex: the handle is for {self.dtype}")
        values = adapter.contiguous(adapter.cast(values, self.dtype))
        self._run_members(adapter, values, True, calls.sparse_batch_factor)
        return self

    def solve(self, b: Any, trans: int | str = "N", overwrite_b: bool = False) -> Any:
        """Solves a x = b for each member, a^T x = b with trans "T", or a^H x = b with trans "H".

        b is (..., n) or (..., n, nrhs) with all leading axes, or (n,) for all members. x has the leading axes and the
        type of the matrices. Without `check`, a member whose `info` is not 0 keeps b.
        """
        refuse_gradient("SparseBatch.solve", b)
        adapter, (b,) = taken(b=b)
        n, lead, given = self.shape[-1], self._lead, tuple(b.shape)
        vectors = len(given) == 1 or len(given) == len(lead) + 1
        if given != (n,) and (given[: len(lead) + 1] != (*lead, n) or len(given) > len(lead) + 2):
            raise ValueError(f"incompatible dimensions: the matrices are {self.shape}, b has shape {given}")
        if is_complex(promoted(adapter.dtype(b))) and not is_complex(self.dtype):
            adapter.refuse_complex(b, self.dtype)
            return self.solve(b.real, trans) + 1j * self.solve(b.imag, trans)
        x = adapter.cast(b, self.dtype)
        if len(given) == 1 and lead:
            x = adapter.repeated(x, (*lead, n))
        elif x is b and not (overwrite_b and adapter.writeable(b) and adapter.contiguous(b) is b):
            x = adapter.owned(x)
        else:
            x = adapter.contiguous(x)
        self._run_members(adapter, x, vectors, calls.sparse_batch_solve, op_of(trans))
        return x

    def slogdet(self) -> tuple[np.ndarray, np.ndarray]:
        """Signs and natural logarithms of the absolute values of the determinants, as numpy.linalg.slogdet.

        NaN for a member that holds NaN. The signs of complex matrices are complex numbers of absolute value 1.
        """
        kind = np.complex128 if is_complex(self.dtype) else np.float64
        sign, log_abs = np.ones(self._lead, kind), np.zeros(self._lead)
        if log_abs.size and self.shape[-1]:
            self._run(calls.sparse_batch_determinant, None, address(sign), address(log_abs))
        return sign, log_abs

    @property
    def rcond(self) -> np.ndarray:
        """Estimates of the reciprocal condition numbers in the 1-norm (clsolve/sparse_batch.h)."""
        found = np.ones(self._lead)
        if found.size and self.shape[-1]:
            self._run(calls.sparse_batch_condition, address(found))
        return found

    @property
    def report(self) -> Report:
        """How the last call went (clsolve/report.h)."""
        return report_of(self._report())

    @property
    def analysis(self) -> Report:
        """The findings of the analysis of one member (clsolve/sparse_batch.h).

        Among the fields are factor_entries, products, levels, portion, and `again`: the members of the last call that
        were done anew on the host, because the pivots of the typical member did not suffice for them.
        """
        found = lib.SparseBatchAnalysis()
        self._run(calls.sparse_batch_get_analysis, _byref(found))
        return report_of(found)

    def __repr__(self) -> str:
        return f"<clsolve.SparseBatch {' x '.join(map(str, self.shape))} {self.dtype}>"


def splu_batch(
    A: Any,
    values: Any,
    *,
    check: bool = True,
    where: str = "auto",
    memory_limit: int = 0,
    context: Context | None = None,
) -> SparseBatch:
    """Analyses a sparse pattern once, and factors many matrices that have it.

    A
        (n, n) matrix of scipy.sparse, cupyx.scipy.sparse or PyTorch: the pattern, and the values of a typical member,
        which decide the pivots.
    values
        (..., nnz) array of numpy, CuPy, PyTorch or pyopencl: the values of each member, in the order of
        A.tocsr().data.
    check
        True: raises LinAlgError, ValueError or NotConvergedError for the first member that fails. False: `info` of the
        result has the outcome of each member.

    Returns a SparseBatch, for any number of right-hand sides and for other values.

    >>> import scipy.sparse
    >>> a = scipy.sparse.csr_matrix([[2.0, 1.0], [1.0, 3.0]])
    >>> lu = clsolve.splu_batch(a, [[2.0, 1.0, 1.0, 3.0], [4.0, 2.0, 2.0, 6.0]])
    >>> lu.solve([3.0, 4.0])
    array([[1. , 1. ],
           [0.5, 0.5]])
    """
    refuse_gradient("splu_batch", values)
    adapter, (values,) = taken(values=values)
    A, _, context = matrix_taken(A, context)
    if adapter is numpy_adapter and values.dtype.kind not in "fc":
        values = values.astype(np.float64)
    if len(values.shape) < 1:
        raise ValueError("values must be (..., nnz): the values of each member")
    return SparseBatch._made(A, values, adapter, check, where, memory_limit, context).factor(values)
