"""Contexts: of the caller's choice, of the device that an array lies on, and the default one."""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
import weakref
from collections import OrderedDict
from contextvars import ContextVar
from typing import Any, Callable, Sequence

import numpy as np

from . import _library as lib
from . import _processes as processes
from ._adapters import Adapter
from ._arrays import type_of
from ._devices import Device, _device
from ._errors import PACKAGES, DeviceError, ForkError, NoDeviceError, NoDeviceWarning, exception, warn
from ._library import calls
from ._numpy import numpy_adapter
from ._packages import adapter_of


class Context:
    """A device with its queues and its compiled kernels, or several devices.

    selector
        None: the best device. "gpu", "cpu", "opencl", "cuda": the best of this kind. "opencl:0": this device of
        `clsolve.devices()`. "host": LAPACK on the host, whatever the option `where` is. Other text: part of a
        device's name, vendor or platform. Several devices: "cuda:0,1", "gpu:all", or a list of selectors of one
        device each, ["cuda:0", "host"]. The first one leads; batches are dealt out over all.
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

    def __init__(self, selector: str | Sequence[str] | None = None, *, cache: str | None = None) -> None:
        if isinstance(selector, (list, tuple)) and selector and all(isinstance(part, str) for part in selector):
            selector = ",".join(selector)
        if selector is not None and (not isinstance(selector, str) or "\0" in selector):
            raise TypeError(f"the selector is {selector!r}: give a text such as 'gpu', a list of them, or None")
        message = ctypes.create_string_buffer(512)
        options = lib.ContextOptions(
            selector=None if selector is None else selector.encode(),
            cache_folder=None if cache is None else os.fspath(cache).encode(),
            message=ctypes.cast(message, ctypes.c_char_p),
            message_size=len(message),
        )
        if selector != "host":
            processes.use_drivers()
        handle = ctypes.c_void_p()
        status = calls.context_create_with(ctypes.byref(options), ctypes.byref(handle))
        if status:
            raise exception(status, message.value.decode("utf-8", "replace"))
        self._adopt(handle.value)

    def _adopt(self, handle: int | None, keep: object = None) -> None:
        self._handle = handle
        self._keep = keep  # the caller's own objects, in use until the end of the context
        self._order: Any = None
        self._generation = processes.generation
        self._lock = threading.RLock()  # reentrant: garbage that is found under it may close handles
        self._calling_back: int | None = None
        self._devices = [_device(calls.context_device_at(handle, i)) for i in range(calls.context_device_count(handle))]
        self._handles: weakref.WeakSet[Any] = weakref.WeakSet()  # of Python's, which close with the context
        # The library's handles that live, and what destroys each. Who takes one out, under the lock, destroys it.
        self._open: dict[int, Callable[[Any], None]] = {}
        self._later: list[int] = []  # of these, garbage that was found while the library worked on the context
        self._kept: OrderedDict[tuple, Any] = OrderedDict()  # handles that stay, see _kept
        self._kept_bytes = -1  # the most that they hold on the device; -1: not known yet
        self._finish = weakref.finalize(self, _destroy_context, handle, processes.generation, self._open, self._kept)
        self._finish.atexit = False
        _contexts.add(self)

    @classmethod
    def from_opencl(cls, context: int, device: int, queue: int | None, *, keep: object = None) -> Context:
        """A context on the caller's OpenCL objects, given as the addresses of cl_context, cl_device_id and queue.

        `keep` is held as long as the context. pyopencl's `int_ptr` attributes are such addresses.
        """
        return cls._on(calls.context_create_opencl, keep, context, device, queue)._works_in(queue)

    @classmethod
    def from_cuda(cls, device: int, stream: int | None, *, keep: object = None) -> Context:
        """A context on the caller's CUDA stream, given as its address; 1 is the default stream, 2 that of each thread.

        None: a stream of the library's own, in no order with the caller's work.
        """
        made = cls._on(calls.context_create_cuda, keep, device, stream)
        return made._works_in(None if stream in (None, 2) else (device, stream))

    def _works_in(self, order: Any) -> Context:
        """The work of the context is in the caller's queue or stream, which arrays have as their `order`; None: not."""
        self._order = order
        return self

    @classmethod
    def of(cls, array: Any) -> Context:
        """The context that calls use for an array of another package on a device, or in the host's memory.

        It is for handles whose matrix lies elsewhere: `clsolve.splu(A, context=clsolve.Context.of(b))` solves for `b`.
        """
        return given_context(None, adapter_of(array) or numpy_adapter, array)

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
        processes.use_drivers()
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
        """Releases the context and all handles made from it. Later calls on them raise RuntimeError.

        A call that another thread has begun ends before.
        """
        if self._generation != processes.generation:  # its lock may be held by a thread that this process lacks
            self._handle = None
            return
        if self._calling_back == threading.get_ident():
            raise RuntimeError("a progress function must not close the context that calls it")
        with self._lock:
            for handle in list(self._handles):
                handle.close()
            self._handle = None
            self._finish()

    def __reduce__(self) -> Any:
        raise TypeError("a clsolve.Context cannot be copied or pickled: make one in each process")

    @property
    def device(self) -> Device:
        """The device of the context; for selector "host" the host itself."""
        self._check()
        return self._devices[0]

    @property
    def devices(self) -> list[Device]:
        """All devices of the context, the one that leads first."""
        self._check()
        return list(self._devices)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<clsolve.Context closed>"
        if self._generation != processes.generation:
            return "<clsolve.Context of the parent process>"
        device = self._devices[0]
        return f"<clsolve.Context {device.selector or device.backend}: {device.name}>"

    def __enter__(self) -> Context:
        self._check()
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        """Takes out its own entry: a generator may be closed inside another `with` block than it was entered in."""
        entered = _entered.get()
        for place in reversed(range(len(entered))):
            if entered[place] is self:
                _entered.set(entered[:place] + entered[place + 1 :])
                break

    def _check(self) -> None:
        if self._generation != processes.generation:
            raise ForkError(f"clsolve: {processes.FORKED}")
        if self._handle is None:
            raise RuntimeError("this clsolve.Context was closed")
        if self._calling_back is not None and self._calling_back == threading.get_ident():
            raise RuntimeError("a progress function must not call clsolve on the context that calls it")

    def _destroy(self, handle: int) -> None:
        """Under the lock."""
        destroy = self._open.pop(handle, None)
        if destroy is not None:
            destroy(handle)

    def _destroy_later(self) -> None:
        """Under the lock."""
        while self._later:
            self._destroy(self._later.pop())

    def status(self, function: Callable[..., int], *arguments: Any) -> tuple[int, str]:
        """One call of the library: its status, and its message where that is not OK.

        The lock makes the message that of this call. ctypes releases the GIL while the library works.
        """
        self._check()
        with self._lock:
            if self._handle is None:
                raise RuntimeError("this clsolve.Context was closed")
            return self._status(function, *arguments)

    def _status(self, function: Callable[..., int], *arguments: Any) -> tuple[int, str]:
        """The same under the lock, where the caller has seen that context and handle are open."""
        status = function(*arguments)
        if self._kept and status == lib.OUT_OF_DEVICE_MEMORY:  # such a call has changed nothing
            _destroy_kept(self._kept)
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


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def _close_contexts() -> None:
    """At the end of the interpreter. A context that a daemon thread is using stays: nothing may be taken from it."""
    for context in list(_contexts):
        if context._generation == processes.generation and context._lock.acquire(blocking=False):
            try:
                context.close()
            finally:
                context._lock.release()


