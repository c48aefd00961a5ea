"""A drive of flash by hand, and points of fio's."""

from typing import Any

import numpy as np

from spindle.lab.fio.flash_writes import sheet_of_writes
from spindle.lab.fio.points import FioPoint
from spindle.lab.flash.fit import FlashFit
from spindle.lab.flash.knobs import FlashKnobs
from spindle.sim.request import Op
from spindle.sim.units import MS, US

KIND = np.array([1.0, 4.0, 2.0, 8.0])
KNOBS = FlashKnobs(12 * US, 70 * US, 12 * US, 540e6, 1, 4, 2, 8)
NUMBERS = np.log([KNOBS.command, KNOBS.read, KNOBS.unit, KNOBS.rate])
FIT = FlashFit(KNOBS, NUMBERS, KIND, 0.01, 0.0, np.zeros(1))
SHEET = sheet_of_writes(FIT, "known", 1 << 30, 30 * US, 12 * US, 2 * MS, 16)
Call = tuple[Any, ...]


def point(op: Op, level: int, iops: float, mean: float = 1.0, jobs: int = 1, size: int = 4096, **p: float) -> FioPoint:
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in p.items()}
    return FioPoint(op, level // jobs, jobs, size, 1000, iops, mean, shares)
