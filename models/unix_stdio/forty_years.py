"""The lecture's programs on a machine of 2026 with a 7200 rpm drive, or with flash in its place."""

from collections.abc import Mapping
from typing import Any

import simpy

from models.unix_stdio.discs.disc import MetadataJournal
from models.unix_stdio.extras import extras
from models.unix_stdio.machines import VIRTUAL_2026
from models.unix_stdio.parameters import PAGE
from models.unix_stdio.runs import MEASURED
from models.unix_stdio.stack import UnixStack
from sim.disc.flash.drive import FlashDrive
from sim.disc.flash.sheet import FlashType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.disc.sheets import HITACHI_7K1000C
from sim.error import unknown
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed
from workloads.stdio import programs

DISC = "2010"
FLASH: Mapping[str, FlashType] = {"sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}


def stored(
    program: str, storage: str, seed: object, seconds: float, block: int | None = None,
    changes: Mapping[str, Any] | None = None, **parameters: Any,
) -> dict[str, float]:  # fmt: skip
    """What *program* reaches on *storage*, with a *block* and *changes* of its own; parameters measured stay so."""
    if storage != DISC and storage not in FLASH:
        raise unknown("storage", storage, [DISC, *FLASH])
    machine = changed(VIRTUAL_2026, **{name: value for name, value in parameters.items() if name not in MEASURED})
    blocks = {} if block is None else {"block": block}
    asked = programs()[program].changed(**blocks, **(changes or {}))
    stack = UnixStack(simpy.Environment(), machine, HITACHI_7K1000C, asked, False, seconds)
    if storage != DISC:
        put_in(stack, FLASH[storage])
    engine.run(stack.machine, stack.load(), Window(), seed, keep_rows=False)
    return extras(stack, seed)


def put_in(stack: UnixStack, sheet: FlashType) -> None:
    """Take the disc out before anything begins, and put flash of *sheet* in its place, with the journal on it."""
    drive = FlashDrive(stack.machine.env, sheet, name="disc")
    stack.disc.drive = stack.machine.parts["drive"] = drive
    stack.disc.commit = MetadataJournal(drive, drive.capacity * 2 // 3 // PAGE * PAGE)
