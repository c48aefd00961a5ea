"""``spindle kv``: a replay of prompts through a language model's KV cache in tiers (HBM, DRAM, flash, objects): time to
first token of each combination of options, or the smallest size that meets one (``--want``).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import take_fields
from spindle.cli.printing import finish
from spindle.output.files import write_whole
from spindle.output.progress import progress_bar
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.questions.storage import positive
from spindle.questions.words import MAX_COUNT, count, number, size
from spindle.sim import user_parts
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.forms import choose
from spindle.sim.quantity import amount, quantity
from spindle.sim.units import MIB
from spindle.traces.curve.tiers import INCLUSIONS
from spindle.traces.kv.plan import (
    ACCELERATORS,
    BITS_100,
    DRAM_LATENCY,
    GB,
    LOADING,
    MODELS,
    PCIE_5,
    KvDrives,
    KvMemory,
    KvPlan,
    KvTier,
    Linked,
    Prefill,
    cache_room,
)
from spindle.traces.kv.results import MEASURES, first_token, name_of, numbers, page, table
from spindle.traces.kv.serving import KvResult, serve
from spindle.traces.replay.answer import read_drive
from spindle.workloads.prompts import PromptTrace
from spindle.workloads.traces.prompts import read_prompts

TIERS = ("hbm", "dram", "nvme", "object")
"""Tiers, fastest first."""
MAX_RUNS = 1000
RANGE = ":"
"""Between the ends of a range of sizes that is searched."""
NEAR_SIZES = 1.05
"""A search ends when the larger end of its range is at most this times the smaller."""
SECOND = {"ms": 1e-3, "s": 1.0, "us": 1e-6}
VERSION = 2
"""Of the JSON: raised where a name or a unit changes, with a table in CHANGELOG.md."""

ABOUT = """\
Times to the first token where prompts are prefilled apart from answers; no response of a server
that batches both (spindle verify has one). Take a trace of prompts (JSON lines as Mooncake's:
timestamp, input_length, output_length, hash_ids)
through a cache of keys and values in tiers: the accelerators' memory (--hbm), the host's (--dram),
flash drives (--nvme) and a store on the network (--object). A cached block saves its prefill only if
all before it are in some tier too. What is evicted from a tier is written to the next one (--inclusion
exclusive), or everything to all tiers at once (inclusive). Prompts are prefilled in the order of
arrival, one at a time on each instance; answers are decoded elsewhere. Several values of an option,
separated by commas, make a table of all combinations. --want shows the cheapest of these that meets
a time to first token, and searches a range of sizes, LOW:HIGH."""

EXAMPLES = """\
  spindle kv conversation_trace.jsonl --dram 512G --instances 8
  spindle kv trace.jsonl --dram 64G,128G,256G --instances 4 --want p95=500ms
  spindle kv trace.jsonl --dram 8G:1T --instances 4 --want p95=500ms --policy lru,s3-fifo
  spindle kv trace.jsonl --dram 512G --nvme 8T --drive samsung960pro --drives 16 --prices 0,4,0.1
  spindle kv trace.jsonl --dram 256G --policy lru,s3-fifo --json"""


Point = Mapping[str, str]
"""The options of one run, as text: those that vary, and those that all runs have."""
AXES = (*TIERS, "policy", *(f"{name}_policy" for name in TIERS), "drives", "instances", "loading", "inclusion")
"""Options that may have several values."""


POLICY_OF = "policy of {}; default --policy"
SIZES_OF = "bytes of {}, as 512G, 8T, or 8G:1T; default {}"


@dataclass(frozen=True)
class KvCommand:
    """Prompts through tiers; a field of AXES may have several values, with commas."""

    trace: str = ask("", "JSON lines, perhaps compressed with gzip, zstd, xz or bzip2", first="1", metavar="TRACE")
    limit: int = ask(0, "the first N prompts only; 0 is all", least=0, most=MAX_COUNT)
    block_tokens: int = ask(0, "tokens of a block; 0 is as the trace says, or 512", least=0, most=1 << 20)
    time_unit: str = ask("", "of timestamps: ms | s | us; default by the field, ms", words=("", *SECOND),
                         noun="time unit", metavar="UNIT")
    speed: float = ask(1.0, "factor on the prompts a second", least=1e-9, most=1e9, metavar="X")
    model: str = ask("llama-3.1-70b", " | ".join(MODELS), words=tuple(MODELS), noun="model")
    gpu: str = ask("h100", f"accelerators: {' | '.join(ACCELERATORS)}", words=tuple(ACCELERATORS),
                   noun="gpu")
    gpus: int = ask(8, "accelerators of an instance", least=1, most=4096)
    instances: str = ask("1", "instances that prefill, each one prompt at a time", whole=True, metavar="N,...")
    prefill: float = ask(0.0, "tokens a second of an instance; 0 is by the model's operations at half of the "
                              "accelerators' printed speed", least=0.0, most=1e12)
    hbm: str = ask("", SIZES_OF.format("the accelerators' memory for the cache", "all beside the weights"), whole=True,
                   metavar="SIZE,...")
    dram: str = ask("", SIZES_OF.format("the host's memory", "none"), whole=True, metavar="SIZE,...")
    nvme: str = ask("", SIZES_OF.format("the flash drives", "none"), whole=True, metavar="SIZE,...")
    object: str = ask("", SIZES_OF.format("the store on the network", "none"), whole=True, metavar="SIZE,...")
    policy: str = ask("lru", f"policy of all tiers: {' | '.join(POLICIES)}", whole=True, metavar="NAME,...")
    hbm_policy: str = ask("", POLICY_OF.format("hbm"), whole=True, metavar="NAME,...")
    dram_policy: str = ask("", POLICY_OF.format("dram"), whole=True, metavar="NAME,...")
    nvme_policy: str = ask("", POLICY_OF.format("nvme"), whole=True, metavar="NAME,...")
    object_policy: str = ask("", POLICY_OF.format("object"), whole=True, metavar="NAME,...")
    dram_rate: str = ask("", "bytes/s to an instance, as 50GB; default 63 GB/s an accelerator (PCI Express 5.0 x16)",
                         metavar="RATE")
    drive: str = ask("samsung960pro", "the file of a flash drive, or its name")
    drives: str = ask("1", "drives that share the blocks", whole=True, metavar="N,...")
    object_rate: str = ask("", "bytes/s to an instance; default 12.5 GB/s (100 Gbit/s)", metavar="RATE")
    object_latency: str = ask("100ms", "of the first byte, as Amazon says of S3 (100 to 200)", metavar="TIME")
    inclusion: str = ask("exclusive", "exclusive | inclusive", whole=True, metavar="RULE,...")
    loading: str = ask("always", "always | cheaper: load no more of a prefix than is quicker than to compute it",
                       whole=True, metavar="RULE,...")
    layered: bool = ask(False, "compute a layer while the next is loaded")
    prices: str = ask("", "price of 10^9 bytes of each tier, hbm first", whole=True, metavar="N,...")
    want: str = ask("", "show the cheapest run with this, such as p95=500ms", metavar="MEASURE=TIME")
    out: str = ask("", "a row for each run", metavar="FILE.csv")
    json: bool = ask(False, "all numbers, as JSON")

    def prompts(self) -> PromptTrace:
        unit = SECOND[self.time_unit] if self.time_unit else None
        read = read_prompts(Path(self.trace), self.block_tokens or None, unit, self.limit or None)
        return read.faster(self.speed)


def main(arguments: Sequence[str]) -> int:
    options = take_fields(ArgumentParser("kv", ABOUT, EXAMPLES), KvCommand, arguments)
    files = outputs([Path(options.trace)], {"--out": options.out})
    want = _want(options.want) if options.want else None
    asked = _points(options)
    trace = options.prompts()
    points, results = _run(_Plans(options), asked, trace, want)
    varied = [axis for axis in AXES if len({point.get(axis) for point in (*asked, *points)}) > 1]
    lines = _lines(results, points, varied, want)
    if (path := files["--out"]) is not None:
        write_whole(path, _rows(results, points, varied).encode())
    if options.json:
        rows = [{**{axis: point[axis] for axis in varied}, **numbers(result)}
                for result, point in zip(results, points, strict=True)]
        return finish(json_text({"version": VERSION, "trace": options.trace, "runs": rows}))
    return finish("\n".join([options.trace, *filter(None, [trace.note]), *lines]))


def _points(options: KvCommand) -> list[Point]:
    """All combinations of the values given."""
    values = {axis: user_parts.split(text) for axis in AXES if (text := getattr(options, axis))}
    runs = 1
    for each in values.values():
        runs *= len(each)
    if runs > MAX_RUNS:
        raise UserError(f"{runs} runs are asked for, and {MAX_RUNS} are the most")
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


class _Plans:
    """Shared settings of all runs, and the plan of each."""

    def __init__(self, options: KvCommand) -> None:
        self._options = options
        self._model, self._gpu, self._gpus = MODELS[options.model], ACCELERATORS[options.gpu], options.gpus
        self._prefill = Prefill(prefill_rate=options.prefill)
        self._prices = [_price(each) for each in options.prices.split(",")] if options.prices else []
        self._check_unused()

    def plan(self, point: Point) -> KvPlan:
        instances = count("--instances", point["instances"], most=4096)
        tiers = [self._tier(name, point, instances) for name in _tiers_of(point)]
        if self._prices and len(self._prices) != len(tiers):
            raise UserError(f"--prices names {len(self._prices)} prices for {len(tiers)} tiers")
        inclusion = choose("inclusion", point["inclusion"], INCLUSIONS)
        return KvPlan(self._model, self._gpu, tiers, self._gpus, instances, inclusion,
                      choose("loading", point["loading"], LOADING)(), self._options.layered, self._prefill)

    def _tier(self, name: str, point: Point, instances: int) -> KvTier:
        room = cache_room(self._model, self._gpu, self._gpus, instances, self._prefill)
        held = tier_size(f"--{name}", point[name]) if name in point else room
        policy: Callable[..., EvictionPolicy] = user_parts.part("policy", point.get(f"{name}_policy", point["policy"]),
                                                         POLICIES)
        place = _tiers_of(point).index(name)
        price = self._prices[place] * held / GB if place < len(self._prices) else 0.0
        if name == "hbm":
            return KvMemory(name, held, policy, price)
        if name == "nvme":
            drives = count("--drives", point["drives"], most=1024)
            return KvDrives(name, held, _flash(self._options.drive), drives, policy, price)
        rate, latency = self._link(name)
        return Linked(name, held, rate, latency, policy, price)

    def _check_unused(self) -> None:
        """UserError for a value of a tier that cannot be, though no run may have that tier."""
        given = [getattr(self._options, f"{name}_policy") for name in TIERS]
        for policy in (policy for text in given if text for policy in user_parts.split(text)):
            user_parts.part("policy", policy, POLICIES)
        for drives in self._options.drives.split(","):
            count("--drives", drives, most=1024)
        _flash(self._options.drive)
        for name in ("dram", "object"):
            self._link(name)

    def _link(self, name: str) -> tuple[float, float]:
        """Bytes a second, and seconds to the first byte."""
        options = self._options
        if name == "dram":
            return _rate("--dram-rate", options.dram_rate, PCIE_5 * self._gpus), DRAM_LATENCY
        latency = positive("--object-latency", options.object_latency, amount(options.object_latency, "s"))
        return _rate("--object-rate", options.object_rate, BITS_100), latency


def _tiers_of(point: Point) -> list[str]:
    """The tiers of a run: the accelerators' memory, and those that have a size; 0 is none."""
    return [each for each in TIERS if each == TIERS[0] or point.get(each, "0") != "0"]


