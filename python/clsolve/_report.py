"""Reports: the library's structures as Python objects."""

from __future__ import annotations

import ctypes
from typing import Any, Iterator

from . import _library as lib


class Report:
    """The report of a factorization and a solve; the fields are those of include/clsolve/report.h.

    Fields are attributes and items: report.seconds.total, report["seconds"]["total"]. `report.to_dict()` has nested
    dictionaries. A text that the library does not give is None.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:  # for type checkers: all fields are in __dict__
        raise AttributeError(f"the report has no field {name!r}")

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__

    def keys(self) -> Any:
        return self.__dict__.keys()

    def to_dict(self) -> dict[str, Any]:
        """The fields as nested dictionaries."""
        return {name: _plain(value) for name, value in self.__dict__.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        return "Report(" + ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items()) + ")"

    def __str__(self) -> str:
        return "\n".join(_lines(self, ""))


def _plain(value: Any) -> Any:
    if isinstance(value, Report):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _lines(report: Report, indent: str) -> Iterator[str]:
    for name, value in report.__dict__.items():
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
