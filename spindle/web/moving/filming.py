"""Records moving pictures: of some seconds of a run (Filmed, film_run), of the drives of a replay (FilmedStorage), or
of one drive that serves the same queue in several orders (film_queue).
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import SectorPlace, uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.disc.scheduling import Look, Sptf, Sstf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.error import UserError, quote
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer, Watch
from spindle.sim.measure.timeline import TracedDrive, TracedRun, traced_drive
from spindle.sim.measure.tracing.drives import TracedCounts
from spindle.sim.measure.tracing.trace import nanoseconds
from spindle.sim.quantity import amount
from spindle.sim.request import READ, Request, access
from spindle.sim.streams import pick, stream
from spindle.sim.terminal import Transaction
from spindle.sim.units import MS, SECOND
from spindle.traces.replay.storage import ReplayStorage, check_head
from spindle.web.moving.film import MAX_VALUES, FilmTrace

# One drive alone, the classic case: the same queue of requests in several orders, side by side.

QUEUE_ORDERS: Mapping[str, Callable[[], Scheduler]] = {"FCFS": Fcfs, "SSTF": Sstf, "LOOK": Look, "SPTF": Sptf}
"""Schedulers that a moving picture compares, by name."""
TEXTBOOK_DRIVE = DiscType("a drive of 200 cylinders", uniform(200, 1, 16, 512), 3600, LinearSeek(2 * MS, 24 * MS, 200))
"""A drive of the size that textbooks draw; its speeds are assumed, as in the nineteen-eighties."""
MAX_REQUESTS = 500
"""Most requests of a queue."""


class ServedQueue(NamedTuple):
    """A queue served in an *order*: cylinders *visited*, number of *cylinders* that the arm passed, and *seconds*."""

    order: str
    visited: tuple[int, ...]
    cylinders: int
    seconds: float


def drawn_queue(disc: DiscType = TEXTBOOK_DRIVE, requests: int = 20, seed: int = 1) -> list[int]:
    """Draw the bytes of *requests* at random sectors of *disc*."""
    if not 1 <= requests <= MAX_REQUESTS:
        raise UserError(f"requests must be 1 to {MAX_REQUESTS}, not {requests}")
    random = stream(seed, "alone")
    return [pick(random, disc.layout.sectors) * disc.layout.sector_bytes for _ in range(requests)]


def queue_at(cylinders: Sequence[int], disc: DiscType = TEXTBOOK_DRIVE) -> list[int]:
    """Return the first bytes of *cylinders* of *disc*; UserError for too many, or one beyond the disc."""
    if len(cylinders) > MAX_REQUESTS:
        raise UserError(f"a queue has at most {MAX_REQUESTS} requests, not {len(cylinders)}")
    for each in cylinders:
        check_head(disc, each, "queue")
    layout, firsts = disc.layout, dict[int, int]()
    for each in cylinders:
        firsts[each] = bisect_left(range(layout.sectors), each, key=lambda block: layout.locate(block).cylinder)
    return [firsts[each] * layout.sector_bytes for each in cylinders]


def film_queue(
    places: Sequence[int], disc: DiscType = TEXTBOOK_DRIVE,
    orders: Mapping[str, Callable[[], Scheduler]] = QUEUE_ORDERS, head: int = 0,
) -> tuple[dict[str, Any], list[ServedQueue]]:  # fmt: skip
    """Film requests for a sector each at the bytes *places* of *disc*; all wait while the arm is on cylinder *head*."""
    check_head(disc, head)
    trace = FilmTrace(-1, nanoseconds(3600.0))
    served = [_serve_all(disc, places, order(), name, trace, head) for name, order in orders.items()]
    film = trace.film(f"{len(places)} requests, {len(orders)} orders: {disc.name}",
                      nanoseconds(max(each.seconds for each in served)))
    return {**film, "begin": 0}, served


def _serve_all(
    disc: DiscType, places: Sequence[int], order: Scheduler, name: str, trace: FilmTrace, head: int
) -> ServedQueue:
    env = simpy.Environment()
    noted = _Noted(order, disc)
    drive = Drive(env, disc, noted)
    drive.arm = ArmPosition(head, 0)
    drive.gather()
    traced = TracedCounts(drive, trace, name)
    for number, place in enumerate(places, 1):
        drive.start(access(READ, place, disc.layout.sector_bytes, Account(f"request {number}")))
    env.run()
    traced.finish()
    moved = sum(abs(there - here) for here, there in pairwise([head, *noted.way]))
    return ServedQueue(name, tuple(noted.visited), moved, float(env.now))


class _Noted:
    """Wraps a scheduler, and notes the cylinders *visited* and the *way* of the arm, in cylinders."""

    def __init__(self, order: Scheduler, disc: DiscType) -> None:
        self._order, self._disc = order, disc
        self.attach, self.add = order.attach, order.add
        self.visited: list[int] = []
        self.way: list[int] = []

    @property
    def via(self) -> Sequence[SectorPlace]:
        return self._order.via

    def take(self, arm: ArmPosition, now: float) -> Request:
        request = self._order.take(arm, now)
        cylinder = self._disc.layout.place(request.access.span.first).cylinder
        self.visited.append(cylinder)
        self.way += [*(place.cylinder for place in self._order.via), cylinder]
        return request

    def __len__(self) -> int:
        return len(self._order)


USUAL_SECONDS = 20 * SECOND
"""Seconds of a run that a film shows, unless told otherwise."""
MAX_FILM_TIME = 3600 * SECOND
"""Seconds of the longest film."""
MAX_BEGIN = 1e6
"""Most simulated seconds before a film begins."""


class Filmed(Observer):
    """Observes a run and films *seconds* of it from *begin* on; with *stops*, the run is then ended by FilmEnds."""

    def __init__(self, begin: float, seconds: float, stops: bool = False, most: int = MAX_VALUES) -> None:
        check(begin, seconds)
        self.trace = FilmTrace(nanoseconds(begin), nanoseconds(begin + seconds), stops, most)
        self._run = TracedRun(self.trace)
        self._attended = False

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        env = machine.env
        self.trace.now = lambda: nanoseconds(env.now)
        self._attended = True
        self._run.attend(machine, load, window)

    def record(self, row: Transaction) -> None:
        self._run.record(row)

    def film(self, title: str) -> dict[str, Any]:
        """Return the film, for the page."""
        if not self._attended:
            raise UserError("the run shows none of its parts, so that there is nothing to be seen moving")
        self.trace.over = True
        self._run.finish()
        return close_film(self.trace, title)


def close_film(trace: FilmTrace, title: str) -> dict[str, Any]:
    """Return the film of *trace* as data, complete; UserError if the run was over before the film began."""
    now = trace.now()
    if now <= trace.begin_at:
        raise UserError(f"the run is over after {now / 1e9:g} s, and the moving picture would begin at "
                        f"{trace.begin_at / 1e9:g} s")  # fmt: skip
    end = min(now, trace.end_at)
    note = "" if not trace.full else (
        f"So much happens here that the picture ends after {(end - trace.begin_at) / 1e9:.3g} s: it holds "
        f"{trace.most:,} slices and values")
    return trace.film(title, end, note)


def check(begin: float, seconds: float) -> None:
    """Raise UserError if no film can begin at *begin* or last *seconds*."""
    if not 0.0 <= begin <= MAX_BEGIN:
        raise UserError(f"a moving picture begins at 0 to {MAX_BEGIN:g} s, not {begin!r}")
    if not 0.0 < seconds <= MAX_FILM_TIME:
        raise UserError(f"a moving picture lasts more than 0 and at most {MAX_FILM_TIME:g} s, not {seconds!r}")


def read_window(name: str, text: str) -> tuple[float, float]:
    """Read the begin and the length of a film in seconds from *text* as 2min:30s; *name* is for error messages."""
    begin, _, seconds = text.partition(":")
    first, long = amount(begin, "s"), amount(seconds, "s")
    if first is None or long is None:
        raise UserError(f"{name} takes BEGIN:SECONDS, as 2min:30s, not {quote(text)}")
    check(first, long)
    return first, long


def film_run(
    run: Callable[[Watch], object], title: str, begin: float = 0.0, seconds: float = USUAL_SECONDS,
    most: int = MAX_VALUES,
) -> dict[str, Any]:
    """Film *run*, which takes the observer, at most *most* slices and values; it is ended when the film is complete."""
    watch = Filmed(begin, seconds, stops=True, most=most)
    try:
        run(watch)
    except BaseException:  # FilmEnds, or an exception that a process raised from it
        if not watch.trace.over:
            raise
    return watch.film(title)


# Films the drives of a replay, each from its first request on.

class FilmedStorage:
    """Makes the storage of *plan* with drives that are traced in *trace*; ``finish`` closes open slices at the end."""

    def __init__(self, plan: ReplayStorage, trace: FilmTrace) -> None:
        self._plan = plan
        self._trace = trace
        self._traced: list[TracedDrive] = []

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the plan."""
        return getattr(self._plan, name)

    def drives(self, env: simpy.Environment) -> MutableMapping[str, Drive]:
        self._trace.now = lambda: nanoseconds(env.now)
        return _FilmedDrives(self._plan.drives(env), self._trace, self._traced)

    def finish(self) -> None:
        for each in self._traced:
            each.finish()


class _FilmedDrives(dict[str, Drive]):
    """The drives of a storage by name, each traced from the moment when it is first asked for."""

    def __init__(self, drives: MutableMapping[str, Drive], trace: FilmTrace, traced: list[TracedDrive]) -> None:
        super().__init__()
        self._drives = drives
        self._trace = trace
        self._traced = traced

    def __missing__(self, name: str) -> Drive:
        drive = self[name] = self._drives[name]
        self._traced.append(traced_drive(drive, self._trace, drive.name))
        return drive
