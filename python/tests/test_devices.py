"""Arrays of other packages: pyopencl, PyTorch, CUDA's array interface, DLPack. What is not installed is skipped."""

import ctypes
import threading

import numpy as np
import pytest

import clsolve
from ratios import accept, solve_ratio

TYPES = [np.float32, np.float64]


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
        moved = self.torch.tensor(x.tolist(), dtype=getattr(self.torch, x.dtype.name), device=self.device)
        return (
            moved.t().contiguous().t() if x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous else moved
        )

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


def on_host(part):
    """A number of any package's."""
    return np.asarray(part.cpu() if hasattr(part, "cpu") else part.get() if hasattr(part, "get") else part)


@pytest.fixture(params=[PyOpenCL, Torch, CuPy, Cuda], scope="module")
def package(request):
    return request.param()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 33, 65, 130])
def test_solve(package, rng, n, dtype):
    for order in "CF":
        a = np.asarray(rng.uniform(-1, 1, (n, n)), dtype=dtype, order=order)
        for nrhs in (None, 1, 3):
            b = rng.uniform(-1, 1, n if nrhs is None else (n, nrhs)).astype(dtype)
            A, B = package.put(a), package.put(b)
            for transposed, op in ((False, a), (True, a.T)):
                x = clsolve.solve(A, B, transposed=transposed)
                assert tuple(x.shape) == b.shape and package.get(x).dtype == dtype
                accept(solve_ratio(op, package.get(x), b))
            np.testing.assert_array_equal(package.get(A), a)
            np.testing.assert_array_equal(package.get(B), b)
            own = clsolve.solve(A, B, overwrite_b=True)
            assert package.same(own, B)
            accept(solve_ratio(a, package.get(B), b))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 5, 65])
def test_factors_inverse_determinant(package, rng, n, dtype):
    a = (rng.uniform(-1, 1, (n, n)) + 2 * n * np.eye(n)).astype(dtype)
    A = package.put(a)
    lu = clsolve.lu_factor(A)
    for b in (rng.uniform(-1, 1, n).astype(dtype), rng.uniform(-1, 1, (n, 2)).astype(dtype)):
        accept(solve_ratio(a, package.get(lu.solve(package.put(b))), b))
        accept(solve_ratio(a.T, package.get(lu.solve(package.put(b), trans="T")), b))
        accept(solve_ratio(a, lu.solve(b), b))  # numpy's too: the factors are on the device
    other = (a + np.eye(n)).astype(dtype)
    accept(
        solve_ratio(other, package.get(lu.factor(package.put(other)).solve(package.put(np.ones(n, dtype)))), np.ones(n))
    )
    tolerance = 300 * n * np.finfo(dtype).eps
    np.testing.assert_allclose(package.get(clsolve.inv(A)) @ a, np.eye(n), atol=tolerance)
    sign, logarithm = (on_host(part) for part in clsolve.slogdet(A))
    np.testing.assert_allclose([sign, logarithm], np.linalg.slogdet(a.astype(float)), atol=tolerance, rtol=tolerance)
    for p in (1, np.inf):
        exact = np.linalg.cond(a.astype(float), p)
        assert exact / 10 < clsolve.cond(A, p) < exact * (1 + tolerance)
    det = clsolve.det(A)
    np.testing.assert_allclose(float(det), np.linalg.det(a.astype(float)), rtol=tolerance)
    np.testing.assert_array_equal(package.get(A), a)


@pytest.mark.parametrize("n", [3, 20, 70])
def test_batches(package, rng, n):
    a = rng.uniform(-1, 1, (4, n, n)) + 2 * n * np.eye(n)
    b = rng.uniform(-1, 1, (4, n, 2))
    np.testing.assert_allclose(
        package.get(clsolve.solve(package.put(a), package.put(b))), np.linalg.solve(a, b), atol=1e-12
    )
    np.testing.assert_allclose(package.get(clsolve.inv(package.put(a))), np.linalg.inv(a), atol=1e-12)
    a[1] = 0
    with pytest.raises(clsolve.LinAlgError, match="member .*1|singular"):
        clsolve.solve(package.put(a), package.put(b))


