"""Progress of long calls, for functions and for bars like tqdm's."""

from __future__ import annotations

import threading
from typing import Any, Callable

from . import _library as lib
from ._context import Context

ProgressArgument = Any  # a function (phase, fraction), or an object like tqdm's with `total` and `update`


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
