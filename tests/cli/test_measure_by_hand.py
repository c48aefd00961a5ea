"""``spindle measure`` by hand, of programs and of a drive: what is measured, kept, fitted, drawn and printed."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import measure, measure_drive
from spindle.cli.main import main
from spindle.cli.measure import MeasureQuestion
from spindle.cli.measure_drive import MeasureDriveOptions
from spindle.output.progress import BAR_SHAPE
from spindle.sim.error import UserError
from spindle.sim.units import Bytes

HEAD = {"kernel": "Linux 6", "file system": "ext4", "day": "Monday"}


def put(monkeypatch: pytest.MonkeyPatch, **modules: dict[str, Any]) -> None:
    """Put modules of the laboratory in place of those that take SciPy."""
    for name, functions in modules.items():
        module: Any = SimpleNamespace(**functions)
        monkeypatch.setitem(sys.modules, f"spindle.{name.replace('__', '.')}", module)


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is compared, written and drawn; rows and predictions are words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept.csv").write_text("kept")
    found: list[Any] = []
    put(monkeypatch,
        lab__measure__fit={"compare": lambda rows, head, bar: found.append(("compare", rows, head, bar)) or
                           SimpleNamespace(fit="fit")},
        lab__measure__machine_file={"machine_text": lambda fit, head: f"machine of {fit} on {head['kernel']}"},
        lab__measure__page={"page": lambda compared, head, left: [f"{compared.fit} of {head['day']}", *left],
                            "picture": lambda compared, title: f"picture of {compared.fit}: {title}",
                            "numbers": lambda compared, head, left: {
                                "took_ms": 5.0, "left": left, "of": [compared.fit, head["day"]]}},
        lab__measure__table={"write": lambda *given: found.append(("write", *given)),
                             "read": lambda path: (f"rows of {path}", HEAD)},
        lab__measure__laboratory={"Laboratory": lambda *given: found.append(("measure", *given)) or SimpleNamespace(
            work=lambda: SimpleNamespace(rows="rows", left_out=["left out"])),
                              "environment": {Path(each): HEAD for each in ("place", "x")}.__getitem__},
        studies__plots__files={"save": lambda *given: found.append(("save", *given))})  # fmt: skip
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(measure, "_bar", lambda what: f"bar of {what}")
    return found


def test_what_was_measured_is_kept_fitted_and_drawn(told: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    Path("place").mkdir()
    words = ["measure", "place", "--size=2M", "--seconds=7", "--out=o.csv", "--machine=m.py", "--plot=p.png"]
    assert main(words) == 0
    assert capsys.readouterr() == ("fit of Monday\nleft out\n", "")
    assert told == [("measure", Path("place"), 2 << 20, 7.0, "bar of measuring"),
                    ("write", "rows", Path("o.csv"), HEAD), ("compare", "rows", HEAD, "bar of predicting"),
                    ("save", "picture of fit: Linux 6, ext4", Path("p.png"))]  # fmt: skip
    assert Path("m.py").read_text() == "machine of fit on Linux 6"
    assert main(["measure", "place", "--out=."]) == 2
    assert capsys.readouterr().err == "spindle: --out must name a file, not '.'\n"


def test_what_was_kept_is_read_and_printed_in_base_units(told: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--from=kept.csv", "--json"]) == 0
    numbers = {"took": pytest.approx(0.005), "left": [], "of": ["fit", "Monday"]}
    assert json.loads(capsys.readouterr().out) == numbers
    assert told == [("compare", "rows of kept.csv", HEAD, "bar of predicting")]
    told.clear()
    assert measure.measured_data(MeasureQuestion(from_="kept.csv")) == numbers
    assert told == [("compare", "rows of kept.csv", HEAD, "bar of predicting")]
    assert main(["measure", "--from=kept.csv", "--machine=m.py.txt"]) == 2
    assert capsys.readouterr().err == "spindle: --machine must name a file that ends in .py, not 'm.py.txt'\n"
    assert main(["measure", "--from=kept.csv", "--plot=p.gif"]) == 2
    Path("kept.py").touch()
    assert main(["measure", "--from=kept.py", "--machine=kept.py"]) == 2
    assert "--machine would overwrite kept.py, which is to be read" in capsys.readouterr().err


@pytest.mark.parametrize(("question", "seconds", "size"), [
    (MeasureQuestion("x"), 60.0, 10 << 20), (MeasureQuestion("x", quick=True), 3.0, 10 << 20),
    (MeasureQuestion("x", seconds=9.0, size=Bytes(2 << 20)), 9.0, 2 << 20),
])  # fmt: skip
def test_a_measurement_takes_so_long(question: MeasureQuestion, seconds: float, size: int, told: list[Any]) -> None:
    assert measure.measured_rows(question) == ("rows", HEAD, ["left out"])
    assert told == [("measure", Path("x"), size, seconds, "bar of measuring")]


def test_what_cannot_be_measured_is_refused_before_it_is(told: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"^measure needs a folder to measure in, or from_ FILE\.csv$"):
        measure.measured_rows(MeasureQuestion())
    assert measure.measured_data(MeasureQuestion("x"))["left"] == ["left out"]
    told.clear()
    for option in ("--plot=p.gif", "--machine=m", "--out=."):
        assert main(["measure", "x", option]) == 2
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(UserError, match=r"^measure needs Linux; from_ reads what was measured there$"):
        measure.measured_rows(MeasureQuestion("x"))
    assert told == []
    assert measure.measured_rows(MeasureQuestion(from_="kept.csv")) == ("rows of kept.csv", HEAD, [])


def test_a_picture_is_titled_by_what_is_known_of_the_machine(
    told: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, lab__measure__table={
        "write": None, "read": lambda path: ("rows", {"day": "Monday", "kernel": "Linux 6"})})  # fmt: skip
    assert main(["measure", "--from=kept.csv", "--plot=p.png"]) == 0
    assert told[-1] == ("save", "picture of fit: Linux 6", Path("p.png"))


# Drives.


@pytest.fixture
def drives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What fio is asked; its answers and their fit are made up."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept.json").write_text("kept")
    found: list[Any] = []
    job = SimpleNamespace(answer=SimpleNamespace(job=SimpleNamespace(name="reads"), seconds=2e-5), predicted=3e-5,
                          error=-0.5, kind="fitted")  # fmt: skip
    number = SimpleNamespace(name="ways", value="2", source="fitted", bears=True)

    def judge(drive: Any) -> Any:
        return SimpleNamespace(sheet=SimpleNamespace(name=drive.text(), capacity=512), jobs=[job], numbers=[number])

    put(monkeypatch,
        lab__flash__fio_answer={"read_kept": lambda path: SimpleNamespace(text=lambda: f"kept in {path}")},
        lab__flash__fio_job={"GRID": ("g",), "IN_SEQUENCE": ("s",), "WRITE_JOBS": ("w",)},
        lab__flash__run_fio={"check_fio": lambda: found.append("fio is there"), "measure": lambda *given: found.append(
            (*given[:3], given[3].keywords)) or SimpleNamespace(text=lambda: "answers")},
        lab__flash__target={"target": lambda path, write: f"{path} {write}"},
        lab__flash__page={"judge": judge, "page": lambda flash: ["a page of", flash.sheet.name],
                          "sheet_text": lambda flash, lines: f"# {lines[0]}\nname: {flash.sheet.name}\n"})  # fmt: skip
    monkeypatch.setattr("sys.platform", "linux")
    return found


def test_a_drive_is_asked_and_its_answers_are_kept(drives: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--drive", "sdz", "--kept=k.json"]) == 0
    assert capsys.readouterr().out == "# a page of\nname: answers\n"
    assert Path("k.json").read_text() == "answers"
    assert main(["measure", "--drive=sdz", "--seconds=0.5", "--write-too", "--destroy=sdz", "--out=o.yaml"]) == 0
    assert capsys.readouterr().out == "a page of\nanswers\n"
    assert Path("o.yaml").read_text() == "# a page of\nname: answers\n"
    bar = {"desc": "fio", "bar_format": BAR_SHAPE}
    assert drives == ["fio is there", ("sdz False", ["g", "s"], 5.0, bar),
                      "fio is there", ("sdz True", ["g", "s", "w"], 0.5, bar)]  # fmt: skip
    assert measure._bar("it").keywords == {**bar, "desc": "it"}  # type: ignore[attr-defined]


def test_answers_that_were_kept_are_fitted_again(drives: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--drive", "--from=kept.json", "--out=o.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "drive": "kept in kept.json", "capacity": 512, "jobs": [{
            "job": "reads", "measured": pytest.approx(2e-5), "predicted": pytest.approx(3e-5), "error": -0.5,
            "kind": "fitted"}],
        "numbers": {"ways": {"value": "2", "source": "fitted", "bears": True}}}  # fmt: skip
    assert drives == []
    assert main(["measure", "--drive", "--from=kept.json", "--out=kept.json"]) == 2
    assert "--out would overwrite kept.json, which is to be read" in capsys.readouterr().err


@pytest.mark.parametrize(("asked", "says"), [
    (MeasureDriveOptions(), "measure --drive needs the PATH of a drive, or --from FILE.json"),
    (MeasureDriveOptions("sdz", write_too=True), "--write-too destroys all that is on sdz; confirm it: --destroy sdz"),
    (MeasureDriveOptions("sdz", write_too=True, destroy="sda"), "--write-too destroys all that is on sdz; confirm it"),
])  # fmt: skip
def test_nothing_is_written_that_was_not_confirmed(
    asked: MeasureDriveOptions, says: str, drives: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match=f"^{says}"):
        measure_drive._measure(asked.drive, asked)
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(UserError, match=r"^measure --drive needs Linux; --from reads what was measured there$"):
        measure_drive._measure("sdz", MeasureDriveOptions("sdz"))
    assert drives == []


@pytest.mark.parametrize(("words", "says"), [
    ("--drive=sdz --destroy=sdz", "--destroy is for confirming --write-too, without which nothing is written"),
    ("--drive --from=kept.json --kept=k", "--from and --kept exclude each other"),
    ("--drive=sdz --json", "--json is for a drive file; --out names it"),
    ("--drive=sdz --seconds=0", "--seconds must be a number from 0.1 to 600"),
    ("--drive=sdz --out=.", "--out must name a file, not '.'"),
    ("--drive=kept.json --out=kept.json", "--out would overwrite kept.json, which is to be read"),
])  # fmt: skip
def test_options_on_a_drive_that_cannot_be_are_refused(
    words: str, says: str, drives: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", *words.split()]) == 2
    assert says in capsys.readouterr().err
    assert drives == []
