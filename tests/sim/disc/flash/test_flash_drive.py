"""Tests solid-state drives: times by hand, tags, early reports, and the throughput of real drives' sheets."""

from dataclasses import replace
from math import isnan
from random import Random

import pytest
import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.computer import Computer
from spindle.sim.disc.flash.drive import FlashDrive, words_of_wear, write_amplification
from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme, sata
from spindle.sim.disc.flash.sheets import FLASH_SHEETS, INTEL_S3700, OPTANE_P4800X, SAMSUNG_960_PRO
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.error import UserError
from spindle.sim.machine import Machine, OpenFile
from spindle.sim.measure.laws import check_parts
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from spindle.sim.streams import Constant
from spindle.sim.units import KIB, MS, US

NAND = Nand(channels=2, ways=1, planes=1, blocks=16, pages=8, page_bytes=8 * KIB, read=50 * US, program=1 * MS,
            erase=3 * MS, bus=4096 / (10 * US))
"""A unit crosses a bus in 10 us; two of them are a stripe."""
SMALL = FlashType("small", NAND, sata(4096 / (5 * US), 2 * US), 200 * 4096, buffer=4 * 4096)


def started(drive: FlashDrive, op: Op, first: int, length: int = 4096) -> Request:
    return drive.start(access(op, first, length, Account("test")))


def ends(sheet: FlashType, asked: list[tuple[Op, int, int]]) -> list[float]:
    """When each of *asked* (op, first unit, units) ends, in microseconds, if all begin at 0."""
    env = simpy.Environment()
    drive = FlashDrive(env, sheet)
    done = [0.0] * len(asked)
    for number, (op, unit, units) in enumerate(asked):
        request = started(drive, op, unit * 4096, units * 4096)
        request.callbacks.append(lambda _, number=number: done.__setitem__(number, env.now / US))
    env.run()
    check_parts(Machine(env, {"drive": drive}))
    return done


def test_a_read_is_command_sense_bus_and_link() -> None:
    assert ends(SMALL, [(READ, 9, 1)]) == pytest.approx([2 + 50 + 10 + 5])


def test_a_page_is_sensed_once_for_all_its_units() -> None:
    assert ends(SMALL, [(READ, 0, 2)]) == pytest.approx([2 + 50 + 20 + 10])


def test_dies_work_at_the_same_time() -> None:
    """Units 0 and 2 lie on two dies, 0 and 4 on one."""
    assert ends(SMALL, [(READ, 0, 1), (READ, 2, 1)]) == pytest.approx([67, 69])
    assert ends(SMALL, [(READ, 0, 1), (READ, 4, 1)]) == pytest.approx([67, 2 + 60 + 50 + 10 + 5])


