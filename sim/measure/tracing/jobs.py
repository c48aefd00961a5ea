"""Traces responses, the CPU, locks and memory: tracks for each terminal, program and host on a timeline."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from math import isnan

import simpy

from spindle.sim.clock import Account, Ledger, Phase, Wait
from spindle.sim.cpu import WORK, Cpu
from spindle.sim.lock import Lock
from spindle.sim.measure.load import Load, Terminals
from spindle.sim.measure.tracing.drives import TimelineTrace, nanoseconds
from spindle.sim.memory import Owner, SharedMemory
from spindle.sim.script import Call, Step, Think, Type
from spindle.sim.terminal import Session, Terminal, Transaction

# Traces a CPU: bursts are charged as without it, and each charge is shown.

JOB_KINDS = {kind: kind.name.lower() for kind in WORK}


class TracedCpu:
    """Takes the bursts of *cpu*, and traces its charges until the *end* of the run.

    Charges show all of its work: if one were missing, a response time would not be the sum of its phases.
    """

    def __init__(self, cpu: Cpu, trace: TimelineTrace, env: simpy.Environment, end: float) -> None:
        self._cpu = cpu
        self._trace = trace
        self._env = env
        self._end = end
        self._track = trace.track("cpu")
        self._seconds = [0.0] * len(WORK)
        self._burst = cpu.burst
        cpu.burst = self.burst  # type: ignore[method-assign] # for every part that has this CPU

    def burst(self, seconds: float, level: int, kind: Phase, account: Account, call: float = 0.0) -> simpy.Event:
        return self._burst(seconds, level, kind, TracedAccount(account, self), call)

    def draw_burst(self, kind: Phase, begin: float, end: float, name: str) -> None:
        """Draw a burst and count its seconds; it may be reported when it begins, even if it ends after the run."""
        end = min(end, self._end)
        shown, until = nanoseconds(begin), nanoseconds(end)
        if end > begin:
            self._seconds[kind] += end - begin
        if until > shown:
            self._trace.begin(self._track, JOB_KINDS[kind], shown, (("for", name),))
            self._trace.end(self._track, until)

    def finish(self) -> None:
        """Draw the burst that has the CPU at the end of the run, which is counted but charged later."""
        now, counted = self._env.now, self._cpu.reading()
        for kind in WORK:
            self.draw_burst(kind, now - (counted[f"busy_{JOB_KINDS[kind]}"] - self._seconds[kind]), now, "unfinished")


class TracedAccount(Account):
    """Stands for *account* while a CPU does a burst for it, and draws its charges."""

    __slots__ = ("_account", "_traced")

    def __init__(self, account: Account, traced: TracedCpu) -> None:
        self.name = account.name
        self.seconds = account.seconds
        self._account = account
        self._traced = traced

    def charge(self, part: Phase, begin: float, end: float) -> None:
        self._account.charge(part, begin, end)
        if part in JOB_KINDS:
            self._traced.draw_burst(part, begin, end, self.name)


# Traces locks: who holds each, from when until when.

LOCK_DEPTH = 3
"""Levels of attributes that are searched for a part's locks."""


class TracedLock:
    """Shows each time for which *lock* was held, when it is released."""

    def __init__(self, lock: Lock, trace: TimelineTrace, env: simpy.Environment) -> None:
        self._lock = lock
        self._trace = trace
        self._env = env
        self._track = trace.track(lock.name)
        self._release = lock.release
        lock.release = self.release  # type: ignore[method-assign] # for every part that has this lock

    def release(self) -> None:
        name, since = self._lock.holder_name, self._lock._since
        self._release()
        self._show(name, since)

    def finish(self) -> None:
        """Draw the holder at the end of the run."""
        if self._lock.holder is not None:
            self._show(self._lock.holder_name, self._lock._since)

    def _show(self, name: str, since: float) -> None:
        begin, end = nanoseconds(since), nanoseconds(self._env.now)
        if end > begin:
            self._trace.begin(self._track, "held", begin, (("for", name),))
            self._trace.end(self._track, end)


