"""Tests the pacer on an event loop that the test steps: it wakes in time, leads by a reply's time, stops at faults."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
import simpy

from spindle.serve.pacer import AWAKE_TIME, LEAD_STEP, MAX_LEAD, TICK_RATE, PacedClock, Pacer, precise_loop


class Timer:
    def __init__(self, when: float, work: Callable[[], None]) -> None:
        self.when = when
        self.work = work
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Slot:
    """A future."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def done(self) -> bool:
        return self.error is not None

    def set_exception(self, error: BaseException) -> None:
        self.error = error

    def cancel(self) -> None:
        pass


class Loop:
    """Timers in the order in which they were set, and a clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def create_future(self) -> Slot:
        return Slot()

    def call_at(self, when: float, work: Callable[[], None]) -> Timer:
        self.timers.append(Timer(when, work))
        return self.timers[-1]

    def call_later(self, delay: float, work: Callable[[], None]) -> Timer:
        return self.call_at(self.now + delay, work)

    def turn(self, now: float) -> None:
        """It is *now*: the timer that was set last fires."""
        self.now = now
        self.timers[-1].work()


def pacer() -> tuple[Loop, Pacer, simpy.Environment]:
    loop, env = Loop(), simpy.Environment()
    return loop, Pacer(PacedClock(env, loop.time), cast(Any, loop)), env


def test_it_wakes_shortly_before_and_waits_for_the_instant() -> None:
    loop, pace, env = pacer()
    assert loop.timers == []
    happened: list[float] = []
    pace.enter(lambda: env.timeout(1.0).callbacks.append(lambda _: happened.append(loop.now)), 0.0)
    due = pace.clock.due()
    assert loop.timers[-1].when == due - AWAKE_TIME
    loop.turn(due - AWAKE_TIME)
    assert happened == []
    assert [timer.when for timer in loop.timers] == 2 * [due - AWAKE_TIME], "at once, so that what comes is seen"
    loop.turn(due)
    assert happened == [due]


def test_an_earlier_event_moves_the_timer() -> None:
    loop, pace, env = pacer()
    for delay in (5.0, 1.0, 3.0):
        pace.enter(lambda delay=delay: env.timeout(delay), 0.0)  # type: ignore[misc]
    assert [round(timer.when) for timer in loop.timers] == [5, 1]
    assert [timer.cancelled for timer in loop.timers] == [True, False]
    pace.stop()
    assert loop.timers[-1].cancelled


def test_it_leads_by_what_replies_take_and_no_further() -> None:
    loop, pace, env = pacer()

    def reply(late: float) -> None:
        pace.enter(lambda: env.timeout(1.0).callbacks.append(lambda _: pace.note_reply(late)), loop.now)
        loop.turn(pace.clock.due())

    pace.enter(lambda: pace.note_reply(1.0), loop.now)
    assert pace.lead == 0.0, "what takes no time cannot be led"
    reply(-1.0)
    assert pace.lead == 0.0
    for late, lead in ((1.0, LEAD_STEP), (0.0, 0.0), (1.0, LEAD_STEP)):
        reply(late)
        assert pace.lead == lead
    for _ in range(200):
        reply(1.0)
    assert pace.lead == MAX_LEAD
    reply(-0.1)
    assert pace.lead == MAX_LEAD - LEAD_STEP
    pace.enter(lambda: pace.note_reply(1.0), loop.now)
    assert pace.lead == MAX_LEAD - LEAD_STEP
    pace.enter(lambda: env.timeout(1.0), loop.now)
    due = pace.clock.due()
    assert loop.timers[-1].when == due - AWAKE_TIME - pace.lead
    loop.turn(due - pace.lead)
    assert env.now == due
    assert pace.seconds_late() == loop.now - due < 0.0


def test_a_simulation_that_breaks_down_is_told_and_goes_no_further() -> None:
    loop, pace, env = pacer()

    def fail(_: object = None) -> None:
        raise ValueError("broken")

    pace.enter(lambda: env.timeout(1.0).callbacks.append(fail), 0.0)
    pace.enter(lambda: env.timeout(9.0), 0.0)
    loop.turn(2.0)
    assert str(cast(Any, pace.failed).error) == "broken"
    pace.enter(fail, 3.0)
    pace.fail(None)
    assert str(cast(Any, pace.failed).error) == "broken"
    timers = len(loop.timers)
    loop.turn(3.0)
    assert (len(loop.timers), env.now) == (timers, 1.0 + 1 / TICK_RATE), "what else is due does not happen"


@pytest.mark.parametrize("error", [None, KeyboardInterrupt()])
def test_a_loop_that_breaks_down_without_an_exception_of_its_own_is_told(error: object) -> None:
    _, pace, _ = pacer()
    pace.fail(error)
    told = cast(Any, pace.failed).error
    assert (type(told), str(told)) == (RuntimeError, "the event loop failed")


def test_a_server_s_loop_wakes_within_a_fraction_of_a_millisecond() -> None:
    """The quickest of twenty, as the machine may do much else; the usual loop waits for a millisecond at least."""

    async def quickest() -> float:
        clock, waits = asyncio.get_running_loop().time, []
        for _ in range(20):
            began = clock()
            await asyncio.sleep(0.0002)
            waits.append(clock() - began)
        return min(waits)

    with asyncio.Runner(loop_factory=precise_loop) as runner:
        assert runner.run(quickest()) < 0.0009
