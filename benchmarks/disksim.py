"""``python -m benchmarks.disksim FOLDER SHEETS``: requests a second and mean responses beside DiskSim's, in one run.

FOLDER is DiskSim with its drives in ``valid``, SHEETS has those of the same drives: ``HP_C2247A/drive.yaml`` and so on.
DiskSim is no part of Spindle. With flex, bison and gcc it is built so, optimised (as it comes it is not)::

    git clone https://github.com/westerndigitalcorporation/DiskSim && cd DiskSim
    git archive HEAD:STABLE/DiskSim_Linux_Generic_2.01.016 | tar -x -C FOLDER && cd FOLDER
    sed -i 's/^CFLAGS *= *-g/CFLAGS = -O2 -g/' */Makefile */modules/Makefile
    sed -i 's/^CFLAGS = -I/CFLAGS = -O2 -I/' src/Makefile && make
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

import numpy as np
import simpy

from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.kernel.drives import OPEN, Incoming, looped_drives
from spindle.sim.disc.kernel.queue import UNLIMITED_DEPTH, QueueRule
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.streams import Exponential
from spindle.sim.units import MS
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Host, Open
from spindle.traces.replay.replay import TraceReplayed, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record

SECTOR, SECTORS = 512, 8
NUMBER, FEW = 60_000, 6_000
"""Requests; what so few of them take is taken off, so that neither starting nor reading sheets counts."""
ROUNDS = 3
"""Counts of each in turn, of which the least stands: what else the machine does only adds."""
MECHANICS = ("Enable caching in buffer", "Fast write level", "Buffer continuous read", "Time scale for overheads",
             "Bulk sector transfer time")  # fmt: skip
"""What of a drive DiskSim is told to do without, where nothing but its mechanics counts."""
POLICIES: dict[Callable[[], Scheduler], str] = {Fcfs: "1", Sptf: "8"}


class DriveTrial(NamedTuple):
    """*gap* seconds between arrivals on average, or before each request once the one before it is answered."""

    name: str
    gap: float
    host: Callable[..., Host] = Open
    scheduler: Callable[[], Scheduler] = Fcfs
    buffered: bool = False


class Timing(NamedTuple):
    """Seconds of the processor, and the mean response in seconds."""

    seconds: float
    response: float


DRIVES = {"HP_C2247A": ("hp_c2247a", 11.8 * MS), "SEAGATE_ST39102LW_CHEETAH9LP": ("cheetah9LP", 5.25 * MS)}
"""Of each drive DiskSim's name, and the gap with which a dozen wait for SPTF."""


def modes(gap: float) -> list[DriveTrial]:
    return [
        DriveTrial("mechanics, closed", 0.0, Closed), DriveTrial("mechanics, open", 25 * MS),
        DriveTrial("buffer, closed", 5 * MS, Closed, buffered=True), DriveTrial("mechanics, SPTF", gap, scheduler=Sptf),
    ]  # fmt: skip