def tier_size(name: str, text: str) -> int:
    """A number of bytes, as 512G, 8T or 8TB."""
    tera = text.upper().rstrip("IB")
    if not tera.endswith("T"):
        return size(name, text)
    factor = 1000 if text.upper().endswith("TB") else 1024
    return size(name, f"{tera[:-1]}{'GB' if factor == 1000 else 'G'}") * factor


def _flash(word: str) -> FlashType:
    sheet = read_drive(word).disc
    if not isinstance(sheet, FlashType):
        raise UserError(f"--drive: {quote(word)} is a disc, and the tier nvme is of flash drives")
    return sheet


def _rate(name: str, text: str, usual: float) -> float:
    return positive(name, text, amount(text.removesuffix("/s"), "bytes")) if text else usual


def _price(text: str) -> float:
    price = number("--prices", text)
    if not 0.0 <= price < 1e12:
        raise UserError(f"--prices must be at least 0, not {quote(text)}")
    return price


def _want(text: str) -> tuple[str, float]:
    measure, sign, time = (each.strip() for each in text.replace("<=", "=").replace("<", "=").partition("="))
    if not sign or measure not in MEASURES:
        raise UserError(f"--want takes MEASURE<=TIME with {', '.join(MEASURES)}, as 'p95<=500ms', not {quote(text)}")
    return measure, positive("--want", time, amount(time, "s"))


