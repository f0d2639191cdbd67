"""Features of one package's arrays alone: queues and streams, gradients, DLPack."""

import ctypes
import gc
import threading
import warnings
import weakref

import numpy as np
import pytest

import clsolve
from packages import Cuda, PyOpenCL, Torch, put_cuda
from ratios import accept, solve_ratio


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
    from clsolve import _context

    package = PyOpenCL()
    a = package.put(rng.uniform(-1, 1, (4, 4)))
    first = clsolve.lu_factor(a).context
    assert clsolve.lu_factor(a).context is first
    import pyopencl as cl

    assert clsolve.lu_factor(a.with_queue(cl.CommandQueue(package.queue.context))).context is first
    arrays = []
    for _ in range(_context._PLACED + 1):
        arrays.append(cl.array.to_device(cl.CommandQueue(cl.Context([package.queue.device])), a.get()))
    contexts = [clsolve.Context.of(array) for array in arrays]
    assert len(set(map(id, contexts))) == len(arrays) and len(_context._placed) == _context._PLACED
    lu = clsolve.lu_factor(arrays[0])
    assert lu.solve(np.ones(4)).shape == (4,)


def test_queue_of_the_context(rng, monkeypatch):
    """A context made for an array works in the queue of the array, unless that is out of order, and follows others."""
    package = PyOpenCL()
    import pyopencl as cl

    from clsolve import _pyopencl

    followed = []
    usual = _pyopencl.follow
    monkeypatch.setattr(_pyopencl, "follow", lambda call, queue: (followed.append(queue), usual(call, queue)))
    a, b = rng.uniform(-1, 1, (5, 5)) + 5 * np.eye(5), rng.uniform(-1, 1, 5)
    disorder = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    for properties in (0, disorder):
        own = cl.Context([package.queue.device])
        first = cl.CommandQueue(own, properties=properties)
        if not (first.properties & disorder) and properties:
            continue  # the device has no such queues
        for queue in (first, cl.CommandQueue(own), first):
            followed.clear()
            x = clsolve.solve(cl.array.to_device(queue, a), cl.array.to_device(queue, b))
            np.testing.assert_allclose(x.get(), np.linalg.solve(a, b), rtol=1e-10)
            assert followed == ([] if queue is first and not properties else [queue.int_ptr])


def test_handles_stay(rng):
    """With the context, the last of them, as long as there is room; no longer than the context."""
    package = PyOpenCL()

    def context_of():
        return clsolve.Context.from_opencl(package.queue.context.int_ptr, package.queue.device.int_ptr, None)

    def inverse(*shape):
        a = rng.uniform(-1, 1, shape) + 9 * np.eye(shape[-1])
        x = clsolve.inv(package.put(a), context=context)
        np.testing.assert_allclose(x.get() @ a, np.broadcast_to(np.eye(shape[-1]), shape), atol=1e-12)

    def without_room():
        return statuses.pop(0)

    context = context_of()
    inverse(3, 4, 4)
    first = dict(context._kept)
    inverse(3, 4, 4)
    assert dict(context._kept) == first and len(first) == 1
    inverse(9, 9)
    a, b = rng.uniform(-1, 1, (3, 4, 4)), rng.uniform(-1, 1, (3, 4, 1))
    x = clsolve.solve(package.put(a), package.put(b), context=context)
    np.testing.assert_allclose(x.get(), np.linalg.solve(a, b), rtol=1e-8, atol=1e-8)
    assert len(context._kept) == 3
    for count in range(1, 6):
        inverse(count, 4, 4)
    assert len(context._kept) == 4
    with pytest.raises(clsolve.LinAlgError):
        clsolve.inv(package.put(np.zeros((2, 2))), context=context)
    assert len(context._kept) == 4
    statuses = [-4, 0]
    context.run(without_room)
    assert not statuses and not context._kept
    context._kept_bytes = 0
    inverse(9, 9)
    assert not context._kept
    context._kept_bytes = -1
    inverse(9, 9)
    context.close()
    assert not context._kept
    context = context_of()
    inverse(3, 4, 4)
    gone = weakref.ref(context)
    del context
    gc.collect()
    assert gone() is None


def test_what_is_no_usual_array():
    """An offset that is no whole number of elements, and steps that no copy of OpenCL has."""
    package = PyOpenCL()
    import pyopencl as cl

    a, b = package.put(np.eye(3)), package.put(np.arange(4.0))
    odd = cl.array.Array(package.queue, (3,), np.float64, data=b.base_data, offset=4)
    with pytest.raises(ValueError, match="multiple of 8"):
        clsolve.solve(a, odd, overwrite_b=True)
    with pytest.raises(ValueError, match="stride of -8"):
        clsolve.solve(a, b[:3][::-1])


