"""The exceptions and warnings of this package, and the exception of each status of the library."""

from __future__ import annotations

import re
import sys
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ._library import STATUS, ReportDirect

__all__ = [
    "DeviceError",
    "DeviceMemoryError",
    "ForkError",
    "LinAlgError",
    "LinAlgWarning",
    "NoDeviceError",
    "NoDeviceWarning",
    "NotConvergedError",
    "UnsupportedError",
    "UnsupportedTypeError",
]

PACKAGES = (
    "Install a driver: Debian and Ubuntu have pocl-opencl-icd (the CPU), intel-opencl-icd, mesa-opencl-icd and "
    "nvidia-opencl-icd; PyPI has intel-opencl-rt and pocl-binary-distribution (the CPU; `pip install clsolve[intel]` "
    "or `clsolve[pocl]`)"
)


class LinAlgWarning(RuntimeWarning):
    """The matrix is singular or ill-conditioned: the result may have few correct digits.

    If scipy.linalg is imported, the warnings are of scipy.linalg.LinAlgWarning too.
    """


class NoDeviceWarning(RuntimeWarning):
    """There is no OpenCL or CUDA device, so the default context works on the host by LAPACK."""


class SparseSingularError(LinAlgError, RuntimeError):
    """A sparse matrix is singular. scipy.sparse.linalg.splu raises RuntimeError for such a matrix."""


class NonfiniteError(ValueError):
    """An array holds NaN or Inf. Private: callers catch ValueError."""


class NotConvergedError(LinAlgError):
    """An iteration ended before it reached its tolerance."""


class DeviceError(RuntimeError):
    """The device or its driver failed."""


class NoDeviceError(DeviceError):
    """No device fits the selector."""


class UnsupportedError(DeviceError):
    """The device, or the handle, cannot do this."""


class UnsupportedTypeError(UnsupportedError, TypeError):
    """The call takes real matrices alone, and the type is complex."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The device has no room."""


class ForkError(RuntimeError):
    """A context was used in a child process of the process that made it."""


_EXCEPTIONS: dict[str, type[Exception]] = {
    "SINGULAR": LinAlgError,
    "NOT_CONVERGED": NotConvergedError,
    "OVERFLOW": LinAlgError,
    "NOT_POSITIVE_DEFINITE": LinAlgError,
    "ERROR_INVALID_ARGUMENT": ValueError,
    "ERROR_NONFINITE": NonfiniteError,
    "ERROR_OUT_OF_MEMORY": MemoryError,
    "ERROR_OUT_OF_DEVICE_MEMORY": DeviceMemoryError,
    "ERROR_NO_DEVICE": NoDeviceError,
    "ERROR_UNSUPPORTED": UnsupportedError,
    "ERROR_STATE": RuntimeError,
    "ERROR_FILE": OSError,
    "ERROR_FORKED": ForkError,
}
_TEXTS = {"SINGULAR": "Matrix is singular", "ERROR_NONFINITE": "array must not contain infs or NaNs"}


# The library's words for options and types, and Python's.
_WORDS: list[tuple[re.Pattern[str], Any]] = [
    (re.compile(r"CLSOLVE_F(32|64)\b"), r"float\1"),
    (re.compile(r"CLSOLVE_C32\b"), "complex64"),
    (re.compile(r"CLSOLVE_C64\b"), "complex128"),
    (re.compile(r"leave `where` 0"), 'leave where="auto"'),
    (re.compile(r"set `where` to (?=CLSOLVE_WHERE_)"), "give "),
    (
        re.compile(r"CLSOLVE_(METHOD|PIVOTING|PRECISION|PANEL|WHERE)_([A-Z_]+)\b"),
        lambda found: f'{found[1].lower()}="{found[2].lower()}"',
    ),
    (re.compile(r"; rcond is the address of a double"), ""),
]


def exception(status: int, message: str) -> Exception:
    """The exception for a status that is not OK, with the library's message."""
    name = STATUS.get(status, "UNKNOWN")
    for words, replacement in _WORDS:
        message = words.sub(replacement, message)
    if name == "ERROR_UNSUPPORTED" and "real matrices alone" in message:  # the library's words for every such family
        return UnsupportedTypeError(message)
    text = _TEXTS.get(name) if "without pivoting" not in message else None  # then the matrix need not be singular
    text = f"{text}: {message}" if text and message else text or message or name
    if name == "ERROR_NO_DEVICE":
        text = f"{text}. {PACKAGES}"
    return _EXCEPTIONS.get(name, DeviceError)(text)


def sparse_exception(status: int, message: str) -> Exception:
    """The same for calls with a sparse matrix."""
    error = exception(status, message)
    return SparseSingularError(*error.args) if STATUS.get(status) == "SINGULAR" else error


def member_name(index: tuple[Any, ...]) -> str:
    """The matrix of a stack with this index, as messages name it."""
    numbers = tuple(int(i) for i in index)
    return f"member {numbers[0] if len(numbers) == 1 else numbers}"


class of_member:
    """An error raised within names the matrix of a stack; an empty index is that of a single matrix."""

    def __init__(self, index: tuple[int, ...]) -> None:
        self.index = index

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool | None:
        if isinstance(error, Exception) and self.index and error.args and isinstance(error.args[0], str):
            error.args = (f"{member_name(self.index)}: {error.args[0]}", *error.args[1:])
        return None


@lru_cache(maxsize=None)
def _of_both(scipy_class: type) -> type:
    return type("LinAlgWarning", (LinAlgWarning, scipy_class), {"__module__": __name__})


def warn(text: str, category: type) -> None:
    """Warns of the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_ill_conditioned(text: str) -> None:
    """Warns with LinAlgWarning, which is scipy's too where scipy.linalg is imported."""
    scipy_linalg = sys.modules.get("scipy.linalg")
    category: type = LinAlgWarning
    if scipy_linalg is not None and hasattr(scipy_linalg, "LinAlgWarning"):
        category = _of_both(scipy_linalg.LinAlgWarning)
    warn(text, category)


def warn_if_ill(found: float | ReportDirect, dtype: np.dtype) -> None:
    """Warns if no digit is sure. `found` is the reciprocal condition number, or the report that has it.

    float32 factors give only an upper bound for a matrix that they cannot tell from a singular one: no digit is sure.
    """
    rcond, bound = (found.rcond, found.rcond_is_bound) if isinstance(found, ReportDirect) else (found, 0)
    if bound and rcond >= 0:
        text = f"result may not be accurate (rcond is at most {rcond:.6g}; float32 factors tell no more)."
    elif 0 <= rcond < np.finfo(dtype).eps:
        text = f"result may not be accurate (rcond={rcond:.6g})."
    else:
        return
    warn_ill_conditioned(f"An ill-conditioned matrix detected: {text}")
