"""Tests flash at its limits, by hand: tags, instants at which a program ends, cleaning due, limits of sheets."""

from array import array
from dataclasses import replace
from math import inf
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash import sheets
from spindle.sim.disc.flash.drive import FlashDrive, ParallelCounts, mechanism_in
from spindle.sim.disc.flash.mechanism import NOWHERE, Die, Flash, MapCache
from spindle.sim.disc.flash.sheet import (
    MAX_BLOCKS,
    MAX_UNITS,
    Choices,
    Chooser,
    CostBenefit,
    FlashType,
    Front,
    Greedy,
    Nand,
    fewest_valid,
    nvme,
    sata,
)
from spindle.sim.disc.mechanism import ArmPosition
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import HOME
from spindle.sim.error import UserError
from spindle.sim.parts import credits_of
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Request, Span, access
from spindle.sim.streams import pick, stream
from spindle.sim.units import KIB, MS, US

UNIT = 4096
NAND = Nand(channels=2, ways=1, planes=1, blocks=16, pages=8, page_bytes=8 * KIB, read=50 * US, program=1 * MS,
            erase=3 * MS, bus=UNIT / (10 * US))
"""A unit crosses a bus in 10 us; two of them are a stripe, a program takes half of 1 ms for each."""
SMALL = FlashType("small", NAND, sata(UNIT / (5 * US), 2 * US), 200 * UNIT, buffer=4 * UNIT)
ONE_DIE = replace(SMALL, nand=replace(NAND, channels=1), capacity=100 * UNIT)


def served(sheet: FlashType, *asked: tuple[float, Op, int]) -> list[tuple[float, float]]:
    """Microseconds that each of *asked* (when, op, unit) waits for the drive, and is served."""
    env = simpy.Environment()
    drive = FlashDrive(env, sheet)
    requests = []
    for when, op, unit in asked:
        if when:
            env.run(when * US)
        requests.append(drive.start(access(op, unit * UNIT, UNIT, Account("test"))))
    env.run()
    return [(round(each.value.queue / US, 6), round(each.value.total / US, 6)) for each in requests]


def serve(flash: Flash, op: Op, first: int, length: int, now: float = 0.0) -> AccessTiming:
    return flash.serve(HOME, now, op, Span(first, length))[0]


def test_two_tags_are_two_requests_at_a_time() -> None:
    """Units 0, 4 and 8 are on one die, 2 is on the other. The third begins when the first ends, and so on."""
    two = replace(SMALL, front=replace(SMALL.front, tags=2))
    asked = [(0.0, READ, unit) for unit in (0, 2, 4, 8)]
    first = [(0, 67), (0, 69), (67, 67), (69, 125)]
    assert served(two, *asked) == first
    # When all have ended there are two tags again.
    assert served(two, *asked, (1000.0, READ, 0), (0.0, READ, 2))[4:] == [(0, 67), (0, 69)]
    # The third has the tag of the first, so that who comes at 68 waits for the second.
    assert served(two, *asked[:3], (68.0, READ, 6))[3] == (1, 67)
    assert FlashDrive(simpy.Environment(), two).name == "drive"


def test_a_constant_is_the_drive_of_its_name() -> None:
    assert sheets.SAMSUNG_960_PRO is sheets.FLASH["samsung960pro"]
    assert sheets.FLASH_SHEETS is sheets.FLASH.all()
    with pytest.raises(AttributeError, match="there is no drive SAMSUNG_961"):
        sheets.SAMSUNG_961  # noqa: B018


class Held(Fcfs):
    """First come, first served, but keeps all that waits while it is shut."""

    shut = False

    def __len__(self) -> int:
        return 0 if self.shut else super().__len__()


def test_what_a_scheduler_kept_begins_together_when_it_lets_go(env: simpy.Environment) -> None:
    """The first takes 67 us; the other two, on two dies, are kept until then, and begin at the instant of its end."""
    held = Held()
    drive = FlashDrive(env, SMALL, held)
    assert credits_of(env) == [SMALL]
    first = drive.start(access(READ, 0, UNIT, Account("test")))
    held.shut = True
    kept = [drive.start(access(READ, unit * UNIT, UNIT, Account("test"))) for unit in (2, 4)]
    assert (drive.counts.in_service, drive.counts.waiting) == (1, 2)
    held.shut = False
    env.run()
    assert first.value.queue == 0.0
    assert [each.value.queue / US for each in kept] == pytest.approx([67, 67])


