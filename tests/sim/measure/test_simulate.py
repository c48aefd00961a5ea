"""One run: the window by difference, its intervals, the laws, and what stops it."""

from math import inf, nan

import pytest
import simpy

from sim.account import Account, Phase
from sim.clock import Gate, Wait
from sim.cpu import FcfsCpu
from sim.disc.drive import Drive
from sim.disc.virtual import FixedService
from sim.error import UserError
from sim.file import File, OpenFile
from sim.line import Line
from sim.machine import Machine, SystemCalls
from sim.measure import stuck
from sim.measure.laws import LawBroken
from sim.measure.recorder import Recorder
from sim.measure.simulate import MOST_MINUTES, Together, Window, simulate, window
from sim.measure.stuck import Stuck
from sim.request import Op, Span, access
from sim.script import Call, Loop, Script, Think
from sim.streams import Constant, Exponential
from sim.terminal import Desk, Session, Terminal


class Site:
    """A machine with one drive, and *terminals* whose every transaction reads a record."""

    def __init__(self, terminals: int = 1, think: float = 3.0, start: float = 0.0, warm_up: float = 0.0) -> None:
        self.env = env = simpy.Environment()
        self.drive = Drive(env, FixedService(1.0))
        self.machine = Machine(env, FcfsCpu(env), {"drive": self.drive}, SystemCalls(read=0.5))
        self.file = OpenFile(File("records", self.drive, [Span(0, 1000)]))
        self.recorder = Recorder(warm_up)
        self.desk = Desk(env, self.recorder)
        thinking = Think(Constant(think) if terminals == 1 else Exponential(think))
        script = Script("clerk", (Loop((thinking, Call(None, "read"))),), terminals, 10.0, start=Constant(start))
        for index in range(terminals):
            terminal = Terminal(env, script, index, 1, Line(env, script.baud), self.perform, self.desk)
            self.machine.spawn(terminal.name, terminal.live())

    def perform(self, _: object, session: Session) -> Wait:
        yield from self.machine.read(self.file, 0, 10, session.account)
        yield from session.reply(3)

    def run(self, end: float, warm_up: float = 0.0, interval: float | None = None) -> Window:
        return simulate(self.machine, self.desk, self.recorder, end, warm_up, interval)


def test_a_cycle_by_hand() -> None:
    """Think 3, RETURN 1, system call 0.5, disc 1, first character 1, two more 2: a cycle takes 8.5 s."""
    site = Site()
    counted = site.run(86.0)
    assert (counted.counters["desk.inquiries"], counted.counters["desk.responses"]) == (10, 10)
    assert [row.responded - row.began for row in site.recorder.rows] == pytest.approx([2.5] * 10)
    assert counted.counters["cpu.busy"] == pytest.approx(5.0)
    assert counted.counters["drive.completed"] == 10
    # the beginning, its pause of no length; then think, RETURN, burst, disc, character, the rest of the reply
    assert counted.events == 2 + 10 * 6


def test_the_warm_up_is_taken_off_by_difference() -> None:
    site = Site(warm_up=30.0)
    counted = site.run(60.0, warm_up=30.0)
    # inquiries at 4 + 8.5 k until 6.5 + 8.5 k: open at 30 is that from 29.5 on, the last within is that from 55 on
    assert [row.began for row in site.recorder.rows] == pytest.approx([29.5, 38.0, 46.5, 55.0])
    assert (counted.counters["desk.inquiries"], counted.counters["desk.responses"]) == (3, 4)
    assert counted.counters["desk.waiting_seconds"] == pytest.approx(2.0 + 3 * 2.5)
    assert counted.counters["drive.completed"] == 4
    assert site.recorder.clipped == pytest.approx(9.5)


def test_who_waits_at_the_end_is_clipped() -> None:
    site = Site()
    counted = site.run(14.0)
    assert (len(site.recorder.rows), counted.counters["desk.responses"]) == (1, 1)
    assert site.recorder.clipped == pytest.approx(2.5 + 1.5) == counted.counters["desk.waiting_seconds"]


