"""What a server is to serve, what may not be, and how requests of its drives are counted, logged and flushed."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest
import simpy

from spindle.serve.address import TcpPort
from spindle.serve.export import SparseFile, SparseMemory
from spindle.serve.plan import Arrivals, ServedDevice, ServePlan
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import Span
from spindle.sim.units import KIB, MIB
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import CachePlan, FlashPlan, Storage, write_back

PLAN = ServePlan(StoragePlan(DriveSheet(HP7933, None), Fcfs), TcpPort("127.0.0.1", 0), size=64 * KIB)
CAPACITY = 404_458_496
CACHE = CachePlan(MIB, 64 * KIB, Lru, write_back)


@pytest.mark.parametrize(("changes", "why"), [
    ({"size": CAPACITY}, ""), ({"size": None}, ""), ({"data": (Path("a"), Path("b")), "count": 2}, ""),
    ({"data": (Path("a"),), "read_only": True}, ""),
    ({"size": CAPACITY + 256}, "of 404458752 bytes is larger than the HP 7933, which has 404458496"),
    ({"size": 257}, "--size must be whole sectors of 256 bytes, not 257 bytes"),
    ({"data": (Path("a"),), "count": 2}, "--data names 1 files for 2 drives"),
    ({"read_only": True}, "--read-only serves what is in a file; --data names it"),
])  # fmt: skip
def test_a_plan_that_cannot_be_is_refused(changes: dict[str, object], why: str) -> None:
    if why:
        with pytest.raises(UserError, match=why):
            replace(PLAN, **changes)  # type: ignore[arg-type]
    else:
        replace(PLAN, **changes)  # type: ignore[arg-type]


def test_bytes_are_in_memory_or_in_files_that_are_closed_at_the_end(tmp_path: Path) -> None:
    with ExitStack() as stack:
        one, other = replace(PLAN, count=2).stores(stack)
        (whole,) = replace(PLAN, size=None).stores(stack)
        assert all(isinstance(each, SparseMemory) for each in (one, other, whole))
        assert (one.size, other.size, whole.size) == (64 * KIB, 64 * KIB, CAPACITY)
        one.write(0, b"x")
    assert list(one.extents(0, 1)) == [(1, True)]
    paths = tmp_path / "a", tmp_path / "b"
    filed = replace(PLAN, count=2, data=paths)
    with ExitStack() as stack:
        for number, each in enumerate(filed.stores(stack)):
            assert isinstance(each, SparseFile)
            each.write(0, b"%d" % number)
    assert [(path.read_bytes()[:1], path.stat().st_size) for path in paths] == [(b"0", 64 * KIB), (b"1", 64 * KIB)]
    with ExitStack() as stack:
        one, other = replace(filed, read_only=True).stores(stack)
        with pytest.raises(OSError, match="Bad file descriptor"):
            one.write(0, b"x")
    with pytest.raises(OSError, match="Bad file descriptor"):
        other.read(0, 1)


def of_sectors(size: int) -> DriveType:
    return replace(HP7933, layout=replace(HP7933.layout, sector_bytes=size))


@pytest.mark.parametrize(("disc", "block", "rotational", "about"), [
    (HP7933, 256, True, "HP 7933, simulated by Spindle"), (of_sectors(520), 1, True, "HP 7933, simulated by Spindle"),
    (of_sectors(1 << 16), 1 << 16, True, "HP 7933, simulated by Spindle"),
    (of_sectors(1 << 17), 1, True, "HP 7933, simulated by Spindle"),
    (INTEL_S3700, 512, False, "Intel S3700, simulated by Spindle"),
])  # fmt: skip
def test_an_export_tells_what_its_drive_is(disc: DriveType, block: int, rotational: bool, about: str) -> None:
    plan = replace(PLAN, storage=StoragePlan(DriveSheet(disc, None), Fcfs), size=None, count=2)
    with ExitStack() as stack:
        exports = plan.exports(Storage(simpy.Environment(), plan.storage), Arrivals(), stack)
    assert {name: each.name for name, each in exports.items()} == {"disc0": "disc0", "disc1": "disc1"}
    assert exports["disc0"].store is not exports["disc1"].store
    told = exports["disc1"]
    assert (told.block, told.rotational, told.read_only, told.about, told.size) == (
        block, rotational, False, about, disc.layout.capacity)  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Iterator[BinaryIO]:
    with (tmp_path / "log.csv").open("wb") as file:
        yield file


def test_requests_are_logged_as_they_came_though_a_later_one_is_done_first(tmp_path: Path, log: BinaryIO) -> None:
    def lines() -> list[str]:
        return (tmp_path / "log.csv").read_text("utf-8").splitlines()[1:]

    env, stood = simpy.Environment(), list[float]()
    storage = Storage(env, PLAN.storage)
    arrivals = Arrivals(log, lambda: stood.append(env.now))
    assert (arrivals.under_way, arrivals.end, arrivals.beside) == (0, 0.0, 0)
    far = ServedDevice(storage, "disc0", arrivals).read(Span(CAPACITY - 256, 256))  # across all cylinders
    near = ServedDevice(storage, "disc1", arrivals).write(Span(0, 512), False)
    env.run(near)
    first = env.now
    assert (arrivals.under_way, arrivals.end, stood, lines()) == (1, first, [], [])
    env.run(far)
    last = env.now
    assert (arrivals.under_way, arrivals.end, stood) == (0, last, [last])
    assert lines() == [
        f"0,disc0,R,{CAPACITY - 256},256,{last!r}", f"0,disc1,W,0,512,{first!r}"]  # fmt: skip
    assert (arrivals.tally.reads.sum, arrivals.tally.writes.sum) == (last, first)
    env.run(ServedDevice(storage, "disc0", arrivals).read(Span(0, 256)))
    time, *_, response = lines()[-1].split(",")
    assert (float(time), float(response)) == (last, env.now - last)


@pytest.mark.parametrize("storage", [replace(PLAN.storage, cache=CACHE),
                                     replace(PLAN.storage, flash=FlashPlan(INTEL_S3700, CACHE))])  # fmt: skip
def test_a_flush_and_a_trim_are_of_one_device_below_the_cache(storage: StoragePlan) -> None:
    """Two devices have written 64 KiB and 128 KiB to a cache that writes back."""
    env, arrivals = simpy.Environment(), Arrivals()
    parts = Storage(env, storage)
    one, other, idle = (ServedDevice(parts, name, arrivals) for name in ("disc0", "disc1", "disc2"))
    env.run(one.write(Span(0, 64 * KIB), False))
    env.run(other.write(Span(0, 128 * KIB), False))

    def written() -> list[int]:
        return [int(drive.reading()["bytes_written"]) for name, drive in parts.drives.items() if "disc" in name]

    assert written() == [0, 0]
    other.discard(Span(64 * KIB, 64 * KIB))
    env.run(other.flush())
    assert written() == [0, 64 * KIB]
    env.run(one.write(Span(64 * KIB, 64 * KIB), True))
    assert written() == [64 * KIB, 64 * KIB], "of a durable write its own bytes are written, and no others"
    before = env.now
    env.run(idle.flush())
    idle.discard(Span(0, 256))
    assert (env.now, arrivals.beside) == (before, 5)
    assert written() == [64 * KIB, 64 * KIB]
