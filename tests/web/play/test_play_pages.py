"""Tests the making of the page: descriptions of machines, the modules packed for the browser, and the server."""

import json
import socket
import subprocess
import sys
import tarfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha512
from http.client import HTTPConnection, RemoteDisconnected
from io import BytesIO
from pathlib import Path
from threading import Thread, Timer
from threading import enumerate as threads
from time import monotonic, sleep
from typing import Any
from urllib.parse import parse_qsl
from zipfile import ZipFile

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.output.text import thin_out
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.systems import MACHINE, PLAYED, find_system, played_system
from spindle.web.play import npm as packages
from spindle.web.play import pages
from spindle.web.play import server as serving_module
from spindle.web.play.described import PARAMETERS_SHOWN, by_importance, describe
from spindle.web.play.links import VARIED_VALUES
from spindle.web.play.npm import PACKAGES, check_integrity, unpack
from spindle.web.play.request import PlayRequest
from spindle.web.play.server import address, server
from tests.models.one_run import RUNS
from tests.models.test_needs_of_runs import ROOT


@pytest.fixture(scope="module")
def described() -> Any:
    return json.loads(json.dumps(describe([find_system(name) for name in PLAYED], {"hp3000": ["near", "hit_cpu"]})))


def test_all_systems_with_a_play_are_on_the_page(described: Any) -> None:
    assert list(described["machines"]) == list(PLAYED)
    assert set(PLAYED) == {path.parent.name for path in (ROOT / "models").glob("*/system.py")} | {MACHINE}
    assert described["student"][:2] == pytest.approx([12.706, 4.303], abs=1e-3)


@pytest.mark.parametrize("system", PLAYED)
def test_every_place_of_a_slider_may_be_set(system: str, described: Any) -> None:
    of = played_system(system)
    settings = {row["name"]: row for row in described["machines"][system]["settings"]}
    assert set(settings) == set(of.names)
    for name, setting in of.settings.items():
        row = settings[name]
        for text in row["places"] if name not in ("log_buffer",) else []:  # which needs a log_record
            value = setting.read(name, text)
            if name not in of.offer.places:
                change(of.parameters, **{name: value})
        if name not in of.offer.places:
            assert setting.read(name, row["usual"]) == pytest.approx(getattr(of.parameters, name), rel=1e-12)
            assert row["usual"] in row["places"]
            assert row["kind"] in ("cited", "assumed", "fitted")


def test_ten_parameters_come_first_and_those_that_studies_vary_before_others(described: Any) -> None:
    rows = described["machines"]["hp3000"]["settings"]
    first = [row["name"] for row in rows if row["group"] == "first"]
    assert (first[:2], len(first)) == (["memory", "fetch_random"], PARAMETERS_SHOWN)
    table = pd.DataFrame({"parameter": ["d", "a", "b", "a", "c"], "flips": [False, False, True, False, False],
                          "change": [0.7, 0.5, 0.1, -0.9, float("nan")]})  # fmt: skip
    assert by_importance(table) == ["b", "a", "d", "c"]


@pytest.mark.parametrize("system", PLAYED)
def test_what_is_varied_goes_evenly_from_the_first_place_to_the_last(system: str, described: Any) -> None:
    for row in described["machines"][system]["settings"]:
        places = row["words"] or row["places"]
        assert row["spread"] == (row["words"] or thin_out(places, VARIED_VALUES))
        assert [*row["spread"][:1], *row["spread"][-1:]] == [*places[:1], *places[-1:]]
        assert row["words"] or len(row["spread"]) <= VARIED_VALUES


@pytest.mark.parametrize("system", PLAYED)
def test_a_tour_has_up_to_five_steps_that_the_page_can_run(system: str, described: Any) -> None:
    tour = described["machines"][system]["tour"]
    assert len(tour) <= 5
    assert len({step["words"] for step in tour}) == len(tour)
    for step in tour:
        assert step["words"].startswith(f"{system}?")
        words = dict(parse_qsl(step["words"].partition("?")[2], keep_blank_values=True))
        vary, values = words.pop("vary", ""), words.pop("values", "")
        assert len(PlayRequest(system, words, vary, values.split(",") if vary else []).points()) <= 10


def test_the_browser_gets_what_a_run_reaches_and_no_pictures() -> None:
    content = pages.source()
    archive = ZipFile(BytesIO(content))
    names = archive.namelist()
    assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}  # whenever it is made
    needed = {"spindle/web/play/worker.py", "spindle/workloads/tepe/orders_63.tepe", "simpy/core.py", "lark/lark.py"}
    assert needed <= set(names)
    assert [name for name in names if name.startswith(("spindle/cli", "spindle/lab"))] == []
    assert {name for name in names if "/studies/" in name} == {f"spindle/{name}" for name in pages.NEEDED_STUDIES}
    assert pages.source() == content


