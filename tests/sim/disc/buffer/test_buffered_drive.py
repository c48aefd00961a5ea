"""Tests a Drive with a buffer: flushes and durable writes wait for the medium, others do not; one event a request."""

from copy import deepcopy
from dataclasses import replace

import pytest
import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.disc.buffer_sheet import BlocksAhead, Buffer, HostLink, ImmediateReporting
from spindle.sim.disc.buffered_arm import BufferedArm, mechanism_of
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import Scan, Sptf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.error import UserError
from spindle.sim.measure.laws import check_drive
from spindle.sim.request import READ, WRITE, Access, Op, Span, access
from spindle.sim.units import MS

PLAIN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)
REPORTING = replace(PLAIN, buffer=Buffer(1, 20, reports=ImmediateReporting(), link=HostLink(0.0, 0.5 * MS)))
AHEAD = replace(PLAIN, buffer=Buffer(1, 20, read_ahead=BlocksAhead(20)))
USER = Account("user")


def of(op: Op, first: int, stop: int, durable: bool = False) -> Access:
    return access(op, first * 100, (stop - first) * 100, USER)._replace(durable=durable)


def ends(env: simpy.Environment, *works: Wait) -> list[float]:
    """When each of *works* is over, in milliseconds; all begin at once."""
    done = [0.0] * len(works)

    def process(number: int, work: Wait) -> Wait:
        yield from work
        done[number] = round(env.now / MS, 6)

    for number, work in enumerate(works):
        env.process(process(number, work))
    env.run()
    return done


def test_the_mechanism_follows_from_the_sheet() -> None:
    assert isinstance(mechanism_of(PLAIN), MovingArm)
    buffered = mechanism_of(AHEAD)
    assert isinstance(buffered, BufferedArm)
    assert buffered.lower_bound is None  # the buffer answers some reads at once


def test_a_write_is_reported_and_a_flush_waits_for_the_medium(env: simpy.Environment) -> None:
    drive = Drive(env, REPORTING)

    def work() -> Wait:
        yield from drive.write(of(WRITE, 3, 5))
        assert env.now == pytest.approx(1 * MS)
        yield from drive.flush(Span(300, 200))
        assert env.now == pytest.approx(5 * MS)
        yield from drive.flush(Span(300, 200))

    assert ends(env, work()) == [5]


def test_a_flush_waits_for_writes_that_are_queued(env: simpy.Environment) -> None:
    drive = Drive(env, REPORTING)
    drive.start(of(WRITE, 3, 5))
    drive.start(of(WRITE, 43, 45))  # taken at 5 ms, on the medium at 15
    assert ends(env, drive.flush(Span(4300, 100))) == [15]


def test_a_flush_of_what_nobody_writes_empties_the_buffer(env: simpy.Environment) -> None:
    drive = Drive(env, REPORTING)
    drive.start(of(WRITE, 3, 5))
    assert ends(env, drive.flush(Span(4300, 100))) == [5]


def test_a_durable_write_waits_for_the_medium_and_another_does_not(env: simpy.Environment) -> None:
    drive = Drive(env, REPORTING)
    plain = drive.start(of(WRITE, 3, 5))
    durable = drive.start(of(WRITE, 5, 7, durable=True))
    env.run()
    assert [round(part / MS, 6) for part in plain.value] == [0, 0, 0, 0, 0, 1]
    assert [round(part / MS, 6) for part in durable.value] == [1, 0, 0, 0, 5, 1]


def test_a_durable_write_that_is_on_the_medium_anyhow_waits_for_nothing(env: simpy.Environment) -> None:
    request = Drive(env, AHEAD).start(of(WRITE, 3, 5, durable=True))
    env.run()
    assert request.value.total == pytest.approx(5 * MS)


def test_durable_is_a_matter_of_writes(env: simpy.Environment) -> None:
    drive = Drive(env, REPORTING)
    drive.start(of(WRITE, 3, 5))
    env.run()
    drive.start(of(READ, 3, 5))
    env.run()
    request = drive.start(of(READ, 3, 5, durable=True))
    env.run()
    assert request.value.total == 0.0


def test_a_read_of_another_does_not_delay_a_flush_of_nothing(env: simpy.Environment) -> None:
    assert ends(env, Drive(env, PLAIN).flush(Span(0, 100))) == [0]
    drive = Drive(env, AHEAD)
    assert ends(env, drive.flush(Span(0, 100))) == [0]


def test_a_read_under_way_does_not_delay_a_flush(env: simpy.Environment) -> None:
    drive = Drive(env, AHEAD)
    drive.start(of(READ, 43, 45))
    assert ends(env, drive.flush(Span(0, 100))) == [0]


