"""What the drawn machines run, and every name that their scripts may use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import spindle.sim
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.sheets import SHEETS
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.request import READ, WRITE, Access, Hint, Span, wait_for
from spindle.sim.terminal import Session


@dataclass(frozen=True)
class Deed:
    """One thing that a program does: the *verb* names it; on bytes of file number *file*, or for *seconds*."""

    verb: str
    file: int = 0
    first: int = 0
    length: int = 1
    seconds: float = 0.0
    level: int = 1


class DrawnSoftware:
    """Performs programs that are lists of deeds, on *files* of a *machine* with some *locks*."""

    def __init__(self, machine: Machine, files: Sequence[File], hints: Sequence[Hint], locks: int = 1) -> None:
        self.machine = machine
        self.files = files
        self._hints = hints
        self._locks = [Lock(machine.env, f"lock {number}") for number in range(locks)]

    def perform(self, program: object, session: Session) -> Iterator[Wait]:
        assert isinstance(program, tuple)
        if session.state is None:
            session.state = [OpenFile(file, hint) for file, hint in zip(self.files, self._hints, strict=True)]
        for deed in program:
            yield getattr(self, deed.verb)(deed, session)

    def _access(self, deed: Deed, account: Account, write: bool = False) -> Access:
        extent = self.files[deed.file].extents[0]
        first = deed.first % extent.length
        span = Span(extent.first + first, min(deed.length, extent.length - first))
        return Access(WRITE if write else READ, span, extent, deed.file, self._hints[deed.file], False, account)

    def _call(self, deed: Deed, session: Session) -> tuple[OpenFile, int, int, Account]:
        file = session.state[deed.file]
        first = (file.position if deed.first < 0 else deed.first) % file.file.size
        return file, first, min(deed.length, file.file.size - first), session.account

    def read(self, deed: Deed, session: Session) -> Wait:
        return self.machine.read(*self._call(deed, session))

    def write(self, deed: Deed, session: Session) -> Wait:
        return self.machine.write(*self._call(deed, session))

    def write_durably(self, deed: Deed, session: Session) -> Wait:
        return self.machine.write(*self._call(deed, session), durable=True)

    def compute(self, deed: Deed, session: Session) -> Wait:
        yield self.machine.cpu.burst(deed.seconds, deed.level, Phase.CPU, session.account)

    def reply(self, deed: Deed, session: Session) -> Wait:
        return session.reply(deed.length)

    def start(self, deed: Deed, session: Session) -> Wait:
        """Read ahead, then compute, then wait for it."""
        storage = self.files[deed.file].storage
        request = storage.start(self._access(deed, Account("read ahead")))
        yield from self.compute(deed, session)
        yield from wait_for(request, session.account)

    def write_later(self, deed: Deed, session: Session) -> Wait:
        self.files[deed.file].storage.start(self._access(deed, Account("write later"), write=True))
        return
        yield

    def flush(self, deed: Deed, session: Session) -> Wait:
        began = self.machine.env.now
        yield from self.files[deed.file].storage.flush(self._access(deed, session.account).span)
        session.account.charge(Phase.WRITE_WAIT, began, self.machine.env.now)

    def discard(self, deed: Deed, session: Session) -> Wait:
        self.files[deed.file].storage.discard(self._access(deed, session.account).span)
        return
        yield

    def sleep(self, deed: Deed, session: Session) -> Wait:
        began = self.machine.env.now
        yield pause(self.machine.env, deed.seconds)
        session.account.charge(Phase.LINE, began, self.machine.env.now)

    def lock(self, deed: Deed, session: Session) -> Wait:
        """Read with a lock held."""
        lock = self._locks[deed.file % len(self._locks)]
        yield from lock.acquire(session.account)
        yield from self.read(deed, session)
        lock.release()


PARTS = tuple(f"spindle.sim.{name}" for name in (
    "cache", "cpu", "disc", "eviction", "file", "machine", "measure.load", "memory", "request", "script", "streams",
))  # fmt: skip


def _parts() -> Iterator[ModuleType]:
    for each in walk_packages(spindle.sim.__path__, "spindle.sim."):
        if each.name.startswith(PARTS) and not each.name.startswith("spindle.sim.disc.sheet_file"):
            yield import_module(each.name)


NAMES = {**{name: value for module in _parts() for name, value in vars(module).items()},
         "Deed": Deed, "DrawnSoftware": DrawnSoftware, "SHEETS": SHEETS}  # fmt: skip
"""No two classes of the house are called the same, so that none of them hides another."""
