"""Turns the signals that end a server into a wait that ends: the first counts, further ones change nothing."""

import asyncio
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, kill and hang-up."""


class Stop:
    """A context, of the main thread, in which ENDING_SIGNALS only end ``wait``, even if they arrive before the call.

    A hang-up that the caller ignores, as ``nohup`` does, stays ignored.
    """

    def __init__(self) -> None:
        self._asked = False
        self._wake: Callable[[], object] = _ignore
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in ENDING_SIGNALS:
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        self._wake()

    async def wait(self) -> None:
        """Wait for the first signal; return at once if it has arrived."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(event.set)
        try:
            if not self._asked:
                await event.wait()
        finally:
            self._wake = _ignore


def _ignore() -> None:
    """Do nothing: no wait is under way that a signal could end."""