@pytest.mark.parametrize(("channels", "third"), [(1, 127), (2, 101)])
def test_dies_of_a_channel_share_its_bus(channels: int, third: float) -> None:
    """A unit takes 40 us of it, a command 2: of four dies three are asked, from 2, 4 and 6 us on.

    All sense at the same time. One bus is busy with the three until 122 us; of two one is with two of them until 82.
    """
    sheet = replace(SMALL, nand=replace(NAND, channels=channels, ways=4 // channels, bus=4096 / (40 * US)))
    assert ends(sheet, [(READ, unit, 1) for unit in (0, 2, 4)]) == pytest.approx([97, 99, third])


def test_a_write_is_done_in_the_buffer_and_waits_where_that_is_full() -> None:
    """A unit takes half of a program; the fifth write waits for the first of those on its way to a die."""
    asked = [(WRITE, unit, 1) for unit in (0, 4, 8, 12, 16)]
    assert ends(SMALL, asked) == pytest.approx([7, 12, 17, 22, 7 + 10 + 500])


def test_a_buffer_that_flushes_two_units_keeps_all_writes_waiting_until_both_are_programmed() -> None:
    """Of four the first two programs end at 517 and 1017 us; the sixth write has room, and waits for the flush too."""
    asked = [(WRITE, unit, 1) for unit in range(0, 28, 4)]
    assert ends(replace(SMALL, flush=2), asked) == pytest.approx([7, 12, 17, 22, 1017, 1017, 2017])


def test_what_is_in_the_buffer_is_read_from_it() -> None:
    env = simpy.Environment()
    drive = FlashDrive(env, SMALL)
    started(drive, WRITE, 0)
    env.run(10 * US)
    request = started(drive, READ, 0)
    env.run(request)
    assert env.now == pytest.approx(17 * US)


def test_a_unit_whose_program_has_not_begun_is_written_over_in_the_buffer() -> None:
    """The first program begins at 17 us; the write that arrives at 12 is absorbed, that at 107 needs a second one."""
    env = simpy.Environment()
    drive = FlashDrive(env, SMALL)
    for instant in (5, 100, 200):
        started(drive, WRITE, 0)
        env.run(instant * US)
    env.run()
    assert (drive.reading()["units_absorbed"], drive.reading()["units_written"]) == (1, 2)


def test_a_unit_written_in_part_is_read_first() -> None:
    env = simpy.Environment()
    drive = FlashDrive(env, SMALL)
    started(drive, WRITE, 512, 512)
    env.run()
    assert drive.flash.senses == 1
    assert drive.reading()["units_written"] == 1


def test_the_host_keeps_what_has_no_tag() -> None:
    one = replace(SMALL, front=replace(SMALL.front, tags=1))
    assert ends(one, [(READ, 0, 1), (READ, 2, 1)]) == pytest.approx([67, 134])


def test_a_missing_page_of_the_map_is_read_before_the_unit() -> None:
    assert ends(replace(SMALL, map_pages=1), [(READ, 2, 1)]) == pytest.approx([2 + 60 + 60 + 5])


@pytest.mark.parametrize(("survives", "flushed"), [(False, 7 + 10 + 500), (True, 7)])
def test_a_flush_waits_for_programs_unless_the_buffer_survives(survives: bool, flushed: float) -> None:
    env = simpy.Environment()
    drive = FlashDrive(env, replace(SMALL, buffer_survives=survives))

    def process() -> Wait:
        yield from drive.write(access(WRITE, 0, 4096, Account("test")))
        assert env.now == pytest.approx(7 * US)
        yield from drive.flush(Span(0, 4096))
        assert env.now == pytest.approx(flushed * US)

    env.run(env.process(process()))


def test_trimmed_units_are_not_copied() -> None:
    """Half of the units are written over and over; the others are copied, unless they were trimmed."""
    copied = []
    for trims in (False, True):
        env = simpy.Environment()
        drive = FlashDrive(env, replace(SMALL, capacity=350 * 4096))
        random = Random(1)
        for unit in range(350):
            started(drive, WRITE, unit * 4096)
        env.run()
        if trims:
            drive.discard(Span(175 * 4096 - 100, 175 * 4096 + 100))  # of which 175 units are whole
        for _ in range(1000):
            started(drive, WRITE, random.randrange(175) * 4096)
        env.run()
        copied.append(drive.reading()["units_copied"])
        assert drive.reading()["units_trimmed"] == (175 if trims else 0)
        check_parts(Machine(env, {"drive": drive}))
    assert copied[1] < 0.5 * copied[0]


def test_a_drive_that_loses_a_unit_breaks_a_law() -> None:
    env = simpy.Environment()
    drive = FlashDrive(env, SMALL)
    started(drive, WRITE, 0)
    env.run()
    drive.flash.dies[0].mapped += 1
    with pytest.raises(LawBroken, match="drive: die 0: valid units against the map"):
        check_parts(Machine(env, {"drive": drive}))


NAND_CHANGES = {"channels": 0, "pages": 0, "read": 0.0, "bus": -1.0, "blocks": 1 << 24}
CHANGES = {"capacity": 4097, "unit": 3000, "sector_bytes": 0, "buffer": 100, "map_pages": 0, "reserve": 1}


@pytest.mark.parametrize("name", NAND_CHANGES)
def test_flash_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="flash: "):
        replace(NAND, **{name: NAND_CHANGES[name]})


@pytest.mark.parametrize("name", CHANGES)
def test_a_drive_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="flash small: "):
        replace(SMALL, **{name: CHANGES[name]})


def test_flash_without_room_to_clean_is_refused() -> None:
    """Of 512 units four blocks of sixteen on each of two dies must be spare."""
    replace(SMALL, capacity=(512 - 128) * 4096)
    for units in (512 - 124, 512, 600):
        with pytest.raises(UserError, match="cleaning would never end"):
            replace(SMALL, capacity=units * 4096)
    with pytest.raises(UserError, match="front SATA"):
        sata(0.0, 1 * US)


