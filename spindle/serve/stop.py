"""The signals that end a server: the first is heeded, and more of them, while it ends, change nothing."""

import asyncio
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """A context, of the main thread, in which SIGNALS do no more than end ``wait``, however early they come.

    A hang-up that the caller ignores, as ``nohup`` does, stays ignored.
    """

    def __init__(self) -> None:
        self._asked = False
        self._wake: Callable[[], object] = _ignore
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in SIGNALS:
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
        """Wait until a signal is set; return at once if one is."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(event.set)
        try:
            if not self._asked:
                await event.wait()
        finally:
            self._wake = _ignore


def _ignore() -> None:
    """The signal finds no wait to end."""
