"""Defines what ``spindle characterise`` can be asked of a trace, and answers it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from spindle.questions.field import ask
from spindle.sim.units import Bytes
from spindle.traces.opening import MANY_DEVICES, TraceOptions, on_devices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from spindle.traces.characterise import Characterisation
    from spindle.workloads.traces.reader import Trace
    from spindle.workloads.traces.record import Record

DEFAULT_BLOCK = 4096
"""Default unit of reuse and hot spots, in bytes."""


@dataclass(frozen=True)
class CharacterQuestion:
    """The character of a block trace."""

    source: TraceOptions = TraceOptions()
    block: Bytes = ask(Bytes(DEFAULT_BLOCK), "unit of reuse and hot spots", "bytes", least=1)


class CharacterAnswer(NamedTuple):
    """A *trace* and its *character*."""

    trace: "Trace"
    character: "Characterisation"

    def data(self) -> dict[str, Any]:
        """Return all numbers for JSON, with the bad lines passed over, and notes on guesses about the trace."""
        from spindle.traces.character_page import numbers

        faults = self.trace.faults
        return {"bad_lines": faults.bad, "notes": faults.sentences, **numbers(self.character)}


def answer_character(
    question: CharacterQuestion, path: "str | Path", records: "Callable[[Trace, int], Iterable[Record]] | None" = None
) -> CharacterAnswer:
    """Read the trace at *path* and characterise it; *records* reads its records, up to a limit, with a progress bar."""
    from spindle.traces.characterise import characterise  # and numpy, which no help text needs

    source = question.source
    trace = on_devices(source.open(path, MANY_DEVICES))
    asked = source.records(trace) if records is None else records(trace, source.limit)
    return CharacterAnswer(trace, characterise(asked, question.block))