atexit.register(_close_contexts)


def _destroy_context(
    handle: int | None, generation: int, handles: dict[int, Callable[[Any], None]], kept: OrderedDict[tuple, Any]
) -> None:
    if handle and generation == processes.generation:
        while handles:
            one, destroy = handles.popitem()
            destroy(one)
        _destroy_kept(kept)
        calls.context_destroy(handle)


def _destroy_kept(kept: OrderedDict[tuple, Any]) -> None:
    while kept:
        one = kept.popitem(last=False)[1]
        one.destroy(one.handle)


# ---- the contexts of calls that name none ----

# Each thread and task has its own: the contexts of the `with` blocks that it is in.
_entered: ContextVar[tuple[Context, ...]] = ContextVar("clsolve_contexts", default=())
_default: Context | None = None
_default_lock = threading.Lock()
_opener: threading.Thread | None = None  # opens the default context
_meanwhile: Context | None = None  # the host, until then
_looks = 0  # how often that has failed for a reason that may pass
_look_at = 0.0  # time.monotonic() of the next one
_MOST_LOOKS, _PAUSE = 7, 0.25  # seconds until the second look; each next one is twice as late

_PLACED = 8  # the most contexts of arrays' devices that are kept; one in use by a handle lives on
_placed: OrderedDict[tuple, Context] = OrderedDict()
_placed_lock = threading.Lock()


