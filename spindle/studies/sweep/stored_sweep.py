"""Runs a sweep whose rows are kept in a store: workers write them, and the driver reads them into a table."""

import json
import os
import re
import socket
import sqlite3
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import uuid4

from spindle.output.origin import source
from spindle.output.text import label
from spindle.sim.error import PointFailed, UserError
from spindle.studies.sweep.chunks import Chunk
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.studies.sweep.grid import Grid, Keys, Point, Row, Run, plain
from spindle.studies.sweep.journal import InUse, NotBelieved, SweepJournal
from spindle.studies.sweep.part import WHOLE, SweepPart, parts_in
from spindle.studies.sweep.store import JOURNALS, Store

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


# A sweep whose points are kept on disc: the work of the workers, a chunk at a time, and that of the driver.

ROWS_AT_ONCE = 10_000
"""Rows that are read together, as Python's objects, which take ten times the memory of a frame."""

_here = threading.local()


@dataclass(frozen=True)
class Written:
    """A worker's result for a chunk: the number of rows, the exclusive or of their digests, and the failed points."""

    count: int
    digest: int
    seconds: float
    failures: dict[int, str]


@dataclass(frozen=True)
class Write:
    """A worker's task: write each row into its journal in the folder *run* as soon as it is computed."""

    answer: Callable[[Point], Row]
    run: Path
    sweep: str

    def __call__(self, chunk: Chunk) -> Written:
        try:
            return self._write(chunk)
        except (OSError, sqlite3.Error, InUse, NotBelieved) as error:
            host = socket.gethostname()
            what = f"the worker on {host} cannot write into {self.run}, as all workers must: {error}"
            raise UserError(what) from error

    def _write(self, chunk: Chunk) -> Written:
        began, digest, failures = perf_counter(), 0, dict[int, str]()
        digests = self._digests(chunk) if self._is_begun(chunk) else {}
        with SweepJournal(self.run / _own_name(), self.sweep) as journal:
            for index, point, key in zip(chunk.indices, chunk.points, chunk.keys, strict=True):
                try:
                    digest ^= digests[key] if key in digests else journal.write(key, plain(self.answer(point)))
                except PointFailed as failure:
                    failures[index] = str(failure)
        return Written(len(chunk) - len(failures), digest, perf_counter() - began, failures)

    def _is_begun(self, chunk: Chunk) -> bool:
        """Tell if *chunk* was begun before: a cluster restarts it if its worker dies before it has reported."""
        try:
            os.close(os.open(_mark(self.run, chunk), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return True
        return False

    def _digests(self, chunk: Chunk) -> dict[bytes, int]:
        """Return the digests of points of *chunk* that an earlier worker has finished."""
        digests: dict[bytes, int] = {}
        for path in self.run.glob(JOURNALS):
            if path.is_symlink():
                continue
            with suppress(InUse, NotBelieved), SweepJournal(path, self.sweep, wait=0.0) as journal:
                digests |= {key: record[1] for key in chunk.keys if (record := journal.find(key))}
        return digests


def _own_name() -> str:
    """Return the name of this worker's journal: one for each process, and for each thread of a cluster's process."""
    if not hasattr(_here, "token"):
        _here.token = uuid4().hex[:12]
    host = re.sub(r"\W", "-", socket.gethostname())
    return f"journal-{host}-{os.getpid()}-{_here.token}.sqlite"


def _mark(run: Path, chunk: Chunk) -> Path:
    return run / f"begun-{chunk.keys[0].hex()}"


def _name(run: Run) -> str:
    while isinstance(run, partial):
        run = run.func
    return f"{getattr(run, '__module__', '')}.{getattr(run, '__qualname__', label(run))}"


class StoredSweep:
    """A sweep whose rows are kept on disc. A failed point does not stop others, and the next sweep tries it again."""

    def __init__(
        self, grid: Grid, run: Run, answer: Callable[[Point], Row], folder: Path, part: SweepPart = WHOLE
    ) -> None:
        self._indices = part.indices(len(grid))
        names = sorted(grid.values)
        same = fingerprint((run, names)).hex()[:8]
        sweep = f"sweep {same} of {_name(run)} over {', '.join(names)} (source {source()})"
        self._keys = Keys(run, grid, source())
        self._store = Store(part.folder(folder), sweep)
        if part == WHOLE:
            with ExitStack() as unless_taken:
                unless_taken.callback(self._store.close)
                self._store.take_parts(parts_in(folder))
                unless_taken.pop_all()
        self.do = Write(answer, self._store.run, sweep)
        self._failures: dict[int, str] = {}
        self._reported = bytearray(len(grid))
        self._digest = 0

    def key(self, index: int) -> bytes:
        return self._keys[index]

    def pending(self) -> Sequence[int]:
        self._store.take_over()
        missing = array("q", (index for index in self._indices if not self._store.find(self.key(index))))
        if any(self._reported[index] for index in missing):
            raise self._another_folder()
        return array("q", (index for index in missing if index not in self._failures)) if self._failures else missing

    def take(self, chunk: Chunk, done: Written) -> None:
        with suppress(OSError):  # it is removed with its folder
            _mark(self._store.run, chunk).unlink()
        self._failures |= done.failures
        self._digest ^= done.digest
        for index in chunk.indices:
            self._reported[index] = index not in done.failures

    def fail(self, index: int, why: str) -> None:
        self._failures[index] = why

    def frame(self) -> "pd.DataFrame":
        """Return the rows of all points; PointFailed if some of them failed."""
        if self._failures:
            first, count = min(self._failures), len(self._failures)
            others = {1: "", 2: ", and another did"}.get(count, f", and {count - 1} others did")
            raise PointFailed(f"{self._failures[first]}{others}; all else is kept in {self._store.folder}")
        growing = GrowingFrame(len(self._indices))
        for block in self._blocks():
            growing.add(block)
        if self._digest:
            raise self._another_folder()
        return growing.frame()

    def _blocks(self) -> Iterator[list[Row]]:
        for first in range(0, len(self._indices), ROWS_AT_ONCE):
            texts = [self._text(index) for index in self._indices[first : first + ROWS_AT_ONCE]]
            # All together, so that the names of results are in memory only once.
            rows: list[Row] = json.loads(f"[{','.join(texts)}]")
            yield rows

    def _text(self, index: int) -> str:
        record = self._store.find(self.key(index))
        assert record is not None, "the sweep is over, but a point is pending"
        if self._reported[index]:
            self._digest ^= record[1]
        return record[0]

    def _another_folder(self) -> UserError:
        return UserError(f"{self._store.folder} does not hold what the workers wrote; all must see the same folder")

    def interrupt_text(self) -> str:
        """Return the message after an interrupt."""
        return f"interrupted; what was finished is kept in {self._store.folder}: do the same again to go on from there"

    def close(self) -> None:
        self._store.close()

    def remove(self) -> None:
        self._store.remove()


# A frame that is built from blocks of rows without a second copy: numbers are written into columns of full length.

class GrowingFrame:
    """A frame of *count* rows that are added in blocks; it equals what ``pd.concat`` makes of the blocks."""

    def __init__(self, count: int) -> None:
        self._count, self._rows = count, 0
        self._columns: dict[str, GrowingColumn] = {}

    def add(self, rows: Sequence[Row]) -> None:
        import pandas as pd

        block = pd.DataFrame(rows)
        for name in map(str, block):
            if name not in self._columns:
                self._columns[name] = GrowingColumn(self._count)
                self._columns[name].add(pd.DataFrame(index=range(self._rows)))
        for name, column in self._columns.items():
            column.add(block[[name] if name in block else []])
        self._rows += len(block)

    def frame(self) -> "pd.DataFrame":
        """Return the frame, once: columns other than plain numbers are joined one by one, and their pieces freed."""
        import pandas as pd

        columns = {name: self._columns[name].join() for name in list(self._columns)}
        return pd.DataFrame(columns, index=pd.RangeIndex(self._rows), copy=False)


class GrowingColumn:
    """A column of at most *count* values: stretches of numbers of one type, and frames of other values or none."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._pieces: list[pd.DataFrame] = []
        self._stretch: NDArray[np.generic] | None = None
        self._used = 0
        self._name = ""

    def add(self, piece: "pd.DataFrame") -> None:
        """Add the next values: a frame of one column, or of none if the rows have no value."""
        import numpy as np

        kind = piece.dtypes.iloc[0] if len(piece.columns) else None
        if not isinstance(kind, np.dtype) or kind.hasobject:
            self._end()
            self._pieces += [piece] if len(piece) else []
        else:
            if self._stretch is None or self._stretch.dtype != kind:
                self._end()
                self._stretch = np.empty(self._left, dtype=kind)
            self._stretch[self._used : self._used + len(piece)] = piece.iloc[:, 0].to_numpy()
            self._used += len(piece)
            self._name = piece.columns[0]
        self._left -= len(piece)

    def _end(self) -> None:
        import pandas as pd

        if self._stretch is not None:
            self._pieces.append(pd.DataFrame({self._name: self._stretch[: self._used]}, copy=False))
            self._stretch, self._used = None, 0

    def join(self) -> "pd.Series":
        """Join all pieces, and free them."""
        import pandas as pd

        self._end()
        pieces, self._pieces = self._pieces, []
        whole = pd.concat(pieces, ignore_index=True) if len(pieces) > 1 else pieces[0]
        return whole.iloc[:, 0]
