"""Tests the rules that every block device must obey, on all of them, by hand."""

import pytest
import simpy

from spindle.sim.clock import Account, Wait, begin
from spindle.sim.request import Access, Hint, Op, Request, Span, wait_for
from spindle.sim.units import MS
from tests.sim.block_devices import DEVICES, EXTENTS, Stack, asleep, mpe_behind
from tests.sim.watched_drives import SECTOR, covered


@pytest.fixture(params=DEVICES, ids=lambda make: make.__name__)
def stack(request: pytest.FixtureRequest, env: simpy.Environment) -> Stack:
    made: Stack = request.param(env)
    return made


def access(op: Op, first: int, length: int, durable: bool = False) -> Access:
    return Access(op, Span(first, length), EXTENTS[1], "s", Hint.NONE, durable, Account(""))


FIRST = EXTENTS[1].first


def test_a_first_read_returns_when_the_drive_has_delivered(env: simpy.Environment, stack: Stack) -> None:
    done: list[float] = []
    asleep(env, stack.device.read(access(Op.READ, FIRST + 300, 700)), done)
    env.run(1)
    spans = [span for span, when in stack.drive.transferred if when <= done[0]]
    assert covered(Span(FIRST + 300, 700), spans)
    assert 0 < done[0] < 0.1


def test_a_started_read_is_that_read(env: simpy.Environment, stack: Stack) -> None:
    done: list[float] = []
    request = stack.device.start(access(Op.READ, FIRST, 512))
    assert not request.processed
    asleep(env, wait_for(request, Account("")), done)
    env.run(1)
    assert covered(Span(FIRST, 512), [span for span, when in stack.drive.transferred if when <= done[0]])


@pytest.mark.parametrize("length", [256, 512, 700, 1024])
def test_what_was_written_is_on_the_medium_after_a_flush(env: simpy.Environment, stack: Stack, length: int) -> None:
    def process() -> Wait:
        yield from stack.device.write(access(Op.WRITE, FIRST, length))
        yield from stack.device.flush(Span(FIRST, length))
        assert stack.drive.has(Span(FIRST, length), 0.0)

    done: list[float] = []
    asleep(env, process(), done)
    env.run(1)
    assert len(done) == 1


def test_what_was_written_in_between_is_on_the_medium_after_a_flush(env: simpy.Environment, stack: Stack) -> None:
    """However far what was written has come on its way down."""
    ended = []

    def process(number: int) -> Wait:
        yield env.timeout(number * 3 * MS)
        span, asked = Span(FIRST + number % 3 * 256, 512), env.now
        yield from stack.device.write(access(Op.WRITE, *span))
        yield env.timeout(number % 7 * 4 * MS)
        yield from stack.device.flush(span)
        assert stack.drive.has(span, asked), "flushed, and not on the medium"
        ended.append(number)

    for number in range(20):
        env.process(process(number))
    env.run(5)
    assert len(ended) == 20


def test_a_durable_write_is_on_the_medium(env: simpy.Environment, stack: Stack) -> None:
    def process() -> Wait:
        for first in (0, 256, 900):
            asked = env.now
            one = access(Op.WRITE, FIRST + first, 512, durable=True)
            yield from stack.device.write(one)
            assert stack.drive.has(one.span, asked)
            assert one.account.total() == pytest.approx(env.now - asked)

    done: list[float] = []
    asleep(env, process(), done)
    env.run(5)
    assert len(done) == 1


def test_what_was_discarded_is_read_again(env: simpy.Environment, stack: Stack) -> None:
    def process() -> Wait:
        for _ in range(2):
            yield from stack.device.read(access(Op.READ, FIRST, 1024))
            yield env.timeout(0.1)
            stack.device.discard(Span(FIRST, 32 * SECTOR))

    asleep(env, process(), [])
    env.run(1)
    for byte in (FIRST, FIRST + 1023):
        assert sum(span.overlaps(Span(byte, 1)) for span, _ in stack.drive.transferred) == 2


def test_a_device_may_be_used_from_a_callback(env: simpy.Environment, stack: Stack) -> None:
    """Posts and interrupt routines start work where no process is active."""
    requests: list[Request] = []
    for number in range(6):
        op = Op.WRITE if number % 2 else Op.READ
        env.timeout(number * MS).callbacks.append(
            lambda _, op=op, number=number: requests.append(stack.device.start(access(op, FIRST + number * 300, 600)))
        )
    env.timeout(0.3).callbacks.append(lambda _: begin(env, stack.device.flush(EXTENTS[1])))
    env.run(2)
    assert [request.processed for request in requests] == [True] * 6
    reading = stack.drive.reading()
    assert reading["issued"] == reading["completed"]


def test_mpe_counts_a_stop_whatever_it_was_that_was_waited_for(env: simpy.Environment) -> None:
    cache = mpe_behind(env).mpe
    assert cache is not None
    asleep(env, cache.read(access(Op.READ, FIRST, 256)), [])  # waits for the disc
    env.run(1 * MS)
    for work in (
        cache.read(access(Op.READ, FIRST, 256)),  # waits for the other's fetch: a late hit
        cache.write(access(Op.WRITE, FIRST + 8192 - 256, 256)),  # waits for nothing
        cache.write(access(Op.WRITE, FIRST + 8192 - 256, 256)),  # waits for the post
    ):
        asleep(env, work, [])
    env.run(0.5)
    asleep(env, cache.read(access(Op.READ, FIRST, 256)), [])  # a hit
    env.run(1.0)
    assert (cache.stops, cache.misses, cache.late_hits, cache.hits, cache.write_waits) == (3, 1, 1, 1, 1)
