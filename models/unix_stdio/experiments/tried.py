"""A program of the lecture with something changed, as a row of numbers."""

from collections.abc import Mapping
from typing import Any

from models.unix_stdio.run import Choices, perform
from sim.error import unknown
from workloads.stdio import programs


def tried(
    name: str, seed: object = 1, seconds: float = 30.0, warm: bool = False, choices: Choices | None = None,
    given: Mapping[str, Any] | None = None, **changes: Any,
) -> Mapping[str, float]:  # fmt: skip
    """What program *name* does with *changes*, on a machine with *given* parameters."""
    if name not in programs():
        raise unknown("program", name, programs())
    return perform(programs()[name].changed(**changes), seed, seconds, warm, choices, **(given or {})).extras
