"""Shared by the caches of all discs: the settings of the operator's CACHECONTROL, posting of writes, alignment of
fetches, CPU costs, and the data at risk if the power fails.
"""

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, Protocol

import simpy

from spindle.models.hp3000.parameters import MpeParameters
from spindle.sim.clock import Population, TimeWeighted
from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.sim.request import SEQUENTIAL, Access, BlockDevice, Span

SECTOR = 256

# Posting: writes from the cache on their way to the medium, each at once or one after the other across all LDEVs.

Done = Callable[[], None]


class Posting:
    """Posts, which no program waits for. *serial* is MPE's Serial Write Queue: each starts when those before are done.

    The queue may be switched at any instant: on, it waits for all posts under way; off, all that wait start at once.
    """

    def __init__(self, env: simpy.Environment, serial: bool = False) -> None:
        self._serial = serial
        self.pending = Population(env)
        self._waiting: deque[tuple[BlockDevice, Access, Done]] = deque()
        self._under_way = 0

    def post(self, drive: BlockDevice, access: Access, done: Done) -> None:
        """Write *access* to *drive* when its turn comes; *done* is called when it is on the medium."""
        self.pending.enter()
        self._waiting.append((drive, access, done))
        self._advance()

    def switch(self, serial: bool) -> None:
        """Post one by one from now on, or not."""
        self._serial = serial
        self._advance()

    def _advance(self) -> None:
        """Start the posts that may start."""
        while self._waiting and not (self._serial and self._under_way):
            self._start(*self._waiting.popleft())

    def _start(self, drive: BlockDevice, access: Access, done: Done) -> None:
        self._under_way += 1
        request = drive.start(access)
        assert request.callbacks is not None
        request.callbacks.append(lambda _: self._finish(done))

    def _finish(self, done: Done) -> None:
        self._under_way -= 1
        self.pending.leave()
        done()
        self._advance()

    def check(self) -> None:
        """Each post is under way or waits for one that is."""
        if self._waiting and not (self._serial and self._under_way):
            raise LawBroken(f"posting: {len(self._waiting)} posts wait, and none is under way")
        if self.pending.now != len(self._waiting) + self._under_way:
            raise LawBroken(f"posting: {self.pending.now} posts are pending, {len(self._waiting)} wait and "
                            f"{self._under_way} are under way")

    def levels(self) -> dict[str, float]:
        return {"pending_posts": float(self.pending.now)}

    def reading(self) -> dict[str, float]:
        return {"posted": float(self.pending.entered), "pending_seconds": self.pending.seconds()}


# Alignment: where a fetch lies around the requested bytes; nothing of this is published for MPE.

class Alignment(Protocol):
    def place(self, absent: Span, size: int, extent: Span) -> Span:
        """Return about *size* bytes around *absent*; where they reach beyond *extent* they are clipped later."""


class FromRequest:
    """A fetch starts at what is absent, as "record #1 and the next 20 Kbytes or so" (McBride) suggests."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        return Span(absent.first, max(absent.length, size))


class InMultiples:
    """A fetch starts and ends at a multiple of its size within the extent, so that blocks do not straddle domains."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        before = (absent.first - extent.first) % size
        length = before + absent.length
        return Span(absent.first - before, length + -length % size)


