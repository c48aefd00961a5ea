"""Reads fio's results, throughput and responses at several depths: from its JSON, its text output, or a CSV table."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spindle.lab.fio.text import is_fio_text, read_fio_text
from spindle.lab.flash.fio_answer import PATTERNS, number_in, object_in, parse_object
from spindle.sim.error import UserError, check_regular_file, quote
from spindle.sim.inputs import read_whole
from spindle.sim.quantity import quantity
from spindle.sim.request import WRITE, Op
from spindle.sim.units import KIB, MS, NS

POINT_COLUMNS = ("rw", "iodepth", "numjobs", "bs", "requests", "iops", "latency_mean_ms")
POINT_PERCENTILES = {"p50_ms": 0.50, "p95_ms": 0.95, "p99_ms": 0.99, "p999_ms": 0.999}
MAX_POINTS, MAX_FILES, MAX_BYTES = 10_000, 10_000, 64 << 20
MAX_DEPTH, MAX_SIZE, MAX_REQUESTS, MAX_SECONDS = 1 << 14, 1 << 24, 1e15, 1e5
MIN_REQUESTS = 20
"""The least number of requests for a mean."""
MIN_LEVELS = 3
"""The least number of depths of one kind, or of sizes at one depth: a fit sees every other, the rest is held out."""
MOST_UNDER_WAY = 1.1
"""Largest ratio of requests under way, by Little's law, to iodepth times numjobs: of 670 measured points 0.89 to 1."""
TEXT_SUFFIXES = (".txt", ".out", ".log", ".fio")
"""Suffixes of files with what fio prints for people."""
OPTION_ALIASES = {"readwrite": "rw", "blocksize": "bs"}
UNIT_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20}
NAMES_NVME = re.compile(r"(?<![a-z0-9])nvme\d", re.IGNORECASE)
"""Matches the name of an NVMe device in what fio wrote: of its file, or in the disc statistics at the end."""


@dataclass(frozen=True)
class FioPoint:
    """A result of fio: *jobs* processes that keep *depth* requests of *size* bytes each under way, and their times.

    *mean* and *quantiles* are seconds; quantiles are by share, and empty where fio printed none for all jobs together.
    Requests were at *random* or in sequence, and spread over *span* bytes; 0 if unknown.
    """

    op: Op
    depth: int
    jobs: int
    size: int
    requests: int
    iops: float
    mean: float
    quantiles: Mapping[float, float]
    span: int = 0
    random: bool = True

    @property
    def level(self) -> int:
        """Number of requests under way at any time."""
        return self.depth * self.jobs

    @property
    def kind(self) -> "Kind":
        return self.op is WRITE, not self.random, self.size

    @property
    def pattern(self) -> str:
        """The kind by fio's name of its pattern, and its size, as randread 4 KiB."""
        return f"{'rand' if self.random else ''}{self.op.value} {self.size / KIB:g} KiB"

    @property
    def name(self) -> str:
        return f"{self.op.value} {self.depth} x {self.jobs}"


Kind = tuple[bool, bool, int]
"""Kind of requests: if they write, if they are in sequence, and their bytes; points are sorted by it."""


