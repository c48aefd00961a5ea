"""Shared by studies of the HP3000: runs as rows of numbers (the paper's loads, other work and other mixes beside
them, batch jobs, single reads and bare discs), hit ratios by theory, run windows, and names in pictures.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from math import fsum
from pathlib import Path
from random import Random
from typing import Any

import simpy

from spindle.models.hp3000.caching.competition import COMPETITIONS
from spindle.models.hp3000.caching.control import ALIGNMENTS, FLUSHES, WRITES
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.image import FAMILIES, HOLDS
from spindle.models.hp3000.load import answer_of, clerks_by, default_load, read_shipped, spread
from spindle.models.hp3000.machine import SESSION_LEVEL, Hp3000, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import extras, run
from spindle.models.hp3000.series import SERIES_64, SERIES_III, SeriesModel
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import Cpu
from spindle.sim.error import UserError, unknown
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.measure import engine
from spindle.sim.measure.load import Load, Programs, Window, Work
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.request import READ, Access, Hint, Span
from spindle.sim.script import Choose, Loop, Script, Step
from spindle.sim.streams import pick, stream
from spindle.sim.terminal import ResponseLog
from spindle.sim.units import KIB, MIB, MINUTE, MS
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import Numbers, with_points
from spindle.studies.study import Runs, StudyWindow, means
from spindle.traces.curve.references import ReferenceLog
from spindle.workloads.drivers import SCRIPTS_A_DRIVER, drivers_for

# The references of a run to its disc caches, and Che's approximation of their hits.
#
# Domains are of any length and begin anywhere. Theory has chunks instead, as long as the random fetch and aligned, and
# as many of them as there was room for: the bytes of all domains, on the mean, divided by a chunk.

DISC_BITS = 40
"""Bits for the chunk number within a disc, so that chunks of different discs differ."""


class ChunkReferences(Observer):
    """Observes one run with disc caching. An access refers to every chunk of *chunk* bytes that it touches."""

    def __init__(self, chunk: int) -> None:
        self._chunk = chunk
        self._log = ReferenceLog()

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        self._log.begin(machine.env, window.start)
        for number, cache in enumerate(part for part in machine.parts.values() if isinstance(part, DiscCache)):
            cache.read = self._note_first(cache.read, number)  # type: ignore[assignment, method-assign]
            cache.write = self._note_first(cache.write, number)  # type: ignore[assignment, method-assign]

    def _note_first(self, perform: Callable[[Access], Wait], number: int) -> Callable[[Access], Wait]:
        chunk, note, base = self._chunk, self._log.note, number << DISC_BITS

        def perform_noted(access: Access) -> Wait:
            first, length = access.span
            note(range(base + first // chunk, base + (first + length - 1) // chunk + 1), access.op is READ)
            return perform(access)

        return perform_noted

    def add_theory(self, result: Result) -> Result:
        """Add theory to the *result* of the run."""
        counters = result.counters
        reads = sum(
            value for name, value in counters.items()
            if name.startswith("cache") and name.endswith((".hits", ".late_hits", ".misses"))
        )  # fmt: skip
        chunks = result.extras["domain_bytes"] / self._chunk
        theory = self._log.compare(result.extras["hit_ratio"], chunks, reads)
        return replace(result, extras={**result.extras, **theory})


# The unit test of discs and channels: processes that do nothing but read 1 KB at random places, as fast as they can.
#
# McBride & Boles 1983: "our unit tests had sustained better than 3 times that load", of 50 a second.

RECORD = KIB

IDLE_SET = 64 * KIB
"""Bytes of a data set of the idle data base, small enough for one disc."""


def disc_rate(
    series: SeriesModel = SERIES_64,
    discs: int | None = None,
    readers: int = 1,
    seconds: float = 60.0,
    seed: object = 1,
    **parameters: object,
) -> float:
    """Disc accesses a second of *readers* processes a disc, each disc read all over; uncached, without other load."""
    wanted = series if discs is None else replace(series, discs=discs)
    values = change(MpeParameters(), **{**wanted.settings(), "set_bytes": IDLE_SET, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(series=series), caching=False)
    programs: dict[str, Work] = {}
    for number, storage in enumerate(machine.storages):
        capacity = machine.drives[number].capacity
        file = File(f"disc {number + 1}", storage, [Span(0, capacity - capacity % RECORD)])
        for reader in range(readers):
            name = f"reader {reader} of disc {number + 1}"
            programs[name] = partial(_read_file, machine, OpenFile(file), stream(seed, name))
    result = engine.run(machine.machine, Programs(programs), Window(0.0, seconds), seed)
    return fsum(result.counters[f"drive{number}.completed"] for number in range(1, len(machine.drives) + 1)) / seconds


def _read_file(machine: Hp3000, file: OpenFile, random: Random, log: ResponseLog) -> Wait:
    account = Account("reader")
    while True:
        yield from machine.machine.read(file, pick(random, file.file.size // RECORD) * RECORD, RECORD, account)


# The paper's loads as rows: transactions and development sessions mixed, and each by itself, beside other work.

DEVELOPMENT = 38 / 101
"""The share of development sessions in the hybrid load of 63 + 38 terminals (McBride & Boles 1983)."""

SECTOR = 256
NO_THINKING = 1e-9
"""Multiplies think times, for which 0 is no factor."""
BURST = 20 * MS
"""Mean CPU time of a burst of the other work; about what an answer of ORDERS computes at a time."""

Row = dict[str, float]


def terminal_arguments(terminals: int) -> Mapping[str, int]:
    """The *terminals* of a hybrid load as arguments of a run."""
    return dict(zip(("terminals", "development"), parts_of(terminals), strict=True))


@means(terminals=terminal_arguments)
def hybrid(terminals: int, **others: Any) -> Row:
    """Run *terminals*, with the share of development sessions of the paper's hybrid load."""
    return row(run_mixed(*parts_of(terminals), **others))


