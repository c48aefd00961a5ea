"""The main load of Max-IV on flash in the places of its discs, behind the CPU of 1978 or a faster one."""

from collections.abc import Mapping
from typing import Any

import simpy

from models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import extras
from models.max_iv.runs.tools import USERS
from models.max_iv.tools.software import tools_users
from sim.disc.flash.drive import DriveType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.disc.sheets import MODCOMP_4138
from sim.error import unknown
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed

STORAGE: Mapping[str, DriveType] = {"4138": MODCOMP_4138, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}
WORK = ("compare", "copy", "request_cpu", "character", "tool_cpu")
"""What takes CPU time."""


def stored(
    seed: object, minutes: float, warm_up: float, storage: str, users: int = USERS, sectors: int = SECTORS,
    faster: float = 1.0, **parameters: Any,
) -> dict[str, Any]:  # fmt: skip
    """The summary of a run of *users* on *storage*, whose CPU is so many times *faster*."""
    if storage not in STORAGE:
        raise unknown("storage", storage, STORAGE)
    values = changed(MaxIvParameters(), **parameters)
    values = changed(values, **{name: getattr(values, name) / faster for name in WORK})
    modcomp = Modcomp(simpy.Environment(), values, MaxIvOptions(drive=STORAGE[storage]), sectors, seed)
    load, window = modcomp.load([tools_users(users, values)]), Window.minutes(minutes, warm_up)
    result = engine.run(modcomp.machine, load, window, seed, keep_rows=False)
    return {**result.summary(), **extras(modcomp, result.counters, result.seconds)}
