"""``spindle curve``: hit ratios of a trace by the size of a cache, of blocks or objects; tiers, samples, responses."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spindle.cli import plotting
from spindle.cli.arguments import ABSENT, ArgumentParser, or_default, outputs
from spindle.cli.fields import add_fields, read_fields, refuse_fields
from spindle.cli.printing import finish
from spindle.cli.replay import files_read
from spindle.cli.trace_file import SHAPE, add_trace, limit_of, open_trace, passed_over, read_with_bar, reading
from spindle.output.progress import ProgressBar, progress_bar
from spindle.output.text import plural
from spindle.questions.array import ArrayOptions
from spindle.questions.words import count, number, size
from spindle.sim import user_parts
from spindle.sim.error import UserError
from spindle.sim.forms import choose
from spindle.sim.quantity import amount
from spindle.studies.plots.terminal import TextLine, drawn_lines
from spindle.traces.blocks import TraceReferences, collect_references, references
from spindle.traces.curve.object_hits import ADMISSIONS, AdmitAll
from spindle.traces.curve.tier_contents import replayed_answer
from spindle.traces.curve.tiers import Inclusion, Tier, frontier, tier_answer
from spindle.traces.curve_answers import CurveAnswer, by_device, curve_answer, over_time, sentences, settling_end
from spindle.traces.curves import (
    BOUNDS,
    LRU,
    NAMES,
    Curves,
    che,
    columns,
    curve_frame,
    curve_page,
    hit_curves,
    mean_responses,
    policy_of,
    rows_within_bounds,
    sampled_curves,
    sampled_sizes,
    take_samples,
    usual_sizes,
)
from spindle.traces.objects import (
    BELADY_SIZE,
    ObjectRules,
    check_fits_bytes,
    object_curves,
    object_frame,
    object_page,
    object_references,
    usual_capacities,
    working_set_of,
)
from spindle.traces.opening import MANY_DEVICES, on_devices
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.question import (
    INCLUSIONS,
    TIERS_SAY,
    CacheOptions,
    DriveOptions,
    ReplayQuestion,
    TierOptions,
    positive,
)
from spindle.traces.replay.storage import WRITING, CachePlan
from spindle.traces.report import frontier_lines, tier_lines
from spindle.workloads.traces.reader import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


# The plan of the curves from the options: policies, sizes, rules for objects, tiers; and options that exclude others.

MAX_SIZES = 1000
AUTO = "auto"
GB = 10**9
"""Unit of prices, in bytes."""
TTL = {"ignore": False, "honour": True}
UNSAMPLED_OPTIONS = ("warm_up", "over_time", "by_device", "bytes", "admit")
"""Options that a sample cannot answer."""


class StackPlan(NamedTuple):
    """*tiers*, the seconds *below* of a reference that none of them has, and whether they are *priced*."""

    tiers: Sequence[Tier]
    below: float | None
    inclusion: Inclusion
    priced: bool


class CurvePlan(NamedTuple):
    """Plan of the curves: without *sizes* the usual ones; a *warm_up* of None is found in the trace."""

    policies: Sequence[str]
    sizes: Sequence[int]
    block: int
    warm_up: float | None
    rules: ObjectRules | None
    stack: StackPlan | None
    shares: Sequence[float] = ()


def curve_plan(options: Namespace) -> CurvePlan:
    block = size("--block", options.block)
    rules = _rules(options)
    _check_combination(options, rules)
    return CurvePlan(_policies(options, rules), _sizes(options.sizes, options.bytes), block, _warm_up(options),
                     rules, _stack(options, block), _shares(options.sizes))


def _rules(options: Namespace) -> ObjectRules | None:
    honoured = choose("way to treat times to live", or_default(options.ttl, "ignore"), TTL)
    if not (options.bytes or honoured or options.admit is not None):
        return None
    admission = user_parts.part("admission", options.admit, ADMISSIONS) if options.admit is not None else AdmitAll
    admission()  # refuses arguments that cannot be
    return ObjectRules(options.bytes, honoured, admission)


def _check_combination(options: Namespace, rules: ObjectRules | None) -> None:
    if options.sample is not None:
        for option in UNSAMPLED_OPTIONS:
            if getattr(options, option) not in ABSENT:
                raise UserError(f"--{option.replace('_', '-')} needs the whole trace, and not a --sample of it")
        refuse_fields(TierOptions, options, "needs the whole trace, and not a --sample of it")
        if rules is not None:
            raise UserError("--ttl needs the whole trace, and not a --sample of it")
    if rules is not None and (options.response or options.over_time or options.by_device
                              or read_fields(TierOptions, options).tiers):  # fmt: skip
        raise UserError("--bytes, --ttl and --admit go without --response, --tiers, --over-time and --by-device")


def _policies(options: Namespace, rules: ObjectRules | None) -> list[str]:
    names = user_parts.split(options.policy)
    for name in names:
        if read_fields(TierOptions, options).tiers and name in BOUNDS:
            raise UserError(f"--tiers: {name} is a bound of one cache, and no policy of tiers")
        if rules is None or name != BELADY_SIZE or not rules.in_bytes:
            policy_of(name)
            if rules is not None and rules.in_bytes:
                check_fits_bytes(name)
        if names.count(name) > 1:
            raise UserError(f"--policy names {name} twice")
    return names


def _shares(text: str | None) -> list[float]:
    """Sizes as shares of all that is asked for, such as 1%; none where they are no shares."""
    if text is None or "%" not in text:
        return []
    shares = [number("--sizes", each.strip().removesuffix("%")) / 100 for each in text.split(",")]
    if not all(each.strip().endswith("%") for each in text.split(",")) or not all(0 < share <= 1 for share in shares):
        raise UserError(f"--sizes takes sizes, or shares of the working set above 0% and up to 100%, not {text}")
    return sorted(set(shares))


def _set_sizes(plan: CurvePlan, whole: int) -> CurvePlan:
    """Return *plan* with the sizes that are shares of the *whole* working set."""
    return plan._replace(sizes=sorted({max(1, round(share * whole)) for share in plan.shares}) or plan.sizes)


def _sizes(text: str | None, in_bytes: bool) -> list[int]:
    """Read the sizes; empty where none or shares are given, which are computed when the blocks are known."""
    if text is None or "%" in text:
        return []
    sizes = sorted({(size if in_bytes else count)("--sizes", each) for each in text.split(",")})
    if len(sizes) > MAX_SIZES:
        raise UserError(f"--sizes names {len(sizes)} sizes, and {MAX_SIZES} are the most")
    return sizes


def _warm_up(options: Namespace) -> float | None:
    if options.warm_up == AUTO:
        return None
    share = number("--warm-up", or_default(options.warm_up, "0"))
    if not 0.0 <= share < 1.0:
        raise UserError(f"--warm-up must be a share of the references from 0 up to 1, not {share!r}")
    return share


def _stack(options: Namespace, block: int) -> StackPlan | None:
    asked = read_fields(TierOptions, options)
    if not asked.tiers:
        for option in ("below", "prices"):
            if getattr(options, option) is not None:
                raise UserError(f"--{option} is for --tiers")
        return None
    tiers = asked.stack(block)
    if options.prices is not None:
        prices = [positive("--prices", each, number("--prices", each)) for each in options.prices.split(",")]
        if len(prices) != len(tiers):
            raise UserError(f"--prices names {len(prices)} prices for {len(tiers)} tiers")
        tiers = [replace(tier, price=price * tier.blocks * block / GB)
                 for tier, price in zip(tiers, prices, strict=True)]
        _needs_lru(options)
    below = None if options.below is None else positive("--below", options.below, amount(options.below, "s"))
    return StackPlan(tiers, below, INCLUSIONS[asked.inclusion], options.prices is not None)


def _needs_lru(options: Namespace) -> None:
    """UserError where thousands of stacks cannot be compared: LRU has them all from one pass."""
    if options.policy != LRU:
        raise UserError(f"--prices compares thousands of stacks, which takes --policy {LRU}")
    if options.below is None:
        raise UserError("--prices needs --below TIME: what a block takes that no tier has")


POLICY_HELP = f"{' | '.join(NAMES)}, perhaps with arguments, as s3-fifo(small=0.1); with --bytes also "\
              f"{BELADY_SIZE}; default lru"


ABOUT = """\
Count the hits of a trace in caches of many sizes, without a clock: each request is one reference
to each of its blocks, or to each object whose key it has; reads and writes count alike, every
miss brings its block in, and caches are empty at first. LRU is exact at every size in one pass,
other policies are replayed at each; belady is the bound that no policy exceeds, and may keep a
miss out; belady-min is the bound if every miss comes in. LRU misses first uses, for too little
memory (which belady misses, too), or for its policy (the rest). --sample takes a share of the
blocks, where all do not fit in memory: that keeps hit ratios, but not queues, so there is no
--response of a sample."""

EXAMPLES = """\
  spindle curve trace.csv
  spindle curve conversation_trace.jsonl --sizes 1000,10000,50000 --over-time
  spindle curve objects.csv --columns time=1,key=2,device=4 --warm-up 0.1 --by-device
  spindle curve trace.csv --policy lru,arc,fac,belady --block 4096 --sizes 4,16,64 --out hits.csv --plot hits.png
  spindle curve cluster.csv --bytes --ttl honour --policy lru,gdsf --admit bloom --html answer.html
  spindle curve trace.csv --tiers 8GB:0.1us,64GB:2us,1TB:100us --below 10ms --prices 10,3,0.1
  spindle curve trace.csv --policy lru,arc --sizes 4,16,64 --response --drive hp7933 --scheduler sptf"""

class CurvesAnswered(NamedTuple):
    """The *lines* of the page, and functions for the table and the picture, whose packages take a second to import."""

    lines: list[str]
    table: "Callable[[], DataFrame]"
    picture: "Callable[[DataFrame, str], Figure]"


def main(arguments: Sequence[str]) -> int:
    return finish("\n".join(answer_for(arguments).lines))


def answer_for(arguments: Sequence[str]) -> CurvesAnswered:
    """Compute the curves that *arguments* ask for, and write the files and pictures that they name."""
    options = _parser().take(arguments)
    plan = curve_plan(options)
    files = outputs(files_read(options), {
        "--out": options.out, "--plot": plotting.plot_file(options.plot), "--html": options.html})  # fmt: skip
    below = _storage_below(options)
    trace = open_trace(options, MANY_DEVICES) if below is None else on_devices(open_trace(options))
    answer = (_objects(options, trace, plan, plan.rules) if plan.rules is not None else
              _whole_curves(options, trace, plan, below) if options.sample is None else
              _sampled_curves(options, trace, plan))
    lines = [f"{options.trace}, {trace.format.name}", *passed_over(trace), *answer.lines]
    if any(files.values()):
        _write(answer, [f"{trace.path.name}, {trace.format.name}", *lines[1:]], trace.path.name, files)
    if options.plot is not None:
        table = answer.table()
        lines += plotting.plot_or_save(files["--plot"], lambda: answer.picture(table, trace.path.name),
                                  partial(curve_text, table), "the curves")  # fmt: skip
    return answer._replace(lines=lines)


def curve_text(table: "DataFrame", width: int) -> str:
    """The curves of *table* in a terminal of *width* columns."""
    room = str(table.columns[1])
    lines = [TextLine(str(name), list(zip(rows[room], rows["hit_ratio"], strict=True)), max(1, len(rows) // 12))
             for name, rows in table.groupby("policy", sort=False)]  # fmt: skip
    ends = f"{table[room].min():,}", f"{table[room].max():,}"
    named = f"{room.removeprefix('cache_')} in the cache"
    return "\n".join(["hit ratio", *drawn_lines(lines, width, ends, named, "1", "policy")])


def _parser() -> ArgumentParser:
    parser = ArgumentParser("curve", ABOUT, EXAMPLES)
    add_trace(parser)
    parser.add_argument("--policy", metavar="NAME,...", default="lru", help=POLICY_HELP)
    parser.add_argument("--block", metavar="BYTES", default="4096", help="as 512 or 64K; default 4096")
    parser.add_argument("--sizes", metavar="N,...", help="blocks of the caches, or with --bytes their bytes, as 64M; "
                        "or shares of the working set, as 0.1%%,1%%,10%%; default spread by logarithm")
    parser.add_argument("--warm-up", metavar="SHARE", help="first share of the references, such as 0.1, that does not "
                        "count, or auto: until the hits of LRU have settled; default 0")
    parser.add_argument("--over-time", action="store_true", help="the hit ratio of LRU in each tenth of the trace")
    parser.add_argument("--by-device", action="store_true", help="the hit ratio of LRU of each device, volume or "
                        "tenant, of reads and of writes; --columns device=N makes any column that")
    parser.add_argument("--sample", metavar="SHARE", help="of the blocks to take, such as 0.01; with 95 %% bounds")
    parser.add_argument("--bytes", action="store_true", help="caches hold bytes of objects with their sizes; "
                        "hit ratios of requests and of bytes")
    parser.add_argument("--ttl", metavar="HOW", help="times to live of objects: ignore | honour; default ignore")
    parser.add_argument("--admit", metavar="NAME", help="what enters the cache after a miss: all | size(most=65536) | "
                        "bloom: what has missed before; default all")
    add_fields(parser, TierOptions, says={"tiers": TIERS_SAY})
    parser.add_argument("--below", metavar="TIME", help="time of a block that no tier has; default unknown, and "
                        "the mean is of hits alone")
    parser.add_argument("--prices", metavar="N,...", help="of 10^9 bytes of each tier: shows which sizes pay")
    parser.add_argument("--out", metavar="FILE.csv", help="columns cache_blocks or cache_objects, refs, "
                        "hits, hit_ratio")
    parser.add_argument("--html", metavar="FILE.html", help="the whole answer as one page without other files")
    plotting.add_plot(parser, "the curves; dashed is Che's approximation of LRU")
    parser.add_argument("--response", action="store_true", help="simulate the cache above a drive, at a few sizes")
    for asked, without in BELOW:
        add_fields(parser, asked, without)
    return parser


BELOW: Sequence[tuple[Callable[..., object], Sequence[str]]] = (
    (DriveOptions, ()), (ArrayOptions, ()), (CacheOptions, ("cache", "policy", "block")))  # fmt: skip
"""The fields of the storage below a cache, each group without what the curve asks itself."""


def _storage_below(options: Namespace) -> StoragePlan | None:
    """Return the storage that --response simulates below the cache."""
    if not options.response:
        for asked, _ in BELOW:
            refuse_fields(asked, options, "is for --response")
        return None
    if options.sample is not None:
        raise UserError("--response needs the whole trace: a sample keeps hit ratios, but not queues")
    device, array = read_fields(DriveOptions, options), read_fields(ArrayOptions, options)
    return ReplayQuestion(device=device, array=array).storage_plan()


def _whole_curves(options: Namespace, trace: Trace, plan: CurvePlan, below: StoragePlan | None) -> CurvesAnswered:
    """Compute the curves of the whole trace, and the responses above the storage *below*."""
    string = _read(options, trace, plan.block)
    blocks = string.blocks
    unique = len(np.unique(blocks))
    plan = _set_sizes(plan, unique)
    sizes = plan.sizes or usual_sizes(plan.policies, unique)
    early, settled = _find_warm_up(string, plan)
    with _bar(len(blocks) * len(plan.policies)) as bar:
        rows = rows_within_bounds(hit_curves(blocks, plan.policies, sizes, bar.update, early, string.drops))
    curves = Curves(rows, sizes, che(blocks, sizes, early) if LRU in plan.policies else {})
    answers, lines = None, list[str]()
    if LRU in plan.policies or options.over_time or options.by_device or plan.stack is not None:
        answers = curve_answer(string, plan.sizes, early)
        lines = _lines(options, plan, string, answers)
    responses = {} if below is None else _responses(options, trace, plan, curves, below)
    block = None if string.keyed else plan.block
    said = [*settled, *_delete_lines(string), *curve_page(curves, block, responses), *lines]
    return _prepare(curves, block, said, responses,
                  answers.marks if answers else {})


def _delete_lines(string: TraceReferences) -> list[str]:
    count = len(string.drops.places)
    said = f"{plural(count, 'delete')}: each takes its object out of the caches, and is no reference"
    return [said] if count else []


def _find_warm_up(string: TraceReferences, plan: CurvePlan) -> tuple[int, list[str]]:
    """Return the number of references that do not count, and a line if it was found in the trace."""
    if plan.warm_up is not None:
        return round(plan.warm_up * len(string.blocks)), []
    early = settling_end(string.blocks)
    return early, [f"the first {early:,} references warm up: then the hits of LRU have settled (MSER-5)"]


def _prepare(
    curves: Curves, block: int | None, lines: list[str], responses: Mapping[tuple[str, int], float],
    marks: Mapping[str, int],
) -> CurvesAnswered:  # fmt: skip
    def table() -> "DataFrame":
        return curve_frame(curves, responses, "cache_objects" if block is None else "cache_blocks")

    def picture(table: "DataFrame", title: str) -> "Figure":
        from spindle.traces.pictures import curve_picture

        return curve_picture(table, curves.che, title, marks)

    return CurvesAnswered(lines, table, picture)


def _objects(options: Namespace, trace: Trace, plan: CurvePlan, rules: ObjectRules) -> CurvesAnswered:
    """Compute hit ratios of requests and bytes by replaying each policy at each size."""
    string = _read(options, trace, plan.block)
    early, settled = _find_warm_up(string, plan)
    references = object_references(string, plan.block, rules)
    plan = _set_sizes(plan, working_set_of(references, rules))
    sizes = plan.sizes or usual_capacities(references, rules)
    with _bar(len(references.keys) * len(plan.policies)) as bar:
        rows = rows_within_bounds(object_curves(references, plan.policies, sizes, early, rules, bar.update))

    def table() -> "DataFrame":
        return object_frame(rows, rules)

    def picture(table: "DataFrame", title: str) -> "Figure":
        from spindle.traces.pictures import object_picture

        return object_picture(table, title)

    return CurvesAnswered([*settled, *_delete_lines(string), *object_page(rows, references, rules)], table, picture)


def _read(options: Namespace, trace: Trace, block: int) -> TraceReferences:
    most = limit_of(options) or None
    with reading(trace, "reading") as bar:
        return collect_references(trace, block, most, bar.update)


def _lines(options: Namespace, plan: CurvePlan, string: TraceReferences, answers: CurveAnswer) -> list[str]:
    lines = sentences(answers, None if string.keyed else plan.block)
    lines += over_time(answers, string) if options.over_time else []
    lines += by_device(answers, string) if options.by_device else []
    if plan.stack is None:
        return lines
    tiers, below, inclusion, priced = plan.stack
    for name in plan.policies:
        answer = (tier_answer(answers.curve, tiers, below, inclusion) if name == LRU else
                  replayed_answer(string.blocks.tolist(), tiers, policy_of(name), below, inclusion, answers.early,
                                  string.drops.by_reference()))  # fmt: skip
        lines += tier_lines(answer, plan.block, f"{inclusion.value} tiers, {name}")
    best = frontier(answers.curve, tiers, below, inclusion) if priced and below is not None else []
    return lines + (frontier_lines(best, plan.block) if best else [])


def _sampled_curves(options: Namespace, trace: Trace, plan: CurvePlan) -> CurvesAnswered:
    share, block = number("--sample", options.sample), None if next(iter(trace)).keys else plan.block
    with reading(trace, "reading") as bar:
        limit = limit_of(options)
        whole = read_with_bar(trace, limit, "reading") if limit else trace
        samples = take_samples(references(whole, plan.block, bar.update), share)
    plan = _set_sizes(plan, samples.unique)
    sizes = plan.sizes or sampled_sizes(samples, len(usual_sizes(plan.policies, samples.unique)))
    with _bar(sum(map(len, samples.parts)) * len(plan.policies)) as bar:
        rows = sampled_curves(samples, plan.policies, sizes, bar.update)
        curves = Curves(rows_within_bounds(rows), sizes, {})
    return _prepare(curves, block, curve_page(curves, block, {}), {}, {})


def _bar(total: int) -> ProgressBar:
    return progress_bar(desc="replaying", total=total, bar_format=SHAPE)


def _responses(
    options: Namespace, trace: Trace, plan: CurvePlan, curves: Curves, below: StoragePlan
) -> dict[tuple[str, int], float]:
    write = read_fields(CacheOptions, options).write
    return {
        (policy, blocks): seconds
        for policy, blocks, seconds in mean_responses(
            lambda: read_with_bar(trace, limit_of(options), "simulating"), below,
            lambda blocks, kind: CachePlan(blocks * plan.block, plan.block, kind, WRITING[write]),
            plan.policies, curves.sizes)
    }  # fmt: skip


def _write(answer: CurvesAnswered, lines: Sequence[str], title: str, files: Mapping[str, Path | None]) -> None:
    # Imported here, because pandas and matplotlib take a second.
    from spindle.output.files import write_whole
    from spindle.output.tables import write_table

    table = answer.table()
    if (path := files["--out"]) is not None:
        write_table(columns(table), path)
    if (path := files["--html"]) is not None:
        from spindle.traces.pictures import curve_html

        write_whole(path, curve_html(title, lines, table, answer.picture(table, title)).encode("utf-8", "replace"))
