"""Simulates a host whose programs read and write whole files: page cache, flusher, throttled writers, file server."""

from collections.abc import Callable

import simpy

from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.two_lists import FilePiece, TwoLists
from spindle.sim.clock import Wait
from spindle.sim.parts import LawBroken

SHORTEST_RATIO = 0.02
"""Least share of the disc's rate that throttled writers get, however much is dirty."""


class Mover:
    """A disc or a network that moves pieces of files one after another, in the order in which they are asked for."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self._free_at = 0.0

    def move(self, seconds: float) -> simpy.Event:
        """Return the event of the end of a move of *seconds*."""
        self._free_at = max(self._free_at, self._env.now) + seconds
        return self._env.timeout(self._free_at - self._env.now)


class PipelineMachine:
    """A *host* on which *programs* programs run at once."""

    def __init__(self, env: simpy.Environment, host: PipelineHost, programs: int) -> None:
        self.env, self.host = env, host
        self._beside = 1.0 - 1.0 / programs
        self._cache = TwoLists(host.piece)
        self._anonymous = 0.0
        self._disc = Mover(env)
        self._writers = 0
        self._asked: simpy.Event = env.event()
        env.process(self._flush())
        env.process(self._tick())

    def check(self) -> None:
        """LawBroken where a buffer or a writer is left when all programs have ended."""
        if abs(self._anonymous) >= 1.0 or self._writers:
            raise LawBroken(f"all programs have ended, with {self._anonymous:g} bytes and {self._writers} writers left")

    def time_beside(self, seconds: float, share: float) -> float:
        """Return how long *seconds* of one program alone take beside the other programs."""
        return seconds * (1.0 + share * self._beside)

    def free_buffer(self, size: float) -> None:
        """Free the buffer of a program."""
        self._anonymous -= size

    def read(self, file: str, size: float) -> Wait:
        """Read all of *file* into a buffer of the program."""
        yield from self._each_piece(file, size, self._read_piece)

    def write(self, file: str, size: float) -> Wait:
        """Write all of *file*, which is new, from a buffer."""
        self._writers += 1
        yield from self._each_piece(file, size, self._write_piece)
        self._writers -= 1

    def _each_piece(self, file: str, size: float, do: Callable[[FilePiece, float], Wait]) -> Wait:
        place, left = 0, size
        while left > 0.0:
            yield from do(FilePiece(file, place), min(left, self.host.piece))
            place, left = place + 1, left - self.host.piece

    def _read_piece(self, piece: FilePiece, size: float) -> Wait:
        host = self.host
        self._anonymous += size
        if piece in self._cache:
            yield from self._make_room()
            yield self.env.timeout(self.time_beside(size / host.cached_read, host.read_stretch))
        else:
            yield from self._fetch(piece, size)
            yield from self._make_room()
        self._cache.use(piece)

    def _fetch(self, piece: FilePiece, size: float) -> Wait:
        """Read a piece from the disc, and wait for as long as a program pauses between reads."""
        host = self.host
        yield self._disc.move(size / host.disc_read)
        yield self.env.timeout(size * max(0.0, 1.0 / host.alone_read - 1.0 / host.disc_read))

    def _write_piece(self, piece: FilePiece, size: float) -> Wait:
        host = self.host
        yield self.env.timeout(self.time_beside(size / host.cached_write, host.write_stretch))
        self._cache.use(piece)
        self._cache.dirty.setdefault(piece, self.env.now)
        yield from self._make_room()
        yield from self._throttle(size)

    def _dirtyable(self) -> float:
        return max(0.0, self.host.memory - self._anonymous)

    def _throttle(self, size: float) -> Wait:
        """Pause a writer as Linux does (mm/page-writeback.c): halfway from the background threshold to the limit on."""
        host, dirtyable, dirty = self.host, self._dirtyable(), self._cache.dirty_bytes
        if dirty > host.background * dirtyable:
            self._wake()
        free_run = (host.background + host.limit) / 2.0 * dirtyable
        if dirty <= free_run:
            return
        limit = host.limit * dirtyable
        point = (free_run + limit) / 2.0
        ratio = max(SHORTEST_RATIO, 1.0 + ((point - dirty) / max(limit - point, 1.0)) ** 3)
        yield self.env.timeout(size * self._writers / (host.disc_write * ratio))

    def _make_room(self) -> Wait:
        """Evict until all fits; wait for the flusher where all is dirty."""
        while self._cache.size + self._anonymous > self.host.memory:
            if not self._cache.evict():
                if not self._cache.dirty:
                    return
                self._wake()
                yield self.env.timeout(self.host.piece / self.host.disc_write)

    def _wake(self) -> None:
        if not self._asked.triggered:
            self._asked.succeed()

    def _tick(self) -> Wait:
        while True:
            yield self.env.timeout(self.host.period)
            self._wake()

    def _flush(self) -> Wait:
        """Write what is old, or too much, the oldest first; then sleep until somebody wakes the flusher."""
        while True:
            yield self._asked
            self._asked = self.env.event()
            while self._cache.dirty and self._is_due():
                oldest = next(iter(self._cache.dirty))
                yield self._disc.move(self.host.piece / self.host.disc_write)
                del self._cache.dirty[oldest]

    def _is_due(self) -> bool:
        oldest = next(iter(self._cache.dirty.values()))
        too_much = self._cache.dirty_bytes > self.host.background * self._dirtyable()
        return too_much or self.env.now - oldest >= self.host.expiry


class MountedMachine(PipelineMachine):
    """A host whose files lie on a server: it writes through, and both keep what was read or written."""

    def __init__(self, env: simpy.Environment, host: PipelineHost, programs: int) -> None:
        super().__init__(env, host, programs)
        self._network = Mover(env)
        self._on_server: set[FilePiece] = set()

    def _fetch(self, piece: FilePiece, size: float) -> Wait:
        moved = self._network.move(size / self.host.network)
        if piece not in self._on_server:
            yield self._disc.move(size / self.host.server_read)
            self._on_server.add(piece)
        yield moved

    def _write_piece(self, piece: FilePiece, size: float) -> Wait:
        moved = self._network.move(size / self.host.network)
        yield self._disc.move(size / self.host.server_write)
        yield moved
        self._on_server.add(piece)
        self._cache.use(piece)
        yield from self._make_room()
