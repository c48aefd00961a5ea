"""``spindle serve`` by hand, with a session that ends at once: what is said where, the log, and how to replay it."""

import json
import sys
from contextvars import copy_context
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import serve
from spindle.cli.main import main
from spindle.serve.address import SocketFile, TcpPort
from spindle.serve.stop import Stop
from spindle.sim.error import UserError
from tests.traces.conftest import SHEET

HEAD = "Small Drive\nnbd://127.0.0.1:7/one  1 MiB in memory\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SHEET)
    return tmp_path


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Sessions that were begun; each announces itself, logs a line and is over, and nobody asked for anything."""
    sessions: list[Any] = []

    class Session:
        malformed, connections, seconds = 0, 2, 1.5
        arrivals = SimpleNamespace(end=0.0, beside=0)
        lateness = SimpleNamespace(numbers=lambda due: {"due": due})

        def __init__(self, plan: Any, log: Any, tell: Any) -> None:
            self.plan, self.log, self.tell = plan, log, tell
            sessions.append(self)

        def due(self) -> int:
            return 3

        def run(self, announce: Any, stop: object, tap: bool) -> None:
            self.tap, self.stop = tap, stop
            exports = {"one": SimpleNamespace(size=1 << 20, store=SimpleNamespace(where="in memory"))}
            self.there = Path("log.csv").exists()
            announce(TcpPort("127.0.0.1", 7), exports)
            self.seen = getattr(sys.stdout, "seen", "")
            if self.log is not None:
                self.log.write(b"a line\n")
            self.appeared = Path("log.csv").exists()

    monkeypatch.setattr("spindle.serve.session.ServeSession", Session)
    return sessions


def test_a_session_is_announced_and_told_at_the_end(begun: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "small.yaml"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(HEAD)
    assert (out.endswith("\nserved 2 connections in 1.5 s; no drive was asked for anything\n"), err) == (True, "")
    (session,) = begun
    assert (session.log, session.tap, session.tell) == (None, False, serve.complain)
    assert (session.plan.address, type(session.stop)) == (TcpPort("127.0.0.1", 10809), Stop)
    assert main(["serve", "--help"]) == 0
    says = "--drives N number of drives, an export each, or in the array; default 1 -"
    assert says in " ".join(capsys.readouterr().out.split())


def test_whoever_waits_for_a_server_reads_its_address_at_once(
    begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Piped(StringIO):
        def flush(self) -> None:
            self.seen = self.getvalue()

    monkeypatch.setattr(sys, "stdout", Piped())
    assert main(["serve", "small.yaml"]) == 0
    assert begun[0].seen.startswith(HEAD)


def test_the_page_of_a_session_knows_its_log(
    begun: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(serve, "_page", lambda session, options, log: [f"page of {log}"])
    assert main(["serve", "small.yaml", "--log=log.csv", "--port=9"]) == 0
    assert capsys.readouterr().out.endswith("page of log.csv\n")
    assert begun[0].plan.address == TcpPort("127.0.0.1", 9)


def test_numbers_stand_alone_on_standard_output_and_the_log_is_there_from_the_start(
    begun: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "small.yaml", "--json", "--tap", "--log=log.csv"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(HEAD)
    assert json.loads(out) == {"version": 2, "seconds": 1.5, "connections": 2, "malformed": 0, "flushes_and_trims": 0,
                               "lateness": {"due": 3}}  # fmt: skip
    (session,) = begun
    assert (session.tap, session.there, session.appeared) == (True, False, True)
    assert Path("log.csv").read_text() == "a line\n"


@pytest.mark.parametrize("name", ["small.yaml", "disc.img", "here.sock"])
def test_the_log_replaces_nothing(name: str, begun: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    Path("disc.img").touch()
    words = ["small.yaml", "--data=disc.img", "--socket=here.sock"]
    assert main(["serve", *words, f"--log={name}"]) == 2
    assert f"--log would overwrite {name}" in capsys.readouterr().err
    assert begun == []


def options(*words: str) -> Any:
    return copy_context().run(lambda: serve._parser().take(list(words)))


def session_of(beside: int = 0, **storage: object) -> Any:
    return SimpleNamespace(plan=SimpleNamespace(storage=SimpleNamespace(**{"raid": None, "cache": None, **storage})),
                           arrivals=SimpleNamespace(beside=beside, end=1.0))  # fmt: skip


def test_a_log_is_replayed_by_the_options_that_were_given() -> None:
    given = options("small.yaml", "--drives", "2", "--scheduler", "sptf(ageing=0.1)", "--head", "3")
    says = "a b.csv is a trace; the same again: spindle replay 'a b.csv' --drive small.yaml"
    order = " --scheduler 'sptf(ageing=0.1)' --head 3"
    array = f"{says} --drives 2{order}"
    assert serve._how_to_replay(session_of(), given, "a b.csv") == ["", says + order]
    assert serve._how_to_replay(session_of(raid="5"), given, "a b.csv") == ["", array]
    cached = options("small.yaml", "--memory", "64K", "--policy", "arc")
    _, again, lost = serve._how_to_replay(session_of(3, cache="64K"), cached, "l.csv")
    assert again.endswith("spindle replay l.csv --drive small.yaml --cache 64K --policy arc")
    assert lost == ("except for 3 flushes and trims, which moved blocks of the cache, and which a trace cannot hold")
    assert len(serve._how_to_replay(session_of(0, cache="64K"), cached, "l.csv")) == 2
    assert len(serve._how_to_replay(session_of(3), cached, "l.csv")) == 2


def test_the_page_and_the_numbers_are_those_of_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.replay.answer_page.page", lambda replayed: [f"page of {replayed}"])
    monkeypatch.setattr("spindle.traces.replay.data.replay_data", lambda replayed: {"measures": replayed})
    session = session_of()
    vars(session).update(malformed=1, connections=2, seconds=1.25, as_replay=lambda: "it", due=lambda: 9,
                         lateness=SimpleNamespace(page=lambda due: [f"late {due}"], numbers=lambda due: due))
    lines = ["", "served 2 connections, 1 of them malformed in 1.2 s", "page of it", "", "late 9"]
    assert serve._page(session, options("small.yaml"), "") == lines
    logged = serve._page(session, options("small.yaml"), "l.csv")
    assert logged == [*lines, "", "l.csv is a trace; the same again: spindle replay l.csv --drive small.yaml"]
    assert serve._numbers(session)["measures"] == "it"


@pytest.mark.parametrize(("words", "says"), [
    ("--drives=0", "--drives must be a whole number from 1 to 64, not 0"),
    ("--data=", "--data must name a file, not ''"),
    ("--raid=5", "raid 5"),
])  # fmt: skip
def test_what_cannot_be_served_is_refused(words: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        copy_context().run(lambda: serve._plan(serve._parser().take(["small.yaml", words])))


def test_a_plan_says_where_it_is_reached_and_what_an_order_does_not_do() -> None:
    flash = copy_context().run(lambda: serve._plan(options("intels3700", "--scheduler=sstf", "--socket=s")))
    assert (flash.address, len(flash.notes), flash.count) == (SocketFile(Path("s")), 1, 1)
    assert "sstf" in flash.notes[0]
    assert serve._plan(options("small.yaml", "--scheduler=sstf")).notes == []
