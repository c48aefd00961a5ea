"""Terminal simulates a user who works through a script over a line; Users counts users thinking and waiting."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import inf, nan
from random import Random
from typing import Any, NamedTuple, Protocol

import simpy

from spindle.sim.clock import LINE, Account, Pause, Phase, Population, Wait, pause
from spindle.sim.cpu import INTERRUPT, Cpu
from spindle.sim.error import UserError, quote
from spindle.sim.machine import Machine
from spindle.sim.script import Call, Choose, Count, Deal, Expect, If, Loop, Script, Step, Think, Type
from spindle.sim.streams import stream

# A terminal's line: characters go one after the other at its baud rate, ten bits each, one interrupt each.

BITS_A_CHARACTER = 10


class Line:
    """An asynchronous line of *baud* bits a second to a terminal.

    Each character costs the *cpu* *interrupt* seconds at interrupt level; they are spent in one burst a
    message, which is cheap to simulate and delays others by the same total.
    """

    def __init__(self, env: simpy.Environment, baud: float, cpu: Cpu | None = None, interrupt: float = 0.0) -> None:
        if not 0.0 < baud < inf:
            raise ValueError(f"a line's speed must be positive and finite, not {baud!r} baud")
        self._env = env
        self._cpu = cpu
        self._interrupt = interrupt
        self.character = BITS_A_CHARACTER / baud
        self.characters = 0

    def send(self, characters: int, account: Account) -> Wait:
        """Wait until *characters* have gone over the line, either way."""
        if characters <= 0:
            return
        self.characters += characters
        if self._cpu is not None and self._interrupt > 0.0:
            yield self._cpu.burst(characters * self._interrupt, INTERRUPT, Phase.INTERRUPT, account)
        begin = self._env._now
        yield Pause(self._env, characters * self.character)
        account.charge(LINE, begin, self._env._now)


TIMELESS_ROUNDS = 1000
"""Rounds of a loop at one instant, after which the loop is taken to go round for ever."""


class Transaction(NamedTuple):
    """One response: when the inquiry's last character was sent, and the first and last character of the reply came."""

    terminal: str
    name: str
    began: float
    responded: float
    ended: float
    phases: tuple[float, ...]


class ResponseLog(Protocol):
    """Records each response, and the number of charges to its phases."""

    def record(self, row: Transaction, charges: int) -> None: ...


class Users:
    """Counts users at all *terminals* who are logged on, who wait for a response, and who are away (think or type)."""

    def __init__(self, env: simpy.Environment, log: ResponseLog) -> None:
        self._env = env
        self.logged_on = Population(env)
        self.waiting = Population(env)
        self.away = Population(env)
        self.log = log
        self.terminals: list[Terminal] = []

    def reading(self) -> dict[str, float]:
        return {
            "inquiries": float(self.waiting.entered),
            "responses": float(self.waiting.entered - self.waiting.now),
            "terminal_seconds": len(self.terminals) * self._env.now,
            "logged_on_seconds": self.logged_on.seconds(),
            "waiting_seconds": self.waiting.seconds(),
            "away_seconds": self.away.seconds(),
        }


class Session:
    """A user's dialogue with a program, for the software that runs the program, which may keep data in *state*.

    *said* are the texts of the replies to the last inquiry; a reply may have none.

    >>> def transaction(machine: Machine, session: Session):
    ...     yield machine.cpu.burst(20 * MS, 0, Phase.CPU, session.account)
    ...     yield from session.reply(80)
    """

    def __init__(self, name: str, line: Line, random: Random, env: simpy.Environment) -> None:
        self.name = name
        self.line = line
        self.random = random
        self.account = Account(name)
        self.state: Any = None
        self.said: list[str] = []
        self._env = env
        self.responded = nan
        self.phases: tuple[float, ...] = ()
        self.unprinted = 0
        self.answered: Callable[[], None] = lambda: None

    def reply(self, characters: int) -> Wait:
        """Send *characters*. The first one of an answer ends the response time; the others are printed later."""
        if self.responded != self.responded:
            yield from self.line.send(1, self.account)
            self.responded = self._env._now
            self.phases = tuple(self.account.seconds)
            self.answered()
            characters -= 1
        self.unprinted += max(0, characters)


Perform = Callable[[object, Session], Iterable[Wait]]
"""Function that runs the program of a Call for a session, and yields its waits one after the other."""


