"""Schedulers against DiskSim's on the measured HP C2247A: mean responses, and every choice made from a long queue.

Choices differ only where two requests are equally near: on one cylinder DiskSim goes by block number, of two sectors
at one angle the rounding of its angles decides, and the schedulers here go by arrival. In overload each such choice
changes all that come after it, so that there choices are compared one at a time, each in DiskSim's own state.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import pytest
import simpy

from sim.account import Account
from sim.disc.drive import Drive
from sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from sim.disc.scheduling import Look, Scheduler, Sptf, Sstf
from sim.disc.sheet_file.sheet import read_sheet
from sim.request import Access, Op, Request, access
from sim.units import MS, US


@pytest.fixture(scope="module")
def c2247a(shared: Path) -> DiscType:
    """Its mechanics alone."""
    return replace(read_sheet(shared / "data/drives/HP_C2247A/drive.yaml").disc, buffer=None)


@dataclass(frozen=True, eq=False)
class Theirs:
    """A request, and when DiskSim saw it, sent it to the drive and had it back."""

    access: Access
    arrival: float
    dispatch: float
    response: float


def theirs(shared: Path, load: str, scheduler: str) -> list[Theirs]:
    """All requests in order of arrival; seconds."""
    folder, account, found = shared / "data/disksim_reference", Account("replay"), []
    with (
        (folder / f"HP_C2247A_{load}_requests.csv").open() as asked,
        (folder / f"HP_C2247A_{load}_mech_{scheduler}.csv").open() as done,
    ):
        for row, when in zip(csv.DictReader(asked), csv.DictReader(done), strict=True):
            op = Op.READ if row["op"] == "R" else Op.WRITE
            wanted = access(op, int(row["lba"]) * 512, int(row["sectors"]) * 512, account)
            times = (float(when[name]) * MS for name in ("dispatch_ms", "response_ms"))
            found.append(Theirs(wanted, float(row["arrival_s"]), *times))
    return found


def mean_response(disc: DiscType, scheduler: Scheduler, wanted: list[Theirs]) -> float:
    env, requests = simpy.Environment(), list[Request]()
    drive = Drive(env, disc, scheduler)

    def arrivals() -> simpy.events.ProcessGenerator:
        for each in wanted:
            yield env.timeout(each.arrival - env.now)
            requests.append(drive.start(each.access))

    env.process(arrivals())
    env.run()
    return sum(request.value.queue + request.value.total for request in requests) / len(requests)


@pytest.mark.parametrize(
    ("make", "name", "ms"), [(Sstf, "sstf_cyl", 35.026), (Look, "elevator_cyl", 35.539), (Sptf, "sptf", 31.888)]
)
def test_mean_response_is_that_of_disksim(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str, ms: float
) -> None:
    wanted = theirs(shared, "light", name)
    mean = mean_response(c2247a, make(), wanted) / MS
    assert sum(each.response for each in wanted) / len(wanted) / MS == pytest.approx(ms, abs=0.001)
    print(f"{name}: mean response {mean:.3f} ms, DiskSim's {ms} ms")
    assert mean == pytest.approx(ms, rel=0.005)


@pytest.mark.parametrize(("make", "name"), [(Sstf, "sstf_cyl"), (Look, "elevator_cyl"), (Sptf, "sptf")])
def test_in_overload_the_mean_differs_by_no_more_than_ties_explain(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str
) -> None:
    wanted = theirs(shared, "heavy", name)
    mean = mean_response(c2247a, make(), wanted)
    their = sum(each.response for each in wanted) / len(wanted)
    print(f"{name}: mean response {mean / MS:.3f} ms, DiskSim's {their / MS:.3f} ms")
    assert mean == pytest.approx(their, rel=0.1)


@dataclass(frozen=True)
class Choice:
    """The queue from which DiskSim chose, where its arm was, and whether that had last moved up."""

    arm: ArmPosition
    up: bool
    queue: list[Theirs]
    chosen: Theirs


def choices(wanted: list[Theirs], mechanism: MovingArm) -> Iterator[Choice]:
    """All of DiskSim's choices in their order, but for those where there was nothing to choose from."""
    waiting, up = dict.fromkeys(wanted), True
    arm = ArmPosition(0, 0)
    for chosen in sorted(wanted, key=lambda each: each.dispatch):
        queue = list(takewhile(lambda each, now=chosen.dispatch: each.arrival <= now + 1e-9, waiting))
        if len(queue) > 1:
            yield Choice(arm, up, queue, chosen)
        del waiting[chosen]
        begins, ends = (mechanism.locate(at) for at in (chosen.access.span.first, chosen.access.span.end - 1))
        up = up if begins.cylinder == arm.cylinder else begins.cylinder > arm.cylinder
        arm = ArmPosition(ends.cylinder, ends.head)


def ours(make: type[Scheduler], mechanism: MovingArm, choice: Choice) -> Access:
    """What our scheduler takes from the same queue."""
    env, scheduler = simpy.Environment(), make()
    if isinstance(scheduler, Look):
        scheduler.up = choice.up
    scheduler.attach(mechanism)
    for each in choice.queue:
        scheduler.add(Request(env, each.access))
    return scheduler.take(choice.arm, choice.chosen.dispatch).access


Key = Callable[[MovingArm, Choice, Access], float]


def cylinder(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    return mechanism.locate(wanted.span.first).cylinder


def distance(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    return abs(cylinder(mechanism, choice, wanted) - choice.arm.cylinder)


def positioning(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    place = mechanism.locate(wanted.span.first)
    return mechanism.positioning(choice.arm, choice.chosen.dispatch, place, wanted.op)


@pytest.mark.parametrize("load", ["light", "heavy"])
@pytest.mark.parametrize(
    ("make", "name", "key", "rounding", "share"),
    [
        (Sstf, "sstf_cyl", distance, 0.0, 0.0),
        (Look, "elevator_cyl", cylinder, 0.0, 0.0),
        # DiskSim's angles are integers and drift: a sector that it just catches has here gone by up to 10 us ago.
        (Sptf, "sptf", positioning, 2 * US, 0.005),
    ],
)
def test_of_one_queue_disksim_and_we_choose_what_is_equally_near(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str, key: Key, rounding: float, share: float, load: str
) -> None:
    mechanism, made, other, farther = MovingArm(c2247a), 0, 0, 0
    for choice in choices(theirs(shared, load, name), mechanism):
        taken, their = ours(make, mechanism, choice), choice.chosen.access
        made += 1
        other += taken is not their
        farther += abs(key(mechanism, choice, taken) - key(mechanism, choice, their)) > rounding
    print(f"{load} {name}: {made} choices, {other} other than DiskSim's, of which {farther} not equally near")
    assert made > 1500
    assert other < 0.025 * made
    assert farther <= share * made
