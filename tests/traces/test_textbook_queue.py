"""Tests the disc scheduling problem of textbooks: one queue, a head on cylinder 143 that moves up, and six orders.

Silberschatz, Galvin and Gagne, Operating System Concepts, exercise on 5,000 cylinders. A cylinder takes 1 ms; each
request turns for 0.06 to 0.12 ms more: the disc turns a million times a minute at most, and a track is a sector.
"""

from pathlib import Path

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.sheets import HP7933
from spindle.sim.request import READ, access
from tests.traces.conftest import Said

SHEET = """\
name: Textbook disc
sector_bytes: 512
capacity_sectors: 5000
cylinders: 5000
heads: 1
sectors_per_track: 1
rpm: 1000000
head_switch_ms: 0
seek: {points_cyl_ms: [[1, 1.0], [4999, 4999.0]]}
"""
QUEUE = (86, 1470, 913, 1774, 948, 1509, 1022, 1750, 130)
TURN = 0.06
PATHS = {"fcfs": 7081, "sstf": 1745, "scan": 9769, "look": 3319, "c-scan": 9985, "c-look": 3363}
"""Cylinders that the arm goes over; with c-look and c-scan the way back is one of them."""


def asked(place: Path, *times: float) -> None:
    (place / "book.yaml").write_text(SHEET)
    rows = "".join(f"{time},R,{cylinder},1\n" for time in times for cylinder in QUEUE)
    (place / "queue.csv").write_text(f"time_s,op,lba_512,sectors\n{rows}")


def check(place: Path, cylinders: int) -> None:
    """The last request was done after so many cylinders."""
    last = (place / "rows.csv").read_text().splitlines()[-1]
    assert cylinders + TURN * len(QUEUE) <= float(last.rpartition(",")[2]) <= cylinders + 2 * TURN * len(QUEUE)


@pytest.mark.parametrize("scheduler", PATHS)
def test_a_queue_on_an_idle_arm_is_served_as_in_the_book(place: Path, said: Said, scheduler: str) -> None:
    asked(place, 0.0)
    page = said("replay", "queue.csv", "--drive", "book.yaml", "--scheduler", scheduler, "--head", "143", "--out",
                "rows.csv")  # fmt: skip
    assert "9 simulated" in page
    check(place, PATHS[scheduler])


def test_so_is_each_later_queue_on_an_arm_that_has_become_idle(place: Path, said: Said) -> None:
    """Nearest first from 143 ends on 1774, from where the same nine are nearest downwards: 1,688 cylinders."""
    asked(place, 0.0, 100.0)
    said("replay", "queue.csv", "--drive", "book.yaml", "--scheduler", "sstf", "--head", "143", "--out", "rows.csv")
    check(place, 1774 - 86)


def test_the_queue_of_a_closed_loop_is_one_at_its_beginning(place: Path, said: Said) -> None:
    asked(place, 0.0)
    words = ["--drive", "book.yaml", "--scheduler", "sstf", "--head", "143", "--closed", "9", "--out", "rows.csv"]
    said("replay", "queue.csv", *words)
    check(place, 1745)


@pytest.mark.parametrize(("words", "says"), [
    ("--drive book.yaml --head 5000", "head: there is no cylinder 5000; Textbook disc has 0 to 4999"),
    ("--drive intels3700 --head 1", "Intel S3700 is flash, and has no head to be on cylinder 1"),
    ("--drive book.yaml --head -1", "--head"), ("--drive book.yaml --head x", "--head"),
])  # fmt: skip
def test_a_head_that_cannot_be_is_refused(place: Path, refused: Said, words: str, says: str) -> None:
    asked(place, 0.0)
    assert says in refused("replay", "queue.csv", *words.split())


def test_a_drive_that_gathers_begins_at_the_end_of_the_instant() -> None:
    env = simpy.Environment()
    plain, gathering = Drive(env, HP7933, Fcfs()), Drive(env, HP7933, Sstf())
    gathering.gather()
    ended = list[tuple[Drive, int]]()
    for drive in (plain, gathering):
        for first in (300 << 20, 512):
            request = drive.start(access(READ, first, 512, Account("test")))
            request.callbacks.append(lambda _, drive=drive, first=first: ended.append((drive, first)))
    env.run()
    assert [first for drive, first in ended if drive is plain] == [300 << 20, 512]
    assert [first for drive, first in ended if drive is gathering] == [512, 300 << 20]


def test_flash_that_gathers_fills_all_its_tags() -> None:
    env = simpy.Environment()
    drives = [FlashDrive(env, INTEL_S3700, Sstf()) for _ in range(2)]
    drives[1].gather()
    ends = []
    for drive in drives:
        requests = [drive.start(access(READ, place << 20, 4096, Account("test"))) for place in range(40)]
        env.run(simpy.AllOf(env, requests))
        ends.append(max(request._value.total for request in requests))
    assert ends[1] == pytest.approx(ends[0], rel=0.2)
