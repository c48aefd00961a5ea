"""Reads fio's results from its JSON, with strict checks; and writes and reads the file that keeps those of all jobs."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spindle.lab.flash.fio_job import FioJob
from spindle.lab.flash.target import MIN_CAPACITY
from spindle.sim.error import UserError, quote
from spindle.sim.inputs import read_whole
from spindle.sim.json_text import read_json
from spindle.sim.request import READ, WRITE
from spindle.sim.units import NS

MIN_REQUESTS = 20
"""The least number of requests for a mean."""
MAX_DEPTH, MAX_SIZE, MAX_REQUESTS, MAX_JOBS = 256, 1 << 20, 10**15, 100
"""Limits of a job, for every job is simulated in a bounded time."""
MAX_CAPACITY = 1 << 48
MAX_NAME = 4096
"""Characters of a drive's name, which may be a path."""
SIZE = re.compile(r"(\d{1,12})([kmg]?)(?:i?b)?", re.ASCII).fullmatch
"""Bytes as fio writes them, with 1024 for k."""
PATTERNS = {"randread": (READ, True), "read": (READ, False), "randwrite": (WRITE, True), "write": (WRITE, False)}
"""Operation of each of fio's patterns, and if its requests are at random."""


@dataclass(frozen=True)
class FioAnswer:
    """The result of a *job*: *requests* requests were done, in *seconds* each on average."""

    job: FioJob
    requests: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.job.depth * self.job.size / self.seconds


@dataclass(frozen=True)
class MeasuredFlash:
    """A measured drive: *name*, *capacity* in bytes, fio's outputs (*texts*, one a job), and the *answers* in them."""

    name: str
    capacity: int
    texts: Sequence[Mapping[str, Any]]
    answers: Sequence[FioAnswer]

    def text(self) -> str:
        """Return the JSON that ``read_kept`` reads."""
        return json.dumps({"drive": self.name, "capacity": self.capacity, "fio": list(self.texts)}, indent=1) + "\n"


def read_outputs(name: str, capacity: int, texts: Sequence[Mapping[str, Any]]) -> MeasuredFlash:
    """Parse *texts*; UserError if one is not what fio prints."""
    return MeasuredFlash(name, capacity, texts, [answer(f"fio[{number}]", text) for number, text in enumerate(texts)])


def read_kept(path: Path) -> MeasuredFlash:
    """Read an earlier measurement from the file at *path*."""
    content = parse_object(str(path), read_whole(path))
    if "jobs" in content:
        raise UserError(f"{path}: this is fio's own answer, and not what --kept wrote; spindle drive fit takes it")
    name, capacity, texts = (content.get(key) for key in ("drive", "capacity", "fio"))
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
        raise UserError(f"{path}: drive must be one line of text, not {quote(str(name))}")
    if not isinstance(capacity, int) or not MIN_CAPACITY <= capacity <= MAX_CAPACITY:
        raise UserError(f"{path}: capacity must be a number of bytes from {MIN_CAPACITY} to {MAX_CAPACITY}, "
                        f"not {quote(str(capacity)[:20])}")  # fmt: skip
    if not isinstance(texts, list) or not all(isinstance(each, dict) for each in texts):
        raise UserError(f"{path}: fio must be a list of what fio printed, one for each job")
    if len(texts) > MAX_JOBS:
        raise UserError(f"{path}: fio has {len(texts)} jobs; {MAX_JOBS} are the most")
    try:
        return read_outputs(name, capacity, texts)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def parse_object(where: str, text: str) -> dict[str, Any]:
    """Parse *text* as a JSON object; UserError otherwise."""
    try:
        content = read_json(text)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict):
        return content
    raise UserError(f"{where}: must be a JSON object, as fio prints with --output-format=json")


def answer(where: str, text: Mapping[str, Any]) -> FioAnswer:
    """Read the one job of *text*, fio's output."""
    jobs = text.get("jobs")
    if not isinstance(jobs, list) or len(jobs) != 1 or not isinstance(jobs[0], dict):
        raise UserError(f"{where}: there must be one job")
    (done,) = jobs
    if error := done.get("error"):
        raise UserError(f"{where}: fio's job ended with error {quote(str(error))}")
    options = {**object_in(where, text, "global options", {}), **object_in(where, done, "job options")}
    job = _job(f"{where}.job options", options)
    side = object_in(where, done, "read" if job.op is READ else "write")
    requests = int(number_in(f"{where}.total_ios", side.get("total_ios"), 0, MAX_REQUESTS))
    if requests < MIN_REQUESTS:
        done = f"{where}: {job.name}: {requests} requests were done"
        raise UserError(f"{done}, and a mean takes {MIN_REQUESTS}: more seconds?")
    mean = object_in(where, side, "lat_ns").get("mean")
    return FioAnswer(job, requests, number_in(f"{where}.lat_ns.mean", mean, 1.0, 1e15) * NS)


def _job(where: str, options: Mapping[str, Any]) -> FioJob:
    pattern = options.get("rw")
    if not isinstance(pattern, str) or pattern not in PATTERNS:
        raise UserError(f"{where}.rw must be one of {', '.join(PATTERNS)}, not {quote(str(pattern))}")
    op, random = PATTERNS[pattern]
    depth = number_in(f"{where}.iodepth", options.get("iodepth", "1"), 1, MAX_DEPTH)
    text = str(options.get("bs", "4k"))
    size = SIZE(text.lower())
    whole = text if size is None else int(size[1]) << 10 * " kmg".index(size[2] or " ")
    return FioJob(op, int(number_in(f"{where}.bs", whole, 512, MAX_SIZE)), int(depth), random)


def object_in(where: str, content: Mapping[str, Any], key: str, missing: Any = None) -> Mapping[str, Any]:
    """Return the object under *key* of *content*; UserError where there is none."""
    value = content.get(key, missing)
    if not isinstance(value, dict):
        raise UserError(f"{where}: there is no {key} in it")
    return value


def number_in(where: str, value: object, low: float, high: float) -> float:
    """Read a number of fio's, which is text in options and a number in counts; *where* names it in messages."""
    with suppress(ValueError):
        number = float(value) if isinstance(value, str) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and low <= number <= high:
            return float(number)
    raise UserError(f"{where} must be a number from {low:g} to {high:g}, not {quote(str(value))}")
