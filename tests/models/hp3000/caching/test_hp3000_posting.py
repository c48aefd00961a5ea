"""Tests posts (write-backs) of all discs: in any order, or one after another; with a switch in between."""

import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.domains import Domain
from spindle.models.hp3000.caching.posted import Posted
from spindle.models.hp3000.caching.posting import Posting
from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import Stopped
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parts import LawBroken
from spindle.sim.request import Op, Span, access
from spindle.sim.units import KIB, MS

SERVICES = (10 * MS, 30 * MS)


@pytest.fixture
def drives(env: simpy.Environment) -> list[Drive]:
    """Two LDEVs, the second slower."""
    return [Drive(env, FixedService(seconds, capacity=1024 * KIB)) for seconds in SERVICES]


def post(posting: Posting, drive: Drive, name: str, log: list[object]) -> None:
    written = access(Op.WRITE, 0, 256, Account(""))
    posting.post(drive, written, lambda: log.append((name, round(drive.env.now / MS, 6))))


@pytest.mark.parametrize(("serial", "done"), [
    (False, [("b", 10), ("c", 20), ("a", 30), ("d", 60)]),
    (True, [("a", 30), ("b", 40), ("c", 50), ("d", 80)]),
])
def test_serial_posts_keep_their_order_across_ldevs(
    env: simpy.Environment, drives: list[Drive], log: list[object], serial: bool, done: list[tuple[str, int]]
) -> None:
    posting = Posting(env, serial)
    for name, number in (("a", 1), ("b", 0), ("c", 0), ("d", 1)):
        post(posting, drives[number], name, log)
    assert posting.levels() == {"pending_posts": 4}
    env.run()
    assert log == done
    assert posting.reading() == {"posted": 4, "pending_seconds": pytest.approx(sum(at for _, at in done) * MS)}


def test_a_post_is_done_before_the_next_starts(env: simpy.Environment, drives: list[Drive]) -> None:
    posting, issued = Posting(env, serial=True), list[tuple[int, int]]()
    for drive in drives:
        posting.post(drive, access(Op.WRITE, 0, 256, Account("")),
                     lambda: issued.append((drives[1].counts.issued, posting.pending.now)))  # fmt: skip
    env.run()
    assert issued == [(0, 1), (1, 0)]


def test_switched_on_the_next_waits_for_all_under_way(
    env: simpy.Environment, drives: list[Drive], log: list[object]
) -> None:
    posting = Posting(env)
    post(posting, drives[1], "a", log)
    post(posting, drives[0], "b", log)
    posting.switch(True)
    post(posting, drives[0], "c", log)
    env.run()
    assert log == [("b", 10), ("a", 30), ("c", 40)]


def test_settings_that_are_changed_hold_from_then_on(env: simpy.Environment, drives: list[Drive]) -> None:
    control = Control(env, CacheSettings(512))
    serial = CacheSettings(1024, mode=WriteMode(serial=True))
    control.change(serial)
    for number in (1, 0):
        post(control.posting, drives[number], "", [])
    assert control.settings == serial
    assert [drive.counts.issued for drive in drives] == [0, 1]
    control.change(CacheSettings(512))
    assert [drive.counts.issued for drive in drives] == [1, 1]


def test_switched_off_all_that_wait_start(env: simpy.Environment, drives: list[Drive], log: list[object]) -> None:
    posting = Posting(env, serial=True)
    for name, number in (("a", 1), ("b", 1), ("c", 0)):
        post(posting, drives[number], name, log)
    env.run(until=5 * MS)
    posting.switch(False)
    env.run()
    assert log == [("c", 15), ("a", 30), ("b", 60)]


def test_posts_that_wait_for_nothing_or_are_counted_wrong_break_a_law(
    env: simpy.Environment, drives: list[Drive], log: list[object]
) -> None:
    posting = Posting(env, serial=True)
    for name in ("a", "b"):
        post(posting, drives[0], name, log)
    posting.check()
    posting._serial = False
    with pytest.raises(LawBroken, match="posting: 1 posts wait, and none is under way"):
        posting.check()
    posting._serial, posting._under_way = True, 0
    with pytest.raises(LawBroken, match="posting: 1 posts wait, and none is under way"):
        posting.check()
    posting._under_way = 2
    with pytest.raises(LawBroken, match="posting: 2 posts are pending, 1 wait and 2 are under way"):
        posting.check()
    posting._under_way = 0
    posting._waiting.clear()
    with pytest.raises(LawBroken, match="posting: 2 posts are pending, 0 wait and 0 are under way"):
        posting.check()


def test_who_waits_for_a_post_waits_for_one_that_begins_as_it_ends(env: simpy.Environment, log: list[object]) -> None:
    posted, domain = Posted(env, "drive", Stopped()), Domain(0, 256, 256)
    posted.enter([domain])

    def flush() -> Wait:
        yield from posted.flush(Span(0, 256))
        log.append(env.now)

    env.process(flush())
    env.run(until=0.5)
    assert domain.gate is not None
    assert domain.gate.name == "a post to drive"
    env.run(until=1.0)
    posted.leave([domain])
    for _ in range(2):
        posted.enter([domain])
    posted.leave([domain])
    env.run(until=2.0)
    posted.leave([domain])
    env.run()
    assert log == [2.0]