def test_empty_arrays():
    """pyopencl gives them no buffer."""
    package = PyOpenCL()
    import pyopencl as cl
    import scipy.sparse as sp

    def empty(*shape):
        return cl.array.empty(package.queue, shape, np.float64)

    eye = package.put(np.eye(3))
    for x, shape in (
        (clsolve.solve(eye, empty(3, 0)), (3, 0)),
        (clsolve.solve(empty(0, 0), empty(0)), (0,)),
        (clsolve.solve(empty(0, 0), empty(0, 2)), (0, 2)),
        (clsolve.solve(empty(0, 3, 3), empty(0, 3, 1)), (0, 3, 1)),
        (clsolve.lu_factor(empty(0, 0)).solve(empty(0, 2)), (0, 2)),
        (clsolve.lu_factor(eye).solve(empty(3, 0)), (3, 0)),
        (clsolve.inv(empty(2, 0, 0)), (2, 0, 0)),
        (clsolve.solve_banded((0, 0), empty(1, 0), empty(0)), (0,)),
        (clsolve.solve_banded((0, 0), package.put(np.ones((1, 3))), empty(3, 0)), (3, 0)),
        (clsolve.splu(sp.eye(3).tocsr(), context=clsolve.Context.of(eye)).solve(empty(3, 0)), (3, 0)),
    ):
        assert x.shape == shape and x.dtype == np.float64
    with pytest.raises(ValueError, match="does not equal"):
        clsolve.solve_banded((0, 0), cl.array.to_device(package.queue, np.float64(1)), empty(0))


def test_answers_of_batches_lie_on_the_device(rng):
    package = PyOpenCL()
    a = rng.uniform(-1, 1, (2, 3, 4, 4)) + 3 * np.eye(4)
    A = package.put(a)
    np.testing.assert_allclose(package.get(clsolve.det(A)), np.linalg.det(a), rtol=1e-10)
    for part, expected in zip(clsolve.slogdet(A), np.linalg.slogdet(a)):
        np.testing.assert_allclose(package.get(part), expected, rtol=1e-10, atol=1e-12)
    with pytest.raises(clsolve.LinAlgError, match="overflows"):
        clsolve.solve(package.put(np.stack([np.eye(3) * 1e-300] * 2)), package.put(np.full(3, 1e300)))


def test_sparse_batches_lie_on_the_device(rng):
    sp = pytest.importorskip("scipy.sparse")
    package = PyOpenCL()
    a = sp.random(30, 30, density=0.1, random_state=np.random.RandomState(1), format="csr") + 4 * sp.eye(30)
    values, b = rng.uniform(0.9, 1.1, (7, 1)) * a.data, rng.uniform(-1, 1, (7, 30))
    lu = clsolve.splu_batch(a, package.put(values))
    for trans in "NT":
        x = package.get(lu.solve(package.put(b), trans))
        for m in range(7):
            whole = sp.csr_matrix((values[m], a.indices, a.indptr)).toarray()
            accept(solve_ratio(whole if trans == "N" else whole.T, x[m][:, None], b[m][:, None]))
    sides = package.put(np.ones((7, 30, 2)))
    assert package.same(lu.solve(sides, overwrite_b=True), sides)
    with pytest.raises(TypeError, match="complex"):
        lu.solve(package.put(b.astype(complex)))


# ---- streams of CUDA ----


def test_read_only_and_masked_arrays_of_cuda(rng):
    package = Cuda()
    a, b = rng.uniform(-1, 1, (5, 5)) + 9 * np.eye(5), rng.uniform(-1, 1, 5)
    A, B = package.put(a), package.put(b)
    B.__cuda_array_interface__["data"] = (B.memory, True)
    x = clsolve.solve(A, B, overwrite_b=True)
    assert not package.same(x, B)
    accept(solve_ratio(a, package.get(x), b))
    B.__cuda_array_interface__["mask"] = A
    with pytest.raises(ValueError, match="mask"):
        clsolve.solve(A, B)


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
@pytest.mark.parametrize("unit", [0, 1j])
@pytest.mark.parametrize("transposed", [False, True])
def test_gradients(rng, shape_a, shape_b, transposed, unit):
    package = Torch()
    torch = package.torch
    a = rng.uniform(-1, 1, shape_a) + unit * rng.uniform(-1, 1, shape_a) + (4 + 2 * abs(unit)) * np.eye(4)
    a = package.put(a).requires_grad_()
    b = package.put(rng.uniform(-1, 1, shape_b) + unit * rng.uniform(-1, 1, shape_b)).requires_grad_()

    def function(a, b):
        return clsolve.solve(a, b, transposed=transposed)

    assert torch.autograd.gradcheck(function, (a, b))
    assert torch.autograd.gradgradcheck(function, (a, b))
    expected = torch.linalg.solve(a.transpose(-1, -2) if transposed else a, b if b.dim() > 1 else b.unsqueeze(-1))
    np.testing.assert_allclose(
        package.get(function(a, b).detach()).reshape(-1), package.get(expected.detach()).reshape(-1), atol=1e-12
    )


