"""A server from start to stop, in this process: what clients and files get of it, and what it says at the end."""

import asyncio
import selectors
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from spindle.serve import session as running
from spindle.serve.address import Address, SocketFile, TcpPort
from spindle.serve.export import Export
from spindle.serve.lateness import Tap
from spindle.serve.plan import ServePlan
from spindle.serve.session import ServeSession
from spindle.serve.stop import Stop
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import DRIVES
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.measure.laws import LawBroken
from spindle.sim.request import READ, Span
from spindle.sim.units import KIB, MIB
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import CachePlan, FlashPlan, write_back
from tests.serve.wire import GO, HELLO, PATIENCE, WRITE, command, option, simple, text
from tests.serve.wire import READ as READ_COMMAND

PLAN = ServePlan(StoragePlan(DriveSheet(DRIVES["hp7933"], None), Fcfs), TcpPort("127.0.0.1", 0), size=64 * KIB,
                 speed=1000.0)  # fmt: skip
CACHE = CachePlan(MIB, 64 * KIB, Lru, write_back)
ENTERED = 18 + 20 + 12 + 20 + 14 + 20
"""Bytes that a server says until a client has its export."""
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(autouse=True)
def collected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the collector of garbage, which would look through the objects of all tests."""
    asked: list[str] = []
    names = ("collect", "freeze", "unfreeze")
    each = {name: lambda name=name: asked.append(name) for name in names}  # type: ignore[misc]
    monkeypatch.setattr(running, "gc", SimpleNamespace(**each))
    return asked


class Meeting:
    """A session of *plan* with one client, who talks, and then the server is asked to stop."""

    def __init__(self, plan: ServePlan = PLAN, log: BytesIO | None = None) -> None:
        self.complaints: list[str] = []
        self.session = ServeSession(plan, log, self.complaints.append)
        self.names: list[str] = []

    def hold(self, talk: Talk, tap: bool = False) -> ServeSession:
        tasks: list[asyncio.Task[None]] = []

        def announce(address: Address, exports: Mapping[str, Export]) -> None:
            self.names += exports
            tasks.append(asyncio.create_task(self._talk(cast(TcpPort, address), talk)))

        with Stop() as stop:
            self.session.run(announce, stop, **({"tap": True} if tap else {}))
        (task,) = tasks
        assert task.result() is None
        return self.session

    async def _talk(self, address: TcpPort, talk: Talk) -> None:
        try:
            reader, writer = self.client = await asyncio.open_connection("127.0.0.1", address.number)
            writer.write(HELLO + option(GO, text(b"disc0") + b"\0\0"))
            await asyncio.wait_for(reader.readexactly(ENTERED), PATIENCE)
            await asyncio.wait_for(talk(reader, writer), PATIENCE)
        finally:
            signal.raise_signal(signal.SIGTERM)


async def write_and_read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(command(WRITE, 512, data=b"x" * 512))
    assert await reader.readexactly(16) == simple()
    writer.write(command(READ_COMMAND, 1024, 256))
    assert await reader.readexactly(16 + 256) == simple(data=bytes(256))


async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    loop: Any = asyncio.get_running_loop()
    assert isinstance(loop._selector, selectors.SelectSelector), "the usual one wakes a millisecond late"


def test_what_was_served_is_told_and_collection_is_as_it_was(collected: list[str]) -> None:
    log = BytesIO()
    meeting = Meeting(replace(PLAN, count=2), log)
    session = meeting.session
    before = session.as_replay()
    assert (session.seconds, session.connections, session.malformed, before.end) == (0.0, 0, 0, 0.0)
    assert before.storage.drives["disc0"].reading()["completed"] == 0.0
    meeting.hold(write_and_read)
    assert (meeting.names, meeting.complaints, collected) == (
        ["disc0", "disc1"], [], ["collect", "freeze", "unfreeze"])  # fmt: skip
    assert (session.connections, session.malformed) == (1, 0)
    assert 0.0 < session.seconds < PATIENCE
    head, *rows = [line.split(",") for line in log.getvalue().decode().splitlines()]
    assert head == ["time_s", "device", "op", "offset", "size", "response_s"]
    assert [row[1:5] for row in rows] == [["disc0", "W", "512", "512"], ["disc0", "R", "1024", "256"]]
    responses = [float(row[5]) for row in rows]
    assert session.due() == pytest.approx(sum(responses) / 1000.0)
    replayed = session.as_replay()
    assert (replayed.tally.reads.count, replayed.tally.writes.count) == (1, 1)
    assert replayed.end == session.arrivals.end == pytest.approx(float(rows[1][0]) + responses[1])
    assert replayed.storage.drives["disc0"].reading()["completed"] == 2.0
    assert list(replayed.storage.drives) == ["disc0", "disc1"]


def test_what_is_under_way_at_the_end_is_done_without_a_reply_and_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousandth of the speed of time: the write would take its 50 ms for a minute."""
    path, log, synced = tmp_path / "data", BytesIO(), []
    monkeypatch.setattr("os.fsync", lambda number: synced.append(path.read_bytes()[:3]))

    async def write(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session.env.timeout(1e6)  # what nobody waits for, such as a rebuild
        writer.write(command(WRITE, 0, data=b"abc"))
        while not session.arrivals.under_way:
            await asyncio.sleep(0.001)

    meeting = Meeting(replace(PLAN, speed=0.001, data=(path,)), log)
    session = meeting.session
    meeting.hold(write)
    assert (session.arrivals.under_way, session.lateness.times.count, session.arrivals.tally.writes.count) == (0, 0, 1)
    assert session.env.now < 1e6
    assert (synced, path.read_bytes()) == ([b"abc"], b"abc" + bytes(64 * KIB - 3))
    assert len(log.getvalue().splitlines()) == 2
    synced.clear()
    Meeting(replace(PLAN, data=(path,), read_only=True)).hold(say_nothing)
    assert synced == []


def test_who_breaks_the_protocol_is_counted() -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes(28))
        assert await reader.read() == b""

    assert Meeting().hold(babble).malformed == 1