WITHOUT_PACKAGES = """
import json, sys
sys.path.insert(0, sys.argv[1])
from spindle.systems import PLAYED
from spindle.web.play.worker import compute, film, plan
for name, given in json.loads(sys.argv[2]).items():
    request = json.dumps({"system": name, "given": given})
    print(json.dumps([json.loads(plan(request)), json.loads(compute(request))]))
"""


def test_a_python_that_has_only_what_is_packed_plans_and_runs_every_machine(tmp_path: Path) -> None:
    """What the browser's Python has: neither a package that is installed here nor this checkout."""
    ZipFile(BytesIO(pages.source())).extractall(tmp_path)
    short = {name: {key: str(value) for key, value in given.items()} for name, given in RUNS.items()}
    command = [sys.executable, "-I", "-S", "-c", WITHOUT_PACKAGES, str(tmp_path), json.dumps(short)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    for name, line in zip(short, lines, strict=True):
        planned, row = json.loads(line)
        assert planned["points"] == [short[name]]
        assert row["labels"].keys() == row["summary"].keys(), row
        assert len(set(row["labels"].values())) == len(row["labels"])


def archive(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, BytesIO(text))
    return content.getvalue()


def test_of_a_package_only_what_is_named_is_taken_and_only_what_was_pinned(tmp_path: Path) -> None:
    content = archive({"package/a.js": b"a", "package/../../b.js": b"b"})
    path = tmp_path / "x.tgz"
    path.write_bytes(content)
    integrity = f"sha512-{b64encode(sha512(content).digest()).decode()}"
    package = replace(PACKAGES[1], integrity=integrity, files={"a.js": "uplot/a.js"})
    check_integrity(package, content)
    assert unpack(package, path) == {"uplot/a.js": b"a"}
    with pytest.raises(UserError, match="is not what was pinned"):
        check_integrity(PACKAGES[0], content)
    with pytest.raises(UserError, match=r"has no file c\.js"):
        unpack(replace(package, files={"c.js": "c.js"}), path)


def test_where_npm_is_absent_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packages, "which", lambda name: None)
    assert main(["play", "--only-make", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"spindle: {packages.NO_NPM}\n"


def test_packages_that_are_there_are_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []

    def files_of(package: packages.NpmPackage) -> dict[str, bytes]:
        fetched.append(package.name)
        return dict.fromkeys(package.files.values(), b"")

    monkeypatch.setattr(pages, "files_of", files_of)
    pages.write_packages(tmp_path)
    pages.write_packages(tmp_path)
    assert fetched == ["pyodide", "uplot"]
    (tmp_path / "uplot" / "LICENSE").unlink()
    pages.write_packages(tmp_path)
    assert fetched == ["pyodide", "uplot"] * 2
    pages.write_pages(tmp_path, {})
    assert "MPL-2.0" in (tmp_path / "LICENCES.txt").read_text("utf-8")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[HTTPConnection]:
    (tmp_path / "play").mkdir()
    (tmp_path / "play" / "index.html").write_text("page")
    (tmp_path / "play" / "inner").mkdir()
    (tmp_path / "report.html").write_text("report")
    for name in ("secret.txt", "report.html.bak"):
        (tmp_path / name).write_text("secret")
    with server(tmp_path / "play", tmp_path, 0) as serving:
        Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        assert address(serving).startswith("http://127.0.0.1:")
        yield HTTPConnection("127.0.0.1", serving.server_address[1])
        serving.shutdown()


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [("/", 302, ""), ("/play", 302, ""), ("/play/", 200, "page"), ("/play/index.html?x=1", 200, "page"),
     ("/report.html", 200, "report"), ("/secret.txt", 404, None), ("/play/../secret.txt", 404, None),
     ("/play/%2e%2e/secret.txt", 404, None), ("/hp3000/none.csv", 404, None), ("/play/%00", 404, None),
     ("/report.html?x=1", 200, "report"), ("/report.html.bak", 404, None), ("/report.html#x", 200, "report"),
     ("/play/inner/", 404, None), ("/play/index.html%00.js", 404, None)],
)  # fmt: skip
def test_the_server_shows_the_page_and_the_report_alone(
    path: str, status: int, text: str | None, served: HTTPConnection
) -> None:
    served.request("GET", path)
    answer = served.getresponse()
    body = answer.read().decode()
    assert answer.status == status
    assert text is None or body == text
    assert answer.headers.get("Content-Security-Policy") == (
        serving_module.CONTENT_POLICY if path.startswith("/play/") else None)
    assert answer.headers.get("Location") == ("/play/" if status == 302 else None)
    assert (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) == ("no-cache", "nosniff")


@pytest.mark.parametrize(("host", "status"), [
    ("127.0.0.1", 200), ("127.0.0.1:8047", 200), ("localhost:1", 200), ("LocalHost", 200), ("attacker.example", 421),
    ("attacker.example:8047", 421), ("127.0.0.1.attacker.example", 421), ("", 421), ("x@attacker.example", 421),
    ("127.0.0.1:x@attacker.example", 421),
])  # fmt: skip
def test_a_page_of_another_name_gets_nothing(served: HTTPConnection, host: str, status: int) -> None:
    """An attacker's name may lead a browser to this machine."""
    for path in ("/report.html", "/play/"):
        served.request("GET", path, headers={"Host": host})
        answer = served.getresponse()
        assert (answer.status, b"report" in answer.read()) == (status, status == 200 and path == "/report.html")


def test_links_are_not_followed(served: HTTPConnection, tmp_path: Path) -> None:
    (tmp_path / "play" / "link").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "play" / "folder").symlink_to(tmp_path)
    (tmp_path / "hp3000").mkdir()
    (tmp_path / "hp3000" / "a.csv").symlink_to(tmp_path / "secret.txt")
    for path in ("/play/link", "/play/folder/secret.txt", "/hp3000/a.csv"):
        served.request("GET", path)
        answer = served.getresponse()
        assert (answer.status, b"secret" in answer.read()) == (404, False)


