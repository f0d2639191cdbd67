"""How arrays of other packages are made and read by the tests. A package that is not installed skips the test."""

import ctypes

import numpy as np
import pytest


class PyOpenCL:
    def __init__(self):
        pytest.importorskip("pyopencl.array")  # "pyopencl" alone is also a folder that PyPI's PoCL makes
        import pyopencl as cl

        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
        pocl = [device for device in devices if "Portable Computing Language" in device.platform.name]
        if not devices:
            pytest.skip("no OpenCL device")
        self.queue = cl.CommandQueue(cl.Context([(pocl or devices)[0]]))
        self.kind, self.put = cl.array.Array, lambda x: cl.array.to_device(self.queue, x)

    def get(self, x):
        assert isinstance(x, self.kind) and x.queue is self.queue
        return x.get()

    def same(self, x, y):
        return x.base_data.int_ptr == y.base_data.int_ptr and x.offset == y.offset


class Torch:
    """On a GPU where there is one, else in the host's memory."""

    def __init__(self):
        self.torch = pytest.importorskip("torch")
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"

    def put(self, x):
        moved = self.torch.tensor(x.tolist(), dtype=getattr(self.torch, x.dtype.name), device=self.device).reshape(
            x.shape
        )
        return (
            moved.t().contiguous().t() if x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous else moved
        )

    def put_sparse(self, a):
        parts = (self.torch.from_numpy(part).to(self.device) for part in (a.indptr, a.indices, a.data))
        return self.torch.sparse_csr_tensor(*parts, size=a.shape)

    def get(self, x):
        assert isinstance(x, self.torch.Tensor) and x.device.type == self.device
        return x.cpu().numpy()

    def same(self, x, y):
        return x.data_ptr() == y.data_ptr()


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        try:
            self.cupy.zeros(1)
        except Exception as error:
            pytest.skip(f"cupy has no device: {error}")
        self.put = self.cupy.asarray

    def put_sparse(self, a):
        import cupyx.scipy.sparse

        return cupyx.scipy.sparse.csr_matrix(a)

    def get(self, x):
        assert isinstance(x, self.cupy.ndarray)
        return x.get()

    def same(self, x, y):
        return x.data.ptr == y.data.ptr


class Array:
    """The least that CUDA's array interface asks for, over the driver's calls. Also on the stand-in for CUDA."""

    def __init__(self, driver, shape, strides, dtype, memory, stream=None):
        self.driver, self.shape, self.memory = driver, shape, memory
        self.__cuda_array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": np.dtype(dtype).str,
            "data": (memory, False),
            "version": 3,
            "stream": stream,
        }

    def get(self):
        found = self.__cuda_array_interface__
        strides = found["strides"] or np.empty(self.shape, found["typestr"]).strides
        flat = np.empty(int(np.prod(self.shape)), found["typestr"])
        move(self.driver.cuMemcpyDtoHAsync_v2, ctypes.c_void_p(flat.ctypes.data), ctypes.c_uint64(self.memory), flat)
        assert self.driver.cuStreamSynchronize(STREAM) == 0
        return np.lib.stride_tricks.as_strided(flat, self.shape, strides).copy()

    def copy(self):
        found = self.__cuda_array_interface__
        host = self.get()
        made = put_cuda(self.driver, np.asfortranarray(host) if found["strides"] else host)
        return made

    def reshape(self, *shape):
        return Array(self.driver, shape, None, self.__cuda_array_interface__["typestr"], self.memory)

    def __getitem__(self, index):
        part = np.dtype(self.__cuda_array_interface__["typestr"])
        rest = self.shape[len(index) :]
        at = np.ravel_multi_index(index, self.shape[: len(index)]) * int(np.prod(rest)) * part.itemsize
        return Array(self.driver, rest, None, part, self.memory + int(at))


STREAM = ctypes.c_void_p(1)  # CUDA's default stream, in the order of which the array interface is


def move(call, to, source, flat, stream=STREAM):
    assert call(to, source, ctypes.c_size_t(flat.nbytes), stream) == 0


def put_cuda(driver, x, stream=STREAM):
    column_major = x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous
    flat = np.ascontiguousarray(x.T if column_major else x)
    memory = ctypes.c_uint64()
    assert driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(max(1, flat.nbytes))) == 0
    move(driver.cuMemcpyHtoDAsync_v2, memory, ctypes.c_void_p(flat.ctypes.data), flat, stream)
    # Nothing waits here: a call of the library must come behind this copy. The stand-in copies as late as it may.
    made = Array(driver, x.shape, x.strides if column_major else None, x.dtype, memory.value, stream.value)
    made.flat = flat
    return made


class Cuda:
    def __init__(self):
        try:
            self.driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            pytest.skip(str(error))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if self.driver.cuInit(0) or self.driver.cuDeviceGet(ctypes.byref(device), 0):
            pytest.skip("no CUDA device")
        assert self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
        assert self.driver.cuCtxPushCurrent_v2(context) == 0

    def put(self, x):
        return put_cuda(self.driver, x)

    def get(self, x):
        assert isinstance(x, Array)
        return x.get()

    def same(self, x, y):
        return x.memory == y.memory
