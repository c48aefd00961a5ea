"""Spindle: a discrete-event simulator of storage and the computer around it; the public names of its library.

A name is imported when it is first asked for, so that ``import spindle`` costs nothing and a browser needs only what a
page uses.
"""

from importlib import import_module
from os.path import dirname, isdir, isfile, join
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spindle.ask import (
        characterise as characterise,
        curve as curve,
        find as find,
        replay as replay,
        simulate as simulate,
        sweep as sweep,
    )
    from spindle.citation import cite as cite
    from spindle.sim.cache.block_cache import BlockCache as BlockCache, Sequential as Sequential
    from spindle.sim.cache.write_policy import CacheWriteBack as CacheWriteBack, WriteThrough as WriteThrough
    from spindle.sim.clock import Phase as Phase
    from spindle.sim.computer import Computer as Computer
    from spindle.sim.cpu import FcfsCpu as FcfsCpu, PreemptiveCpu as PreemptiveCpu
    from spindle.sim.disc.drive import Drive as Drive, Fcfs as Fcfs
    from spindle.sim.disc.flash.drive import FlashDrive as FlashDrive
    from spindle.sim.disc.flash.sheet import FlashType as FlashType
    from spindle.sim.disc.flash.sheets import INTEL_S3700 as INTEL_S3700, SAMSUNG_960_PRO as SAMSUNG_960_PRO
    from spindle.sim.disc.layout import uniform as uniform
    from spindle.sim.disc.mechanism import DiscType as DiscType
    from spindle.sim.disc.raid.array import Raid as Raid
    from spindle.sim.disc.raid.layout import RaidType as RaidType
    from spindle.sim.disc.scheduling import (
        CLook as CLook,
        CScan as CScan,
        Look as Look,
        Scan as Scan,
        Sptf as Sptf,
        Sstf as Sstf,
    )
    from spindle.sim.disc.seek import PowerSeek as PowerSeek
    from spindle.sim.disc.sheet_file.sheet import read_sheet as read_sheet
    from spindle.sim.disc.sheets import HP7920 as HP7920, HP7925 as HP7925, HP7933 as HP7933, SHEETS as SHEETS
    from spindle.sim.error import UserError as UserError
    from spindle.sim.eviction.arc import Arc as Arc
    from spindle.sim.eviction.clock import Clock as Clock
    from spindle.sim.eviction.lfu import Lfu as Lfu
    from spindle.sim.eviction.lirs import Lirs as Lirs
    from spindle.sim.eviction.lru import Fifo as Fifo, Lru as Lru
    from spindle.sim.eviction.policy import EvictionPolicy as EvictionPolicy
    from spindle.sim.eviction.s3_fifo import S3Fifo as S3Fifo
    from spindle.sim.eviction.sieve import Sieve as Sieve
    from spindle.sim.eviction.slru import Slru as Slru
    from spindle.sim.eviction.two_q import TwoQ as TwoQ
    from spindle.sim.part_forms import DriveForm as DriveForm, PolicyForm as PolicyForm, SchedulerForm as SchedulerForm
    from spindle.sim.lock import Lock as Lock
    from spindle.sim.machine import File as File, Machine as Machine, OpenFile as OpenFile, SystemCalls as SystemCalls
    from spindle.sim.measure.engine import run as run
    from spindle.sim.measure.load import Programs as Programs, Terminals as Terminals, Window as Window
    from spindle.sim.measure.observer import Observer as Observer
    from spindle.sim.measure.result import Result as Result
    from spindle.sim.memory import SharedMemory as SharedMemory
    from spindle.sim.request import Hint as Hint, Span as Span
    from spindle.sim.script import (
        Call as Call,
        Choose as Choose,
        Loop as Loop,
        Script as Script,
        Think as Think,
        Type as Type,
    )
    from spindle.sim.streams import (
        Constant as Constant,
        Distribution as Distribution,
        Exponential as Exponential,
        Lognormal as Lognormal,
        Uniform as Uniform,
        pick as pick,
    )
    from spindle.sim.terminal import Session as Session
    from spindle.sim.units import (
        Bytes as Bytes,
        GIB as GIB,
        HOUR as HOUR,
        KB as KB,
        KIB as KIB,
        MB as MB,
        MIB as MIB,
        MINUTE as MINUTE,
        MS as MS,
        US as US,
    )
    from spindle.studies.plots.files import save as save
    from spindle.studies.theory import mva as mva

    __version__: str

