"""Makes programs for machines without software of their own: they read a file, at random or in sequence, and reply."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from random import Random

from spindle.sim.clock import Phase, Wait
from spindle.sim.error import UserError
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.request import Hint
from spindle.sim.streams import Constant, Distribution, Uniform
from spindle.sim.terminal import Perform, Session


def software(machine: Machine) -> Perform:
    """Return the software of a *machine* that has no other: it performs any program of (machine, session)."""

    def perform(program: object, session: Session) -> Iterator[Wait]:
        if not callable(program):
            raise UserError(f"{session.name} calls {program!r}, which is not a program of (machine, session)")
        yield program(machine, session)

    return perform


@dataclass(frozen=True)
class SelfSimilar:
    """A self-similar distribution from 0 to 1: a draw is below *size* with probability *share*, and so on within that.

    With 0.2 and 0.8, a fifth gets four fifths of the draws, and a fifth of that fifth four fifths of those draws (Gray,
    Sundaresan, Englert, Baclawski and Weinberger, Quickly Generating Billion-Record Synthetic Databases, 1994).
    """

    size: float = 0.2
    share: float = 0.8

    def __post_init__(self) -> None:
        for name, value in (("size", self.size), ("share", self.share)):
            if not 0.0 < value < 1.0:
                raise UserError(f"{name} of a self-similar choice must lie between 0 and 1, not at {value!r}")

    @property
    def mean(self) -> float:
        return 1 / (1 + log(self.size) / log(self.share))

    def draw(self, random: Random) -> float:
        return float(random.random() ** (log(self.size) / log(self.share)))


EVERYWHERE = Uniform(0.0, 1.0)


@dataclass(frozen=True)
class RandomReads:
    """*times* records of *length* bytes, each read at random and then looked at for *compute* seconds of CPU; a reply.

    *where* draws the place of each in the *file*, from 0 at its beginning to 1 at its end.
    """

    file: File
    length: int
    times: int = 1
    compute: Distribution = Constant(0.0)
    where: Distribution = EVERYWHERE
    reply: int = 80

    def __post_init__(self) -> None:
        _check(self.file, self.length, self.times)

    def __call__(self, machine: Machine, session: Session) -> Wait:
        file = _open(self.file, session, Hint.RANDOM)
        records = self.file.size // self.length
        for _ in range(self.times):
            record = min(records - 1, int(self.where.draw(session.random) * records))
            yield from machine.read(file, record * self.length, self.length, session.account)
            yield from _compute(self.compute, machine, session)
        yield from session.reply(self.reply)


@dataclass(frozen=True)
class SequentialReads:
    """The next *times* records of *length* bytes, each looked at for *compute* seconds of CPU; a reply.

    Every session goes on where it stopped, and from the end of the *file* to its beginning.
    """

    file: File
    length: int
    times: int = 1
    compute: Distribution = Constant(0.0)
    reply: int = 80

    def __post_init__(self) -> None:
        _check(self.file, self.length, self.times)

    def __call__(self, machine: Machine, session: Session) -> Wait:
        file = _open(self.file, session, Hint.SEQUENTIAL)
        for _ in range(self.times):
            first = file.position if file.position + self.length <= self.file.size else 0
            yield from machine.read(file, first, self.length, session.account)
            yield from _compute(self.compute, machine, session)
        yield from session.reply(self.reply)


def _check(file: File, length: int, times: int) -> None:
    if not 0 < length <= file.size:
        raise UserError(f"file {file.name}: records of {length!r} bytes do not fit its {file.size} bytes")
    if times < 0:
        raise UserError(f"file {file.name}: the number of reads must not be negative, not {times!r}")


def _open(file: File, session: Session, hint: Hint) -> OpenFile:
    """Open *file* for this kind of reading, once a session."""
    if session.state is None:
        session.state = {}
    opened: OpenFile = session.state.setdefault((file, hint), OpenFile(file, hint))
    return opened


def _compute(time: Distribution, machine: Machine, session: Session) -> Wait:
    seconds = time.draw(session.random)
    if seconds > 0.0:
        yield machine.cpu.burst(seconds, machine.calls.level, Phase.CPU, session.account)