@dataclass(frozen=True)
class FioPoints:
    """All *points* of the drive *name*; *nvme* is True if fio's output names an NVMe drive.

    *passed_over* has the number of runs that were left out, by their pattern.
    """

    name: str
    points: Sequence[FioPoint]
    nvme: bool = False
    passed_over: Mapping[str, int] = field(default_factory=dict)

    @property
    def span(self) -> int:
        return max(each.span for each in self.points)

    def points_of(self, op: Op) -> list[FioPoint]:
        return [each for each in self.points if each.op is op]

    def kinds(self) -> dict[Kind, list[FioPoint]]:
        return {kind: [each for each in self.points if each.kind == kind]
                for kind in dict.fromkeys(each.kind for each in self.points)}

    def fitted_points(self) -> list[FioPoint]:
        """Return the points that a fit sees: every other level of each kind, from the lowest on.

        Of kinds at fewer than MIN_LEVELS every other size is seen, from the smallest on, where there are as many sizes
        at one depth and number of processes; else all of them.
        """
        held = set(map(id, self._held_out()))
        return [each for each in self.points if id(each) not in held]

    def _held_out(self) -> Iterator[FioPoint]:
        sizes: dict[object, list[FioPoint]] = {}
        for points in self.kinds().values():
            levels = sorted({each.level for each in points})
            if len(levels) >= MIN_LEVELS:
                yield from (each for each in points if each.level in levels[1::2])
            else:
                for each in points:
                    sizes.setdefault((each.op, each.random, each.depth, each.jobs), []).append(each)
        for points in sizes.values():
            known = sorted({each.size for each in points})
            if len(known) >= MIN_LEVELS:
                yield from (each for each in points if each.size in known[1::2])

    def check_under_way(self) -> None:
        """Raise UserError where throughput times mean are more requests under way than there can be (Little's law)."""
        for each in self.points:
            if (under_way := each.iops * each.mean) > MOST_UNDER_WAY * each.level:
                raise UserError(f"{each.pattern} {each.depth} x {each.jobs}: {each.iops:g} a second of "
                                f"{each.mean / MS:g} ms each are {under_way:.3g} under way, and iodepth x numjobs is "
                                f"{each.level}: has a number another unit?")

    def random_ones(self) -> "FioPoints":
        """Return the random requests. UserError where there are none, of several sizes, or at too few depths."""
        random = [each for each in self.points if each.random]
        if not random:
            raise UserError("there are no random reads or writes of fio's in it")
        sizes = sorted({each.size for each in random})
        if len(sizes) > 1:
            both = " and ".join(quantity(size, "bytes") for size in sizes[:2])
            raise UserError(f"runs are of requests of {both}; a fit behind SATA takes those of one size")
        return FioPoints(self.name, random).deep_ones()

    def has_twins(self) -> bool:
        """Tell if two points of a kind have as many requests under way, from different numbers of processes."""
        return len({(*each.kind, each.level) for each in self.points}) < len(self.points)

    def with_held_out(self) -> "FioPoints":
        """Return self; UserError where a fit would see all points."""
        if next(self._held_out(), None) is None:
            raise UserError(f"a fit takes {MIN_LEVELS} depths of a kind of requests, or sizes at one depth, at least, "
                            "for half are held out")  # fmt: skip
        return self

    def deep_ones(self) -> "FioPoints":
        """Return self; UserError where a kind is at too few depths."""
        for points in self.kinds().values():
            levels = {each.level for each in points}
            if len(levels) < MIN_LEVELS:
                raise UserError(f"{points[0].op.value}s are at {len(levels)} depths; a fit takes {MIN_LEVELS} at "
                                "least, for half are held out")  # fmt: skip
        return self


def is_fio(path: Path) -> bool:
    """Tell if *path* is a folder, or a table with fio's columns, and not a list of requests."""
    if path.is_dir():
        return True
    if path.suffix.lower() == ".json":
        return True
    with suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8") as lines:
        head = lines.read(1 << 12)
        return {"iodepth", "numjobs"} <= set(head.partition("\n")[0].strip().split(",")) or is_fio_text(head)
    return False


def read_points(path: Path) -> FioPoints:
    """Read the points at *path*: a folder of fio's outputs, one output, or a table; UserError for anything else."""
    texts = [] if path.suffix.lower() == ".csv" and not path.is_dir() else list(_texts(path))
    over = Counter[str]()
    found = list(_table(path, over)) if not texts else [
        point for file, text in texts for point in _points(file, text, over)]
    if not found:
        raise UserError(f"{path}: there are no reads or writes of fio's in it")
    return FioPoints(path.stem, sorted(found, key=lambda each: (*each.kind, each.level, each.depth)),
                     any(NAMES_NVME.search(text) for _, text in texts), over)  # fmt: skip


def _is_known(pattern: object, over: Counter[str]) -> bool:
    """Tell if runs of *pattern* can be fitted, and count those that cannot in *over*."""
    if pattern in PATTERNS:
        return True
    over[str(pattern)] += 1
    return False


# Points from a table, with a row for each run.

