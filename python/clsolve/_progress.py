"""Progress of long calls, for functions and for bars like tqdm's."""

from __future__ import annotations

import threading
from typing import Any, Callable

from . import _library as lib
from ._context import Context

ProgressArgument = Any  # a function (phase, fraction), or an object like tqdm's with `total` and `update`


class _Bar:
    """A bar of tqdm. It begins anew with each call of the library, and is full when the call has succeeded."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def __call__(self, phase: str, fraction: float) -> None:
        total = self._bar.total or 1
        if (fraction + 1e-6) * total < self._bar.n and hasattr(self._bar, "reset"):
            self._bar.reset()
        self._bar.update(fraction * total - self._bar.n)

    def finish(self) -> None:
        self("", 1.0)
        if hasattr(self._bar, "refresh"):
            self._bar.refresh()


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
            return _Bar(progress)
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

    def raise_error(self, status: int) -> None:
        """After a call of the library: what the function raised, and the bar's end if the call has succeeded."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        if status == 0 and isinstance(self._to, _Bar):
            self._to.finish()


def members_reporter(progress: ProgressArgument | None, count: int) -> Callable[[int], None]:
    """A function that tells `progress` how many of a batch's members are done."""
    if progress is None:
        return lambda done: None
    function = Reporter._function_of(progress)

    def tell(done: int) -> None:
        function("members", done / count)
        if done == count and isinstance(function, _Bar):
            function.finish()

    return tell


def reporter(context: Context, options: Any, progress: ProgressArgument | None) -> Reporter | None:
    """Puts `progress` into the options. The answer must live as long as the options are in use."""
    if progress is None:
        return None
    made = Reporter(context, progress)
    options.progress = made.pointer
    return made
