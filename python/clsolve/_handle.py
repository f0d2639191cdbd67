"""Handles that are made from contexts."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Callable

from . import _library as lib
from . import _processes as processes
from ._context import Context
from ._errors import exception
from ._library import calls
from ._progress import Reporter


class Handle:
    """A handle of the library: the common part of the classes LU, Solver and Grid."""

    context: Context
    _family: str  # of the library's calls
    _handle: int | None = None
    _watcher: Reporter | None = None
    _exception = staticmethod(exception)

    def _own(self, context: Context, family: str, *arguments: Any, create: str = "create") -> None:
        """Makes the library's handle of a family: the arguments are those of its call `create`."""
        self._family = family
        make, destroy = getattr(calls, f"{family}_{create}"), getattr(calls, f"{family}_destroy")
        handle = ctypes.c_void_p()
        context._check()
        with context._lock:  # until the context knows of the handle, nobody may close it
            context.run(make, context._handle, *arguments, ctypes.byref(handle))
            assert handle.value is not None
            context._open[handle.value] = destroy
            self.context = context
            self._handle = handle.value
            # The finalizer holds the context, so that the context outlives its handles.
            self._finish = weakref.finalize(self, _destroy_handle, context, handle.value)
            self._finish.atexit = False
            context._handles.add(self)

    def close(self) -> None:
        """Releases the handle and its device memory. Later calls raise RuntimeError."""
        if self._handle is None:
            return
        if self.context._generation == processes.generation and self.context._calling_back != threading.get_ident():
            with self.context._lock:  # behind a call of another thread
                self._handle = None
                self._finish()
        else:
            self._handle = None
            self._finish()

    def _status(self, function: Callable[..., int], *arguments: Any) -> tuple[int, str]:
        """A call of the library on this handle: its status, and its message where that is not OK."""
        context = self.context
        context._check()
        with context._lock:
            if self._handle is None:
                raise RuntimeError(f"this clsolve.{type(self).__name__} was closed")
            return context._status(function, self._handle, *arguments)

    def _run(self, function: Callable[..., int], *arguments: Any) -> None:
        """The same, with an exception for every status but OK."""
        status, message = self._status(function, *arguments)
        if status:
            raise self._exception(status, message)

    def _run_watched(self, function: Callable[..., int], *arguments: Any, allowed: int = 0) -> int:
        """The same for a call that tells of its progress. The status is OK or the one that is allowed."""
        status, message = self._status(function, *arguments)
        if self._watcher is not None:
            self._watcher.raise_error(status)
        if status and status != allowed:
            raise self._exception(status, message)
        return status

    def _report(self, kind: Any = lib.Report) -> Any:
        """The library's structure that tells how the last calls went."""
        found = kind()
        self._run(getattr(calls, f"{self._family}_report"), ctypes.byref(found))
        return found

    def __reduce__(self) -> Any:
        raise TypeError(f"a clsolve.{type(self).__name__} cannot be copied or pickled: it is on the device")

    def __enter__(self) -> Any:
        if self._handle is None:
            raise RuntimeError(f"this clsolve.{type(self).__name__} was closed")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _destroy_handle(context: Context, handle: int) -> None:
    """Garbage may be found by any thread at any moment, so nothing is waited for: who has the lock destroys later."""
    if context._generation != processes.generation:
        return
    context._later.append(handle)
    if context._calling_back != threading.get_ident() and context._lock.acquire(blocking=False):
        try:
            context._destroy_later()
        finally:
            context._lock.release()
