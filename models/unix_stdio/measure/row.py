"""The measurement of one cell, per call of its program."""

from dataclasses import dataclass

from models.unix_stdio.measure.cell import Cell


@dataclass(frozen=True)
class MeasuredRow:
    """Seconds of a call: the median of *runs* and its quartiles; *calls* and *system_calls* of all runs together.

    *reached* is how many calls of the program there was time for, whenever it began anew. *undisturbed* is what a
    call takes where nothing else runs, if that is known: for programs that wait for nothing, the processor's time.
    """

    cell: Cell
    runs: int
    calls: int
    reached: int
    median: float
    low: float
    high: float
    undisturbed: float | None
    system_calls: int | None
    how: str

    @property
    def seconds(self) -> float:
        """What a simulation of this machine with nothing else on it should give."""
        return self.median if self.undisturbed is None else self.undisturbed
