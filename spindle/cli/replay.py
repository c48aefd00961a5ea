"""``spindle replay``: replays a block trace on drives, below a cache or tiers, and reports response times."""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from simpy import Environment

from spindle.cli import plotting, trace_storage
from spindle.cli.arguments import ArgumentParser, or_default, outputs
from spindle.cli.moving import add_window, trace_of, write_film
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_options, on_devices, open_trace, passed_over, read_with_bar, reading
from spindle.cli.trace_storage import (
    INCLUSION_HELP,
    TIERS_HELP,
    add_chains,
    chained_host,
    inclusion_of,
    refuse_alone,
    tiers_of,
)
from spindle.output.files import draft
from spindle.questions.words import count, size
from spindle.sim import user_parts
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.jit import AVAILABLE
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import MAX_UNDER_WAY, Closed, Host, Open
from spindle.traces.replay.replay import DeviceTimes, ReplayedStorage, TraceReplayed, TraceTally, replay_trace
from spindle.traces.replay.storage import Storage
from spindle.traces.replay.tiers import TieredStorage, TierPlan
from spindle.traces.report import (
    device_lines,
    device_numbers,
    numbers,
    page,
    response_text,
    rows_into,
    served_lines,
    served_numbers,
)
from spindle.web.moving.filming import FilmedStorage, close_film
from spindle.workloads.traces.reader import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = """\
Replay the requests of a block trace on drives, and show how long they take. With --open each is
issued when its time comes, however many wait: what the trace's own system would have seen.
With --closed N there are always N under way, whatever the times say: how fast can it be done?
With --chains a request that came soon after a read was done follows that read here, too.
A cache of --cache bytes may lie above the drives, one for all of them. The trace is read
while it is replayed, so that it may have any length."""

EXAMPLES = """\
  spindle replay trace.csv --drive hp7933
  spindle replay trace.csv --drive hp7933 --closed 32 --scheduler c-look --depth 15
  spindle replay trace.csv --drive hp7933 --cache 64K --policy arc --write through --plot responses.png
  spindle replay trace.csv --tiers 1MB:0.1us,64MB:100us --drive hp7933
  spindle replay trace.csv --open --limit 1000 --out rows.csv --json"""

COMPILED_FROM = 1 << 23
"""Bytes of a trace from which compiled loops are used: compiling takes 5 to 20 seconds once, loading two."""


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    files = outputs(trace_storage.reads(options), {
        "--out": options.out, "--plot": plotting.plot_file(options.plot), "--html": options.html})  # fmt: skip
    film = trace_of(options)
    tiers = _tiers(options)
    plan = trace_storage.storage_plan(options, None if tiers else trace_storage.cache_of(options, "cache"))
    trace = on_devices(open_trace(options))
    loop, why, host = _host(options, trace)
    filmed = None if film is None else FilmedStorage(plan, film)
    devices = DeviceTimes() if options.by_device else None
    replayed = _quick(options, trace, plan, host) if not (filmed or tiers or options.out or devices) else None
    if replayed is None:
        below = filmed or plan
        storage = TieredStorage(Environment(), below, tiers) if tiers else Storage(Environment(), below)
        replayed = _replay(options, trace, storage, host, files["--out"], devices)
    if film is not None and filmed is not None:
        filmed.finish()
        write_film(files["--html"], close_film(film, f"{trace.path.name} on {plan.sheet.disc.name}, {loop}"))
    head = {"trace": options.trace, "format": trace.format.name, "drive": plan.sheet.disc.name,
            "drives": len(replayed.storage.drives), "loop": loop, "loop_because": why,
            "scheduler": _scheduler(options),
            "cache": options.cache, "policy": or_default(options.policy, "lru"), "bad_lines": trace.faults.bad}
    tiered = replayed.storage if isinstance(replayed.storage, TieredStorage) else None
    drawn = [] if options.plot is None else plotting.plot_or_save(
        files["--plot"], lambda: _picture(replayed.tally, f"{trace.path.name} on {plan.sheet.disc.name}, {loop}"),
        partial(response_text, replayed.tally), "response times")  # fmt: skip
    if options.json:
        more: dict[str, object] = {} if tiered is None else {"tiers": served_numbers(tiered, replayed.seconds)}
        more |= {} if devices is None else {"by_device": device_numbers(devices)}
        return finish(json.dumps({**head, **numbers(replayed), **more}, indent=2))
    lines = [] if tiered is None else served_lines(tiered, replayed.seconds)
    by_device = [] if devices is None else device_lines(devices)
    return finish("\n".join([*_head(options, head), *passed_over(trace), *page(replayed), *by_device, *lines, *drawn]))


