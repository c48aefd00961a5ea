"""Giving up on code of a user's own that has no answer: the whole of it, or the one event of a run that it is at."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

import simpy

from models import own
from sim.error import UserError

AGAIN = 1.0
"""Seconds after which what has caught even that is told again."""
ONE_EVENT = 30.0
"""Seconds of the CPU after which one event of a run has no answer; parts of Spindle take less than a millisecond."""


class OutOfPatience(BaseException):
    """There is no answer; no Exception, for a part may catch these all."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """OutOfPatience in what takes longer."""

    def interrupt(*_: object) -> None:
        raise OutOfPatience(f"it has no answer after {seconds:g} s")

    with _called("SIGALRM", "ITIMER_REAL", interrupt, seconds, AGAIN):
        yield


@contextmanager
def patience_with_events(seconds: float) -> Iterator[None]:
    """UserError, with the line, where a user's own code has been at one event of a run for so long of the CPU.

    However long the run takes: what is asked, again and again, is whether the event is still that of the last time.
    """
    last: FrameType | None = None

    def look(_: int, frame: FrameType | None) -> None:
        nonlocal last
        event, place = _event(frame)
        if event is not None and event is last and place:
            raise OutOfPatience(f"{place}: it has no answer after {seconds:g} s of the CPU")
        last = event

    try:
        with _called("SIGPROF", "ITIMER_PROF", look, seconds, seconds):
            yield
    except OutOfPatience as error:
        raise UserError(str(error)) from None


def _event(frame: FrameType | None) -> tuple[FrameType | None, str]:
    """The event that is under way in *frame*, and the line of a user's own code that it has come to, if it has."""
    place = ""
    while frame is not None and frame.f_code is not simpy.Environment.step.__code__:
        if not place and own.is_own(frame.f_code.co_filename):
            place = f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return frame, place


@contextmanager
def _called(
    sign: str, timer: str, do: Callable[[int, FrameType | None], None], seconds: float, again: float
) -> Iterator[None]:
    """*do* is called after so many *seconds*; in the main thread, and where the system has such a timer."""
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return
    number, which = getattr(signal, sign), getattr(signal, timer)
    before = signal.signal(number, do)
    left = signal.setitimer(which, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(which, *left)
        signal.signal(number, before)
