"""Reads a trace from one file or several, detects its format, and yields requests one by one or in batches.

Memory does not grow with the trace.
"""

import re
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain
from math import inf
from pathlib import Path

from spindle.sim import user_parts
from spindle.sim.error import UserError
from spindle.sim.offers import installed_parts
from spindle.workloads.traces import order, source
from spindle.workloads.traces.batch import Batch, Stretch, batch_of
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.format import Format
from spindle.workloads.traces.formats import FORMATS, plain
from spindle.workloads.traces.operations import Meaning
from spindle.workloads.traces.order import merge_files, sort_by_time
from spindle.workloads.traces.record import Record, TraceLimits
from spindle.workloads.traces.text import HEAD, TextFormat, whole_lines

FORMAT = "trace format"
"""The kind of a format among the parts that a user can add."""
user_parts.TYPES[FORMAT] = (Format, "spindle.workloads.traces.reader")

COMPRESSED = (".gz", ".zst", ".zstd", ".xz", ".bz2")
"""Suffixes of compressed files."""
MIN_GOOD_LINES = 0.5
"""A file is taken to have a format if more than this share of its first lines is valid in it."""
DOUBTFUL_GAP = 1000.0
"""Mean seconds between two requests beyond which the unit of times is doubted."""
FIRST_DATE = 1e9
"""Times from this on are dates, whose unit is known from their size."""
UNITS_BY_COLUMN = ("csv", "columns", "jsonl-blocks")
"""Formats in which the unit of times depends on the name of a column."""
KINDS_FILE = Path(__file__).with_name("kinds.toml")
MAX_KIND_BYTES = 4096
"""Bytes of a file's beginning by which its kind is detected."""
Passed = Callable[[int], object]
"""A progress callback, called with the number of bytes read since the last call."""


