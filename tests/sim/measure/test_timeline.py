"""A timeline read back: what everybody did when is what the run counted, and the run is the same without it."""

import json
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise, product
from math import isnan
from pathlib import Path
from struct import unpack
from typing import Any, NamedTuple

import pytest
import simpy

from sim.account import Account
from sim.clock import Gate, Wait
from sim.cpu import Cpu, FcfsCpu, PreemptiveCpu
from sim.disc.channel.channel import Channel
from sim.disc.channel.sharing import SharingDrive
from sim.disc.channel.unbuffered import Unbuffered
from sim.disc.counts import DriveCounts
from sim.disc.drive import Drive
from sim.disc.sheets import HP7933
from sim.disc.virtual import FixedService
from sim.error import UserError
from sim.file import File, OpenFile
from sim.machine import Machine, SystemCalls
from sim.measure import engine
from sim.measure.load import Programs, Terminals
from sim.measure.observer import Observers
from sim.measure.result import Result
from sim.measure.stuck import Stuck
from sim.measure.timeline import Timeline
from sim.measure.window import Window
from sim.request import Op, Span, access
from sim.script import Call, Loop, Script, Think
from sim.streams import Constant, Exponential
from sim.terminal import Session

# Reading ------------------------------------------------------------------------------------------


class Slice(NamedTuple):
    name: str
    begin: int
    end: int
    depth: int
    notes: dict[str, Any]


class Read:
    """Slices and values by track, from events as they stand in a file; what does not nest is not taken."""

    def __init__(self) -> None:
        self.slices: dict[str, list[Slice]] = defaultdict(list)
        self.values: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.units: dict[str, str] = {}
        self._open: dict[str, list[tuple[str, int, dict[str, Any]]]] = defaultdict(list)
        self._last: dict[str, int] = defaultdict(int)

    def event(self, kind: str, track: str, name: str, instant: int, said: dict[str, Any]) -> None:
        assert instant >= self._last[track], f"{track} goes back in time"
        self._last[track] = instant
        if kind == "B":
            self._open[track].append((name, instant, said))
        elif kind == "E":
            name, begin, notes = self._open[track].pop()
            self.slices[track].append(Slice(name, begin, instant, len(self._open[track]), notes))
        else:
            assert said["value"] >= 0
            self.values[track].append((instant, said["value"]))

    def done(self) -> "Read":
        assert not any(self._open.values()), "a slice has no end"
        for track, slices in self.slices.items():
            for outer in {each.depth for each in slices}:
                ordered = [each for each in slices if each.depth == outer]
                assert all(one.end <= other.begin for one, other in pairwise(ordered)), f"slices of {track} overlap"
        return self

    def seconds(self, track: str, name: str | None = None, start: float = 0.0, depth: int | None = None) -> float:
        """How long after *start* the slices of *track*, those called *name*, last together."""
        return sum(
            max(0, each.end - max(each.begin, nano(start))) for each in self.slices[track]
            if name in (None, each.name) and depth in (None, each.depth)
        ) / 1e9


def nano(seconds: float) -> int:
    return round(seconds * 1e9)


def fields(data: bytes) -> dict[int, list[Any]]:
    """A message by protobuf's rule: numbers as int, eight bytes as float, anything of a length as bytes."""
    found: dict[int, list[Any]] = defaultdict(list)
    at = 0

    def numeral() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        field, wire = divmod(numeral(), 8)
        assert wire in (0, 1, 2)
        if wire == 0:
            found[field].append(numeral())
            continue
        length = 8 if wire == 1 else numeral()
        assert at + length <= len(data), "a message is cut off"
        piece = data[at : at + length]
        at += length
        found[field].append(unpack("<d", piece)[0] if wire == 1 else piece)
    return found


def perfetto(path: Path) -> Read:
    read, names = Read(), {}
    for packet in map(fields, fields(path.read_bytes())[1]):
        if 60 in packet:
            said = fields(packet[60][0])
            names[said[1][0]] = name = said[2][0].decode()
            assert 5 not in said or said[5][0] in names, f"{name} comes before its parent"
            if 8 in said:
                counter = fields(said[8][0])
                read.units[name] = "bytes" if counter[3] == [3] else counter[6][0].decode()
            continue
        event = fields(packet[11][0])
        assert packet[10] == [1], "an event without a sequence is not taken"
        (kind,), (track,), (instant,) = event[9], event[11], packet[8]
        name = event[23][0].decode() if 23 in event else ""
        notes = {"value": event[30][0]} if kind == 4 else dict(map(note, event[4]))
        read.event({1: "B", 2: "E", 4: "C"}[kind], names[track], name, instant, notes)
    return read.done()


