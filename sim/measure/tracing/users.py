"""Follows a user at a terminal: when what is typed, and what each response waits for."""

from collections.abc import Iterator

import simpy

from sim.account import Ledger
from sim.clock import Wait
from sim.script import Call, Step, Think, Type
from sim.terminal import Session, Terminal

Spent = tuple[str, float, float]
"""What time was spent on, from when until when."""


class TracedUser:
    """Hears of the steps of a *terminal* that has not begun yet, and has its responses' phases kept as intervals."""

    def __init__(self, terminal: Terminal, env: simpy.Environment) -> None:
        self._terminal = terminal
        self._env = env
        self._typed: list[tuple[float, float]] = []
        self._walk, self._perform = terminal._walk, terminal._perform
        terminal._walk, terminal._perform = self.walk, self.perform  # type: ignore[method-assign]

    def walk(self, steps: tuple[Step, ...]) -> Iterator[Think | Type | Call]:
        """The terminal's own walk; a step within a loop comes through here once for each loop around it."""
        for step in self._walk(steps):
            if isinstance(step, Type):
                typed = self._env.now, self._env.now + step.characters / self._terminal._script.typing
                if typed[1] > typed[0] and typed not in self._typed[-1:]:
                    self._typed.append(typed)
            yield step

    def perform(self, program: object, session: Session) -> Wait:
        """The machine's own, with an account that remembers when."""
        session.account = Ledger(session.account.name)
        return self._perform(program, session)

    def typed(self, begin: float, end: float) -> Iterator[tuple[float, float]]:
        """From when until when was typed between *begin* and *end*; what is before that is forgotten."""
        self._typed = [each for each in self._typed if each[1] > begin]
        yield from ((max(begin, since), min(end, until)) for since, until in self._typed if since < end)

    def waits(self, begin: float, end: float) -> Iterator[Spent]:
        """The phases of the response under way or just over; neighbours of one kind are one."""
        account = self._terminal.session.account
        pieces = sorted(account.pieces, key=lambda piece: piece[1]) if isinstance(account, Ledger) else []
        name, since, until = "", begin, begin
        for part, first, last in pieces:
            if last <= begin or (end == end and first >= end):
                continue
            if part.name.lower() != name or first > until + 1e-9:
                yield from ((name, since, until),) if name else ()
                name, since = part.name.lower(), first
            until = last
        yield from ((name, since, until),) if name else ()
