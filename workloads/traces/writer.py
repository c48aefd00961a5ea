"""A trace written to a file, for other people's tools and real hardware: whole, or not at all."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sim.error import unknown
from sim.output.files import draft
from workloads.traces.formats import blktrace, disksim, fio
from workloads.traces.record import Record

WRITERS: dict[str, Callable[[Iterable[Record]], Iterator[bytes]]] = {
    "fio2": fio.written_2, "fio3": fio.written_3, "blktrace": blktrace.written, "disksim": disksim.written,
}  # fmt: skip


def write_trace(records: Iterable[Record], path: Path, format: str) -> None:
    """Write *records* to *path* in one of the formats of WRITERS, in constant memory."""
    if format not in WRITERS:
        raise unknown("format to write a trace in", format, WRITERS)
    with draft(path) as file:
        file.writelines(WRITERS[format](records))
