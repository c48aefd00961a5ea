"""Compares schedulers with DiskSim's on the measured HP C2247A: mean responses, and each choice from a long queue.

Choices differ only where two requests are equally near: on one cylinder DiskSim goes by block number, of two sectors
at one angle the rounding of its angles decides, and the schedulers here go by arrival. In overload each such choice
changes all that come after it, so that there choices are compared one at a time, each in DiskSim's own state, and means
with ties broken as DiskSim broke them.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import Look, Sptf, Sstf
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.request import Access, AccessTiming, Op, Request, Span, access
from spindle.sim.units import MS, US


@pytest.fixture(scope="module")
def c2247a(shared: Path) -> DiscType:
    """Its mechanics alone."""
    return replace(read_sheet(shared / "data/drives/HP_C2247A/drive.yaml").disc, buffer=None)


@dataclass(frozen=True, eq=False)
class Theirs:
    """A request, when DiskSim saw it and sent it to the drive, and what it and the drive took."""

    access: Access
    arrival: float
    dispatch: float
    response: float
    service: float


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
            times = (float(when[name]) * MS for name in ("dispatch_ms", "response_ms", "service_ms"))
            found.append(Theirs(wanted, float(row["arrival_s"]), *times))
    return found


def their_mean(wanted: list[Theirs]) -> float:
    return sum(each.response for each in wanted) / len(wanted)


def mean_response(mechanism: MovingArm, scheduler: Scheduler, wanted: list[Theirs]) -> float:
    env, requests = simpy.Environment(), list[Request]()
    drive = Drive(env, mechanism, scheduler)

    def arrivals() -> simpy.events.ProcessGenerator:
        for each in wanted:
            yield env.timeout(each.arrival - env.now)
            requests.append(drive.start(each.access))

    env.process(arrivals())
    env.run()
    return sum(request.value.queue + request.value.total for request in requests) / len(requests)


@pytest.mark.parametrize(("make", "name", "load", "ms"), [
    (Fcfs, "fcfs", "light", 42.535), (Sstf, "sstf_cyl", "light", 35.026), (Look, "elevator_cyl", "light", 35.539),
    (Sptf, "sptf", "light", 31.888), (Fcfs, "fcfs", "heavy", 6482.971),
])  # fmt: skip
def test_mean_response_is_that_of_disksim(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str, load: str, ms: float
) -> None:
    wanted = theirs(shared, load, name)
    mean = mean_response(MovingArm(c2247a), make(), wanted) / MS
    assert their_mean(wanted) / MS == pytest.approx(ms, abs=0.001)
    print(f"{load} {name}: mean response {mean:.3f} ms, DiskSim's {ms} ms")
    assert mean == pytest.approx(ms, rel=0.002)


@dataclass(frozen=True)
class Choice:
    """The queue from which to choose, where the arm is *now*, and whether that has last moved up."""

    arm: ArmPosition
    up: bool
    now: float
    queue: list[Theirs]


def choices(wanted: list[Theirs], mechanism: MovingArm) -> Iterator[tuple[Choice, Theirs]]:
    """All that DiskSim chose in their order, but for those where there was nothing to choose from."""
    waiting, up = dict.fromkeys(wanted), True
    arm = ArmPosition(0, 0)
    for chosen in sorted(wanted, key=lambda each: each.dispatch):
        queue = list(takewhile(lambda each, now=chosen.dispatch: each.arrival <= now + 1e-9, waiting))
        if len(queue) > 1:
            yield Choice(arm, up, chosen.dispatch, queue), chosen
        del waiting[chosen]
        begins, ends = (mechanism.locate(at) for at in (chosen.access.span.first, chosen.access.span.end - 1))
        up = turned(up, begins.cylinder - arm.cylinder)
        arm = ArmPosition(ends.cylinder, ends.head)


def turned(up: bool, move: int) -> bool:
    return move > 0 if move else up


def ours(make: type[Scheduler], mechanism: MovingArm, choice: Choice) -> Access:
    """What our scheduler takes from the same queue."""
    env, scheduler = simpy.Environment(), make()
    if isinstance(scheduler, Look):
        scheduler.up = choice.up
    scheduler.attach(mechanism)
    for each in choice.queue:
        scheduler.add(Request(env, each.access))
    return scheduler.take(choice.arm, choice.now).access


Key = Callable[[MovingArm, Choice, Access], float]


def cylinder(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    return mechanism.locate(wanted.span.first).cylinder


def distance(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    return abs(cylinder(mechanism, choice, wanted) - choice.arm.cylinder)


def positioning(mechanism: MovingArm, choice: Choice, wanted: Access) -> float:
    place = mechanism.locate(wanted.span.first)
    return mechanism.positioning(choice.arm, choice.now, place, wanted.op, wanted.span)


POLICIES = [
    (Sstf, "sstf_cyl", distance, 0.0, 0.0),
    (Look, "elevator_cyl", cylinder, 0.0, 0.0),
    # DiskSim's angles are integers and drift: a sector that it just catches has here gone by up to 10 us ago.
    (Sptf, "sptf", positioning, 2 * US, 0.005),
]


@pytest.mark.parametrize("load", ["light", "heavy"])
@pytest.mark.parametrize(("make", "name", "key", "rounding", "share"), POLICIES)
def test_of_one_queue_disksim_and_we_choose_what_is_equally_near(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str, key: Key, rounding: float, share: float, load: str
) -> None:
    mechanism, made, other, farther = MovingArm(c2247a), 0, 0, 0
    for choice, chosen in choices(theirs(shared, load, name), mechanism):
        taken, their = ours(make, mechanism, choice), chosen.access
        made += 1
        other += taken is not their
        farther += abs(key(mechanism, choice, taken) - key(mechanism, choice, their)) > rounding
    print(f"{load} {name}: {made} choices, {other} other than DiskSim's, of which {farther} not equally near")
    assert made > 1500
    assert other < 0.025 * made
    assert farther <= share * made


class LosesAsTheirs(MovingArm):
    """Loses, or catches, a revolution where the rounding of its angles made DiskSim do so with the request *served*."""

    def __init__(self, disc: DiscType) -> None:
        super().__init__(disc)
        self.served: Theirs | None = None
        self.lost = 0

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        service, left = super().serve(arm, now, op, span, queue)
        assert self.served is not None
        turns = round((self.served.service - service.total) / self.disc.revolution)
        # Where DiskSim, at the same instant, had its arm elsewhere, the two have nothing to do with each other.
        if turns and abs(now - self.served.dispatch) < 1 * MS:
            self.lost += 1
            service = service._replace(rotation=service.rotation + turns * self.disc.revolution)
        return service, left


class TiesAsTheirs:
    """Chooses as *make* does, and of all that is equally near by its *key* what DiskSim took first."""

    via = ()

    def __init__(self, make: type[Scheduler], key: Key, rounding: float, wanted: list[Theirs]) -> None:
        self.make, self.key, self.rounding = make, key, rounding
        self.theirs = {id(each.access): each for each in wanted}
        self.waiting: list[Request] = []
        self.up = True

    def attach(self, mechanism: LosesAsTheirs) -> None:
        self.mechanism = mechanism

    def add(self, request: Request) -> None:
        self.waiting.append(request)

    def __len__(self) -> int:
        return len(self.waiting)

    def take(self, arm: ArmPosition, now: float) -> Request:
        choice = Choice(arm, self.up, now, [self.theirs[id(request.access)] for request in self.waiting])
        nearest = self.key(self.mechanism, choice, ours(self.make, self.mechanism, choice))
        tied = [request for request in self.waiting
                if abs(self.key(self.mechanism, choice, request.access) - nearest) <= self.rounding]
        taken = min(tied, key=lambda request: self.theirs[id(request.access)].dispatch)
        self.waiting.remove(taken)
        self.mechanism.served = self.theirs[id(taken.access)]
        self.up = turned(self.up, self.mechanism.locate(taken.access.span.first).cylinder - arm.cylinder)
        return taken


@pytest.mark.parametrize(("make", "name", "key", "rounding", "share"), POLICIES)
def test_in_overload_the_mean_is_that_of_disksim_with_its_ties_and_lost_revolutions(
    shared: Path, c2247a: DiscType, make: type[Scheduler], name: str, key: Key, rounding: float, share: float
) -> None:
    wanted = theirs(shared, "heavy", name)
    alone, mechanism = mean_response(MovingArm(c2247a), make(), wanted), LosesAsTheirs(c2247a)
    mean, their = mean_response(mechanism, TiesAsTheirs(make, key, rounding, wanted), wanted), their_mean(wanted)
    print(f"{name}: mean response {alone / MS:.3f} ms, with DiskSim's ties and {mechanism.lost} revolutions lost as by "
          f"DiskSim {mean / MS:.3f} ms, DiskSim's {their / MS:.3f} ms")
    assert alone == pytest.approx(their, rel=0.1)
    assert mean == pytest.approx(their, rel=0.002)
    assert mechanism.lost <= 3