OPTIONS = {
    "mixed": ({"precision": "mixed"}, lambda report: report.precision == "mixed"),
    "refine": ({"refine": True}, lambda report: report.refinement.backward_error >= 0),
    "equilibrate": ({"equilibrate": True}, lambda report: report.direct.equilibrated),
    "rbt": ({"pivoting": "rbt", "seed": 7}, lambda report: report.direct.pivoting_used == "rbt"),
    "all": ({"precision": "mixed", "refine": True, "equilibrate": True}, lambda report: report.precision == "mixed"),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("n", [5, 33, 97])
def test_options(package, rng, name, n):
    """Handles with a copy of the matrix, and with scaling. The report proves that the option was in use."""
    options, used = OPTIONS[name]
    rows = 2.0 ** np.linspace(0, 60, n).astype(int)[:, None] if "equilibrate" in options else 1.0
    for order in "CF":
        a = np.asarray(rows * (rng.uniform(-1, 1, (n, n)) + 3 * np.eye(n)), order=order)
        b = rows * rng.uniform(-1, 1, (n, 3))
        A = package.put(a)
        lu = clsolve.lu_factor(A, **options)
        for trans, op in ((0, a), (1, a.T)):
            accept(solve_ratio(op, package.get(lu.solve(package.put(b), trans=trans)), b))
        assert used(lu.report)
        given = {key: value for key, value in options.items() if key != "seed"}
        accept(solve_ratio(a, package.get(clsolve.solve(A, package.put(b), rcond=False, **given)), b))
        np.testing.assert_array_equal(package.get(A), a)
    stack, right = np.stack([a, 2 * a]).copy("C"), np.stack([b, b])
    x = package.get(clsolve.solve(package.put(stack), package.put(right), **given))
    for member in range(2):
        accept(solve_ratio(stack[member], x[member], right[member]))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(
    "options", [{}, {"refine": True}, {"equilibrate": True}, {"refine": True, "equilibrate": True}]
)
@pytest.mark.parametrize("n", [1, 3, 50, 131])
def test_band(package, rng, n, options, order):
    ab = np.asarray(rng.uniform(-1, 1, (4, n)) + np.array([[0], [0], [5], [0]]), order=order)
    dense = sum(np.diag(ab[2 - k, max(k, 0) : n + min(k, 0)], k) for k in range(-1, 3) if abs(k) < n)
    AB = package.put(ab)
    for b in (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 3))):
        B = package.put(b)
        accept(solve_ratio(dense, package.get(clsolve.solve_banded((1, 2), AB, B, **options)), b))
        np.testing.assert_array_equal(package.get(B), b)
    np.testing.assert_array_equal(package.get(AB), ab)


def tridiagonal(dl, d, du):
    return np.diag(dl, -1) + np.diag(d) + np.diag(du, 1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 33, 130])
def test_tridiagonal(package, rng, n, dtype):
    count = 4
    d = (3 + rng.uniform(-1, 1, (count, n))).astype(dtype)
    dl, du = (rng.uniform(-1, 1, (count, n)).astype(dtype) for _ in range(2))
    dl[:, 0] = du[:, -1] = np.nan  # never used
    full = [tridiagonal(dl[k, 1:], d[k], du[k, :-1]) for k in range(count)]
    for shape in ((count, n), (count, n, 3)):
        b = rng.uniform(-1, 1, shape).astype(dtype)
        DL, D, DU, B = (package.put(x) for x in (dl, d, du, b))
        for trans in ("N", "T"):
            for pivoting in ("auto", "partial"):
                x = package.get(clsolve.solve_tridiagonal(DL, D, DU, B, trans=trans, pivoting=pivoting))
                assert x.shape == b.shape and x.dtype == dtype
                for k in range(count):
                    accept(solve_ratio(full[k] if trans == "N" else full[k].T, x[k], b[k]))
        np.testing.assert_array_equal(package.get(B), b)
        np.testing.assert_array_equal(package.get(D), d)
        own = clsolve.solve_tridiagonal(DL, D, DU, B, overwrite_b=True)
        assert package.same(own, B)
        accept(solve_ratio(full[1], package.get(B)[1], b[1]))
    one = package.get(clsolve.solve_tridiagonal(*(package.put(x[0]) for x in (dl, d, du, b[..., :2].copy()))))
    accept(solve_ratio(full[0], one, b[0, :, :2]))
    many = package.get(clsolve.solve_tridiagonal(*(package.put(x) for x in (dl[0], d[:1], du[0], b[..., 0].copy()))))
    for k in range(count):  # one matrix, several right-hand sides
        accept(solve_ratio(full[0], many[k], b[k, :, 0]))


