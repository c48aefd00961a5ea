"""Response Probe on flash in the place of the laptop's disc: bytes moved by the CPU, or by the drive itself."""

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import simpy

from models.windows_nt.machine import Laptop, NtOptions
from models.windows_nt.parameters import NtParameters
from models.windows_nt.runs import MODES
from models.windows_nt.workloads import workload
from sim.disc.flash.drive import DriveType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.disc.sheets.laptop import TOSHIBA_MK2124FC
from sim.error import unknown
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed
from sim.units import MS
from workloads.probe.variant import in_mode, widened

DISC = "1993"
STORAGE: Mapping[str, DriveType] = {DISC: TOSHIBA_MK2124FC, "sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}


def stored(
    work: str, mode: str, storage: str, seed: object, seconds: float, **parameters: Any
) -> dict[str, float]:
    """Milliseconds of a cycle of *work* in one of MODES, and how busy CPU and drive are."""
    if storage not in STORAGE:
        raise unknown("storage", storage, STORAGE)
    values = changed(NtParameters(), **parameters)
    probe = widened(replace(in_mode(workload(work), MODES[mode]), seconds=seconds), values.spread)
    laptop = Laptop(simpy.Environment(), values, NtOptions(drive=STORAGE[storage]))
    window = Window(values.lead + probe.measured_from, values.lead + probe.seconds)
    result = engine.run(laptop.machine, laptop.load(probe, seed, values.lead), window, seed, keep_rows=False)
    cycles = sum(each.measured for each in laptop.threads)
    return {
        "response_mean": fsum(each.seconds for each in laptop.threads) / cycles,
        "ms": fsum(each.seconds for each in laptop.threads) / cycles / MS,
        "cpu_busy": result.counters["cpu.busy"] / result.seconds,
        "disc_busy": result.counters["disc.busy"] / result.seconds,
    }
