"""``spindle run`` by hand: files that it writes and lists, its warm-up, replications, and what its help names."""

import json
import os
from argparse import Namespace
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from tqdm import tqdm

from spindle.cli import one_run, replications, run
from spindle.cli.film import FilmOptions
from spindle.cli.main import main
from spindle.cli.run import RunQuestion
from spindle.sim.clock import PHASE_COUNT
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.parts import LawBroken
from spindle.sim.terminal import Transaction
from spindle.studies.confidence import confidence
from spindle.studies.sweep.precision import Replications
from spindle.system import System


@dataclass(frozen=True)
class Parameters:
    """None."""


def toy(users: int = 1, minutes: float = 2.0, warm_up: float = 5.0, seed: int = 1, log: str = "",
        report: bool = False, watch: Any = None) -> Result:
    recorder = Recorder()
    recorder.record(Transaction("t", "n", 301.0, 302.0, 302.0, (1.0, *(0.0,) * (PHASE_COUNT - 1))), 1)
    start = 60.0 * warm_up
    return Result("toy", {"users": users}, seed, start, start + 60.0 * minutes, {}, recorder)


TOY = System("toy", "Toy", toy, Parameters(), examples=("--users 3", ""), built_in=("sheep", "ink"))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spindle.cli.run_options.find_system", lambda name: {"toy": TOY, "mine.py:TOY": TOY}[name])
    return tmp_path


def test_files_to_write_are_none_that_are_read(place: Path) -> None:
    for name in ("a.tepe", "b.tepe", "drive.yaml", "set.csv", "log.csv", "t.json", "film.html"):
        (place / name).touch()
    options = Namespace(of_system_script=["a.tepe", "b.tepe"], of_system_drive="drive.yaml", of_run_json=True,
                        of_run_html="film.html", of_system_log="log.csv", of_run_timeline="t.json")  # fmt: skip
    asked = RunQuestion(timeline="t.json", film=FilmOptions("film.html"))
    texts = {"log": "log.csv", "inputs": "set.csv"}
    assert run._writes(asked, options, texts) == {
        "--log": Path("log.csv"), "--timeline": Path("t.json"), "--html": Path("film.html")}
    assert run._writes(RunQuestion(), options, {}) == dict.fromkeys(("--log", "--timeline", "--html"))
    for name in ("a.tepe", "b.tepe", "drive.yaml", "set.csv"):
        with pytest.raises(UserError, match=f"^--timeline would overwrite {name}, which is to be read$"):
            run._writes(RunQuestion(timeline=name), options, texts)


def test_files_are_listed_with_what_opens_them_and_the_tables_beside_a_log(place: Path) -> None:
    for name, age in (("log.csv", 0), ("log_b.csv", 0), ("log_a.csv", 0), ("log_old.csv", 90), ("log_c.txt", 0),
                      ("log_d.csv", 0), ("log_0.csv", 0), ("log_c.csv", 0), ("logs.csv", 0),
                      ("other_x.csv", 0), ("t.json", 0), ("t_x.json", 0)):  # fmt: skip
        (place / name).touch()
        os.utime(place / name, (1000 - age, 1000 - age))
    writes = {"--log": place / "log.csv", "--timeline": place / "t.json", "--html": None}
    listed = run._list_written(writes, 1001.0)
    logs = [f"log{each}.csv" for each in ("", "_0", "_a", "_b", "_c", "_d")]
    assert {Path(name).name: opens for name, opens in listed.items()} == {
        **dict.fromkeys(logs, "log"), "t.json": "ui.perfetto.dev opens it"}
    assert [Path(name).name for name in listed] == [*logs, "t.json"]
    assert run._list_written({"--html": place / "f.html"}, 0.0) == {f"{place}/f.html": "a browser opens it"}
    assert [Path(name).name for name in run._list_written(writes, 1001.5)] == ["log.csv", "t.json"]


def test_a_warm_up_is_that_of_the_point_or_the_usual_one() -> None:
    assert run._warm_up(TOY, {"warm_up": 1.5}) == 1.5
    assert run._warm_up(TOY, {}) == 5.0
    assert run._warm_up(replace(TOY, run=lambda users=1: None), {"users": 2}) is None


def test_help_is_of_the_system_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run._built_in(["toy", "--help"]) == (
        "\n\ntoy is built on these, which no option switches off:\n  sheep\n  ink")
    assert run._examples(["mine.py:TOY"]) == "  spindle run mine.py:TOY --users 3\n  spindle run mine.py:TOY"
    assert main(["run", "toy", "--help"]) == 0
    assert "no option switches off:\n  sheep\n  ink" in (text := capsys.readouterr().out)
    assert "  spindle run toy --users 3\n" in text
    for words in ([], ["--help"], ["-h"]):
        assert run._built_in(words) == ""
        assert run._examples(words) == (
            "  spindle run hp3000\n  spindle run hp3000 --seed 2 --json\n  spindle run hp3000 --precision 0.05\n"
            "  spindle run hp3000 --timeline run.pftrace")
    bare = replace(TOY, examples=(), built_in=())
    assert run._system_named(["toy"]) is TOY
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spindle.cli.run_options.find_system", lambda name: bare)
        assert run._built_in(["toy"]) == ""
        assert run._examples(["toy"]).startswith("  spindle run toy\n  spindle run toy --seed 2 --json\n")