def half_asked(port: int) -> socket.socket:
    asking = socket.create_connection(("127.0.0.1", port), timeout=10)
    asking.sendall(b"GET /play/ HTTP/1.1\r\n")
    return asking


def test_a_request_that_is_never_finished_is_cut(
    served: HTTPConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_module, "CONNECTION_SECONDS", 0.05)
    with half_asked(served.port) as asking:
        assert asking.recv(100) == b""


def test_nothing_waits_for_the_end_of_a_connection_that_is_over(served: HTTPConnection) -> None:
    """Else a server that is ended would stay for as long as a connection may take."""
    served.request("GET", "/report.html", headers={"Connection": "close"})
    served.getresponse().read()
    until = monotonic() + 5.0
    while any(isinstance(each, Timer) for each in threads()) and monotonic() < until:
        sleep(0.005)
    assert [each for each in threads() if isinstance(each, Timer)] == []


def is_answered(port: int) -> bool:
    asking = HTTPConnection("127.0.0.1", port)
    try:
        asking.request("GET", "/report.html")
        return asking.getresponse().read() == b"report"
    except (ConnectionError, RemoteDisconnected):
        return False


def test_there_is_a_limit_of_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_module, "MAX_CONNECTIONS", 2)
    (tmp_path / "report.html").write_text("report")
    with server(tmp_path, tmp_path, 0) as serving:
        Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        port = serving.server_address[1]
        with half_asked(port), half_asked(port):
            assert not is_answered(port)
        # Until the two have seen that their clients are gone.
        assert any(is_answered(port) or sleep(0.02) for _ in range(100))
        serving.shutdown()


def test_a_browser_that_goes_is_no_news(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with server(tmp_path, tmp_path, 0) as serving:
        for error, said in ((ConnectionResetError(), False), (ValueError(), True)):
            try:
                raise error
            except Exception:
                serving.handle_error(None, ("127.0.0.1", 1))
            assert ("('127.0.0.1', 1)" in capsys.readouterr().err) is said


def test_a_port_that_is_taken_is_a_mistake(tmp_path: Path) -> None:
    with server(tmp_path, tmp_path, 0) as serving, pytest.raises(UserError, match="--port 0"):
        server(tmp_path, tmp_path, serving.server_address[1])


@pytest.mark.parametrize(("words", "opened"), [((), 1), (("--no-browser",), 0)])
def test_the_command_serves_its_folder_and_opens_a_browser_unless_told_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...],
    opened: int,
) -> None:  # fmt: skip
    shown: list[str] = []

    def end(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spindle.cli.play.make_page", lambda place: (place / "index.html").touch())
    monkeypatch.setattr("webbrowser.open", shown.append)
    monkeypatch.setattr(serving_module.PageServer, "serve_forever", end)
    assert main(["play", "--out", str(tmp_path / "page"), "--port", "0", *words]) == 0
    said = capsys.readouterr().out.partition(": open it in a browser")[0]
    assert said.startswith("http://127.0.0.1:")
    assert not said.startswith("http://127.0.0.1:8047/")
    assert shown == [said] * opened
    assert (tmp_path / "page" / "index.html").exists()
