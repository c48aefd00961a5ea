"""Makes the runs of ``spindle kv``: one for each combination of options, or a search of the smallest size of a tier."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from math import isqrt
from pathlib import Path

from spindle.cli.arguments import of_kind
from spindle.cli.kv_question import AXES, TIERS, KvCommand
from spindle.output.files import write_whole
from spindle.output.progress import progress_bar
from spindle.output.text import json_text
from spindle.questions.field import option_of
from spindle.questions.storage import positive, prices_of
from spindle.questions.words import count, rising, size
from spindle.sim import user_parts
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.forms import choose
from spindle.sim.quantity import amount, quantity
from spindle.sim.units import GB, MIB
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv import plan as kv_plan
from spindle.traces.kv.hardware import accelerator, language_model
from spindle.traces.kv.results import MEASURES, first_token, name_of, numbers, page, table
from spindle.traces.kv.routing import ROUTING, serve_on_nodes
from spindle.traces.kv.serving import KvResult
from spindle.traces.replay.answer import read_drive
from spindle.workloads.prompts import PromptTrace

Point = Mapping[str, str]
"""The options of one run by name, as text: options that vary between runs, and options that are the same in all."""
MAX_RUNS = 1000
"""Most combinations of options."""
MAX_NODES = 4096
"""Most nodes of a run."""
RANGE_MARK = ":"
"""The character between the ends of a range of sizes, ``8G:1T``, that is searched."""
SEARCH_END_RATIO = 1.05
"""A search ends when the larger end of its range is at most this times the smaller."""
KV_VERSION = 2
"""Version of the JSON output: raised when a name or a unit in it changes, with a table in CHANGELOG.md."""
ZERO_SIZE = re.compile(r"0+[KMGT]?I?B?", re.IGNORECASE | re.ASCII).fullmatch
"""Matches a size of nought in any unit."""
MEASURE_AND_TIME = re.compile(r"\s*(\w+)\s*(?:<=?|=)\s*(\S.*?)\s*").fullmatch
"""Matches what --want takes: a measure and its largest time."""


def answer_kv(options: KvCommand, out: Path | None) -> str:
    """Make all runs that *options* ask for; write a row for each to *out*, and return the answer as text or JSON."""
    want = kv_want(options.want) if options.want else None
    asked, trace = kv_points(options), options.prompts()
    points, results = kv_run(KvPlans(options), asked, trace, want)
    varied = [axis for axis in AXES if len({point.get(axis) for point in (*asked, *points)}) > 1]
    lines = kv_lines(results, points, varied, want)
    if out is not None:
        write_whole(out, kv_rows(results, points, varied).encode())
    if options.json:
        rows = [{**{axis: point[axis] for axis in varied}, **numbers(result)}
                for result, point in zip(results, points, strict=True)]
        least = {} if want is None else {"least": _least_run(results, *want)}
        return json_text({"version": KV_VERSION, "trace": options.trace, "notes": trace.note.splitlines(), **least,
                          "runs": rows})  # fmt: skip
    return "\n".join([options.trace, *filter(None, [trace.note]), *lines])


def kv_points(options: KvCommand) -> list[Point]:
    """Return all combinations of the values that *options* give; UserError for too many."""
    values = {axis: user_parts.split(text) for axis in AXES if (text := getattr(options, axis))}
    runs = 1
    for each in values.values():
        runs *= len(each)
    if runs > MAX_RUNS:
        raise UserError(f"{runs} runs are asked for, and {MAX_RUNS} are the most")
    for axis, each in values.items():
        if len({*each}) < len(each):
            raise UserError(f"{option_of(axis)} has a value twice: {','.join(each)}")
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


class KvPlans:
    """Makes the plan of each run, from what all runs share and the options of that run."""

    def __init__(self, options: KvCommand) -> None:
        self._options = options
        self._model, self._gpu, self._gpus = language_model(options.model), accelerator(options.gpu), options.gpus
        self._prefill = kv_plan.Prefill(prefill_rate=options.prefill)
        self._check_unused()

    def plan(self, point: Point) -> kv_plan.KvPlan:
        instances = count("--instances", point["instances"], most=4096)
        named = [name for name in TIERS if name in point or name == TIERS[0]]
        prices = dict(zip(named, prices_of("--prices", self._options.prices, len(named)), strict=False))
        tiers = [self._tier(name, point, instances, prices.get(name, 0.0)) for name in named
                 if name == TIERS[0] or not _is_none(point[name])]  # fmt: skip
        inclusion = choose("inclusion", point["inclusion"], INCLUSIONS)
        loading = choose("loading", point["loading"], kv_plan.LOADING)()
        return kv_plan.KvPlan(self._model, self._gpu, tiers, self._gpus, instances, inclusion, loading,
                              self._options.layered, self._prefill)

    def serve(self, point: Point, trace: PromptTrace) -> KvResult:
        """Run *trace* on the nodes of *point*."""
        nodes = count("--nodes", point["nodes"], most=MAX_NODES)
        router = choose("routing", point["routing"], ROUTING)(nodes)
        return serve_on_nodes(self.plan(point), trace, nodes, router)

    def _tier(self, name: str, point: Point, instances: int, price_of_gb: float) -> kv_plan.KvTier:
        room = kv_plan.cache_room(self._model, self._gpu, self._gpus, instances, self._prefill)
        held = size(f"--{name}", point[name]) if name in point and not _is_none(point[name]) else room
        policy: Callable[..., EvictionPolicy] = user_parts.part("policy", point.get(f"{name}_policy", point["policy"]),
                                                         POLICIES)
        price = price_of_gb * held / GB
        if name == "hbm":
            return kv_plan.KvMemory(name, held, policy, price)
        if name == "nvme":
            drives = count("--drives", point["drives"], most=1024)
            return kv_plan.KvDrives(name, held, _flash(self._options.drive), drives, policy, price)
        rate, latency = self._link(name)
        shared_rate = self._shared_rate() if name == "object" else 0.0
        return kv_plan.Linked(name, held, rate, latency, policy, price, shared_rate)

    def _check_unused(self) -> None:
        """Raise UserError for an impossible value of a tier, even where no run has that tier."""
        given = [getattr(self._options, f"{name}_policy") for name in TIERS]
        for policy in (policy for text in given if text for policy in user_parts.split(text)):
            user_parts.part("policy", policy, POLICIES)
        for drives in self._options.drives.split(","):
            count("--drives", drives, most=1024)
        _flash(self._options.drive)
        for name in ("dram", "object"):
            self._link(name)
        self._shared_rate()

    def _shared_rate(self) -> float:
        """Return the bytes a second of the store on the network to all instances together; 0 is no limit."""
        return _rate("--object-shared", self._options.object_shared, 0.0)

    def _link(self, name: str) -> tuple[float, float]:
        """Return the bytes a second of the tier *name*, and the seconds to the first byte."""
        options = self._options
        if name == "dram":
            return _rate("--dram-rate", options.dram_rate, kv_plan.PCIE_5 * self._gpus), kv_plan.DRAM_LATENCY
        latency = positive("--object-latency", options.object_latency, amount(options.object_latency, "s"))
        return _rate("--object-rate", options.object_rate, kv_plan.BITS_100), latency


def _is_none(text: str) -> bool:
    """Tell if a size is nought: such a tier is absent, except that hbm then takes all memory beside the weights."""
    return ZERO_SIZE(text) is not None


def _flash(word: str) -> FlashType:
    why = f"{quote(word)} is a disc, and the tier nvme is of flash drives"
    return of_kind("--drive", read_drive(word).disc, FlashType, why)


def _rate(name: str, text: str, usual: float) -> float:
    return positive(name, text, amount(text.removesuffix("/s"), "bytes")) if text else usual


def kv_want(text: str) -> tuple[str, float]:
    """Read what --want takes: a measure, and its largest value in seconds; UserError for another text."""
    found = MEASURE_AND_TIME(text)
    if found is None or found[1] not in MEASURES:
        raise UserError(f"--want takes MEASURE=TIME with {', '.join(MEASURES)}, as p95=500ms or 'p95 <= 500ms', not "
                        f"{quote(text)}")  # fmt: skip
    return found[1], positive("--want", found[2], amount(found[2], "s"))


def kv_run(
    make: KvPlans, points: Sequence[Point], trace: PromptTrace, want: tuple[str, float] | None
) -> tuple[list[Point], list[KvResult]]:
    """Make the runs of *points*, and of a search for a point with a range of sizes; return all runs and results."""
    ranges = [next((tier for tier in TIERS if RANGE_MARK in point.get(tier, "")), None) for point in points]
    if want is None and any(ranges):
        raise UserError("a range of sizes is searched for what --want says, as p95=500ms")
    tried = [point for point, tier in zip(points, ranges, strict=True) if tier is None]
    for point in tried:
        make.plan(point)  # refuses what cannot be, before the first run
    bar = progress_bar(tried, desc="serving") if len(tried) > 1 else [*tried]
    results = [make.serve(point, trace) for point in bar]

    def meets(point: Point) -> bool:
        tried.append(point)
        results.append(make.serve(point, trace))
        return want is not None and first_token(results[-1])[want[0]] <= want[1]

    for point, tier in zip(points, ranges, strict=True):
        if tier is not None:
            first = len(tried)
            _search(tier, point[tier], lambda size, point=point, tier=tier: meets({**point, tier: size}))  # type: ignore[misc]
            order = sorted(range(first, len(tried)), key=lambda place: int(tried[place][tier][:-1]))
            tried[first:], results[first:] = [tried[place] for place in order], [results[place] for place in order]
    return tried, results


def _search(tier: str, text: str, meets: Callable[[str], bool]) -> None:
    """Halve the range *text* of sizes of *tier* until its ends are close; a larger size is assumed to do no worse."""
    low, high = (each // MIB for each in rising(f"--{tier}", text, partial(size, least=MIB)))
    if meets(f"{low}M") or not meets(f"{high}M"):
        return
    while high > max(SEARCH_END_RATIO * low, low + 1):
        middle = max(isqrt(low * high), low + 1)
        if meets(f"{middle}M"):
            high = middle
        else:
            low = middle


def kv_lines(
    results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str], want: tuple[str, float] | None
) -> list[str]:
    """Return the text of the answer: of one run its numbers, of several a table of the options that vary."""
    lines = page(results[0]) if not varied else ["", *table(results, varied, _words(points, varied))]
    return lines if want is None else [*lines, "", _cheapest(results, points, varied, *want)]


def _words(points: Sequence[Point], varied: Sequence[str]) -> list[list[str]]:
    return [[point[axis] for axis in varied] for point in points]


def _least_run(results: Sequence[KvResult], measure: str, most: float) -> int | None:
    """Return the place of the cheapest run whose *measure* is at most *most*, or None.

    Without prices it is the run with the fewest bytes.
    """
    enough = [(result.plan.price, sum(tier.size for tier in result.plan.tiers), place)
              for place, result in enumerate(results) if first_token(result)[measure] <= most]
    return min(enough)[-1] if enough else None


def _cheapest(
    results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str], measure: str, most: float
) -> str:
    """Describe the cheapest run whose *measure* is at most *most*."""
    asked, place = f"a {measure} of {quantity(most, 's')}", _least_run(results, measure, most)
    if place is None:
        best = min(first_token(result)[measure] for result in results)
        return f"none has {asked}; the best is {quantity(best, 's')}"
    what = ", ".join(f"{axis} {points[place][axis]}" for axis in varied) or "this"
    return f"the least with {asked}: {what}, {quantity(first_token(results[place])[measure], 's')}"


def kv_rows(results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str]) -> str:
    """Return the runs as CSV, a line for each."""
    head = [*varied, "hit_share", *map(name_of, MEASURES), "recomputed_tokens", "price"]
    lines = [",".join(head)]
    for result, words in zip(results, _words(points, varied), strict=True):
        figures = numbers(result)
        times = [figures[name_of(each)] for each in MEASURES]
        values = [figures["hit_share"], *times, figures["recomputed_tokens"], figures["price"]]
        lines.append(",".join([*(f'"{word}"' if "," in word else word for word in words), *map(repr, values)]))
    return "\n".join(lines) + "\n"