def orders(terminals: int, **others: Any) -> Row:
    """Run transaction *terminals* by themselves."""
    return row(run_mixed(terminals, 0, **others))


@means(terminals=lambda programmers: {"terminals": 0, "development": programmers})
def development(terminals: int, **others: Any) -> Row:
    """Run development *terminals* by themselves."""
    return row(run_mixed(0, terminals, **others))


@means(terminals=terminal_arguments)
def run_with_theory(terminals: int, fetch_random: int = MpeParameters.fetch_random, **others: Any) -> Row:
    """Run the hybrid load with caching, and apply Che's approximation to its references."""
    references = ChunkReferences(fetch_random)
    result = run_mixed(*parts_of(terminals), fetch_random=fetch_random, watch=references, **others)
    return row(references.add_theory(result))


def parts_of(terminals: int) -> tuple[int, int]:
    """Split the *terminals* of a hybrid load into clerks and programmers."""
    programmers = round(terminals * DEVELOPMENT)
    return terminals - programmers, programmers


def run_mixed(
    clerks: int, programmers: int, *, seed: object, caching: bool = True, other_work: float = 0.0,
    write: str = "behind", flush: str = "read-through", hold: str = "whole-call", alignment: str = "from-request",
    cache_memory: str = "one-clock", **others: Any,
) -> Result:  # fmt: skip
    """Run *clerks* beside *programmers*; *other_work* is the share of the CPU that other programs take."""
    parts: Mapping[str, tuple[str, Mapping[str, Any]]] = {
        "write": (write, WRITES), "flush": (flush, FLUSHES), "hold": (hold, HOLDS),
        "alignment": (alignment, ALIGNMENTS), "cache-memory": (cache_memory, COMPETITIONS),
    }  # fmt: skip
    for part, (name, choices) in parts.items():
        if name not in choices:
            raise unknown(part, name, choices)
    if other_work:
        others["watch"] = OtherWork(other_work, seed)
    made = MpeOptions(
        write=WRITES[write], flush=FLUSHES[flush], hold=HOLDS[hold], alignment=ALIGNMENTS[alignment],
        cache_memory=COMPETITIONS[cache_memory],
    )
    return run(clerks, programmers, caching, seed, choices=made, **others)


