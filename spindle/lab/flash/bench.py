"""fio's jobs run on a drive that is checked first, or simulated on flash; fio's JSON is read strictly and kept."""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.error import UserError, quote
from spindle.sim.inputs import read_whole
from spindle.sim.quantity import quantity
from spindle.sim.request import READ, WRITE, Op, Request, access
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB, MS

# The jobs of fio: random reads of four sizes at six depths, and a few more.

@dataclass(frozen=True)
class FioJob:
    """Requests of *size* bytes, *depth* of them under way at any time, at *random* or in sequence."""

    op: Op
    size: int
    depth: int
    random: bool = True

    @property
    def pattern(self) -> str:
        """fio's name of the access pattern."""
        return ("rand" if self.random else "") + ("read" if self.op is READ else "write")

    @property
    def name(self) -> str:
        return f"{self.pattern} {self.size // KIB} KiB, {self.depth} under way"


DEPTHS = (1, 2, 4, 8, 16, 32)
FITTED: Mapping[int, tuple[int, ...]] = {
    4 * KIB: (1, 4, 32), 16 * KIB: (2, 8, 32), 64 * KIB: (1, 4, 16), 256 * KIB: (1, 8, 32),
}  # fmt: skip
"""Half of the grid, by size the depths: its corners, and every other point within."""
SIZES = tuple(FITTED)
GRID: Sequence[FioJob] = [FioJob(READ, size, depth) for size in SIZES for depth in DEPTHS]
IN_SEQUENCE: Sequence[FioJob] = [FioJob(READ, 256 * KIB, depth, False) for depth in (1, 8)]
"""Jobs in sequence, judged separately: drives read ahead, and the model's flash does not."""
WRITES: Sequence[FioJob] = [
    FioJob(WRITE, 256 * KIB, 8, False), FioJob(WRITE, 4 * KIB, 1), FioJob(WRITE, 4 * KIB, 32),
    FioJob(WRITE, 4 * KIB, 8), FioJob(WRITE, 64 * KIB, 4),
]  # fmt: skip
"""The first three are fitted to: they fill the link, the command and the flash."""
FITTED_WRITES = 3


def is_fitted(job: FioJob) -> bool:
    """Tell if the fit may see *job*; else it is held out."""
    if job.op is WRITE:
        return job in WRITES[:FITTED_WRITES]
    return job.random and job.depth in FITTED.get(job.size, ())


# The drive that is measured: a block device, a file on it, or what an NBD server serves; and what it must not be.

MIN_CAPACITY = 64 * MIB
NBD = ("nbd://", "nbd+unix://")
MOUNTS = Path("/proc/self/mounts")
LOOPS = "loop*/loop/backing_file"
BLOCKS = Path("/sys/block")
PARTITION = re.compile(r"(p?\d+)?", re.ASCII).fullmatch
"""Matches the end of a partition's name after that of its device."""
WHOLE_FILE_SHARE = 0.95
"""A file with a smaller share of its bytes on the drive has holes, whose reads never reach the drive."""


@dataclass(frozen=True)
class FlashTarget:
    """Target of fio: *name* as given, *capacity* in bytes, and fio's *options* for it."""

    name: str
    capacity: int
    options: tuple[str, ...]


def target(name: str, overwritten: bool) -> FlashTarget:
    """Return fio's target *name*; UserError if it cannot be measured, or is in use and would be *overwritten*."""
    if name.startswith(NBD):
        return _large(FlashTarget(name, _nbd_size(name), ("--ioengine=nbd", f"--uri={name}")))
    path = Path(name)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"--drive: {path} is a folder; name a device, such as /dev/nvme0n1, or a large file")
        if not stat.S_ISREG(mode) and not stat.S_ISBLK(mode):
            raise UserError(f"--drive: {path} is neither a block device nor a file")
        capacity = _capacity(path, overwritten)
    except OSError as error:
        raise UserError(f"--drive: cannot open {path}: {error.strerror}{_reason(error)}") from None
    if stat.S_ISREG(mode):
        _check_holes(path)
    if overwritten:
        _check_unused(path)
    escaped = str(path.resolve()).replace(":", r"\:")
    return _large(FlashTarget(name, capacity, ("--ioengine=libaio", "--direct=1", f"--filename={escaped}")))


