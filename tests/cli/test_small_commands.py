"""Commands that hand on what others answer: which of it is printed, written and drawn, and from which options."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import figure, moving, play, verify
from spindle.cli.film import FilmOptions, write_film
from spindle.cli.main import main
from spindle.cli.named_files import folder
from spindle.cli.play import PlayOptions
from spindle.sim.error import UserError
from tests.traces.conftest import Said

# A load that is made up.


def test_a_load_has_its_seed_its_drives_and_its_numbers(said: Said) -> None:
    words = ("load", "--drive=small.yaml", "--drives=2", "--threads=2", "--size=512", "--requests=20")
    page = said(*words)
    assert page.startswith("2 always under way, of 512 B, 0% writes, 100% random\n2 drives Small Drive, fcfs\n")
    assert said(*words, "--seed=1") == page != said(*words, "--seed=2")
    by_device = said(*words, "--by-device")
    assert by_device.startswith(page.rstrip("\n"))
    assert "\nresponse by device, ms" in by_device
    assert "response by device" not in page
    found, parted = (json.loads(said(*words, "--json", *more)) for more in ((), ("--by-device",)))
    assert (found["measures"]["responses"], "devices" in found, list(parted["devices"])) == (20, False, ["0", "1"])


@pytest.mark.parametrize(("words", "many"), [("load", "load"), ("replay trace.csv", "TRACE")])
def test_several_values_are_for_a_sweep(words: str, many: str, refused: Said) -> None:
    assert refused(*words.split(), "--drive=small.yaml", "--scheduler=fcfs,sstf") == (
        f"--scheduler has one value here, not 'fcfs,sstf': spindle sweep {many} takes several")


# Figures of several traces.


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is drawn and saved, without matplotlib."""
    made: list[Any] = []
    module: Any = SimpleNamespace(
        panels_picture=lambda table, *words: ("panels", len(table), *words), save=lambda *told: made.append(told),
        relative_picture=lambda table, *words: ("relative", len(table), *words), picture=lambda it: ("errors", it))
    for name in ("spindle.traces.figure_picture", "spindle.studies.plots.files", "spindle.lab.verify.picture"):
        monkeypatch.setitem(sys.modules, name, module)
    return made


@pytest.mark.parametrize(("words", "title", "picture"), [
    ("", "miss ratio, of 2 traces", ("panels", "miss_ratio", figure.MISS_LABEL)),
    ("--show=hits", "hit ratio, of 2 traces", ("panels", "hit_ratio", figure.HIT_LABEL)),
    ("--against=fifo", "misses, those of fifo are 1, of 2 traces", ("relative", "fifo")),
])  # fmt: skip
def test_a_figure_shows_what_is_asked_for(
    words: str, title: str, picture: tuple[str, ...], said: Said, place: Path, drawn: list[Any]
) -> None:
    for name in ("a.txt", "b.txt"):
        (place / name).write_text("1\n2\n1\n3\n")
    asked = ("figure", "a.txt", "b.txt", "--columns=key=1", "--policy=lru", "--sizes=100%", *words.split())
    lines = said(*asked, "--plot=f.pdf", "--out=f.csv").splitlines()
    assert (lines[0], lines[-2:]) == (title, ["f.pdf: written", "f.csv: written"])
    assert drawn == [((picture[0], 2, *picture[1:]), Path("f.pdf"))]
    table = pd.read_csv(place / "f.csv")
    assert table["trace"].tolist() == ["a", "b"]
    assert table["hit_ratio"].tolist() == [0.25, 0.25]
    assert "written" not in said(*asked)


