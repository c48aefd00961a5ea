"""``spindle curve``: the hit ratio of a trace against the size of a cache, and on request what a drive makes of it."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from models import own
from models.commands import trace_storage
from models.commands.arguments import ArgumentParser, outputs
from models.commands.printing import finish
from models.commands.trace_file import SHAPE, add_options, on_devices, opened, passed_over, watched
from models.commands.values import count, number, size
from models.replay.drives import StoragePlan
from models.traces.answer import CurveAnswer, by_device, curve_answer, over_time, sentences
from models.traces.curve_page import page
from models.traces.curves import LRU, NAMES, Curves, che, hit_curves, policy_of, usual_sizes
from models.traces.responses import mean_responses
from models.traces.samples import sampled, sampled_curves, sampled_sizes
from sim.error import UserError
from workloads.traces.blocks import references
from workloads.traces.gathering import TraceReferences, gathered
from workloads.traces.quick.columns import NotSimpleError
from workloads.traces.quick.references import quick_blocks, quick_references
from workloads.traces.reader import Trace

ABOUT = """\
Count the hits of a trace in caches of many sizes, without a clock: each request is one reference
to each of its blocks, or to each object whose key it has; reads and writes count alike, every
miss brings its block in, and caches are empty at first. LRU is exact at every size in one pass,
other policies are replayed at each; belady is what no policy can exceed. What LRU misses is
first uses, too little memory (what belady misses as well), or its policy (the rest). --sample
takes a share of the blocks, where all do not fit in memory: that keeps hit ratios, but not
queues, so there is no --response of a sample."""

EXAMPLES = """\
  spindle curve trace.csv
  spindle curve conversation_trace.jsonl --sizes 1000,10000,50000 --over-time
  spindle curve objects.csv --columns time=1,key=2,device=4 --warm-up 0.1 --by-device
  spindle curve trace.csv --policy lru,arc,fac,belady --block 4096 --sizes 4,16,64 --out hits.csv --plot hits.png
  spindle curve trace.csv --policy lru,arc --sizes 4,16,64 --response --drive hp7933 --scheduler sptf"""

MOST_SIZES = 1000


class CurvePlan(NamedTuple):
    """Which curves are wanted: no *sizes* are the usual ones."""

    policies: Sequence[str]
    sizes: Sequence[int]
    block: int
    warm_up: float


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    plan = CurvePlan(_policies(options.policy), _sizes(options.sizes), size("--block", options.block),
                     _warm_up(options))
    files = outputs(trace_storage.reads(options), {"--out": options.out, "--plot": options.plot})
    below = _below(options)
    trace = opened(options) if below is None else on_devices(opened(options))
    curves, lines, answers = _whole(options, trace, plan) if options.sample is None else _sampled(options, trace, plan)
    responses = {} if below is None else _responses(options, trace, plan, curves, below)
    if files["--out"] or files["--plot"]:
        _written(curves, responses, answers, (trace.path.name, files))
    head = [f"{options.trace}, {trace.format.name}", *passed_over(trace)]
    return finish("\n".join([*head, *page(curves, plan.block, responses), *lines]))


def _parser() -> ArgumentParser:
    parser = ArgumentParser("curve", ABOUT, EXAMPLES)
    add_options(parser)
    parser.add_argument("--policy", metavar="NAME,...", default="lru", help=f"{' | '.join(NAMES)}; default lru")
    parser.add_argument("--block", metavar="BYTES", default="4096", help="of the cache, such as 512 or 64K; 4096")
    parser.add_argument("--sizes", metavar="N,...", help="blocks of the caches; default: spread by logarithm")
    parser.add_argument("--warm-up", metavar="SHARE", help="of the references that do not count, such as 0.1; 0")
    parser.add_argument("--over-time", action="store_true", help="the hit ratio of LRU in each tenth of the trace")
    parser.add_argument("--by-device", action="store_true", help="the hit ratio of LRU of each device, volume or "
                        "tenant; --columns device=N makes any column that")
    parser.add_argument("--sample", metavar="SHARE", help="of the blocks, such as 0.01, with 95 %% bounds")
    parser.add_argument("--out", metavar="FILE.csv", help="cache_blocks, refs, hits, hit_ratio")
    parser.add_argument("--plot", metavar="FILE.png", help="the curves; dashed is Che's approximation of LRU")
    parser.add_argument("--response", action="store_true", help="simulate the cache above a drive, at a few sizes")
    trace_storage.add_options(parser)
    return parser


def _policies(text: str) -> list[str]:
    names = own.split(text)
    for name in names:
        policy_of(name)
        if names.count(name) > 1:
            raise UserError(f"--policy names {name} twice")
    return names


def _sizes(text: str | None) -> list[int]:
    """None given: computed when the blocks are known."""
    if text is None:
        return []
    sizes = sorted({count("--sizes", each) for each in text.split(",")})
    if len(sizes) > MOST_SIZES:
        raise UserError(f"--sizes names {len(sizes)} sizes, and {MOST_SIZES} are the most")
    return sizes


def _warm_up(options: Namespace) -> float:
    share = number("--warm-up", options.warm_up or "0")
    if not 0.0 <= share < 1.0:
        raise UserError(f"--warm-up must be a share of the references from 0 up to 1, not {share!r}")
    for option in ("warm_up", "over_time", "by_device"):
        if options.sample is not None and getattr(options, option):
            raise UserError(f"--{option.replace('_', '-')} needs the whole trace, and not a --sample of it")
    return share


def _below(options: Namespace) -> StoragePlan | None:
    """What --response simulates the cache above."""
    if not options.response:
        trace_storage.refuse_all(options, "is for --response")
        return None
    if options.sample is not None:
        raise UserError("--response needs the whole trace: a sample keeps hit ratios, but not queues")
    return trace_storage.storage_plan(options, None)


def _whole(options: Namespace, trace: Trace, plan: CurvePlan) -> tuple[Curves, list[str], CurveAnswer | None]:
    """The curves, what is said of LRU below them, and the numbers of that."""
    string = _read(options, trace, plan.block)
    blocks = string.blocks
    sizes = plan.sizes or usual_sizes(plan.policies, len(np.unique(blocks)))
    early = round(plan.warm_up * len(blocks))
    with _bar(len(blocks) * len(plan.policies)) as bar:
        rows = list(hit_curves(blocks, plan.policies, sizes, bar.update, early))
    curves = Curves(rows, sizes, che(blocks, sizes, early) if LRU in plan.policies else {})
    if LRU not in plan.policies and not options.over_time and not options.by_device:
        return curves, [], None
    answers = curve_answer(string, plan.sizes, early)
    return curves, _lines(options, plan, string, answers), answers


def _read(options: Namespace, trace: Trace, block: int) -> TraceReferences:
    """By columns where lines are simple; else with care, which says what is wrong where anything is."""
    most = None if options.limit is None else count("--limit", options.limit)
    quick = quick_references(trace, block, most)
    return gathered(watched(trace, options.limit, "reading"), block) if quick is None else quick


def _lines(options: Namespace, plan: CurvePlan, string: TraceReferences, answers: CurveAnswer) -> list[str]:
    lines = sentences(answers, None if string.keyed else plan.block)
    lines += over_time(answers, string) if options.over_time else []
    return lines + (by_device(answers, string) if options.by_device else [])


def _sampled(options: Namespace, trace: Trace, plan: CurvePlan) -> tuple[Curves, list[str], None]:
    share = number("--sample", options.sample)
    try:
        if options.limit is not None:
            raise NotSimpleError
        samples = sampled(quick_blocks(trace, plan.block), share)
    except NotSimpleError:
        samples = sampled(references(watched(trace, options.limit, "reading"), plan.block), share)
    sizes = plan.sizes or sampled_sizes(samples, len(usual_sizes(plan.policies, samples.unique)))
    with _bar(sum(map(len, samples.parts)) * len(plan.policies)) as bar:
        return Curves(list(sampled_curves(samples, plan.policies, sizes, bar.update)), sizes, {}), [], None


def _bar(total: int) -> tqdm:
    return tqdm(desc="replaying", total=total, leave=False, disable=None, bar_format=SHAPE)


def _responses(
    options: Namespace, trace: Trace, plan: CurvePlan, curves: Curves, below: StoragePlan
) -> dict[tuple[str, int], float]:
    return {
        (policy, blocks): seconds
        for policy, blocks, seconds in mean_responses(
            lambda: watched(trace, options.limit, "simulating"), below,
            lambda blocks, kind: trace_storage.cache_plan(options, blocks * plan.block, plan.block, kind),
            plan.policies, curves.sizes)
    }  # fmt: skip


def _written(
    curves: Curves, responses: Mapping[tuple[str, int], float], answers: CurveAnswer | None,
    to: tuple[str, Mapping[str, Path | None]],
) -> None:  # fmt: skip
    # Imported here, because pandas and matplotlib take a second.
    from models.traces.pictures import columns, curve_picture, frame
    from sim.output.tables import write_table
    from sim.plots.pictures import save

    title, files = to
    table = frame(curves, responses)
    if (path := files["--out"]) is not None:
        write_table(columns(table), path)
    if (path := files["--plot"]) is not None:
        save(curve_picture(table, curves.che, title, answers.marks if answers else {}), path)
