"""Tests that a timeline read back has the activity of each part, and that the run is the same without it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spindle.sim.clock import Account, Gate, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import DriveCounts
from spindle.sim.error import UserError
from spindle.sim.measure import engine
from spindle.sim.measure.engine import Stuck
from spindle.sim.measure.load import Programs, Window
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline, TracedRun, _periods
from spindle.sim.terminal import Session
from tests.sim.measure.observed import Site, busy_site, reading_only, slicing
from tests.sim.measure.timelines import Heard, Read, chrome, nano, perfetto

Seen = Callable[..., tuple[Result, Read]]


def test_a_cycle_by_hand(seen: Seen) -> None:
    """Think 3, RETURN 1, system call 0.5, disc 1, first character 1, two more 2: the next begins after 4 s more."""
    _, read = seen(reading_only(FcfsCpu), 13.25)
    second = 1_000_000_000
    assert [each[:4] for each in sorted(read.slices["clerk 1"], key=lambda each: (each.begin, each.depth))] == [
        ("read", 4 * second, 8.5 * second, 0),
        ("response", 4 * second, 6.5 * second, 1),
        ("cpu", 4 * second, 4.5 * second, 2),
        ("overhead", 4.5 * second, 5.5 * second, 2),
        ("line", 5.5 * second, 6.5 * second, 2),
        ("printing", 6.5 * second, 8.5 * second, 1),
        ("think", 8.5 * second, 12.5 * second, 0),
        ("read", 12.5 * second, 13.25 * second, 0),
        ("response", 12.5 * second, 13.25 * second, 1),
        ("cpu", 12.5 * second, 13 * second, 2),
    ]
    assert [each[:4] for each in read.slices["drive"]] == [
        ("overhead", 4.5 * second, 5.5 * second, 1),
        ("read", 4.5 * second, 5.5 * second, 0),
        ("overhead", 13 * second, 13.25 * second, 1),
        ("unfinished", 13 * second, 13.25 * second, 0),
    ]
    assert read.slices["drive"][1].notes == {"for": "clerk 1", "first": 0, "bytes": 10, "queued, s": 0.0}
    whole = next(each for each in read.slices["clerk 1"] if each.name == "read")
    assert whole.notes == {"cpu, s": 0.5, "line, s": 1.0, "overhead, s": 1.0}
    assert read.slices["cpu"] == [
        ("cpu", 4 * second, 4.5 * second, 0, {"for": "clerk 1"}),
        ("cpu", 12.5 * second, 13 * second, 0, {"for": "clerk 1"}),
    ]
    assert read.values["drive queue"] == [(0, 0), (4.5 * second, 1), (5.5 * second, 0), (13 * second, 1)]
    assert read.values["pond water"] == [(0, 0), (5.5 * second, 1)]
    assert read.units == {"drive queue": "requests", "pond water": "bytes"}
    assert [each[:3] for each in read.slices["run"]] == [("measured", 0, 13.25 * second)]


@pytest.mark.parametrize("cpu", [FcfsCpu, PreemptiveCpu])
def test_a_burst_at_the_end_of_the_run_is_shown_as_far_as_it_has_got(cpu: Any, seen: Seen) -> None:
    _, read = seen(reading_only(cpu), 12.75)
    assert [each[1:3] for each in read.slices["cpu"]] == [(nano(4.0), nano(4.5)), (nano(12.5), nano(12.75))]
    last = "clerk 1" if cpu is FcfsCpu else "unfinished"
    assert [each.notes for each in read.slices["cpu"]] == [{"for": "clerk 1"}, {"for": last}]


@pytest.mark.parametrize("cpu", [FcfsCpu, slicing])
def test_the_run_is_the_same_without_it(cpu: Any, seen: Seen) -> None:
    without, site = busy_site(cpu), busy_site(cpu)
    plain = without.run(30.0, 10.0)
    counted, _ = seen(site, 30.0, 10.0)
    assert (counted.counters, counted.events) == (plain.counters, plain.events)
    assert repr(counted.transactions) == repr(plain.transactions)
    assert (type(without.drive.counts), "burst" in vars(without.machine.cpu)) == (DriveCounts, False)
    assert without.load.users.log is plain.recorder


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    for name in ("run.json", "run.pftrace"):
        with Timeline(tmp_path / name) as timeline:
            busy_site(slicing).run(20.0, watch=timeline)
    one, other = perfetto(tmp_path / "run.pftrace"), chrome(tmp_path / "run.json")
    assert (one.values, set(one.slices)) == (other.values, set(other.slices))
    for track, slices in one.slices.items():
        assert [each[:4] for each in slices] == [each[:4] for each in other.slices[track]]
        said = [{key: repr(value) for key, value in each.notes.items() if isinstance(value, float)} for each in slices]
        assert said == [{key: each.notes[key] for key in floats} for each, floats in
                        zip(other.slices[track], said, strict=True)]


def test_it_is_written_while_the_run_goes_on_and_others_may_watch(tmp_path: Path) -> None:
    """Nothing is kept until the end, so that a long run needs no more memory than a short one."""
    path, sizes, told = tmp_path / "run.pftrace", set(), []

    def watch(now: float, end: float) -> None:
        sizes.add(path.stat().st_size)
        told.append((now, end))

    with Timeline(path) as timeline:
        busy_site(FcfsCpu).run(150.0, watch=Observers(timeline, watch))
    assert len(sizes) > 5
    assert told[-1] == (150.0, 150.0)


def test_a_run_that_gets_stuck_has_its_timeline_up_to_there(tmp_path: Path) -> None:
    for name, reader in (("run.pftrace", perfetto), ("run.json", chrome)):
        site = Site()

        def perform(session: Session, site: Site = site) -> Wait:
            yield from site.machine.read(site.file, 0, 10, session.account)
            yield Gate(site.env, "a friend")

        site.perform = perform  # type: ignore[method-assign]
        with pytest.raises(Stuck), Timeline(tmp_path / name) as timeline:
            site.run(20.0, watch=timeline)
        read = reader(tmp_path / name)
        assert [each[:3] for each in read.slices["clerk 1"] if not each.depth] == [("read", nano(4.0), nano(20.0))]


def test_a_machine_without_terminals_has_one_too(tmp_path: Path) -> None:
    site = Site()
    site.machine.spawn("reader", site.machine.read(site.file, 0, 10, Account("reader")))
    with Timeline(tmp_path / "run.pftrace") as timeline:
        engine.run(site.machine, Programs({}), Window(0.0, 5.0), watch=timeline)
    read = perfetto(tmp_path / "run.pftrace")
    assert [each[:3] for each in read.slices["drive"] if not each.depth] == [("read", nano(0.5), nano(1.5))]
    assert set(read.slices) == {"cpu", "drive", "run"}


def test_a_disc_that_is_full_at_the_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TracedRun, "finish", full)
    with pytest.raises(UserError, match=r"^cannot write .*a\.pftrace: No space left on device$"), \
            Timeline(tmp_path / "a.pftrace") as timeline:  # fmt: skip
        Site().run(5.0, watch=timeline)


def test_work_of_the_tail_is_shown_too(tmp_path: Path) -> None:
    """In Perfetto's format, as anything that is not called JSON."""
    site, path = Site(), tmp_path / "run.timeline"
    site.machine.cpu.burst(9.0, 1, Phase.CPU, Account("a"))
    with Timeline(path) as timeline:
        engine.run(site.machine, Programs({}), Window(0.0, 2.0, tail=3.0), watch=timeline)
    assert [each[:3] for each in perfetto(path).slices["cpu"]] == [("cpu", 0, nano(5.0))]


