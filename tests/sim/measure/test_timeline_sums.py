"""Tests that a timeline read back adds up to the counters of the run, at whatever instant the run ends."""

from collections.abc import Callable
from itertools import pairwise, product
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.channel import HP_IB, Channel, SharingDrive, SpeedMatching
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.sheets import HP7933
from spindle.sim.machine import Machine
from spindle.sim.measure import engine
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline
from spindle.sim.request import Op, access
from tests.sim.measure.observed import Site, busy_site, slicing
from tests.sim.measure.timelines import Read, nano, perfetto

Seen = Callable[..., tuple[Result, Read]]
END = 40.0


@pytest.fixture(scope="module", params=[FcfsCpu, slicing])
def long_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Result, Read]:
    """A busy site until END, what was counted and what is shown."""
    site, path = busy_site(request.param), tmp_path_factory.mktemp("long") / "run.pftrace"
    with Timeline(path) as timeline:
        counted = site.run(END, watch=timeline)
    return site, counted, perfetto(path)


def test_every_transaction_is_there_with_its_begin_and_end(long_run: tuple[Site, Result, Read]) -> None:
    site, result, read = long_run
    shown = {
        (track, each.name, each.begin, each.end)
        for track, slices in read.slices.items() if track.startswith("clerk") for each in slices
    }
    assert len(result.transactions) > 50
    for row in result.transactions:
        ended = nano(END if isnan(row.ended) else row.ended)
        assert (row.terminal, row.name, nano(row.began), ended) in shown
        assert (row.terminal, "response", nano(row.began), nano(row.responded)) in shown
    under_way = sum(terminal.call is not None for terminal in site.load.users.terminals)
    over = sum(not isnan(row.ended) for row in result.transactions)
    assert sum(name == "read" for _, name, _, _ in shown) == over + under_way


@pytest.mark.parametrize("cpu", [FcfsCpu, slicing])
@pytest.mark.parametrize("end", [17.0, 31.7])
def test_slices_add_up_to_what_was_counted(cpu: Any, end: float, seen: Seen) -> None:
    """So they do at any end: what is half done then is shown as far as it has got."""
    warm_up = 12.3
    site = busy_site(cpu)
    counted, read = seen(site, end, warm_up)
    counters = counted.counters
    assert counters["drive.busy"] > 0.0 < counters["cpu.busy_interrupt"]
    assert read.seconds("drive", start=warm_up, depth=0) == pytest.approx(counters["drive.busy"], abs=1e-6)
    for phase in ("overhead", "seek", "rotation", "transfer", "channel"):
        assert read.seconds("drive", phase, warm_up) == pytest.approx(counters[f"drive.{phase}"], abs=1e-6), phase
    for kind in ("cpu", "cache", "manager", "interrupt"):
        assert read.seconds("cpu", kind, warm_up) == pytest.approx(counters[f"cpu.busy_{kind}"], abs=1e-6), kind
    assert read.seconds("cpu", start=warm_up) == pytest.approx(counters["cpu.busy"], abs=1e-6)
    assert [each[:3] for each in read.slices["run"]] == [
        ("warm-up", 0, nano(warm_up)), ("measured", nano(warm_up), nano(end)),
    ]


def test_the_queue_adds_up_to_what_was_counted(long_run: tuple[Site, Result, Read]) -> None:
    _, counted, read = long_run
    steps = [*read.values["drive queue"], (nano(END), 0)]
    held = sum(value * (until - since) for (since, value), (until, _) in pairwise(steps)) / 1e9
    assert held == pytest.approx(counted.counters["drive.number_seconds"], abs=1e-6)
    assert max(value for _, value in steps) > 1


@pytest.mark.parametrize("end", [0.5, 2.0, 3.3, 60.0])
def test_drives_that_share_a_channel_add_up_too(end: float, tmp_path: Path) -> None:
    """What takes how long they learn only on the way, so that a phase at the end of the run may have no end yet."""
    env = simpy.Environment()
    attachment = SpeedMatching(Channel(env), HP_IB)
    drives = {name: SharingDrive(env, HP7933, attachment, name=name) for name in ("drive1", "drive2")}
    machine = Machine(env, drives)
    for drive, (name, count) in product(drives.values(), (("a", 90), ("b", 60))):
        machine.spawn(name, reading_on(drive, Account(name), count))
    with Timeline(tmp_path / "run.pftrace") as timeline:
        counters = engine.run(machine, Programs({}), Window(0.0, end), watch=timeline).counters
    read = perfetto(tmp_path / "run.pftrace")
    for name in drives:
        assert read.seconds(name, depth=0) == pytest.approx(counters[f"{name}.busy"], abs=1e-6)
        for phase in ("overhead", "seek", "rotation", "transfer", "channel"):
            assert read.seconds(name, phase) == pytest.approx(counters[f"{name}.{phase}"], abs=1e-6), phase


def reading_on(drive: Drive, account: Account, count: int) -> Wait:
    for number in range(count):
        yield from drive.read(access(Op.READ, number * 7_654_400 % drive.capacity // 256 * 256, 8192, account))
