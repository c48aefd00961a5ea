"""Shared by commands on traces: options that name a trace and its format, opening it, and a progress bar."""

from argparse import Namespace
from collections.abc import Generator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from spindle.cli.arguments import ArgumentParser
from spindle.output.progress import ProgressBar, progress_bar
from spindle.output.text import plural
from spindle.questions.words import count
from spindle.sim.error import UserError, quote
from spindle.workloads.traces.formats.jsonl import HASHES, keyed_format
from spindle.workloads.traces.formats.plain import HELP, field_of, with_columns
from spindle.workloads.traces.operations import HELP as OPS_HELP
from spindle.workloads.traces.operations import operations
from spindle.workloads.traces.reader import FORMATS, Format, Trace
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.source import files_of

# The progress of reading a trace: bytes of the decompressed file, and their total by its header.

GZIP, ZSTD, OTHERS = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"\xfd7zX", b"BZh")


def whole_size(path: Path) -> int | None:
    """Bytes when decompressed, by the file's header, modulo 4 GiB for gzip; None without, or if it cannot be read.

    It need not be right, as only a progress bar uses it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(18)
            if head.startswith(GZIP):
                file.seek(-4, 2)
                return int.from_bytes(file.read(4), "little")
            if head.startswith(ZSTD):
                return _zstd_size(head)
            return None if head.startswith(OTHERS) else path.stat().st_size
    except (OSError, ValueError):
        return None  # the reader reports the error


def _zstd_size(head: bytes) -> int | None:
    from zstandard import ZstdError, frame_content_size  # here, as it is not in every installation

    with suppress(ZstdError):
        size = frame_content_size(head)
        return size if size > 0 else None
    return None


SHAPE = "{l_bar}{bar}| {elapsed}, {remaining} left"
MAX_COLUMNS = 4096
"""Columns of a line, which has at most 64 KiB."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", help="a trace, perhaps compressed with gzip, zstd, xz or "
                        "bzip2, or a tar or zip of some; several with commas between, a folder, or - for "
                        "standard input")
    parser.add_argument("--format", metavar="NAME", help=f"{', '.join(FORMATS)}; default found by what is in it; or a "
                        f"format of blkparse -f, as '%%T.%%t %%a %%d %%S %%n'. csv has a header "
                        f"with the columns {HELP}")
    parser.add_argument("--columns", metavar="NAME=N,...", help="of CSV: which columns are read, by their numbers or "
                        "by what the header calls them, as time_us=1,key=2,size=3,op=4 or offset=lbn,size=bytes")
    parser.add_argument("--separator", metavar="CHAR", help="between --columns: one character, tab or space; default "
                        "found by what is in the first line")
    parser.add_argument("--ops", metavar="WORD=MEANING,...", help="what words of operations mean, as "
                        f"2=delete,WSM=write, before the table; default the table alone. {OPS_HELP}")
    parser.add_argument("--keys", metavar="FIELD", help="of JSON lines: the field with keys; default "
                        f"the first there of {', '.join(HASHES)}")
    parser.add_argument("--skip-bad", metavar="N", default="0", help="most bad lines to pass over; default 0")
    parser.add_argument("--limit", metavar="N", help="the first N requests only")


def open_trace(options: Namespace, devices: int = TraceLimits.devices) -> Trace:
    """Open the trace that *options* name, of at most *devices* devices."""
    limits = TraceLimits(skip_bad=count("--skip-bad", options.skip_bad, least=0), devices=devices)
    first, *others = files_of(options.trace, limits)
    return Trace(first, _format(options), limits, others, {} if options.ops is None else operations(options.ops))


MANY_DEVICES = 1 << 20
"""Most volumes or tenants, where no drive is made for each."""


def on_devices(trace: Trace) -> Trace:
    """Return *trace*; UserError where it asks for objects by key, which have no place on a drive."""
    if next(iter(trace)).keys:
        raise UserError(f"{trace.path}: it asks for objects by key, which have no place on a drive; "
                        "spindle curve takes them")
    return trace


def _format(options: Namespace) -> Format | str:
    """Return the format that the options give: '' for none, its name, or the columns or fields to read."""
    given = [name for name in ("format", "columns", "keys") if getattr(options, name) is not None]
    if len(given) > 1:
        raise UserError(f"--{given[0]} and --{given[1]} both say what the format is; choose one")
    if options.separator is not None and options.columns is None:
        raise UserError("--separator stands between --columns; name those")
    if options.columns is not None:
        return with_columns(_columns(options.columns), _separator(options.separator))
    return str(options.format or "") if options.keys is None else keyed_format(options.keys)


def _columns(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    for name, equals, place in pairs:
        if not name or not equals or not place:
            raise UserError(f"--columns takes NAME=N or NAME=HEADING, as key=2, not {quote(f'{name}{equals}{place}')}")
        if [other for other, *_ in pairs].count(name) > 1:
            raise UserError(f"--columns names {name} twice")
        if [other for *_, other in pairs].count(place) > 1:
            raise UserError(f"--columns takes two columns from {quote(place)}")
        if place.isdecimal() and not 0 < int(place[:9]) <= MAX_COLUMNS:
            raise UserError(f"--columns takes {name} from column {quote(place)}, and a line has 1 to {MAX_COLUMNS}")
    names = {name: place for name, _, place in pairs}
    places = [name for name in names if (field := field_of(name)) is not None and field.part == "first"]
    if "key" in names and places:
        raise UserError(f"--columns names key and {places[0]}: objects have no place on a drive; leave out one")
    return names


def _separator(text: str | None) -> str:
    mark = {"tab": "\t", "\\t": "\t", "space": " ", None: ""}.get(text, text)
    if mark is None or len(mark) > 1 or mark.isalnum() or mark in tuple("\n\r.-"):
        raise UserError(f"--separator must be one character that is in no number, tab, space, not {quote(text or '')}")
    return mark


def read_with_bar(trace: Trace, limit: str | None, what: str) -> Generator[Record, None, None]:
    """Yield the records of *trace*, with a progress bar titled *what* on a terminal."""
    if limit is not None:
        most = count("--limit", limit)
        yield from progress_bar(islice(trace, most), desc=what, total=most, bar_format=SHAPE)
        return
    with reading(trace, what) as bar:
        yield from trace.records(bar.update)


def reading(trace: Trace, what: str) -> ProgressBar:
    """A progress bar titled *what* for the bytes of *trace*, on a terminal."""
    return progress_bar(desc=what, total=whole_size(trace.path), bar_format=SHAPE)


def passed_over(trace: Trace) -> list[str]:
    """Lines about the bad lines of *trace*, if there were any, and about what was guessed of it."""
    bad, first = trace.faults.bad, trace.faults.kept[:1]
    said = [f"{plural(bad, 'bad line')} passed over, the first: {first[0]}"] if bad else []
    return [*said, *trace.faults.sentences]