class Centred:
    """As much before what is absent as behind it, in whole sectors."""

    def place(self, absent: Span, size: int, extent: Span) -> Span:
        room = max(0, size - absent.length)
        return Span(absent.first - room // 2 // SECTOR * SECTOR, absent.length + room)


ALIGNMENTS: Mapping[str, Callable[[], Alignment]] = {
    "from-request": FromRequest, "in-multiples": InMultiples, "centred": Centred,
}  # fmt: skip


# The settings.

@dataclass(frozen=True)
class WriteMode:
    """Write mode: *block* makes a writer wait for the medium (BLOCKONWRITE), *serial* posts one by one (Serial Write
    Queue).
    """

    block: bool = False
    serial: bool = False


BEHIND = WriteMode()
"""MPE's default: writes do not wait, and posts go in any order."""

WRITES = {"behind": BEHIND, "serial": WriteMode(serial=True), "block-on-write": WriteMode(block=True)}


FLUSHES: Mapping[str, bool] = {"read-through": True, "never": False}
"""McBride & Boles (1983) tuned a "cache-flush algorithm", without further detail. Assumed here: a domain fetched for a
sequential reader is discarded once its last byte has been read, because it will not be read again."""


@dataclass(frozen=True)
class CacheSettings:
    """Bytes that a fetch brings, in a file read at random and in one read in order; how writes end; whether domains
    that were read through are *flushed*."""

    random: int = 16 * SECTOR
    sequential: int = 96 * SECTOR
    mode: WriteMode = BEHIND
    flushed: bool = True


class Control:
    """Settings shared by the caches of all LDEVs: the *settings* of the moment, the alignment of fetches, and posting.
    """

    def __init__(
        self, env: simpy.Environment, settings: CacheSettings | None = None, alignment: Alignment | None = None
    ) -> None:
        self.settings = settings or CacheSettings()
        self.posting = Posting(env, self.settings.mode.serial)
        self._alignment = alignment or FromRequest()

    def change(self, settings: CacheSettings) -> None:
        """Set *settings* from now on; writes that wait for the medium go on waiting."""
        self.settings = settings
        self.posting.switch(settings.mode.serial)

    def fetch(self, access: Access, absent: Span) -> Span:
        """Return the span to fetch for *absent*; it may extend beyond the extent."""
        settings = self.settings
        size = settings.sequential if access.hint is SEQUENTIAL else settings.random
        return self._alignment.place(absent, size, access.within)


# What disc caching costs the CPU.

@dataclass(frozen=True)
class CacheCosts:
    """CPU seconds: to *search* the directory, to *copy* the bytes, to *initiate* a physical I/O, to *stop* a process.

    The stop includes dispatching another process. The system call, *read_call* or *write_call*, comes before the
    search, within the same burst.
    """

    search: float
    copy: float
    initiate: float
    level: int
    read_call: float = 0.0
    write_call: float = 0.0
    stop: float = 0.0


def cache_costs(parameters: MpeParameters, level: int) -> CacheCosts:
    """Compute the costs from *parameters*, whose *hit_cpu* includes the read call and the search."""
    least = parameters.read_call + parameters.miss_search
    if parameters.hit_cpu < least:
        raise UserError(
            f"hit_cpu must be at least read_call + miss_search, {least:g} s, not {parameters.hit_cpu!r} s"
        )
    return CacheCosts(
        parameters.miss_search, parameters.hit_cpu - least, parameters.initiate, level, parameters.read_call,
        parameters.write_call, parameters.dispatch,
    )  # fmt: skip


# Data at risk: bytes whose writes were acknowledged, and that are not on the medium yet.

class Loss(NamedTuple):
    """*bytes* of LDEV *ldev*, acknowledged to a writer at *since*, that are lost if the power fails.

    They are *overtaken* if a write that was acknowledged later is on the medium already: the disc then holds a state
    that no program ever made, and from which no log recovers.
    """

    ldev: int
    bytes: int
    since: float
    overtaken: bool = False


class UnwrittenPosts:
    """The writes of one disc that are acknowledged and not on the medium, oldest first.

    A write that waits for the medium puts nothing at risk, as it is not acknowledged before. What a drive with
    immediate reporting still has in its own buffer counts as on the medium, as it does for MPE.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._writes: dict[Hashable, tuple[int, float]] = {}
        self.bytes = TimeWeighted(env)
        self.newest = -inf
        """The latest acknowledgement of a write that is on the medium."""

    def acknowledge(self, post: Hashable, size: int) -> None:
        """Note that *size* bytes of *post* were acknowledged to their writer."""
        self._writes[post] = size, self._env._now
        self.bytes.change(size)

    def on_medium(self, post: Hashable) -> None:
        """Note that *post* is on the medium, whether it was acknowledged before or not."""
        size, since = self._writes.pop(post, (0, 0.0))
        if size:
            self.bytes.change(-size)
            self.newest = max(self.newest, since)

    def losses(self, ldev: int, newest: float = -inf) -> list[Loss]:
        """List what would be lost if the power failed now; *newest* is the latest acknowledgement of what is on any
        medium.
        """
        return [Loss(ldev, size, since, since < newest) for size, since in self._writes.values()]
