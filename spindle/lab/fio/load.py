"""fio's load on a simulated device: a fixed number of random requests under way, and their response times.

Requests beyond the block layer's limit for one device wait outside, first come first served.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import median

import simpy

from spindle.lab.fio.points import FioPoint
from spindle.sim.clock import Account, pause
from spindle.sim.request import READ, BlockDevice, Op, Request, access
from spindle.sim.streams import stream

NR_REQUESTS = 128
"""Of a device, in Linux's block layer: /sys/block/*/queue/nr_requests."""
SHARES = (0.50, 0.95, 0.99)
SETTLING = 3
"""Requests for each that is under way, before any is counted."""

Builds = Callable[[simpy.Environment], BlockDevice]


@dataclass(frozen=True)
class FioLoad:
    """*level* requests of *size* bytes under way, at random over *span* bytes."""

    op: Op
    level: int
    size: int
    span: int


@dataclass(frozen=True)
class HostDelay:
    """The host takes *inside* requests of a device at a time, and each takes *latency* seconds on the way besides."""

    inside: int = NR_REQUESTS
    latency: float = 0.0


@dataclass(frozen=True)
class LoadAnswer:
    """Requests a second, and seconds."""

    iops: float
    mean: float
    quantiles: Mapping[float, float]


def answered(load: FioLoad, builds: Builds, requests: int, between: HostDelay = HostDelay()) -> LoadAnswer:
    """Return the answer of a new device to *load*, from at least *requests* requests."""
    inside = min(load.level, between.inside)
    env = simpy.Environment()
    loop = _Loop(env, builds(env), replace(load, level=inside), between.latency, max(requests, 4 * inside))
    times, seconds = loop.run()
    iops = len(times) / seconds
    outside = (load.level - inside) / iops
    times.sort()
    quantiles = {share: times[min(len(times) - 1, ceil(share * len(times)) - 1)] + outside for share in SHARES}
    return LoadAnswer(iops, sum(times) / len(times) + outside, quantiles)


class _Loop:
    """Each request that is done is followed at once by another."""

    def __init__(
        self, env: simpy.Environment, device: BlockDevice, load: FioLoad, latency: float, requests: int
    ) -> None:
        self._env, self._start = env, device.start
        self._load, self._latency = load, latency
        self._settling = SETTLING * load.level + requests // 5
        self._requests = requests
        self._account = Account("fio")
        self._random = stream(1, f"fio {load.op.value} {load.level}").random
        self._places = max(1, load.span // load.size)
        self._times: list[float] = []
        self._done = 0
        self._began = 0.0

    def run(self) -> tuple[list[float], float]:
        """The seconds of each request that counts, and how long it took to do them all."""
        for _ in range(self._load.level):
            self._ask(None)
        while len(self._times) < self._requests:
            self._env.step()
        return self._times, self._env.now - self._began

    def _ask(self, _: simpy.Event | None) -> None:
        load = self._load
        first = int(self._random() * self._places) * load.size
        request = self._start(access(load.op, first, load.size, self._account))
        assert request.callbacks is not None
        request.callbacks.append(self._answered)

    def _answered(self, request: Request) -> None:
        self._done += 1
        if self._done > self._settling:
            self._times.append(self._env.now - request.submitted + self._latency)
        elif self._done == self._settling:
            self._began = self._env.now
        if self._latency:
            pause(self._env, self._latency).callbacks.append(self._ask)
        else:
            self._ask(None)


# The host's share of fio's times: what it takes to submit a request, and what it takes of those that it queues.

TAGS = 32
"""Of a drive behind SATA; who has more under way queues in the host."""
QUANTUM = 8
"""Requests of a process, of several, from which on Linux's CFQ lets it go on alone: its default quantum."""
SLOWED = 0.93
"""Of the throughput without such a queue: what is less belongs to the host."""


@dataclass(frozen=True)
class HostShare:
    """*submit* seconds of each response are fio's own system call, which its percentiles leave out.

    *caps* are the requests a second that the host's own queue lets through where several processes have at least
    QUANTUM under way each; none where it costs nothing.
    """

    submit: float
    caps: Mapping[Op, float]

    def of(self, point: FioPoint, device: LoadAnswer) -> LoadAnswer:
        """Return fio's answer at *point* if the *device* gives that answer."""
        cap = self.caps.get(point.op, device.iops) if queued_by_process(point) else device.iops
        slowed = max(1.0, device.iops / cap)
        quantiles = {share: max(0.0, slowed * seconds - self.submit) for share, seconds in device.quantiles.items()}
        return LoadAnswer(device.iops / slowed, slowed * device.mean, quantiles)


def queued_by_process(point: FioPoint) -> bool:
    return point.level > TAGS and point.jobs > 1 and point.depth >= QUANTUM


def host_share(points: Sequence[FioPoint]) -> HostShare:
    """The host as fitted *points* tell it."""
    alone = [each for each in points if each.op is READ and each.level == 1 and 0.50 in each.quantiles]
    submit = min((max(0.0, each.mean - each.quantiles[0.50]) for each in alone), default=0.0)
    caps = {}
    for op in Op:
        many = [each for each in points if each.op is op and each.level > TAGS]
        queued = [each.iops for each in many if queued_by_process(each)]
        free = [each.iops for each in many if not queued_by_process(each)]
        if queued and free and median(queued) < SLOWED * median(free):
            caps[op] = median(queued)
    return HostShare(submit, caps)
