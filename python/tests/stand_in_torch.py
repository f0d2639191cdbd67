"""A stand-in for PyTorch's tensors in the host's memory, on numpy's arrays.

It has what the package calls and no more. So each name that the package uses is tested where PyTorch is missing.
"""

import sys
import types

import numpy as np

from packages import Torch


class Type:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"


TYPES = {
    name: Type(name) for name in ("float16", "float32", "float64", "complex64", "complex128", "int32", "int64", "bool")
}
STRIDED, CONTIGUOUS = object(), object()
CPU = types.SimpleNamespace(type="cpu", index=None)


class Tensor:
    __module__ = "torch"
    layout, device, requires_grad = STRIDED, CPU, False

    def __init__(self, values):
        self.values = values

    shape = property(lambda self: self.values.shape)
    T = property(lambda self: Tensor(self.values.T))
    dtype = property(lambda self: TYPES[self.values.dtype.name])

    def data_ptr(self):
        return self.values.__array_interface__["data"][0]

    def stride(self):
        return tuple(stride // self.values.itemsize for stride in self.values.strides)

    def element_size(self):
        return self.values.itemsize

    def numel(self):
        return self.values.size

    def to(self, wanted):
        if wanted is CPU or TYPES[self.values.dtype.name] is wanted:
            return self
        return Tensor(self.values.astype(wanted.name))

    def detach(self):
        return Tensor(self.values)

    def clone(self, memory_format=None):
        return Tensor(np.array(self.values, order="C" if memory_format is CONTIGUOUS else "K"))

    def contiguous(self):
        return self if self.values.flags.c_contiguous else Tensor(np.array(self.values, order="C"))

    def expand(self, shape):
        return Tensor(np.broadcast_to(self.values, shape))

    def reshape(self, *shape):
        return Tensor(self.values.reshape(*shape))

    def t(self):
        return Tensor(self.values.T)

    def fill_(self, value):
        self.values[...] = value
        return self

    def new_empty(self, *shape):
        return Tensor(np.full(shape, np.nan, self.values.dtype))

    def new_zeros(self, shape):
        return Tensor(np.zeros(shape, self.values.dtype))

    def cpu(self):
        return self

    def numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __float__(self):
        return float(self.values)

    def __bool__(self):
        return bool(self.values)

    def __eq__(self, other):
        return Tensor(self.values == other.values)

    def all(self):
        return Tensor(self.values.all())

    def __getitem__(self, index):
        return Tensor(self.values[index])

    def __setitem__(self, index, value):
        self.values[index] = value.values

    def __iadd__(self, number):
        self.values += number
        return self


class SparseTensor:
    """A matrix in compressed rows."""

    __module__ = "torch"
    layout, device, requires_grad = object(), CPU, False

    def __init__(self, matrix):
        self.matrix, self.shape, self.dtype = matrix, matrix.shape, TYPES[matrix.dtype.name]

    def to_sparse_csr(self):
        return self

    detach = to_sparse_csr

    def data_ptr(self):
        raise RuntimeError("a sparse tensor has no storage")

    def values(self):
        return Tensor(self.matrix.data)

    def col_indices(self):
        return Tensor(self.matrix.indices)

    def crow_indices(self):
        return Tensor(self.matrix.indptr)


class StandInTorch(Torch):
    """In the place of the module torch until `close`."""

    def __init__(self):
        self.before = sys.modules.get("torch")
        self.device = "cpu"
        self.torch = sys.modules["torch"] = types.ModuleType("torch")
        self.torch.Tensor, self.torch.strided, self.torch.contiguous_format = Tensor, STRIDED, CONTIGUOUS
        self.torch.from_numpy = Tensor
        self.torch.tensor = lambda values, dtype, device: Tensor(np.array(values, dtype.name))
        for name, kind in TYPES.items():
            setattr(self.torch, name, kind)

    def put_sparse(self, a):
        return SparseTensor(a)

    def close(self):
        del sys.modules["torch"]
        if self.before is not None:
            sys.modules["torch"] = self.before