def test_the_second_command_is_handled_while_the_first_takes_its_time() -> None:
    """8 us of a command, of which the controller is busy for 1: the die begins at 8 and again at 68."""
    sheet = replace(SMALL, front=nvme(UNIT / (5 * US), 8 * US))
    assert served(sheet, (0, READ, 0), (0, READ, 4)) == [(0, 73), (0, 133)]


def test_a_controller_that_is_busy_longer_than_a_command_takes_holds_back_writes_alone() -> None:
    """8 us for each write, of which the command takes 2; a unit crosses the link in 5."""
    busy = replace(SMALL, front=replace(SMALL.front, write_handling=8 * US))
    assert served(busy, (0, WRITE, 0), (0, WRITE, 4)) == [(0, 13), (0, 21)]
    assert served(busy, (0, READ, 0), (0, READ, 2)) == [(0, 67), (0, 69)]
    free = replace(SMALL, front=replace(SMALL.front, write_handling=0.0))
    assert served(free, (0, WRITE, 0), (0, WRITE, 4)) == [(0, 7), (0, 12)]
    for seconds in (-0.1, inf):
        with pytest.raises(UserError, match=f"front SATA: write_handling {seconds} must be finite and not negative"):
            replace(SMALL.front, write_handling=seconds)


class Newest(Held):
    """Last come, first served, while it is not shut."""

    def take(self, arm: ArmPosition, now: float) -> Request:
        return self._queue.pop()