def _run(
    make: _Plans, points: Sequence[Point], trace: PromptTrace, want: tuple[str, float] | None
) -> tuple[list[Point], list[KvResult]]:
    """Return the runs and their results: each of *points*, and for one with a range of sizes those of a search."""
    ranges = [next((tier for tier in TIERS if RANGE in point.get(tier, "")), None) for point in points]
    if want is None and any(ranges):
        raise UserError("a range of sizes is searched for what --want says, as p95=500ms")
    plans = [make.plan(point) for point, tier in zip(points, ranges, strict=True) if tier is None]
    bar = progress_bar(plans, desc="serving") if len(plans) > 1 else plans
    tried = [point for point, tier in zip(points, ranges, strict=True) if tier is None]
    results = [serve(plan, trace) for plan in bar]

    def meets(point: Point) -> bool:
        tried.append(point)
        results.append(serve(make.plan(point), trace))
        return want is not None and first_token(results[-1])[want[0]] <= want[1]

    for point, tier in zip(points, ranges, strict=True):
        if tier is not None:
            first = len(tried)
            _search(tier, point[tier], lambda size, point=point, tier=tier: meets({**point, tier: size}))  # type: ignore[misc]
            order = sorted(range(first, len(tried)), key=lambda place: int(tried[place][tier][:-1]))
            tried[first:], results[first:] = [tried[place] for place in order], [results[place] for place in order]
    return tried, results


