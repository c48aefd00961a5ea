"""Rows of runs that travel with the project, kept by content: the same function, arguments, window, seed and source.

A file of them is Parquet, a line a run. Rows from other code, from another platform or from an editor count as not
kept, and are computed anew.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from io import BytesIO
from math import isclose, isnan
from operator import itemgetter
from pathlib import Path
from platform import libc_ver, machine, system

import pandas as pd

from sim.output.files import write_whole
from sim.output.label import named
from sim.output.origin import PARTS
from sim.output.reachable import Definition, reachable_source
from sim.study.study import Point, Row
from sim.sweep.fingerprint import fingerprint, named_in

COLUMNS = ("key", "code", "platform", "function", "arguments", "seed", "row", "check")
ROUNDING = 1e-11
"""The same Python adds floats alike everywhere, but vector units of processors differ in the last digits."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, NotImplementedError, MemoryError)


def platform() -> str:
    """What the last digit of a result may hang on: the processor and the library of its functions, not the Python."""
    return f"{system()} {machine()} {libc_ver()[0]}".strip()


def function(point: Point) -> str:
    return f"{point.run.__module__}.{getattr(point.run, '__qualname__', repr(point.run))}"


def code(point: Point) -> str:
    """A digest of the source that *point* can reach: its run's, and that of what the run is given."""
    return reachable_source(*sorted(set(_roots(point))))


def _roots(point: Point) -> Iterator[Definition]:
    own = {*PARTS, point.run.__module__.partition(".")[0]}
    for each in named_in((point.run, point.keywords())):
        if each.__module__.partition(".")[0] in own:
            yield Definition(each.__module__, each.__qualname__.partition(".")[0])


def key(point: Point, seed: object) -> str:
    """What is kept of *point* goes by this, whatever the source: 32 hexadecimal digits."""
    arguments = sorted(point.keywords().items(), key=itemgetter(0))
    return fingerprint((function(point), arguments, seed)).hex()


@dataclass(frozen=True)
class KeptRow:
    """One run as it is kept; *row* is its text, *check* a digest against changes."""

    code: str
    platform: str
    function: str
    arguments: str
    seed: int
    row: str

    def check(self, name: str) -> str:
        return blake2b("\0".join([name, *map(str, vars(self).values())]).encode(), digest_size=8).hexdigest()


class KeptRuns:
    """The rows in the file *path*; ``notes`` has one line for each reason why some of them are not used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        self._lines: dict[str, KeptRow] = {}
        self._read: dict[str, KeptRow] = {}
        if path.exists():
            self._load()

    def _load(self) -> None:
        try:
            frame = pd.read_parquet(BytesIO(self.path.read_bytes()))
            rows = [tuple(row) for row in frame[list(COLUMNS)].itertuples(index=False)]
        except UNREADABLE as error:
            reason = " ".join(str(error).split())[:120]
            self.notes.append(f"{self.path} cannot be read ({reason}): its runs are computed anew")
            return
        for name, *fields, check in rows:
            line = KeptRow(*fields)
            if isinstance(name, str) and line.check(name) == check:
                self._lines[name] = line
        damaged, foreign = len(rows) - len(self._lines), [line for line in self._lines.values() if not _is_here(line)]
        if damaged:
            self.notes.append(f"{self.path}: {damaged} of {len(rows)} runs were changed since: they are computed anew")
        if foreign:
            note = f"{self.path}: {len(foreign)} runs come from {foreign[0].platform}: they are computed anew"
            self.notes.append(note)
        self._read = dict(self._lines)

    def find(self, point: Point, seed: int) -> Row | None:
        """The row of *point*, if this code made it on such a platform."""
        line = self._lines.get(key(point, seed))
        if line is None or line.code != code(point) or not _is_here(line):
            return None
        row: Row = json.loads(line.row)
        return row

    def stale(self, wanted: Iterable[tuple[Point, int]]) -> int:
        """How many of the *wanted* runs are kept as other code made them."""
        lines = ((point, self._lines.get(key(point, seed))) for point, seed in wanted)
        return sum(line is not None and line.code != code(point) for point, line in lines)

    def add(self, point: Point, seed: int, text: str) -> None:
        """Keep the row *text*, as dump wrote it."""
        arguments = named(point.keywords())
        self._lines[key(point, seed)] = KeptRow(code(point), platform(), function(point), arguments, seed, text)

    def save(self, path: Path, wanted: Iterable[tuple[Point, int]]) -> None:
        """Write the rows of *wanted* and of no other run to *path*, unless they are there already."""
        names = sorted({key(point, seed) for point, seed in wanted} & self._lines.keys())
        lines = {name: self._lines[name] for name in names}
        if lines == self._read and path == self.path:
            return
        columns = [[name, *vars(line).values(), line.check(name)] for name, line in lines.items()]
        content = BytesIO()
        pd.DataFrame(columns, columns=list(COLUMNS)).to_parquet(content, index=False, compression="zstd")
        write_whole(path, content.getvalue())


def _is_here(line: KeptRow) -> bool:
    return line.platform == platform()


def agree(one: object, other: object) -> bool:
    """Whether two rows, or two values of them, are the same but for the rounding of another processor's arithmetic."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING) or (isnan(one) and isnan(other))
    return one == other


def dump(row: Mapping[str, object]) -> str:
    """*row* as text that gives the same numbers again, to the last digit."""
    return json.dumps(row, separators=(",", ":"))