def test_the_arm_reads_on_without_an_event(env: simpy.Environment) -> None:
    drive = Drive(env, AHEAD)
    drive.start(of(READ, 3, 5))
    env.run()
    assert env.now == pytest.approx(5 * MS)
    env.run(until=20 * MS)
    request = drive.start(of(READ, 5, 10))
    env.run()
    assert request.value.total == 0.0
    assert {name: count for name, count in drive.reading().items() if name.startswith("buffer")} == {
        "buffer_hits": 1.0, "buffer_late_hits": 0.0, "buffer_misses": 1.0}
    check_drive("drive", drive.reading(), env.now)


def test_sptf_knows_where_the_read_ahead_has_taken_the_arm(env: simpy.Environment) -> None:
    """The host has the first at 13 ms; at 12 ms the arm has come to cylinder 1, where block 24 comes at 14 ms."""
    assert AHEAD.buffer is not None
    drive = Drive(env, replace(AHEAD, buffer=replace(AHEAD.buffer, link=HostLink(3 * MS))), Sptf())
    done: list[Access] = []
    near, far = of(READ, 24, 25), of(READ, 18, 19)
    for each in (of(READ, 19, 20), far, near):
        drive.start(each).callbacks.append(lambda request: done.append(request.access))
    env.run()
    assert done[1:] == [near, far]


def test_sptf_knows_what_a_drive_that_is_not_free_takes() -> None:
    """The medium is free at 5 ms; block 5 comes then, whatever the command took before."""
    mechanism = BufferedArm(replace(REPORTING, overhead=0.5 * MS), Buffer(1, 20, reports=ImmediateReporting()))
    _, arm = mechanism.serve(ArmPosition(0, 0), 0.0, WRITE, Span(300, 200))
    before = mechanism.positioning(arm, 1 * MS, mechanism.locate(500), READ, Span(500, 100))
    service, _ = mechanism.serve(arm, 1 * MS, READ, Span(500, 100))
    assert before == pytest.approx(service.overhead + service.seek + service.rotation)


def scanned(env: simpy.Environment, disc: DiscType) -> tuple[list[float], Drive]:
    """From cylinder 3 up to cylinder 5, over the edge, and down to cylinder 1."""
    drive = Drive(env, disc, Scan())
    requests = [drive.start(of(READ, first, first + 1)) for first in (60, 100, 23)]
    env.run()
    return [round(request.value.total / MS, 6) for request in requests], drive


def test_going_over_the_edge_is_not_a_read(env: simpy.Environment) -> None:
    plain, _ = scanned(env, PLAIN)
    buffered, drive = scanned(simpy.Environment(), replace(PLAIN, buffer=Buffer(1, 20)))
    assert buffered == plain
    assert drive.reading()["buffer_misses"] == 3


def test_the_arm_is_left_where_the_request_ended(env: simpy.Environment) -> None:
    drive = Drive(env, AHEAD)
    drive.start(of(READ, 45, 55))
    env.run()
    assert drive.arm == ArmPosition(2, 1)


@pytest.mark.parametrize(("arm", "first"), [((0, 0), 0), ((1, 0), 20), ((0, 1), 10)])
def test_an_arm_that_was_moved_before_the_first_request_starts_there(arm: tuple[int, int], first: int) -> None:
    service, _ = BufferedArm(AHEAD, Buffer(1, 20)).serve(ArmPosition(*arm), 0.0, READ, Span(first * 100, 100))
    assert (service.queue, service.seek, service.total) == (0.0, 0.0, pytest.approx(1 * MS))


def test_a_clock_that_is_too_coarse_for_the_angle_is_refused() -> None:
    with pytest.raises(UserError, match=r"^disc ten: the clock is at 2\.1e\+09 s"):
        BufferedArm(AHEAD, Buffer(1, 20)).serve(ArmPosition(0, 0), 2.1e9, READ, Span(0, 100))


def test_what_was_read_ahead_is_kept_as_the_arm_is_moved_away() -> None:
    """Block 7 has passed by 8.5 ms, and block 8 has not."""
    mechanism = BufferedArm(AHEAD, Buffer(2, 20, read_ahead=BlocksAhead(20)))
    mechanism.serve(ArmPosition(0, 0), 0.0, READ, Span(300, 200))
    moved = deepcopy(mechanism)
    moved.serve(ArmPosition(9, 0), 8.5 * MS, READ, Span(800, 100))
    assert moved.buffer.state.misses == 2, "block 8 was coming, and is no more"
    _, arm = mechanism.serve(ArmPosition(9, 0), 8.5 * MS, READ, Span(18_000, 100))
    for block, hits in ((7, 1), (8, 1)):
        _, arm = mechanism.serve(arm, 1.0, READ, Span(block * 100, 100))
        assert mechanism.buffer.state.hits == hits
