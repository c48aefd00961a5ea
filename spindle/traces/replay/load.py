"""Answers ``spindle load``: draws requests at random, submits them to simulated drives, and measures the responses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from simpy import Environment

from spindle.questions.field import spell
from spindle.questions.idle import without_arm, without_cache
from spindle.questions.settings import unusual_fields
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.replay.answer import cache_plan, flash_plan, places_of, queue_of, sheet_of, start_of
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed, Host, Open, Paced
from spindle.traces.replay.load_question import LoadOptions, LoadQuestion
from spindle.traces.replay.replay import OnCompletion, TraceReplayed, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.workloads.traces.record import Record


def host_of(load: LoadOptions) -> Callable[..., Host]:
    """Return the host that submits the requests of *load*: each at its time, a fixed number under way, or both."""
    if not load.iops:
        return partial(Closed, depth=load.threads or 1)
    return partial(Paced, depth=load.threads) if load.threads else Open


def records_of(load: LoadOptions, devices: int, capacity: int, seed: object) -> Iterator[Record]:
    """Draw the requests to *devices* of *capacity* bytes each."""
    random, now, size = Random(f"{seed}/load"), 0.0, int(load.size)
    places = min(load.span or capacity, capacity) // size
    if not places:
        raise UserError(f"{spell('size')} of {size} bytes has no room on {min(load.span or capacity, capacity)}")
    last = [0] * devices
    for number in range(load.requests):
        if load.iops:
            now += random.expovariate(load.iops)
        device = int(random.random() * devices)
        goes_on = random.random() >= load.random
        last[device] = (last[device] + 1) % places if goes_on else int(random.random() * places)
        op = WRITE if random.random() < load.writes else READ
        gap = load.pause if load.burst and number and number % load.burst == 0 else None
        yield Record(now if load.iops else None, str(device), op, last[device] * size, size, gap=gap)


def storage_plan(question: LoadQuestion) -> StoragePlan:
    device, array = question.device, question.array.array(question.seed, alone=("drives",))
    sheet = sheet_of(device)
    return StoragePlan(sheet, queue_of(device, sheet), cache_plan(question.memory), None, device.wrap, array,
                       device.head, flash_plan(question.front), device.hindrance(), device.network())  # fmt: skip


@dataclass(frozen=True)
class LoadReplayed:
    """A load as it was asked for, and what was *replayed*."""

    question: LoadQuestion
    replayed: TraceReplayed

    @property
    def idle(self) -> list[str]:
        """Return a sentence on each option that changed nothing."""
        device = self.question.device
        wraps = [f"{spell('wrap')} changes nothing, as a load stays within its drives"] if device.wrap else []
        return [*without_arm(device.scheduler, sheet_of(device).disc), *without_cache(self.question.memory), *wraps]

    def head(self) -> Mapping[str, Any]:
        """Return what was asked, by the names of fields."""
        load, device, memory = self.question.load, self.question.device, self.question.memory
        cache = {"cache": int(memory.cache), "policy": str(memory.policy)} if memory.cache else {}
        front = self.question.front
        cache |= {"flash": str(front.flash), "flash_policy": str(front.flash_policy)} if front.flash else {}
        told = {"load": {**vars(load), "size": int(load.size), "span": int(load.span)},
                "drive": sheet_of(device).disc.name, "drives": len(self.replayed.storage.drives),
                **self.question.array.settings(), "scheduler": str(device.scheduler), "depth": device.depth, **cache,
                **self.question.host.settings(), "seed": self.question.seed, "notes": self.idle}  # fmt: skip
        others = unusual_fields(device, memory, front)
        return {**told, **{name: value for name, value in others.items() if name not in told}}


def answer_load(question: LoadQuestion, also: OnCompletion | None = None) -> LoadReplayed:
    """Put the load on drives."""
    storage = Storage(Environment(), storage_plan(question))
    for number in range(0 if question.array.raid else question.devices):
        storage.places[str(number)]  # is built: a drive that no request comes to counts as idle
    records = records_of(question.load, question.devices, storage.device("0").capacity, question.seed)
    places = places_of(storage, start_of(question.host, question.device, storage.env))
    return LoadReplayed(question, replay_trace(records, storage, host_of(question.load), also, places))
