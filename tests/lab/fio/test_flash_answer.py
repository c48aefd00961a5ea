"""What a drive of flash answers to a load, over all of its dies."""

from dataclasses import replace

import pytest
import simpy

from spindle.lab.fio import flash_answer
from spindle.lab.fio.flash_answer import REQUESTS, drive_answer, with_little_flash
from spindle.lab.fio.flash_writes import sheet_of_writes
from spindle.lab.fio.load import FioLoad, HostDelay, HostOrder
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.mq_deadline import MqDeadline
from spindle.sim.request import READ
from spindle.sim.units import MIB, MS, US
from tests.lab.fio.flash_case import FIT, SHEET


def test_little_flash_has_all_dies() -> None:
    """8 MiB of each of 8 dies, and twice the blocks and 8 more."""
    less = with_little_flash(SHEET, 8)
    block = SHEET.block_units * SHEET.unit
    assert (less.capacity, less.nand.blocks) == (64 * MIB, 2 * 64 * MIB // (8 * block) + 8)
    assert replace(less, capacity=SHEET.capacity, nand=SHEET.nand) == SHEET
    small = sheet_of_writes(FIT, "known", 32 * MIB, 30 * US, 12 * US, 2 * MS, 16)
    assert with_little_flash(small, 8).capacity == 32 * MIB


@pytest.mark.parametrize("order", HostOrder)
def test_a_drive_answers_over_all_of_its_flash(monkeypatch: pytest.MonkeyPatch, order: HostOrder) -> None:
    monkeypatch.setattr(flash_answer, "answer_load", lambda *call: call)
    load = FioLoad(READ, 2, 4096, 0, 3)
    asked, builds, requests, between = drive_answer(load, SHEET, order=order)  # type: ignore[misc]
    assert (asked, requests, between) == (replace(load, span=64 * MIB), REQUESTS, HostDelay(turns=order == "cfq"))
    env = simpy.Environment()
    drive = builds(env)
    assert (drive.env, drive.capacity) == (env, 64 * MIB)
    assert type(drive.scheduler) is (MqDeadline if order == "deadline" else Fcfs)
    assert drive_answer(load, SHEET, 7)[2:] == (7, HostDelay())  # type: ignore[index]
