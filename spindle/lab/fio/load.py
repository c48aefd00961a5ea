"""Simulates fio's random load on a device through the request queue of Linux; estimates the host's part of times."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from math import ceil
from statistics import median

import simpy

from spindle.lab.fio.cfq import QUANTUM, CfqHost, TurnQueue
from spindle.lab.fio.points import FioPoint
from spindle.sim.clock import Account, pause
from spindle.sim.request import READ, BlockDevice, Op, Request, access
from spindle.sim.streams import stream

NR_REQUESTS = 128
"""Requests that Linux's block layer takes for a device: /sys/block/*/queue/nr_requests."""
BATCH_REQUESTS, BATCH_SECONDS = 32, 0.02
"""Requests that a woken process may start, and seconds for these: BLK_BATCH_REQ and BLK_BATCH_TIME in the kernel.
On two hosts a process of depth 64 was seen to ask for 64, which the source does not explain."""
QUANTILE_SHARES = (0.50, 0.95, 0.99, 0.999)
"""Shares of the responses of which quantiles are reported."""
SETTLING_ROUNDS = 3
"""Completed requests for each one under way before the first that counts."""

Builds = Callable[[simpy.Environment], BlockDevice]


@dataclass(frozen=True)
class FioLoad:
    """A load of fio: *level* requests of *size* bytes under way, shared by *jobs* processes, over *span* bytes.

    Requests are at random, or *sequential*. *settling* further requests are done before any counts.
    """

    op: Op
    level: int
    size: int
    span: int
    jobs: int = 1
    settling: int = 0
    sequential: bool = False


class HostOrder(StrEnum):
    """The order in which a host sends requests that have no tag yet: a scheduler of Linux."""

    FCFS = "fcfs"
    DEADLINE = "deadline"
    CFQ = "cfq"


@dataclass(frozen=True)
class HostDelay:
    """The host between fio and a device: it takes *inside* requests at a time, and adds *latency* seconds to each.

    With *turns*, processes take turns by the rules of CFQ, a former scheduler of Linux.
    """

    inside: int = NR_REQUESTS
    latency: float = 0.0
    turns: bool = False


@dataclass(frozen=True)
class LoadAnswer:
    """Answer of a device to a load: requests a second; the mean response and its *quantiles* in seconds."""

    iops: float
    mean: float
    quantiles: Mapping[float, float]


def answer_load(load: FioLoad, builds: Builds, requests: int, between: HostDelay = HostDelay()) -> LoadAnswer:
    """Return the answer of a new device to *load*, from at least *requests* requests."""
    env = simpy.Environment()
    return answer_of(load.level, *_Loop(env, builds(env), load, between, max(requests, 4 * load.level)).run())


def answer_of(level: int, times: list[float], seconds: float) -> LoadAnswer:
    """Return the answer with *level* requests under way: those that count took *times*, and all together *seconds*."""
    iops = len(times) / seconds
    times.sort()
    quantiles = {share: times[ceil(share * len(times)) - 1] for share in QUANTILE_SHARES}
    # By Little's law, so that the mean includes waits for room in the host's queue, and for turns that are not over.
    return LoadAnswer(iops, level / iops, quantiles)


@dataclass(slots=True, eq=False)
class _Process:
    """One of fio's processes: it may start *room* more requests; *done* has when completed ones were started.

    Although the queue is full, it may start a *batch* of at most *most* requests *until* an instant.
    """

    room: int
    most: int
    done: list[float] = field(default_factory=list)
    batch: int = 0
    until: float = 0.0
    asleep: bool = False
    turn: TurnQueue = field(default_factory=TurnQueue)

    def batching(self, now: float) -> bool:
        return self.batch == self.most or (self.batch > 0 and now < self.until)

    def begin_batch(self, now: float) -> None:
        if not self.batching(now):
            self.batch, self.until = self.most, now + BATCH_SECONDS


