"""Reports: the library's structures as Python objects."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Iterator

from . import _library as lib


# Fields that concern some reports alone, and whether they concern this one. Else they are zeros.
_SOME: dict[str, Callable[[Any], Any]] = {
    "members": lambda report: report.members,
    "member": lambda report: report.members or report.member,
    "direct": lambda report: report.method != "block-gs",
    "refinement": lambda report: report.refinement.history,
    "band": lambda report: str(report.method).startswith("band"),
    "block_gs": lambda report: report.method == "block-gs",
    "iteration": lambda report: report.iteration,
    "iteration_reason": lambda report: report.iteration,
    "line_length": lambda report: report.lines,
    "lines": lambda report: report.lines,
    "slab_columns": lambda report: report.slab_columns,
    "slabs": lambda report: report.slabs,
    "expected_host": lambda report: report.expected_host,
    "expected_device": lambda report: report.expected_device,
    "rcond": lambda report: report.rcond >= 0,
    "rcond_is_bound": lambda report: report.rcond >= 0,
    "backward_error": lambda report: report.backward_error >= 0,
    "growth": lambda report: report.growth > 0,
    "log_abs_det": lambda report: report.det_sign,
    "det_phase": lambda report: report.det_phase,
    "seed": lambda report: report.pivoting == "rbt",
    "fallback_reason": lambda report: report.fallback,
    "devices": lambda report: report.devices,
    "inertia": lambda report: report.inertia.positive or report.inertia.negative or report.inertia.zero,
}


class Report:
    """The report of a factorization and a solve; the fields are those of include/clsolve/report.h.

    Fields are attributes and items: report.seconds.total, report["seconds"]["total"]. A text that the library does not
    give is None. Iteration, the text and the nested dictionaries of `report.to_dict()` have the parts that concern the
    method and the solve: no band for dense LU, no refinement where nothing was refined.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:  # for type checkers: all fields are in __dict__
        raise AttributeError(f"the report has no field {name!r}")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def keys(self) -> list[str]:
        return [name for name in self.__dict__ if name not in _SOME or _SOME[name](self)]

    def to_dict(self) -> dict[str, Any]:
        """The fields as nested dictionaries."""
        return {name: _plain(self[name]) for name in self}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return "Report(" + ", ".join(f"{name}={self[name]!r}" for name in self) + ")"

    def __str__(self) -> str:
        return "\n".join(_lines(self, ""))


def _plain(value: Any) -> Any:
    if isinstance(value, Report):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _lines(report: Report, indent: str) -> Iterator[str]:
    for name in report:
        value = report[name]
        if isinstance(value, Report):
            yield f"{indent}{name}:"
            yield from _lines(value, indent + "  ")
        elif value is not None and value != []:
            yield f"{indent}{name}: {value}"


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, ctypes.Structure):
        return report_of(value)
    return value


def _name(words: str, number: int) -> str:
    return next((word for word, value in lib.WORDS[words].items() if value == number), str(number))


def report_of(structure: ctypes.Structure) -> Report:
    """A report of any structure of the library: texts decoded, arrays cut to what is in use."""
    fields: dict[str, Any] = {}
    for name, *_ in type(structure)._fields_:  # type: ignore[misc]
        if name in ("reserved", "history_count", "history_length", "attempts_count"):
            continue
        value = getattr(structure, name)
        if name == "status":
            value = lib.STATUS.get(value, "UNKNOWN")
        elif name == "method" and isinstance(value, int):
            value = _name("METHOD", value)
        elif name == "history":
            count = structure.history_count if hasattr(structure, "history_count") else structure.history_length
            value = [value[k] for k in range(count)]
        elif name == "attempts":
            value = [report_of(value[k]) for k in range(structure.attempts_count)]
        fields[name] = _value(value)
    return Report(fields)
