"""The public names of Spindle's library: the parts of a computer, and the means to run and measure it.

A name is imported when it is first asked for, so that ``import sim`` costs nothing and no run hangs on what it does
not use. ``from sim.sweep import sweep`` runs many of what is built here.
"""

import ast
import functools
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from sim.compiled_parts import find_compiled

if TYPE_CHECKING:
    from sim.account import Phase
    from sim.cache.block_cache import BlockCache
    from sim.cache.read_ahead import Sequential
    from sim.cache.write_policy import CacheWriteBack, WriteThrough
    from sim.computer import Computer
    from sim.cpu import FcfsCpu, PreemptiveCpu
    from sim.disc.drive import Drive
    from sim.disc.flash.drive import FlashDrive
    from sim.disc.flash.sheet import FlashType
    from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
    from sim.disc.layout import uniform
    from sim.disc.mechanism import DiscType
    from sim.disc.scheduling import CLook, CScan, Fcfs, Look, Scan, Sptf, Sstf
    from sim.disc.seek import PowerSeek
    from sim.disc.sheet_file.sheet import read_sheet
    from sim.disc.sheets import HP7920, HP7925, HP7933, SHEETS
    from sim.error import UserError
    from sim.eviction.arc import Arc
    from sim.eviction.clock import Clock
    from sim.eviction.fifo import Fifo
    from sim.eviction.lfu import Lfu
    from sim.eviction.lirs import Lirs
    from sim.eviction.lru import Lru
    from sim.eviction.policy import EvictionPolicy
    from sim.eviction.s3_fifo import S3Fifo
    from sim.eviction.sieve import Sieve
    from sim.eviction.slru import Slru
    from sim.eviction.two_q import TwoQ
    from sim.file import File, OpenFile
    from sim.lock import Lock
    from sim.machine import Machine, SystemCalls
    from sim.measure.engine import run
    from sim.measure.load import Programs, Terminals
    from sim.measure.observer import Observer
    from sim.measure.result import Result
    from sim.measure.window import Window
    from sim.memory import SharedMemory
    from sim.request import Hint, Span
    from sim.script import Call, Choose, Loop, Script, Think, Type
    from sim.streams import Constant, Distribution, Exponential, Uniform, pick
    from sim.terminal import Session
    from sim.theory.mva import mva
    from sim.units import GIB, HOUR, KB, KIB, MB, MIB, MINUTE, MS, US, Bytes

__all__ = ["GIB", "HOUR", "HP7920", "HP7925", "HP7933", "INTEL_S3700", "KB", "KIB", "MB", "MIB", "MINUTE", "MS",
           "SAMSUNG_960_PRO", "SHEETS", "US", "Arc", "BlockCache", "Bytes", "CLook", "CScan", "CacheWriteBack", "Call",
           "Choose", "Clock", "Computer", "Constant", "DiscType", "Distribution", "Drive", "EvictionPolicy",
           "Exponential", "Fcfs", "FcfsCpu", "Fifo", "File", "FlashDrive", "FlashType", "Hint", "Lfu", "Lirs", "Lock",
           "Look", "Loop", "Lru", "Machine", "Observer", "OpenFile", "Phase", "PowerSeek", "PreemptiveCpu", "Programs",
           "Result", "S3Fifo", "Scan", "Script", "Sequential", "Session", "SharedMemory", "Sieve", "Slru", "Span",
           "Sptf", "Sstf", "SystemCalls", "Terminals", "Think", "TwoQ", "Type", "Uniform", "UserError", "Window",
           "WriteThrough", "mva", "pick", "read_sheet", "run", "uniform"]

find_compiled()  # before any part is imported


@functools.cache
def modules() -> dict[str, str]:
    """The module of each public name, read from the imports above, which only a type checker performs."""
    tree = ast.parse(Path(__file__).read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names if alias.name in __all__}


def __getattr__(name: str) -> object:
    """The public *name*, from the module that it is written in."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(modules()[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