def locks_of(parts: Iterable[object]) -> list[Lock]:
    """List the locks that *parts* hold in their attributes, each once."""
    return list(dict.fromkeys(lock for part in parts for lock in _find_locks(part, LOCK_DEPTH)))


def _find_locks(part: object, deep: int) -> Iterator[Lock]:
    if isinstance(part, Lock):
        yield part
    elif deep and not type(part).__module__.startswith("simpy"):
        for each in getattr(part, "__dict__", {}).values():
            yield from _find_locks(each, deep - 1)


# Traces the bytes of each owner in memory, as regions come and go.

class TracedOwners:
    """A counter of bytes for each owner in *memory*, or for each kind of its regions if they have kinds.

    *names* are those of owners by their ``id``.
    """

    def __init__(
        self, memory: SharedMemory, trace: TimelineTrace, env: simpy.Environment, name: str, names: Mapping[int, str]
    ) -> None:
        self._trace = trace
        self._env = env
        self._names = names
        self._memory = memory
        self._track = trace.track(f"{name} owners")
        self._bytes: dict[str, int] = {}
        self._counters: dict[str, int] = {}
        trace.value(trace.counter(f"{name} capacity", "bytes", self._track), nanoseconds(env.now), memory.capacity)
        for key, (owner, size) in memory._regions.items():
            self._change(owner, key, size)
        self._enter, self._remove = memory._enter, memory._remove
        memory._enter, memory._remove = self.enter, self.remove  # type: ignore[method-assign]

    def enter(self, owner: Owner, keys: Sequence[Hashable], size: int, account: Account) -> Wait | None:
        waiting = self._enter(owner, keys, size, account)
        for key in () if waiting is not None else keys:
            self._change(owner, key, size)
        return waiting

    def remove(self, key: Hashable, evicted: bool) -> None:
        owner, size = self._memory._regions[key]
        self._remove(key, evicted)
        self._change(owner, key, -size)

    def _change(self, owner: Owner, key: Hashable, size: int) -> None:
        label = self._label(owner, key)
        now = self._bytes[label] = self._bytes.get(label, 0) + size
        counter = self._counters.get(label)
        if counter is None:
            counter = self._counters[label] = self._trace.counter(label, "bytes", self._track)
        self._trace.value(counter, nanoseconds(self._env.now), now)

    def _label(self, owner: Owner, key: Hashable) -> str:
        name = self._names.get(id(owner)) or str(getattr(owner, "name", type(owner).__name__))
        kind = getattr(key, "kind", None)
        return f"{name}: {kind.value}" if isinstance(kind, Enum) else name


# Follows a user at a terminal: times of typing, and the phases of each response.

Spent = tuple[str, float, float]
"""A phase with the begin and end of the time spent on it."""


class TracedUser:
    """Follows the steps of a *terminal* that has not begun yet, and keeps its responses' phases as intervals."""

    def __init__(self, terminal: Terminal, env: simpy.Environment) -> None:
        self._terminal = terminal
        self._env = env
        self._typed: list[tuple[float, float]] = []
        self._walk, self._perform = terminal._walk, terminal._perform
        terminal._walk, terminal._perform = self.walk, self.perform  # type: ignore[method-assign]

    def walk(self, steps: tuple[Step, ...]) -> Iterator[Think | Type | Call]:
        """Walk as the terminal does; a step within a loop comes through here once for each loop around it."""
        for step in self._walk(steps):
            if isinstance(step, Type):
                typed = self._env.now, self._env.now + step.characters / self._terminal._script.typing
                if typed[1] > typed[0] and typed not in self._typed[-1:]:
                    self._typed.append(typed)
            yield step

    def perform(self, program: object, session: Session) -> Iterable[Wait]:
        """Perform as the machine does, with an account that keeps phases as intervals."""
        session.account = Ledger(session.account.name)
        return self._perform(program, session)

    def take_typing(self, begin: float, end: float) -> Iterator[tuple[float, float]]:
        """Yield begin and end of each typing between *begin* and *end*; drop those before."""
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