class Trace:
    """The requests in the file at *path*, read anew by each iteration; *format* is detected by default.

    UserError, one line, for whatever is wrong: ``file:line:column: reason``, or record and byte in a binary file.
    """

    def __init__(
        self, path: Path, format: str | Format = "", limits: TraceLimits | None = None, others: Sequence[Path] = (),
        ops: Mapping[str, Meaning] | None = None,
    ) -> None:  # fmt: skip
        self.path = path
        self.others = others
        """Files that go on where it ends, or were written beside it."""
        self.limits = TraceLimits() if limits is None else limits
        self.format = (
            format_named(format) if isinstance(format, str) and format != "" else
            detect(path, self.limits, ops) if isinstance(format, str) else format)
        if ops:
            self.format = with_ops(self.format, ops)
        self.faults = Faults(self.limits.skip_bad, has_skip=self.limits.has_skip)
        """Faults of the pass that began last."""
        self._is_guessed = format == ""
        if self._is_guessed and self.format.alternatives:
            self.format = self._first_that_reads((self.format, *self.format.alternatives))
        for other in others if self._is_guessed else ():
            self._check_alike(str(other), iter([source.head(other, self.limits)]))

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def records(self, passed: Passed = lambda _: None) -> Iterator[Record]:
        """Yield the requests one by one; *passed* is called with the number of bytes that were read."""
        for stretch in self._stretches(passed):
            yield from stretch.records() if isinstance(stretch, Batch) else stretch

    def batches(self, passed: Passed = lambda _: None) -> Iterator[Batch]:
        """Yield the requests in arrays, of any length but 0."""
        for stretch in self._stretches(passed):
            yield stretch if isinstance(stretch, Batch) else batch_of(stretch)

    def _stretches(self, passed: Passed) -> Iterator[Stretch]:
        faults = self.faults = Faults(self.limits.skip_bad, has_skip=self.limits.has_skip)
        first: float | None = None
        requests = 0
        with closing(sort_by_time(self._read(passed, faults), faults)) as stretches:
            for stretch in stretches:
                first = order.first_time(stretch) if first is None else first
                last, requests = order.last_time(stretch), requests + order.count(stretch)
                yield stretch
        if first is None:
            told = "; ".join([self.format.needs, *faults.passed.sentences()])
            raise UserError(f"{self.path}: there is no request in it: {told}")
        self._doubt((last - first) / requests, faults)

    def _doubt(self, apart: float, faults: Faults) -> None:
        """Note that requests are far *apart*, on average, unless their times are dates."""
        if apart > DOUBTFUL_GAP and (faults.began is None or faults.began < FIRST_DATE):
            by = "as the name of the column" if self.format.name in UNITS_BY_COLUMN else "in --columns"
            faults.note(f"requests are {apart:,.0f} s apart on average; time_ms, time_us or time_ns {by} takes times "
                        "in another unit")

    def _first_that_reads(self, formats: Sequence[Format]) -> Format:
        """Return the first of *formats* by which there is a request in one of the files; else the first of all."""
        for format in formats:
            for path in (self.path, *self.others):
                with closing(source.members(path, self.limits)) as members, suppress(UserError):
                    for name, pieces in members:
                        if next(format.records(name, pieces, Faults(), self.limits), None) is not None:
                            return format
        return formats[0]

    def _check_alike(self, name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Return *pieces* of a file beside the first; UserError where they look like another format."""
        head = next(pieces, b"")
        if self._is_guessed and head and _share(self.format, head, self.limits)[0] <= MIN_GOOD_LINES:
            kind = looks_like(head, self.limits)
            raise UserError(f"{name}: it looks like {kind.name if kind else 'no trace'}, and {self.path.name} like "
                            f"{self.format.name}: the files of one trace have one format")  # fmt: skip
        return chain([head], pieces)

    def _read(self, passed: Passed, faults: Faults) -> Generator[Stretch, None, None]:
        """Yield the requests, of several files by time, or file by file where there are no times."""
        paths = (self.path, *self.others)
        files = [partial(self._stretches_of, path, passed, faults) for path in paths]
        firsts = self._first_times(paths, faults) if self.others else []
        if firsts:
            yield from merge_files(zip(firsts, files, strict=True), faults)
        else:
            for read in files:
                yield from read()
        if self.others:
            faults.note(f"{len(paths)} files are read as one trace, from {self.path.name} to {self.others[-1].name}"
                        f"{', merged by time' if firsts else ''}")

    def _first_times(self, paths: Sequence[Path], faults: Faults) -> list[float]:
        """Return the time of the first request of each file, by the clock of the first; nothing where one has none."""
        firsts = []
        for path in paths:
            probe = Faults(self.limits.skip_bad, began=faults.began, has_skip=self.limits.has_skip)
            with closing(source.members(path, self.limits)) as members:
                name, pieces = next(members, ("", iter(())))
                first = next(self.format.records(name, pieces, probe, self.limits), None)
            faults.began = probe.began
            if first is not None and (first.time is None or first.gap is not None or first.number is not None):
                return []
            firsts.append(inf if first is None or first.time is None else first.time)
        return firsts

    def _stretches_of(self, path: Path, passed: Passed, faults: Faults) -> Generator[Stretch, None, None]:
        with closing(source.members(path, self.limits)) as members:
            for number, (name, pieces) in enumerate(members):
                if number:
                    faults.note(f"{path.name} holds several files, which are read as one trace, in its order")
                    pieces = self._check_alike(name, pieces)
                yield from self.format.stretches(name, _report_progress(pieces, passed), faults, self.limits)


def _report_progress(pieces: Iterator[bytes], passed: Passed) -> Iterator[bytes]:
    for piece in pieces:
        passed(len(piece))
        yield piece


def format_named(name: str) -> Format:
    """Return the format called *name*, the user's FILE.py:NAME or of blkparse -f *name*; UserError if there is none."""
    if "%" in name:
        from spindle.workloads.traces.formats import blkparse

        return blkparse.with_form(name)
    found: Format = user_parts.part(FORMAT, name, FORMATS)
    return found


def with_ops(format: Format, ops: Mapping[str, Meaning]) -> Format:
    """Return *format* with the meanings *ops* of words; UserError where operations are numbers in binary."""
    if not isinstance(format, TextFormat):
        raise UserError(f"--ops gives words a meaning, and {format.name} has codes in binary, whose meanings it says")
    return replace(format, ops=tuple(ops.items()))


def detect(path: Path, limits: TraceLimits, ops: Mapping[str, Meaning] | None = None) -> Format:
    """Return the format of most of the first lines of the file at *path*; if none, the one its name hints at."""
    head = source.head(path, limits)
    if not head:
        raise UserError(f"{path}: the file is empty")
    if not head.strip():
        raise UserError(f"{path}: there is nothing in it but blank lines")
    if said := kind_text(head, "unlike"):
        raise UserError(f"{path}: {said}")
    likely = looks_like(head, limits, tuple((ops or {}).items()))
    return _by_hints(path, head) if likely is None else likely.variant(head, path.name)


def _by_hints(path: Path, head: bytes) -> Format:
    """Return the format that the name of the file at *path*, or few marks of its *head*, hint at."""
    from spindle.workloads.traces.formats import blkparse, json_blocks, jsonl

    form = blkparse.form_of(whole_lines(head).decode("utf-8", "replace").splitlines())
    if form:
        return replace(blkparse.with_form(form), note=f"its lines are taken for those of blkparse -f '{form}'")
    if said := kind_text(head, "unknown"):
        raise UserError(f"{path}: {said}")
    if head.lstrip().startswith(b"{"):
        return json_blocks.JSON_BLOCKS if json_blocks.has_names(whole_lines(head).splitlines()) else jsonl.JSONL
    plain_name = path.name.lower()
    for end in COMPRESSED:
        plain_name = plain_name.removesuffix(end)
    for format in _formats().values():
        if plain_name.endswith(format.suffixes):
            return format.variant(head, path.name)
    if plain.is_headed(head):
        return plain.GUESSED
    raise UserError(f"{path}: its first lines look like no trace format; --columns takes any lines, key=1 where a line "
                    f"is a key, others by their numbers, as time=1,key=7,size=5 or time=1,op=2,offset=3,size=4; "
                    "spindle curve --help lists formats")


def kind_text(head: bytes, table: str) -> str:
    """Describe the kind of file that begins with *head*, by that *table* of ``kinds.toml``; empty if it is in none."""
    start = head[:MAX_KIND_BYTES]
    for pattern, says in _kinds()[table]:
        if pattern.search(start):
            return says
    if table == "unknown" and b"\0" in start:
        return "this is a binary file of no kind that is known here; --format names one that is"
    return ""


@cache
def _kinds() -> dict[str, Sequence[tuple[re.Pattern[bytes], str]]]:
    return {table: [(re.compile(kind["begins"].encode("latin-1")), kind["says"]) for kind in kinds]
            for table, kinds in tomllib.loads(KINDS_FILE.read_text("utf-8")).items()}  # fmt: skip


@cache
def _formats() -> Mapping[str, Format]:
    """Return the formats by name, those of installed packages last."""
    return FORMATS | {name: user_parts.part(FORMAT, name, {}) for name in installed_parts(FORMAT)
                      if name not in FORMATS}  # fmt: skip


def _is_plain(head: bytes, limits: TraceLimits, ops: tuple[tuple[str, Meaning], ...]) -> bool:
    """Tell if *head* is CSV to its last line, with a header of known columns: no other format can have more of it."""
    return plain.knows(head) and _share(replace(plain.PLAIN, ops=ops), head, limits)[0] == 1.0


@lru_cache(maxsize=4)
def looks_like(head: bytes, limits: TraceLimits, ops: tuple[tuple[str, Meaning], ...] = ()) -> Format | None:
    """Return the format that most lines of *head* have, or whose header its first line is; None if there is none.

    Answers are kept, because the runs of a sweep over a trace ask for the same.
    """
    if _is_plain(head, limits, ops):
        return plain.PLAIN
    formats = _formats()
    shares = {name: max(_share(replace(each, ops=ops) if isinstance(each, TextFormat) else each, head, limits)
                        for each in (format, *format.alternatives))
              for name, format in formats.items()}  # fmt: skip
    best = max(shares, key=shares.__getitem__)
    if plain.knows(head) and not _share(formats[best], head.partition(b"\n")[0] + b"\n", limits)[0]:
        return plain.PLAIN
    return formats[best] if shares[best][0] > MIN_GOOD_LINES else None


def _share(kind: Format, head: bytes, limits: TraceLimits) -> tuple[float, int]:
    """Return the share of *head*, which may end within a line, that is good in a format, and the requests in it."""
    faults = Faults()
    piece = whole_lines(head) if isinstance(kind, TextFormat) else head[:HEAD]
    requests = sum(1 for _ in kind.records("", iter([piece]), faults, limits))
    good = requests + faults.others
    return good / max(1, good + faults.bad), requests
