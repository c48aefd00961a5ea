"""Keeps the results of study runs with the project, by function, arguments, window and seed.

Each study has a file of rows. Rows of another model number (raised by hand in a system's system.py when
answers change), of another platform, or edited by hand count as not kept, and are computed anew.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from math import isclose, isnan
from pathlib import Path
from platform import libc_ver, machine, system

from spindle.output.text import point_text
from spindle.studies.kept_rows import KEPT_SUFFIX, KeptRow, KeptRowFile
from spindle.studies.study import Point, Row, Study
from spindle.studies.sweep.fingerprint import fingerprint

DRAWN_SEEDS = 5
"""Seeds of a study from which, at most, a run is drawn to be computed again."""
ROUNDING = 1e-11
"""Relative and absolute difference up to which results are equal: vector units of processors differ in last digits."""


def platform() -> str:
    """Describe the processor and the C library, on which the last digit of a result may depend."""
    return f"{system()} {machine()} {libc_ver()[0]}".strip()


def function(point: Point) -> str:
    """Return the name of the function that *point* runs, without the module, so that it can move."""
    return str(getattr(point.run, "__qualname__", repr(point.run)))


def key(point: Point, seed: object) -> str:
    """Return the name under which a run of *point* is kept: 32 hexadecimal digits."""
    arguments = sorted(point.keywords().items())
    return fingerprint((point.run, arguments, seed)).hex()


class KeptRuns:
    """The kept rows in *folder* that *model* made; ``notes`` has a line for each reason why others are not used."""

    def __init__(self, folder: Path, model: str = "") -> None:
        self.folder = folder
        self.model = model
        self.notes: list[str] = []
        self._files = [KeptRowFile(path) for path in sorted(folder.glob(f"*{KEPT_SUFFIX}"))]
        self._rows = {name: row for file in self._files for name, row in file.rows.items()}
        self._say_why()

    def _say_why(self) -> None:
        for file in self._files:
            if file.fault:
                self.notes.append(f"{file.path} cannot be read ({file.fault}): its runs are computed anew")
        lines = sum(file.lines for file in self._files)
        self._note(sum(file.edited for file in self._files), f"of {lines} runs were changed since")
        rows = self._rows.values()
        for other in sorted({row.platform for row in rows} - {platform()}):
            self._note(sum(row.platform == other for row in rows), f"runs come from {other}")
        for other in sorted({row.model for row in rows} - {self.model}):
            self._note(sum(row.model == other for row in rows), f"runs are of {other}, and this is {self.model}")

    def _note(self, count: int, why: str) -> None:
        if count:
            self.notes.append(f"{self.folder}: {count} {why}: they are computed anew")

    def find(self, point: Point, seed: int) -> Row | None:
        """Return the row of *point*, if this model made it on this kind of platform."""
        kept = self._rows.get(key(point, seed))
        if kept is None or kept.model != self.model or kept.platform != platform():
            return None
        row: Row = json.loads(kept.row)
        return row

    def draw(self, studies: Iterable[Study], lot: str, most: int | None = None) -> "list[Wanted]":
        """Draw one of the kept runs of each of *studies*, the same for the same *lot*; then *most* of all these."""
        drawn: dict[bytes, Wanted] = {}
        for study in studies:
            wanted = [(point, seed) for point in study.points() for seed in study.seeds(DRAWN_SEEDS)]
            lots = {blake2b(f"{lot} {key(*run)}".encode(), digest_size=8).digest(): run for run in wanted}
            first = next((name for name in sorted(lots) if self.find(*lots[name]) is not None), None)
            if first is not None:
                drawn[first] = lots[first]
        return [drawn[name] for name in sorted(drawn)[:most]]

    def add(self, point: Point, seed: int, text: str) -> None:
        """Keep the row *text*, as written by ``dump``."""
        arguments = point_text(point.keywords())
        self._rows[key(point, seed)] = KeptRow(self.model, platform(), function(point), arguments, seed, text)

    def save(self, folder: Path, wanted: "Mapping[str, Iterable[Wanted]]") -> None:
        """Keep in *folder* the rows of the runs *wanted* by studies, and no others; files that are right are unchanged.

        A run that several studies want stays in the file where it was; otherwise it is in that of the first.
        """
        files = {name: KeptRowFile(folder / f"{name}{KEPT_SUFFIX}") for name in wanted}
        homes: dict[str, str] = {}
        for study, runs in wanted.items():
            for name in dict.fromkeys(key(point, seed) for point, seed in runs):
                if name not in homes or name in files[study].rows:
                    homes[name] = study
        rows: dict[str, dict[str, KeptRow]] = {name: {} for name in wanted}
        for name, study in homes.items():
            row = self._rows.get(name)
            if row is not None and row.model == self.model:
                rows[study][name] = row
        for study, file in files.items():
            file.keep(rows[study])
        for path in {*folder.glob(f"*{KEPT_SUFFIX}")} - {file.path for file in files.values()}:
            path.unlink()


def agree(one: object, other: object) -> bool:
    """Tell if two rows, or two values of them, are equal apart from the rounding of another processor's arithmetic."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING) or (isnan(one) and isnan(other))
    return one == other


def dump(row: Mapping[str, object]) -> str:
    """Return *row* as text from which the same numbers are read, to the last digit."""
    return json.dumps(row, separators=(",", ":"))


Wanted = tuple[Point, int]