def _picture(tally: TraceTally, title: str) -> "Figure":
    # Imported here, because matplotlib takes a second.
    from spindle.traces.pictures import response_picture

    return response_picture(tally, title)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("replay", ABOUT, EXAMPLES)
    add_options(parser)
    parser.add_argument("--open", action="store_true", help="issue requests at their times; the default with times")
    parser.add_argument("--closed", metavar="N", help="keep N requests under way; the default without times, 1")
    add_chains(parser)
    trace_storage.add_options(parser)
    parser.add_argument("--cache", metavar="BYTES", help="size of a cache above the drives, as 8M; default none")
    parser.add_argument("--policy", metavar="NAME", help=f"of the cache or of each tier: {' | '.join(POLICIES)} | "
                        "FILE.py:NAME; default lru")
    parser.add_argument("--block", metavar="BYTES", help="of the cache or the tiers; default 4096")
    parser.add_argument("--tiers", metavar="SIZE:TIME,...", help=f"in place of --cache: {TIERS_HELP}; each serves one "
                        "request after another, and writes go through to the drive")
    parser.add_argument("--inclusion", metavar="RULE", help=INCLUSION_HELP)
    parser.add_argument("--out", metavar="FILE.csv", help="a row for each request: its time and its response")
    plotting.add_plot(parser, "the distributions of response time")
    parser.add_argument("--by-device", action="store_true", help="response times of each device, volume or tenant, "
                        "reads and writes apart; --columns device=N makes any column that")
    add_window(parser)
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    return parser


def _tiers(options: Namespace) -> TierPlan | None:
    if options.tiers is None:
        refuse_alone(options, ("inclusion",))
        return None
    for option in ("cache", "write"):
        if getattr(options, option) is not None:
            raise UserError(f"--{option} is for a --cache, which --tiers replace")
    block = size("--block", or_default(options.block, "4096"))
    return TierPlan(tiers_of(options.tiers, block), block, inclusion_of(options),
                    user_parts.part("policy", or_default(options.policy, "lru"), POLICIES))


def _host(options: Namespace, trace: Trace) -> tuple[str, str, Callable[..., Host]]:
    """Return the name of the loop, why it is that, and its host."""
    if options.closed is not None and (options.open or options.chains is not None):
        raise UserError(f"--{'open' if options.open else 'chains'} and --closed are two kinds of loop; choose one")
    if options.closed is not None:
        depth = count("--closed", options.closed, most=MAX_UNDER_WAY)
        return f"closed loop of {depth}", "as asked", partial(Closed, depth=depth)
    timed = next(iter(trace)).time is not None
    if (options.open or options.chains is not None) and not timed:
        raise UserError(f"{options.trace} has no times for an open loop; --closed asks for one request after another")
    if options.chains is not None:
        return f"open loop with chains of up to {options.chains}", "as asked", chained_host(options.chains)
    if timed:
        return "open loop", "as asked" if options.open else "because it has times", Open
    return "closed loop of 1", "because it has no times", Closed


def _quick(options: Namespace, trace: Trace, plan: StoragePlan, host: Callable[..., Host]) -> TraceReplayed | None:
    """The replay by compiled loops, where there are some for it."""
    under_way = _under_way(host)
    if under_way is None or not AVAILABLE or plan.cache is not None or trace.path.stat().st_size < COMPILED_FROM:
        return None
    from spindle.sim.disc.kernel.drives import are_compiled
    from spindle.traces.replay.quick import quick_replay

    if options.limit is not None:  # which share of the file that is, is unknown
        return quick_replay(trace, plan, under_way, count("--limit", options.limit), lambda _: None)
    buffered = isinstance(plan.sheet.disc, DiscType) and plan.sheet.disc.buffer is not None
    with reading(trace, "replaying" if are_compiled(buffered) else "compiling, then replaying") as bar:
        return quick_replay(trace, plan, under_way, None, bar.update)


def _under_way(host: Callable[..., Host]) -> int | None:
    """Return the requests that *host* keeps under way: 0 for an open loop; None for one with chains."""
    if isinstance(host, partial) and host.func is Closed:
        return int(host.keywords["depth"])
    return 0 if host is Open else 1 if host is Closed else None


def _replay(
    options: Namespace, trace: Trace, storage: ReplayedStorage, host: Callable[..., Host], out: Path | None,
    devices: DeviceTimes | None,
) -> TraceReplayed:
    with closing(read_with_bar(trace, options.limit, "replaying")) as records:
        if out is None:
            return replay_trace(records, storage, host, devices)
        with draft(out) as file:
            rows = rows_into(file)
            return replay_trace(records, storage, host, rows if devices is None else devices.pass_to(rows))


def _scheduler(options: Namespace) -> str:
    host = or_default(options.scheduler, "fcfs")
    return host if options.depth is None else f"{host}, NCQ of {options.depth}"


def _head(options: Namespace, head: dict[str, object]) -> list[str]:
    number, kind = head["drives"], head["drive"]
    drives = str(kind) if number == 1 else f"{number} drives {kind}"
    if options.raid is not None:
        drives += f" in raid {options.raid}, chunk of {or_default(options.chunk, '512K')}"
        drives += f", bitmap of {options.bitmap}" if options.bitmap else ""
        drives += ", writes delayed" if options.delayed else ""
        drives += f", {options.failed} failed" if options.failed else ""
        drives += f", rebuilt at {options.rebuild} a second at least" if options.rebuild else ""
    written, kept = or_default(options.write, "back"), or_default(options.inclusion, "exclusive")
    cache = f"; cache of {options.cache}, {head['policy']}, write {written}" if options.cache else ""
    tiers = f"; tiers {options.tiers}, {kept}, {head['policy']}" if options.tiers else ""
    return [f"{options.trace}, {head['format']}, {head['loop']} {head['loop_because']}",
            f"{drives}, {head['scheduler']}{cache}{tiers}"]
