"""Tests the output, files and mistakes of ``spindle measure`` by short measurements; no time is tested."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from spindle.cli.arguments import HELP_FOLDER
from spindle.cli.fields import take_fields
from spindle.cli.main import main
from spindle.cli.measure import MeasureOptions
from spindle.lab.measure.programs import MeasureBench
from spindle.lab.measure.table import cells
from spindle.sim.units import MIB

SMALL = ("--size", "2M", "--seconds", "0.2")
Said = Callable[..., str]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what one small measurement gave, of a disc if temporary files are on one."""
    place = tmp_path_factory.mktemp("laboratory")
    files = ("--out", str(place / "measured.csv"), "--plot", str(place / "measured.png"))
    with TemporaryDirectory() as scratch:
        assert main(["measure", scratch, *SMALL, *files]) == 0
        assert list(Path(scratch).iterdir()) == []
    return place


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command, which must go well; what it said."""

    def run(*arguments: str) -> str:
        capsys.readouterr()
        status = main(arguments)
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return run


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command, which must refuse; what it said on its one line."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        return err.removeprefix("spindle: ")[:-1]

    return run


def test_it_keeps_a_table_and_a_picture_and_nothing_else(measured: Path) -> None:
    assert sorted(path.name for path in measured.iterdir()) == ["measured.csv", "measured.png"]
    assert (measured / "measured.png").read_bytes().startswith(b"\x89PNG")
    head = [line for line in (measured / "measured.csv").read_text().splitlines() if line.startswith("#")]
    assert head[0].startswith("# kernel: Linux ")
    rows = list(csv.DictReader((measured / "measured.csv").read_text().splitlines()[len(head):]))
    assert {row["program"] for row in rows} == {"w01", "w02", "w03", "w04", "w05", "w06", "r01", "r06", "r08"}
    assert len(rows) <= len(list(cells(2 * MIB)))
    by_page = next(row for row in rows if (row["program"], row["block"]) == ("w05", "1"))
    if by_page["system_calls"]:
        assert 0 <= int(by_page["system_calls"]) - int(by_page["calls"]) / 4096 <= 2  # it may have been stopped early


def test_what_was_kept_can_be_fitted_again(measured: Path, said: Said) -> None:
    page = said("measure", "--from", str(measured / "measured.csv"))
    assert page.startswith("Linux ")
    assert max(map(len, page.splitlines()[1:])) <= 88
    assert "Not used for the fit, blocks up to 64 KiB:" in page
    for constant in ("read_call", "write_call", "copy", "new_page", "library_call"):
        assert constant in page
    assert said("measure", "--from", str(measured / "measured.csv")) == page


def test_all_numbers_as_json(measured: Path, said: Said) -> None:
    found: dict[str, Any] = json.loads(said("measure", "--from", str(measured / "measured.csv"), "--json"))
    assert found["near"] <= found["judged"] <= len(found["rows"])
    assert all(row["measured_seconds"] > 0.0 for row in found["rows"])
    assert all(value["seconds"] >= 0.0 for value in found["constants"].values())
    fitted = [row for row in found["rows"] if row["fitted"]]
    assert len(fitted) == len(found["constants"])


def test_it_can_be_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[object] = []

    def interrupted(*arguments: Any) -> None:
        ran.append(arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(MeasureBench, "run", interrupted)
    assert main(["measure", str(tmp_path), "--out", str(tmp_path / "kept.csv")]) == 130
    assert capsys.readouterr().err == "spindle: interrupted\n"
    assert (len(ran), list(tmp_path.iterdir())) == (1, [])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "measure needs a folder to measure in, or --from FILE.csv"),
        (["nowhere"], "measure needs a folder to write a scratch file into, which nowhere is not"),
        ([".", "--size", "1M"], "--size must be whole MiB from 2 to 1024, not 1048576 bytes"),
        ([".", "--size", "10X"], "--size must be"),
        ([".", "--seconds", "0"], "--seconds must be a number from 0.1 to 3600, not 0.0"),
        ([".", "--seconds", "nan"], "--seconds must be a number from 0.1 to 3600, not nan"),
        ([".", "--seconds", "1", "--quick"], "--seconds and --quick exclude each other; choose one"),
        ([".", "--from", "kept.csv"], "--from and DIR exclude each other"),
        (["--from", "kept.csv", "--quick"], "--from and --quick exclude each other"),
        (["--from", "kept.csv", "--size", "2M"], "--from and --size exclude each other"),
        (["--from", "kept.csv", "--out", "new.csv"], "--from and --out exclude each other"),
        (["--from", "nowhere.csv"], "cannot read nowhere.csv: No such file or directory"),
        (["--from", "kept.csv"], "kept.csv:1: there must be one column program"),
        ([".", "--plot", "picture.gif"], "--plot must name a file that ends in .png"),
        ([".", "--size", "2M", "--qick"], "unknown option '--qick': did you mean --quick"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Said, options: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept.csv").write_text("kernel\n")
    assert refused("measure", *options).startswith(says)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.csv"]


def test_its_examples_are_understood() -> None:
    for example in HELP_FOLDER.joinpath("measure.txt").read_text("utf-8").partition("examples:\n")[2].splitlines():
        spindle, measure, *words = example.split()
        assert (spindle, measure) == ("spindle", "measure")
        taken = take_fields("measure", MeasureOptions, words).question
        assert (taken.folder == "") != (taken.from_ == "")


def test_elsewhere_it_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Said) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert refused("measure", str(tmp_path)) == "measure needs Linux; --from reads what was measured there"
