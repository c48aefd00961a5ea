"""Runs and times every cell (a program and the state of its file) in shuffled rounds, and describes the machine."""

import os
import platform
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from spindle.lab.measure.call_cost import SAMPLE_CALLS, Sample
from spindle.lab.measure.libc import run_in_thread
from spindle.lab.measure.programs import MeasureBench, TimedCalls, describe_calls
from spindle.lab.measure.scratch import Scratch
from spindle.lab.measure.table import Cell, MeasuredRow, cells
from spindle.sim.error import UserError
from spindle.sim.units import MIB

# The description of the machine, as lines at the head of a table; without anything that names its user.

IN_MEMORY = {"tmpfs", "ramfs", "hugetlbfs"}
QUEUE_SETTINGS = ("rotational", "read_ahead_kb", "scheduler", "write_cache", "logical_block_size", "max_sectors_kb")
VM_SETTINGS = ("dirty_background_ratio", "dirty_ratio", "dirty_expire_centisecs", "dirty_writeback_centisecs")
MAX_FACT_CHARACTERS = 120


def environment(folder: Path) -> dict[str, str]:
    """Return properties of this machine that may affect times, by name, as far as it reports them."""
    mount = _mount(folder)
    facts = {
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "c library": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "processor": _processor(),
        "processors": str(len(os.sched_getaffinity(0))),
        "file system": f"{mount[0]} ({mount[1]})" if mount else "",
        "load average": _read(Path("/proc/loadavg")).rpartition(" ")[0],
        **{f"drive {name}": text for name, text in _queue(folder)},
        **{f"vm.{name}": _read(Path("/proc/sys/vm") / name) for name in VM_SETTINGS},
    }
    return {name: text[:MAX_FACT_CHARACTERS] for name, text in facts.items() if text}


def in_memory(folder: Path) -> bool:
    """Tell if files in *folder* are kept in memory and never reach a device."""
    mount = _mount(folder)
    return mount is not None and mount[0] in IN_MEMORY


def _mount(folder: Path) -> tuple[str, str] | None:
    """Return kind and options of the file system of *folder*, by the device's number, as paths may be hidden."""
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    inside = [mount for mount in _mounts() if folder.resolve().is_relative_to(mount[1])]
    best = max((mount for mount in inside if mount[0] == number), default=None, key=lambda mount: len(mount[1].parts))
    best = best or max(inside, default=None, key=lambda mount: len(mount[1].parts))
    return None if best is None else (best[2], best[3])


