"""Compares nine drives with measurements: each gets the real one's requests, as long after its own answers.

The measure is the demerit of Ruemmler and Wilkes (1994): the root mean square of the horizontal distance between two
distributions of response times, in percent of the mean that was measured. DiskSim's answers are beside the requests.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, median

import pytest
import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.extracted import AT_THEIR_WORD
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.request import READ, WRITE, Op, access
from spindle.sim.units import MS

DRIVES = ("HP_C2247A", "HP_C2490A", "HP_C3323A", "DEC_RZ26", "SEAGATE_ST34501N_CHEETAH4LP",
          "SEAGATE_ST39102LW_CHEETAH9LP", "SEAGATE_ST32171W_BARRACUDA", "QUANTUM_QM39100TD_ATLAS_III",
          "QUANTUM_ATLAS10K")
SECTOR = 512


@dataclass(frozen=True)
class Row:
    """One request: how long after the one before, what, and how long it took on the drive and in DiskSim; seconds."""

    gap: float
    op: Op
    first: int
    length: int
    measured: float
    disksim: float


@dataclass(frozen=True)
class Replay:
    """The requests of a drive, and how long each took in the model."""

    rows: Sequence[Row]
    model: Sequence[float]

    def demerit(self, which: str, ops: Sequence[Op] = (READ, WRITE)) -> float:
        """Percent of the mean; *which* is ``model`` or ``disksim``, or ``measured`` for what is nothing of course."""
        rows = [(row, seconds) for row, seconds in zip(self.rows, self.model, strict=True) if row.op in ops]
        theirs = sorted(row.measured for row, _ in rows)
        ours = sorted(seconds if which == "model" else getattr(row, which) for row, seconds in rows)
        square = fmean((one - other) ** 2 for one, other in zip(ours, theirs, strict=True))
        return 100 * square**0.5 / fmean(theirs)

    def apart(self) -> float:
        """The median difference request by request; seconds."""
        return median(abs(row.measured - ours) for row, ours in zip(self.rows, self.model, strict=True))


def requests(folder: Path) -> Iterator[Row]:
    with (folder / "requests.csv").open() as lines, (folder / "disksim_predicted.csv").open() as theirs:
        for row, disksim in zip(csv.DictReader(lines), csv.DictReader(theirs), strict=True):
            assert row["seq"] == disksim["seq"]
            yield Row(float(row["gap_before_ms"]) * MS, READ if row["op"] == "R" else WRITE, int(row["lba"]) * SECTOR,
                      int(row["sectors"]) * SECTOR, float(row["measured_ms"]) * MS, float(disksim["disksim_ms"]) * MS)


def replay(disc: DiscType, rows: Sequence[Row]) -> list[float]:
    """How long each of *rows* takes, the next being asked for its gap after the one before was answered."""
    env, account, took = simpy.Environment(), Account("host"), list[float]()
    drive = Drive(env, disc)

    def host() -> Wait:
        for row in rows:
            yield env.timeout(row.gap)
            request = drive.start(access(row.op, row.first, row.length, account))
            yield request
            took.append(env.now - request.submitted)

    env.process(host())
    env.run()
    return took


@cache
def replayed(folder: Path) -> Replay:
    """The drive of *folder*, asked once for all tests, and only by those that ask for it."""
    rows = list(requests(folder))
    return Replay(rows, replay(read_sheet(folder / "drive.yaml").disc, rows))


class Replays:
    """The replay of each drive in *folder*, by its name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __getitem__(self, name: str) -> Replay:
        return replayed(self.folder / name)


@pytest.fixture
def replays(shared: Path) -> Replays:
    return Replays(shared / "data" / "drives")


def test_requests_are_all_there(replays: Replays) -> None:
    every = [replays[name] for name in DRIVES]
    assert sum(len(one.rows) for one in every) == 87_037
    for one in every:
        assert one.demerit("measured") == 0.0
        assert {row.op for row in one.rows} == {READ, WRITE}


@pytest.mark.parametrize(("ops", "number"), [((READ, WRITE), 5), ((READ,), 8), ((WRITE,), 6)])
def test_most_are_at_least_as_close_as_disksim(replays: Replays, ops: Sequence[Op], number: int) -> None:
    as_close = [name for name in DRIVES if replays[name].demerit("model", ops) <= replays[name].demerit("disksim", ops)]
    print(as_close)
    assert len(as_close) >= number


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize("name", DRIVES)
def test_none_is_far_off(replays: Replays, name: str, op: Op) -> None:
    """Reads and writes apart: opposite errors cancel in all of them together."""
    one = replays[name]
    assert one.demerit("model", [op]) <= max(1.15 * one.demerit("disksim", [op]), 2.0)


@pytest.mark.parametrize(("name", "share"), [("HP_C2490A", 0.99), ("HP_C3323A", 0.96), *(
    (name, 0.99) for name in DRIVES if name.startswith("SEAGATE")), ("QUANTUM_QM39100TD_ATLAS_III", 0.98),
    ("QUANTUM_ATLAS10K", 0.9)])  # fmt: skip
def test_sheets_at_their_word_are_what_disksim_reads(replays: Replays, name: str, share: float) -> None:
    """Request by request, to 0.02 ms; it takes the gaps of traces that were recorded with DIXtrac a line too late."""
    one = replays[name]
    gaps = [row.gap for row in one.rows]
    if not name.startswith("HP"):
        gaps = [0.0, *gaps[:-1]]
    disc = read_sheet(replays.folder / name / "drive.yaml", AT_THEIR_WORD).disc
    took = replay(disc, [replace(row, gap=gap) for row, gap in zip(one.rows, gaps, strict=True)])
    same = [abs(row.disksim - seconds) < 0.02 * MS for row, seconds in zip(one.rows, took, strict=True)]
    assert fmean(same) >= share


@pytest.mark.parametrize("name", ["HP_C2247A", "HP_C2490A"])
def test_single_requests_are_met(replays: Replays, name: str) -> None:
    assert replays[name].apart() <= 0.15 * MS
