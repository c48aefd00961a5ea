"""Shared by commands on traces: the options that name a trace, a progress bar, and lines about what was skipped."""

from argparse import Namespace
from collections.abc import Generator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import SETTING_PREFIX, add_fields
from spindle.output.progress import BAR_SHAPE, ProgressBar, progress_bar
from spindle.output.text import plural
from spindle.traces.opening import TraceOptions
from spindle.workloads.traces.record import Record

if TYPE_CHECKING:
    from spindle.workloads.traces.reader import Trace

# The progress of reading a trace: bytes of the decompressed file, and their total by its header.

GZIP_MAGIC, ZSTD_MAGIC, OTHER_MAGICS = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", (b"\xfd7zX", b"BZh")
"""First bytes of compressed files, by which their format is known."""


def whole_size(path: Path) -> int | None:
    """Return a file's decompressed bytes by its header, modulo 4 GiB for gzip; None if that is unknown or unreadable.

    It need not be exact, as only a progress bar uses it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(18)
            if head.startswith(GZIP_MAGIC):
                file.seek(-4, 2)
                return int.from_bytes(file.read(4), "little")
            if head.startswith(ZSTD_MAGIC):
                return _zstd_size(head)
            return None if head.startswith(OTHER_MAGICS) else path.stat().st_size
    except (OSError, ValueError):
        return None  # the reader reports the error


def _zstd_size(head: bytes) -> int | None:
    from zstandard import ZstdError, frame_content_size  # here, as it is not in every installation

    with suppress(ZstdError):
        size = frame_content_size(head)
        return size if size > 0 else None
    return None




def files_read(options: Namespace) -> list[Path]:
    """Return the files that *options* read: a trace, if there is one, and the drive file."""
    drive = getattr(options, f"{SETTING_PREFIX}drive", None)
    return [Path(name) for name in (getattr(options, "trace", None), drive) if name is not None]


def add_trace(parser: ArgumentParser) -> None:
    """Add the argument that names a trace, and the options on how it is read."""
    parser.add_argument("trace", metavar="TRACE", help="a trace, perhaps compressed with gzip, zstd, xz or "
                        "bzip2, or a tar or zip of some; several with commas between, a folder, or - for "
                        "standard input")
    add_fields(parser, TraceOptions)


def read_with_bar(trace: "Trace", limit: int, what: str) -> Generator[Record, None, None]:
    """Yield the first *limit* records of *trace*, 0 for all, with a progress bar titled *what* on a terminal."""
    if limit:
        yield from progress_bar(islice(trace, limit), desc=what, total=limit, bar_format=BAR_SHAPE)
        return
    with reading(trace, what) as bar:
        yield from trace.records(bar.update)


def reading(trace: "Trace", what: str) -> ProgressBar:
    """Return a progress bar titled *what* for the bytes of *trace*; it is drawn on a terminal only."""
    return progress_bar(desc=what, total=whole_size(trace.path), bar_format=BAR_SHAPE)


def passed_over(trace: "Trace") -> list[str]:
    """Return lines about unreadable lines of *trace* that were skipped, and about what was guessed of its format."""
    bad, first = trace.faults.bad, trace.faults.kept[:1]
    said = [f"{plural(bad, 'bad line')} passed over, the first: {first[0]}"] if bad else []
    return [*said, *trace.faults.sentences]
