"""Interrupts user code that hangs: after a total time, or when one event of a run takes too long."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

import simpy

from spindle.sim import user_parts
from spindle.sim.error import UserError

REPEAT_SECONDS = 1.0
"""Seconds after which user code that caught the interrupt and went on is interrupted again."""
MAX_EVENT_SECONDS = 30.0
"""Seconds of CPU time after which one event of a run counts as hanging; Spindle's own take less than a millisecond."""


class OutOfPatience(BaseException):
    """Raised in user code that took too long. A BaseException, because user code may catch every Exception."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise OutOfPatience in the block if it takes more than *seconds*."""

    def interrupt(*_: object) -> None:
        raise OutOfPatience(f"it has no answer after {seconds:g} s")

    with _call_after("SIGALRM", "ITIMER_REAL", interrupt, seconds, REPEAT_SECONDS):
        yield


@contextmanager
def patience_with_events() -> Iterator[None]:
    """Raise UserError, with the line, if user code stays in one event of a run for ONE_EVENT seconds of CPU time.

    The whole run may take any time: a timer looks again and again if the event is still that of the last look.
    """
    last: FrameType | None = None

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        event, place = _event(frame)
        if event is not None and event is last and place:
            raise OutOfPatience(f"{place}: it has no answer after {MAX_EVENT_SECONDS:g} s of the CPU")
        last = event

    try:
        with _call_after("SIGPROF", "ITIMER_PROF", look, MAX_EVENT_SECONDS, MAX_EVENT_SECONDS):
            yield
    except OutOfPatience as error:
        raise UserError(str(error)) from None


def _event(frame: FrameType | None) -> tuple[FrameType | None, str]:
    """Return the event under way in *frame*, and the line of user code that it is in, or ''."""
    place = ""
    while frame is not None and frame.f_code is not simpy.Environment.step.__code__:
        if not place and user_parts.is_own(frame.f_code.co_filename):
            place = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return frame, place


@contextmanager
def _call_after(
    signal_name: str, timer: str, do: Callable[[int, FrameType | None], None], seconds: float, again: float
) -> Iterator[None]:
    """Call *do* after *seconds*, and then each *again* seconds, in the main thread of a system with such timers."""
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return
    number, timer_number = getattr(signal, signal_name), getattr(signal, timer)
    before = signal.signal(number, do)
    left = signal.setitimer(timer_number, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(timer_number, *left)
        signal.signal(number, before)
