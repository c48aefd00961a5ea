"""Tests sleep after an idle time and stalls of a drive, by times worked out by hand on a service of 10 ms."""

import pytest
import simpy

from spindle.sim.disc.drive import Drive
from spindle.sim.disc.hindered import HinderedMechanism
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Span


def responses(kind: Hindrance, *times: float) -> tuple[list[float], dict[str, float]]:
    """Seconds of requests at *times*, and the counters of the drive."""
    env = simpy.Environment()
    drive = Drive(env, FixedService(0.01, capacity=1 << 20))
    drive.mechanism = HinderedMechanism(drive.mechanism, kind)
    done: list[float] = []

    def ask(at: float) -> simpy.events.ProcessGenerator:
        yield env.timeout(at)
        yield drive.read_bytes(0, 512)
        done.append(env.now - at)

    for at in times:
        env.process(ask(at))
    env.run()
    return done, drive.reading()


def test_a_drive_sleeps_when_it_was_idle_for_long_and_the_first_request_wakes_it() -> None:
    """It is awake at 5, idle from 5.91 and asleep from 6.91 on; it is ready at 7.45, and what comes meanwhile waits."""
    found, counted = responses(Hindrance(sleep_after=1.0, wake=0.5), 5.0, 5.9, 6.95, 6.96, 7.5)
    assert found == pytest.approx([0.01, 0.01, 0.51, 0.51, 0.01])
    assert (counted["wakes"], counted["stalls"]) == (1.0, 0.0)
    assert counted["overhead"] + counted["transfer"] == pytest.approx(0.55)


def test_every_third_request_is_stalled_and_those_behind_it_wait() -> None:
    found, counted = responses(Hindrance(stall_every=3, stall=2.0), 0.0, 0.1, 0.2, 0.3, 5.0, 9.0)
    assert found == pytest.approx([0.01, 0.01, 2.01, 1.92, 0.01, 2.01])
    assert (counted["wakes"], counted["stalls"]) == (0.0, 2.0)


def test_without_either_nothing_changes() -> None:
    assert responses(Hindrance(), 0.0, 0.001)[0] == pytest.approx([0.01, 0.019])






class Told(FixedService):
    """A mechanism of a second for each byte, that keeps what it is told."""

    lower_bound = (1.0, (0.0,))

    def __init__(self) -> None:
        super().__init__(0.0, 1.0)
        self.told: list[tuple[ArmPosition, float, Op, float]] = []

    def serve(
        self, arm: ArmPosition, now: float, op: Op, span: Span, queue: float = 0.0
    ) -> tuple[AccessTiming, ArmPosition]:
        self.told.append((arm, now, op, queue))
        return super().serve(arm, now, op, span, queue)

    def settled_at(self) -> float:
        return 42.0

    def reading(self) -> dict[str, float]:
        return {"told": float(len(self.told))}


HERE = ArmPosition(3, 4)


def hindered(kind: Hindrance) -> tuple[Told, HinderedMechanism]:
    below = Told()
    return below, HinderedMechanism(below, kind)


def test_the_mechanism_below_is_told_when_the_drive_is_awake() -> None:
    """The second request wakes the drive for 2 s, having waited 7."""
    below, drive = hindered(Hindrance(sleep_after=8.0, wake=2.0))
    drive.serve(HERE, 0.25, READ, Span(0, 1))
    service, _ = drive.serve(HERE, 18.25, WRITE, Span(0, 4), 7.0)
    assert below.told == [(HERE, 0.25, READ, 0.0), (HERE, 20.25, WRITE, 7.0)]
    assert service == (7.0, 2.0, 0.0, 0.0, 4.0, 0.0)



def test_a_drive_sleeps_at_the_instant_and_as_often_as_it_was_idle_for_long() -> None:
    """Idle from 1 and from 5 on, it wakes at 3 and at 7 for a second each."""
    below, drive = hindered(Hindrance(sleep_after=2.0, wake=1.0))
    for now in (0.0, 3.0, 7.0):
        drive.serve(HERE, now, READ, Span(0, 1))
    assert ([now for _, now, _, _ in below.told], drive.wakes) == ([0.0, 4.0, 8.0], 2)


def test_a_drive_that_serves_several_at_once_is_idle_when_the_last_is_done() -> None:
    """The first takes 10 s, the second comes at 1 and takes one; so the drive is idle from 10 on, not from 2."""
    _, drive = hindered(Hindrance(sleep_after=6.0, wake=1.0))
    for now, size in ((0.0, 10), (1.0, 1), (9.0, 1)):
        drive.serve(HERE, now, READ, Span(0, size))
    assert drive.wakes == 0


def test_a_stall_begins_when_the_drive_is_awake() -> None:
    """It wakes from 3 to 7; what comes at 4 stalls for a second more."""
    below, drive = hindered(Hindrance(sleep_after=2.0, wake=4.0, stall_every=3, stall=1.0))
    for now in (0.0, 3.0, 4.0):
        drive.serve(HERE, now, READ, Span(0, 1))
    assert [now for _, now, _, _ in below.told] == [0.0, 7.0, 8.0]
    assert drive.reading() == {"told": 3.0, "wakes": 1.0, "stalls": 1.0}


def test_schedulers_and_flushes_see_the_mechanism_below() -> None:
    below, drive = hindered(Hindrance())
    assert drive.settled_at() == 42.0
    assert drive.lower_bound is below.lower_bound
