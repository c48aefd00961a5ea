"""A device of a storage, as an export wants it: reads and writes that are logged, flushes, and what is forgotten."""

import simpy

from models.serve.arrivals import Arrivals
from sim.clock import Wait
from sim.request import READ, WRITE, BlockDevice, Op, Request, Span
from workloads.traces.replay.storage import Storage


class ServedDevice:
    """The device called *name*; its drive and cache are made on its first request, as a replay makes them."""

    def __init__(self, storage: Storage, name: str, arrivals: Arrivals) -> None:
        self._storage = storage
        self._name = name
        self._arrivals = arrivals

    def read(self, span: Span) -> Request:
        return self._ask(READ, span)

    def write(self, span: Span, durable: bool) -> simpy.Event:
        request = self._ask(WRITE, span)
        return self._storage.env.process(self._settled(request, span)) if durable else request

    def flush(self) -> simpy.Event:
        self._arrivals.beside += 1
        return self._storage.env.process(self._flushed(None))

    def discard(self, span: Span) -> None:
        self._arrivals.beside += 1
        device = self._device()
        if device is not None:
            device.discard(span)

    def _ask(self, op: Op, span: Span) -> Request:
        request = self._storage.places[self._name].ask(op, *span)
        self._arrivals.enter(self._name, request)
        return request

    def _settled(self, request: Request, span: Span) -> Wait:
        yield request
        self._arrivals.beside += 1
        yield from self._flushed(span)

    def _flushed(self, span: Span | None) -> Wait:
        device = self._device()
        if device is not None:
            yield from device.flush(span or Span(0, self._storage.drives[self._name].capacity))

    def _device(self) -> BlockDevice | None:
        """The cache or the drive; None before there is one."""
        if self._name not in self._storage.places:
            return None
        caches = [cached.cache for cached in self._storage.caches if cached.cache.name == f"cache {self._name}"]
        return caches[0] if caches else self._storage.drives[self._name]
