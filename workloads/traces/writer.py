"""A trace written to a file, for other people's tools and real hardware: whole, or not at all."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sim.error import unknown
from sim.output.files import draft
from workloads.traces.formats import blktrace, disksim, fio, oracle_writing
from workloads.traces.record import Record
from workloads.traces.writing import on_devices, written_csv

WRITERS: dict[str, Callable[[Iterable[Record]], Iterator[bytes]]] = {
    "fio2": fio.written_2, "fio3": fio.written_3, "blktrace": blktrace.written, "disksim": disksim.written,
    "csv": written_csv, "oracleGeneral": oracle_writing.written,
}  # fmt: skip
KEYED = ("csv", "oracleGeneral")
"""Those that have objects as well; in the others all are bytes of a device."""


def write_trace(records: Iterable[Record], path: Path, format: str) -> None:
    """Write *records* to *path* in one of the formats of WRITERS, in constant memory but for oracleGeneral."""
    if format not in WRITERS:
        raise unknown("format to write a trace in", format, WRITERS)
    if format not in KEYED:
        records = on_devices(records, format)
    with draft(path) as file:
        file.writelines(WRITERS[format](records))