class _Loop:
    """The simulation of a load: processes that keep requests under way through the block layer's queue of a device.

    A process that finds *inside* requests in the queue sleeps, and processes none of its answers meanwhile; processes
    are woken first come first served. A woken one may start a batch, up to half as many more: Linux's
    block/blk-core.c (get_request, ioc_batching), of its queues before blk-mq.
    """

    def __init__(
        self, env: simpy.Environment, device: BlockDevice, load: FioLoad, between: HostDelay, requests: int
    ) -> None:
        self._env, self._start = env, device.start
        self._turns = CfqHost(env, device) if between.turns else None
        self._load, self._between = load, between
        self._settling = SETTLING_ROUNDS * load.level + requests // 5 + load.settling
        self._requests = requests
        self._account = Account("fio")
        self._random = stream(1, f"fio {load.op.value} {load.level}").random
        self._places = max(1, load.span // load.size)
        self._used, self._full = 0, False
        self._sleeping: deque[_Process] = deque()
        self._times: list[float] = []
        self._done = 0
        self._began = 0.0

    def run(self) -> tuple[list[float], float]:
        """Return the seconds of each request that counts, and of all these together."""
        for _ in range(self._load.jobs):
            depth = self._load.level // self._load.jobs
            self._go_on(_Process(depth, max(BATCH_REQUESTS, depth)))
        while len(self._times) < self._requests:
            self._env.step()
        return self._times, self._env.now - self._began

    def _go_on(self, process: _Process, _: simpy.Event | None = None) -> None:
        """Start requests while *process* has room, and process its completed ones, until it must wait or sleep."""
        while not process.asleep and (process.room or process.done):
            while process.room:
                if not self._takes(process):
                    process.asleep = True
                    self._sleeping.append(process)
                    return
                self._ask(process)
            self._look(process)

    def _takes(self, process: _Process) -> bool:
        inside, now = self._between.inside, self._env.now
        if self._used + 1 >= inside:
            if self._full and not process.batching(now):
                return False
            self._full = True
            process.begin_batch(now)
        if self._used >= inside * 3 // 2:
            return False
        process.batch -= process.batching(now)
        return True

    def _ask(self, process: _Process) -> None:
        load = self._load
        first = int(self._random() * self._places) * load.size
        asked = access(load.op, first, load.size, self._account)
        done = partial(self._finish, process, self._env.now)
        process.room -= 1
        self._used += 1
        if self._turns is not None:
            self._turns.ask(process.turn, asked, done)
            return
        request = self._start(asked)
        assert request.callbacks is not None
        request.callbacks.append(done)

    def _finish(self, process: _Process, asked: float, _: Request) -> None:
        self._used -= 1
        process.done.append(asked)
        if not process.asleep:
            if self._between.latency:
                pause(self._env, self._between.latency).callbacks.append(partial(self._go_on, process))
            else:
                self._go_on(process)
        if self._used < self._between.inside:
            self._full = False
            if self._sleeping:
                sleeper = self._sleeping.popleft()
                sleeper.asleep = False
                sleeper.begin_batch(self._env.now)
                self._go_on(sleeper)

    def _look(self, process: _Process) -> None:
        """Process the completed requests of *process*, which then has room for as many more."""
        for asked in process.done:
            self._done += 1
            if self._done > self._settling:
                self._times.append(self._env.now - asked)
            elif self._done == self._settling:
                self._began = self._env.now
        process.room = len(process.done)  # it had asked for all that it had room for
        process.done.clear()


# The host's part of fio's times: seconds to submit a request, and the throughput while processes take turns.

TAGS = 32
"""Tags of a drive behind SATA; further requests queue in the host."""
SLOWED_SHARE = 0.93
"""Share of the throughput without turns; if it is less with turns, the host is the reason."""


@dataclass(frozen=True)
class HostShare:
    """The host's part of fio's times: *submit* seconds of each response are fio's system call.

    fio's percentiles leave these out. *rates* are the requests a second while processes take turns, where turns cost
    throughput.
    """

    submit: float
    rates: Mapping[Op, float]

    def fio_answer(self, point: FioPoint, device: LoadAnswer) -> LoadAnswer:
        """Return the answer that fio prints at *point*, from the answer of the *device*."""
        rate = self.rates.get(point.op, device.iops) if is_held_back(point) else device.iops
        slowed = device.iops / rate
        quantiles = {share: max(0.0, slowed * seconds - self.submit) for share, seconds in device.quantiles.items()}
        return LoadAnswer(rate, slowed * device.mean, quantiles)


def is_held_back(point: FioPoint) -> bool:
    """Tell if CFQ would hold requests of *point* back from the drive, so that it has fewer under way than tags."""
    return point.level > TAGS and point.jobs > 1 and point.depth >= QUANTUM


def drive_points(points: Sequence[FioPoint]) -> list[FioPoint]:
    """Return the points at which the host holds no requests back; all points if there are none."""
    return [each for each in points if not is_held_back(each)] or list(points)


def host_share(points: Sequence[FioPoint]) -> HostShare:
    """Estimate the host's part from fitted *points*."""
    alone = [each for each in points if each.op is READ and each.level == 1 and 0.50 in each.quantiles]
    submit = min((max(0.0, each.mean - each.quantiles[0.50]) for each in alone), default=0.0)
    rates = {}
    for op in Op:
        many = [each for each in points if each.op is op and each.level > TAGS]
        turns = [each.iops for each in many if is_held_back(each)]
        free = [each.iops for each in many if not is_held_back(each)]
        if turns and free and median(turns) < SLOWED_SHARE * median(free):
            rates[op] = median(turns)
    return HostShare(submit, rates)