def parameters_of(others: Mapping[str, Any]) -> MpeParameters:
    """Return the usual parameters with those of *others* that are parameters."""
    names = [each.name for each in fields(MpeParameters)]
    return change(MpeParameters(), **{name: value for name, value in others.items() if name in names})


def row(result: Result) -> Row:
    """The summary of *result*, with the calls a second and how long they hold, and wait for, the control block."""
    summary, counted = result.summary(), result.counters
    return {
        **summary,
        "calls": counted["data_base.calls"] / result.seconds,
        "hold_ms": counted["data_base.lock_held"] / max(1.0, counted["data_base.lock_acquired"]) / MS,
        "lock_ms": summary["part_lock"] / MS,
        "read_write": counted["data_base.block_reads"] / max(1.0, counted["data_base.block_writes"]),
    }  # fmt: skip


class OtherWork(Observer):
    """Observer that keeps the CPU busy for a *share* of the time with bursts at random moments, urgent as sessions."""

    def __init__(self, share: float, seed: object) -> None:
        self._share = share
        self._random = stream(seed, "other work")

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        machine.spawn("other work", self._bring_work(machine.env, machine.cpu))

    def _bring_work(self, env: simpy.Environment, cpu: Cpu) -> Wait:
        account, every = Account("other work"), BURST / self._share
        while True:
            yield pause(env, self._random.expovariate(1 / every))
            cpu.burst(self._random.expovariate(1 / BURST), SESSION_LEVEL, Phase.CPU, account)


# Order-entry clerks whose answers come in other proportions than in the shipped script: more orders, or lists only.

SCRIPT = "orders_63.tepe"
SCRIPT_PERCENTS: Mapping[str, float] = {"FIND": 40.0, "STOCK": 30.0, "ORDER": 20.0, "LIST": 10.0}
"""Percent of each answer in the shipped script."""
AS_GIVEN = {"order_scale": 1.0, "list_scale": 1.0}
"""Scales that leave given shares as they are."""

FETCH = 16 * SECTOR
BATCH_BLOCK = 4 * KIB
"""Bytes of a block as large as a fetch."""

ONCE = {"chain_step": 1.0, "set_bytes": 16 * MIB, "fetch_random": FETCH}
"""Parameters with which every call reads another block, and none again."""


def with_share(orders: float, **others: Any) -> Row:
    """Run 63 clerks, *orders* percent of whose answers are new orders."""
    used = parameters_of({**others, **AS_GIVEN})
    return row(run_mixed(0, 0, scripts=clerks(63, with_orders(orders), used), **others))


def lists(block: int, **others: Any) -> Row:
    """Run 21 clerks who only list: each in a part of large data sets of its own, and every call reads a new block."""
    scripts = clerks(21, {"LIST": 100.0}, parameters_of(others))
    return row(run_mixed(0, 0, scripts=scripts, block=block, **{**others, **ONCE}))


def with_orders(share: float) -> dict[str, float]:
    """Percent of each answer, of new orders *share*; the others keep their proportions."""
    if not 0.0 <= share <= 100.0:
        raise UserError(f"the share of orders must be between 0 and 100 percent, not {share!r}")
    rest = 100.0 - SCRIPT_PERCENTS["ORDER"]
    return {name: share if name == "ORDER" else each * (100.0 - share) / rest for name, each in SCRIPT_PERCENTS.items()}


def clerks(terminals: int, shares: Mapping[str, float], parameters: MpeParameters) -> list[Script]:
    """Clerks at *terminals* terminals whose answers come by *shares*; an answer without a share is never given."""
    for name in shares:
        if name not in SCRIPT_PERCENTS:
            raise unknown("answer", name, SCRIPT_PERCENTS)
    if not any(share > 0.0 for share in shares.values()):
        raise UserError("clerks must give at least one answer")
    scripts = spread(read_shipped(SCRIPT), terminals)
    return clerks_by(parameters, [replace(each, steps=tuple(_reweigh(each.steps, shares))) for each in scripts])