def _search(tier: str, text: str, meets: Callable[[str], bool]) -> None:
    """Halve the range *text* of sizes of *tier* until its ends are near each other; a larger size never does worse."""
    low, high = (tier_size(f"--{tier}", end) // MIB for end in text.split(RANGE, 1))
    if not 0 < low < high:
        raise UserError(f"--{tier} takes a range that goes up from 1M at least, as 8G:1T, not {quote(text)}")
    if meets(f"{low}M") or not meets(f"{high}M"):
        return
    while high > NEAR_SIZES * low:
        middle = isqrt(low * high)
        if meets(f"{middle}M"):
            high = middle
        else:
            low = middle


def _lines(
    results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str], want: tuple[str, float] | None
) -> list[str]:
    lines = page(results[0]) if not varied else ["", *table(results, varied, _words(points, varied))]
    return lines if want is None else [*lines, "", _cheapest(results, points, varied, *want)]


def _words(points: Sequence[Point], varied: Sequence[str]) -> list[list[str]]:
    return [[point[axis] for axis in varied] for point in points]


def _cheapest(
    results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str], measure: str, most: float
) -> str:
    """Describe the cheapest run with at most *most*, or the one with the fewest bytes if there are no prices."""
    enough = [(result.plan.price, sum(tier.size for tier in result.plan.tiers), place)
              for place, result in enumerate(results) if first_token(result)[measure] <= most]
    asked = f"a {measure} of {quantity(most, 's')}"
    if not enough:
        best = min(first_token(result)[measure] for result in results)
        return f"none has {asked}; the best is {quantity(best, 's')}"
    *_, place = min(enough)
    what = ", ".join(f"{axis} {points[place][axis]}" for axis in varied) or "this"
    return f"the least with {asked}: {what}, {quantity(first_token(results[place])[measure], 's')}"


def _rows(results: Sequence[KvResult], points: Sequence[Point], varied: Sequence[str]) -> str:
    """Return a line of CSV for each run."""
    head = [*varied, "hit_share", *map(name_of, MEASURES), "recomputed_tokens", "price"]
    lines = [",".join(head)]
    for result, words in zip(results, _words(points, varied), strict=True):
        figures = numbers(result)
        times = [figures[name_of(each)] for each in MEASURES]
        values = [figures["hit_share"], *times, figures["recomputed_tokens"], figures["price"]]
        lines.append(",".join([*(f'"{word}"' if "," in word else word for word in words), *map(repr, values)]))
    return "\n".join(lines) + "\n"
