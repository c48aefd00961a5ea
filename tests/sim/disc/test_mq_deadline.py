"""Tests Linux's deadline scheduler by hand: by address, by age, and reads before writes."""

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.mq_deadline import FIFO_BATCH, READ_EXPIRE, WRITE_EXPIRE, MqDeadline
from spindle.sim.request import READ, WRITE, Op, Request, access


def queued(queue: MqDeadline, *places: int, op: Op = READ) -> list[Request]:
    env = simpy.Environment()
    made = [Request(env, access(op, place, 1, Account("fio"))) for place in places]
    for each in made:
        queue.add(each)
    return made


def taken(queue: MqDeadline, count: int, now: float) -> list[int]:
    arm = ArmPosition(0, 0)
    return [queue.take(arm, now).access.span.first for _ in range(count)]


def test_requests_are_taken_by_rising_address_and_then_from_the_oldest_on() -> None:
    queue = MqDeadline()
    queued(queue, 8, 0, 4)
    assert taken(queue, 2, 0.0) == [0, 4]
    queued(queue, 2, 1)
    assert taken(queue, 3, 0.0) == [8, 2, 1]


def test_of_one_address_the_older_comes_first() -> None:
    queue = MqDeadline()
    made = queued(queue, 4, 4, 4)
    assert [queue.take(ArmPosition(0, 0), 0.0) for _ in made] == made


@pytest.mark.parametrize(("op", "expire"), [(READ, READ_EXPIRE), (WRITE, WRITE_EXPIRE)])
def test_who_waited_too_long_comes_after_sixteen_in_a_row(op: Op, expire: float) -> None:
    for now, waited in ((expire - 1e-9, False), (expire, True)):
        queue = MqDeadline()
        queued(queue, 100, op=op)
        assert taken(queue, 1, 0.0) == [100]
        queued(queue, 50, 40, *range(101, 150), op=op)
        assert taken(queue, FIFO_BATCH - 1, now) == [*range(101, 116)]
        assert taken(queue, FIFO_BATCH, now) == ([50, *range(116, 131)] if waited else [*range(116, 132)])
        assert taken(queue, 1, now) == [40 if waited else 132]


def test_writes_wait_for_two_batches_of_reads() -> None:
    """A read below the last one begins a batch."""
    queue = MqDeadline()
    queued(queue, 100)
    assert taken(queue, 1, 0.0) == [100]
    queued(queue, 5, op=WRITE)
    for place in (90, 80):
        queued(queue, place)
        assert taken(queue, 1, 0.0) == [place]
    queued(queue, 70)
    assert len(queue) == 2
    assert taken(queue, 2, 0.0) == [5, 70]
    queued(queue, 3, op=WRITE)
    for place in (60, 50):
        queued(queue, place)
        assert taken(queue, 1, 0.0) == [place], "they wait anew"
    queued(queue, 40)
    assert taken(queue, 2, 0.0) == [3, 40]


def test_reads_that_kept_no_write_waiting_are_not_counted() -> None:
    queue = MqDeadline()
    for place in (100, 90, 80):
        queued(queue, place)
        assert taken(queue, 1, 0.0) == [place]
    queued(queue, 5, op=WRITE)
    queued(queue, 70)
    assert taken(queue, 2, 0.0) == [70, 5]


def test_reads_wait_for_a_batch_of_writes() -> None:
    queue = MqDeadline()
    queued(queue, *range(20), op=WRITE)
    assert taken(queue, 2, 0.0) == [0, 1]
    queued(queue, 50)
    assert taken(queue, FIFO_BATCH, 0.0) == [*range(2, FIFO_BATCH), 50, FIFO_BATCH]
