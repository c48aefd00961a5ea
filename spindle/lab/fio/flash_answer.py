"""Simulates fio's load on a drive of flash, with only a little flash so that it is quick."""

from dataclasses import replace

from spindle.lab.fio.load import FioLoad, HostDelay, HostOrder, LoadAnswer, answer_load
from spindle.lab.flash.fit import DIE_BYTES
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mq_deadline import MqDeadline

REQUESTS = 3000
"""Requests of each simulation during a fit."""


def with_little_flash(sheet: FlashType, dies: int) -> FlashType:
    """Return the sheet with little flash, for simulations: the place of requests does not depend on the amount."""
    capacity = min(sheet.capacity, DIE_BYTES * dies)
    block = sheet.block_units * sheet.unit
    return replace(sheet, capacity=capacity, nand=replace(sheet.nand, blocks=2 * capacity // (dies * block) + 8))


def drive_answer(
    load: FioLoad, sheet: FlashType, requests: int = REQUESTS, order: HostOrder = HostOrder.FCFS
) -> LoadAnswer:
    """Return the answer of a drive of *sheet* to *load*; the host sends requests that have no tag yet in *order*."""
    less = with_little_flash(sheet, sheet.nand.dies)
    scheduler = MqDeadline if order is HostOrder.DEADLINE else Fcfs
    return answer_load(replace(load, span=less.capacity), lambda env: FlashDrive(env, less, scheduler()), requests,
                       HostDelay(turns=order is HostOrder.CFQ))  # fmt: skip
