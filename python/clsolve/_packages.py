"""The choice among the adapters, arrays that must lie together, gradients that are recorded, and DLPack."""

from __future__ import annotations

import sys
from typing import Any, Callable, NamedTuple

import numpy as np

from ._adapters import Adapter, cuda_adapter
from ._arrays import is_foreign, is_sparse
from ._errors import UnsupportedError
from ._numpy import numpy_adapter


_found: dict[type, Callable[[Any], Adapter]] = {}  # by the type of an array: the search takes as long as a small solve


def adapter_of(x: Any) -> Adapter | None:
    """The adapter of an array; None for numpy's, and for what numpy can read."""
    kind = type(x)
    found = _found.get(kind)
    if found is not None:
        return found(x)
    module = kind.__module__.partition(".")[0]
    if module == "torch" and hasattr(x, "data_ptr"):
        from ._torch import torch_adapter

        _found[kind] = torch_adapter
    elif module == "pyopencl" and hasattr(x, "base_data"):
        from ._pyopencl import pyopencl_adapter

        _found[kind] = lambda _: pyopencl_adapter
    elif module == "cupy" and hasattr(x, "__cuda_array_interface__"):
        from ._cupy import cupy_adapter

        _found[kind] = lambda _: cupy_adapter
    else:
        return cuda_adapter if hasattr(x, "__cuda_array_interface__") else None
    return _found[kind](x)


def adapter_of_pair(a: Any, b: Any) -> Adapter | None:
    """The adapter of two arrays of one type that lie together on a device; None: `taken` has to look at them."""
    found = _found.get(type(a))
    if found is None or type(b) is not type(a):
        return None
    adapter = found(a)
    together = adapter.on_device and found(b) is adapter and adapter.device(a) == adapter.device(b)
    return adapter if together else None


def known_array(a: Any) -> Any:
    """The array itself, or one of a package that is known here where it has DLPack alone."""
    if not is_foreign(a) or adapter_of(a) is not None:
        return a
    kind, _ = a.__dlpack_device__()
    if kind == 1:
        package: Any = np
    elif kind in (2, 3, 13):  # CUDA, its pinned and its managed memory
        package = sys.modules.get("cupy") or sys.modules.get("torch")
        if package is None:
            raise UnsupportedError("arrays of CUDA through DLPack need cupy or torch: import one of them")
    else:
        raise UnsupportedError(f"DLPack's device type {kind} is not reached: move the array to the CPU or to CUDA")
    return getattr(package, "from_dlpack", package.asarray)(a)  # numpy has it from 1.23 on


def _refuse_sparse(a: Any, name: str) -> None:
    if is_sparse(a):
        raise TypeError(
            f"{name} is a sparse matrix: clsolve.spsolve, splu, spchol and spldl take these; or give {name}.toarray()"
        )


