"""Options of the storage below a trace, drives, RAID, queue, cache and tiers, and of chains; plans made from them."""

import re
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from os.path import exists
from pathlib import Path

from spindle.cli.arguments import ABSENT, ArgumentParser, or_default
from spindle.questions.words import count, number, size
from spindle.sim import user_parts
from spindle.sim.disc.drive import Fcfs, Scheduler
from spindle.sim.disc.planning import DriveQueue
from spindle.sim.disc.raid.layout import BITMAP_REGION, CHUNK, MIN_DRIVES, RaidType
from spindle.sim.disc.registry import BUSES, SCHEDULERS, STORES
from spindle.sim.disc.scheduling import TaggedQueue
from spindle.sim.disc.sheet_file.sheet import DriveSheet, read_sheet
from spindle.sim.error import UserError, quote
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.forms import SHEET, choose
from spindle.sim.quantity import amount
from spindle.sim.units import MIB
from spindle.traces.curve.tiers import Inclusion, Tier
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Chained, Host, Links
from spindle.traces.replay.storage import WRITING, CachePlan

USUAL_DRIVE = "hitachi7k1000.c"
MAX_TAGS, MAX_DRIVES = 1024, 1024
AGEING = 0.006
"""Weight of waiting in a drive's tagged command queue: the best of Worthington, Ganger and Patt 1994, ASPTF(6)."""
OF_ARRAY = ("chunk", "bitmap", "delayed", "failed", "rebuild", "ure")
OPTIONS = ("drive", "drives", "raid", *OF_ARRAY, "bus", "scheduler", "depth", "write", "wrap")
MAX_CHAIN_DELAY = 10.0
"""Seconds. A request that comes later after a read hardly waited for it."""
USUAL_CHAINS = "5ms"
"""Found on three days of one workstation: on each it brought simulated reads nearer to the measured ones."""
MAX_TIERS = 5
TIERS_HELP = "caches one below another under --policy, each with its time for a block, as " \
             "8GB:0.1us,64GB:2us,1TB:100us; of blocks of --block"
INCLUSION_HELP = "of tiers: exclusive | inclusive; default exclusive"


def add_options(parser: ArgumentParser) -> None:
    names = " | ".join([*STORES, "FILE" + SHEET])
    parser.add_argument("--drive", metavar="NAME", help=f"{names}; default {USUAL_DRIVE}")
    parser.add_argument("--drives", metavar="N", help="number of drives, or in each array; default one for each "
                        "device of the trace")
    add_raid(parser)
    add_queue_options(parser)
    parser.add_argument("--wrap", action="store_true", help="go on from the beginning of a drive beyond its end")


def add_raid(parser: ArgumentParser) -> None:
    parser.add_argument("--raid", metavar="LEVEL", help="an array of --drives in the place of each drive, by the rules "
                        f"of Linux's md: {' | '.join(MIN_DRIVES)}; default none")
    parser.add_argument("--chunk", metavar="BYTES", help=f"of an array; default {CHUNK // 1024}K")
    parser.add_argument("--bitmap", metavar="BYTES", help="a write-intent bitmap of the array, with a bit for this "
                        f"many bytes, as mdadm has {BITMAP_REGION // MIB}MiB; default none")
    parser.add_argument("--delayed", action="store_true", help="of an array: writes come without REQ_SYNC, as a page "
                        "cache writes back, and rows of raid 5 and 6 are joined; default as direct writes come")
    parser.add_argument("--failed", metavar="N", help="drives of the array that have failed from the beginning; "
                        "default 0")
    parser.add_argument("--rebuild", metavar="BYTES", help="spares for the failed drives, rebuilt at this many "
                        "bytes a second at least, md's sync_speed_min, usually 1000K; default no spare")
    parser.add_argument("--ure", metavar="RATE", help="of an array: unrecoverable errors for each bit that a drive "
                        "reads, such as 1e-14; default 0")


