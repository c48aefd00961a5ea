"""Tests ``spindle report``: equal numbers give equal bytes, and the page names what was computed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from spindle.cli import claims, experiment, report, sensitivity
from spindle.cli.judged import FULL, QUICK, USUAL, Judged
from spindle.cli.main import main
from spindle.sim.parameter import assumed
from spindle.studies import kept_runs as kept
from spindle.studies.plots.curves import curve
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow
from spindle.system import System

CLAIMS = """[[claim]]
id = "A1"
paper = "p"
says = "it is the length"
role = "predicted"
unit = "1"
published = 10.0
study = "line"
measure = "m"
"""


@dataclass(frozen=True)
class Parameters:
    mips: float = assumed(1.0, "nobody knows")
    size: float = assumed(1.0, "nobody knows")


def straight(x: int, length: int, seed: int, mips: float = 1.0, size: float = 1.0) -> Mapping[str, float]:
    return {"y": x * mips + seed, "m": float(length) * mips}


def measured(rows: SeedRows) -> Mapping[str, float]:
    return {"m": rows.one(x=1)["m"]}


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["seed"] == 1]


LINE = Study("line", [Runs(straight, StudyWindow({"length": 10}, {"length": 1}), x=[1, 2])],
             Figure(shown, partial(curve, x="x", y="y")), measured)  # fmt: skip


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """One system, which takes no time; an empty folder to work in."""
    claims = tmp_path / "tiny" / "claims.toml"
    claims.parent.mkdir()
    claims.write_text(CLAIMS)
    system = System("tiny", "Tiny", straight, Parameters(), "A paper", "How small?", [LINE], claims, {}, dict)
    put(monkeypatch, system)
    monkeypatch.chdir(tmp_path)
    return system


def put(monkeypatch: pytest.MonkeyPatch, system: System) -> None:
    monkeypatch.setattr(report, "systems", lambda name: [system])
    monkeypatch.setattr(claims, "systems", lambda name: [system])
    monkeypatch.setattr(experiment, "find_system", lambda name: system)
    monkeypatch.setattr(sensitivity, "find_system", lambda name: system)


def page(*options: str) -> str:
    assert main(["report", "--workers=1", *options]) == 0
    return read_pages(Path("results") / ("quick" if "--quick" in options else "")).decode("utf-8")


def read_pages(folder: Path) -> bytes:
    """The first page, and that of each system."""
    return b"".join(path.read_bytes() for path in (folder / "report.html", *sorted(folder.glob("report_*.html"))))


@pytest.mark.usefixtures("tiny")
def test_a_drawn_run_of_each_study_is_computed_and_the_others_are_kept() -> None:
    assert "10 of 10 were computed for this page</code></dd>" in page()
    words = ("1 of 10, drawn from those of each study, were computed for this page, 1 of them equal to what was kept, "
             "to the last digit; 9 are kept")
    assert words in page()
    assert "20 of 20 were computed for this page, 10 of them equal" in page("--full")
    assert "; 19 are kept" in page()  # the usual report shows all seeds that there are


@pytest.mark.usefixtures("tiny")
def test_a_report_says_at_first_how_long_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    page("--quick")
    assert capsys.readouterr().out.startswith("all runs of tiny, not kept in results/quick: minutes\n")
    page()
    assert capsys.readouterr().out.startswith("all runs of tiny, not kept in results: hours; --quick takes minutes\n")
    page()
    assert capsys.readouterr().out.startswith("1 kept runs, drawn to be computed again\n")


@pytest.mark.usefixtures("tiny")
def test_a_quick_report_has_short_windows_where_nothing_is_kept_and_judges_nothing() -> None:
    assert "None of 1 independent predictions is decided" in page("--quick")
    assert "short ones of tiny: nothing of these is a verdict" in page("--quick")
    assert not (Path("results") / "quick" / "tiny" / "runs").exists()
    assert "1 of 1 independent predictions hold" in page()


@pytest.mark.usefixtures("tiny")
def test_a_quick_report_shows_kept_runs_where_there_are_some() -> None:
    page()
    quick = page("--quick")
    assert "1 of 1 independent predictions hold" in quick
    assert "1 of 10, drawn from those of each study, were computed for this page, 1 of them equal" in quick
    assert not (Path("results") / "quick" / "tiny" / "runs").exists()


def test_what_is_not_as_kept_is_told_and_computed_anew(
    tiny: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page()
    path = Path("results") / "tiny" / "runs" / "line.jsonl.xz"
    before, book = path.read_bytes(), kept.KeptRuns(path.parent, tiny.models)
    point = LINE.points()[0]
    for seed in range(1, 6):
        book.add(point, seed, '{"y":70.0,"m":10.0}')
        book.add(LINE.points()[1], seed, '{"y":70.0,"m":10.0}')
    book.save(path.parent, {LINE.name: [(each, seed) for each in LINE.points() for seed in range(1, 6)]})
    capsys.readouterr()
    assert "10 of 10, drawn from those of each study, were computed for this page, 10 of them not equal" in page()
    assert "is not what was kept: everything is computed anew" in capsys.readouterr().out
    assert path.read_bytes() == before


@pytest.mark.usefixtures("tiny")
def test_another_model_is_told_and_computed_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page()
    monkeypatch.setattr("spindle.system.MODEL", 1000)
    capsys.readouterr()
    assert "10 of 10 were computed for this page</code></dd>" in page()
    said = "10 runs are of tiny 0, sim 1, and this is tiny 0, sim 1000: they are computed anew"
    assert said in capsys.readouterr().out


def test_what_hangs_on_assumptions_is_shown_unless_it_is_stale(
    tiny: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the command left it: the report does not make it anew."""
    assert "Sensitivity to assumptions" not in page()
    assert main(["sensitivity", "tiny", "--workers=1"]) == 0
    assert "Sensitivity to assumptions" in page()
    assert "drawn together" not in page()
    together = "--global", "--studies=line", "--parameters=mips,size", "--points=2"
    assert main(["sensitivity", "tiny", "--workers=1", *together]) == 0
    assert "mips, size drawn together for line: of 1 numbers 1 move" in page()
    tiny.claims.write_text(CLAIMS.replace("10.0", "20.0"))
    capsys.readouterr()
    assert "Sensitivity to assumptions" not in page()
    assert capsys.readouterr().err.count("was made before claims or parameters were changed, and is not shown") == 2
    put(monkeypatch, replace(tiny, parameters=Parameters(mips=2.0)))
    assert "Sensitivity to assumptions" not in page()


