"""Keeps numba's machine code in files for later processes, without the damaged ones; Ctrl-C waits for a compilation."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.event import Listener, register


class KeptCode(FunctionCache):  # type: ignore[misc]
    """The kept machine code of *loop*; RuntimeError where there is no folder for it."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        super().__init__(loop)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code; None where no file of it can be read."""
        with INTERRUPT.waiting():
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # whatever may come of a file of which a part is missing
                with suppress(OSError):
                    self.flush()
                return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save machine code, unless the disc is full: the compiled loop works all the same."""
        with INTERRUPT.waiting(), suppress(OSError):
            super().save_overload(sig, data)


class WaitingInterrupt(Listener):  # type: ignore[misc]
    """Makes Ctrl-C wait for a compilation: LLVM might lose it, or numba might go on with half-compiled code."""

    def __init__(self) -> None:
        self._depth = 0
        self._came = False
        self._others: Any = None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        self.on_start(None)
        try:
            yield
        finally:
            self.on_end(None)

    def on_start(self, event: Any) -> None:
        """Hold Ctrl-C back while a loop is compiled, or one that it calls; only the main thread is ever interrupted."""
        if current_thread() is not main_thread():
            return
        self._depth += 1
        if self._others is None and (others := signal.getsignal(signal.SIGINT)) is not None:
            self._others = others
            signal.signal(signal.SIGINT, self._note)

    def on_end(self, event: Any) -> None:
        """Note that the loop is compiled; an interrupt need not wait for the loops that call it."""
        if current_thread() is not main_thread():
            return
        self._depth -= 1
        came, others = self._came, self._others
        if others is not None and (came or not self._depth):
            self._came, self._others = False, None
            signal.signal(signal.SIGINT, others)
            if came:
                signal.raise_signal(signal.SIGINT)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self._came = True


INTERRUPT = WaitingInterrupt()
register("numba:compile", INTERRUPT)
