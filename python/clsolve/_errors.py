"""The exceptions and warnings of this package, and the exception of each status of the library."""

from __future__ import annotations

import sys
import warnings
from functools import lru_cache

import numpy as np
from numpy.linalg import LinAlgError

from ._library import STATUS

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
]

PACKAGES = (
    "Install a driver: Debian and Ubuntu have pocl-opencl-icd (the CPU), intel-opencl-icd, mesa-opencl-icd and "
    "nvidia-opencl-icd; PyPI has intel-opencl-rt and pocl-binary-distribution (the CPU; `pip install clsolve[intel]` "
    "or `clsolve[pocl]`)"
)


class LinAlgWarning(RuntimeWarning):
    """The matrix is singular or ill-conditioned: the result may have few correct digits.

    Where scipy.linalg is imported, the warnings are of scipy.linalg.LinAlgWarning too.
    """


class NoDeviceWarning(RuntimeWarning):
    """There is no OpenCL or CUDA device, so the default context works on the host by LAPACK."""


class NotConvergedError(LinAlgError):
    """An iteration ended before it reached its tolerance."""


class DeviceError(RuntimeError):
    """The device or its driver failed."""


class NoDeviceError(DeviceError):
    """No device fits the selector."""


class UnsupportedError(DeviceError):
    """The device, or the handle, cannot do this."""


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
    "ERROR_NONFINITE": ValueError,
    "ERROR_OUT_OF_MEMORY": MemoryError,
    "ERROR_OUT_OF_DEVICE_MEMORY": DeviceMemoryError,
    "ERROR_NO_DEVICE": NoDeviceError,
    "ERROR_UNSUPPORTED": UnsupportedError,
    "ERROR_STATE": RuntimeError,
    "ERROR_FILE": OSError,
}
_TEXTS = {"SINGULAR": "Matrix is singular.", "ERROR_NONFINITE": "array must not contain infs or NaNs"}


def exception(status: int, message: str) -> Exception:
    """The exception for a status that is not OK, with the library's message."""
    name = STATUS.get(status, "UNKNOWN")
    text = _TEXTS.get(name)
    text = f"{text} {message}".rstrip() if text else message or name
    if name == "ERROR_NO_DEVICE":
        text = f"{text}. {PACKAGES}"
    return _EXCEPTIONS.get(name, DeviceError)(text)


@lru_cache(maxsize=None)
def _of_both(scipy_class: type) -> type:
    return type("LinAlgWarning", (LinAlgWarning, scipy_class), {"__module__": __name__})


def warn_ill_conditioned(text: str, stacklevel: int) -> None:
    """Warns with LinAlgWarning, which is scipy's too where scipy.linalg is imported."""
    scipy_linalg = sys.modules.get("scipy.linalg")
    category: type = LinAlgWarning
    if scipy_linalg is not None and hasattr(scipy_linalg, "LinAlgWarning"):
        category = _of_both(scipy_linalg.LinAlgWarning)
    warnings.warn(text, category, stacklevel=stacklevel + 1)


def warn_if_ill(rcond: float, dtype: np.dtype, stacklevel: int) -> None:
    if 0 <= rcond < np.finfo(dtype).eps:
        warn_ill_conditioned(
            f"An ill-conditioned matrix detected: result may not be accurate (rcond={rcond:.6g}).", stacklevel + 1
        )