def _reweigh(steps: tuple[Step, ...], shares: Mapping[str, float]) -> Iterator[Step]:
    for step in steps:
        match step:
            case Loop(inner, times):
                yield Loop(tuple(_reweigh(inner, shares)), times)
            case Choose(_, branches):
                weighed = [(shares.get(answer_of(branch), 0.0), branch) for branch in branches]
                weights, kept = zip(*(each for each in weighed if each[0] > 0.0), strict=True)
                yield Choose(weights, kept)
            case _:
                yield step


READS = 200
BLOCK = KIB
EXTENTS, EXTENT = 8, 240 * KIB
"""A file of 1.9 MB; fetches of 4, 16, 48 and 96 sectors end where an extent does."""

RATED: Mapping[str, tuple[SeriesModel, int, int]] = {
    "Series III": (SERIES_III, 30, 40),
    "Series 64": (SERIES_64, 120, 160),
}
"""Each series, and the range of accesses a second that McBride & Boles print."""


def unloaded_reads(caching: bool, **parameters: object) -> tuple[float, float]:
    """Mean seconds of a read that was read just before, and of one that was not, at random places of all discs.

    Any field of MpeParameters may be given by name.
    """
    series = Hp3000(simpy.Environment(), change(MpeParameters(), **parameters), MpeOptions(), caching)
    files = [OpenFile(series.volumes.build(f"file {number}", 256 * 1024)) for number in range(READS)]
    first: list[float] = []
    again: list[float] = []
    load = Programs({"reader": lambda log: _read_twice(series, files, first, again)})
    engine.run(series.machine, load, Window())
    return fsum(again) / READS, fsum(first) / READS


def _read_twice(series: Hp3000, files: list[OpenFile], first: list[float], again: list[float]) -> Wait:
    random = stream(0, "unloaded")
    account = Account("reader")
    for file in sorted(files, key=lambda _: random.random()):
        for times in (first, again):
            began = series.machine.env.now
            yield from series.machine.read(file, 0, 1024, account)
            times.append(series.machine.env.now - began)