def host_array(a: Any, name: str) -> np.ndarray:
    """The numpy array of anything that numpy reads. An array that it would misread is refused."""
    if type(a) is np.ndarray:
        return a
    if isinstance(a, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array, and masks are not supported: give {name}.filled(value)")
    _refuse_sparse(a, name)
    if is_foreign(a):
        a = known_array(a)
        adapter = adapter_of(a)
        if adapter is not None and adapter.on_device:
            raise TypeError(
                f"{name} must lie in the host's memory here, as the other arrays do: it is "
                f"{type(a).__module__}.{type(a).__name__}, on a device"
            )
    return np.asarray(a)


def only_host(a: Any, name: str) -> np.ndarray:
    """The same for calls that know numpy's arrays alone."""
    if is_foreign(a):
        raise TypeError(f"{name} is taken from the host's memory: give a numpy array")
    _refuse_sparse(a, name)
    return np.asarray(a)


def _where(name: str, x: Any) -> str:
    return f"{name} is {type(x).__module__}.{type(x).__name__}"


def same_place(**arrays: Any) -> tuple[Adapter, list[Any]]:
    """The adapter of all arrays, by name, of which numpy reads those that are lists. They must lie in one memory."""
    given = list(arrays.values())
    adapters = [adapter_of(x) for x in given]
    adapter = next((found for found in adapters if found is not None), None)
    if adapter is None:
        return numpy_adapter, [host_array(x, name) for name, x in arrays.items()]
    names = list(arrays)
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if any(found is not adapter for found in adapters):
        raise TypeError(f"{listed} must lie in the same memory: " + ", ".join(_where(*item) for item in arrays.items()))
    devices = [adapter.device(x) for x in given] if adapter.on_device else []
    if any(device != devices[0] for device in devices):
        raise TypeError(f"{listed} must lie on one device: they are on {', '.join(map(str, devices))}")
    return adapter, given


def taken(**arrays: Any) -> tuple[Adapter, list[Any]]:
    """The adapter of the first array, and all of them by `same_place`; numpy reads what lies in the host's memory."""
    given = [known_array(x) for x in arrays.values()]
    if all(type(x) is np.ndarray for x in given):
        return numpy_adapter, given
    if adapter_of(given[0]) is not None:
        return same_place(**dict(zip(arrays, given)))
    return numpy_adapter, [host_array(x, name) for x, name in zip(given, arrays)]


def unknown(*arrays: Any) -> Any:
    """The first array that has DLPack alone, for `through_dlpack`; None where all are known here."""
    return next((x for x in arrays if is_foreign(x) and adapter_of(x) is None), None)


def wants_gradient(*arrays: Any) -> bool:
    """Is one of the arrays a tensor of PyTorch whose operations are being recorded?"""
    torch = sys.modules.get("torch")
    if torch is None or not any(getattr(x, "requires_grad", False) and isinstance(x, torch.Tensor) for x in arrays):
        return False
    return torch.is_grad_enabled()


def refuse_gradient(call: str, *arrays: Any) -> None:
    """An answer that PyTorch took for independent of its arguments would give wrong gradients."""
    if wants_gradient(*arrays):
        raise TypeError(f"{call} has no gradient: give tensor.detach(), or use solve or inv")


class SparseParts(NamedTuple):
    """The arrays of a matrix in compressed rows, where they lie."""

    values: Any
    columns: Any
    starts: Any
    shape: tuple[int, int]


def sparse_parts(a: Any) -> SparseParts | None:
    """The parts of a matrix of cupyx.scipy.sparse or of PyTorch; None for anything else."""
    module = type(a).__module__.partition(".")[0]
    if module == "cupyx" and hasattr(a, "tocsr"):
        a = a.tocsr()
        return SparseParts(a.data, a.indices, a.indptr, tuple(a.shape))
    if module != "torch" or not hasattr(a, "to_sparse_csr"):
        return None
    import torch

    if a.layout is torch.strided:
        return None
    refuse_gradient("a call with a sparse matrix", a)
    a = a.detach().to_sparse_csr()
    return SparseParts(a.values(), a.col_indices(), a.crow_indices(), tuple(a.shape))


def sparse_on_host(parts: SparseParts) -> Any:
    """The same as a matrix of scipy.sparse."""
    import scipy.sparse

    values, columns, starts = (adapter_of(x).to_host(x) for x in parts[:3])  # type: ignore[union-attr]
    return scipy.sparse.csr_matrix((values, columns, starts), shape=parts.shape)


def through_dlpack(a: Any, arrays: tuple[Any, ...], function: Callable[..., Any]) -> Any:
    """Calls `function` with arrays that have DLPack alone as ones that are known here, and gives the answer back.

    Arrays in the host's memory become numpy's. Arrays of CUDA become CuPy's or PyTorch's, whichever is imported.
    """
    result = function(*(known_array(x) for x in arrays))
    space = a.__array_namespace__() if hasattr(a, "__array_namespace__") else None
    return space.from_dlpack(result) if space is not None and hasattr(space, "from_dlpack") else result