def test_a_figure_does_not_replace_a_trace(said: Said, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert " TRACE [TRACE ...]" in said("figure", "--help").replace("\n", " ")
    assert "traces in any format that curve reads" in said("figure", "--help")
    for name in ("a.csv", "b.csv"):
        (place / name).write_text("1\n2\n1\n3\n")
        assert main(["figure", "a.csv", "b.csv", "--columns=key=1", f"--out={name}"]) == 2
        assert f"--out would overwrite {name}, which is to be read" in capsys.readouterr().err


# Moving pictures.


def test_a_film_is_of_its_window_in_nanoseconds() -> None:
    assert (FilmOptions().film(), FilmOptions().trace()) == (None, None)
    for make in (FilmOptions("x.html", "5").film, FilmOptions("x.html", "5").trace):
        with pytest.raises(UserError, match=r"^--window takes BEGIN:SECONDS"):
            make()
    asked = FilmOptions("x.html", "2min:30s")
    trace, film = asked.trace(), asked.film()
    assert trace is not None
    assert film is not None
    for each in (trace, film.trace):
        assert (each.begin_at, each.end_at) == (120 * 10**9, 150 * 10**9)


def test_a_film_is_written_where_there_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.web.moving.film.moving_page", lambda film: f"a page of {film['title']} \ud800")
    write_film(None, {"title": "it"})
    write_film(tmp_path / "x.html", {"title": "it"})
    assert (tmp_path / "x.html").read_bytes() == b"a page of it ?"


def test_a_queue_is_served_in_each_order(said: Said, place: Path) -> None:
    """The arm of 200 cylinders goes from 53 by the textbook's queue."""
    queue = ("--queue=98,183,37,122,14,124,65,67", "--head=53")
    lines = said("moving", "m.html", *queue, "--orders=fcfs,c-look").splitlines()
    assert lines[0] == "m.html: a browser opens it"
    assert [line.split(", ")[0] for line in lines[1:]] == ["FCFS: 640 cylinders", "C-LOOK: 322 cylinders"]
    assert lines[1].endswith(": 98 183 37 122 14 124 65 67")
    assert "8 requests, 2 orders" in (place / "m.html").read_text()
    assert said("moving", "--html=m.html", *queue).splitlines()[1:] == [
        line for name in ("fcfs", "sstf", "look", "sptf")
        for line in said("moving", "n.HTM".lower(), *queue, f"--orders={name}").splitlines()[1:]]
    assert said("moving", "m.html", "--queue=0,199", "--orders=fcfs").splitlines()[1].endswith(": 0 199")
    assert said("moving", "m.html", "--queue=700", "--drive=hp7933", "--orders=fcfs").endswith(": 700\n")
    few = {words: said("moving", "n.html", "--orders=fcfs", *words.split()).splitlines()[1]
           for words in ("", "--seed=2", "--requests=7", "--requests=7 --drive=hp7933")}  # fmt: skip
    assert len(set(few.values())) == 4
    assert [len(line.rpartition(": ")[2].split()) for line in few.values()] == [20, 20, 7, 7]


@pytest.mark.parametrize(("words", "says"), [
    ("", "moving writes one FILE.html: name it"),
    ("small.yaml", "'small.yaml' is to be the page, FILE.html, that moving writes; --drive names a drive"),
    ("m.html --drive=intels3700", "--drive: Intel S3700 has no arm that would move"),
    ("m.html --drive=nosuch", "unknown drive 'nosuch'"), ("m.html --orders=nosuch", "unknown scheduler 'nosuch'"),
    ("m.html --orders=fcfs,fcfs", "--orders names 1 to 8 orders, each once"),
    (f"m.html --orders=fcfs{',sptf(ageing=1)' * 8}", "--orders names 1 to 8 orders, each once"),
    ("m.html --queue=1,x", "--queue must be a whole number, not 'x'"),
    ("m.html --queue=1,200", "queue: there is no cylinder 200"),
    ("m.html --requests=501", "--requests must be a whole number from 1 to 500, not 501"),
])  # fmt: skip
def test_a_queue_that_cannot_be_shown_is_refused(words: str, says: str, refused: Said) -> None:
    assert says in refused("moving", *words.split())


def test_eight_orders_may_be_shown(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("spindle.web.moving.filming.film_queue", lambda *told: shown.append(told) or ({}, []))
    monkeypatch.setattr(moving, "write_film", lambda *told: shown.append(told))
    names = ["fcfs", *(f"sptf(ageing={number})" for number in range(1, 8))]
    assert main(["moving", "m.html", f"--orders={','.join(names)}", "--head=3"]) == 0
    (places, _, orders, head), written = shown
    assert (len(places), list(orders), head, written) == (20, [name.upper() for name in names], 3, (Path("m.html"), {}))


# Layers that were measured.


def test_a_verification_is_of_the_folders_or_of_all_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], drawn: list[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify, "layer_in", lambda folder: folder.name)
    monkeypatch.setattr(verify, "shipped_layers", lambda: ["disc", "cache"])
    answer = "spindle.lab.verify.answer"
    monkeypatch.setattr(f"{answer}.verify", lambda layer: f"errors of {layer}")
    monkeypatch.setattr(f"{answer}.page", lambda answers: ["a table", *answers])
    monkeypatch.setattr(f"{answer}.errors_table", lambda answers: [{"layer": each} for each in answers])
    monkeypatch.setattr(f"{answer}.points_frame", lambda answers: pd.DataFrame({"layer": answers}))
    assert main(["verify", "--export=points.csv", "--plot=p.png"]) == 0
    assert capsys.readouterr() == ("a table\nerrors of disc\nerrors of cache\n", "")
    assert pd.read_csv("points.csv")["layer"].tolist() == ["errors of disc", "errors of cache"]
    assert drawn == [(("errors", ["errors of disc", "errors of cache"]), Path("p.png"))]
    assert main(["verify", "--help"]) == 0
    assert "\nverify.toml what it has" in capsys.readouterr().out
    monkeypatch.setattr(verify, "progress_bar", lambda items, *, desc: [f"{each} of {desc}" for each in items])
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == "a table\nerrors of disc of layers\nerrors of cache of layers\n"
    monkeypatch.setattr(verify, "progress_bar", lambda items, **_: items)
    assert main(["verify", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"layer": "errors of mine"}]
    Path("mine").mkdir()
    Path("mine", "verify.toml").touch()
    assert main(["verify", "mine", "--export=mine/verify.toml"]) == 2
    assert "--export would overwrite mine/verify.toml, which is to be read" in capsys.readouterr().err


# A page that is played.


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is served, until somebody ends it; and what is opened."""
    told: list[Any] = []

    @contextmanager
    def server(*asked: object) -> Iterator[Any]:
        told.append(asked)
        yield SimpleNamespace(name="here", serve_forever=lambda: (_ for _ in ()).throw(KeyboardInterrupt))
        told.append("closed")

    monkeypatch.setattr("spindle.web.play.server.server", server)
    monkeypatch.setattr("spindle.web.play.server.address", lambda serving: f"http://{serving.name}")
    monkeypatch.setattr("webbrowser.open", told.append)
    monkeypatch.setattr(play, "make_page", lambda place: told.append(place))
    return told


def test_a_page_is_made_and_served_until_it_is_ended(
    tmp_path: Path, served: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "new"
    assert main(["play", f"--out={place}", "--only-make"]) == 0
    assert capsys.readouterr().out == f"{place}: made; any file server shows it\n"
    assert (served, place.is_dir()) == ([place], True)
    (tmp_path / "file").touch()
    assert main(["play", f"--out={tmp_path}/file"]) == 2
    assert capsys.readouterr().err.startswith("spindle: --out: cannot make the folder ")
    served.clear()
    assert main(["play", f"--out={place}", "--port=0"]) == 0
    assert capsys.readouterr().out == "http://here: open it in a browser; Ctrl-C ends it\n\n"
    assert served == [place, (place, play.RESULTS, 0), "http://here", "closed"]
    monkeypatch.setattr(play, "print", lambda *said, flush: served.append((*said, flush)), raising=False)
    served.clear()
    assert main(["play", f"--out={place}", "--no-browser"]) == 0
    assert served == [place, (place, play.RESULTS, 8047),
                      ("http://here: open it in a browser; Ctrl-C ends it", True), "closed"]  # fmt: skip


def test_the_machines_of_a_page_begin_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}
    monkeypatch.setattr("spindle.systems.PLAYED", ("max_iv", "hp3000", "sata_ncq"))
    monkeypatch.setattr("spindle.systems.find_system", lambda name: SimpleNamespace(name=name))
    stubs: dict[str, dict[str, Any]] = {  # which would import half of Spindle
        "spindle.studies.claims.sensitivity": {"read_sensitivity": "read"},
        "spindle.cli.judged": {"last_kept": lambda results, system, read, name: SimpleNamespace(
            frame=(results, system.name, read, name)) if system.name != "sata_ncq" else None},
        "spindle.web.play.described": {"by_importance": lambda frame: [frame],
                                       "describe": lambda every, orders: {"all": every, "orders": orders}},
        "spindle.web.play.first": {"first_results": lambda place, system: (place, system.name)},
        "spindle.web.play.pages": {"write_packages": lambda place: told.update(packages=place),
                                   "write_pages": lambda place, described: told.update(described, pages=place)},
    }  # fmt: skip
    for name, functions in stubs.items():
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**functions))
    play.make_page(Path("there"))
    names = ["hp3000", "max_iv", "sata_ncq"]
    kept = {name: [(play.RESULTS, name, "read", "sensitivity.csv")] for name in names[:2]}
    assert ([each.name for each in told.pop("all")], told) == (names, {
        "packages": Path("there"), "pages": Path("there"), "orders": {**kept, "sata_ncq": []},
        "first": {"hp3000": (Path("there"), "hp3000")}})


def test_a_page_lies_among_the_results_unless_it_is_told_otherwise() -> None:
    assert PlayOptions() == PlayOptions(str(play.RESULTS / "play"), 8047, True, False)
    assert folder("--out", ".") == Path()
