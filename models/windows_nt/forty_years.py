"""Response Probe on flash in the place of the laptop's disc: bytes moved by the CPU, or by the drive itself."""

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import simpy

from models.windows_nt.logical_disc import ProgrammedIo
from models.windows_nt.machine import Laptop, NtOptions
from models.windows_nt.parameters import NtParameters
from models.windows_nt.runs import MODES
from models.windows_nt.workloads import workload
from sim.disc.drive import Drive
from sim.disc.flash.mechanism import Flash
from sim.disc.flash.sheet import FlashType
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.error import unknown
from sim.measure import engine
from sim.measure.window import Window
from sim.parameter import changed
from sim.units import MS
from workloads.probe.variant import in_mode, widened

DISC = "1993"
FLASH: Mapping[str, FlashType] = {"sata": INTEL_S3700, "nvme": SAMSUNG_960_PRO}


def stored(
    work: str, mode: str, storage: str, seed: object, seconds: float, **parameters: Any
) -> dict[str, float]:
    """Milliseconds of a cycle of *work* in one of MODES, and how busy CPU and drive are."""
    if storage != DISC and storage not in FLASH:
        raise unknown("storage", storage, [DISC, *FLASH])
    values = changed(NtParameters(), **parameters)
    probe = widened(replace(in_mode(workload(work), MODES[mode]), seconds=seconds), values.spread)
    laptop = Laptop(simpy.Environment(), values, NtOptions())
    if storage != DISC:
        put_in(laptop, FLASH[storage])
    window = Window(values.lead + probe.measured_from, values.lead + probe.seconds)
    result = engine.run(laptop.machine, laptop.load(probe, seed, values.lead), window, seed, keep_rows=False)
    cycles = sum(each.measured for each in laptop.threads)
    return {
        "response_mean": fsum(each.seconds for each in laptop.threads) / cycles,
        "ms": fsum(each.seconds for each in laptop.threads) / cycles / MS,
        "cpu_busy": result.counters["cpu.busy"] / result.seconds,
        "disc_busy": result.counters["disc.busy"] / result.seconds,
    }


def put_in(laptop: Laptop, sheet: FlashType) -> None:
    """Take the disc out before anything begins, and put flash of *sheet* in its place.

    The driver asks for one thing at a time; where the CPU moves the bytes, the link is no faster than that.
    """
    env, byte = laptop.env, laptop.parameters.moving
    flash = Flash(replace(sheet, front=sheet.front.no_faster(1.0 / byte)) if byte else sheet)
    mechanism = ProgrammedIo(env, laptop.cpu, flash, byte)
    laptop.disc.programmed = mechanism.account
    laptop.disc.drive = laptop.machine.parts["disc"] = Drive(env, mechanism, name="disc")