def test_it_is_of_one_run(tmp_path: Path) -> None:
    with Timeline(tmp_path / "run.pftrace") as timeline:
        Site().run(5.0, watch=timeline)
        with pytest.raises(UserError, match=r"run\.pftrace: a timeline is of one run"):
            Site().run(5.0, watch=timeline)


def test_where_nothing_can_be_written_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^cannot write .*: Is a directory$"), Timeline(tmp_path) as timeline:
        Site().run(5.0, watch=timeline)
    draft = Timeline(tmp_path, Path("final.json"))
    with pytest.raises(UserError, match=r"^cannot write final\.json: "), draft as timeline:
        Site().run(5.0, watch=timeline)


@pytest.mark.parametrize(("now", "periods"), [
    (4.0, [("warm-up", 0, 4)]), (10.0, [("warm-up", 0, 10)]), (12.0, [("warm-up", 0, 10), ("measured", 10, 12)]),
    (25.0, [("warm-up", 0, 10), ("measured", 10, 20), ("tail", 20, 25)]),
])  # fmt: skip
def test_periods_are_shown_as_far_as_the_run_has_got(now: float, periods: list[tuple[str, int, int]]) -> None:
    heard = Heard()
    _periods(heard, heard.track("run"), Window(10.0, 20.0, tail=9.0), now)
    assert [each[:3] for each in heard.slices["run"]] == periods
