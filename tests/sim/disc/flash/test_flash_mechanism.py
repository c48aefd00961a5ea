"""Tests by hand how flash serves a request: the map's pages, the buffer, the host's queues, and the counters."""

from dataclasses import replace

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import FlashDrive, drive_of
from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme, sata
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import READ, WRITE, Op, access
from spindle.sim.units import KIB, MS, US

NAND = Nand(channels=2, ways=1, planes=1, blocks=128, pages=8, page_bytes=8 * KIB, read=50 * US, program=1 * MS,
            erase=3 * MS, bus=4096 / (10 * US))
"""A unit crosses a bus in 10 us; two of them are a stripe, which takes 1 ms."""
SHEET = FlashType("two map pages", NAND, sata(4096 / (5 * US), 2 * US), 2048 * 4096, buffer=4 * 4096)
"""A page of the map has the entries of 1024 units. Units 0 and 1024 and page 0 of the map lie on die 0, page 1 on 1."""
ONE_PAGE = replace(SHEET, map_pages=1)


def took(sheet: FlashType, *asked: tuple[float, Op, int, int]) -> tuple[list[float], dict[str, float]]:
    """Microseconds that each of *asked* (when, op, first unit, units) takes, and what was counted."""
    env = simpy.Environment()
    drive = FlashDrive(env, sheet)
    requests = []
    for when, op, unit, units in asked:
        env.run(when * US if when else None)
        requests.append(drive.start(access(op, unit * 4096, units * 4096, Account("test"))))
    env.run()
    return [round(request.value.total / US, 6) for request in requests], drive.reading()


def test_a_page_of_the_map_that_was_changed_is_written_before_another_takes_its_place() -> None:
    """The write reads page 0. At 1002 page 1 is wanted: page 0 keeps die 0 until 1502, which senses unit 1024 then."""
    times, counted = took(ONE_PAGE, (0, WRITE, 0, 1), (1000, READ, 1024, 1))
    assert times == [7, 2 + 500 + 50 + 10 + 5]
    assert [counted[name] for name in ("map_hits", "map_misses", "map_write_backs")] == [0, 2, 1]


def test_a_page_of_the_map_that_was_only_read_is_not_written() -> None:
    times, counted = took(ONE_PAGE, *((1000 * n, READ, unit, 1) for n, unit in enumerate((0, 1024, 1026, 1030))))
    assert times == [2 + 60 + 60 + 5, 2 + 60 + 60 + 5, 67, 67]
    assert [counted[name] for name in ("map_hits", "map_misses", "map_write_backs")] == [2, 2, 0]


def test_what_is_read_is_counted_by_where_it_was() -> None:
    """Units 0 and 1 are in the buffer, their programs begin at 27 us and later; unit 2 is on the flash."""
    times, counted = took(SHEET, (0, WRITE, 0, 2), (20, READ, 0, 3))
    assert times == [2 + 10, 2 + 50 + 10 + 15]
    assert (counted["units_read"], counted["units_buffered"], counted["senses"]) == (3, 2, 1)
    assert (counted["map_hits"], counted["map_misses"]) == (3, 0)  # of two writes, and of what was on the flash


def test_a_unit_that_was_written_again_stays_in_the_buffer_until_its_last_program_ends() -> None:
    """Its programs end at 517 and 1017 us; at 607 another write finds the first of them gone."""
    times, _ = took(SHEET, (0, WRITE, 0, 1), (100, WRITE, 0, 1), (600, WRITE, 8, 1), (700, READ, 0, 1))
    assert times == [7, 7, 7, 7]


def test_a_command_takes_its_time_though_other_queues_are_handled_meanwhile() -> None:
    sheet = replace(SHEET, front=nvme(4096 / (5 * US), 8 * US, queues=8))
    assert took(sheet, (0, READ, 0, 1))[0] == [8 + 50 + 10 + 5]


def test_a_front_is_no_faster_than_what_stands_before_it() -> None:
    front = sata(600e6, 1 * US, write=(500e6, 2 * US))
    for rate, rates in ((1e9, (600e6, 500e6)), (550e6, (550e6, 500e6)), (300e6, (300e6, 300e6))):
        assert front.limit_rate(rate) == replace(front, rate=rates[0], write_rate=rates[1])


@pytest.mark.parametrize(("sheet", "kind"), [(SHEET, FlashDrive), (FixedService(1.0), Drive)])
def test_a_drive_is_built_of_either_kind_of_sheet(sheet: FlashType | FixedService, kind: type[Drive]) -> None:
    scheduler = Sstf()
    drive = drive_of(simpy.Environment(), sheet, scheduler, "d")
    assert (type(drive), drive.scheduler, drive.name) == (kind, scheduler, "d")
    assert drive_of(simpy.Environment(), sheet).name == "drive"