@pytest.mark.parametrize("n", [1, 2, 40])
def test_tridiagonal_arrays_of_lapack(package, rng, n):
    """n - 1 elements beside the diagonal are copied on the device. Interleaved members are read where they lie."""
    d, b = 3 + rng.uniform(-1, 1, (3, n)), rng.uniform(-1, 1, (3, n))
    dl, du = rng.uniform(-1, 1, (2, 3, n - 1))
    if isinstance(package, Cuda) and n == 1:
        pytest.skip("it has no empty arrays")
    given = [package.put(x) for x in (dl, d, du, b)]
    if isinstance(package, Cuda):
        with pytest.raises(ValueError, match="give n elements"):
            clsolve.solve_tridiagonal(*given)
        return
    for one in (False, True):  # the same elements for all members
        if one:
            given[0], given[2] = package.put(dl[0]), package.put(du[0])
        x = package.get(clsolve.solve_tridiagonal(*given))
        for k in range(3):
            accept(solve_ratio(tridiagonal(dl[0 if one else k], d[k], du[0 if one else k]), x[k], b[k]))
    interleaved = [package.put(x.T.copy()).T for x in (dl, d, du, b)]
    x = package.get(clsolve.solve_tridiagonal(*interleaved))
    for k in range(3):
        accept(solve_ratio(tridiagonal(dl[k], d[k], du[k]), x[k], b[k]))


def laplacian_times(y):
    left = 4 * y
    left[..., 1:, :] -= y[..., :-1, :]
    left[..., :-1, :] -= y[..., 1:, :]
    left[..., 1:] -= y[..., :-1]
    left[..., :-1] -= y[..., 1:]
    return left


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["auto", "multigrid", "cg"])
def test_grid(package, rng, method, dtype):
    if isinstance(package, Torch) and package.device == "cpu" and clsolve.default_context().device.backend == "host":
        pytest.skip("the host alone has no iterations for grids")
    N, M = 15, 17
    c, side = package.put(np.full((N, M), 4, dtype)), package.put(np.full((N, M), -1, dtype))
    tolerance = 2e-10 if dtype == np.float64 else 3e-5
    for coefficients in ((side,) * 2 + (c,) + (side,) * 2, (-1.0, -1.0, c, side, -1.0)):
        grid = clsolve.Grid(*coefficients, method=method)
        assert grid.shape == (N, M) and grid.dtype == dtype
        for shape in ((N, M), (3, N, M)):
            f, x0 = rng.uniform(-1, 1, shape).astype(dtype), rng.uniform(-1, 1, shape).astype(dtype)
            F, X0 = package.put(f), package.put(x0)
            if isinstance(package, Cuda):
                with pytest.raises(TypeError, match="give x0"):
                    grid.solve(F)
            else:
                y = package.get(grid.solve(F))
                assert y.shape == shape and y.dtype == dtype
                assert np.linalg.norm(f - laplacian_times(y)) <= tolerance * np.linalg.norm(f)
            y = package.get(grid.solve(F, x0=X0))
            assert np.linalg.norm(f - laplacian_times(y)) <= tolerance * np.linalg.norm(f)
            np.testing.assert_array_equal(package.get(F), f)
            np.testing.assert_array_equal(package.get(X0), x0)
        assert isinstance(grid.solve(f), np.ndarray)  # numpy's too: the coefficients are on the device
    again = package.put(np.full((N, M), 8, dtype))
    y = grid.factor(again, again, package.put(np.full((N, M), 64, dtype)), again, again).solve(f, x0=1)
    assert np.linalg.norm(f - 64 * y) < np.linalg.norm(f)
    numbers = clsolve.Grid(-1, -1, 4, -1, -1, shape=(N, M), zero_guess=True, context=clsolve.Context.of(F))
    y = package.get(numbers.solve(package.put(f.astype(float))))
    assert np.linalg.norm(f - laplacian_times(y)) <= 2e-10 * np.linalg.norm(f)