def _large(flash: FlashTarget) -> FlashTarget:
    if flash.capacity < MIN_CAPACITY:
        raise UserError(f"--drive: {flash.name} has {quantity(flash.capacity, 'bytes')}; less than "
                        f"{quantity(MIN_CAPACITY, 'bytes')} would be read from memory")  # fmt: skip
    return flash


def _capacity(path: Path, overwritten: bool) -> int:
    """Return the bytes of *path*; OSError for a device in use, which cannot be opened exclusively to be overwritten."""
    block = stat.S_ISBLK(path.stat().st_mode)
    alone = os.O_EXCL if block and overwritten else 0
    descriptor = os.open(path, (os.O_RDWR if overwritten else os.O_RDONLY) | alone)
    try:
        return os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "; a device is read by root, or by those of its group"
    return "; it is mounted, or in use otherwise" if error.errno == errno.EBUSY else ""


def _check_holes(path: Path) -> None:
    status = path.stat()
    if status.st_blocks * 512 < WHOLE_FILE_SHARE * status.st_size:
        raise UserError(f"--drive: only {quantity(status.st_blocks * 512, 'bytes')} of {path} are on its drive; write "
                        "all of it first, for holes are read from nowhere")  # fmt: skip


def _check_unused(path: Path) -> None:
    """UserError where *path*, or a partition of it, is mounted."""
    for device, point in _list_mounts():
        if PARTITION(device.removeprefix(os.path.realpath(path))):
            raise UserError(f"--drive: {device} is mounted on {point}, and writes would destroy it")


def _list_mounts() -> Iterator[tuple[str, str]]:
    """Yield mounted devices and files, and their mount points."""
    for line in MOUNTS.read_text("utf-8", "replace").splitlines() if MOUNTS.exists() else ():
        device, point = line.split()[:2]
        if device.startswith("/"):
            yield os.path.realpath(device), point
    for backing in BLOCKS.glob(LOOPS):
        yield os.path.realpath(backing.read_text("utf-8", "replace").strip()), f"/dev/{backing.parts[-3]}"


def _nbd_size(name: str) -> int:
    """Ask for the bytes of an NBD export."""
    if shutil.which("nbdinfo") is None:
        raise UserError("--drive: an NBD export is asked by nbdinfo, which is not here: apt install libnbd-bin")
    asked = subprocess.run(["nbdinfo", "--size", name], capture_output=True, text=True, check=False)
    if asked.returncode or not asked.stdout.strip().isdecimal():
        lines = asked.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(f"--drive: {lines[-1]}")
    return int(asked.stdout)


# A job of fio's on simulated flash: a fixed number of requests under way, and their mean time.

SIMULATED_UNITS, MIN_SIMULATED, MAX_SIMULATED = 8000, 120, 2000
"""Units of a simulated job, and the bounds of its requests, for a mean within a percent or so."""
SETTLING = 1
"""Completed requests for each one under way before any is counted."""


