"""Plans a server (ServePlan): its drives, files, speed and address; connects exports to drives, and logs requests."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import simpy

from spindle.serve.address import Address
from spindle.serve.export import ByteStore, Export, SparseFile, SparseMemory
from spindle.sim.clock import Wait
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, BlockDevice, Op, Request, Span
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.replay import TraceTally
from spindle.traces.replay.storage import Storage, top_cache
from spindle.workloads.traces.record import Record

# Requests of a server's drives are counted, and logged in order of arrival as a trace in plain CSV.

LOG_HEADING = b"time_s,device,op,offset,size,response_s\n"
"""The first line of the log."""


class _Row:
    """A line of the log, complete when its request is done."""

    __slots__ = ("record", "response")

    def __init__(self, record: Record) -> None:
        self.record = record
        self.response: float | None = None

    def line(self) -> bytes:
        """Return the line, with all digits of times, so that a replay gives the same."""
        time, device, op, first, length = self.record[:5]
        return f"{time!r},{device},{'R' if op is READ else 'W'},{first},{length},{self.response!r}\n".encode()


class Arrivals:
    """Counts requests, and logs each in *file*, if there is one, when it and all earlier ones are done."""

    def __init__(self, file: BinaryIO | None = None, idle: Callable[[], object] = lambda: None) -> None:
        self._idle = idle
        """Called when a request is done and no other is under way."""
        self.tally = TraceTally()
        self.under_way = 0
        self.end = 0.0
        """When the last request was done."""
        self.beside = 0
        """Flushes and trims, which a trace cannot hold."""
        self._file = file
        self._rows: deque[_Row] = deque()
        if file is not None:
            file.write(LOG_HEADING)

    def enter(self, device: str, request: Request) -> None:
        """Note that *request* has just been submitted to *device*."""
        access = request.access
        row = _Row(Record(request.submitted, device, access.op, *access.span))
        self.under_way += 1
        if self._file is not None:
            self._rows.append(row)
        request.callbacks.append(partial(self._finish, row))

    def _finish(self, row: _Row, request: simpy.Event) -> None:
        assert isinstance(request, Request)
        self.under_way -= 1
        self.end = request.env.now
        row.response = request.env.now - request.submitted
        self.tally.add(row.record, request)
        while self._file is not None and self._rows and self._rows[0].response is not None:
            self._file.write(self._rows.popleft().line())
            self._file.flush()  # so that a server that is killed leaves its log
        if not self.under_way:
            self._idle()


class ServedDevice:
    """The simulated device called *name*, made on its first request, as a replay makes it."""

    def __init__(self, storage: Storage, name: str, arrivals: Arrivals) -> None:
        self._storage = storage
        self._name = name
        self._arrivals = arrivals

    def read(self, span: Span) -> Request:
        return self._ask(READ, span)

    def write(self, span: Span, durable: bool) -> simpy.Event:
        request = self._ask(WRITE, span)
        return self._storage.env.process(self._settle(request, span)) if durable else request

    def flush(self) -> simpy.Event:
        self._arrivals.beside += 1
        return self._storage.env.process(self._flush(None))

    def discard(self, span: Span) -> None:
        self._arrivals.beside += 1
        device = self._device()
        if device is not None:
            device.discard(span)

    def _ask(self, op: Op, span: Span) -> Request:
        request = self._storage.places[self._name].ask(op, *span)
        self._arrivals.enter(self._name, request)
        return request

    def _settle(self, request: Request, span: Span) -> Wait:
        yield request
        self._arrivals.beside += 1
        yield from self._flush(span)

    def _flush(self, span: Span | None) -> Wait:
        device = self._device()
        if device is not None:
            yield from device.flush(Span(0, self._storage.device(self._name).capacity) if span is None else span)

    def _device(self) -> BlockDevice | None:
        """Return the cache or the drive; None before there is one."""
        if self._name not in self._storage.places:
            return None
        names = (f"cache {self._name}", f"flash tier {self._name}")
        caches = [cached.cache for cached in self._storage.caches if cached.cache.name in names]
        return caches[0] if caches else self._storage.device(self._name)


MAX_EXPORT_BLOCK = 1 << 16
"""Most bytes of an export's smallest block, by the protocol."""


@dataclass(frozen=True)
class ServePlan:
    """The plan of a server: *count* exports, each of a drive's first *size* bytes, with *data* in files or in memory.

    *size* None is the whole drive; *notes* are sentences on options that change nothing.
    """

    storage: StoragePlan
    address: Address
    count: int = 1
    size: int | None = None
    data: tuple[Path, ...] = ()
    read_only: bool = False
    speed: float = 1.0
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.data and len(self.data) != self.count:
            raise UserError(f"--data names {len(self.data)} files for {self.count} drives: each drive needs its own")
        if self.read_only and not self.data:
            raise UserError("--read-only serves what is in a file; --data names it")
        sector, size, most = self.storage.disc.layout.sector_bytes, self.size, self.capacity
        if size is not None and size > most:
            raise UserError(f"an export of {size} bytes is larger than the {self.storage.disc.name}, which has {most}")
        if size is not None and size % sector:
            raise UserError(f"--size must be whole sectors of {sector} bytes, not {size} bytes")

    @property
    def capacity(self) -> int:
        """Usable bytes of a drive or an array; below a cache, whole blocks of the cache only."""
        whole, raid = self.storage.disc.layout.capacity, self.storage.raid
        whole = whole if raid is None else raid.capacity(whole)
        above = top_cache(self.storage)
        block = 1 if above is None else above.block
        return whole // block * block

    def names(self) -> list[str]:
        return [f"disc{number}" for number in range(self.count)]

    def stores(self, stack: ExitStack) -> Iterator[ByteStore]:
        """Yield the store of each export; *stack* closes them."""
        size = self.capacity if self.size is None else self.size
        for number in range(self.count):
            store: ByteStore = SparseFile(self.data[number], size, self.read_only) if self.data else SparseMemory(size)
            stack.callback(store.close)
            yield store

    def exports(self, storage: Storage, arrivals: Arrivals, stack: ExitStack) -> dict[str, Export]:
        disc = self.storage.disc
        sector = disc.layout.sector_bytes
        block = sector if sector & (sector - 1) == 0 and sector <= MAX_EXPORT_BLOCK else 1
        return {name: Export(name, ServedDevice(storage, name, arrivals), store, block, self.read_only,
                             f"{disc.name}, simulated by Spindle", isinstance(disc, DiscType))
                for name, store in zip(self.names(), self.stores(stack), strict=True)}