def test_mixed_places(package):
    """Host and device in one call are one clear error, whichever argument it is."""
    if isinstance(package, Torch) and package.device == "cpu":
        pytest.skip("all lies on the host")
    host, there = np.eye(3), package.put(np.eye(3))
    ones = package.put(np.ones(3))
    grid = clsolve.Grid(-1, -1, 4, -1, -1, shape=(3, 3), context=clsolve.Context.of(there))
    for call in (
        lambda: clsolve.solve(there, np.ones(3)),
        lambda: clsolve.solve(host, ones),
        lambda: clsolve.solve(there, [1.0, 2.0, 3.0]),
        lambda: clsolve.solve_banded((1, 1), there, np.ones(3)),
        lambda: clsolve.solve_banded((1, 1), host, ones),
        lambda: clsolve.solve_tridiagonal(ones, np.ones(3), ones, ones),
        lambda: clsolve.solve_tridiagonal(np.ones(3), ones, ones, ones),
        lambda: clsolve.solve_tridiagonal(np.ones(3), np.ones(3), np.ones(3), ones),
        lambda: clsolve.Grid(-1, -1, there, host, -1),
        lambda: grid.solve(there, x0=host),
        lambda: clsolve.lu(there),
    ):
        with pytest.raises(TypeError, match="must lie in the (same|host's) memory"):
            call()


def test_progress(package, rng):
    a, b = package.put(rng.uniform(-1, 1, (70, 70)) + 9 * np.eye(70)), package.put(np.ones(70))
    band = package.put(np.asfortranarray(np.tile([[1.0], [4.0], [1.0]], 400)))
    for call in (
        lambda told: clsolve.solve(a, b, progress=told),
        lambda told: clsolve.inv(a, progress=told),
        lambda told: clsolve.lu_factor(a, progress=told),
        lambda told: clsolve.solve_banded((1, 1), band, package.put(np.ones(400)), progress=told),
    ):
        seen = []
        call(lambda phase, fraction: seen.append(fraction))
        assert seen and all(0 <= fraction <= 1 for fraction in seen)


@pytest.mark.parametrize("method", ["auto", "lu", "band"])
def test_right_hand_sides_of_sparse_matrices(package, rng, method):
    import scipy.sparse

    n = 60
    A = scipy.sparse.diags([-1.0, 4.0, -1.5, 0.5], [-1, 0, 1, 7], shape=(n, n), format="csr")
    for b in (rng.uniform(-1, 1, n), rng.uniform(-1, 1, (n, 2)), np.asfortranarray(rng.uniform(-1, 1, (n, 2)))):
        B = package.put(b)
        lu = clsolve.splu(A, method=method, context=clsolve.Context.of(B))
        for trans, op in (("N", A.toarray()), ("T", A.toarray().T)):
            accept(solve_ratio(op, package.get(lu.solve(B, trans=trans)), b))
            accept(solve_ratio(op, package.get(clsolve.spsolve(A, B, trans=trans, method=method)), b))
        np.testing.assert_array_equal(package.get(B), b)
        accept(solve_ratio(A.toarray(), package.get(clsolve.solve(A, B)), b))
        own = lu.solve(B, overwrite_b=True)
        assert package.same(own, B)
    narrow = clsolve.spsolve(A.astype(np.float32), package.put(np.ones(n)))
    assert package.get(narrow).dtype == np.float64
    with pytest.raises(ValueError, match="mismatch"):
        lu.solve(package.put(np.ones(n + 1)))


def test_failures_leave_b(package):
    b = np.arange(3.0)
    B = package.put(b)
    with pytest.raises(clsolve.LinAlgError):
        clsolve.solve(package.put(np.zeros((3, 3))), B, overwrite_b=True)
    with pytest.raises(ValueError, match="infs or NaNs"):
        clsolve.solve(package.put(np.full((3, 3), np.nan)), B, overwrite_b=True)
    np.testing.assert_array_equal(package.get(B), b)
    with pytest.raises(TypeError, match="same memory"):
        clsolve.solve(package.put(np.eye(3)), b)
    with pytest.raises(ValueError, match="incompatible"):
        clsolve.solve(package.put(np.eye(3)), package.put(np.ones(4)))
    with pytest.raises(ValueError, match="square"):
        clsolve.solve(package.put(np.ones((2, 3))), package.put(np.ones(2)))


# ---- pyopencl ----


