"""Sleep after an idle time and stalls of a drive, by times worked out by hand on a service of 10 ms."""

import pytest
import simpy

from spindle.sim.disc.drive import Drive
from spindle.sim.disc.hindrance import HinderedMechanism, Hindrance
from spindle.sim.disc.virtual import FixedService


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
