"""Hosts that ask for the requests of a list: each after the one before, or each when it came. They are no processes."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Protocol

import simpy

from sim.account import Account
from sim.clock import pause
from sim.disc.drive import Drive
from sim.request import Access, Hint, Request, Service
from workloads.request_list.reader import ARRIVALS, GAPS, RESPONSE, SERVICE, Listed, Timing

Done = Callable[[Listed, Service], None]
"""Called when a request is done, before the host that waited for it asks again."""

_NO_HINT = Hint.NONE  # each look-up of a member by way of its class costs as much as a call


class Asking(Protocol):
    """A way of asking; *quantities* are those of a request that it makes differ."""

    timing: Timing
    quantities: tuple[str, ...]

    def __init__(self, env: simpy.Environment, rows: Iterator[Listed], drives: Mapping[str, Drive], done: Done) -> None:
        """Ask *drives*, by the names of their discs, for *rows* from now on, and tell *done* of each."""
        ...


class ClosedLoop:
    """A host that never wants two things at once: it asks again a gap after it was answered. Two events a request."""

    timing = GAPS
    quantities: tuple[str, ...] = (RESPONSE,)

    def __init__(self, env: simpy.Environment, rows: Iterator[Listed], drives: Mapping[str, Drive], done: Done) -> None:
        self._env = env
        self._rows = rows
        self._drives = drives
        self._done = done
        self._account = Account("host")
        self._next()

    def _next(self) -> None:
        row = next(self._rows, None)
        if row is not None:
            self._row = row
            pause(self._env, row.when).callbacks.append(self._ask)

    def _ask(self, _: simpy.Event) -> None:
        request = _ask(self._drives, self._row, self._account)
        request.callbacks.append(self._answered)

    def _answered(self, request: simpy.Event) -> None:
        self._done(self._row, request._value)
        self._next()


class OpenLoop:
    """A host that asks when it wants something, however much it still waits for. Two events a request."""

    timing = ARRIVALS
    quantities: tuple[str, ...] = (SERVICE, RESPONSE)

    def __init__(self, env: simpy.Environment, rows: Iterator[Listed], drives: Mapping[str, Drive], done: Done) -> None:
        self._env = env
        self._rows = rows
        self._drives = drives
        self._done = done
        self._account = Account("host")
        self._next()

    def _next(self) -> None:
        row = next(self._rows, None)
        if row is not None:
            # The clock's rounding may have put now just behind an arrival at the same instant.
            pause(self._env, max(0.0, row.when - self._env.now)).callbacks.append(partial(self._ask, row))

    def _ask(self, row: Listed, _: simpy.Event) -> None:
        request = _ask(self._drives, row, self._account)
        request.callbacks.append(partial(self._answered, row))
        self._next()

    def _answered(self, row: Listed, request: simpy.Event) -> None:
        self._done(row, request._value)


def _ask(drives: Mapping[str, Drive], row: Listed, account: Account) -> Request:
    span = row.span
    return drives[row.disc].start(Access(row.op, span, span, None, _NO_HINT, False, account))