def seconds_of(job: FioJob, sheet: FlashType, share: float = 1.0) -> float:
    """Simulate *job* on a drive of *sheet*, with a *share* of the usual requests; return mean seconds of a request."""
    requests = round(share * max(MIN_SIMULATED, min(MAX_SIMULATED, SIMULATED_UNITS * sheet.unit // job.size)))
    return _ClosedLoop(job, sheet, requests).mean()


class _ClosedLoop:
    """Each request that is done is followed at once by another."""

    def __init__(self, job: FioJob, sheet: FlashType, requests: int) -> None:
        self._env = simpy.Environment()
        self._drive = FlashDrive(self._env, sheet)
        self._job = job
        self._account = Account("fio")
        self._random = stream(1, f"fio {job.name}")
        self._places = sheet.capacity // job.size
        self._settling = SETTLING * job.depth
        self._left = self._settling + requests
        self._done = self._counted = 0
        self._seconds = 0.0

    def mean(self) -> float:
        for _ in range(self._job.depth):
            self._ask()
        while self._left > 0:
            self._env.step()
        return self._seconds / self._counted

    def _ask(self) -> None:
        place = int(self._random.random() * self._places) if self._job.random else self._done % self._places
        request = self._drive.start(access(self._job.op, place * self._job.size, self._job.size, self._account))
        self._done += 1
        assert request.callbacks is not None
        request.callbacks.append(self._finish)

    def _finish(self, request: Request) -> None:
        self._left -= 1
        if self._done > self._settling + self._job.depth:
            self._counted += 1
            self._seconds += self._env.now - request.submitted
        self._ask()


# fio's answer to a job, read strictly from its JSON, the file with all of them, and whether an arm gave them.

NS = 1e-9
MIN_REQUESTS = 20
"""Fewer requests are no mean."""
MAX_DEPTH, MAX_SIZE, MAX_REQUESTS, MAX_JOBS = 256, 1 << 20, 10**15, 100
"""Every job is simulated, which must end."""
MAX_CAPACITY = 1 << 48
MAX_NAME = 4096
"""Characters of a drive's name, which may be a path."""
SIZE = re.compile(r"(\d{1,12})([kmg]?)(?:i?b)?", re.ASCII).fullmatch
"""Bytes as fio writes them, with 1024 for k."""
PATTERNS = {"randread": (READ, True), "read": (READ, False), "randwrite": (WRITE, True), "write": (WRITE, False)}


@dataclass(frozen=True)
class FioAnswer:
    """Answer to a *job* of *requests* requests, which took *seconds* each on average."""

    job: FioJob
    requests: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return self.job.depth * self.job.size / self.seconds


@dataclass(frozen=True)
class MeasuredFlash:
    """fio's outputs for the drive *name* of *capacity* bytes: *texts*, one a job, and the *answers* in them."""

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
    if isinstance(capacity, bool) or not isinstance(capacity, int) or not MIN_CAPACITY <= capacity <= MAX_CAPACITY:
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
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
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
    options = {**_object(where, text, "global options", {}), **_object(where, done, "job options")}
    job = _job(f"{where}.job options", options)
    side = _object(where, done, "read" if job.op is READ else "write")
    requests = int(_number(f"{where}.total_ios", side.get("total_ios"), 0, MAX_REQUESTS))
    if requests < MIN_REQUESTS:
        done = f"{where}: {job.name}: {requests} requests were done"
        raise UserError(f"{done}, and a mean takes {MIN_REQUESTS}: more seconds?")
    mean = _object(where, side, "lat_ns").get("mean")
    return FioAnswer(job, requests, _number(f"{where}.lat_ns.mean", mean, 1.0, 1e15) * NS)


def _job(where: str, options: Mapping[str, Any]) -> FioJob:
    pattern = options.get("rw")
    if not isinstance(pattern, str) or pattern not in PATTERNS:
        raise UserError(f"{where}.rw must be one of {', '.join(PATTERNS)}, not {quote(str(pattern))}")
    op, random = PATTERNS[pattern]
    depth = _number(f"{where}.iodepth", options.get("iodepth", "1"), 1, MAX_DEPTH)
    text = str(options.get("bs", "4k"))
    size = SIZE(text.lower())
    whole = text if size is None else int(size[1]) << 10 * " kmg".index(size[2] or " ")
    return FioJob(op, int(_number(f"{where}.bs", whole, 512, MAX_SIZE)), int(depth), random)


def _object(where: str, content: Mapping[str, Any], key: str, missing: Any = None) -> Mapping[str, Any]:
    value = content.get(key, missing)
    if not isinstance(value, dict):
        raise UserError(f"{where}: there is no {key} in it")
    return value


def _number(where: str, value: object, low: float, high: float) -> float:
    """Read a number, which fio writes as text in options, and as a number in counts."""
    with suppress(ValueError):
        number = float(value) if isinstance(value, str) else value
        if isinstance(number, int | float) and not isinstance(number, bool) and low <= number <= high:
            return number
    raise UserError(f"{where} must be a number from {low:g} to {high:g}, not {quote(str(value))}")


AT_DEPTH_1, AT_DEPTH_32 = FioJob(READ, 4 * KIB, 1), FioJob(READ, 4 * KIB, 32)
ARM_READ = 1.5 * MS
ARM_SPEEDUP = 4.0
"""A drive has an arm if a read of 4 KB takes longer, and if depth 32 is less than ARM_SPEEDUP times as fast."""


def check_armless(drive: MeasuredFlash) -> None:
    """UserError if the answers to jobs AT_DEPTH_1 and AT_DEPTH_32 are there, and are those of an arm."""
    answers = {each.job: each for each in drive.answers}
    if AT_DEPTH_1 not in answers or AT_DEPTH_32 not in answers:
        return
    seconds, faster = answers[AT_DEPTH_1].seconds, answers[AT_DEPTH_32].rate / answers[AT_DEPTH_1].rate
    if seconds > ARM_READ and faster < ARM_SPEEDUP:
        raise UserError(f"{drive.name} is like a disc with an arm: 4 KB take {seconds / MS:.3g} ms, and with 32 under "
                        f"way come {faster:.2g} times as fast; fit it to fio's latency log: spindle drive fit --help")


FIO = "fio"
WARM_UP = 0.2
"""Share of a job's seconds that fio runs before them, uncounted."""
GRACE = 120.0
"""Seconds that fio may take beyond those it was given."""

Watched = Callable[[Sequence[FioJob]], Iterable[FioJob]]


def check_fio() -> None:
    """UserError where there is no fio."""
    if shutil.which(FIO) is None:
        raise UserError("measure --drive runs fio, which is not here: apt install fio, or dnf install fio")


def measure(target: FlashTarget, jobs: Sequence[FioJob], seconds: float, watched: Watched) -> MeasuredFlash:
    """Run each of *jobs* for *seconds* seconds; *watched* hands them on. UserError as soon as an arm shows."""
    drive = read_outputs(target.name, target.capacity, [])
    with TemporaryDirectory(prefix="spindle-fio-") as folder:
        for job in watched(jobs):
            drive = read_outputs(drive.name, drive.capacity, [*drive.texts, _run(target, job, seconds, Path(folder))])
            check_armless(drive)
    return drive


def command(target: FlashTarget, job: FioJob, seconds: float, out: Path) -> list[str]:
    """Return the words of fio's command line; --readonly makes fio refuse to write."""
    return [
        FIO, f"--name={job.pattern}", *target.options, *(["--readonly"] if job.op is READ else []),
        f"--rw={job.pattern}", f"--bs={job.size}", f"--iodepth={job.depth}", "--norandommap", "--randrepeat=0",
        f"--size={target.capacity // job.size * job.size}", "--time_based", f"--runtime={_ms(seconds)}",
        f"--ramp_time={_ms(WARM_UP * seconds)}", "--output-format=json", f"--output={out}",
    ]  # fmt: skip


def _ms(seconds: float) -> str:
    return f"{max(1, round(1e3 * seconds))}ms"


def _run(target: FlashTarget, job: FioJob, seconds: float, folder: Path) -> Mapping[str, Any]:
    out = folder / "fio.json"
    try:
        ran = subprocess.run(command(target, job, seconds, out), cwd=folder, stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, errors="replace", timeout=(1 + WARM_UP) * seconds + GRACE,
                             check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UserError(f"fio, {job.name}: it did not end {GRACE:g} s after its time") from None
    except OSError as error:
        raise UserError(f"fio cannot be run: {error.strerror}") from None
    if ran.returncode:
        lines = [line.strip() for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
        raise UserError(f"fio, {job.name}: {lines[-1] if lines else f'it ended with status {ran.returncode}'}")
    return parse_object(f"fio, {job.name}", out.read_text("utf-8", "replace") if out.exists() else "")
