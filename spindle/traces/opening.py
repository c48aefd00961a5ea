"""Defines the options of every command that reads a trace: format, columns, bad lines, number of requests."""

from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.questions.field import ask, spell
from spindle.sim.error import UserError, quote
from spindle.workloads.traces.formats import COLUMN_NAMES, FORMATS, HASHES
from spindle.workloads.traces.operations import HELP as OPS_HELP
from spindle.workloads.traces.operations import operations
from spindle.workloads.traces.record import Record, TraceLimits

if TYPE_CHECKING:
    from spindle.workloads.traces.format import Format
    from spindle.workloads.traces.reader import Trace

MAX_COLUMNS = 4096
"""Largest number of a column; a line has at most 64 KiB."""
MANY_DEVICES = 1 << 20
"""Most volumes or tenants in a command that makes no drive for each."""
MAX_REQUESTS = 10**15
"""Largest limit of requests or bad lines."""


@dataclass(frozen=True)
class TraceOptions:
    """Options of reading a trace: by default its format is detected, and all of it is read."""

    format: str = ask("", f"{', '.join(FORMATS)}; default found by what is in it; or a format of blkparse -f, as "
                          f"'%T.%t %a %d %S %n'. csv has a header with the columns {COLUMN_NAMES}", whole=True)
    columns: str = ask("", "of CSV: which columns are read, by their numbers or by what the header calls them, as "
                           "time_us=1,key=2,size=3,op=4 or offset=lbn,size=bytes; of JSON lines: which fields, as "
                           "key=request.uri,size=bytes", whole=True, metavar="NAME=N,...")
    separator: str = ask("", "between --columns: one character, tab or space; default found by what is in the first "
                             "line", whole=True, metavar="CHAR")
    ops: str = ask("", "what words of operations mean, as 2=delete,WSM=write, before the table; default the "
                       f"table alone. {OPS_HELP}", whole=True, metavar="WORD=MEANING,...")
    keys: str = ask("", f"of JSON lines: the field with keys; default the first there of {', '.join(HASHES)}",
                    whole=True, metavar="FIELD")
    skip_bad: int = ask(0, "most bad lines to pass over", least=0, most=MAX_REQUESTS)
    limit: int = ask(0, "the first N requests only", least=0, most=MAX_REQUESTS, nought="all")

    def open(self, trace: str | Path, devices: int = TraceLimits.devices) -> "Trace":
        """Open *trace*, of at most *devices* devices."""
        from spindle.workloads.traces.reader import Trace  # and numpy, which no help text needs
        from spindle.workloads.traces.source import files_of

        limits = TraceLimits(skip_bad=self.skip_bad, devices=devices)
        first, *others = files_of(str(trace), limits)
        return Trace(first, self._format(), limits, others, operations(self.ops) if self.ops else {})

    def records(self, trace: "Trace") -> "islice[Record]":
        """Return an iterator of the requests that are asked for."""
        return islice(iter(trace), self.limit or None)

    def _format(self) -> "Format | str":
        """Return the format that is asked for: '' for none, its name, or the columns or fields to read."""
        given = [name for name in ("format", "columns", "keys") if getattr(self, name)]
        if len(given) > 1:
            one, other = map(spell, given[:2])
            raise UserError(f"{one} and {other} both say what the format is; choose one")
        if self.separator and not self.columns:
            raise UserError(f"{spell('separator')} stands between {spell('columns')}; name those")
        from spindle.workloads.traces.formats.jsonl import keyed_format
        from spindle.workloads.traces.formats.named import with_columns

        if self.columns:
            return with_columns(_columns(self.columns), _separator(self.separator))
        return keyed_format(self.keys) if self.keys else self.format


TRACE_FIELDS = tuple(each.name for each in fields(TraceOptions))


def on_devices(trace: "Trace") -> "Trace":
    """Return *trace*; UserError where it asks for objects by key, which have no place on a drive."""
    if next(iter(trace)).keys:
        raise UserError(f"{trace.path}: it asks for objects by key, which have no place on a drive; "
                        "spindle curve takes them")
    return trace


def split_columns(text: str) -> dict[str, str]:
    """Return what a file calls each of the columns in *text*, as ``key=2,size=bytes``."""
    pairs = [pair.partition("=") for pair in text.split(",") if text]
    for name, equals, place in pairs:
        if not name or not equals or not place:
            raise UserError(f"--columns takes NAME=N or NAME=HEADING, as key=2, not {quote(f'{name}{equals}{place}')}")
        if [other for other, *_ in pairs].count(name) > 1:
            raise UserError(f"--columns names {name} twice")
        if [other for *_, other in pairs].count(place) > 1:
            raise UserError(f"--columns takes two columns from {quote(place)}")
        if place.isdecimal() and not 0 < int(place[:9]) <= MAX_COLUMNS:
            raise UserError(f"--columns takes {name} from column {quote(place)}, and a line has 1 to {MAX_COLUMNS}")
    return {name: place for name, _, place in pairs}


def _columns(text: str) -> dict[str, str]:
    names = split_columns(text)
    from spindle.workloads.traces.formats.plain import field_of

    places = [name for name in names if (field := field_of(name)) is not None and field.attribute == "first"]
    if "key" in names and places:
        raise UserError(f"--columns names key and {places[0]}: objects have no place on a drive; leave out one")
    return names


def _separator(text: str) -> str:
    mark = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(mark) > 1 or mark.isalnum() or mark in tuple("\n\r.-"):
        raise UserError(f"--separator must be one character that is in no number, tab, space, not {quote(text)}")
    return mark