def add_queue_options(parser: ArgumentParser) -> None:
    """Add the options of a drive's queue, and of how a cache above it writes."""
    parser.add_argument("--bus", metavar="KIND", help=f"what drives share, unless the sheet says: {', '.join(BUSES)}")
    parser.add_argument("--scheduler", metavar="NAME", help=f"{' | '.join(SCHEDULERS)}; default fcfs")
    parser.add_argument(
        "--depth", metavar="N", help="NCQ: number of requests in the drive, with SATA 32 at most; it serves the "
        "nearest of them; --scheduler is the host's, for the others",
    )  # fmt: skip
    parser.add_argument("--write", metavar="HOW", help=f"a cache's writes: {' | '.join(WRITING)}; default back")


def storage_plan(options: Namespace, cache: CachePlan | None) -> StoragePlan:
    drives = None if options.drives is None else count("--drives", options.drives, most=MAX_DRIVES)
    sheet, raid = drive_sheet(or_default(options.drive, USUAL_DRIVE), options.bus), raid_of(options, drives)
    scheduler = _scheduler(options, sheet.queue)
    return StoragePlan(sheet, scheduler, cache, drives if raid is None else None, options.wrap, raid)


def raid_of(options: Namespace, drives: int | None) -> RaidType | None:
    """The array that --raid asks for; None without it, and UserError for its other options alone."""
    level, *others = (getattr(options, name, None) for name in ("raid", *OF_ARRAY))
    if level is None:
        for name in (name for name, value in zip(OF_ARRAY, others, strict=True) if value not in ABSENT):
            raise UserError(f"--{name} is for an array; --raid gives its level")
        return None
    if drives is None:
        raise UserError(f"--raid {level} needs --drives: how many there are in the array")
    chunk, bitmap, delayed, failed, rebuild, ure = others
    return RaidType(level, drives, CHUNK if chunk is None else size("--chunk", chunk),
                    bitmap=0 if bitmap is None else size("--bitmap", bitmap), delayed=bool(delayed),
                    failed=0 if failed is None else count("--failed", failed, least=0, most=drives),
                    rebuild=0 if rebuild is None else size("--rebuild", rebuild),
                    unrecoverable=0.0 if ure is None else number("--ure", ure))  # fmt: skip


def cache_plan(options: Namespace, memory: int, block: int, kind: Callable[..., EvictionPolicy]) -> CachePlan:
    return CachePlan(memory, block, kind, choose("way to write", or_default(options.write, "back"), WRITING))


def cache_of(options: Namespace, option: str) -> CachePlan | None:
    """The cache above the drives, of the size that *option* has; None without it, and UserError for others alone."""
    text = getattr(options, option)
    if text is None:
        for other in ("policy", "block", "write"):
            if getattr(options, other) not in ABSENT:
                raise UserError(f"--{other} is for a cache; --{option} gives its size")
        return None
    kind = user_parts.part("policy", or_default(options.policy, "lru"), POLICIES)
    return cache_plan(options, size(f"--{option}", text), size("--block", or_default(options.block, "4096")), kind)


def reads(options: Namespace) -> list[Path]:
    """The files that are to be read."""
    return [Path(name) for name in (options.trace, options.drive) if name is not None]


def refuse_all(options: Namespace, why: str) -> None:
    """UserError where any of the options is given."""
    for option in OPTIONS:
        if getattr(options, option) not in ABSENT:
            raise UserError(f"--{option} {why}")


def drive_sheet(word: str, bus: str | None) -> DriveSheet:
    """Return the drive that *word* names, a known one or yours, or the one in the sheet file *word*; on *bus* if given.
    """
    is_file = word.endswith(SHEET) or (word not in STORES and not word.endswith(".py") and exists(word))
    if is_file:
        _no_disksim(Path(word))
    sheet = read_sheet(Path(word)) if is_file else DriveSheet(choose("drive", word, STORES), None)
    return sheet if bus is None else replace(sheet, bus=choose("bus", bus, BUSES).name)


