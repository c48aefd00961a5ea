"""Computer builds a simulated machine of drives, arrays, caches, files and locks, and runs users' transactions on it.

Parts are checked as they are built; a transaction that calls a system call without ``yield from`` is reported.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from inspect import GEN_CREATED, getgeneratorstate
from math import fsum, inf, nan

import simpy

from spindle.sim import forms
from spindle.sim.cache.block_cache import BlockCache, CpuOverhead, ReadAhead
from spindle.sim.cache.write_policy import WritePolicy
from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import Cpu, FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import drive_of
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.layout import CHUNK, RaidType
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import make
from spindle.sim.lock import Lock
from spindle.sim.machine import File, Machine, OpenFile, Readable, SystemCalls
from spindle.sim.measure import engine
from spindle.sim.measure.load import Terminals, Window
from spindle.sim.measure.observer import Watch
from spindle.sim.measure.result import Result
from spindle.sim.memory import SharedMemory
from spindle.sim.part_forms import DriveForm, PolicyForm, SchedulerForm
from spindle.sim.request import Span
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.terminal import Session
from spindle.sim.units import KIB

Transacts = Callable[[Machine, Session], Wait]
"""A transaction: a generator function of the machine and the user's session; ``session.reply`` ends the response."""


class Computer:
    """A simulated computer: one CPU, and the drives, caches, files and locks that are added; ``run`` measures it, once.

    *read_call* and *write_call* are the CPU seconds of a system call. Drives, caches, memories and locks are named
    by kind and number where they are given no name, and count under that name in a result.

    >>> mine = Computer()
    >>> file = mine.file(mine.drive(HP7933), 10 * MIB)
    >>> def transaction(machine, session):
    ...     yield from machine.read(OpenFile(file), 0, 512, session.account)
    ...     yield from session.reply(80)
    >>> result = mine.run(terminals=2, think=Exponential(5.0), transaction=transaction, minutes=1)
    >>> result.summary()["response_mean"] > 0.0
    True
    """

    def __init__(
        self, read_call: float | str = 0.0, write_call: float | str = 0.0,
        cpu: Callable[[simpy.Environment], Cpu] = FcfsCpu,
    ) -> None:  # fmt: skip
        self.env = simpy.Environment()
        self.cpu = cpu(self.env)
        self._waits = _Waits()
        calls = SystemCalls(forms.seconds("read_call", read_call), forms.seconds("write_call", write_call))
        self.machine: Machine = _CheckedMachine(self._waits, self.env, {}, self.cpu, calls)
        self._files: set[str] = set()
        self._free: dict[Drive | Raid, int] = {}
        self._ran = False

    def drive(
        self, disc: DriveForm, scheduler: SchedulerForm | None = None, name: str | None = None
    ) -> Drive:
        """Add a drive of the sheet *disc*; without a *scheduler* its queue is first come, first served.

        Both may be names of the command line: ``drive("hp7933", "sptf")``; *disc* also the file of a sheet.
        """
        sheet, order = forms.drive_type(disc), forms.scheduler(scheduler)
        drive = drive_of(self.env, sheet, order, self._unused_name("drive", name))
        self.machine.parts[drive.name] = drive
        self._free[drive] = 0
        return drive

    def raid(
        self, level: str, *drives: Drive, chunk: int = CHUNK, bitmap: int = 0, delayed: bool = False,
        unrecoverable: float = 0.0, name: str | None = None,
    ) -> Raid:  # fmt: skip
        """Add an array of RAID *level* ("0", "1", "5", "6" or "10") of *drives*, which then take no files themselves.

        *bitmap* is the bytes of a region of its write-intent bitmap, 0 for none. Its writes are *delayed* if they come
        as a page cache writes back. A drive's read fails for good once in 1 / *unrecoverable* bits; 0 is never.
        """
        for drive in drives:
            self._check_own(drive)
        kind = RaidType(level, len(drives), chunk, bitmap=bitmap, delayed=delayed, unrecoverable=unrecoverable)
        array = Raid(self.env, kind, drives, self._unused_name("raid", name))
        for drive in drives:
            del self._free[drive]
        self.machine.parts[array.name] = array
        self._free[array] = 0
        return array

    def cache(
        self, *drives: Drive | Raid, size: int | str, policy: PolicyForm = Lru, block: int | str = 4 * KIB,
        read_ahead: Callable[[], ReadAhead] | None = None, writing: Callable[[], WritePolicy] | None = None,
        search: float | str = 0.0, copy: float = 0.0,
    ) -> list[BlockCache]:
        """Build a cache for each of *drives*, of blocks of *block* bytes, in one memory of *size* bytes under one
        *policy*.

        A *policy* is a class, a function that makes one, or its name (``"s3-fifo"``); *read_ahead* and *writing* are
        classes or functions, called once for each cache. An access takes *search* seconds of the CPU, and *copy*
        seconds for each byte. Sizes may be text, ``"2MiB"``. UserError if no block fits, the policy cannot serve the
        number of blocks, or a value is negative.
        """
        made, size, block = forms.policy(policy), forms.size("size", size), forms.size("block", block)
        search = forms.seconds("search", search)
        read_ahead = forms.part_maker("read_ahead", "lambda: Sequential(64 * KIB)", read_ahead)
        writing = forms.part_maker("writing", "WriteThrough", writing)
        if not drives:
            raise UserError("a cache takes drives, and none is given")
        if not 0 < block <= size:
            raise UserError(f"a block of a cache has 1 byte or more, and room in memory: {block!r} bytes of {size!r}")
        if not (0 <= search < inf and 0 <= copy < inf):
            raise UserError(f"search and copy of a cache are seconds, and not negative: {search!r} and {copy!r}")
        for drive in drives:
            self._check_own(drive)
        overhead = CpuOverhead(self.cpu, search, copy) if search or copy else None
        memory = SharedMemory(self.env, size, make(made, size // block), block)
        self.machine.parts[self._unused_name("memory", None)] = memory
        return [self._build_cache(drive, memory, block, read_ahead and read_ahead(), writing and writing(), overhead)
                for drive in drives]  # fmt: skip

    def _build_cache(
        self, drive: Drive | Raid, memory: SharedMemory, block: int, ahead: ReadAhead | None,
        writing: WritePolicy | None, overhead: CpuOverhead | None,
    ) -> BlockCache:  # fmt: skip
        name = self._unused_name("cache", None)
        cache = BlockCache(self.env, drive, block, memory, ahead, writing, overhead, name=name)
        self.machine.parts[name] = cache
        return cache

    def file(self, storage: Drive | Raid | BlockCache, size: int | str, name: str | None = None) -> File:
        """Add a file of *size* bytes, in whole blocks, behind the earlier files on its disc.

        UserError where the disc has no room for it.
        """
        size = forms.size("size", size)
        drive = storage.below if isinstance(storage, BlockCache) else storage
        if not isinstance(drive, Drive | Raid):
            raise UserError(f"a file lies on a drive or a cache, not on a {type(drive).__name__}: cache() gives a list "
                            "with one for each drive; take one of it")  # fmt: skip
        self._check_own(drive)
        name = f"file{len(self._files) + 1}" if name is None else name
        if name in self._files:
            raise UserError(f"there is a file {name!r} already")
        unit = storage.blocks.size if isinstance(storage, BlockCache) else drive.sector_bytes
        first, length = -(-self._free[drive] // unit) * unit, -(-size // unit) * unit
        if size <= 0 or first + length > drive.capacity:
            raise UserError(f"{name}: {size} bytes do not fit into the {max(0, drive.capacity - first)} bytes that "
                            f"{drive.name} has left of {drive.capacity}")  # fmt: skip
        self._files.add(name)
        self._free[drive] = first + length
        return File(name, storage, [Span(first, length)])

    def lock(self, name: str) -> Lock:
        """Add a lock for mutual exclusion of transactions."""
        lock = _CheckedLock(self._waits, self.env, self._unused_name("lock", name))
        self.machine.parts[name] = lock
        return lock

    def _unused_name(self, kind: str, name: str | None) -> str:
        parts = self.machine.parts
        if name is None:
            return next(each for number in range(1, len(parts) + 2) if (each := f"{kind}{number}") not in parts)
        if not name or name in parts or name == "desk":
            raise UserError(f"a {kind} needs a name of its own, and {name!r} is taken" if name else
                            f"a {kind} needs a name")  # fmt: skip
        return name

    def _check_own(self, drive: Drive | Raid) -> None:
        if not isinstance(drive, Drive | Raid):
            raise UserError(f"a cache takes drives of this computer, not a {type(drive).__name__}; "
                            "*drives unpacks a list")  # fmt: skip
        if drive not in self._free:
            raise UserError(f"{drive.name} is no drive of this computer, or in an array: make it by its method drive")

    def run(
        self, *, terminals: int | str, think: forms.ThinkForm, transaction: Transacts, minutes: float | str,
        warm_up: float | str = 1.0, seed: object = 1, watch: Watch | None = None, keep_rows: bool = True,
    ) -> Result:  # fmt: skip
        """Run *terminals* users, who *think* and then call *transaction* repeatedly; measure after *warm_up* minutes.

        A number or text for *think* is the mean of an exponential time: ``"5s"``; lengths may be text, ``"90s"``.
        UserError where an argument is impossible, or a transaction drops a wait; LawBroken, Stuck or CircularWait as
        in ``engine.run``. Parts keep their state, so a computer runs once: build another for the next run.
        """
        if self._ran:
            raise UserError("a computer runs once, for its parts remember; build another for another run")
        terminals, thinks = forms.whole_number("terminals", terminals), forms.think(think)
        if terminals < 1:
            raise UserError(f"terminals must be at least 1, not {terminals!r}")
        window = Window.minutes(forms.minutes("minutes", minutes), forms.minutes("warm_up", warm_up))
        self._ran = True
        name = getattr(transaction, "__name__", type(transaction).__name__)
        steps = (Loop((Think(thinks), Call(transaction, name))),)
        load = Terminals([Script("user", steps, terminals)], self._perform)
        result = engine.run(self.machine, load, window, seed, watch, keep_rows)
        return replace(result, system="computer", parameters={"terminals": terminals},
                       extras=_extras(result.counters, result.seconds, self.machine.parts))

    def _perform(self, program: object, session: Session) -> Iterator[Wait]:
        name = getattr(program, "__name__", type(program).__name__)
        wait = program(self.machine, session) if callable(program) else None
        if not isinstance(wait, Generator):
            raise UserError(f"transaction {name} must be a generator: wait with yield from, even for nothing else than "
                            "session.reply(80)")  # fmt: skip
        yield wait
        self._waits.check(session.account, name)


def _extras(counters: Mapping[str, float], seconds: float, parts: Mapping[str, Readable]) -> dict[str, float]:
    """Compute utilisations of the CPU, of each drive and of the mean drive, and the hit ratios of caches."""
    drives = [name for name, part in parts.items() if isinstance(part, Drive)]
    caches = [name for name, part in parts.items() if isinstance(part, BlockCache)]
    reads = {kind: sum(counters[f"{name}.{kind}"] for name in caches) for kind in ("hits", "late_hits", "misses")}
    total = sum(reads.values())
    busy = {name: counters[f"{name}.busy"] / seconds for name in ("cpu", *drives)}
    return {
        "cpu_busy": busy["cpu"],
        **({"disc_busy": fsum(busy[name] for name in drives) / len(drives)} if drives else {}),
        **{f"{name}_busy": busy[name] for name in drives},
        **({"hit_ratio": reads["hits"] / total if total else nan} if caches else {}),
    }


class _Waits:
    """The waits that transactions requested, by account; checks that none was left unbegun."""

    def __init__(self) -> None:
        self._by_account: dict[Account, list[tuple[str, Wait]]] = {}

    def note(self, what: str, wait: Wait, account: Account) -> Wait:
        self._by_account.setdefault(account, []).append((what, wait))
        return wait

    def check(self, account: Account, transaction: str) -> None:
        """UserError where a wait never began, now that *transaction* is over."""
        for what, wait in self._by_account.pop(account, ()):
            if getgeneratorstate(wait) == GEN_CREATED:
                raise UserError(f"transaction {transaction} calls {what} and does not wait for it: yield from {what}")


class _CheckedMachine(Machine):
    """A machine that notes the waits for its system calls."""

    def __init__(
        self, waits: _Waits, env: simpy.Environment, parts: Mapping[str, Readable], cpu: Cpu, calls: SystemCalls
    ) -> None:
        super().__init__(env, parts, cpu, calls)
        self._waits = waits

    def read(self, file: OpenFile, first: int, length: int, account: Account) -> Wait:
        with _as_user_errors():
            wait = super().read(file, first, length, account)
        return self._waits.note("machine.read(...)", wait, account)

    def write(self, file: OpenFile, first: int, length: int, account: Account, durable: bool = False) -> Wait:
        with _as_user_errors():
            wait = super().write(file, first, length, account, durable)
        return self._waits.note("machine.write(...)", wait, account)


@contextmanager
def _as_user_errors() -> Iterator[None]:
    """Turn errors of files, such as bytes beyond the end, into mistakes of the transaction's author."""
    try:
        yield
    except ValueError as error:
        raise UserError(str(error)) from error


class _CheckedLock(Lock):
    """A lock that notes the waits for it."""

    def __init__(self, waits: _Waits, env: simpy.Environment, name: str) -> None:
        super().__init__(env, name)
        self._waits = waits

    def acquire(self, account: Account) -> Wait:
        return self._waits.note(f"{self.name}.acquire(...)", super().acquire(account), account)
