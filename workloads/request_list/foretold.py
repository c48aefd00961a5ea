"""What another simulator says of the same requests, in a file beside theirs: DiskSim's answers, one row for each."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sim.units import MS
from workloads.request_list.columns import Number, Whole
from workloads.request_list.reader import LONGEST_MS, MOST_SEQ, Listed
from workloads.request_list.records import Records

FILE = "disksim_predicted.csv"


class Foretold:
    """The answers in the file at *path*: columns ``seq`` and ``disksim_ms``, the same requests in the same order."""

    def __init__(self, path: Path) -> None:
        self._records = Records(path)
        header = self._records.header
        with self._records.told():
            self._seq = Whole("seq", header.index("seq"), 0, MOST_SEQ)
            self._ms = Number("disksim_ms", header.index("disksim_ms"), LONGEST_MS, MS)

    def beside(self, rows: Iterable[Listed]) -> Iterator[Listed]:
        """*rows*, of each of which is now known too what was foretold."""
        records = iter(self._records)
        for row in rows:
            cells = next(records, None)
            if cells is None:
                raise self._records.wrong(f"is the last, and there is no answer for request {row.seq}")
            with self._records.told():
                seq, seconds = self._seq(cells), self._ms(cells)
            if seq != row.seq:
                raise self._records.wrong(f"seq {seq} must be {row.seq}, that of the request in this place")
            yield row._replace(known=(*row.known, seconds))