def _renew_locks() -> None:
    """In the child of a fork: a thread that the child does not have may hold a lock."""
    global _default_lock, _placed_lock, _opener, _meanwhile, _looks
    _default_lock, _placed_lock = threading.Lock(), threading.Lock()
    _opener = _meanwhile = None
    _looks = 0


processes.after_fork(_renew_locks)


def _context_at(adapter: Adapter, array: Any) -> Context:
    """The context of an array's device.

    The library retains the cl_context, so that its address is not used anew meanwhile.

    A context works in the queue of the array that it was made for, if that is one to stay, and follows the caller's
    other queues, so that one serves them all. A stream that the caller destroys, or that is another one in each thread,
    is not kept.
    """
    key = adapter.home(array)
    with _placed_lock:
        found = _placed.get(key)
        if found is None or found._handle is None:
            make: Callable[..., Context] = Context.from_cuda if key[0] == "cuda" else Context.from_opencl
            found = _placed[key] = make(*key[1], adapter.lasting(array))
        _placed.move_to_end(key)
        while len(_placed) > _PLACED:
            _placed.popitem(last=False)
        return found


def given_context(context: Any, adapter: Adapter = numpy_adapter, array: Any = None) -> Context:
    """The argument `context` of a call; for None the context of the array's device, or the default one."""
    if context is None:
        return _context_at(adapter, array) if adapter.on_device else default_context()
    if not isinstance(context, Context):
        raise TypeError(f"context is {context!r}: give a clsolve.Context, such as clsolve.Context('cpu')")
    return context


def _open_default(n: int, dtype: np.dtype) -> None:
    """A failure, or a machine without a device, is told to the next call, which opens anew.

    A device, or its memory, may be taken for a moment: then that comes after several failures, as in src/lapack/open.h.
    """
    global _default, _looks, _look_at
    try:
        with _default_lock:
            if _default is None or _default._handle is None:
                made = Context()
                made.status(calls.lu_is_compiling, made._handle, n, type_of(dtype))
                _default = made
    except Exception as error:
        passes = isinstance(error, (DeviceError, MemoryError)) and not isinstance(error, NoDeviceError)
        _looks = _looks + 1 if passes else _MOST_LOOKS
        _look_at = time.monotonic() + _PAUSE * 2 ** (_looks - 1)


def _looks_again() -> bool:
    """The last look has failed, and is not the last of all."""
    return _opener is not None and not _opener.is_alive() and 0 < _looks < _MOST_LOOKS


def quick_context() -> Context:
    """The default context for a call that the host ends sooner than a device opens: until it is open, the host's.

    `open_meanwhile` follows the call. CLSOLVE_HOST, and a `with` block, leave nothing to choose.
    """
    global _meanwhile
    if _default is not None or _entered.get() or os.environ.get("CLSOLVE_HOST"):
        return default_context()
    processes.use_drivers()
    if _opener is not None and not _opener.is_alive() and not _looks_again():
        return default_context()
    if _meanwhile is None:
        _meanwhile = Context("host")
    return _meanwhile


def is_meanwhile(context: Context, n: int, dtype: np.dtype) -> bool:
    """Whether the host solves a system in the place of a device that is not open, or has no kernels for it yet."""
    if context is not _default:
        return context is _meanwhile
    return context.status(calls.lu_is_compiling, context._handle, n, type_of(dtype))[0] == 1


def open_meanwhile(n: int, dtype: np.dtype) -> None:
    """A thread opens the default context, behind the first call: memory that is new waits while a driver starts.

    It also asks for the kernels of such systems, where the device would solve them.
    """
    global _opener
    due = _opener is None or (_looks_again() and time.monotonic() >= _look_at)
    if due and _meanwhile is not None and _default is None:
        _opener = threading.Thread(target=_open_default, args=(n, dtype), name="clsolve opens a device")
        _opener.start()


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
                warn(
                    f"clsolve: there is no OpenCL or CUDA device, so the host's LAPACK solves. {PACKAGES}",
                    NoDeviceWarning,
                )
                _default = Context("host")
    return _default