def reads(seed: object, **parameters: Any) -> dict[str, float]:
    """A hit, a miss and an uncached access on an idle machine, in milliseconds, whatever the *seed*."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


def unit_rate(series: str, seconds: float, seed: object, **parameters: Any) -> dict[str, float]:
    """Accesses a second of the drives of a *series* under a load of nothing else, and how many drives these are."""
    sheet = RATED[series][0]
    drives = parameters.get("discs", sheet.discs)
    return {"drives": drives, "disc_rate": disc_rate(sheet, seconds=seconds, seed=seed, **parameters)}


def job(sectors: int, seed: object, extent: int = EXTENT, **parameters: Any) -> dict[str, float]:
    """Read a file in order by fetches of *sectors* sectors, uncached with 0; nothing is drawn at random."""
    env = simpy.Environment()
    size = {"fetch_sequential": sectors * SECTOR} if sectors else {}
    machine = Hp3000(env, change(MpeParameters(), **{**parameters, **size}), MpeOptions(), caching=sectors > 0)
    file = OpenFile(machine.volumes.build("BATCH", EXTENTS * extent, EXTENTS), Hint.SEQUENTIAL)
    env.run(until=env.process(_read(machine, file)))
    hit_ratio = float("nan")
    if machine.caching is not None:
        caches = [cache.reading() for cache in machine.caching.caches]
        hit_ratio = sum(each["hits"] for each in caches) / (file.file.size // BLOCK)
    return {"elapsed": env.now, "cpu_busy": machine.cpu.reading()["busy"] / env.now, "hit_ratio": hit_ratio}


def _read(machine: Hp3000, file: OpenFile) -> Wait:
    account = Account("job")
    for first in range(0, file.file.size, BLOCK):
        yield from machine.machine.read(file, first, BLOCK, account)


SHORT_MEMORY = 4 * MIB
"""Main memory in which 63 clerks have just what they need."""


def beside_jobs(
    jobs: int, flush: str, seed: object, minutes: float, warm_up: float, clerks: int = 63, **parameters: Any
) -> dict[str, float]:
    """Run *clerks* beside *jobs* that read a file each in order, over and over; ``job_rate`` is in KB a second."""
    values = change(MpeParameters(), **{"memory": SHORT_MEMORY, **parameters})
    machine = Hp3000(simpy.Environment(), values, MpeOptions(flush=FLUSHES[flush]), caching=True)
    done: list[int] = []
    window = Window.minutes(minutes, warm_up)
    for number in range(jobs):
        file = OpenFile(machine.volumes.build(f"BATCH{number}", EXTENTS * EXTENT, EXTENTS), Hint.SEQUENTIAL)
        machine.machine.spawn(f"job {number}", _read_on(machine, file, window, done))
    result = engine.run(machine.machine, machine.load(default_load(clerks, 0, values)), window, seed)
    measured = extras(machine, result.counters, result.seconds)
    return {**result.response(), **measured, "job_rate": sum(done) / result.seconds}


def _read_on(machine: Hp3000, file: OpenFile, window: Window, done: list[int]) -> Wait:
    """Read *file* over and over; append the KB of each read within the *window* to *done*."""
    account = Account("job")
    while True:
        for first in range(0, file.file.size, BLOCK):
            yield from machine.machine.read(file, first, BLOCK, account)
            if machine.machine.env.now > window.start:
                done.append(BLOCK // KIB)


def printed_inputs(seed: object, **parameters: Any) -> dict[str, float]:
    """Read off the parts the numbers that the paper states and the model takes as they are, whatever the *seed*."""
    used = change(MpeParameters(), **parameters)
    terminals = sum(script.terminals for script in read_shipped("hybrid_101.tepe"))
    return {
        "mips_iii": SERIES_III.mips, "mips_64": used.mips,
        "memory_iii_mb": SERIES_III.memory / MIB, "memory_64_mb": used.memory / MIB,
        "sequential_fetch_kb": used.fetch_sequential / KIB, "random_fetch_kb": used.fetch_random / KIB,
        "overhead_ms": used.hit_cpu / MS, "data_sets": float(sum(family.count for family in FAMILIES.values())),
        "terminals": float(terminals), "drivers": float(drivers_for(terminals)), "scripts": float(SCRIPTS_A_DRIVER),
        "interval": MINUTE,
    }  # fmt: skip


# The length of runs, the paper's load, and the names in pictures.

QUICK = {"minutes": 0.2, "warm_up": 0.15}
"""Window too short for all users to log on, which only shows that a study works."""

LOOK = {"minutes": 0.5, "warm_up": 2.0}
"""Window just long enough for all users to log on and queue, so that a quick look shows what a long one does."""

HEADLINE = StudyWindow({"minutes": 40.0, "warm_up": 10.0}, LOOK)
"""Window of the headline; programmers begin together, and take ten minutes to drift apart."""
MIXED = StudyWindow({"minutes": 6.0, "warm_up": 7.0}, LOOK)
ORDERS = StudyWindow({"minutes": 6.0, "warm_up": 3.0}, LOOK)
"""Clerks by themselves are steady once they are logged on and the caches are filled."""

PAIR = [False, True]
CACHED = {True: "disc caching", False: "no caching"}
RULES = "domains are of any length, and sequential files are fetched further ahead"
RESPONSE = "inquiry to first response, s"
with_paper = partial(with_points, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Decorates a function that draws with the points of the picture that the paper prints."""


def published_gain(paper: Numbers) -> float:
    """The percentage by which caching shortens the responses of the paper's 101 terminals."""
    return 100.0 * (1.0 - paper["B34"] / paper["B33"])


def papers(caching: object, **marks: object) -> Runs:
    """The 101 terminals of the paper, whose answers are the headline numbers."""
    return Runs(hybrid, HEADLINE, marks, terminals=101, caching=caching)
