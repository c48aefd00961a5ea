"""Tests the computers of the HP3000 family: numbers, CPU costs on a slower one, and rates of discs and channels."""

from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.disc_paths import Gic, MacController, Searching
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import CPU_UNIT, MpeParameters, _of_series
from spindle.models.hp3000.run import run
from spindle.models.hp3000.series import SERIES, SERIES_44, SERIES_64, SERIES_III, SeriesModel, _read
from spindle.models.hp3000.studies.unit_test import disc_rate
from spindle.sim.clock import Account
from spindle.sim.disc.channel import Channel, SharingDrive
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.layout import SectorPlace
from spindle.sim.disc.sheets import HP7925, HP7933
from spindle.sim.parameter import ParameterSource, Rule, change
from spindle.sim.request import AccessTiming, Op, Request, Span, access
from spindle.sim.units import MIB, MS

SECTOR = HP7925.revolution / 64


# The sheets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("series", SERIES.values(), ids=list(SERIES))
def test_every_number_of_a_series_has_a_source_and_is_a_parameter(series: SeriesModel) -> None:
    assert set(series.sources) == {*series.settings(), "drive", "path"}
    assert all(source.kind in ("cited", "assumed", "fitted") and len(source.note) > 10
               for source in series.sources.values())
    chosen = change(MpeParameters(), **series.settings())
    assert chosen.available > MIB


def test_the_default_machine_is_the_series_64() -> None:
    assert change(MpeParameters(), **SERIES_64.settings()) == MpeParameters()
    assert MpeOptions().series is SERIES_64


def test_a_series_is_read_in_bytes_with_its_drives_and_their_path() -> None:
    table = {"name": "A", "mips": 0.25, "memory_mib": 3, "resident_kib": 5, "discs": 2, "channels": 4,
             "drive": "hp7925", "path": "13037", "sources": {"mips": "cited: a manual: p. 3"}}  # fmt: skip
    read = _read(table)
    assert read == SeriesModel("A", 0.25, 3 * MIB, 5 * 1024, 2, 4, HP7925, MacController(), {})
    assert read.settings() == {"mips": 0.25, "memory": 3 * MIB, "resident": 5 * 1024, "discs": 2, "channels": 4}
    assert read.sources == {"mips": ParameterSource("cited", "a manual: p. 3")}
    assert _read({**table, "path": "gic"}).path == Gic()
    names = [each.name.removeprefix("HP3000 Series ") for each in SERIES.values()]
    assert names == ["III", "44", "48", "64", "68"]
    assert (SERIES["iii"], SERIES["48"].mips) == (SERIES_III, SERIES_44.mips)


def test_a_parameter_of_the_series_has_its_default_source_and_unit() -> None:
    of_series: Field[float] = _of_series("memory", "bytes", Rule(high=10.0))
    metadata = {"source": SERIES_64.sources["memory"], "unit": "bytes", "rule": Rule(high=10.0)}
    assert (of_series.default, of_series.metadata) == (8 * MIB, metadata)
    assert _of_series("mips", "MIPS").metadata["rule"] == Rule()


def test_the_papers_numbers() -> None:
    assert (SERIES_III.mips, SERIES_III.memory) == (0.3, 2 * MIB)
    assert (SERIES_64.mips, SERIES_64.memory) == (SERIES["68"].mips, SERIES["68"].memory) == (1.0, 8 * MIB)
    assert SERIES_III.mips < SERIES_44.mips < SERIES_64.mips


def test_all_cpu_times_and_nothing_else_are_longer_on_a_slower_machine() -> None:
    given = MpeParameters(mips=0.5)
    slow = given.on_its_cpu()
    times = {each.name for each in fields(given) if each.metadata["unit"] == CPU_UNIT}
    assert {"initiate", "dispatch", "terminal_message", "terminal_interrupt", "fault_cpu", "call_cpu",
            "read_call", "hit_cpu", "miss_search"} <= times
    for each in fields(given):
        factor = 2.0 if each.name in times else 1.0
        assert getattr(slow, each.name) == getattr(given, each.name) * factor, each.name


def test_a_run_takes_a_series_and_its_numbers_may_be_changed() -> None:
    short: dict[str, Any] = {"minutes": 1.0, "warm_up": 0.0, "caching": False, "keep_rows": False}
    slow = run(5, series=SERIES_III, **short)
    assert len([name for name in slow.counters if name.endswith(".grants")]) == 1
    assert len([name for name in slow.counters if name.startswith("drive") and name.endswith(".seek")]) == 2
    more = run(5, choices=MpeOptions(series=SERIES_III), discs=3, **short)
    assert len([name for name in more.counters if name.startswith("drive") and name.endswith(".seek")]) == 3
    quick = run(5, **short)
    assert slow.summary()["response_mean"] > quick.summary()["response_mean"]


# The way to memory --------------------------------------------------------------------------------


def test_what_the_bus_takes_is_not_counted_twice() -> None:
    """3 ms of the sheet, less a command of 0.9 and a connection of 1.6."""
    env = simpy.Environment()
    behind = Gic().drive(env, HP7933, Channel(env), Fcfs(), "behind")
    alone = MacController().drive(env, HP7925, Channel(env), Fcfs(), "alone")
    assert behind.moving.disc.overhead == pytest.approx(0.5 * MS)
    assert alone.moving.disc is HP7925