def test_queue_and_offsets(rng):
    package = PyOpenCL()
    a, b = rng.uniform(-1, 1, (12, 12)), rng.uniform(-1, 1, (12, 3))
    big = np.zeros((20, 15))
    big[3:15] = 0
    big[3:15, :12] = a
    A = package.put(big)[3:15, :12]  # an offset, and rows of 15
    assert A.offset and not A.flags.forc
    accept(solve_ratio(a, package.get(clsolve.solve(A, package.put(b))), b))
    bare = package.put(a).with_queue(None)
    with pytest.raises(ValueError, match="no queue"):
        clsolve.solve(bare, bare)
    narrow = clsolve.solve(package.put(a.astype(np.float32)), package.put(b))  # types are promoted on the device
    assert narrow.dtype == np.float64


def test_a_call_comes_behind_the_work_of_its_queue(rng):
    """The queue waits for an event. A call that is not in the queue's order would return before the event is set."""
    package = PyOpenCL()
    import pyopencl as cl

    a, b = rng.uniform(-1, 1, (12, 12)), rng.uniform(-1, 1, 12)
    A, B, found = package.put(a), package.put(b), []
    clsolve.solve(A, B)  # kernels are compiled, and tested
    gate = cl.UserEvent(package.queue.context)
    cl.enqueue_barrier(package.queue, wait_for=[gate])
    B *= 2
    call = threading.Thread(target=lambda: found.append(clsolve.solve(A, B)))
    call.start()
    call.join(0.3)
    early = not call.is_alive()
    gate.set_status(cl.command_execution_status.COMPLETE)
    call.join()
    assert not early
    accept(solve_ratio(a, package.get(found[0]), 2 * b))


@pytest.mark.parametrize("matrix_waits", [False, True])
def test_a_call_comes_behind_the_work_of_other_queues(rng, matrix_waits):
    """As above, where matrix and right-hand side have queues of their own, one of which runs out of order."""
    package = PyOpenCL()
    import pyopencl as cl

    cl_context = package.queue.context
    first, second = cl.CommandQueue(cl_context), cl.CommandQueue(cl_context)
    out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    if out_of_order & cl_context.devices[0].queue_properties:
        second = cl.CommandQueue(cl_context, properties=out_of_order)
    a, b = rng.uniform(-1, 1, (12, 12)), rng.uniform(-1, 1, 12)
    A, B = cl.array.to_device(first, a), cl.array.to_device(second, b)
    lu = clsolve.lu_factor(A)
    clsolve.solve(A, lu.solve(B))  # kernels are compiled, and tested
    waiting = A if matrix_waits else B
    waiting *= 1
    gate, found = cl.UserEvent(cl_context), []
    cl.enqueue_barrier(waiting.queue, wait_for=[gate])
    waiting *= 2
    if matrix_waits:
        work = lambda: found.append(clsolve.solve(A, B, overwrite_b=True))  # noqa: E731
    else:
        work = lambda: found.append(lu.solve(B, overwrite_b=True))  # noqa: E731
    call = threading.Thread(target=work)
    call.start()
    call.join(0.3)
    early = not call.is_alive()
    gate.set_status(cl.command_execution_status.COMPLETE)
    call.join()
    assert not early
    accept(solve_ratio(2 * a if matrix_waits else a, found[0].get(), b if matrix_waits else 2 * b))


def test_arrays_that_are_not_contiguous(rng):
    """pyopencl copies these not: the package does, on the device."""
    package = PyOpenCL()
    a, wide = rng.uniform(-1, 1, (6, 6)) + 9 * np.eye(6), rng.uniform(-1, 1, (6, 9))
    A, W = package.put(a), package.put(wide)
    for part in (np.s_[:, 2:5], np.s_[:, ::3], np.s_[:, 4], np.s_[:, 8:9]):
        np.testing.assert_allclose(clsolve.solve(A, W[part]).get(), np.linalg.solve(a, wide[part]), atol=1e-12)
    np.testing.assert_array_equal(W.get(), wide)
    b = rng.uniform(-1, 1, (3, 1, 6, 2))
    for shape in ((6, 6), (2, 6, 6), (5, 6, 6)):  # broadcast along leading axes
        many = np.broadcast_to(a, (1, *shape)[-3:] if len(shape) == 3 else shape)
        many = many * rng.uniform(1, 2, many.shape[:-2] + (1, 1))
        x = clsolve.solve(package.put(many), package.put(b))
        np.testing.assert_allclose(x.get(), np.linalg.solve(many, b), atol=1e-12)
    stack = np.stack([a, a.T, 2 * a])
    turned = package.put(stack).transpose((0, 2, 1))
    np.testing.assert_allclose(clsolve.inv(turned).get(), np.linalg.inv(stack.transpose(0, 2, 1)), atol=1e-12)


