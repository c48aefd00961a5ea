"""Runs the paper's loads for all studies of the HP3000, and returns rows of numbers; with windows and names.

The CPU may have other work. Hit ratios by Che's approximation may be added.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import simpy

from spindle.models.hp3000.caching.alignment import SECTOR as SECTOR
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.load import CLERKS
from spindle.models.hp3000.machine import SESSION_LEVEL, MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.system import PARTS
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.cpu import Cpu
from spindle.sim.error import check_known
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result
from spindle.sim.request import READ, Access
from spindle.sim.streams import stream
from spindle.sim.units import MS
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.claim_points import Numbers, with_points
from spindle.studies.study import Runs, StudyWindow, means
from spindle.traces.curve.references import ReferenceLog

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


# The paper's loads as rows: transactions and development sessions mixed, and each by itself, beside other work.

DEVELOPMENT_SHARE = 38 / 101
"""The share of development sessions in the hybrid load of 63 + 38 terminals (McBride & Boles 1983)."""

NO_THINKING = 1e-9
"""Factor of think times that stands for no thinking, as 0 is refused."""
BURST_SECONDS = 20 * MS
"""Mean CPU time of a burst of the other work; about that of a burst of an answer of the program ORDERS."""

Row = dict[str, float]


def terminal_arguments(terminals: int) -> Mapping[str, int]:
    """Return the *terminals* of a hybrid load as arguments of a run."""
    return {"terminals": terminals, "clerks": parts_of(terminals)[0]}


def people(terminals: int, **others: Any) -> Row:
    """Run *terminals* as ``spindle run`` does: transactions, and from the paper's 63 on development sessions too."""
    clerks = min(terminals, CLERKS)
    return row(run_mixed(clerks, terminals - clerks, **others))


@means(terminals=terminal_arguments)
def hybrid(terminals: int, **others: Any) -> Row:
    """Run *terminals*, with the share of development sessions of the paper's hybrid load."""
    return row(run_mixed(*parts_of(terminals), **others))


def orders(terminals: int, **others: Any) -> Row:
    """Run transaction *terminals* by themselves."""
    return row(run_mixed(terminals, 0, **others))


@means(terminals=lambda programmers: {"terminals": programmers, "clerks": 0})
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
    programmers = round(terminals * DEVELOPMENT_SHARE)
    return terminals - programmers, programmers


def run_mixed(
    clerks: int, programmers: int, *, seed: object, caching: bool = True, other_work: float = 0.0,
    write: str = "behind", flush: str = "read-through", hold: str = "whole-call", alignment: str = "from-request",
    cache_memory: str = "one-clock", load: str = "calibrated", **others: Any,
) -> Result:  # fmt: skip
    """Run *clerks* beside *programmers*; *other_work* is the share of the CPU that other programs take."""
    named = {"write": write, "flush": flush, "hold": hold, "alignment": alignment, "cache_memory": cache_memory,
             "load": load}  # fmt: skip
    for part, name in named.items():
        check_known(part.replace("_", "-"), PARTS[part], name)
    if other_work:
        others["watch"] = OtherWork(other_work, seed)
    made = MpeOptions(**{part: PARTS[part][name] for part, name in named.items()})
    return run(clerks + programmers, clerks, caching, seed, choices=made, **others)


def row(result: Result) -> Row:
    """Summarise *result*, with data base calls a second, and how long they hold and wait for the control block."""
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
        account, every = Account("other work"), BURST_SECONDS / self._share
        while True:
            yield pause(env, self._random.expovariate(1 / every))
            cpu.burst(self._random.expovariate(1 / BURST_SECONDS), SESSION_LEVEL, Phase.CPU, account)


# The length of runs, the paper's load, and the names in pictures.

MARGINAL_SHARE = 0.1
"""A share of a response, or a gain, above this is more than "marginal", the paper's word."""

QUICK_WINDOW = {"minutes": 0.2, "warm_up": 0.15}
"""Minutes too few for all users to log on, which only show that a study works."""

LOOK_WINDOW = {"minutes": 0.5, "warm_up": 2.0}
"""Minutes just enough for all users to log on and queue, so that a quick look agrees with the whole study."""

HEADLINE = StudyWindow({"minutes": 40.0, "warm_up": 10.0}, LOOK_WINDOW)
"""Window of the paper's main numbers; programmers begin together, and take ten minutes to drift apart."""
MIXED = StudyWindow({"minutes": 6.0, "warm_up": 7.0}, LOOK_WINDOW)
ORDERS_TIMES = StudyWindow({"minutes": 6.0, "warm_up": 3.0}, LOOK_WINDOW)
"""Windows of clerks with programmers, and of clerks alone, who settle once the caches are full."""

PAIR = [False, True]
"""Values of *caching*: without it, and with it."""
CACHED = {True: "disc caching", False: "no caching"}
"""Names in pictures of runs with caching and without."""
DOMAIN_RULES = "domains are of any length, and sequential files are fetched further ahead"
RESPONSE_LABEL = "inquiry to first response, s"
with_paper = partial(with_points, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Decorates a function that draws a picture: adds the points that the paper prints."""


def published_gain(paper: Numbers) -> float:
    """Compute the percentage by which caching shortens the responses of the paper's 101 terminals."""
    return 100.0 * (1.0 - paper["B34"] / paper["B33"])


def paper_runs(caching: object, **marks: object) -> Runs:
    """Return runs of the paper's 101 terminals, of which its main numbers are."""
    return Runs(hybrid, HEADLINE, marks, terminals=101, caching=caching)