TOP = dirname(dirname(__file__))
if not isdir(join(__path__[0], "sim")) and isfile(join(TOP, "sim", "clock.py")):
    __path__.append(TOP)  # a checkout: sim, models and workloads lie beside this folder, and are spindle.sim, ...

PUBLIC_NAMES = {
    "spindle.ask": ("characterise", "curve", "find", "replay", "simulate", "sweep"),
    "spindle.citation": ("cite",),
    "spindle.sim.cache.block_cache": ("BlockCache", "Sequential"),
    "spindle.sim.cache.write_policy": ("CacheWriteBack", "WriteThrough"),
    "spindle.sim.clock": ("Phase",),
    "spindle.sim.computer": ("Computer",),
    "spindle.sim.cpu": ("FcfsCpu", "PreemptiveCpu"),
    "spindle.sim.disc.drive": ("Drive", "Fcfs"),
    "spindle.sim.disc.flash.drive": ("FlashDrive",),
    "spindle.sim.disc.flash.sheet": ("FlashType",),
    "spindle.sim.disc.flash.sheets": ("INTEL_S3700", "SAMSUNG_960_PRO"),
    "spindle.sim.disc.layout": ("uniform",),
    "spindle.sim.disc.mechanism": ("DiscType",),
    "spindle.sim.disc.raid.array": ("Raid",),
    "spindle.sim.disc.raid.layout": ("RaidType",),
    "spindle.sim.disc.scheduling": ("CLook", "CScan", "Look", "Scan", "Sptf", "Sstf"),
    "spindle.sim.disc.seek": ("PowerSeek",),
    "spindle.sim.disc.sheet_file.sheet": ("read_sheet",),
    "spindle.sim.disc.sheets": ("HP7920", "HP7925", "HP7933", "SHEETS"),
    "spindle.sim.error": ("UserError",),
    "spindle.sim.eviction.arc": ("Arc",),
    "spindle.sim.eviction.clock": ("Clock",),
    "spindle.sim.eviction.lfu": ("Lfu",),
    "spindle.sim.eviction.lirs": ("Lirs",),
    "spindle.sim.eviction.lru": ("Fifo", "Lru"),
    "spindle.sim.eviction.policy": ("EvictionPolicy",),
    "spindle.sim.eviction.s3_fifo": ("S3Fifo",),
    "spindle.sim.eviction.sieve": ("Sieve",),
    "spindle.sim.eviction.slru": ("Slru",),
    "spindle.sim.eviction.two_q": ("TwoQ",),
    "spindle.sim.part_forms": ("DriveForm", "PolicyForm", "SchedulerForm"),
    "spindle.sim.lock": ("Lock",),
    "spindle.sim.machine": ("File", "Machine", "OpenFile", "SystemCalls"),
    "spindle.sim.measure.engine": ("run",),
    "spindle.sim.measure.load": ("Programs", "Terminals", "Window"),
    "spindle.sim.measure.observer": ("Observer",),
    "spindle.sim.measure.result": ("Result",),
    "spindle.sim.memory": ("SharedMemory",),
    "spindle.sim.request": ("Hint", "Span"),
    "spindle.sim.script": ("Call", "Choose", "Loop", "Script", "Think", "Type"),
    "spindle.sim.streams": ("Constant", "Distribution", "Exponential", "Lognormal", "Uniform", "pick"),
    "spindle.sim.terminal": ("Session",),
    "spindle.sim.units": ("Bytes", "GIB", "HOUR", "KB", "KIB", "MB", "MIB", "MINUTE", "MS", "US"),
    "spindle.studies.plots.files": ("save",),
    "spindle.studies.theory": ("mva",),
}
"""Public names by the module that defines them; the imports above repeat them for type checkers."""

MODULES = {name: module for module, names in PUBLIC_NAMES.items() for name in names}

__all__ = [*sorted(MODULES), "__version__"]


def __getattr__(name: str) -> object:
    """The public *name*, from the module that defines it."""
    if name == "__version__":
        from spindle.version import VERSION

        return VERSION
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
