"""``spindle convert``: writes the requests of a trace, of any format, in the format of another tool."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, passed_over, read_with_bar
from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.sim.error import UserError
from spindle.sim.quantity import quantity
from spindle.sim.request import WRITE
from spindle.traces.opening import MANY_DEVICES, TraceOptions
from spindle.traces.writer import COMPRESSORS, ORACLE, UNTIMED, WRITERS, write_trace
from spindle.workloads.traces.record import Record

if TYPE_CHECKING:
    from spindle.workloads.traces.reader import Trace


@dataclass(frozen=True)
class ConvertOptions:
    """Options of ``spindle convert``: the file to write, and its format."""

    out: str = ask("", "the file to write", first="1", metavar="OUT")
    to: str = ask("", "format to write; default none", words=("", *WRITERS), noun="format to write a trace in",
                  metavar="FORMAT")  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("convert", formats=", ".join(WRITERS), compressed=", ".join(COMPRESSORS))
    add_trace(parser)
    add_fields(parser, ConvertOptions)
    options = parser.take(arguments)
    asked, source = read_fields(ConvertOptions, options), read_fields(TraceOptions, options)
    if not asked.to:
        raise UserError(f"convert: --to must say which format to write, of {', '.join(WRITERS)}")
    path = outputs([Path(options.trace)], {"OUT": asked.out})["OUT"]
    assert path is not None
    trace = source.open(options.trace, MANY_DEVICES)
    written = _Counted(trace, source.limit)
    write_trace(written, path, asked.to)
    lines = [f"{options.trace}, {trace.format.name}", *passed_over(trace), *written.losses(asked.to)]
    return finish("\n".join([*lines, f"{path}: {plural(written.count(asked.to), 'request')}, {asked.to}"]))


class _Counted:
    """Yields the records of a trace, and counts them in *requests*, and what a format may have no place for."""

    def __init__(self, trace: "Trace", limit: int) -> None:
        self.requests = 0
        self._counts = Counter[str]()
        self._rounded = Counter[str]()
        self._devices: dict[str, None] = {}
        self._untimed = self._keyed = self._unsized = 0
        self._trace = trace
        self._limit = limit

    def __iter__(self) -> Iterator[Record]:
        for record in read_with_bar(self._trace, self._limit, "writing"):
            self.requests += 1
            self._untimed += record.time is None
            self._keyed += bool(record.keys)
            self._unsized += bool(record.keys) and record.unsized and not record.delete
            self._rounded.update(format for format, ticks in WRITTEN_TICKS.items() if _is_between(record.time, ticks))
            self._devices[record.device] = None
            for what, has in LOSSES.items():
                self._counts[what] += has(record)
            yield record

    def count(self, format: str) -> int:
        """Count the requests that *format* has a place for."""
        return self.requests - (self._counts["deletes"] if format == ORACLE else 0)

    def losses(self, format: str) -> list[str]:
        """Return sentences on what the requests have and *format* has not, or otherwise; and on times it must have."""
        lost = [f"{what} ({count:,})" for what, count in self._counts.items()
                if count and (format == ORACLE or what not in OF_ORACLE)]  # fmt: skip
        made = self._untimed and (format not in UNTIMED or self._untimed < self.requests)
        return [*([f"left out in {format}: {', '.join(lost)}"] if lost else []), *self._changes(format), *(
            [f"{plural(self._untimed, 'request')} without a time: written at that of the request before, or at 0"]
            if made else [])]

    def _changes(self, format: str) -> list[str]:
        """Return sentences on times that *format* rounds, and on names and sizes for which it has numbers."""
        rounded, named = self._rounded[format], [name for name in self._devices if any(map(str.isalpha, name))]
        more = f" and {len(named) - MAX_NAMED:,} more" if len(named) > MAX_NAMED else ""
        step = quantity(1 / WRITTEN_TICKS.get(format, 1), "s")
        said = {
            f"times rounded to {step} in {format} ({rounded:,})": rounded,
            f"devices have numbers for names in {format}, in this order: {', '.join(named[:MAX_NAMED])}{more}":
                named and format in NUMBERED,
            f"objects have numbers for keys in {format}": self._keyed and format == ORACLE,
            f"{plural(self._unsized, 'request')} without a size: written as of 1 byte":
                self._unsized and format == ORACLE,
        }  # fmt: skip
        return [sentence for sentence, holds in said.items() if holds]


def _is_between(time: float | None, ticks: int) -> bool:
    """Tell if *time* is no whole number of *ticks* a second, as far as a float can tell."""
    return time is not None and abs(time * ticks - round(time * ticks)) > MAX_TICK_ERROR


LOSSES: Mapping[str, Callable[[Record], bool]] = {
    "deletes": lambda record: record.delete, "times to live": lambda record: record.ttl is not None,
    "marks of writes": lambda record: record.op is WRITE and not record.delete,
    "measured responses": lambda record: record.response is not None, "gaps": lambda record: record.gap is not None,
}  # fmt: skip
"""What a request may have that a format may have no place for."""
WRITTEN_TICKS: Mapping[str, int] = {ORACLE: 1, "fio2": 10**3, "fio3": 10**6}
"""Units of a time in a second, in formats that may have fewer than a trace."""
MAX_TICK_ERROR = 0.0005
"""Largest share of a unit by which a time that is whole may seem not to be."""
NUMBERED = ("blktrace", "disksim")
"""Formats in which devices have numbers, and no names."""
MAX_NAMED = 8
"""Most devices that are listed."""
OF_ORACLE = tuple(LOSSES)[:3]
"""What oracleGeneral alone has no place for."""
