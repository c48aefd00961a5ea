"""What a report says of its runs, by hand: what is computed first, how many equal what was kept, its first picture."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import report
from spindle.cli.judged import FULL, GLANCE, QUICK, USUAL, Judged, verify
from spindle.studies.report.report import Panel


def made(name: str = "toy", *, compared: bool = False, kept: bool = True, first: int = 0, effort: Any = USUAL,
         **book: Any) -> Any:  # fmt: skip
    usual: dict[str, Any] = {"computed": 0, "taken": 0, "equal": 0, "identical": 0, "differing": []}
    return SimpleNamespace(system=SimpleNamespace(name=name), is_compared=compared, is_kept=lambda: kept,
                           first=[None] * first, effort=effort, book=SimpleNamespace(**{**usual, **book}))  # fmt: skip


@pytest.mark.parametrize(("judged", "words"), [
    ([made(compared=True, first=2), made(compared=True, first=3)], "5 kept runs, drawn to be computed again"),
    ([made("a"), made("b", first=9)], "all runs of a, b, not kept in r: hours; --quick takes minutes"),
    ([made("a", compared=True, first=2), made("b", compared=True, kept=False, first=1)],
     "3 kept runs, drawn to be computed again; all runs of b, not kept in r: hours; --quick takes minutes"),
    ([made("a", effort=QUICK)], "all runs of a, not kept in r: minutes"),
    ([made("a", effort=QUICK), made("b")], "all runs of a, b, not kept in r: hours; --quick takes minutes"),
])  # fmt: skip
def test_what_is_computed_first_is_said(judged: list[Any], words: str) -> None:
    assert report._first_words(judged, Path("r")) == words


@pytest.mark.parametrize(("judged", "words"), [
    ([made(computed=7)], "7 of 7 were computed for this page"),
    ([made(compared=True, first=1, computed=2, taken=8, equal=2, identical=2), made(computed=1, taken=2)],
     "3 of 13, drawn from those of each study, were computed for this page, 2 of them equal to what was kept, to the "
     "last digit; 10 are kept, of the same model on the same kind of platform"),
    ([made(computed=3, equal=2, identical=1, differing=["x"]), made(differing=["y", "z"])],
     "3 of 3 were computed for this page, 2 of them equal to what was kept, to eleven digits, 3 of them not equal to "
     "what was kept"),
    ([made(compared=True, first=0, computed=1)], "1 of 1 were computed for this page"),
])  # fmt: skip
def test_runs_are_counted_and_compared(judged: list[Any], words: str) -> None:
    assert report._runs(judged) == words


def test_a_report_s_origin_has_all_that_numbers_depend_on() -> None:
    rows = report._origin_rows([made(), made(), made(effort=FULL)], FULL)
    assert list(rows) == ["command", "Spindle", "Python", "packages", "replications", "windows", "runs"]
    assert rows["command"] == "spindle report --full"
    assert rows["replications"] == (f"{USUAL.replications}, {FULL.replications}, the same for every configuration of a "
                                    "system; more where more are kept")  # fmt: skip
    assert rows["windows"] == "as each study needs, at full length"
    assert {each.split()[0] for each in str(rows["packages"]).split(", ")} == {*report.PACKAGES}
    quick = report._origin_rows([made("a", effort=QUICK), made("b"), made("c", effort=QUICK)], USUAL)
    assert (quick["command"], quick["windows"]) == (
        "spindle report", "short ones of a, c: nothing of these is a verdict")


def test_a_quick_report_shows_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in (True, False):
        monkeypatch.setattr(report, "Judged", lambda system, effort, results, kept=kept: SimpleNamespace(
            effort=effort, is_kept=lambda: kept, place=(system, results)))  # fmt: skip
        quick: Any = report._judge("toy", replace(QUICK, workers=3), Path("r"))  # type: ignore[arg-type]
        assert quick.effort == replace(GLANCE if kept else QUICK, workers=3)
        assert quick.place == ("toy", Path("r"))
        assert report._judge("toy", USUAL, Path("r")).effort is USUAL  # type: ignore[arg-type]


def claim(name: str, simulated: float, published: float, verdict: str = "holds") -> dict[str, Any]:
    return {"id": name, "simulated": simulated, "published": published, "verdict": verdict, "role": "predicted",
            "system": "hp3000", "paper": "p", "study": "s", "measure": name, "part": "paper"}  # fmt: skip


def test_the_first_picture_is_that_of_the_hp3000_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "independent", lambda claims: {"all": (3, 4)} if len(claims) == 2 else {})
    panels = [Panel("<svg/>", "text", "alt", name, "made") for name in ("a/b", report.FIRST_PICTURE, "c/d")]
    sections: Any = [SimpleNamespace(figures=panels[:1]), SimpleNamespace(figures=panels[1:])]
    claims = pd.DataFrame([claim("B33", 2.344, 2.5), claim("B34", 1.255, 1.2)])
    hero = report._hero(sections, claims, [made(computed=1000, taken=500), made(taken=1)])
    assert hero is not None
    assert hero.panel is panels[1]
    assert [number for number, _ in hero.numbers] == ["2.34 to 1.25 s", "3 of 4", "1,501"]
    assert hero.numbers[0][1].endswith("measured in 1983: 2.5 and 1.2 s")
    assert report._hero(sections[:1], claims, []) is None


def test_a_table_of_other_claims_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert report._fresh("toy/ensemble", False, "spindle ensemble toy") is True
    assert capsys.readouterr().err == ""
    assert report._fresh("toy/ensemble", True, "spindle ensemble toy") is False
    assert capsys.readouterr().err.endswith("toy/ensemble was made before claims or parameters were changed, and is "
                                            "not shown: spindle ensemble toy\n")  # fmt: skip


def judge(**attributes: Any) -> Any:
    """A judge that read nothing."""
    found = Judged.__new__(Judged)
    vars(found).update(attributes)
    return found


STUDIES = [SimpleNamespace(name=name, points=lambda quick=False, name=name: [f"{name}{'q' if quick else ''}"],
                           seeds=lambda count, name=name: range(1, count + 1)) for name in "ab"]  # fmt: skip


def test_first_runs_are_of_each_study_or_drawn_from_those_that_are_kept() -> None:
    system: Any = SimpleNamespace(name="toy", studies=STUDIES)
    assert judge(system=system, effort=QUICK, _kept=None).first == [("aq", 1), ("bq", 1)]
    kept: Any = SimpleNamespace(draw=lambda studies, source, draws: [len(studies), draws])
    assert judge(system=system, effort=GLANCE, _kept=kept).first == [2, 1]
    assert judge(system=system, effort=USUAL, _kept=kept).first == [2, None]
    assert judge(system=system, effort=FULL, _kept=kept).first == [(name, seed) for name in "ab"
                                                                  for seed in range(1, 11)]  # fmt: skip
    assert [judge(effort=effort, _kept=each).is_compared for effort, each in (
        (USUAL, kept), (FULL, kept), (QUICK, None))] == [True, False, False]  # fmt: skip


def test_a_run_that_differs_from_what_was_kept_makes_all_anew(capsys: pytest.CaptureFixture[str]) -> None:
    four = ["one", "two", "three", "four"]
    for differing, before, anew in (([], False, False), ([], True, True), (four, False, True)):
        book = SimpleNamespace(differing=differing, anew=before)
        judge(system=SimpleNamespace(name="toy"), book=book).compare()
        assert book.anew is anew
        lines = capsys.readouterr().out.splitlines()
        assert [line.partition(" is not what was kept: everything is computed anew")[0] for line in lines] == [
            f"toy: {each}" for each in differing[:3]]
        assert all(line.endswith("raise MODEL in models/toy/system.py") for line in lines)


def test_a_system_is_kept_if_the_first_seed_of_every_study_is() -> None:
    asked: list[object] = []

    def seeds(points: list[str], count: int) -> bool:
        asked.append((*points, count))
        return points == ["a"]

    found = judge(system=SimpleNamespace(studies=STUDIES), book=SimpleNamespace(kept_seeds=seeds))
    assert found.is_kept() is False
    assert asked == [("a", 1), ("b", 1)]
    found.system.studies = STUDIES[:1]
    assert found.is_kept() is True


def test_all_systems_are_verified_in_one_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr("spindle.cli.judged.make_together", lambda wanted, live, store: done.append(
        (wanted, live, store)))  # fmt: skip
    judged: Any = [SimpleNamespace(book=name, first=[name, 1], compare=lambda name=name: done.append(name))
                   for name in ("a", "b")]  # fmt: skip
    verify(judged, Path("store"))
    assert done == [({"a": ["a", 1], "b": ["b", 1]}, True, Path("store")), "a", "b"]


def test_a_table_says_what_it_was_made_from() -> None:
    windows = [SimpleNamespace(window=SimpleNamespace(quick={"minutes": 1.0}, usual={"minutes": 30.0, "warm_up": 2.5})),
               SimpleNamespace(window=SimpleNamespace(quick={"minutes": 1.0}, usual={}))]  # fmt: skip
    study: Any = SimpleNamespace(name="s", runs=windows)
    found = judge(system=SimpleNamespace(name="toy"), effort=USUAL)
    assert found._provenance(study, 5) == {"system": "toy", "study": "s", "seeds": "1..5",
                                           "window": "minutes 30, warm_up 2.5; "}  # fmt: skip
    found.effort = QUICK
    assert found._provenance(study, 1)["window"] == "minutes 1"
    study.runs = windows[1:]
    found.effort = USUAL
    assert found._provenance(study, 1)["window"] == "none"
