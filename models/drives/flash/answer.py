"""fio's answer to a job, read strictly from its JSON, the file with all of them, and whether an arm gave them."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.drives.flash.jobs import FioJob
from models.drives.flash.target import LEAST
from sim.error import UserError, shown
from sim.output.files import read_whole
from sim.request import READ, WRITE
from sim.units import KIB, MS

NS = 1e-9
FEWEST = 20
"""Fewer requests are no mean."""
MOST_DEPTH, MOST_SIZE, MOST_REQUESTS, MOST_JOBS = 256, 1 << 20, 10**15, 100
"""Every job is simulated, which must end."""
MOST_CAPACITY = 1 << 48
LONGEST = 4096
"""Characters of a drive's name, which may be a path."""
SIZE = re.compile(r"(\d{1,12})([kmg]?)(?:i?b)?", re.ASCII).fullmatch
"""Bytes as fio has them, who means 1024 by k."""
PATTERNS = {"randread": (READ, True), "read": (READ, False), "randwrite": (WRITE, True), "write": (WRITE, False)}


@dataclass(frozen=True)
class FioAnswer:
    """A *job* that was done with so many *requests*, which took *seconds* each on average."""

    job: FioJob
    requests: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.job.depth * self.job.size / self.seconds


@dataclass(frozen=True)
class MeasuredFlash:
    """What fio said of the drive *name* of *capacity* bytes: its *texts*, one a job, and what is in them."""

    name: str
    capacity: int
    texts: Sequence[Mapping[str, Any]]
    answers: Sequence[FioAnswer]

    def text(self) -> str:
        """As ``kept`` reads it."""
        return json.dumps({"drive": self.name, "capacity": self.capacity, "fio": list(self.texts)}, indent=1) + "\n"


def measured(name: str, capacity: int, texts: Sequence[Mapping[str, Any]]) -> MeasuredFlash:
    """UserError where one of *texts* is not what fio prints."""
    return MeasuredFlash(name, capacity, texts, [answer(f"fio[{number}]", text) for number, text in enumerate(texts)])


def kept(path: Path) -> MeasuredFlash:
    """What was measured before, from the file at *path*."""
    content = parsed(str(path), read_whole(path))
    name, capacity, texts = (content.get(key) for key in ("drive", "capacity", "fio"))
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > LONGEST:
        raise UserError(f"{path}: drive must be one line of text, not {shown(str(name))}")
    if isinstance(capacity, bool) or not isinstance(capacity, int) or not LEAST <= capacity <= MOST_CAPACITY:
        raise UserError(f"{path}: capacity must be a number of bytes from {LEAST} to {MOST_CAPACITY}, "
                        f"not {shown(str(capacity)[:20])}")  # fmt: skip
    if not isinstance(texts, list) or not all(isinstance(each, dict) for each in texts):
        raise UserError(f"{path}: fio must be a list of what fio printed, one for each job")
    if len(texts) > MOST_JOBS:
        raise UserError(f"{path}: fio has {len(texts)} jobs; {MOST_JOBS} are the most")
    try:
        return measured(name, capacity, texts)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def parsed(where: str, text: str) -> dict[str, Any]:
    """The object that *text* is."""
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        if isinstance(content, dict):
            return content
    raise UserError(f"{where}: must be a JSON object, as fio prints with --output-format=json")


def answer(where: str, text: Mapping[str, Any]) -> FioAnswer:
    """The one job of *text*."""
    jobs = text.get("jobs")
    if not isinstance(jobs, list) or len(jobs) != 1 or not isinstance(jobs[0], dict):
        raise UserError(f"{where}: there must be one job")
    (done,) = jobs
    if error := done.get("error"):
        raise UserError(f"{where}: fio's job ended with error {shown(str(error))}")
    options = {**_object(where, text, "global options", {}), **_object(where, done, "job options")}
    job = _job(f"{where}.job options", options)
    side = _object(where, done, "read" if job.op is READ else "write")
    requests = int(_number(f"{where}.total_ios", side.get("total_ios"), 0, MOST_REQUESTS))
    if requests < FEWEST:
        raise UserError(f"{where}: {job.name}: {requests} requests were done, and a mean takes {FEWEST}: more seconds?")
    mean = _object(where, side, "lat_ns").get("mean")
    return FioAnswer(job, requests, _number(f"{where}.lat_ns.mean", mean, 1.0, 1e15) * NS)


def _job(where: str, options: Mapping[str, Any]) -> FioJob:
    pattern = options.get("rw")
    if not isinstance(pattern, str) or pattern not in PATTERNS:
        raise UserError(f"{where}.rw must be one of {', '.join(PATTERNS)}, not {shown(str(pattern))}")
    op, random = PATTERNS[pattern]
    depth = _number(f"{where}.iodepth", options.get("iodepth", "1"), 1, MOST_DEPTH)
    text = str(options.get("bs", "4k"))
    size = SIZE(text.lower())
    whole = text if size is None else int(size[1]) << 10 * " kmg".index(size[2] or " ")
    return FioJob(op, int(_number(f"{where}.bs", whole, 512, MOST_SIZE)), int(depth), random)


def _object(where: str, of: Mapping[str, Any], key: str, missing: Any = None) -> Mapping[str, Any]:
    value = of.get(key, missing)
    if not isinstance(value, dict):
        raise UserError(f"{where}: there is no {key} in it")
    return value


def _number(where: str, value: object, low: float, high: float) -> float:
    """fio writes options as text, and counts as numbers."""
    with suppress(ValueError):
        number = float(value) if isinstance(value, str) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and low <= number <= high:
            return number
    raise UserError(f"{where} must be a number from {low:g} to {high:g}, not {shown(str(value))}")


ALONE, MANY = FioJob(READ, 4 * KIB, 1), FioJob(READ, 4 * KIB, 32)
SLOW = 1.5 * MS
FEW = 4.0
"""A drive that takes longer than SLOW to read 4 KB, and with 32 under way is not so many times as fast, has an arm."""


def check_armless(drive: MeasuredFlash) -> None:
    """UserError as soon as the answers to the two jobs that tell are like those of an arm."""
    answers = {each.job: each for each in drive.answers}
    if ALONE not in answers or MANY not in answers:
        return
    seconds, faster = answers[ALONE].seconds, answers[MANY].rate / answers[ALONE].rate
    if seconds > SLOW and faster < FEW:
        raise UserError(f"{drive.name} is like a disc with an arm: 4 KB take {seconds / MS:.3g} ms, and with 32 under "
                        f"way come {faster:.2g} times as fast; fit it to fio's latency log: spindle drive fit --help")