class TracedResponses:
    """Traces the responses that *load* logs, and calls *then* after each.

    A response is a slice, with its phases as notes; a terminal's has them as slices within it, and its printing behind.
    A terminal with several responses under way has a lane for each. Between two of them its user thinks and types.
    """

    def __init__(self, load: Load, trace: TimelineTrace, env: simpy.Environment, then: Callable[[], None]) -> None:
        self._load = load
        self._trace = trace
        self._env = env
        self._then = then
        self._group: int | None = None
        self._lanes: dict[str, list[int]] = {}
        self._ended: dict[int, float] = {}
        self._users: dict[str, TracedUser] = {}
        if isinstance(load, Terminals):
            for terminal in load.users.terminals:
                self._users[terminal.name] = TracedUser(terminal, env)
                self._lane(terminal.name, 0.0)

    def record(self, row: Transaction) -> None:
        self._show(row, row.ended)
        self._then()

    def finish(self) -> None:
        """Draw the unfinished responses at the end of the run."""
        under_way = [row for row, _ in self._load.under_way()]
        for row in under_way:
            self._show(row, self._env.now)
        busy = {row.terminal for row in under_way}
        for name, user in self._users.items():
            if name not in busy:
                self._draw_pause(user, self._lanes[name][0], self._env.now)

    def _lane(self, name: str, began: float) -> int:
        """Find a track of *name* on which nothing was under way at *began*, or make one."""
        if self._group is None:
            self._group = self._trace.track("responses")
        lanes = self._lanes.setdefault(name, [])
        for lane in lanes:
            if self._ended.get(lane, 0.0) <= began:
                return lane
        lanes.append(self._trace.track(f"{name}/{len(lanes) + 1}" if lanes else name, self._group))
        return lanes[-1]

    def _show(self, row: Transaction, end: float) -> None:
        track = self._lane(row.terminal, row.began)
        began, ended = nanoseconds(row.began), nanoseconds(end)
        waiting = isnan(row.responded)
        responded = ended if waiting else nanoseconds(row.responded)
        spent = () if waiting else tuple(
            (f"{part.name.lower()}, s", row.parts[part]) for part in Phase if row.parts[part]
        )
        user = self._users.get(row.terminal)
        if user is not None:
            self._draw_pause(user, track, row.began)
        self._trace.begin(track, row.name, began, spent)
        waits = () if user is None else user.waits(row.began, row.responded)
        if waiting or responded < ended:
            self._trace.begin(track, "response", began)
            self._slices(track, waits, began, responded)
            self._trace.end(track, responded)
            self._slice(track, "printing", responded, ended)
        else:
            self._slices(track, waits, began, responded)
        self._trace.end(track, ended)
        self._ended[track] = end

    def _draw_pause(self, user: TracedUser, track: int, until: float) -> None:
        """Draw thinking and typing of the *user* between two responses."""
        if track in self._ended:
            begin = nanoseconds(self._ended[track])
            for typed, end in user.take_typing(self._ended[track], until):
                self._slice(track, "think", begin, nanoseconds(typed))
                begin = max(begin, nanoseconds(end))
                self._slice(track, "type", nanoseconds(typed), begin)
            self._slice(track, "think", begin, nanoseconds(until))

    def _slices(self, track: int, pieces: Iterable[tuple[str, float, float]], begin: int, end: int) -> None:
        """Draw *pieces* one after the other, each as far as it lies between *begin* and *end* and after the one before.
        """
        for name, since, until in pieces:
            shown, begin = max(begin, nanoseconds(since)), max(begin, min(end, nanoseconds(until)))
            self._slice(track, name, shown, begin)

    def _slice(self, track: int, name: str, begin: int, end: int) -> None:
        if end > begin:
            self._trace.begin(track, name, begin)
            self._trace.end(track, end)