def test_a_run_is_that_of_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "toy", "--users=3", "--minutes=1", "--seed=7", "--json", "--timeline=t.json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["parameters"], found["seed"], found["start"], found["end"], found["files"]) == (
        {"users": 3}, 7, 300.0, 360.0, ["t.json"])  # fmt: skip
    assert Path("t.json").is_file()
    assert main(["run", "toy"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("Toy: users 1, seed 1\n2 minutes measured after 5 of warm-up\n")
    assert "t.json" not in page


def test_parts_that_were_exchanged_are_among_the_parameters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "parts_of", lambda system: ["users"])
    monkeypatch.setattr(run, "idle_notes", lambda system, axes: [f"{system.name}: {axes}"])

    def kept(users: int = 1, seed: int = 1, watch: Any = None) -> Result:
        return replace(toy(users), parameters={"kept": 1, "users": "as the machine says"})

    plain = replace(TOY, run=kept)
    monkeypatch.setattr("spindle.cli.run_options.find_system", lambda name: plain)
    assert main(["run", "toy", "--users=3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["parameters"], found["notes"]) == ({"kept": 1, "users": 3}, ["toy: {'users': [3], 'seed': [1]}"])


def test_a_warm_up_that_is_searched_is_that_of_the_point(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(replications, "warm_up_of", lambda *given: told.append(given) or 3.5)
    assert main(["run", "mine.py:TOY", "--users=3", "--warm-up=auto", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["start"] == 210.0
    point = {"users": 3, "seed": 1, "warm_up": 3.5}
    assert told == [("mine.py:TOY", TOY, point)], "the point itself, which has it since"


def test_an_answer_has_the_paper_s_numbers_its_files_and_its_film(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(one_run, "watch_run", lambda *given: told.append(given) or toy())
    monkeypatch.setattr("spindle.web.moving.filming.Filmed.film", lambda film, title: (film, title))
    monkeypatch.setattr(run, "write_film", lambda *given: told.append(given))
    monkeypatch.setattr(run, "time", iter([7.0, 9.0]).__next__)
    monkeypatch.setattr(run, "_list_written", lambda writes, began: {"began": str(began)})
    monkeypatch.setattr("spindle.cli.paper_numbers.paper_numbers", lambda system, point, result: [system.name, point])
    for name in ("as_json", "page"):
        monkeypatch.setattr(f"spindle.cli.result_page.{name}", lambda *given: told.append(given) or "")
    point = {"users": 3, "seed": 1}
    assert main(["run", "toy", "--users=3", "--html=f.html", "--timeline=t.json", "--json"]) == 0
    (system, keywords, timeline, film), (path, filmed), (_, *shown) = told
    assert (system, keywords, timeline) == (TOY, point, Path("t.json"))
    assert (path, filmed, film is None) == (Path("f.html"), (film, "Toy"), False)
    assert shown == [["toy", point], {"began": "7.0"}]
    assert main(["run", "toy", "--users=3"]) == 0
    (*_, nothing), (system, _, *shown) = told[3:]
    assert (nothing, system, shown) == (None, TOY, [["toy", point], {"began": "9.0"}])


def found() -> Replications:
    frame = pd.DataFrame({"response_mean": [1.0, 2.0, 3.0], "presence": [""] * 3})
    return Replications(frame, [confidence([1.0, 2.0, 3.0])], 0.05)


def test_replications_are_of_the_point_and_shown_with_its_warm_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(replications, "replicate", lambda *given: told.append(given) or found())
    monkeypatch.setattr(run, "idle_notes", lambda system, axes: [f"{system.name}: {axes}"])
    words = ("run", "mine.py:TOY", "--users=3", "--precision=0.05")
    note = "toy: {'users': [3], 'seed': [1]}"
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 replications after 5 minutes of warm-up; mean response within ")
    assert lines[-1] == note
    assert main((*words, "--json")) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [note]
    assert main((*words[:-1], "--precision=0", "--report=false")) == 0, "which the search for it refuses"
    of, point = ("mine.py:TOY", TOY), {"users": 3, "seed": 1}
    assert told == [(*of, point, 0.05), (*of, point, 0.05), (*of, {**point, "report": False}, 0.0)]


@pytest.mark.parametrize(("words", "says"), [
    (("--precision=0.1", "--report=true"), "--precision and --report exclude each other; one makes many"),
    (("--precision=0.1", "--log=x.csv"), "--precision and --log exclude each other; one makes many"),
    (("--precision=0.1", "--seed=2"), "--precision and --seed exclude each other"),
    (("--precision=0.1", "--timeline=x"), "--precision and --timeline exclude each other"),
    (("--precision=0.1", "--html=x.html"), "--precision and --html exclude each other"),
    (("--seed=-1",), "--seed must be a"), (("--users=1,2",), "spindle sweep toy"),
    (("--timeline=x.json", "--html=x.json"), "--html would overwrite x.json, which is --timeline"),
])  # fmt: skip
def test_what_a_run_cannot_be_is_refused(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "toy", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_run_is_repeated_with_its_presence_and_without_its_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: dict[str, Any] = {}

    def until_precise(made: Any, **given: Any) -> Replications:
        told.update(given, rows=made(users=2, seed=4))
        return found()

    monkeypatch.setattr(replications, "until_precise", until_precise)
    known = {"mine.py:TOY": toy}
    monkeypatch.setattr(replications, "run_of", lambda name, system, axes: known[name])
    monkeypatch.setattr(Result, "presence", lambda result: "nobody")
    replications.replicate("mine.py:TOY", TOY, {"users": 2, "seed": 9}, 0.25)
    rows = told.pop("rows")
    assert (rows["response_mean"], rows["presence"], told.pop("told")) == (1.0, "nobody", replications._tell)
    assert told == {"precision": 0.25, "users": [2], "keep_rows": False}
    with pytest.raises(LawBroken, match="hit_ratio"):
        replications._with_presence(lambda users: replace(toy(users), extras={"hit_ratio": 1.5}), users=1)
    replications._tell(found(), 13)
    assert capsys.readouterr() == (
        "", "3 replications: mean response within 1.2e+02 %, and 5 % is asked for; 10 more\n")


@pytest.mark.parametrize(("events", "failed", "left"), [
    (b"events", False, b"events"), (b"", False, b""), (b"events", True, b"events"), (b"", True, b"of old"),
])  # fmt: skip
def test_a_timeline_has_the_events_until_a_run_failed(
    events: bytes, failed: bool, left: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that fails before the first leaves the file as it was."""
    class Written:
        def __init__(self, draft: Path, path: Path) -> None:
            assert (draft.exists(), path) == (True, Path("t.pftrace"))
            self.draft = draft

        def __enter__(self) -> str:
            return "observer"

        def __exit__(self, *_: object) -> None:
            self.draft.write_bytes(events)

    monkeypatch.setattr(one_run, "Timeline", Written)
    Path("t.pftrace").write_bytes(b"of old")
    ends: Any = pytest.raises(KeyboardInterrupt, match="stopped") if failed else nullcontext()
    with ends, one_run._timeline(Path("t.pftrace")) as observer:
        assert str(observer) == "observer"
        if failed:
            raise KeyboardInterrupt("stopped")
    assert [each.name for each in Path().iterdir()] == ["t.pftrace"]
    assert Path("t.pftrace").read_bytes() == left


def test_a_run_is_told_to_its_timeline_and_its_film(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(one_run, "_timeline", lambda path: nullcontext(lambda now, end: told.append((path, now, end))))
    monkeypatch.setattr(one_run, "patience_with_events", lambda: nullcontext(told.append("patient")))
    bar = SimpleNamespace(n=1.0, total=0.0, update=lambda by: told.append(("bar", by)))
    shapes: list[dict[str, str]] = []
    monkeypatch.setattr(one_run, "progress_bar", lambda **shape: shapes.append(shape) or nullcontext(bar))

    def watched(users: int, watch: Any) -> Result:
        watch.progress(3.0, 4.0)
        return toy(users)

    film: Any = lambda now, end: told.append(("film", now, end))  # noqa: E731
    assert one_run.watch_run(replace(TOY, run=watched), {"users": 5}, Path("t"), film).parameters == {"users": 5}
    assert (told, bar.total) == (["patient", ("bar", 2.0), (Path("t"), 3.0, 4.0), ("film", 3.0, 4.0)], 4.0)
    (shape,) = shapes
    drawn = tqdm.format_meter(3.0, 4.0, 6.0, ncols=40, ascii=True, **shape)  # type: ignore[arg-type]
    assert drawn == " 75%|######  | 3 simulated s, 00:02 left"
    broken = replace(toy(1), extras={"hit_ratio": 1.5})
    with pytest.raises(LawBroken, match=r"hit_ratio is 1\.5, and a share of 1 at most"):
        one_run.watch_run(replace(TOY, run=lambda watch: broken), {}, None, None)