def requests(mode: DriveTrial, sectors: int, number: int) -> list[Record]:
    """Two thirds reads; with a buffer a third go on where the one before ended.

    The last hundredth of the disc is left alone: DiskSim's read-ahead does not stop at its end.
    """
    random, gaps, now, first = Random("disksim"), Exponential(mode.gap), 0.0, 0
    used = sectors * 99 // 100
    records = []
    for _ in range(number):
        gap = gaps.draw(random)
        now += gap
        if not (mode.buffered and random.random() < 0.33 and first + SECTORS < used):
            first = int(random.random() * (used // SECTORS)) * SECTORS
        op: Op = READ if random.random() < 0.66 else WRITE
        records.append(Record(now, "0", op, first * SECTOR, SECTORS * SECTOR, gap=gap))
        first += SECTORS
    return records


def ours(mode: DriveTrial, sheet: DriveSheet, records: Sequence[Record]) -> Timing:
    disc = sheet.disc
    assert isinstance(disc, DiscType)
    bare = replace(sheet, disc=disc if mode.buffered else replace(disc, buffer=None, overhead=0.0))
    storage = Storage(simpy.Environment(), StoragePlan(bare, mode.scheduler))
    began = process_time()
    replayed: TraceReplayed = replay_trace(iter(records), storage, mode.host)
    return Timing(process_time() - began, replayed.tally.all_times.sum / len(records))


def in_arrays(mode: DriveTrial, sheet: DriveSheet, records: Sequence[Record]) -> Timing:
    """The same by a compiled loop, as traces of millions are replayed."""
    disc = sheet.disc
    assert isinstance(disc, DiscType)
    count, closed = len(records), mode.host is Closed
    when = [each.gap if closed else each.time for each in records]
    asked = Incoming(
        np.zeros(count, dtype=np.int64), np.array([each.op is WRITE for each in records]),
        np.array([each.first for each in records]), np.array([each.length for each in records]), np.array(when, float),
    )  # fmt: skip
    bare = disc if mode.buffered else replace(disc, buffer=None, overhead=0.0)
    rule, under_way = QueueRule(UNLIMITED_DEPTH if mode.scheduler is Sptf else 1), 1 if closed else OPEN
    drives = looped_drives(mechanism_of(bare), rule, under_way, 1)
    assert drives is not None
    began = process_time()
    served = drives.serve(asked, last=True)
    assert served is not None
    return Timing(process_time() - began, float(served.responses.sum()) / count)


def theirs(mode: DriveTrial, valid: Path, name: str, records: Sequence[Record]) -> Timing:
    """DiskSim's own, of a file of the same requests."""
    closed = mode.host is Closed
    with TemporaryDirectory() as folder:
        trace, answer = Path(folder) / "trace", Path(folder) / "answer"
        trace.write_text("\n".join((_closed if closed else _open)(records)) + "\n")
        words = [str(valid.parent / "src" / "disksim"), f"{name}.parv", str(answer), "validate" if closed else "ascii",
                 str(trace), "0", *_told(mode)]  # fmt: skip
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(words, cwd=valid, check=True, capture_output=True)
        after = getrusage(RUSAGE_CHILDREN)
        mean = re.search(r"IOdriver Response time average:\s*([\d.]+)", answer.read_text())
    assert mean is not None, "DiskSim says how long a response takes"
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timing(seconds, float(mean[1]) * MS)


def _told(mode: DriveTrial) -> Iterator[str]:
    """Parts, parameters and values that are not those of DiskSim's file."""
    for parameter in () if mode.buffered else MECHANICS:
        yield from ("disk0", parameter, "0")
    for way in () if mode.buffered else ("Read", "Write"):
        yield from ("bus1", f"{way} block transfer time", "0.0")
    policy = POLICIES[mode.scheduler]
    yield from ("driver0", "Scheduler:Scheduling policy", policy, "driver0", "Scheduler:Cylinder mapping strategy", "4")


def _open(records: Sequence[Record]) -> Iterator[str]:
    for each in records:
        yield f"{(each.time or 0.0) / MS:.6f} 0 {each.first // SECTOR} {SECTORS} {int(each.op is READ)}"


def _closed(records: Sequence[Record]) -> Iterator[str]:
    """With the gap before the next; how long it took is not asked for."""
    gaps = [each.gap or 0.0 for each in records]
    for each, gap in zip(records, [*gaps[1:], 0.0], strict=True):
        yield f"{'R' if each.op is READ else 'W'} Miss {each.first // SECTOR} {SECTORS} 10000.0 {gap / MS * 1000:.3f}"


def row(drive: str, mode: DriveTrial, runs: Sequence[Callable[[Sequence[Record]], Timing]], sectors: int) -> str:
    """Requests a second, also by DiskSim's, and mean responses of the *runs*, theirs first."""
    records = requests(mode, sectors, NUMBER)
    whole, begun = ([min(of_run) for of_run in zip(*([run(some) for run in runs] for _ in range(ROUNDS)), strict=True)]
                    for some in (records, records[:FEW]))  # fmt: skip
    rates = [(NUMBER - FEW) / (each.seconds - less.seconds) for each, less in zip(whole, begun, strict=True)]
    rated = "".join(f"{rate:>11,.0f}{rate / rates[0]:>6.2f}" for rate in rates[1:])
    means = "".join(f"{each.response / MS:>10.3f}" for each in whole)
    return f"{f'{drive}, {mode.name}':<46}{rates[0]:>9,.0f}{rated:<34}{means}"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2 or not (Path(arguments[0]) / "src" / "disksim").exists():
        print("name the folder in which DiskSim was built, and that of the drives' sheets")
        return 2
    valid, sheets = Path(arguments[0]).resolve() / "valid", Path(arguments[1])
    print(f"{'requests a second':<46}{'DiskSim':>9}{'Spindle':>11}{'':>6}{'in arrays':>11}{'':>6}   mean responses, ms")
    for drive, (name, gap) in DRIVES.items():
        sheet = read_sheet(sheets / drive / "drive.yaml")
        assert isinstance(sheet.disc, DiscType)
        for mode in modes(gap):
            runs = [partial(theirs, mode, valid, name), partial(ours, mode, sheet), partial(in_arrays, mode, sheet)]
            print(row(drive, mode, runs, sheet.disc.layout.sectors), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
