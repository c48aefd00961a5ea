"""The lecture's programs on a machine of 2026 with a 7200 rpm drive, or with flash in its place."""

from collections.abc import Mapping
from typing import Any

import simpy

from models.unix_stdio.extras import extras
from models.unix_stdio.machines import VIRTUAL_2026
from models.unix_stdio.runs import MEASURED
from models.unix_stdio.stack import UnixStack
from sim.disc.flash.drive import DriveType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.disc.sheets import HITACHI_7K1000C
from sim.error import unknown
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed
from workloads.stdio import programs

STORAGE: Mapping[str, DriveType] = {"2010": HITACHI_7K1000C, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}


def stored(
    program: str, storage: str, seed: object, seconds: float, block: int | None = None,
    changes: Mapping[str, Any] | None = None, **parameters: Any,
) -> dict[str, float]:  # fmt: skip
    """What *program* reaches on *storage*, with a *block* and *changes* of its own; parameters measured stay so."""
    if storage not in STORAGE:
        raise unknown("storage", storage, STORAGE)
    machine = changed(VIRTUAL_2026, **{name: value for name, value in parameters.items() if name not in MEASURED})
    blocks = {} if block is None else {"block": block}
    asked = programs()[program].changed(**blocks, **(changes or {}))
    stack = UnixStack(simpy.Environment(), machine, STORAGE[storage], asked, False, seconds)
    engine.run(stack.machine, stack.load(), Window(), seed, keep_rows=False)
    return extras(stack, seed)
