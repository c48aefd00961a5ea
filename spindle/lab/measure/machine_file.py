"""Writes a fitted machine as a Python file, which ``spindle run unix_stdio --machine`` reads."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from spindle.lab.measure.fit import FittedMachine
from spindle.models.unix_stdio.parameters import UnixParameters


def machine_text(fitted: FittedMachine, head: Mapping[str, str]) -> str:
    """Return the lines of the file; *head* says where it was measured."""
    return "\n".join(_lines(fitted, ", ".join(head.values()))) + "\n"


def _lines(fitted: FittedMachine, place: str) -> Iterator[str]:
    measured = f"# Fitted by spindle measure; measured on: {place or 'a machine that is not named'}."
    yield " ".join(measured.split())
    if not fitted.device:
        yield "# Its drive was not fitted: programs that wait for it take next to no time."
    yield f"from {UnixParameters.__module__} import {UnixParameters.__name__}"
    yield ""
    yield f"MACHINE = {UnixParameters.__name__}("
    yield from (f"    {name}={value!r}," for name, value in asdict(fitted.machine).items())
    yield ")"