def test_a_simulation_that_breaks_down_ends_the_server_with_its_error() -> None:
    def fail(*_: object) -> None:
        raise LawBroken("a part")

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(command(WRITE, 0, data=b"x"))
        with suppress(ConnectionError):
            assert await reader.read() == b""

    meeting = Meeting()
    meeting.session.arrivals.enter = fail  # type: ignore[method-assign]
    with pytest.raises(LawBroken, match="a part"):
        meeting.hold(ask)
    assert meeting.session.connections == 1

    async def fail_beside(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asyncio.get_running_loop().call_soon(fail)
        await reader.read()

    with pytest.raises(LawBroken, match="a part"):
        Meeting().hold(fail_beside)


def test_parts_that_break_a_law_are_not_passed_over() -> None:
    meeting = Meeting()

    async def miscount(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await write_and_read(reader, writer)
        meeting.session.storage.drives["disc0"].counts.completed += 1

    with pytest.raises(LawBroken):
        meeting.hold(miscount)


def test_live_lines_are_shown_if_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "LINE_PERIOD", 0.001)

    said: list[str] = []

    async def watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await write_and_read(reader, writer)
        while "".join(said).count("\n") < 2:
            await asyncio.sleep(0.001)
            said.append(capsys.readouterr().err)

    Meeting().hold(watch, tap=True)
    assert "".join(said).splitlines()[1].startswith("disc0 queue   0 arm ")

    async def linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.01)

    capsys.readouterr()
    Meeting().hold(linger)
    assert capsys.readouterr().err == ""


def test_of_a_slow_server_every_third_look_complains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are left out after a complaint; there are two lines to a look."""
    monkeypatch.setattr(running, "LINE_PERIOD", 0.0005)
    monkeypatch.setattr(running, "LOOK_PERIOD", 0.001)
    log: list[object] = []

    def complain(words: str) -> None:
        log.append(words)
        if log.count(words) == 2:
            asyncio.current_task().cancel()  # type: ignore[union-attr]

    session = ServeSession(PLAN, None, complain)
    looks = iter(["", "slow", "slow"])
    session.lateness = cast(Any, SimpleNamespace(complaint=lambda due: log.append(due) or next(looks)))
    tap = cast(Tap, SimpleNamespace(show=lambda: log.append("line"), close=lambda: log.append("end")))
    session.arrivals.tally.reads.add(3.0)
    session.arrivals.tally.writes.add(5.0)
    with suppress(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(session._watch(tap), PATIENCE))
    lines, due = ["line"] * 2, 0.008
    assert log == [*lines, due, *lines, due, "slow", *lines * 3, due, "slow", "end"]


def test_an_address_that_will_not_do_ends_it_before_it_began(tmp_path: Path, collected: list[str]) -> None:
    (tmp_path / "data").write_bytes(b"x")
    with pytest.raises(UserError, match="data has 1 bytes"):
        Meeting(replace(PLAN, data=(tmp_path / "data",))).hold(say_nothing)
    with pytest.raises(UserError, match="it is there already, and no socket"):
        Meeting(replace(PLAN, address=SocketFile(tmp_path / "data"))).hold(say_nothing)
    assert collected == ["collect", "freeze", "unfreeze"]


@pytest.mark.parametrize(("storage", "parts"), [
    (replace(PLAN.storage, cache=CACHE), {"drives": 1, "caches": 1}),
    (replace(PLAN.storage, flash=FlashPlan(INTEL_S3700, CACHE)),
     {"drives": 1, "caches": 1, "flash_drives": 1, "flash_tiers": 1}),
    (replace(PLAN.storage, raid=RaidType("1", 2, 64 * KIB)), {"drives": 2, "arrays": 1}),
])  # fmt: skip
def test_what_goes_on_after_the_last_reply_is_not_told(storage: StoragePlan, parts: dict[str, int]) -> None:
    session = ServeSession(replace(PLAN, storage=storage), None, print)
    with ExitStack() as stack:
        (export,) = session.plan.exports(session.storage, session.arrivals, stack).values()
    for _ in range(2):  # the second is answered by what is above the drives, if something is
        session.env.run(export.device.read(Span(0, 4 * KIB)))
        session.env.run(session.env.timeout(0.1))
    session.env.run(export.device.read(Span(0, 4 * KIB)))
    replayed = session.as_replay()
    assert replayed.storage.has_layers == session.storage.has_layers
    assert (replayed.end, replayed.storage.env) == (session.env.now, session.env)
    assert replayed.storage.places is session.storage.places
    named = ("drives", "caches", "arrays", "flash_drives", "flash_tiers")

    def told(stands: object) -> dict[str, list[object]]:
        found = {name: getattr(stands, name) for name in named}
        lists = {name: list(each.values()) if name == "drives" else each for name, each in found.items()}
        return {name: [(part.reading(), part.busy() if "drives" in name else 0.0) for part in each]
                for name, each in lists.items() if each}  # fmt: skip

    before = told(replayed.storage)
    assert before == told(session.storage)
    assert {name: len(each) for name, each in before.items()} == parts
    session.env.run(session.storage.places["disc0"].ask(READ, 32 * KIB, 32 * KIB))  # nobody's, such as a rebuild's
    session.env.run(session.storage.places["disc0"].ask(READ, 512 * KIB, 32 * KIB))
    assert told(replayed.storage) == before != told(session.storage)
    assert session.as_replay().end == replayed.end < session.env.now
