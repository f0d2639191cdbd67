"""Devices and contexts."""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
import weakref
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Callable

from . import _library as lib
from ._errors import PACKAGES, ForkError, NoDeviceError, NoDeviceWarning, exception
from ._library import calls

ProgressArgument = Any  # a function (phase, fraction), or an object like tqdm's with `total` and `update`


@dataclass(frozen=True)
class Device:
    """A device, as `clsolve.devices()` lists it. Sizes are in bytes."""

    selector: str
    backend: str
    name: str
    vendor: str
    platform: str
    version: str
    driver: str
    type: str
    compute_units: int
    clock_mhz: int
    max_work_group: int
    local_memory: int
    global_memory: int
    max_allocation: int
    fp64: bool
    host_memory: bool


def _device(info: lib.DeviceInfo) -> Device:
    values: dict[str, Any] = {}
    for name, *_ in lib.DeviceInfo._fields_[:-1]:
        value = getattr(info, name)
        values[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    values["type"] = lib.DEVICE_TYPES.get(values["type"], "other")
    values["fp64"] = bool(values["fp64"])
    values["host_memory"] = bool(values["host_memory"])
    return Device(**values)


# ---- processes ----

# Drivers have threads and locks of their own, which a child process does not inherit in a usable state.
_generation = 0
_drivers_generation: int | None = None  # that of the process that used a driver first

FORKED = (
    "this process was forked from one that had used a device, and drivers do not work across a fork. Start worker "
    "processes with multiprocessing's 'spawn' or 'forkserver' method, or use clsolve only after the fork"
)


def _count_fork() -> None:
    global _generation
    _generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


def _use_drivers() -> None:
    global _drivers_generation
    if _drivers_generation is None:
        _drivers_generation = _generation
    elif _drivers_generation != _generation:
        raise ForkError(f"clsolve: {FORKED}")


# ---- devices ----


def devices() -> list[Device]:
    """Lists the devices. The list is empty where there is no driver.

    >>> all(device.selector for device in clsolve.devices())
    True
    """
    _use_drivers()
    count = ctypes.c_int64(0)
    status = calls.devices(None, 0, ctypes.byref(count))
    if status:
        raise exception(status, "clsolve_devices failed")
    found = (lib.DeviceInfo * max(1, count.value))()
    status = calls.devices(ctypes.byref(found), count.value, ctypes.byref(count))
    if status:
        raise exception(status, "clsolve_devices failed")
    return [_device(info) for info in found[: count.value]]


# ---- contexts ----


class Context:
    """A device with its queues and its compiled kernels.

    selector
        None: the best device. "gpu", "cpu", "opencl", "cuda": the best of this kind. "opencl:0": this device of
        `clsolve.devices()`. "host": LAPACK on the host. Other text: part of a device's name, vendor or platform.
    cache
        The folder for compiled kernels; None: the usual one, "": none.

    In a `with` block the context is the default one of the thread:

    >>> with clsolve.Context("host"):
    ...     x = clsolve.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
    >>> x
    array([1., 2.])

    Threads may share a context; their calls then run one after the other. Calls on two contexts run concurrently. A
    context does not survive a fork: see ForkError.

    Raises NoDeviceError where no device fits, with the names of packages that have drivers.
    """

    def __init__(self, selector: str | None = None, *, cache: str | None = None) -> None:
        message = ctypes.create_string_buffer(512)
        options = lib.ContextOptions(
            selector=None if selector is None else selector.encode(),
            cache_folder=None if cache is None else os.fspath(cache).encode(),
            message=ctypes.cast(message, ctypes.c_char_p),
            message_size=len(message),
        )
        if selector != "host":
            _use_drivers()
        handle = ctypes.c_void_p()
        status = calls.context_create_with(ctypes.byref(options), ctypes.byref(handle))
        if status:
            raise exception(status, message.value.decode("utf-8", "replace"))
        self._adopt(handle.value)

    def _adopt(self, handle: int | None, keep: object = None) -> None:
        self._handle = handle
        self._keep = keep  # the caller's own objects, in use until the end of the context
        self._generation = _generation
        self._lock = threading.Lock()
        self._calling_back: int | None = None
        self._handles: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._later: list[tuple[Callable[[Any], None], int]] = []  # handles to destroy after a progress function
        self._finish = weakref.finalize(self, _destroy_context, handle, _generation)

    @classmethod
    def from_opencl(cls, context: int, device: int, queue: int | None, *, keep: object = None) -> Context:
        """A context on the caller's OpenCL objects, given as the addresses of cl_context, cl_device_id and queue.

        `keep` is held as long as the context. pyopencl's `int_ptr` attributes are such addresses.
        """
        return cls._on(calls.context_create_opencl, keep, context, device, queue)

    @classmethod
    def from_cuda(cls, device: int, stream: int | None, *, keep: object = None) -> Context:
        """A context on the caller's CUDA stream, given as its address; 1 is the default stream, 2 that of each thread.

        None: a stream of the library's own, in no order with the caller's work.
        """
        return cls._on(calls.context_create_cuda, keep, device, stream)

    @classmethod
    def of(cls, array: Any) -> Context:
        """The context that calls use for an array of another package on a device, or in the host's memory.

        It is for handles whose matrix lies elsewhere: `clsolve.splu(A, context=clsolve.Context.of(b))` solves for `b`.
        """
        from ._adapters import adapter_of

        adapter = adapter_of(array)
        return default_context() if adapter is None else adapter.context(array)

    def follow_opencl(self, queue: int) -> None:
        """Later calls on this context, one of `from_opencl`, come behind what was enqueued in another cl_command_queue.

        `queue` is its address. The host does not wait. Calls with pyopencl's arrays follow their queues by themselves.
        """
        self.run(calls.context_follow_opencl, self._handle, queue)

    def follow_cuda(self, stream: int) -> None:
        """Later calls on this context, one of `from_cuda`, come behind what was enqueued in another CUDA stream.

        `stream` is its address, or 1 or 2 as for `from_cuda`. The host does not wait. Calls with arrays of CuPy,
        PyTorch and others follow their streams by themselves.
        """
        self.run(calls.context_follow_cuda, self._handle, stream)

    @classmethod
    def _on(cls, create: Callable[..., int], keep: object, *arguments: Any) -> Context:
        _use_drivers()
        message = ctypes.create_string_buffer(512)
        options = lib.ContextOptions(message=ctypes.cast(message, ctypes.c_char_p), message_size=len(message))
        handle = ctypes.c_void_p()
        status = create(*arguments, ctypes.byref(options), ctypes.byref(handle))
        if status:
            raise exception(status, message.value.decode("utf-8", "replace"))
        made = cls.__new__(cls)
        made._adopt(handle.value, keep)
        return made

    def close(self) -> None:
        """Releases the context and all handles made from it. Later calls on them raise RuntimeError."""
        for handle in list(self._handles):
            handle.close()
        self._destroy_later()
        with self._lock:
            self._handle = None
            self._finish()

    @property
    def device(self) -> Device:
        """The device of the context; for selector "host" the host itself."""
        self._check()
        return _device(calls.context_device(self._handle))

    def __repr__(self) -> str:
        if self._handle is None:
            return "<clsolve.Context closed>"
        if self._generation != _generation:
            return "<clsolve.Context of the parent process>"
        return f"<clsolve.Context {self.device.selector or self.device.backend}: {self.device.name}>"

    def __enter__(self) -> Context:
        self._check()
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _entered.set(_entered.get()[:-1])

    def _check(self) -> None:
        if self._generation != _generation:
            raise ForkError(f"clsolve: {FORKED}")
        if self._handle is None:
            raise RuntimeError("this clsolve.Context was closed")
        if self._calling_back is not None and self._calling_back == threading.get_ident():
            raise RuntimeError("a progress function must not call clsolve on the context that calls it")

    def _destroy_later(self) -> None:
        while self._later:
            destroy, handle = self._later.pop()
            destroy(handle)

    def status(self, function: Callable[..., int], *arguments: Any) -> tuple[int, str]:
        """One call of the library: its status, and its message where that is not OK.

        The lock makes the message that of this call. ctypes releases the GIL while the library works.
        """
        self._check()
        with self._lock:
            if self._handle is None:
                raise RuntimeError("this clsolve.Context was closed")
            status = function(*arguments)
            message = calls.context_message(self._handle) if status else b""
        if self._later:
            self._destroy_later()
        return status, message.decode("utf-8", "replace") if message else ""

    def run(self, function: Callable[..., int], *arguments: Any) -> None:
        """The same, with an exception for every status but OK."""
        status, message = self.status(function, *arguments)
        if status:
            raise exception(status, message)


def _destroy_context(handle: int | None, generation: int) -> None:
    if handle and generation == _generation:
        calls.context_destroy(handle)


class Handle:
    """A handle of the library: what the classes LU, Solver and Grid have in common."""

    _destroy: Callable[[Any], None]

    def _own(
        self, context: Context, create: Callable[..., int], destroy: Callable[[Any], None], *arguments: Any
    ) -> None:
        handle = ctypes.c_void_p()
        context.run(create, context._handle, *arguments, ctypes.byref(handle))
        self.context = context
        self._handle: int | None = handle.value
        # The finalizer holds the context, so that the context outlives its handles.
        self._finish = weakref.finalize(self, _destroy_handle, context, destroy, handle.value)
        context._handles.add(self)

    def close(self) -> None:
        """Releases the handle and its device memory. Later calls raise RuntimeError."""
        self._handle = None
        self._finish()

    def _open(self) -> int:
        if self._handle is None:
            raise RuntimeError(f"this clsolve.{type(self).__name__} was closed")
        return self._handle

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _destroy_handle(context: Context, destroy: Callable[[Any], None], handle: int | None) -> None:
    if context._generation != _generation or context._handle is None or handle is None:
        return
    if context._calling_back == threading.get_ident():  # garbage found in a progress function: the library is busy
        context._later.append((destroy, handle))
    else:
        destroy(handle)


# ---- the default context ----

# Of each thread and task its own: the contexts of the `with` blocks that it is in.
_entered: ContextVar[tuple[Context, ...]] = ContextVar("clsolve_contexts", default=())
_default: Context | None = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context of calls that name none: that of the `with` block, or one on the best device.

    Without any driver it works on the host by LAPACK, and a NoDeviceWarning names packages that have drivers.
    """
    entered = _entered.get()
    if entered:
        return entered[-1]
    global _default
    if _default is not None and _default._handle is not None:
        return _default
    with _default_lock:
        if _default is None or _default._handle is None:
            try:
                _default = Context()
            except NoDeviceError:
                warnings.warn(
                    f"clsolve: there is no OpenCL or CUDA device, so the host's LAPACK solves. {PACKAGES}",
                    NoDeviceWarning,
                    stacklevel=3,
                )
                _default = Context("host")
    return _default


# ---- progress ----


class Reporter:
    """Passes the library's progress on to a Python function, or to an object like tqdm's bars.

    An exception of the function cannot pass through the library: it is raised when the call has returned.
    """

    def __init__(self, context: Context, progress: ProgressArgument) -> None:
        self._context = context
        self._to = self._function_of(progress)
        self._error: BaseException | None = None
        self.pointer = lib.Progress(self._call)

    @staticmethod
    def _function_of(progress: ProgressArgument) -> Callable[[str, float], object]:
        if hasattr(progress, "update") and hasattr(progress, "n"):
            total = progress.total or 1

            def update(phase: str, fraction: float) -> None:
                progress.update(fraction * total - progress.n)

            return update
        if not callable(progress):
            raise TypeError("progress must be a function (phase, fraction), or a bar with total, n and update")
        return progress

    def _call(self, _: object, phase: bytes | None, fraction: float) -> None:
        if self._error is not None:
            return
        self._context._calling_back = threading.get_ident()
        try:
            self._to((phase or b"").decode(), fraction)
        except BaseException as error:
            self._error = error
        finally:
            self._context._calling_back = None

    def raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error


def reporter(context: Context, options: Any, progress: ProgressArgument | None) -> Reporter | None:
    """Puts `progress` into the options. The answer must live as long as the options are in use."""
    if progress is None:
        return None
    made = Reporter(context, progress)
    options.progress = made.pointer
    return made
