"""A list of requests in a CSV file, read one by one as they are asked: what is wanted when, and what was measured."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sim.disc.layout import Layout
from sim.error import UserError, shown
from sim.request import READ, WRITE, Op, Span
from sim.units import MS
from workloads.request_list.columns import Number, Whole, Word
from workloads.request_list.records import Records

# Bounds beyond which a number is a slip of the pen.
MOST_SEQ = 10**18
MOST_SECTORS = 1 << 20
LONGEST_NAME = 40
MOST_DISCS = 64
LONGEST_MS = 1e9
LATEST_S = 1e10

OPS = {"R": READ, "W": WRITE}
RESPONSE, SERVICE = "response", "service"


@dataclass(frozen=True)
class Timing:
    """The *column* that says when requests are issued, in *units* of seconds up to *high*; perhaps it never falls."""

    column: str
    unit: float
    high: float
    rises: bool


GAPS = Timing("gap_before_ms", MS, LONGEST_MS, rises=False)
ARRIVALS = Timing("arrival_s", 1.0, LATEST_S, rises=True)
_LOOPS = {GAPS.column: "a closed loop", ARRIVALS.column: "an open loop"}


class Listed(NamedTuple):
    """One request of a list, in seconds and bytes: *when* is a gap or an instant, *known* was measured or foretold."""

    seq: int
    disc: str
    op: Op
    span: Span
    when: float
    known: tuple[float, ...] = ()


class RequestList:
    """The requests in the file at *path* for discs of one *layout*, in their order; made of one pass, for one pass.

    Columns: ``op`` (R or W), ``lba`` and ``sectors`` (or ``lba256`` and ``sectors256``, if sectors have 256 bytes),
    and that of the *timing*. If there, also ``seq``; ``disc``, any name; and what was measured: ``measured_ms``, or
    ``service_ms`` and ``queue_ms``. Others are passed over. *measured* names what ``known`` of each request holds.
    """

    def __init__(
        self, path: Path, layout: Layout, timing: Timing, passed: Callable[[int], object] = lambda _: None
    ) -> None:
        self.path = path
        self._records = Records(path, passed)
        self._size, self._sectors = layout.sector_bytes, layout.sectors
        self._rises = timing.rises
        self._discs: set[str] = set()
        header = self._records.header
        with self._records.told():
            self._seq = Whole("seq", header.index("seq"), 0, MOST_SEQ) if "seq" in header else None
            self._disc = header.index("disc") if "disc" in header else None
            self._op = Word("op", header.index("op"), OPS)
            self._lba, self._count = (
                Whole(header.names[index], index, low, high)
                for name, low, high in (("lba", 0, self._sectors - 1), ("sectors", 1, MOST_SECTORS))
                for index in [header.index(name, f"{name}{self._size}")])
            self._when = self._timing(timing)
            self.measured, self._known = self._measured()

    def _timing(self, timing: Timing) -> Number:
        header = self._records.header
        for other, loop in _LOOPS.items():
            if timing.column not in header and other in header:
                raise UserError(f"there is no column {timing.column} for {_LOOPS[timing.column]}; "
                              f"there is {other} for {loop}")
        return Number(timing.column, header.index(timing.column), timing.high, timing.unit)

    def _measured(self) -> tuple[tuple[str, ...], Sequence[Number]]:
        header = self._records.header

        def ms(name: str) -> Number:
            return Number(name, header.index(name), LONGEST_MS, MS)

        if "measured_ms" in header:
            return (RESPONSE,), [ms("measured_ms")]
        if "service_ms" in header and "queue_ms" in header:
            return (SERVICE, RESPONSE), [ms("service_ms"), ms("queue_ms")]
        return (), []

    def __iter__(self) -> Iterator[Listed]:
        latest = 0.0
        number = -1
        for cells in self._records:
            number += 1
            try:
                row = self._row(number, cells)
            except UserError as error:
                raise self._records.wrong(error) from None
            if self._rises:
                if row.when < latest:
                    raise self._records.wrong(f"{self._when.name} {row.when:.12g} must not be before {latest:.12g}, "
                                              "where the request before it arrives")
                latest = row.when
            yield row

    def _row(self, number: int, cells: list[str]) -> Listed:
        first, sectors, size = self._lba(cells), self._count(cells), self._size
        if first + sectors > self._sectors:
            raise UserError(f"{sectors} sectors from {first} on go beyond {self._sectors - 1}, the last of the disc")
        known: tuple[float, ...] = ()
        if self._known:
            times = [column(cells) for column in self._known]
            known = (times[0], times[0] + times[1]) if len(times) > 1 else (times[0],)
        return Listed(
            number if self._seq is None else self._seq(cells),
            "" if self._disc is None else self._name(cells[self._disc]),
            self._op(cells), Span(first * size, sectors * size), self._when(cells), known,
        )

    def _name(self, text: str) -> str:
        if text not in self._discs:
            if not text or len(text) > LONGEST_NAME or not text.isprintable():
                raise UserError(f"disc must be a name of 1 to {LONGEST_NAME} characters, not {shown(text)}")
            if len(self._discs) == MOST_DISCS:
                raise UserError(f"disc {shown(text)} is one more than the {MOST_DISCS} that a list may name")
            self._discs.add(text)
        return text
