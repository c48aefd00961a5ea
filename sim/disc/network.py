"""NetworkDrive is a drive of another host: requests and data cross a network, while the drive serves others."""

from collections.abc import Callable
from functools import partial

import simpy

from spindle.sim.clock import Ledger, Phase, Wait, happen, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.parts import LawBroken, register
from spindle.sim.request import READ, Access, Request, Span, StartedDevice, ledger_of


class NetworkLane:
    """One direction of a network of *rate* bytes a second, over which data go one after another; 0 is no limit."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._free = 0.0

    def send(self, now: float, size: int) -> float:
        """Send *size* bytes behind those before them; return the instant of their end."""
        if not self._rate:
            return now
        self._free = max(self._free, now) + size / self._rate
        return self._free


class Network:
    """The network of *kind* between a host and its drives, with a lane each way."""

    def __init__(self, kind: NetworkType) -> None:
        self.one_way = kind.latency / 2.0
        self.from_host, self.to_host = NetworkLane(kind.rate), NetworkLane(kind.rate)


class NetworkDrive(StartedDevice):
    """A *drive* across a *network*, the channel of its requests; data of writes go there, and of reads come back.

    Requests queue at the drive, in the order of its scheduler, when they are there.
    """

    def __init__(self, drive: Drive | WriteCache, network: Network) -> None:
        self.env: simpy.Environment = drive.env
        self.drive = drive
        self.name = drive.name
        self.capacity, self.sector_bytes = drive.capacity, drive.sector_bytes
        self._network = network
        self._under_way: dict[Request, None] = {}
        self._asked = self._answered = 0
        register(self.env, self)

    def start(self, access: Access) -> Request:
        request = Request(self.env, access, Ledger("network"))
        self._under_way[request] = None
        self._asked += 1
        now = self.env.now
        sent = now if access.op is READ else self._network.from_host.send(now, access.span.length)
        self._cross(request, sent + self._network.one_way, self._serve)
        return request

    def _cross(self, request: Request, until: float, then: Callable[[Request], None]) -> None:
        """Let *request* be on the network *until* an instant, and then call *then* with it."""
        now = self.env.now
        if until <= now:
            then(request)
            return
        ledger_of(request).charge(Phase.CHANNEL, now, until)
        pause(self.env, until - now).callbacks.append(lambda _: then(request))

    def _serve(self, request: Request) -> None:
        below = self.drive.start(request.access)
        assert below.callbacks is not None
        below.callbacks.append(partial(self._answer, request))

    def _answer(self, request: Request, below: Request) -> None:
        ledger_of(request).charge_all(below.pieces())
        op, span, now = request.access.op, request.access.span, self.env.now
        sent = self._network.to_host.send(now, span.length) if op is READ else now
        self._cross(request, sent + self._network.one_way, self._finish)

    def _finish(self, request: Request) -> None:
        del self._under_way[request]
        self._answered += 1
        happen(request)

    def flush(self, span: Span) -> Wait:
        """Wait for the writes to *span* that are under way, and ask the drive to flush, which crosses the network."""
        for request in [each for each in self._under_way if each.access.op is not READ]:
            if request.access.span.overlaps(span) and not request.processed:
                yield request
        yield pause(self.env, self._network.one_way)
        yield from self.drive.flush(span)
        yield pause(self.env, self._network.one_way)

    def discard(self, span: Span) -> None:
        self.drive.discard(span)

    def busy(self) -> float:
        return self.drive.busy()

    def check(self) -> None:
        """LawBroken unless each request was answered or is under way."""
        if self._asked != self._answered + len(self._under_way):
            raise LawBroken(f"{self.name}: {self._asked} requests over a network, {self._answered} answered and "
                            f"{len(self._under_way)} under way")  # fmt: skip

    def reading(self) -> dict[str, float]:
        return self.drive.reading()