@pytest.mark.parametrize(("kept", "order"), [(2, [1, 4, 3, 0]), (0, [0, 1])])
def test_a_drive_that_could_take_more_waits_for_all_of_the_instant(
    env: simpy.Environment, kept: int, order: list[int]
) -> None:
    """The scheduler lets so many go when the first ends, at 67 us, and then two more come. The newest of those kept
    begins at once, then the newest of all; where none was kept the drive is idle, and begins the first that comes.
    """
    held, begun = Newest(), []
    drive = FlashDrive(env, SMALL, held)
    begin = drive._begin

    def note(request: Request, arm: ArmPosition, detour: float, now: float) -> None:
        begun.append((round(now / US), request.access.span.first // UNIT))
        begin(request, arm, detour, now)

    def more(_: Any) -> None:
        for unit in range(kept + bool(kept), kept + bool(kept) + 2):
            drive.start(access(READ, unit * UNIT, UNIT, Account("test")))

    first = drive.start(access(READ, 9 * UNIT, UNIT, Account("test")))
    first.callbacks.append(more)
    drive._begin = note  # type: ignore[method-assign]
    held.shut = True
    for unit in range(kept):
        drive.start(access(READ, unit * UNIT, UNIT, Account("test")))
    held.shut = False
    env.run()
    assert begun == [(67, unit) for unit in order]


@pytest.mark.parametrize("sheet", [SMALL, HP7933])
def test_what_a_sheet_is_built_on(sheet: Any) -> None:
    mechanism = mechanism_in(sheet)
    assert type(mechanism) is (Flash if sheet is SMALL else type(mechanism_of(HP7933)))
    assert mechanism.capacity == sheet.layout.capacity


def test_a_unit_leaves_the_buffer_at_the_instant_at_which_its_program_ends() -> None:
    flash = Flash(SMALL)
    assert serve(flash, WRITE, 0, UNIT).queue == 0.0
    end = flash._buffered[0]
    flash._read(range(1), end)
    assert (flash.buffered_units, flash.senses) == (0, 1)
    assert flash._room(end) == end
    assert (flash._leaving, flash._buffered) == ([], {})


def test_a_unit_is_written_over_in_the_buffer_until_the_instant_at_which_its_program_begins() -> None:
    flash = Flash(SMALL)
    serve(flash, WRITE, 0, UNIT)
    begins = flash._buffered[0] - flash._program
    for now, absorbed in ((0.0, 1), (0.0, 2), (begins, 2)):
        flash._write(range(1), Span(0, UNIT), now)
        assert flash.absorbed_units == absorbed
    # Unit 0 waits for the program of unit 4. Behind one that is written over another is written as any.
    flash = Flash(SMALL)
    for first, units in ((4, 1), (0, 1), (0, 2)):
        serve(flash, WRITE, first * UNIT, units * UNIT)
    assert [flash.reading()[f"units_{name}"] for name in ("absorbed", "written")] == [1, 3]


def test_a_buffer_holds_whole_units() -> None:
    more = replace(SMALL, buffer=4 * UNIT + 2048)
    asked = [(0.0, WRITE, unit) for unit in (0, 4, 8, 12, 16)]
    assert served(more, *asked) == served(SMALL, *asked)


def test_what_was_trimmed_is_not_in_the_buffer() -> None:
    flash = Flash(SMALL)
    serve(flash, WRITE, 0, 2 * UNIT)
    flash.discard(Span(0, UNIT))
    assert set(flash._buffered) == {1}


def test_what_is_trimmed_is_what_was_written_there() -> None:
    """Of two dies each has two units in turn: unit 5 is the fourth of the first."""
    flash = Flash(SMALL)
    serve(flash, WRITE, 0, 8 * UNIT)
    flash.discard(Span(5 * UNIT, UNIT))
    assert [[die.place_of(unit) for unit in range(4)] for die in flash.dies] == [[0, 1, 2, NOWHERE], [0, 1, 2, 3]]


@pytest.mark.parametrize(("first", "length", "senses"), [(0, 512, 1), (512, 3584, 1), (0, UNIT, 0), (512, UNIT, 2)])
def test_the_rest_of_a_unit_is_read_whichever_end_is_missing(first: int, length: int, senses: int) -> None:
    flash = Flash(SMALL)
    serve(flash, WRITE, first, length)
    assert flash.senses == senses


def test_a_page_is_sensed_where_its_units_lie() -> None:
    """On one die: four units never written are two pages; 1 and 2, written one after the other, are one."""
    flash = Flash(ONE_DIE)
    serve(flash, READ, 0, 4 * UNIT)
    assert flash.senses == 2
    for unit in (1, 2):
        serve(flash, WRITE, unit * UNIT, UNIT)
    serve(flash, READ, UNIT, 2 * UNIT, now=1.0)
    assert (flash.senses, flash.reading()["units_read"]) == (3, 6)


def frees(flash: Flash, writes: int, copied: int, now: float = 0.0) -> list[float]:
    """The instant from which die 0 is free after each of so many *writes*, the first of which cleaned a block."""
    found = []
    for number in range(writes):
        flash._clean(0, now, copied * (not number), int(not number))
        found.append(flash._free[0] / MS)
    return found


def test_cleaning_is_paid_in_steps() -> None:
    """Three copies are a stripe of two, 1.05 ms, and one more, 0.525 ms; the erasure takes 3 ms. All 4.575 ms are due
    with sixteen writes, of which each brings 0.286 ms: a step is taken when as much is due.
    """
    flash = Flash(SMALL)
    assert frees(flash, 16, 3) == pytest.approx([*[0.0] * 3, *[1.05] * 2, *[1.575] * 10, 4.575])
    assert (flash._owed[0], flash._erasures[0]) == (0.0, 0)
    flash.dies[1].erased += 2
    assert flash.reading()["blocks_erased"] == 2


def test_writes_that_fill_a_block_pay_for_one_that_is_erased() -> None:
    """Thirteen blocks of sixteen units are filled before one is emptied, of which nothing is valid: the next sixteen
    writes pay 3 ms beside half of a program each. The die is never idle.
    """
    flash, paid = Flash(ONE_DIE), []
    for number in range(15 * 16):
        now = max(0.0, flash._free[0] - 1 * MS)
        flash._write(range(number % 100, number % 100 + 1), Span(number % 100 * UNIT, UNIT), now)
        paid.append((flash._free[0] - flash._to_bus) / MS - 0.5 * (number + 1))
    assert [paid[count * 16 - 1] for count in (1, 13, 14, 15)] == pytest.approx([0.0, 0.0, 3.0, 6.0])
    assert flash.reading()["blocks_erased"] == 3


def test_equal_parts_pay_the_whole_however_they_add_up() -> None:
    """Ten times 0.3 ms are less than 3 ms by a rounding."""
    flash = Flash(replace(SMALL, nand=replace(NAND, pages=5)))
    assert frees(flash, 10, 0) == pytest.approx([*[0.0] * 9, 3.0])


def test_an_idle_die_has_not_cleaned_before_there_was_anything_to_clean() -> None:
    flash = Flash(SMALL)
    flash._clean(0, 5 * MS, 3, 1)
    assert (flash._free[0], flash._owed[0], flash._erasures[0]) == (5 * MS, pytest.approx(3 * 0.525 * MS), 1)


def test_what_was_done_while_idle_is_not_owed_to_later_writes() -> None:
    """At 1 ms the die is in the first stripe, until 1.05 ms; two writes bring more than the next copy's 0.525 ms."""
    flash = Flash(SMALL)
    flash._clean(0, 0.0, 3, 1)
    found = []
    for _ in range(2):
        flash._clean(0, 1.0 * MS, 0, 0)
        found.append(flash._free[0] / MS)
    assert found == pytest.approx([1.05, 1.575])


def test_all_is_settled_when_the_busiest_die_is() -> None:
    flash = Flash(SMALL)
    for unit in (0, 4, 8, 2):  # the last is on another die
        serve(flash, WRITE, unit * UNIT, UNIT)
    assert flash.settled_at() == flash._buffered[8] > flash._buffered[2]


def test_what_is_not_paid_when_the_next_block_is_full_is_paid_with_the_next() -> None:
    flash = Flash(SMALL)
    frees(flash, 8, 3)
    assert frees(flash, 16, 3)[-1] == pytest.approx(2 * 4.575)


def test_cleaning_that_is_not_preempted_comes_before_the_next_write() -> None:
    assert frees(Flash(replace(SMALL, preempted=False)), 3, 3) == pytest.approx([4.575] * 3)


def test_an_idle_die_goes_on_with_its_cleaning_and_a_read_waits_for_the_step_under_way() -> None:
    """The die was free at 0. At 1 ms it is in the first stripe, until 1.05 ms; at 2 ms in the erasure, until 4.575."""
    for now, free in ((1.0, 1.05), (2.0, 4.575), (9.0, 9.0)):
        flash = Flash(SMALL)
        flash._clean(0, 0.0, 3, 1)
        alone, waited = (serve(each, READ, 0, UNIT, now=now * MS).total for each in (Flash(SMALL), flash))
        assert (waited - alone) / MS == pytest.approx(max(0.0, free - now - SMALL.front.command / MS))


class Noted:
    """Cleans as Greedy does, and notes for whom."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def chooser(self, die: int, units: int) -> Chooser:
        self.asked.append((die, units))
        return fewest_valid


def test_every_die_has_a_chooser_of_its_own() -> None:
    noted = Noted()
    Flash(replace(SMALL, cleaning=noted))
    assert noted.asked == [(0, 16), (1, 16)]


def test_choices_draw_from_a_stream_of_each_die() -> None:
    draws, choose = stream(3, "cleaning 2"), Choices(1, seed=3).chooser(2, 4)
    for _ in range(9):
        assert choose(range(7), [1] * 7, [0] * 7, 9) == pick(draws, 7)
    with pytest.raises(UserError, match="cleaning: d 0 must be at least 1"):
        Choices(0)


@pytest.mark.parametrize("cleaning", [Greedy(), CostBenefit()])
def test_a_die_tells_what_each_write_had_copied_and_erased(cleaning: Greedy | CostBenefit) -> None:
    """Nine blocks of four units, written over three times in the order 0, 7, 14, 1, 8 and so on of twenty."""
    die, copied, erased = Die(9, 4, 2, cleaning.chooser(0, 4)), 0, 0
    for number in range(60):
        more = die.write(number * 7 % 20 if number % 3 else number % 5)
        copied, erased = copied + more[0], erased + more[1]
        assert (die.copied, die.erased) == (copied, erased)
    assert copied
    assert erased > 1


def test_a_die_names_a_unit_by_its_number_and_an_empty_block_that_holds_one() -> None:
    for spoil, fault in (
        (lambda die: die._chunk(67).__setitem__(3, 1), "unit 67 is not where the map has it"),
        (lambda die: die._units.__setitem__(die._empty[0], array("q")), "empty blocks hold no unit"),
    ):
        die = Die(9, 4, 2, fewest_valid)
        for unit in (67, 1):
            die.write(unit)
        spoil(die)
        assert die.faults() == [fault]


def test_every_use_of_the_map_is_counted() -> None:
    whole, one = MapCache(None, 10), MapCache(1, 10)
    for unit in (1, 2, 11, 12, 13, 21):
        whole.use(unit, True)
        one.use(unit, True)
    assert (whole.hits, whole.misses) == (6, 0)
    assert (one.hits, one.misses, one.write_backs) == (3, 3, 2)


def test_nobody_who_waits_leaves_a_rounding_behind() -> None:
    """0.1 + 0.2 + 0.3 - 0.1 - 0.2 - 0.3 is not nothing."""
    counts = ParallelCounts(0.0, 512)
    services = [AccessTiming(1.0 - now, 1.0, 0.0, 0.0, 0.0, 0.0) for now in (0.1, 0.2, 0.3)]
    for now in (0.1, 0.2, 0.3):
        counts.enter(now)
    for service in services:
        counts.begin(1.0, service)
    assert counts._submitted == 0.0


SIZES = ("channels", "ways", "planes", "blocks", "pages", "page_bytes")


def test_the_least_flash_and_the_most() -> None:
    least = replace(NAND, **dict.fromkeys(SIZES, 1))
    assert least.dies == 1
    sheet = replace(SMALL, nand=replace(least, blocks=5), capacity=1, unit=1, sector_bytes=1, buffer=1)
    assert (sheet.stripe, sheet.die_units) == (1, 1)
    nand = replace(least, blocks=MAX_BLOCKS, pages=1 << 8, page_bytes=1 << 8)
    most = replace(sheet, nand=nand, capacity=MAX_UNITS)
    assert most.block_units == 1 << 16
    with pytest.raises(UserError, match="131072 units a block are more than 65536"):
        replace(most, nand=replace(nand, pages=1 << 9))
    with pytest.raises(UserError, match="capacity 68719476737 must be"):
        replace(most, capacity=MAX_UNITS + 1)


@pytest.mark.parametrize("change", [
    {"unit": -512}, {"unit": 0}, {"capacity": 0}, {"flush": 0}, {"flush": 5}, {"filled": -0.1}, {"filled": 1.1},
])  # fmt: skip
def test_units_capacities_and_shares_that_cannot_be_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="flash small: "):
        replace(SMALL, **change)


@pytest.mark.parametrize("change", [{"unit": 2560}, {"sector_bytes": 3000}])
def test_a_unit_has_whole_sectors_and_a_page_whole_units(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="bytes must be whole sectors of"):
        replace(SMALL, **change)


@pytest.mark.parametrize("name", ["read", "program", "erase", "bus"])
def test_flash_takes_no_time_without_end(name: str) -> None:
    with pytest.raises(UserError, match=f"flash: {name} inf must be positive and finite"):
        replace(NAND, **{name: inf})


@pytest.mark.parametrize("name", ["command", "write_command", "rate", "write_rate"])
def test_a_front_takes_no_time_without_end(name: str) -> None:
    with pytest.raises(UserError, match=f"front SATA: {name} inf must be"):
        replace(SMALL.front, **{name: inf})
    assert replace(SMALL.front, **{name: 0.5})


def test_the_queues_of_a_front() -> None:
    """SATA has one of 32 tags; NVMe eight of 128, unless it says more. A command may take no time."""
    assert sata(1.0, 0.0) == Front("SATA", 32, 1, 0.0, 1.0, 0.0, 1.0)
    assert nvme(1.0, 0.0) == Front("NVMe", 1024, 8, 0.0, 1.0, 0.0, 1.0)