def _table(path: Path, over: Counter[str]) -> Iterator[FioPoint]:
    check_regular_file(path)
    if path.stat().st_size > MAX_BYTES:
        raise UserError(f"{path}: a table of fio's points has at most {MAX_BYTES} bytes")
    rows = csv.DictReader(read_whole(path).splitlines())
    if lacking := [name for name in POINT_COLUMNS if name not in (rows.fieldnames or ())]:
        raise UserError(f"{path}: there is no column {lacking[0]}; a table of fio's points has "
                        f"{', '.join(POINT_COLUMNS)}")  # fmt: skip
    for number, row in enumerate(rows, 2):
        if number > MAX_POINTS + 1:  # the first line has the names
            raise UserError(f"{path}: there are more than {MAX_POINTS} points")
        if _is_known(row["rw"], over):
            yield _row(f"{path}: line {number}", row)


def _row(where: str, row: Mapping[str, Any]) -> FioPoint:
    quantiles = {share: number_in(f"{where}: {name}", row[name], 0.0, MAX_SECONDS / MS) * MS
                 for name, share in POINT_PERCENTILES.items() if row.get(name)}  # fmt: skip
    return FioPoint(
        PATTERNS[row["rw"]][0], _whole_number(where, "iodepth", row["iodepth"], MAX_DEPTH),
        _whole_number(where, "numjobs", row["numjobs"], MAX_DEPTH), _bytes(where, "bs", row["bs"]),
        _whole_number(where, "requests", row["requests"], int(MAX_REQUESTS), MIN_REQUESTS),
        number_in(f"{where}: iops", row["iops"], 1e-3, 1e9),
        number_in(f"{where}: latency_mean_ms", row["latency_mean_ms"], 1e-6, MAX_SECONDS / MS) * MS, quantiles,
        _span(where, "size", row.get("size")), PATTERNS[row["rw"]][1],
    )  # fmt: skip


# Points from fio's outputs, JSON or text: a file for each run, or several runs in one.