def note(data: bytes) -> tuple[str, Any]:
    said = fields(data)
    (value,) = [value.decode() if field == 6 else value for field in (4, 5, 6) for value in said.get(field, [])]
    return said[10][0].decode(), value


def chrome(path: Path) -> Read:
    """Instants are read as text, so that no nanosecond is lost."""
    read, names = Read(), {}
    for event in json.loads(path.read_text(), parse_float=str)["traceEvents"]:
        kind, name, said = event["ph"], event.get("name", ""), event.get("args", {})
        if kind == "M":
            if name == "thread_name":
                names[event["tid"]] = said["name"]
            continue
        track = names[event["tid"]] if kind != "C" else name.rpartition(", ")[0]
        read.event(kind, track, name, int(event["ts"].replace(".", "")), said)
    return read.done()


# A site -------------------------------------------------------------------------------------------


class Site:
    """A machine with one drive; every transaction of *terminals* reads a record, and each second one writes it."""

    def __init__(
        self, terminals: int = 1, cpu: Callable[[simpy.Environment], Cpu] = FcfsCpu, disc: Any = None,
        think: Constant | Exponential | None = None, call: float = 0.5, interrupt: float = 0.0,
    ) -> None:
        self.env = env = simpy.Environment()
        self.drive = Drive(env, disc or FixedService(1.0))
        self.machine = Machine(env, {"drive": self.drive, "pond": Pond(self.drive)}, cpu(env), SystemCalls(call, call))
        self.file = OpenFile(File("records", self.drive, [Span(0, 100_000_000)]))
        thinking = Think(think or Constant(3.0))
        baud = 100.0 if interrupt else 10.0
        script = Script("clerk", (Loop((thinking, Call(None, "read"))),), terminals, baud, start=Constant(0.0))
        self.load = Terminals([script], lambda _, session: self.perform(session), interrupt)

    def perform(self, session: Session) -> Wait:
        first = session.random.randrange(1000) * 65_536
        yield from self.machine.read(self.file, first, 512, session.account)
        if session.random.random() < 0.5:
            yield from self.machine.write(self.file, first, 512, session.account)
        yield from session.reply(3)

    def run(self, end: float, warm_up: float = 0.0, watch: Any = None) -> Result:
        return engine.run(self.machine, self.load, Window(warm_up, end), watch=watch)