def test_complex_gradients_are_pytorchs(rng):
    package = Torch()
    torch = package.torch
    given = [rng.uniform(-1, 1, (4, k)) + 1j * rng.uniform(-1, 1, (4, k)) for k in (4, 2)]
    given[0] += 6 * np.eye(4)
    found = []
    for solve in (clsolve.solve, torch.linalg.solve):
        a, b = (package.put(x).requires_grad_() for x in given)
        x = solve(a, b)
        (x.abs() ** 2 * torch.arange(8, device=x.device).reshape(4, 2)).sum().backward()
        found.append([package.get(part.grad) for part in (a, b)])
    for mine, theirs in zip(*found):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


def test_gradient_of_the_inverse(rng):
    package = Torch()
    for shape, unit in (((4, 4), 0), ((2, 3, 3), 0), ((4, 4), 1j), ((2, 3, 3), 1j)):
        a = rng.uniform(-1, 1, shape) + unit * rng.uniform(-1, 1, shape) + (4 + 2 * abs(unit)) * np.eye(shape[-1])
        a = package.put(a).requires_grad_()
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
    members = clsolve.lu_factor(package.put(rng.uniform(-1, 1, (2, 3, 4, 4)) + 4 * np.eye(4)))
    for trans in ("N", "T"):
        for shape in ((4,), (3, 4, 2), (2, 1, 4, 1)):
            b = package.put(rng.uniform(-1, 1, shape)).requires_grad_()
            assert gradcheck(lambda b: members.solve(b, trans=trans), (b,))
            assert package.torch.autograd.gradgradcheck(lambda b: members.solve(b, trans=trans), (b,))
    complex_a = package.put(rng.uniform(-1, 1, (4, 4)) + 1j * rng.uniform(-1, 1, (4, 4)) + 6 * np.eye(4))
    complex_lu = clsolve.lu_factor(complex_a)
    b = package.put(rng.uniform(-1, 1, (4, 2)) + 1j).requires_grad_()
    for trans in ("N", "T", "H"):
        assert gradcheck(lambda b: complex_lu.solve(b, trans=trans), (b,))
        assert package.torch.autograd.gradgradcheck(lambda b: complex_lu.solve(b, trans=trans), (b,))
    a.requires_grad_()
    for call in (clsolve.lu_factor, clsolve.det, clsolve.slogdet, clsolve.cond, lu.factor):
        with pytest.raises(TypeError, match="no gradient"):
            call(a)
    with package.torch.no_grad():
        x = clsolve.solve(a, package.put(np.ones(4)))
        clsolve.det(a)
    assert not x.requires_grad and not clsolve.solve(a.detach(), package.put(np.ones(4))).requires_grad


def test_types_and_warnings_of_gradients(rng):
    """As without gradients: types are promoted before the work, and what is ill-conditioned is told of."""
    package = Torch()
    torch = package.torch
    a, b = rng.uniform(-1, 1, (5, 5)) + 5 * np.eye(5), rng.uniform(-1, 1, 5)
    for kind_a, kind_b in (("f4", "f8"), ("f8", "f4")):
        narrow_a, narrow_b = a.astype(kind_a), b.astype(kind_b)
        for grad_a, grad_b in ((True, False), (False, True), (True, True)):
            A, B = package.put(narrow_a).requires_grad_(grad_a), package.put(narrow_b).requires_grad_(grad_b)
            x = clsolve.solve(A, B)
            assert x.dtype == torch.float64
            accept(solve_ratio(narrow_a, package.get(x.detach()), narrow_b))
            x.sum().backward()
            assert all(given.grad is None or given.grad.dtype == given.dtype for given in (A, B))
    for other in ([1.0] * 5, np.ones(5)):
        with pytest.raises(TypeError, match="same memory"):
            clsolve.solve(package.put(a).requires_grad_(), other)
    ill = package.put(np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]])).requires_grad_()
    with pytest.warns(clsolve.LinAlgWarning) as told:
        clsolve.solve(ill, package.put(np.ones(2)))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clsolve.solve(ill, package.put(np.ones(2)), rcond=False)


def test_sparse_tensors_are_refused():
    torch = Torch().torch
    with pytest.raises(TypeError, match="to_dense"):
        clsolve.solve(torch.eye(3).to_sparse(), torch.ones(3))


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
    accept(solve_ratio(3 * np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1), x, np.ones(5)))
    band = OnlyDLPack(np.array([[2.0] * 5]))
    np.testing.assert_allclose(clsolve.solve_banded((0, 0), band, OnlyDLPack(b)).values, b / 2)
