"""``spindle replay``: a block trace through cache, scheduler and drives, and how long its requests take."""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import simpy

from models.commands import trace_storage
from models.commands.arguments import ArgumentParser, outputs
from models.commands.printing import finish
from models.commands.trace_file import add_options, on_devices, opened, passed_over, watched
from models.commands.values import count
from models.parts import POLICIES
from models.replay.drives import StoragePlan
from models.replay.rows import rows_into
from models.traces.report import numbers, page
from sim.error import UserError
from sim.output.files import draft
from workloads.traces.reader import Trace
from workloads.traces.replay.hosts import Closed, Host, Open
from workloads.traces.replay.replay import TraceReplayed, replay_trace
from workloads.traces.replay.storage import Storage

ABOUT = """\
Ask drives for the requests of a block trace, and say how long they take. With --open each is
asked when its time comes, however many wait: what the trace's own system would have seen.
With --closed N there are always N under way, whatever the times say: how fast can it be done?
A cache of --cache bytes may lie above the drives, one for all of them. The trace is read
while it is replayed, so that its length is no matter."""

EXAMPLES = """\
  spindle replay trace.csv --drive hp7933
  spindle replay trace.csv --drive hp7933 --closed 32 --scheduler c-look --depth 15
  spindle replay trace.csv --drive hp7933 --cache 64K --policy arc --write through --plot responses.png
  spindle replay trace.csv --open --limit 1000 --out rows.csv --json"""

MOST_UNDER_WAY = 1 << 16


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    files = outputs(trace_storage.reads(options), {"--out": options.out, "--plot": options.plot})
    plan = trace_storage.storage_plan(options, trace_storage.cache_of(options, "cache"))
    trace = on_devices(opened(options))
    loop, why, host = _host(options, trace)
    replayed = _replayed(options, trace, plan, host, files["--out"])
    head = {"trace": options.trace, "format": trace.format.name, "drive": plan.sheet.disc.name,
            "drives": len(replayed.storage.drives), "loop": loop, "loop_because": why,
            "scheduler": _scheduler(options),
            "cache": options.cache, "policy": options.policy or "lru", "bad_lines": trace.faults.bad}
    if (path := files["--plot"]) is not None:
        # Imported here, because matplotlib takes a second.
        from models.traces.pictures import response_picture
        from sim.plots.pictures import save

        save(response_picture(replayed.tally, f"{trace.path.name} on {plan.sheet.disc.name}, {loop}"), path)
    if options.json:
        return finish(json.dumps({**head, **numbers(replayed)}, indent=2))
    return finish("\n".join([*_head(options, head), *passed_over(trace), *page(replayed)]))


def _parser() -> ArgumentParser:
    parser = ArgumentParser("replay", ABOUT, EXAMPLES)
    add_options(parser)
    parser.add_argument("--open", action="store_true", help="ask when a request's time comes; the default with times")
    parser.add_argument("--closed", metavar="N", help="keep N requests under way; the default without times, 1")
    trace_storage.add_options(parser)
    parser.add_argument("--cache", metavar="BYTES", help="of a cache above the drives, such as 8M; default none")
    parser.add_argument("--policy", metavar="NAME", help=f"of the cache: {' | '.join(POLICIES)}; default lru")
    parser.add_argument("--block", metavar="BYTES", help="of the cache; default 4096")
    parser.add_argument("--out", metavar="FILE.csv", help="a row for each request: when it was asked, its response")
    parser.add_argument("--plot", metavar="FILE.png", help="the distributions of response time")
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    return parser


def _host(options: Namespace, trace: Trace) -> tuple[str, str, Callable[..., Host]]:
    """The name of the loop, why it is that, and its host."""
    if options.open and options.closed is not None:
        raise UserError("--open and --closed are two ways to ask; choose one")
    if options.closed is not None:
        depth = count("--closed", options.closed, most=MOST_UNDER_WAY)
        return f"closed loop of {depth}", "as asked", partial(Closed, depth=depth)
    timed = next(iter(trace)).time is not None
    if options.open and not timed:
        raise UserError(f"{options.trace} has no times for an open loop; --closed asks for one request after another")
    if timed:
        return "open loop", "as asked" if options.open else "because it has times", Open
    return "closed loop of 1", "because it has no times", Closed


def _replayed(
    options: Namespace, trace: Trace, plan: StoragePlan, host: Callable[..., Host], out: Path | None
) -> TraceReplayed:
    with closing(watched(trace, options.limit, "replaying")) as records:
        storage = Storage(simpy.Environment(), plan)
        if out is None:
            return replay_trace(records, storage, host)
        with draft(out) as file:
            return replay_trace(records, storage, host, rows_into(file))


def _scheduler(options: Namespace) -> str:
    host = options.scheduler or "fcfs"
    return host if options.depth is None else f"{host}, NCQ of {options.depth}"


def _head(options: Namespace, head: dict[str, object]) -> list[str]:
    count = head["drives"]
    drives = str(head["drive"]) if count == 1 else f"{count} drives {head['drive']}"
    cache = f"; cache of {options.cache}, {head['policy']}, write {options.write or 'back'}" if options.cache else ""
    return [f"{options.trace}, {head['format']}, {head['loop']} {head['loop_because']}",
            f"{drives}, {head['scheduler']}{cache}"]