def test_who_is_still_being_printed_at_the_end_has_a_row() -> None:
    site = Site()
    site.run(7.5)
    (row,) = site.recorder.rows
    assert (row.responded, row.ended != row.ended) == (6.5, True)


def test_intervals_add_up_to_the_window() -> None:
    site = Site(terminals=5, warm_up=20.0)
    counted = site.run(100.0, warm_up=20.0, interval=12.0)
    assert [each["until"] for each in counted.intervals] == [32, 44, 56, 68, 80, 92, 100]
    for name, value in counted.counters.items():
        assert sum(each[name] for each in counted.intervals) == pytest.approx(value), name
    whole = Site(terminals=5, warm_up=20.0)
    assert whole.run(100.0, warm_up=20.0).counters == pytest.approx(counted.counters)
    assert whole.recorder.rows == site.recorder.rows


@pytest.mark.parametrize(
    ("end", "warm_up", "interval", "instants"),
    [
        (0.3, 0.0, 0.1, [0.1, 0.2, 0.3]),
        (1.4, 1.1, 0.1, [1.2, 1.3, 1.4]),
        (0.7, 0.0, 0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        (2.2, 0.1, 0.7, [0.8, 1.5, 2.2]),
        (10.0, 0.0, 4.0, [4, 8, 10]),
        (10.0, 0.0, 10.0, [10]),
        (10.0, 0.0, 11.0, [10]),
        (10.0, 0.0, inf, [10]),
    ],
)
def test_the_last_interval_ends_with_the_run_and_is_no_sliver(
    end: float, warm_up: float, interval: float, instants: list[float]
) -> None:
    site = Site()
    counted = simulate(site.machine, None, site.recorder, end, warm_up, interval)
    assert [each["until"] for each in counted.intervals] == pytest.approx(instants)
    assert counted.intervals[-1]["until"] == end
    assert site.env.now == pytest.approx(end, abs=1e-12)


@pytest.mark.parametrize("interval", [0.0, -1.0, nan, 1e-6])
def test_no_such_interval(interval: float) -> None:
    with pytest.raises(UserError, match="interval must be positive and give at most a million readings"):
        Site().run(10.0, interval=interval)


def test_several_may_watch_and_those_who_want_to_know_the_machine_do() -> None:
    class Curious:
        machine: Machine | None = None

        def __call__(self, now: float, end: float) -> None:
            assert self.machine is not None

        def attend(self, machine: Machine, desk: Desk | None, warm_up: float, end: float) -> None:
            self.machine = machine

    one, told, first, second = Site(terminals=7), [], Curious(), Curious()
    watch = Together(first, lambda now, end: told.append(now), Together(second))
    simulate(one.machine, one.desk, one.recorder, 90.0, watch=watch)
    assert first.machine is second.machine is one.machine
    assert told[-1] == 90.0


def test_being_watched_changes_nothing() -> None:
    one, other = Site(terminals=7, warm_up=10.0), Site(terminals=7, warm_up=10.0)
    seen = []
    counted = simulate(one.machine, one.desk, one.recorder, 90.0, 10.0, watch=lambda now, end: seen.append((now, end)))
    unwatched = other.run(90.0, 10.0)
    assert one.recorder.rows == other.recorder.rows
    assert counted.counters == unwatched.counters
    assert counted.events == unwatched.events
    assert seen == sorted(seen)
    assert (seen[0][0] > 0, seen[-1]) == (True, (90.0, 90.0))


def test_nothing_of_the_first_instant_is_lost_without_warm_up() -> None:
    """A process that asks the drive as soon as it lives: issued is counted as completed is."""
    site = Site(start=1000.0)
    site.machine.spawn("early", site.drive.read(access(Op.READ, 0, 1, Account("early"))))
    counters = site.run(10.0).counters
    assert (counters["drive.issued"], counters["drive.completed"]) == (1, 1)


@pytest.mark.parametrize("terminals", [2, 20])
def test_the_laws_hold_on_a_busy_machine(terminals: int) -> None:
    site = Site(terminals, warm_up=100.0)
    counted = site.run(1100.0, warm_up=100.0)
    counters = counted.counters
    mean_response = counters["desk.waiting_seconds"] / counters["desk.responses"]
    throughput = counters["desk.responses"] / 1000.0
    away = counters["desk.away_seconds"] / counters["desk.responses"]
    assert mean_response == pytest.approx(terminals / throughput - away)
    assert site.recorder.mean == pytest.approx(mean_response, rel=0.05)
    assert site.recorder.clipped == pytest.approx(counters["desk.waiting_seconds"])


def test_a_cpu_that_lies_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site()
    monkeypatch.setattr(site.machine.cpu, "busy", lambda: 5.0)
    with pytest.raises(LawBroken, match="cpu"):
        site.run(10.0)


def test_a_drive_that_lies_breaks_the_law() -> None:
    site = Site()
    site.drive.counts.seek = 1.0
    with pytest.raises(LawBroken, match="drive"):
        site.run(10.0)


def test_an_inquiry_that_is_lost_breaks_the_law() -> None:
    site = Site()
    site.desk.waiting.enter()
    with pytest.raises(LawBroken, match="Little"):
        site.run(10.0)


def test_time_that_was_not_charged_breaks_the_law() -> None:
    site = Site()

    def perform(_: object, session: Session) -> Wait:
        yield site.env.timeout(1.0)
        session.account.charge(Phase.CPU, 0.0, 0.9)

    for terminal in site.desk.terminals:
        terminal._perform = perform
    with pytest.raises(LawBroken, match=r"clerk 1 read: a response of 2\.0 s is not the sum of its parts: cpu 0\.9"):
        site.run(10.0)


def test_a_stuck_process_stops_the_run() -> None:
    site = Site(start=1000.0)

    def waits() -> Wait:
        yield Gate(site.env, "Godot")

    site.machine.spawn("Estragon", waits())
    simulate(site.machine, None, site.recorder, 10.0)  # the clerk is yet to come, and might bring him
    site.machine.processes.pop(0)
    alone = Machine(simpy.Environment(), site.machine.cpu, {})
    alone.spawn("Vladimir", waits_in(alone.env))
    with pytest.raises(Stuck, match="stuck at 10 s: Vladimir waits for Godot"):
        simulate(alone, None, Recorder(), 10.0)


def waits_in(env: simpy.Environment) -> Wait:
    yield Gate(env, "Godot")


def test_a_process_that_takes_no_time_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "EVENTS_AT_ONE_INSTANT", 1000)
    site = Site()

    def spins() -> Wait:
        while True:
            yield site.env.timeout(0)

    site.machine.spawn("spinner", spins())
    with pytest.raises(Stuck, match="time stands still at 0 s"):
        site.run(10.0)


def test_minutes_to_seconds() -> None:
    assert window(20.0, 5.0) == (300.0, 1500.0)
    assert window(1, 0) == (0.0, 60.0)


@pytest.mark.parametrize(
    ("minutes", "warm_up", "name"),
    [
        (0.0, 0.0, "minutes"), (-1.0, 0.0, "minutes"), (nan, 0.0, "minutes"), (inf, 0.0, "minutes"),
        (2 * MOST_MINUTES, 0.0, "minutes"), (1.0, -1.0, "warm_up"), (1.0, nan, "warm_up"), (1.0, inf, "warm_up"),
    ],
)
def test_no_such_window(minutes: float, warm_up: float, name: str) -> None:
    with pytest.raises(UserError, match=f"{name} must be"):
        window(minutes, warm_up)
