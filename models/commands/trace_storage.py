"""The storage options of a command on a trace: drive, scheduler, tags, number of drives."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from os.path import exists
from pathlib import Path

from models.commands.arguments import ArgumentParser
from models.commands.settings import SHEET, named
from models.commands.values import count, size
from models.parts import BUSES, POLICIES, SCHEDULERS, STORES
from models.replay.drives import StoragePlan
from sim.disc.scheduling import Fcfs, Scheduler
from sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from sim.disc.tagged_queue import TaggedQueue
from sim.error import UserError
from sim.eviction.policy import EvictionPolicy
from workloads.traces.replay.caching import WRITING, CachePlan

USUAL_DRIVE = "hitachi7k1000.c"
MOST_TAGS, MOST_DRIVES = 1024, 1024
AGEING = 0.006
"""Of a drive's tagged command queue: the best weight of Worthington, Ganger and Patt 1994, ASPTF(6)."""
OPTIONS = ("drive", "drives", "bus", "scheduler", "depth", "write", "wrap")


def add_options(parser: ArgumentParser) -> None:
    names = " | ".join([*STORES, "FILE" + SHEET])
    parser.add_argument("--drive", metavar="NAME", help=f"{names}; default {USUAL_DRIVE}")
    parser.add_argument("--drives", metavar="N", help="of them; default one for each device of the trace")
    add_queue_options(parser)
    parser.add_argument("--wrap", action="store_true", help="beyond the end of a drive go on from its beginning")


def add_queue_options(parser: ArgumentParser) -> None:
    """What is in front of a drive, and how a cache above it writes."""
    parser.add_argument("--bus", metavar="KIND", help=f"what drives share, unless the sheet says: {', '.join(BUSES)}")
    parser.add_argument("--scheduler", metavar="NAME", help=f"{' | '.join(SCHEDULERS)}; default fcfs")
    parser.add_argument(
        "--depth", metavar="N", help="NCQ: the drive has so many requests, with SATA 32 at most, and serves the "
        "nearest of them; --scheduler is the host's, for the others",
    )  # fmt: skip
    parser.add_argument("--write", metavar="HOW", help=f"a cache's writes: {' | '.join(WRITING)}; default back")


def storage_plan(options: Namespace, cache: CachePlan | None) -> StoragePlan:
    drives = None if options.drives is None else count("--drives", options.drives, most=MOST_DRIVES)
    sheet = drive_sheet(options.drive or USUAL_DRIVE, options.bus)
    return StoragePlan(sheet, _scheduler(options), cache, drives, options.wrap)


def cache_plan(options: Namespace, memory: int, block: int, kind: Callable[..., EvictionPolicy]) -> CachePlan:
    return CachePlan(memory, block, kind, named("way to write", options.write or "back", WRITING))


def cache_of(options: Namespace, option: str) -> CachePlan | None:
    """The cache above the drives, of the size that *option* has; None without it, and UserError for others alone."""
    text = getattr(options, option)
    if text is None:
        for other in ("policy", "block", "write"):
            if getattr(options, other):
                raise UserError(f"--{other} is of a cache; --{option} says how large that is")
        return None
    kind = named("policy", options.policy or "lru", POLICIES)
    return cache_plan(options, size(f"--{option}", text), size("--block", options.block or "4096"), kind)


def reads(options: Namespace) -> list[Path]:
    """The files that are to be read."""
    return [Path(name) for name in (options.trace, options.drive) if name]


def refuse_all(options: Namespace, why: str) -> None:
    """UserError where any of the options is given."""
    for option in OPTIONS:
        if getattr(options, option):
            raise UserError(f"--{option} {why}")


def drive_sheet(word: str, bus: str | None) -> DriveSheet:
    """The drive that *word* names, a known one or one's own, or whose sheet is the file *word*; on *bus* if given."""
    is_file = word.endswith(SHEET) or (word not in STORES and not word.endswith(".py") and exists(word))
    sheet = read_sheet(Path(word)) if is_file else DriveSheet(named("drive", word, STORES), None)
    return sheet if bus is None else replace(sheet, bus=named("bus", bus, BUSES).name)


def host_scheduler(name: str | None) -> Callable[[], Scheduler]:
    """The order of the queue in front of a drive: first come, first served unless *name* says another."""
    scheduler: Callable[[], Scheduler] = Fcfs if name is None else named("scheduler", name, SCHEDULERS)
    return scheduler


def _scheduler(options: Namespace) -> Callable[[], Scheduler]:
    host = host_scheduler(options.scheduler)
    if options.depth is None:
        return host
    depth = count("--depth", options.depth, most=MOST_TAGS)
    nearest: Callable[[float], Scheduler] = named("scheduler", "sptf", SCHEDULERS)
    return lambda: TaggedQueue(host(), nearest(AGEING), depth)
