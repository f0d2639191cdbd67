"""Processes that fork: a device that was in use before a fork is out of reach after it."""

from __future__ import annotations

import os
from typing import Callable

from ._errors import ForkError

# Drivers have threads and locks of their own, which a child process does not inherit in a usable state.
generation = 0
_drivers_generation: int | None = None  # that of the process that used a driver first

FORKED = (
    "this process was forked from one that had used a device, and drivers do not work across a fork. Start worker "
    "processes with multiprocessing's 'spawn' or 'forkserver' method, or use clsolve only after the fork"
)


def after_fork(function: Callable[[], None]) -> None:
    """The function runs in each child of a fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


def _count_fork() -> None:
    global generation
    generation += 1


after_fork(_count_fork)


def use_drivers() -> None:
    global _drivers_generation
    if _drivers_generation is None:
        _drivers_generation = generation
    elif _drivers_generation != generation:
        raise ForkError(f"clsolve: {FORKED}")