def test_another_context_is_refused(rng):
    package = PyOpenCL()
    import pyopencl as cl

    a, b = package.put(np.eye(3)), package.put(np.ones(3))
    with clsolve.Context.from_opencl(package.queue.context.int_ptr, package.queue.device.int_ptr, None) as context:
        np.testing.assert_array_equal(clsolve.solve(a, b, context=context).get(), np.ones(3))
    other = cl.array.to_device(cl.CommandQueue(cl.Context([package.queue.device])), np.ones(3))
    for call in (
        lambda: clsolve.lu_factor(a).solve(other, overwrite_b=True),
        lambda: clsolve.lu_factor(np.eye(3)).solve(other, overwrite_b=True),
        lambda: clsolve.lu_factor(np.eye(3), context=clsolve.Context("host")).solve(other, overwrite_b=True),
    ):
        with pytest.raises(ValueError, match="give context=clsolve.Context.of"):
            call()
    with pytest.raises(TypeError, match="numpy array, or the norm"):
        clsolve.lu_factor(a).cond(a=a)
    with pytest.raises(TypeError, match="give numpy arrays"):
        clsolve.LU.from_factors(a, [0, 1, 2])
    np.testing.assert_array_equal(other.get(), np.ones(3))


def test_contexts_are_kept(rng):
    """One for each cl_context and device, whatever the queue."""
    from clsolve import _adapters

    package = PyOpenCL()
    a = package.put(rng.uniform(-1, 1, (4, 4)))
    first = clsolve.lu_factor(a).context
    assert clsolve.lu_factor(a).context is first
    import pyopencl as cl

    assert clsolve.lu_factor(a.with_queue(cl.CommandQueue(package.queue.context))).context is first
    arrays = []
    for _ in range(_adapters._CONTEXTS + 1):
        arrays.append(cl.array.to_device(cl.CommandQueue(cl.Context([package.queue.device])), a.get()))
    contexts = [clsolve.Context.of(array) for array in arrays]
    assert len(set(map(id, contexts))) == len(arrays) and len(_adapters._contexts) == _adapters._CONTEXTS
    lu = clsolve.lu_factor(arrays[0])
    assert lu.solve(np.ones(4)).shape == (4,)


# ---- streams of CUDA ----


def test_streams_by_cuda(rng):
    """Matrix and right-hand side are written in streams of their own. The stand-in copies as late as it may."""
    package = Cuda()
    streams = [ctypes.c_void_p() for _ in range(2)]
    for stream in streams:
        assert package.driver.cuStreamCreate(ctypes.byref(stream), 1) == 0  # 1: in no order with the default stream
    a, b = rng.uniform(-1, 1, (40, 40)), rng.uniform(-1, 1, (40, 2))
    first = clsolve.Context.of(package.put(a))
    for k in range(4):
        streams.reverse()
        A, B = put_cuda(package.driver, a, streams[0]), put_cuda(package.driver, b, streams[1])
        assert clsolve.Context.of(A) is clsolve.Context.of(B) is first
        if k % 2:
            clsolve.solve(A, B, overwrite_b=True)
        else:
            clsolve.lu_factor(A).solve(B, overwrite_b=True)
        accept(solve_ratio(a, B.get(), b))
    for stream in streams:
        assert package.driver.cuStreamDestroy_v2(stream) == 0
    accept(solve_ratio(a, package.get(clsolve.solve(package.put(a), package.put(b))), b))  # the context outlives them


# ---- torch ----