class Pond:
    """A part whose level is what *drive* has completed, modulo three."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive

    def reading(self) -> dict[str, float]:
        return {}

    def levels(self) -> dict[str, float]:
        return {"water_bytes": float(self._drive.counts.completed % 3)}


def slicing(env: simpy.Environment) -> Cpu:
    """Users take turns, and the lines interrupt them."""
    return PreemptiveCpu(env, {1: 0.01})


def busy_site(cpu: Callable[[simpy.Environment], Cpu]) -> Site:
    return Site(20, cpu, HP7933, Exponential(1.0), 0.025, 0.01)


CPUS = pytest.mark.parametrize("cpu", [FcfsCpu, slicing])


@pytest.fixture
def seen(tmp_path: Path) -> Callable[..., tuple[Result, Read]]:
    """Runs a site with a timeline, and reads it."""

    def run(site: Site, end: float, warm_up: float = 0.0) -> tuple[Result, Read]:
        with Timeline(tmp_path / "run.pftrace") as timeline:
            counted = site.run(end, warm_up, timeline)
        return counted, perfetto(tmp_path / "run.pftrace")

    return run


Seen = Callable[..., tuple[Result, Read]]


@pytest.fixture(scope="module", params=[FcfsCpu, slicing])
def long_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Result, Read]:
    """A busy site for 200 s, what was counted and what is shown."""
    site, path = busy_site(request.param), tmp_path_factory.mktemp("long") / "run.pftrace"
    with Timeline(path) as timeline:
        counted = site.run(200.0, watch=timeline)
    return site, counted, perfetto(path)


# Tests --------------------------------------------------------------------------------------------


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
    assert [each[:3] for each in read.slices["cpu"]] == [
        ("cpu", 4 * second, 4.5 * second), ("cpu", 12.5 * second, 13 * second),
    ]
    assert read.values["drive queue"] == [(0, 0), (4.5 * second, 1), (5.5 * second, 0), (13 * second, 1)]
    assert read.values["pond water"] == [(0, 0), (5.5 * second, 1)]
    assert read.units == {"drive queue": "requests", "pond water": "bytes"}
    assert [each[:3] for each in read.slices["run"]] == [("measured", 0, 13.25 * second)]


def reading_only(cpu: Callable[[simpy.Environment], Cpu]) -> Site:
    """A site whose only terminal reads the same ten bytes again and again."""
    site = Site(cpu=cpu)

    def perform(session: Session) -> Wait:
        yield from site.machine.read(site.file, 0, 10, session.account)
        yield from session.reply(3)

    site.perform = perform  # type: ignore[method-assign]
    return site


@pytest.mark.parametrize("cpu", [FcfsCpu, PreemptiveCpu])
def test_a_burst_at_the_end_of_the_run_is_shown_as_far_as_it_has_got(cpu: Any, seen: Seen) -> None:
    _, read = seen(reading_only(cpu), 12.75)
    assert [each[1:3] for each in read.slices["cpu"]] == [(nano(4.0), nano(4.5)), (nano(12.5), nano(12.75))]


def test_every_transaction_is_there_with_its_begin_and_end(long_run: tuple[Site, Result, Read]) -> None:
    site, result, read = long_run
    shown = {
        (track, each.name, each.begin, each.end)
        for track, slices in read.slices.items() if track.startswith("clerk") for each in slices
    }
    assert len(result.transactions) > 50
    for row in result.transactions:
        ended = nano(200.0 if isnan(row.ended) else row.ended)
        assert (row.terminal, row.name, nano(row.began), ended) in shown
        assert (row.terminal, "response", nano(row.began), nano(row.responded)) in shown
    under_way = sum(terminal.call is not None for terminal in site.load.users.terminals)
    over = sum(not isnan(row.ended) for row in result.transactions)
    assert sum(name == "read" for _, name, _, _ in shown) == over + under_way


@CPUS
@pytest.mark.parametrize("end", [33.0, 57.7, 200.0])
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
    steps = [*read.values["drive queue"], (nano(200.0), 0)]
    held = sum(value * (until - since) for (since, value), (until, _) in pairwise(steps)) / 1e9
    assert held == pytest.approx(counted.counters["drive.number_seconds"], abs=1e-6)
    assert max(value for _, value in steps) > 1


@pytest.mark.parametrize("end", [0.5, 2.0, 3.3, 60.0])
def test_drives_that_share_a_channel_add_up_too(end: float, tmp_path: Path) -> None:
    """What takes how long they learn only on the way, so that a phase at the end of the run may have no end yet."""
    env = simpy.Environment()
    attachment = Unbuffered(Channel(env))
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


@CPUS
def test_the_run_is_the_same_without_it(cpu: Any, seen: Seen) -> None:
    without, site = busy_site(cpu), busy_site(cpu)
    plain = without.run(150.0, 10.0)
    counted, _ = seen(site, 150.0, 10.0)
    assert (counted.counters, counted.events) == (plain.counters, plain.events)
    assert repr(counted.transactions) == repr(plain.transactions)
    assert (type(without.drive.counts), "burst" in vars(without.machine.cpu)) == (DriveCounts, False)
    assert without.load.users.log is plain.recorder


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    for name in ("run.json", "run.pftrace"):
        with Timeline(tmp_path / name) as timeline:
            busy_site(slicing).run(60.0, watch=timeline)
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
        busy_site(FcfsCpu).run(500.0, watch=Observers(timeline, watch))
    assert len(sizes) > 5
    assert told[-1] == (500.0, 500.0)


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


def test_it_is_of_one_run(tmp_path: Path) -> None:
    with Timeline(tmp_path / "run.pftrace") as timeline:
        Site().run(5.0, watch=timeline)
        with pytest.raises(UserError, match=r"run\.pftrace: a timeline is of one run"):
            Site().run(5.0, watch=timeline)


def test_where_nothing_can_be_written_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^cannot write .*: Is a directory$"), Timeline(tmp_path) as timeline:
        Site().run(5.0, watch=timeline)