def _mounts() -> Iterator[tuple[str, Path, str, str]]:
    """Yield number of the device, mount point, kind and options of each mount: proc(5), mountinfo."""
    for line in _read(Path("/proc/self/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) > 5 and kind:
            yield fields[2], Path(fields[4].replace("\\040", " ")), kind[0], fields[5]


def _queue(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the kernel's settings of the drive under *folder*, where that is one drive or a partition."""
    device = os.stat(folder).st_dev
    place = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    for queue in (place / "queue", place.resolve().parent / "queue"):
        if queue.is_dir():
            yield from ((name, _read(queue / name)) for name in QUEUE_SETTINGS)
            return


def _processor() -> str:
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


MIN_ROUNDS, MAX_ROUNDS = 3, 5
PATIENCE, MIN_PATIENCE = 3, 20.0
"""All rounds may take PATIENCE times the wanted seconds, at least MIN_PATIENCE; cells that come later are left out."""
LOOP_SHARE = 0.6
"""The program's own share of the time of a run; the rest is for empty loops, new files and a last chunk."""
MIN_SECONDS = 1e-10
"""Least seconds of a call, where a busy machine makes the subtracted costs exceed the measured time."""
MAX_TITLES = 3
NO_DISC = "O_SYNC, O_DIRECT and cold: this folder is in memory, nothing in it is ever on a disc"


@dataclass(frozen=True)
class Findings:
    """The result of the laboratory: measured *rows*, and lines about cells that were *left_out*."""

    rows: list[MeasuredRow]
    left_out: list[str]


@dataclass
class Laboratory:
    """Experiments in *folder*, on files of *size* bytes, that take about *seconds* together.

    *watched* is given all cells to be run, and yields them, so that it can draw a bar of progress.
    """

    folder: Path
    size: int
    seconds: float
    watched: Callable[[list[Any]], Iterable[Any]] = lambda every: every
    chance: Random = field(default_factory=lambda: Random(1))

    def work(self) -> Findings:
        every = list(cells(self.size))
        scratch = Scratch(self.folder, self.size)
        scratch.sweep()
        with terminable(), scratch.file() as source, scratch.file() as sample:
            _write(source, self.size)
            _write(sample, SAMPLE_CALLS)
            bench = MeasureBench(scratch, source, Sample(sample), self.size)
            if in_memory(self.folder):
                return self._measure(bench, [cell for cell in every if not cell.waits], [NO_DISC])
            return self._measure(bench, every, [])

    def _measure(self, bench: MeasureBench, every: list[Cell], left_out: list[str]) -> Findings:
        rounds = MIN_ROUNDS if self.seconds < len(every) else MAX_ROUNDS
        seconds = LOOP_SHARE * self.seconds / (rounds * len(every))
        runs_of: dict[Cell, list[TimedCalls]] = {cell: [] for cell in every}
        refused: dict[Cell, str] = {}
        begin = monotonic()
        for cell in self.watched([cell for _ in range(rounds) for cell in self.chance.sample(every, len(every))]):
            spent = monotonic() - begin
            if cell in refused or (runs_of[cell] and spent > self.seconds):
                continue
            try:
                if spent > max(PATIENCE * self.seconds, MIN_PATIENCE):
                    raise OSError("no time was left for it")
                runs_of[cell].append(run_in_thread(partial(bench.run, cell, seconds)))
            except OSError as error:
                refused[cell] = error.strerror or str(error)
        rows = [summarise(cell, runs, describe_calls(cell.program))
                for cell, runs in runs_of.items() if cell not in refused]  # fmt: skip
        return Findings(rows, [*left_out, *_by_reason(refused)])


def _by_reason(refused: Mapping[Cell, str]) -> Iterator[str]:
    """Yield a line for each reason, with the cells left out for it."""
    for reason in dict.fromkeys(refused.values()):
        titles = [cell.title for cell, why in refused.items() if why == reason]
        more = f" and {len(titles) - MAX_TITLES} more" if len(titles) > MAX_TITLES else ""
        yield f"{', '.join(titles[:MAX_TITLES])}{more}: {reason}"


def _write(path: str, size: int) -> None:
    """Write the bytes that programs read, and sync them to the disc so that they can be dropped from the page cache."""
    try:
        with open(path, "wb") as file:
            for first in range(0, size, MIB):
                file.write(b"6" * min(MIB, size - first))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise UserError(f"measure: cannot write a file of {size} bytes: {error.strerror}") from error


def summarise(cell: Cell, runs: list[TimedCalls], how: str) -> MeasuredRow:
    """Return the row of *cell* from all its *runs*."""
    elapsed = [max(run.took.elapsed / run.calls, MIN_SECONDS) for run in runs]
    low, middle, high = (float(value) for value in np.quantile(elapsed, [0.25, 0.5, 0.75]))
    undisturbed = None if cell.waits else median(max(run.took.cpu / run.calls, MIN_SECONDS) for run in runs)
    counted = [run.system_calls for run in runs]
    return MeasuredRow(
        cell, len(runs), sum(run.calls for run in runs), max(run.reached for run in runs),
        middle, low, high, undisturbed, None if None in counted else sum(each or 0 for each in counted), how,
    )  # fmt: skip


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception, so that files are removed."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    kept = {each: signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
