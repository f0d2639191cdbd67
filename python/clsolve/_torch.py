"""PyTorch's tensors."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._adapters import Adapter
from ._errors import UnsupportedError

_NAMES = {"f": "float32", "d": "float64", "F": "complex64", "D": "complex128"}  # numpy's `name` takes a microsecond


class Torch(Adapter):
    """Tensors, on a GPU through CUDA or in the host's memory. Their gradients are in clsolve._gradients."""

    one_order = True

    def __init__(self, on_device: bool) -> None:
        self.on_device = on_device
        self.dtypes: dict[Any, np.dtype] = {}  # numpy's type of each of PyTorch's

    @property
    def torch(self) -> Any:
        return sys.modules["torch"]  # who has a tensor has imported it

    def interface(self, x: Any) -> tuple[int, int, tuple[int, ...] | None]:
        item = x.element_size()
        return x.data_ptr(), 0, tuple([stride * item for stride in x.stride()])

    def dtype(self, x: Any) -> np.dtype:
        found = self.dtypes.get(x.dtype)
        if found is None:
            name = str(x.dtype).partition(".")[2]
            found = np.dtype({"bfloat16": "float32", "complex32": "complex64"}.get(name, name))
            self.dtypes[x.dtype] = found
        return found

    def device(self, x: Any) -> int:
        return x.device.index or 0

    def stream(self, x: Any) -> int:
        torch = self.torch
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # without an object for the stream
        return (torch.cuda.current_stream(x.device).cuda_stream if raw is None else raw(self.device(x))) or 1

    def cast(self, x: Any, dtype: np.dtype) -> Any:
        kind = getattr(self.torch, _NAMES[dtype.char])
        if x.dtype is not kind:
            x = x.to(kind)
        # A view may have elements that are conjugated or negated when they are read.
        if dtype.kind == "c" and hasattr(x, "resolve_conj"):
            x = x.resolve_conj()
        return x.resolve_neg() if hasattr(x, "resolve_neg") else x

    def copy(self, x: Any) -> Any:
        return x.detach().clone()

    def fresh(self, x: Any) -> Any:
        by_columns = len(x.shape) == 2 and x.stride()[0] == 1 and x.shape[1] > 1
        return x.new_empty(*reversed(x.shape)).t() if by_columns else x.new_empty(*x.shape)

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        return x.expand(shape)

    def owned(self, x: Any) -> Any:
        return x.detach().clone(memory_format=self.torch.contiguous_format)

    def to_host(self, x: Any) -> np.ndarray:
        return x.detach().cpu().numpy()

    def writeable(self, x: Any) -> bool:
        return True

    def contiguous(self, x: Any) -> Any:
        return x.contiguous()

    def set_nan(self, x: Any, index: tuple[int, ...]) -> None:
        x[index].fill_(np.nan)

    def padded(self, x: Any, front: bool) -> Any:
        made = x.new_empty(x.numel() + 1)
        made[1 if front else 0 :][: x.numel()] = x.reshape(-1)
        return made

    def zeros(self, like: Any) -> Any:
        return like.new_zeros(tuple(like.shape))

    def scalar(self, value: np.ndarray, like: Any) -> Any:
        return self.torch.from_numpy(np.array(value)).to(like.device)


_torch_cuda, _torch_host = Torch(True), Torch(False)


def torch_adapter(x: Any) -> Adapter:
    torch = sys.modules["torch"]
    if x.layout is not torch.strided:
        raise TypeError(f"tensors of layout {x.layout} are not read: give tensor.to_dense()")
    if x.device.type == "cpu":
        return _torch_host
    if x.device.type == "cuda" and torch.version.cuda is not None:
        return _torch_cuda
    raise UnsupportedError(f"tensors on {x.device} are not reached: move them to the CPU or to a CUDA device")
