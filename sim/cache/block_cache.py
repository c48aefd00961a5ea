"""BlockCache keeps blocks of one size of a drive or another cache in memory, reads ahead, and charges CPU time."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Protocol

import simpy

from spindle.sim.cache.blocks import BlockTable, Entry, runs
from spindle.sim.cache.write_policy import WritePolicy, WriteThrough, room_below
from spindle.sim.clock import Account, Phase, Wait, begin
from spindle.sim.cpu import Cpu
from spindle.sim.eviction.policy import Traffic
from spindle.sim.memory import SharedMemory
from spindle.sim.parts import register
from spindle.sim.request import Access, BlockDevice, Hint, Op, Request, Span, capacity_of, wait_for, work_behind

# CPU time of a cache: searching for an entry and copying it.

class Overhead(Protocol):
    def spend(self, length: int, account: Account) -> Wait:
        """Search for and copy *length* bytes."""


class CpuOverhead:
    """The CPU time of a cache: *search* seconds an access and *copy* seconds a byte, on the *cpu* at *level*."""

    def __init__(self, cpu: Cpu, search: float, copy: float, level: int = 1) -> None:
        self._cpu = cpu
        self._search = search
        self._copy = copy
        self._level = level

    def spend(self, length: int, account: Account) -> Wait:
        yield self._cpu.burst(self._search + length * self._copy, self._level, Phase.CACHE, account)


class NoOverhead:
    """A cache that costs no CPU."""

    def spend(self, length: int, account: Account) -> Wait:
        return
        yield


# Read-ahead of a cache: more bytes with a miss, and fetches in the background ahead of a sequential reader.

MAX_READERS = 4096
"""Readers that Sequential remembers; the one that has read nothing for longest is forgotten first."""


class ReadAhead(Protocol):
    def fetch(self, access: Access, absent: Span) -> Span:
        """Return the span to fetch when *absent* is missing: at least that, and within ``access.within``."""

    def prefetch(self, access: Access) -> Span | None:
        """Return the span to fetch in the background after *access*, if any."""


class NoReadAhead:
    """No read-ahead: a miss fetches only the bytes that are absent."""

    def fetch(self, access: Access, absent: Span) -> Span:
        return absent

    def prefetch(self, access: Access) -> Span | None:
        return None


def clip(span: Span, within: Span) -> Span:
    """The part of *span* that lies in *within*."""
    (first, length), (lowest, room) = span, within
    if lowest <= first <= first + length <= lowest + room:
        return span
    end = min(first + length, lowest + room)
    first = max(first, lowest)
    return Span(first, max(0, end - first))


class FetchSize(NoReadAhead):
    """Fetches of *random* bytes from a miss on, or of *sequential* ones if the file was opened to be read in order."""

    def __init__(self, random: int, sequential: int) -> None:
        self._random = random
        self._sequential = sequential

    def fetch(self, access: Access, absent: Span) -> Span:
        size = self._sequential if access.hint is Hint.SEQUENTIAL else self._random
        first, length = absent
        within_first, within_length = access.within
        left = within_first + within_length - first
        return Span(first, max(length, size if size < left else left))


class Sequential(NoReadAhead):
    """Read-ahead for sequential readers: after *after* reads in a row it keeps *window* bytes ahead of the reader.

    >>> mine = Computer()
    >>> (cache,) = mine.cache(mine.drive(HP7925), size="1MiB", read_ahead=lambda: Sequential(64 * KIB))
    """

    def __init__(self, window: int, after: int = 1) -> None:
        self._window = window
        self._after = after
        self._readers: OrderedDict[Hashable, tuple[int, int]] = OrderedDict()

    def prefetch(self, access: Access) -> Span | None:
        expected, run = self._readers.pop(access.stream, (-1, 0))
        run = run + 1 if access.span.first == expected else 0
        self._readers[access.stream] = (access.span.end, run)
        if len(self._readers) > MAX_READERS:
            self._readers.popitem(last=False)
        if access.hint is Hint.RANDOM or (run < self._after and access.hint is not Hint.SEQUENTIAL):
            return None
        wanted = clip(Span(access.span.end, self._window), access.within)
        return wanted if wanted.length else None


class BlockCache:
    """A cache that keeps blocks of *block_bytes* of the device *below* in *memory*. Extents are whole blocks.

    A request is a hit if all its bytes are resident when it is submitted; a late hit if all are resident or on
    their way; else a miss, partial or not. A block is entered as arriving before room is made for it, so that it
    is fetched only once, and only resident blocks can be evicted.

    A reader waits for the whole of a fetch of which it needs any byte. A write into an arriving block
    waits for it to arrive. A write that covers part of an absent block fetches it first. A discarded
    block is forgotten without being written: at once where it is resident, else when it arrives.

    Bytes are read from and written into each block when it first becomes resident. While the access waits for
    the rest, the block may be evicted, so that no access occupies room while it waits for room. All remaining
    blocks are pinned while their bytes are copied. An access may thus be larger than memory.

    >>> env = simpy.Environment()
    >>> memory = SharedMemory(env, MIB, Lru())
    >>> BlockCache(env, Drive(env, HP7933), 4 * KIB, memory).reading()["hits"]
    0.0
    """

    def __init__(
        self,
        env: simpy.Environment,
        below: BlockDevice,
        block_bytes: int,
        memory: SharedMemory,
        read_ahead: ReadAhead | None = None,
        writing: WritePolicy | None = None,
        overhead: Overhead | None = None,
        name: str = "cache",
    ) -> None:
        self.env = env
        self.below = below
        self.capacity = capacity_of(below)
        self.name = name
        self._background = Account(f"{name} background")
        self.blocks = self._new_table(name, block_bytes, memory)
        self._ahead = read_ahead or NoReadAhead()
        self._writing = writing or WriteThrough()
        self._overhead = overhead or NoOverhead()
        self._writing_out: dict[Request, None] = {}
        self.reads = self.hits = self.late_hits = self.misses = 0
        self.writes = self.fetches = self.fetched_ahead = self.written_back = 0
        room = room_below(self)
        if room is not None:
            memory.stack.stand_above(room.stack, f"cache {name}")
        self._writing.attach(self)
        register(env, self)

    def _new_table(self, name: str, size: int, memory: SharedMemory) -> BlockTable:
        return BlockTable(name, size, memory, self._write_victims)

    def read(self, access: Access) -> Wait:
        self.reads += 1
        entries = yield from self._gather(access)
        self._pin(entries)
        yield from self._give(entries, access)
        self._unpin(entries)

    def write(self, access: Access) -> Wait:
        self.writes += 1
        entries = []
        for block in self.blocks.numbers_in(access.span):
            entries.append((yield from self._write_into(block, access)))
        self._pin(entries)
        yield from self._take(entries, access)
        if access.durable:
            start = self.env.now
            yield from self.flush(access.span)
            access.account.charge(Phase.WRITE_WAIT, start, self.env.now)
        self._unpin(entries)

    def _give(self, entries: Sequence[Entry], access: Access) -> Wait:
        """Give a reader the bytes of *entries*, which are pinned."""
        return self._overhead.spend(access.span.length, access.account)

    def _take(self, entries: Sequence[Entry], access: Access) -> Wait:
        """Take the bytes of a writer into *entries*, which are pinned, and pass them on."""
        yield from self._overhead.spend(access.span.length, access.account)
        yield from self._writing.propagate(self, access, entries)

    def _pin(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.blocks.pin(entry)

    def _unpin(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.blocks.unpin(entry)

    def start(self, access: Access) -> Request:
        return work_behind(self, self.env, f"{self.name} {access.op.value}", access)

    def flush(self, span: Span) -> Wait:
        yield from self._writing.flush(self, span)
        yield from (request for request in [*self._writing_out] if request.access.span.overlaps(span))
        yield from self.below.flush(span)

    def discard(self, span: Span) -> None:
        self.blocks.discard(span)
        self.below.discard(span)

    # Bringing blocks in

    def _gather(self, access: Access) -> Wait:
        """Return the entries of the access once each has arrived; fetch absent blocks, and then read ahead."""
        entries: list[Entry] = []
        fetches: list[list[Entry]] = []
        late = False
        for block in self.blocks.numbers_in(access.span):
            entry = self.blocks.get(block)
            if entry is None:
                fetches.append(self._enter_fetch(block, access))
                entry = fetches[-1][0]
            late = late or entry.arrival is not None
            self.blocks.touch(entry)
            entries.append(entry)
        self.misses += bool(fetches)
        self.late_hits += late and not fetches
        self.hits += not late
        for run in fetches:
            yield from self._bring(run, access)
        self._fetch_ahead(access)
        for entry in entries:
            if entry.arrival is not None:
                yield from entry.arrival.wait(self.env, access.account)
        return entries

    def _enter_fetch(self, block: int, access: Access) -> list[Entry]:
        """Enter as arriving the blocks that one fetch for *block* brings, up to the first that is in the cache."""
        size = self.blocks.size
        start = max(block * size, access.span.first)
        absent = Span(start, access.span.end - start)
        last = (self._ahead.fetch(access, absent).end - 1) // size
        return self.blocks.enter(self.blocks.absent(range(block, last + 1)))

    def _bring(self, run: list[Entry], access: Access) -> Wait:
        """Make room for the blocks of *run*, then begin to fetch them. The wait for room is the access's."""
        yield from self.blocks.claim(run, access.account)
        size = self.blocks.size
        span = clip(Span(run[0].block * size, len(run) * size), access.within)
        request = self.below.start(access._replace(op=Op.READ, span=span, durable=False, account=self._background))
        assert request.callbacks is not None
        assert run[0].arrival is not None
        request.callbacks.append(lambda _: self._finish_fetch(run, request))
        self.fetches += 1
        run[0].arrival.start(request)

    def _finish_fetch(self, run: list[Entry], request: Request) -> None:
        self.blocks.weigh([entry.block for entry in run], request, Traffic.FETCH)
        self.blocks.arrive(run)

    def _fetch_ahead(self, access: Access) -> None:
        wanted = self._ahead.prefetch(access)
        if wanted is None:
            return
        ahead = self.blocks.numbers_in(wanted)
        while ahead:
            run = self.blocks.enter(self.blocks.absent(ahead))
            if run:
                self.fetched_ahead += len(run)
                begin(self.env, self._bring(run, access._replace(account=self._background)))
            ahead = ahead[max(1, len(run)) :]

    def _write_into(self, block: int, access: Access) -> Wait:
        """Return the entry of *block* once it is resident and has the bytes of *access*."""
        while True:
            entry = self.blocks.get(block)
            if entry is None:
                entry = self.blocks.enter((block,))[0]
                yield from self._make_writable(entry, access)
            else:
                self.blocks.touch(entry)
            if entry.arrival is not None:
                yield from entry.arrival.wait(self.env, access.account)
            if not entry.gone:
                self._writing.wrote(self, entry)
                return entry

    def _make_writable(self, entry: Entry, access: Access) -> Wait:
        """Make room for a block that is to be written; fetch its old bytes unless all are overwritten."""
        size = self.blocks.size
        whole = clip(Span(entry.block * size, size), access.within)
        if clip(whole, access.span) != whole:
            yield from self._bring([entry], access)
            return
        yield from self.blocks.claim([entry], access.account)
        assert entry.arrival is not None
        entry.arrival.start(None)
        self.blocks.arrive([entry])

    # Writing blocks out

    def clean(self, blocks: list[int], account: Account) -> Wait:
        """Write the dirty ones of *blocks* and wait; they cannot be evicted meanwhile."""
        pinned = [entry for block in sorted(blocks) if block in self.blocks.dirty and (entry := self.blocks.get(block))]
        self._pin(pinned)
        yield from self._write_out([entry.block for entry in pinned], account)
        self._unpin(pinned)

    def _write_victims(self, blocks: list[int]) -> Wait:
        return self._write_out(blocks, self._background)

    def _write_out(self, blocks: list[int], account: Account) -> Wait:
        """Write sorted *blocks*, neighbours in one request. A block written into meanwhile is dirty again."""
        size = self.blocks.size
        requests = []
        for first, length in runs(blocks):
            span = clip(Span(first * size, length * size), Span(0, self.capacity))
            requests.append(self.below.start(Access(Op.WRITE, span, span, None, Hint.NONE, False, self._background)))
            self._writing_out[requests[-1]] = None
        for block in blocks:
            self.blocks.dirty.pop(block, None)
        self.written_back += len(blocks)
        for request in requests:
            yield from wait_for(request, account)
            del self._writing_out[request]
            self.blocks.weigh(self.blocks.numbers_in(request.access.span), request, Traffic.WRITE_BACK)

    def reading(self) -> dict[str, float]:
        names = ("hits", "late_hits", "misses", "writes", "fetches", "fetched_ahead", "written_back")
        return {name: float(getattr(self, name)) for name in names}
