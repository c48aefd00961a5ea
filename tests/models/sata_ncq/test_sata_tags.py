"""Tests tags (NCQ) by hand: which commands have one, which wait in the host, and that answers come out of order."""

from collections.abc import Callable
from functools import partial

import pytest
import simpy

from spindle.models.sata_ncq.tags import Tags
from spindle.sim.clock import Phase, succeed_after
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, Access, AccessTiming, Hint, Op, Request, Span
from spindle.sim.units import MS

DISC = DiscType("ten cylinders", uniform(10, 1, 16, 512), 3750, LinearSeek(1 * MS, 10 * MS, 10))
CYLINDER = 16 * 512


class Behind:
    """Answers each command after a given time, however many there are, and keeps who asked when."""

    def __init__(self, env: simpy.Environment, *milliseconds: float) -> None:
        self._env = env
        self._times = iter(milliseconds)
        self.asked: list[tuple[float, int]] = []

    def __call__(self, op: Op, span: Span) -> Request:
        self.asked.append((self._env.now / MS, span.first))
        request = Request(self._env, Access(op, span, span, None, Hint.NONE, False, None))  # type: ignore[arg-type]
        seconds = next(self._times) * MS
        succeed_after(request, seconds, AccessTiming(0.0, 0.0, seconds, 0.0, 0.0, 0.0))
        return request


Answers = list[tuple[int, float]]


@pytest.fixture
def answers(env: simpy.Environment) -> Callable[..., Answers]:
    """Commands given at once at these bytes: which were answered when, in that order."""

    def given(tags: Tags, *places: int) -> Answers:
        found: Answers = []

        def note(place: int, _: simpy.Event) -> None:
            found.append((place, round(env.now / MS, 6)))

        for place in places:
            request = tags(READ, Span(place, 512))
            assert request.callbacks is not None
            request.callbacks.append(partial(note, place))
        env.run()
        return found

    return given


def tagged(env: simpy.Environment, behind: Behind, depth: int, host: Callable[[], Fcfs | Sstf] = Fcfs) -> Tags:
    return Tags(env, behind, Drive(env, DISC), host(), depth)


def test_one_tag_serves_one_command_after_another(env: simpy.Environment, answers: Callable[..., Answers]) -> None:
    behind = Behind(env, 5, 1, 2)
    assert answers(tagged(env, behind, 1), 0, 512, 1024) == [(0, 5), (512, 6), (1024, 8)]
    assert behind.asked == [(0, 0), (5, 512), (6, 1024)]


def test_answers_overtake_commands_that_take_longer(env: simpy.Environment, answers: Callable[..., Answers]) -> None:
    behind = Behind(env, 5, 1, 2)
    assert answers(tagged(env, behind, 2), 0, 512, 1024) == [(512, 1), (1024, 3), (0, 5)]
    assert behind.asked == [(0, 0), (0, 512), (1, 1024)]


def test_the_host_chooses_who_gets_a_tag(env: simpy.Environment, answers: Callable[..., Answers]) -> None:
    """The arm is on cylinder 0 all the time."""
    far, near = 9 * CYLINDER, 2 * CYLINDER
    assert answers(tagged(env, Behind(env, 1, 1, 1), 1, Sstf), 0, far, near) == [(0, 1), (near, 2), (far, 3)]


def test_who_waits_in_the_host_comes_before_who_asks_next(env: simpy.Environment) -> None:
    tags, found = tagged(env, Behind(env, 1, 1, 1), 1), []
    first, second = tags(READ, Span(0, 512)), tags(READ, Span(512, 512))
    for request in (first, second):
        assert request.callbacks is not None
    first.callbacks.append(lambda _: found.append(tags(READ, Span(1024, 512))))
    env.run(until=second)
    assert env.now == pytest.approx(2 * MS)
    env.run(until=found[0])
    assert env.now == pytest.approx(3 * MS)


def test_the_wait_for_a_tag_is_a_wait_in_the_queue(env: simpy.Environment) -> None:
    tags, span = tagged(env, Behind(env, 5, 3), 1), Span(512, 512)
    first = tags(READ, Span(0, 512))
    second = tags(READ, span)
    assert second.access == Access(READ, span, span, None, Hint.NONE, False, second.access.account)
    env.run()
    assert first.ledger is not None
    assert [part for part, _, _ in first.ledger.pieces] == [Phase.SEEK]
    assert second.ledger is not None
    assert second.ledger.name == second.access.account.name == "host"
    spent = [(part, round(end - begin, 9)) for part, begin, end in second.ledger.pieces]
    assert spent == [(Phase.QUEUE, 5 * MS), (Phase.SEEK, 3 * MS)]