class Terminal:
    """A terminal with its user: number *index* of *script*. Its random draws depend on *seed*, script and number."""

    def __init__(
        self, env: simpy.Environment, script: Script, index: int, seed: object, line: Line, perform: Perform,
        users: Users,
    ) -> None:  # fmt: skip
        self.name = f"{script.name} {index + 1}"
        self._env = env
        self._script = script
        self._index = index
        self._think = stream(seed, f"{self.name}/think")
        self._perform = perform
        self._line = line
        self._users = users
        self._unbilled = Account(f"{self.name} typing")
        self.session = Session(self.name, line, stream(seed, f"{self.name}/work"), env)
        self.session.answered = self._finish_response
        self._counters: Counter[str] = Counter()
        self._dealt: Counter[str] = Counter()
        self.began = inf
        self.call: str | None = None
        users.terminals.append(self)

    def live(self) -> Wait:
        """Work through the script, as a process: at a call RETURN is sent, the program runs, and its reply is printed.

        All of a call is in this one generator, because each event would resume every generator between it and SimPy.
        """
        script, env, users, session = self._script, self._env, self._users, self.session
        yield pause(env, script.start.draw(self._think) + self._index * script.stagger)
        users.logged_on.enter()
        users.away.enter()
        for step in self._walk(script.steps):
            if env._now >= script.stop:
                break
            if isinstance(step, Think):
                yield pause(env, step.time.draw(self._think))
            elif isinstance(step, Type):
                self._line.characters += 0 if step.local else step.characters
                yield pause(env, step.characters / script.typing)
            else:
                if step.block:
                    yield from self._send_block(step.block)
                yield from self._line.send(1, self._unbilled)
                self._begin(step)
                for wait in self._perform(step.program, session):
                    yield from wait
                if session.responded != session.responded:
                    yield from session.reply(1)  # the prompt, where the program prints nothing
                yield from self._line.send(session.unprinted, self._unbilled)
                users.log.record(self.row(step.name, env._now), session.account.charges)
                self.call = None
        users.away.leave()
        users.logged_on.leave()

    def _send_block(self, characters: int) -> Wait:
        """Send *characters* of a form or a function key; like typed ones they cost time of the line, but no CPU."""
        self._line.characters += characters
        yield pause(self._env, characters * self._line.character)

    def _begin(self, call: Call) -> None:
        """Begin the response time of *call*."""
        session = self.session
        self._users.away.leave()
        self._users.waiting.enter()
        self.call, self.began = call.name, self._env._now
        session.account, session.responded, session.unprinted = Account(self.name), nan, 0
        session.said.clear()

    def _finish_response(self) -> None:
        self._users.waiting.leave()
        self._users.away.enter()

    def row(self, name: str, ended: float) -> Transaction:
        session = self.session
        return Transaction(self.name, name, self.began, session.responded, ended, session.phases)

    def _walk(self, steps: tuple[Step, ...]) -> Iterator[Think | Type | Call]:
        """Yield the steps in the order in which the user does them, loops unrolled and choices made."""
        for step in steps:
            match step:
                case Loop():
                    yield from self._rounds(step)
                case Choose():
                    yield from self._walk(step.draw(self._think))
                case If(test, held, otherwise):
                    yield from self._walk(held if test.holds(self.session.said, self._counters) else otherwise)
                case Deal(pack, records):
                    yield from self._walk(records[self._deal(pack, len(records))])
                case Count(name, clear):
                    self._counters[name] = 0 if clear else self._counters[name] + 1
                case Expect():
                    self._expect(step)
                case _:
                    yield step

    def _deal(self, pack: str, records: int) -> int:
        """Return the number of the next record of this terminal."""
        dealt, self._dealt[pack] = self._dealt[pack], self._dealt[pack] + 1
        return (self._index + dealt * self._script.terminals) % records

    def _expect(self, expected: Expect) -> None:
        said = self.session.said
        if not expected.said.holds(said, self._counters):
            replies = " and ".join(map(quote, said)) or "nothing"
            raise UserError(f"{self.name} waits for {quote(expected.said.text)}, but the program said {replies}")

    def _rounds(self, loop: Loop) -> Iterator[Think | Type | Call]:
        rounds, timeless = 0, 0
        while loop.times is None or rounds < loop.times:
            began = self._env._now
            yield from self._walk(loop.steps)
            rounds += 1
            if loop.until is not None and loop.until.holds(self.session.said, self._counters):
                return
            timeless = timeless + 1 if self._env._now == began else 0
            if timeless >= TIMELESS_ROUNDS:
                raise UserError(f"script {self._script.name}: a loop takes no time, so it would go round for ever")


def log_on(
    machine: Machine, script: Script, perform: Perform, users: Users, seed: object = 1, interrupt: float = 0.0
) -> list[Terminal]:
    """Start a terminal with its own line for every user of *script*; each character costs the CPU *interrupt* seconds.

    The terminals begin when the clock next moves, so that *perform*'s software may still prepare their sessions.
    """
    terminals = []
    for index in range(script.terminals):
        line = Line(machine.env, script.baud, machine.cpu if interrupt else None, interrupt)
        terminals.append(Terminal(machine.env, script, index, seed, line, perform, users))
        machine.spawn(terminals[-1].name, terminals[-1].live())
    return terminals