@pytest.mark.parametrize(
    "shape_a, shape_b",
    [
        ((4, 4), (4,)),
        ((4, 4), (4, 2)),
        ((3, 4, 4), (3, 4, 2)),
        ((3, 4, 4), (4,)),
        ((4, 4), (3, 4, 2)),
        ((3, 1, 4, 4), (2, 4, 1)),
    ],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_gradients(rng, shape_a, shape_b, transposed):
    package = Torch()
    torch = package.torch
    a = package.put(rng.uniform(-1, 1, shape_a) + 4 * np.eye(4)).requires_grad_()
    b = package.put(rng.uniform(-1, 1, shape_b)).requires_grad_()

    def function(a, b):
        return clsolve.solve(a, b, transposed=transposed)

    assert torch.autograd.gradcheck(function, (a, b))
    assert torch.autograd.gradgradcheck(function, (a, b))
    expected = torch.linalg.solve(a.transpose(-1, -2) if transposed else a, b if b.dim() > 1 else b.unsqueeze(-1))
    np.testing.assert_allclose(
        package.get(function(a, b).detach()).reshape(-1), package.get(expected.detach()).reshape(-1), atol=1e-12
    )


def test_gradient_of_the_inverse(rng):
    package = Torch()
    for shape in ((4, 4), (2, 3, 3)):
        a = package.put(rng.uniform(-1, 1, shape) + 4 * np.eye(shape[-1])).requires_grad_()
        assert package.torch.autograd.gradcheck(clsolve.inv, (a,))
        assert package.torch.autograd.gradgradcheck(clsolve.inv, (a,))


def test_gradient_through_factors(rng):
    """b has a gradient. Where there is none, a recorded tensor is refused: its gradient would be wrong."""
    package = Torch()
    gradcheck = package.torch.autograd.gradcheck
    a = package.put(rng.uniform(-1, 1, (4, 4)) + 4 * np.eye(4))
    lu = clsolve.lu_factor(a)
    for trans in ("N", "T"):
        for shape in ((4,), (4, 2)):
            b = package.put(rng.uniform(-1, 1, shape)).requires_grad_()
            assert gradcheck(lambda b: lu.solve(b, trans=trans), (b,))
            assert package.torch.autograd.gradgradcheck(lambda b: lu.solve(b, trans=trans), (b,))
    a.requires_grad_()
    for call in (clsolve.lu_factor, clsolve.det, clsolve.slogdet, clsolve.cond, lu.factor):
        with pytest.raises(TypeError, match="no gradient"):
            call(a)
    with package.torch.no_grad():
        x = clsolve.solve(a, package.put(np.ones(4)))
        clsolve.det(a)
    assert not x.requires_grad and not clsolve.solve(a.detach(), package.put(np.ones(4))).requires_grad


def test_a_changed_matrix_is_told_of():
    package = Torch()
    a = package.put(2 * np.eye(2)).requires_grad_()
    b = a * 1
    x = clsolve.solve(b, package.put(np.ones(2))).sum()
    with package.torch.no_grad():
        b.mul_(2)
    with pytest.raises(RuntimeError, match="inplace"):
        x.backward()


# ---- DLPack ----


class OnlyDLPack:
    """An array of some package that numpy does not know."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __array_namespace__(self):
        class Space:
            from_dlpack = staticmethod(lambda x: OnlyDLPack(np.from_dlpack(x)))

        return Space


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="numpy has DLPack from 1.23 on")
def test_dlpack(rng):
    a, b = rng.uniform(-1, 1, (5, 5)), rng.uniform(-1, 1, 5)
    x = clsolve.solve(OnlyDLPack(a), OnlyDLPack(b))
    assert isinstance(x, OnlyDLPack)
    accept(solve_ratio(a, x.values, b))
    np.testing.assert_allclose(clsolve.inv(OnlyDLPack(a)).values @ a, np.eye(5), atol=1e-10)
    lu = clsolve.lu_factor(OnlyDLPack(a))
    accept(solve_ratio(a, lu.solve(OnlyDLPack(b)).values, b))
    accept(solve_ratio(2 * a, lu.factor(OnlyDLPack(2 * a)).solve(b), b))
    np.testing.assert_allclose(clsolve.det(OnlyDLPack(a)), np.linalg.det(a), rtol=1e-10)
    assert clsolve.cond(OnlyDLPack(a)) > 1 and len(clsolve.lu(OnlyDLPack(a))) == 3
    ones = OnlyDLPack(np.ones(5))
    x = clsolve.solve_tridiagonal(ones, OnlyDLPack(3 * np.ones(5)), ones, ones).values
    accept(solve_ratio(tridiagonal(np.ones(4), 3 * np.ones(5), np.ones(4)), x, np.ones(5)))
    band = OnlyDLPack(np.array([[2.0] * 5]))
    np.testing.assert_allclose(clsolve.solve_banded((0, 0), band, OnlyDLPack(b)).values, b / 2)