def test_drives_are_dealt_out_to_the_channels_in_turn() -> None:
    machine = Hp3000(simpy.Environment(), MpeParameters(discs=5, channels=2), MpeOptions(), caching=False)
    first, second = machine.channels
    for drive in machine.drives:
        drive.start(access(Op.READ, 0, 256, Account("reader")))
    machine.machine.env.run()
    assert (first.grants, second.grants) == (2 * 3, 2 * 2)  # a command and its data each


class Controller:
    """Two HP 7925 on one controller; *done* says when each request was, in ms."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.channel = Channel(env)
        tie = Searching(self.channel)
        self.drives = [SharingDrive(env, HP7925, tie, name=name) for name in ("one", "other")]

    def read(self, cylinders: tuple[int, int]) -> list[tuple[float, AccessTiming]]:
        requests: list[Request] = [
            drive.start(access(Op.READ, cylinder * 9 * 64 * 256, 256, Account("reader")))
            for drive, cylinder in zip(self.drives, cylinders, strict=True)
        ]
        ended: list[tuple[float, AccessTiming]] = []
        for request in requests:
            assert request.callbacks is not None
            request.callbacks.append(lambda done: ended.append((self.env.now, done.value)))
        self.env.run()
        return ended


def test_who_waits_for_his_sector_has_the_controller(env: simpy.Environment) -> None:
    """Both want the sector that has just gone by: one revolution for the first, another for the other."""
    controller = Controller(env)
    (first, _), (second, service) = controller.read((0, 0))
    assert first == pytest.approx(HP7925.revolution + SECTOR)
    assert second == pytest.approx(2 * HP7925.revolution + SECTOR)
    assert service.channel == pytest.approx(first)
    assert service.total == pytest.approx(second)
    assert controller.channel.busy() == pytest.approx(second)


def test_seeks_overlap_on_a_controller(env: simpy.Environment) -> None:
    (first, one), (second, other) = Controller(env).read((400, 800))  # in the order in which they end
    assert one.seek == pytest.approx(HP7925.seek(400))
    assert other.seek == pytest.approx(HP7925.seek(800))
    assert second < one.seek + other.seek + 2 * HP7925.revolution
    assert [first, second] == pytest.approx([one.total, other.total])


def test_a_seek_is_under_way_until_it_ends_and_what_waits_is_queued(env: simpy.Environment) -> None:
    """Two writes of one drive; the mechanism is told what is written, where, and how long it was queued."""
    drive, asked = Controller(env).drives[0], []
    serve = drive.moving.serve
    drive.moving.serve = lambda *given: (asked.append(given[2:]), serve(*given))[1]  # type: ignore[method-assign]
    places = [Span(cylinder * 9 * 64 * 256, 256) for cylinder in (800, 0)]
    first, second = [drive.start(access(Op.WRITE, *place, Account("writer"))) for place in places]
    env.run(until=10 * MS)
    under_way = drive.counts.reading(env.now)
    assert (under_way["seek"], under_way["overhead"], under_way["rotation"]) == (pytest.approx(10 * MS), 0.0, 0.0)
    env.run()
    queued = first.value.total
    assert asked == [(Op.WRITE, places[0], 0.0), (Op.WRITE, places[1], pytest.approx(queued))]
    assert (second.value.queue, second.value.channel, first.value.channel) == (pytest.approx(queued), 0.0, 0.0)


class ByTheEnd(Fcfs):
    """First come, first served, and before each the arm goes to cylinder 800."""

    @property
    def via(self) -> Sequence[SectorPlace]:  # type: ignore[override]
        return (HP7925.layout.locate(800 * 9 * 64),)


def test_a_detour_of_the_arm_is_part_of_the_seek(env: simpy.Environment) -> None:
    drive = MacController().drive(env, HP7925, Channel(env), ByTheEnd(), "drive")
    request = drive.start(access(Op.READ, 0, 256, Account("reader")))
    env.run()
    assert request.value.seek == pytest.approx(2 * HP7925.seek(800))
    assert env.now == pytest.approx(request.value.total)


# The unit test ------------------------------------------------------------------------------------


def test_more_drives_give_more_accesses_until_the_controller_is_always_busy() -> None:
    rates = [disc_rate(SERIES_III, discs, seconds=20.0) for discs in (1, 2, 8)]
    assert rates[0] < rates[1] < rates[2]
    # Half a revolution, four sectors and the command, for one drive at a time.
    assert rates[2] < 1.1 / (HP7925.revolution / 2 + 4 * SECTOR + HP7925.overhead)
    assert disc_rate(SERIES_III, 8, readers=2, seconds=20.0) == pytest.approx(rates[2], rel=0.1)


def test_on_the_64_each_drive_adds_its_own_rate() -> None:
    one, six = (disc_rate(SERIES_64, discs, seconds=20.0) for discs in (1, 6))
    assert six == pytest.approx(6 * one, rel=0.1)


def test_the_cpu_limits_what_drives_could_do() -> None:
    """3 ms an access at 1.0 MIPS, for call, I/O and dispatch, are 100 ms at 0.03."""
    assert disc_rate(SERIES_64, seconds=60.0, mips=0.03, initiate=1.5 * MS) == pytest.approx(10.0, rel=0.02)