@pytest.mark.usefixtures("tiny")
def test_a_kept_table_that_was_shortened_is_told_of_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "tiny", "--workers=1"]) == 0
    path = Path("results") / "tiny" / "sensitivity.csv"
    path.write_bytes(path.read_bytes()[:-30])
    capsys.readouterr()
    assert "Sensitivity to assumptions" not in page()
    err = capsys.readouterr().err
    assert err.startswith(f"spindle: {path} is not as it was written")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("tiny")
def test_origins_that_cannot_be_read_are_told_before_anything_is_computed(capsys: pytest.CaptureFixture[str]) -> None:
    page()
    (Path("results") / "tiny" / "origins.json").write_text("{")
    capsys.readouterr()
    assert main(["experiment", "tiny", "--workers=1"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "spindle: results/tiny/origins.json does not say where tables come from: remove it, and "
                              "make them anew\n")  # fmt: skip


@pytest.mark.usefixtures("tiny")
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = again("a"), again("b")
    assert first == second
    for words in (b"<code>spindle report --quick</code>", b"How small?", b"nobody knows", b"it is the length"):
        assert words in first
    assert str(tmp_path).encode() not in first


def again(place: str) -> bytes:
    assert main(["report", "--quick", "--workers=1", "--results", place]) == 0
    return read_pages(Path(place))


@pytest.mark.usefixtures("tiny")
def test_figure_and_claim_come_from_the_same_rows() -> None:
    """Whichever command is asked, and in whatever order."""
    page("--full")
    figure, claims = (Path("results") / name for name in ("tiny/line.csv", "claims.csv"))
    expected = figure.read_bytes(), claims.read_bytes()
    assert main(["experiment", "tiny", "--workers=1"]) == 0
    page()
    assert (figure.read_bytes(), claims.read_bytes()) == expected


def test_what_was_done_is_said(tiny: System) -> None:
    said = [report._origin_rows([Judged(tiny, effort, Path("results"))], effort) for effort in (QUICK, USUAL, FULL)]
    assert [each["command"] for each in said] == [
        "spindle report --quick", "spindle report", "spindle report --full",
    ]  # fmt: skip
    assert [str(each["replications"]).partition(", the same")[0] for each in said] == [
        "seed 1", "seeds 1 to 5", "seeds 1 to 10, and on to 20 while a claim is undecided",
    ]  # fmt: skip
