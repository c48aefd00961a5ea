"""Models a host that trains: workers read batches ahead for accelerators, which meet at a barrier after each step.

It writes checkpoints. Its drive may be one of three of MLPerf Storage v1.0, a benchmark.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import simpy

from spindle.models.ml_loader.parameters import MlParameters, TrainingModel
from spindle.sim.clock import PHASE_COUNT, Account, Gate, Phase, Wait, pause
from spindle.sim.disc.flash.sheet import FlashType, Nand, merge_dies, nvme
from spindle.sim.disc.raid.array import drive_or_array
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import FLASH
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.parameter import read_sources
from spindle.sim.request import READ, WRITE, Span, access
from spindle.sim.streams import normal, stream
from spindle.sim.terminal import ResponseLog, Transaction
from spindle.sim.units import KIB, MIB, MS, US

# Three NVMe drives of MLPerf Storage v1.0 by their maker's data; numbers of their flash are assumed.

_SYSTEMS = "system description in mlcommons/storage_results_v1.0, Closed/Micron/systems"
QUEUE_COUNT = 8
"""Queues of a drive: assumed."""
_INSIDE = "assumed: not printed; large enough that the host interface limits, as is usual of such drives"


def _nvme(
    name: str, capacity: float, dies: tuple[int, int], blocks: int, rates: tuple[float, float],
    requests: tuple[float, float], program: float, rate_source: str,
) -> FlashType:  # fmt: skip
    """Describe a drive that reads and writes *rates* bytes a second in sequence, and *requests* of 4 KB a second."""
    channels, ways = dies
    return FlashType(
        name=name,
        nand=Nand(channels=channels, ways=ways, planes=4, blocks=blocks, pages=1024, page_bytes=16 * KIB,
                  read=60 * US, program=program, erase=5 * MS, bus=1.2e9),
        front=nvme(rates[0], QUEUE_COUNT / requests[0], QUEUE_COUNT, 128, (rates[1], QUEUE_COUNT / requests[1])),
        capacity=int(capacity) // 4096 * 4096,
        buffer=16 * MIB,
        buffer_survives=True,
        sources=read_sources({
            **dict.fromkeys(("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read", "program", "erase",
                             "bus", "buffer", "unit", "map_pages", "cleaning", "reserve", "queues", "tags"), _INSIDE),
            "buffer_survives": "assumed: as of drives for servers, which have capacitors",
            "capacity": f"cited: {_SYSTEMS}: {capacity / 1e12:g} TB",
            "rate": rate_source,
            "write_rate": f"cited: {_SYSTEMS}: {rates[1] / 1e6:,.0f} MB/s",
            "command": f"cited: {_SYSTEMS}: {requests[0]:,.0f} reads of 4 KB a second",
            "write_command": f"cited: {_SYSTEMS}: {requests[1]:,.0f} writes of 4 KB a second",
        }),
    )  # fmt: skip


MICRON_6500 = _nvme("Micron 6500 ION", 30.72e12, (16, 32), 1000, (6.918e9, 5.0e9), (1.0e6, 0.2e6), 2.0 * MS,
                    "fitted: ML-R1a: ResNet-50 on 72 A100; the maker prints 6,800 MB/s")
MICRON_9400 = _nvme("Micron 9400", 7.68e12, (16, 8), 1000, (7.0e9, 7.0e9), (1.6e6, 0.6e6), 0.6 * MS,
                    f"cited: {_SYSTEMS}: 7,000 MB/s")
MICRON_9550 = _nvme("Micron 9550", 7.68e12, (16, 8), 1000, (11.65e9, 10.0e9), (3.3e6, 1.0e6), 0.6 * MS,
                    "fitted: ML-U3a: 3D U-Net on 8 A100, the most bytes that are published of it; the maker prints "
                    "10,000 MB/s")

DRIVES = {"micron_6500": MICRON_6500, "micron_9400": MICRON_9400, "micron_9550": MICRON_9550} | FLASH
"""Drives by their names for ``--drive``."""


# The host, and the training that it does.

UNITS_A_REQUEST = 8
"""About as many units of the drive are in a request; those at its ends are read whole."""
MIN_RECORD = 0.05
"""Smallest record as a share of the mean one: the normal distribution has a tail below 0."""


@dataclass(frozen=True)
class MlOptions:
    """The exchangeable part: the drive that has the records."""

    drive: FlashType = MICRON_9400


@dataclass(frozen=True)
class Training:
    """Training of *model* on *accelerators* of the kind *gpu* for *steps* steps, with *threads* reader threads each.

    A checkpoint follows each *checkpoint_every* steps; 0 is never.
    """

    model: TrainingModel
    gpu: str
    accelerators: int
    steps: int
    threads: int
    checkpoint_every: int = 0


class Barrier:
    """A barrier at which *parties* processes wait for each other; the last to arrive first does *after*."""

    def __init__(self, env: simpy.Environment, parties: int, after: Callable[[int], Wait]) -> None:
        self._env = env
        self._parties = parties
        self._after = after
        self._came = self._step = 0
        self._gate = Gate(env, "the barrier of step 0")

    def wait(self) -> Wait:
        self._came += 1
        if self._came < self._parties:
            yield self._gate
            return
        yield from self._after(self._step)
        gate, self._came, self._step = self._gate, 0, self._step + 1
        self._gate = Gate(self._env, f"the barrier of step {self._step}")
        gate.succeed()


@dataclass
class DataLoader:
    """The batches of one accelerator: numbers of those *ready*, and how many it has *taken*."""

    ready: set[int] = field(default_factory=set)
    taken: int = 0
    wanted: Gate | None = None
    room: Gate | None = None


class TrainingHost:
    """A host with a drive, workers that read from it, and accelerators that wait for their batches.

    The workers of an accelerator take its batches in turn. A worker reads the records of a batch one after another,
    each in a few requests, and no further ahead than the loader has room. An accelerator takes batches in their order.
    """

    def __init__(
        self, training: Training, parameters: MlParameters, choices: MlOptions, seed: object,
        array: RaidType | None = None,
    ) -> None:  # fmt: skip
        self.env = simpy.Environment()
        self.training, self._parameters = training, parameters
        model = training.model
        whole = model.record * (1 if model.workers_batch or model.batch == 1 else model.batch)
        self._pieces = max(1, min(parameters.requests, round(whole / parameters.request)))
        self._whole, self._reads = whole, model.batch if model.workers_batch else 1
        sheet = merge_dies(choices.drive, int(whole / self._pieces / UNITS_A_REQUEST))
        drives = drive_or_array(self.env, sheet, array)
        self.drive = drives["drive"]
        self.machine = Machine(self.env, drives)
        if 4 * whole > self.drive.capacity:
            raise UserError(f"{sheet.name}: a record of {model.name} has {whole:,.0f} bytes, and the drive has "
                            f"{self.drive.capacity:,}")  # fmt: skip
        self._unit = sheet.unit
        self._random: Random = stream(seed, "records")
        self._account = Account("loader")
        self._barrier = Barrier(self.env, training.accelerators, self._end_step)
        self.loaders = [DataLoader() for _ in range(training.accelerators)]
        self.busy: list[float] = []
        """Share of the time after its first step in which each accelerator computed."""
        self.checkpoint_seconds = 0.0

    def programs(self) -> dict[str, Callable[[ResponseLog], Wait]]:
        """Return the programs of the accelerators, by name."""
        def program(number: int) -> Callable[[ResponseLog], Wait]:
            return lambda log: self._accelerator(number, log)

        return {f"accelerator {number}": program(number) for number in range(self.training.accelerators)}

    def share(self) -> float:
        return self.loaders[0].taken / self.training.steps

    def _accelerator(self, number: int, log: ResponseLog) -> Wait:
        loader, training, env = self.loaders[number], self.training, self.env
        for worker in range(training.threads):
            env.process(self._worker(number, worker))
        compute = training.model.compute[training.gpu]
        for step in range(training.steps):
            began = env.now
            if step not in loader.ready:
                loader.wanted = Gate(env, f"batch {step}")
                yield loader.wanted
            loader.ready.remove(step)
            loader.taken += 1
            self._log(log, number, began)
            if loader.room is not None:
                room, loader.room = loader.room, None
                room.succeed()
            yield pause(env, self._parameters.handing * self._whole * self._reads)
            yield pause(env, compute)
            if step == 0:
                first = env.now
            yield from self._barrier.wait()
        self.busy.append(compute * (training.steps - 1) / (env.now - first))

    def _log(self, log: ResponseLog, number: int, began: float) -> None:
        """Record the wait for a batch as queue time: a wait for requests of other batches and for its own."""
        now, phases = self.env.now, [0.0] * PHASE_COUNT
        phases[Phase.QUEUE] = now - began
        log.record(Transaction(f"accelerator {number}", "batch", began, now, now, tuple(phases)), 1)

    def _worker(self, number: int, worker: int) -> Wait:
        loader, training = self.loaders[number], self.training
        ahead = training.model.batches_ahead(training.threads, self._parameters.prefetch)
        for batch in range(worker, training.steps, training.threads):
            while batch >= loader.taken + ahead:
                if loader.room is None:
                    loader.room = Gate(self.env, "room for a batch")
                yield loader.room
            for _ in range(self._reads):
                yield from self._read()
            loader.ready.add(batch)
            if loader.wanted is not None and batch == loader.taken:
                wanted, loader.wanted = loader.wanted, None
                wanted.succeed()

    def _read(self) -> Wait:
        """Read one record, or the records of one batch that lie one behind another, anywhere on the drive."""
        size = self._size()
        first = int(self._random.random() * (self.drive.capacity - size)) // self._unit * self._unit
        piece = -(-size // self._pieces)
        for at in range(0, size, piece):
            yield self.drive.start(access(READ, first + at, min(piece, size - at), self._account))

    def _size(self) -> int:
        """Draw the bytes to read, normally distributed where records differ."""
        spread = self.training.model.spread
        if not spread:
            return int(self._whole)
        return int(max(MIN_RECORD * self._whole, self._whole + spread * normal(self._random)))

    def _end_step(self, step: int) -> Wait:
        """End a step: wait at the barrier, and write a checkpoint if one is due."""
        training = self.training
        if seconds := self._parameters.barrier * training.accelerators:
            yield pause(self.env, seconds)
        if training.checkpoint_every and (step + 1) % training.checkpoint_every == 0:
            began = self.env.now
            yield from self._checkpoint()
            yield from self.drive.flush(Span(0, self._unit))
            self.checkpoint_seconds += self.env.now - began

    def _checkpoint(self) -> Wait:
        """Write the model once for all accelerators, which wait while their workers read on."""
        size = int(self.training.model.checkpoint * self._parameters.checkpoint_state)
        for at in range(0, size, self._unit):
            yield self.drive.start(access(WRITE, at, min(self._unit, size - at), self._account))