def _no_disksim(path: Path) -> None:
    """UserError for a file of DiskSim's, whose drives are other ones than a sheet's."""
    try:
        with path.open("rb") as file:
            start = file.read(1 << 12)
    except OSError:
        return  # reading the sheet says it
    if re.search(rb"(?m)^\s*disksim_\w+\s", start):
        raise UserError(f"{path}: this is a DiskSim file, and no drive sheet: spindle new drive.yaml writes one")


def host_scheduler(name: str | None) -> Callable[[], Scheduler]:
    """The order of the queue in front of a drive: first come, first served unless *name* says another."""
    scheduler: Callable[[], Scheduler] = Fcfs if name is None else choose("scheduler", name, SCHEDULERS)
    return scheduler


def _scheduler(options: Namespace, queue: DriveQueue | None) -> Callable[[], Scheduler]:
    """Return the host's scheduler, before the drive's own *queue*, or before one of --depth requests."""
    host = host_scheduler(options.scheduler)
    if options.depth is None:
        return host if queue is None else lambda: queue.scheduler(host())
    depth = count("--depth", options.depth, most=MAX_TAGS)
    nearest: Callable[[float], Scheduler] = choose("scheduler", "sptf", SCHEDULERS)
    return lambda: TaggedQueue(host(), nearest(AGEING), depth)


def add_chains(parser: ArgumentParser) -> None:
    parser.add_argument("--chains", metavar="DELAY", help="a request that came within this time, such as 5ms, after "
                        "a read of its device was done follows it here too; needs measured times; 5ms was found on "
                        "three days of one workstation; default none")


def chain_limit(text: str) -> float:
    """Read the longest delay within which a request follows a read; seconds unless *text* names a unit."""
    seconds = number("--chains", text, "s")
    if not 0.0 < seconds <= MAX_CHAIN_DELAY:
        raise UserError(f"--chains must be more than 0 and at most {MAX_CHAIN_DELAY:g} s, such as 5ms, not "
                        f"{quote(text)}")  # fmt: skip
    return seconds


def chained_host(text: str) -> Callable[..., Host]:
    """Build the host of an open loop with chains of up to *text*."""
    return partial(Chained, links=Links(chain_limit(text)))


def tiers_of(text: str, block: int) -> list[Tier]:
    tiers = [_tier(each, block) for each in text.split(",")]
    if len(tiers) > MAX_TIERS:
        raise UserError(f"--tiers names {len(tiers)} tiers, and {MAX_TIERS} are the most")
    return tiers


def inclusion_of(options: Namespace) -> Inclusion:
    rules = {rule.value: rule for rule in Inclusion}
    rule: Inclusion = choose("inclusion", or_default(options.inclusion, "exclusive"), rules)
    return rule


def refuse_alone(options: Namespace, others: Sequence[str]) -> None:
    """UserError where one of the *others* is given, and no tiers."""
    for option in others:
        if getattr(options, option) is not None:
            raise UserError(f"--{option} is for --tiers")


def _tier(text: str, block: int) -> Tier:
    room, colon, time = text.partition(":")
    if not colon:
        raise UserError(f"--tiers takes SIZE:SECONDS,..., as 8GB:0.1us,1TB:100us, not {quote(text)}")
    thousands = 1024 if room.upper().endswith(("T", "TIB")) else 1000
    held = amount(room.upper().replace("T", "G", 1), "bytes")
    blocks = int(positive("--tiers", room, held) * (thousands if "T" in room.upper() else 1) // block)
    if not blocks:
        raise UserError(f"--tiers: {room} has no room for a block of {block} bytes")
    return Tier(blocks, seconds("--tiers", time))


def seconds(name: str, text: str) -> float:
    return positive(name, text, amount(text, "s"))


def positive(name: str, text: str, value: float | None) -> float:
    if value is None or not 0.0 < value < 1e18:
        raise UserError(f"{name} takes positive numbers with units, such as 8GB, 2us or 0.5, not {quote(text)}")
    return value