def rate(sheet: FlashType, op: Op, at_once: int, length: int, count: int) -> float:
    """Requests a second with *at_once* at a time; those of one unit lie anywhere, longer ones one after the other."""
    env, random = simpy.Environment(), Random(1)
    drive = FlashDrive(env, sheet)
    firsts = iter([random.randrange(sheet.capacity // 4096) * 4096 if length == 4096 else number * length
                   for number in range(count)])

    def host() -> Wait:
        for first in firsts:
            yield started(drive, op, first, length)

    for _ in range(at_once):
        env.process(host())
    env.run()
    return count / env.now


LONG = 128 * KIB


@pytest.mark.parametrize(
    ("sheet", "op", "at_once", "length", "printed", "within"),
    [
        (INTEL_S3700, READ, 32, 4096, 75_000, 0.02),
        (INTEL_S3700, READ, 8, LONG, 500e6 / LONG, 0.02),
        (INTEL_S3700, WRITE, 32, LONG, 460e6 / LONG, 0.02),
        (INTEL_S3700, WRITE, 32, 4096, 36_000, 0.02),
        (SAMSUNG_960_PRO, READ, 1, 4096, 14_000, 0.02),
        (SAMSUNG_960_PRO, WRITE, 1, 4096, 50_000, 0.05),
        (SAMSUNG_960_PRO, READ, 128, 4096, 330_000, 0.03),
        (SAMSUNG_960_PRO, READ, 8, LONG, 3500e6 / LONG, 0.02),
        (SAMSUNG_960_PRO, WRITE, 8, LONG, 2100e6 / LONG, 0.02),
        (OPTANE_P4800X, READ, 16, 4096, 550_000, 0.02),
        (OPTANE_P4800X, WRITE, 16, 4096, 500_000, 0.03),
        (OPTANE_P4800X, READ, 8, 64 * KIB, 2400e6 / (64 * KIB), 0.02),
        (OPTANE_P4800X, WRITE, 8, 64 * KIB, 2000e6 / (64 * KIB), 0.02),
    ],
)  # fmt: skip
def test_drives_do_what_their_sheets_were_fitted_to(
    sheet: FlashType, op: Op, at_once: int, length: int, printed: float, within: float
) -> None:
    assert rate(sheet, op, at_once, length, 1500) == pytest.approx(printed, rel=within)


def smaller(ways: int, sectors: int) -> FlashType:
    """The model of the S3700 with *ways* dies on a channel."""
    return replace(INTEL_S3700, nand=replace(INTEL_S3700.nand, ways=ways), capacity=sectors * 512)


S3700_100, S3700_200 = smaller(2, 195_371_568), smaller(4, 390_721_968)


def test_the_program_time_is_that_of_the_smallest_model() -> None:
    assert rate(S3700_100, WRITE, 32, LONG, 1500) * LONG == pytest.approx(200e6, rel=0.02)


def test_what_was_not_fitted_is_predicted_to_a_few_tenths() -> None:
    """Printed of 200 GB: 365 MB/s in sequence; of the 960 Pro 330,000 random writes a second, on an empty drive. Of the
    P4800X less than 10 us is printed, and 8.9 were measured.
    """
    assert 1.0 / rate(OPTANE_P4800X, READ, 1, 4096, 500) == pytest.approx(8.9e-6, rel=0.05)
    assert rate(S3700_200, WRITE, 32, LONG, 1500) * LONG == pytest.approx(365e6, rel=0.12)
    assert rate(SAMSUNG_960_PRO, WRITE, 128, 4096, 3000) == pytest.approx(330_000, rel=0.02)


def written_over(sheet: FlashType) -> FlashDrive:
    """A drive of *sheet* with fewer and smaller blocks, whose units have all been written, and once more at random."""
    nand = replace(sheet.nand, blocks=64, pages=16, erase=sheet.nand.erase * 16 / sheet.nand.pages)
    whole = sheet.nand.blocks * sheet.nand.pages
    shrunk = replace(sheet, nand=nand, capacity=sheet.capacity * 64 * 16 // whole // 4096 * 4096)
    drive, random = FlashDrive(simpy.Environment(), shrunk), Random(1)
    units = shrunk.capacity // 4096
    for unit in [*range(units), *(random.randrange(units) for _ in range(units))]:
        die, inner = drive.flash._place(unit)
        drive.flash.dies[die].write(inner)
    return drive


@pytest.mark.parametrize(("sheet", "printed", "within"), [(S3700_100, 19_000, 0.20), (S3700_200, 32_000, 0.15)])
def test_random_writes_of_smaller_models_are_predicted(sheet: FlashType, printed: float, within: float) -> None:
    drive, random = written_over(sheet), Random(2)
    env = drive.env

    def host() -> Wait:
        for _ in range(250):
            yield started(drive, WRITE, random.randrange(drive.capacity // 4096) * 4096)

    for _ in range(32):
        env.process(host())
    env.run()
    assert 32 * 250 / env.now == pytest.approx(printed, rel=within)


def test_cleaning_is_paid_for_by_the_writes_of_a_block_or_while_the_die_is_idle() -> None:
    """A block of 16 units was erased: 16 writes pay 3 ms beside half a program each; a pause pays it all."""
    for pause, expected in ((0.0, 16 * 500 + 3000), (1.0, 16 * 500)):
        flash = FlashDrive(simpy.Environment(), SMALL).flash
        flash._clean(0, 0.0, 0, 1)
        for _ in range(16):
            flash._clean(0, pause, 0, 0)
            flash._work(0, pause, flash._program)
        assert (flash._free[0] - pause) / US == pytest.approx(expected)
        assert flash._erasures[0] == 0


def test_wear_is_told_of_all_drives_that_wrote() -> None:
    one = {"units_written": 10.0, "units_copied": 5.0, "blocks_erased": 1.0, "busy": 3.0}
    two = {f"disc.{name}": value for name, value in {**one, "units_copied": 25.0}.items()}
    assert words_of_wear({**one, **two}) == ["flash: write amplification 2.500, 2 blocks erased"]
    assert write_amplification(one) == 1.5
    assert isnan(write_amplification({**one, "units_written": 0.0}))
    assert words_of_wear({"busy": 1.0}) == words_of_wear({**one, "units_written": 0.0}) == []


@pytest.mark.parametrize("sheet", FLASH_SHEETS, ids=lambda sheet: sheet.name)
def test_every_number_of_a_sheet_has_a_source(sheet: FlashType) -> None:
    numbers = {"capacity", "channels", "ways", "planes", "blocks", "pages", "page_bytes", "read", "program", "erase",
               "bus", "tags", "command", "rate", "write_command", "write_rate", "unit", "buffer", "map_pages",
               "buffer_survives", "cleaning", "reserve"}
    assert numbers <= set(sheet.sources) <= numbers | {"queues"}
    assert all(source.kind in ("cited", "assumed", "fitted") and len(source.note) >= 8
               for source in sheet.sources.values())  # fmt: skip


def test_a_computer_takes_flash_as_it_takes_a_disc() -> None:
    computer = Computer()
    file = computer.file(computer.drive(replace(SMALL, front=nvme(1e9, 10 * US))), 100 * KIB)

    def transaction(machine: Machine, session: object) -> Wait:
        yield from machine.read(OpenFile(file), 0, 4096, session.account)  # type: ignore[attr-defined]
        session.reply(80)  # type: ignore[attr-defined]

    result = computer.run(terminals=2, think=Constant(0.01), transaction=transaction, minutes=0.02, warm_up=0.01)
    summary = result.summary()
    assert summary["part_overhead"] + summary["part_transfer"] == pytest.approx((10 + 60) * US + 4096 / 1e9)


@pytest.mark.parametrize("many", [1, 2, 3])
def test_what_ends_while_an_instant_is_gathered_begins_what_waits(many: int) -> None:
    """So *many* requests come at the instant at which another ends: none begins twice, nor more than there are tags."""
    sheet = replace(SMALL, front=replace(SMALL.front, tags=2))
    before = simpy.Environment()
    started(FlashDrive(before, sheet), READ, 0)
    before.run()
    alone, env = before.now, simpy.Environment()
    drive = FlashDrive(env, sheet, Sptf())
    drive.gather()
    for unit in range(1, many + 1):
        env.timeout(alone).callbacks.append(lambda _, unit=unit: started(drive, READ, unit * 4096))
    started(drive, READ, 0)
    while env.peek() <= alone:
        env.step()
    assert drive._under_way == min(many, 2)
    env.run()
    assert (drive.reading()["completed"], drive.faults()) == (many + 1, [])