def _texts(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files at *path* and the text of each."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file() and _has_points(each))
        if not files:
            raise UserError(f"{path}: there is no .json in this folder, as fio writes with --output-format=json, nor "
                            f"text of fio's ({', '.join(TEXT_SUFFIXES)})")  # fmt: skip
        if len(files) > MAX_FILES:
            raise UserError(f"{path}: there are more than {MAX_FILES} files")
    else:
        files = [path]
    for file in files:
        check_regular_file(file)
        if file.stat().st_size > MAX_BYTES:
            raise UserError(f"{file}: fio's answer has at most {MAX_BYTES} bytes")
        yield file, read_whole(file)


def _points(file: Path, text: str, over: Counter[str]) -> Iterator[FioPoint]:
    return _text(file, text, over) if is_fio_text(text) else _answer(file, text, over)


def _has_points(file: Path) -> bool:
    suffix = file.suffix.lower()
    return suffix == ".json" or (suffix in TEXT_SUFFIXES and is_fio(file))


def _text(file: Path, text: str, over: Counter[str]) -> Iterator[FioPoint]:
    groups = list(read_fio_text(text))
    _check_in_turn(file, [(each.name, each.group) for each in groups])
    for number, group in enumerate(groups, 1):
        where = f"{file}: job {number}, {quote(group.name)}"
        if group.error:
            raise UserError(f"{where}: it ended with error {quote(group.error)}")
        if _is_known(group.row["rw"], over):
            yield _row(where, group.row)


def _answer(file: Path, text: str, over: Counter[str]) -> Iterator[FioPoint]:
    content = parse_object(str(file), text[max(0, text.find("{")):])  # fio may warn before it answers
    if not isinstance(content.get("jobs"), list):
        raise UserError(f"{file}: it is not what fio prints with --output-format=json")
    shared = content.get("global options", {})
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for done in content["jobs"]:
        if not isinstance(done, dict):
            raise UserError(f"{file}: a job must be an object")
        if error := done.get("error"):
            raise UserError(f"{file}: fio's job {quote(str(done.get('jobname', '')))} ended with error "
                            f"{quote(str(error))}")  # fmt: skip
        groups.setdefault((str(done.get("jobname", "")), str(done.get("groupid", ""))), []).append(done)
    _check_in_turn(file, [*groups])
    for (name, _), jobs in groups.items():
        own = jobs[0].get("job options", {})
        if not isinstance(shared, dict) or not isinstance(own, dict):
            raise UserError(f"{file}: the options of job {quote(name)} must be an object")
        if any((each.get("job options") or own) != own for each in jobs):
            raise UserError(f"{file}: fio's jobs called {quote(name)} ran at the same time, with other options each: "
                            "stonewall before each job runs them in turn")  # fmt: skip
        given = {OPTION_ALIASES.get(name, name): value for name, value in {**shared, **own}.items()}
        options = {"rw": "read", **given}
        if _is_known(options["rw"], over):
            yield _join(f"{file}: job {quote(name)}", options, jobs)


def _check_in_turn(file: Path, jobs: Sequence[tuple[str, str]]) -> None:
    """Raise UserError where *jobs*, each a name and fio's number of its group, ran at once under several names."""
    names = dict[str, str]()
    for name, group in jobs:
        if group and names.setdefault(group, name) != name:
            raise UserError(f"{file}: fio's jobs {quote(names[group])} and {quote(name)} ran at the same time, and a "
                            "point is of one kind of requests: stonewall before each job runs them in turn")


def _join(where: str, options: Mapping[str, Any], jobs: Sequence[Mapping[str, Any]]) -> FioPoint:
    """Join all *jobs* of a name into one point; without group_reporting they are many, without common percentiles."""
    op, random = PATTERNS[options["rw"]]
    sides = [object_in(where, each, op.value) for each in jobs]
    counts = [_whole_number(where, "total_ios", each.get("total_ios"), int(MAX_REQUESTS), 0) for each in sides]
    requests = sum(counts)
    if requests < MIN_REQUESTS:
        raise UserError(f"{where}: {requests} requests were done, and a mean takes {MIN_REQUESTS}")
    latencies = [object_in(where, each, "lat_ns").get("mean") for each in sides]
    means = [number_in(f"{where}: lat_ns.mean", each, 0.0, MAX_SECONDS / NS) * NS for each in latencies]
    iops = sum(number_in(f"{where}: iops", each.get("iops"), 0.0, 1e9) for each in sides)
    numjobs = _whole_number(where, "numjobs", options.get("numjobs", 1), MAX_DEPTH)
    return FioPoint(
        op, _whole_number(where, "iodepth", options.get("iodepth", 1), MAX_DEPTH), max(numjobs, len(jobs)),
        _bytes(where, "bs", options.get("bs", "4k")), requests, iops,
        sum(count * mean for count, mean in zip(counts, means, strict=True)) / requests,
        _quantiles(where, sides[0]) if len(sides) == 1 else {}, _span(where, "size", options.get("size")), random,
    )  # fmt: skip


def _quantiles(where: str, side: Mapping[str, Any]) -> dict[float, float]:
    listed = side.get("clat_ns")
    listed = listed.get("percentile") if isinstance(listed, dict) else None
    if not isinstance(listed, dict):
        return {}
    return {share: number_in(f"{where}: percentile {name}", value, 0.0, MAX_SECONDS / NS) * NS
            for name, value in listed.items() if (share := _share(name)) in POINT_PERCENTILES.values()}  # fmt: skip


def _share(name: str) -> float:
    """Return the share of a percentile's *name*; 0 if it is not a number."""
    with suppress(ValueError):
        return round(float(name) / 100.0, 6)
    return 0.0


def _whole_number(where: str, name: str, value: object, high: int, low: int = 1) -> int:
    number = number_in(f"{where}: {name}", value, low, high)
    if number != int(number):
        raise UserError(f"{where}: {name} must be a whole number, not {quote(str(value))}")
    return int(number)


def _bytes(where: str, name: str, value: object) -> int:
    """Read bytes as fio writes them, with 1024 for k."""
    return int(_size(where, name, value, MAX_SIZE, UNIT_BYTES))


def _span(where: str, name: str, value: object) -> int:
    """Return the bytes of a --size; 0 if it is missing or a share of the drive."""
    text = str(value or "")
    if not text or text.endswith("%"):
        return 0
    return int(_size(where, name, text, 1 << 60, {**UNIT_BYTES, "g": 1 << 30, "t": 1 << 40}))


def _size(where: str, name: str, value: object, most: int, suffixes: Mapping[str, int]) -> float:
    text = str(value).lower().removesuffix("b").removesuffix("i")
    digits = text.rstrip("kmgt")
    unit = suffixes.get(text[len(digits):])
    if unit is not None and digits.isdecimal() and len(digits) < 20 and 0 < int(digits) * unit <= most:
        return int(digits) * unit
    raise UserError(f"{where}: {name} must be bytes such as 4k, at most {most}, not {quote(str(value))}")
