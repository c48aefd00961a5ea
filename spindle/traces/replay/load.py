"""The question of a load without a trace: so many requests a second, as iostat and fio tell them, on drives."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from simpy import Environment

from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask, spell
from spindle.questions.storage import MAX_UNDER_WAY, CacheOptions, DriveOptions
from spindle.sim.error import UserError
from spindle.sim.quantity import quantity
from spindle.sim.request import READ, WRITE
from spindle.sim.units import KIB, Bytes
from spindle.traces.replay.answer import cache_plan, queue_of, sheet_of
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Host, Open, Paced
from spindle.traces.replay.replay import OnCompletion, TraceReplayed, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record

MAX_IOPS, MAX_REQUESTS, MAX_SIZE = 1e8, 10**8, 1 << 30


@dataclass(frozen=True)
class LoadOptions:
    """Requests of one size at places of one or several devices."""

    iops: float = ask(0.0, "requests a second, at random instants (Poisson); 0: as fast as the threads get them done",
                      least=0.0, most=MAX_IOPS)
    threads: int = ask(0, "most requests under way; others wait outside the drives, and that is no part of their "
                          "response; 0 is no limit, and without --iops one", least=0, most=MAX_UNDER_WAY)
    writes: float = ask(0.0, "share of the requests that write, as 40%", least=0.0, most=1.0, metavar="SHARE")
    size: Bytes = ask(Bytes(4 * KIB), "bytes of each request", "bytes", least=1, most=MAX_SIZE)
    random: float = ask(1.0, "share of the requests that go anywhere, as 70%; others go on where the last of their "
                             "device ended", least=0.0, most=1.0, metavar="SHARE")  # fmt: skip
    span: Bytes = ask(Bytes(0), "bytes of each device that are asked for, from its beginning on; 0 is all", "bytes",
                      least=0)
    requests: int = ask(10_000, "number of requests", least=1, most=MAX_REQUESTS)

    def host(self) -> Callable[..., Host]:
        """Return what submits the requests, each at its time, with so many under way, or both."""
        if not self.iops:
            return partial(Closed, depth=self.threads or 1)
        return partial(Paced, depth=self.threads) if self.threads else Open

    def records(self, devices: int, capacity: int, seed: object) -> Iterator[Record]:
        """Draw the requests to *devices* of *capacity* bytes each."""
        random, now, size = Random(f"{seed}/load"), 0.0, int(self.size)
        places = min(self.span or capacity, capacity) // size
        if not places:
            raise UserError(f"{spell('size')} of {size} bytes has no room on {min(self.span or capacity, capacity)}")
        last = [0] * devices
        for _ in range(self.requests):
            if self.iops:
                now += random.expovariate(self.iops)
            device = int(random.random() * devices)
            goes_on = random.random() >= self.random
            last[device] = (last[device] + 1) % places if goes_on else int(random.random() * places)
            op = WRITE if random.random() < self.writes else READ
            yield Record(now if self.iops else None, str(device), op, last[device] * size, size)

    def text(self) -> str:
        rate = f"{self.iops:g} requests/s" if self.iops else f"{self.threads or 1} always under way"
        most = f", at most {self.threads} under way" if self.threads and self.iops else ""
        size = quantity(int(self.size), "bytes")
        return f"{rate}, of {size}, {self.writes:.0%} writes, {self.random:.0%} random{most}"


@dataclass(frozen=True)
class LoadQuestion:
    """A load on drives or arrays, perhaps below a cache: how long its requests take, and how many are done."""

    load: LoadOptions = LoadOptions()
    device: DriveOptions = DriveOptions()
    array: ArrayOptions = NO_ARRAY
    memory: CacheOptions = CacheOptions()
    seed: object = 1

    def storage_plan(self) -> StoragePlan:
        sheet, array = sheet_of(self.device), self.array.array(self.seed, alone=("drives",))
        return StoragePlan(sheet, queue_of(self.device, sheet.queue), cache_plan(self.memory), None, self.device.wrap,
                           array, self.device.head)  # fmt: skip

    @property
    def devices(self) -> int:
        """The number of devices: drives, or one array of all of them."""
        return 1 if self.array.raid else self.array.drives or 1


@dataclass(frozen=True)
class LoadReplayed:
    """A load as it was asked for, and what was *replayed*."""

    question: LoadQuestion
    replayed: TraceReplayed

    def head(self) -> Mapping[str, Any]:
        """Return what was asked, by the names of fields."""
        load, device, memory = self.question.load, self.question.device, self.question.memory
        cache = {"cache": int(memory.cache), "policy": str(memory.policy)} if memory.cache else {}
        return {"load": {**vars(load), "size": int(load.size), "span": int(load.span)},
                "drive": sheet_of(device).disc.name, "drives": len(self.replayed.storage.drives),
                **self.question.array.settings(), "scheduler": str(device.scheduler), "depth": device.depth, **cache,
                "seed": self.question.seed}  # fmt: skip


def answer_load(question: LoadQuestion, also: OnCompletion | None = None) -> LoadReplayed:
    """Put the load on drives."""
    storage = Storage(Environment(), question.storage_plan())
    records = question.load.records(question.devices, storage.device("0").capacity, question.seed)
    return LoadReplayed(question, replay_trace(records, storage, question.load.host(), also))
