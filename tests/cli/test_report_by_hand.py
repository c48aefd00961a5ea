"""What a report says of its runs, by hand: what is computed first, how many equal what was kept, its first picture."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import judged as module
from spindle.cli import report
from spindle.cli.judged import FULL, GLANCE, QUICK, USUAL, Judged, verify
from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.studies.report.report import Panel
from spindle.version import VERSION


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
    assert str(rows["Spindle"]).startswith(f"{VERSION}, commit ")
    assert rows["replications"] == (f"{USUAL.replications}, {FULL.replications}, the same for every configuration of a "
                                    "system; more where more are kept")  # fmt: skip
    assert rows["windows"] == "as each study needs, at full length"
    assert {each.split()[0] for each in str(rows["packages"]).split(", ")} == {*report.PACKAGES}
    quick = report._origin_rows([made("a", effort=QUICK), made("b"), made("c", effort=QUICK)], USUAL)
    assert (quick["command"], quick["windows"]) == (
        "spindle report", "short ones of a, c: nothing of these is a verdict")


def test_a_quick_report_shows_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    for kept in (True, False):
        monkeypatch.setattr(report, "Judged", lambda system, effort, results, kept=kept: asked.append(system) or (
            SimpleNamespace(effort=effort, is_kept=lambda: kept, place=(system, results))))  # fmt: skip
        quick: Any = report._judge("toy", replace(QUICK, workers=3), Path("r"))  # type: ignore[arg-type]
        assert quick.effort == replace(GLANCE if kept else QUICK, workers=3)
        assert quick.place == ("toy", Path("r"))
        asked.clear()
        assert report._judge("toy", USUAL, Path("r")).effort is USUAL  # type: ignore[arg-type]
        assert asked == ["toy"], "what is kept is read once"


def claim(name: str, simulated: float, published: float, verdict: str = "holds") -> dict[str, Any]:
    return {"id": name, "simulated": simulated, "published": published, "verdict": verdict, "role": "predicted",
            "system": "hp3000", "paper": "p", "study": "s", "measure": name, "part": "paper"}  # fmt: skip


def test_the_first_picture_is_that_of_the_hp3000_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "independent", lambda claims: {"all": (3, 4)} if len(claims) == 2 else {})
    panels = [Panel("<svg/>", "text", "alt", name, "made") for name in ("a/b", "hp3000/response_vs_terminals", "c/d")]
    sections: Any = [SimpleNamespace(figures=panels[:1]), SimpleNamespace(figures=panels[1:])]
    claims = pd.DataFrame([claim("B33", 2.344, 2.5), claim("B34", 1.255, 1.2)])
    hero = report._hero(sections, claims, [made(computed=1000, taken=500), made(taken=1)])
    assert hero is not None
    assert hero.panel is panels[1]
    assert hero.numbers == [
        ("2.34 to 1.25 s", "mean response of 101 terminals without and with disc caching; measured in 1983: 2.5 and "
                           "1.2 s"),
        ("3 of 4", "predictions of the papers' numbers and curves, to which nothing was fitted, hold"),
        ("1,501", "runs lie behind this page; each was checked against the laws of its queues and its memory")]
    assert report._hero(sections[:1], claims, []) is None


def test_a_table_of_other_claims_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert report._fresh("toy/ensemble", False, "spindle ensemble toy") is True
    assert capsys.readouterr().err == ""
    assert report._fresh("toy/ensemble", True, "spindle ensemble toy") is False
    assert capsys.readouterr().err.endswith("toy/ensemble was made before claims or parameters were changed, and is "
                                            "not shown: spindle ensemble toy\n")  # fmt: skip


# Pictures of what is kept: an ensemble, and what hangs on assumptions.


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The last kept tables by the names of their files; pictures and sentences are words on what they are made of."""
    tables: dict[str, Any] = {}

    def last(results: Path, system: Any, read: Any, name: str) -> Any:
        assert (results, system.name, READERS[name]) == (Path("r"), "toy", read)
        return tables.get(name)

    monkeypatch.setattr(report, "last_kept", last)
    monkeypatch.setattr(report, "svg", lambda figure: f"svg of {figure}")
    monkeypatch.setattr(report, "member_trial", lambda system: f"{system.name}'s bench")
    monkeypatch.setattr(report.bands, "remark", lambda bench, frame: f"Of {bench}: {frame}.")
    monkeypatch.setattr(report, "ensemble_strips", lambda bench, frame: f"strips of {bench}, {frame}")
    monkeypatch.setattr(report, "ensemble_pairs", lambda bench, frame: (
        f"pairs of {bench}, {frame}" if "pairs" in tables else None))  # fmt: skip
    monkeypatch.setattr(report, "newer_claims", lambda system, frame: system.newer if frame == "rows" else ())
    for name in ("stability", "remark"):
        monkeypatch.setattr(report, name, lambda frame, name=name: f"{name} of {frame}.")
    for name in ("sensitivity_board", "global_board"):
        monkeypatch.setattr(report, name, lambda frame, name=name: f"{name} of {frame}")
    return tables


READERS = {"ensemble.csv": report.read_members, "sensitivity.csv": report.read_sensitivity,
           "sensitivity_global.csv": report.read_global}  # fmt: skip
FRESH, STALE = (SimpleNamespace(frame="rows", stale=stale) for stale in (False, True))


def toy(**more: Any) -> Any:
    return SimpleNamespace(**{"name": "toy", "ensemble": SimpleNamespace(shows="It shows."), "newer": (), **more})


def test_an_ensemble_has_its_strips_and_its_pairs_where_there_are_some(kept: dict[str, Any]) -> None:
    kept["ensemble.csv"] = FRESH
    strips = Panel("svg of strips of toy's bench, rows", "Of toy's bench: rows. It shows.", "It shows.",
                   "toy/ensemble", "spindle ensemble toy")  # fmt: skip
    assert report._ensemble(toy(), Path("r")) == [strips]
    kept["pairs"] = True
    pairs = Panel("svg of pairs of toy's bench, rows", report.PAIRS_CAPTION, "Which claims the same machine meets.",
                  "toy/ensemble_together", "spindle ensemble toy")  # fmt: skip
    assert report._ensemble(toy(), Path("r")) == [strips, pairs]
    assert report._ensemble(toy(ensemble=None), Path("r")) == []


def test_what_is_not_kept_or_of_other_claims_is_left_out(
    kept: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (report._ensemble(toy(), Path("r")), list(report._assumptions(toy(), Path("r")))) == ([], [])
    assert capsys.readouterr().err == ""
    kept |= dict.fromkeys(READERS, STALE)
    assert (report._ensemble(toy(), Path("r")), list(report._assumptions(toy(), Path("r")))) == ([], [])
    old = "was made before claims or parameters were changed, and is not shown: spindle"
    assert [line.removeprefix("spindle: ") for line in capsys.readouterr().err.splitlines()] == [
        f"toy/ensemble {old} ensemble toy", f"toy/sensitivity {old} sensitivity toy",
        f"toy/sensitivity_global {old} sensitivity toy --global"]


def test_what_hangs_on_assumptions_has_a_picture_alone_and_one_together(kept: dict[str, Any]) -> None:
    kept["sensitivity.csv"] = FRESH
    (alone,) = report._assumptions(toy(), Path("r"))
    assert alone == Panel(
        "svg of sensitivity_board of rows", f"stability of rows.  {report.CAPTION}",
        "Each claim against each assumed parameter, halved and doubled.", "toy/sensitivity", "spindle sensitivity toy")
    (told,) = report._assumptions(toy(newer=["A", "B"]), Path("r"))
    assert told.caption == ("stability of rows. Claims that are newer than this table, and not in it: A, B. "
                            f"{report.CAPTION}")  # fmt: skip
    kept["sensitivity_global.csv"] = FRESH
    assert [*report._assumptions(toy(), Path("r"))] == [alone, Panel(
        "svg of global_board of rows", f"remark of rows. {report.GLOBAL_CAPTION}",
        "Sobol' indices of each assumed parameter.", "toy/sensitivity_global", "spindle sensitivity toy --global")]


def test_each_system_has_its_own_pictures_of_all_that_are_drawn_together(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(report, "draw_all", lambda sketches, workers: drawn.append(workers) or [
        f"drawn {each}" for each in sketches])  # fmt: skip
    monkeypatch.setattr(report, "_ensemble", lambda system, results: [f"ensemble of {system.name} in {results}"])
    monkeypatch.setattr(report, "_assumptions", lambda system, results: iter([f"{system.name} in {results}"]))
    judged: Any = [SimpleNamespace(
        system=SimpleNamespace(name=name, title=f"{name} title", paper="p", question="q?", studies=[*name]),
        effort=SimpleNamespace(workers=len(name)), sketches=lambda studies: [f"sketch {each}" for each in studies],
        show=lambda *told: [*zip(*told, strict=True)]) for name in ("ab", "c")]  # fmt: skip
    first, second = report._sections(judged, Path("r"))
    assert drawn == [2]
    assert first == report.SystemSection(
        "ab", "ab title", "p", "q?", [("a", "sketch a", "drawn sketch a"), ("b", "sketch b", "drawn sketch b"),
                                      "ensemble of ab in r"], ["ab in r"])  # type: ignore[list-item]  # fmt: skip
    assert (second.system, second.figures[0]) == ("c", ("c", "sketch c", "drawn sketch c"))


@pytest.mark.parametrize(("short", "hero", "remark"), [
    ([False, False], "hero", ""), ([True, False], None, report.QUICK_REMARK),
])  # fmt: skip
def test_a_report_is_made_in_order(
    short: list[bool], hero: str | None, remark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """Words are said before anything is computed; all runs are there, and kept, before anything is judged or drawn."""
    monkeypatch.chdir(tmp_path)
    done: list[Any] = []
    judged = {name: SimpleNamespace(
        system=SimpleNamespace(name=name, studies=[name], parameters=f"{name}'s"), effort=SimpleNamespace(quick=quick),
        replicate=lambda studies: done.append(("run", *studies)), save=lambda: done.append("saved"),
        verdicts=lambda name=name: f"verdicts of {name}") for name, quick in zip("ab", short, strict=True)}  # fmt: skip
    monkeypatch.setattr(report, "systems", lambda name: [*judged] if name is None else [])
    monkeypatch.setattr(report, "_judge", lambda name, effort, results: judged[name] if (
        effort.workers, results) == (3, Path("there")) else None)  # fmt: skip
    monkeypatch.setattr(report, "_first_words", lambda all_of, results: f"first {len(all_of)} in {results}")
    monkeypatch.setattr(report, "verify", lambda all_of, store: done.append((len(all_of), "verified", store)))
    monkeypatch.setattr(report, "remove_idle", lambda store: done.append(("removed", store)))
    monkeypatch.setattr(report, "_sections", lambda all_of, results: done.append(("drawn", results)) or (
        f"{len(all_of)} sections"))  # fmt: skip
    monkeypatch.setattr(report, "write_claims", lambda frames, results: f"{frames} in {results}")
    monkeypatch.setattr(report, "describe", lambda parameters: f"described {parameters}")
    monkeypatch.setattr(report, "_hero", lambda sections, frame, all_of: (
        "hero" if (sections, len(all_of)) == ("2 sections", 2) and frame else None))  # fmt: skip
    monkeypatch.setattr(report, "_origin_rows", lambda all_of, effort: (len(all_of), effort.workers))
    monkeypatch.setattr(report, "write_report", lambda *told: done.append(told))
    clock = iter((100.0, 107.4))
    monkeypatch.setattr(report, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(report, "print", lambda text, flush=False: done.append((text, flush)), raising=False)
    assert main(["report", "--results=there", "--workers=3"]) == 0
    *before, written, last = done
    store, page = Path("there", "runs.sweep"), Path("there", "report.html")
    assert before == [("first 2 in there", True), (2, "verified", store), ("a", True), ("run", "a"), "saved",
                      ("b", True), ("run", "b"), "saved", ("removed", store), ("drawn", Path("there"))]  # fmt: skip
    assert written == (page, "2 sections", "['verdicts of a', 'verdicts of b'] in there",
                       {"a": "described a's", "b": "described b's"}, (2, 3), hero, remark)  # fmt: skip
    assert last == (f"{page}: open it in a browser (made in 7 s)", False)
    assert Path("there").is_dir()
    Path("file").touch()
    assert main(["report", "--results=file/r"]) == 2
    assert capsys.readouterr().err.startswith("spindle: --results: cannot make the folder file/r")


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


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is not printed at once is empty."""
    monkeypatch.setattr(module, "print", lambda text, flush=False: print(text * bool(flush)), raising=False)


@pytest.mark.usefixtures("at_once")
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
    monkeypatch.setattr(module, "make_together", lambda wanted, live, store: done.append(
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


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("effort", "notes"), [(USUAL, "a note\nanother\n"), (FULL, "a note\nanother\n"), (QUICK, "")])
def test_a_judge_reads_what_is_there_before_anything_is_run(
    effort: Any, notes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs that are kept here go before those that are shipped; a quick look knows neither."""
    monkeypatch.chdir(tmp_path)
    done: list[Any] = []
    for name in ("read_origins", "check_studies"):
        monkeypatch.setattr(module, name, lambda *told, name=name: done.append((name, *told)))
    monkeypatch.setattr(module, "read_claims", lambda path: [f"claim of {path}"])
    monkeypatch.setattr(module, "KeptRuns", lambda *told: done.append(told) or SimpleNamespace(
        notes=["a note", "another"]))  # fmt: skip
    monkeypatch.setattr(module, "RunBook", lambda kept, *told: (kept is not None, *told))
    monkeypatch.setattr(module, "RESULTS", Path("shipped"))
    system: Any = SimpleNamespace(name="toy", claims=Path("c"), studies=["s"], models="toy 3")
    effort = replace(effort, workers=3, progress=False)
    here, store = Path("r", "toy"), Path("r", "toy", "runs.sweep")
    for runs in (Path("shipped", "toy", "runs"), here / "runs"):
        found = Judged(system, effort, Path("r"))
        assert done[:2] == [("read_origins", here), ("check_studies", ["claim of c"], ["s"])]
        assert done[2:] == ([] if effort.quick else [(runs, "toy 3")])
        assert found.book == (not effort.quick, 3, False, effort.anew, store)
        assert (found.claims, found.folder, here.is_dir()) == (["claim of c"], here, True)
        assert (found.effort, found._counts) == (effort, {})
        assert capsys.readouterr().out == notes
        done.clear()
        (here / "runs").mkdir(exist_ok=True)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"^--results: cannot make the folder file/toy"):
        Judged(system, effort, Path("file"))


@pytest.mark.parametrize(("effort", "kept", "saved"), [
    (USUAL, True, True), (FULL, True, True), (GLANCE, True, False), (QUICK, False, False)])
def test_runs_are_kept_of_all_seeds_that_there_may_be(
    effort: Any, kept: bool, saved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []
    monkeypatch.setattr(module, "remove_idle", done.append)
    runs = SimpleNamespace(save=lambda *told: done.append(told)) if kept else None
    system = SimpleNamespace(studies=STUDIES)
    judge(system=system, effort=effort, folder=tmp_path, _kept=runs, _store="store").save()
    wanted = {name: [(name, seed) for seed in range(1, 21)] for name in "ab"}
    assert done == [*([(tmp_path / "runs", wanted)] if saved else []), "store"]
    assert (tmp_path / "runs").is_dir() is saved
    if saved:
        (tmp_path / "runs").rmdir()
        (tmp_path / "runs").touch()
        with pytest.raises(UserError, match=r"^--results: cannot make the folder .*/runs"):
            judge(system=system, effort=effort, folder=tmp_path, _kept=runs, _store="store").save()


def test_claims_are_run_and_scored_with_their_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(module, "replicate", lambda *given: told.append(given) or {given[0][0].name: len(told)})
    monkeypatch.setattr(module, "score", lambda *given: given)
    claims = [SimpleNamespace(study=name) for name in "abcb"]
    system = SimpleNamespace(studies=STUDIES)
    found = judge(system=system, effort=QUICK, claims=claims, book="book", _counts={"c": 9})
    for study in STUDIES:
        found.replicate([study])
    of_study = {"a": claims[:1], "b": [claims[1], claims[3]]}
    assert told == [([study], of_study[study.name], "book", QUICK.replications, True) for study in STUDIES]
    assert found.verdicts() == (claims, STUDIES, "book", {"a": 1, "b": 2, "c": 9}, True)


@pytest.mark.usefixtures("at_once")
def test_a_study_is_drawn_from_its_runs_and_kept_beside_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figure: Any = SimpleNamespace(table=lambda frame: f"table of {frame}", caption=lambda table: f"{table}, 5%")
    studies: list[Any] = [SimpleNamespace(**vars(each), figure=figure, shows=f"{each.name} shows.") for each in STUDIES]
    bare: Any = SimpleNamespace(name="bare", figure=None)
    system, book = SimpleNamespace(name="toy"), SimpleNamespace(frame=lambda points, seeds: f"{points} {list(seeds)}")
    found = judge(system=system, effort=QUICK, book=book, _counts={"a": 1, "b": 2}, folder=tmp_path)
    sketches = found.sketches([studies[0], bare, studies[1]])
    assert [each.table for each in sketches] == ["table of ['aq'] [1]", "table of ['bq'] [1, 2]"]
    kept: list[Any] = []
    monkeypatch.setattr(module, "keep_table", lambda *given: kept.append(given))
    monkeypatch.setattr(module, "link_of", lambda system, study: f"{system.name} {study.name}")
    monkeypatch.setattr(Judged, "_provenance", lambda judged, study, count: {"study": study.name, "count": count})
    pictures: list[Any] = [SimpleNamespace(png=name.encode(), svg=f"svg {name}") for name in "ab"]
    panels = found.show([studies[0], bare, studies[1]], sketches, pictures)
    assert panels[0] == Panel("svg a", "table of ['aq'] [1], 5 % a shows.", "a shows.", "toy/a",
                              "spindle experiment toy a", "toy a")  # fmt: skip
    assert [panel.name for panel in panels] == ["toy/a", "toy/b"]
    assert kept == [(sketch.table, tmp_path / f"{name}.csv", {"study": name, "count": count})
                    for sketch, name, count in zip(sketches, "ab", (1, 2), strict=True)]  # fmt: skip
    assert [(tmp_path / f"{name}.png").read_bytes() for name in "ab"] == [b"a", b"b"]
    assert capsys.readouterr().out == "".join(f"toy {name}: {tmp_path / name}.csv and .png\n" for name in "ab")
    with pytest.raises(ValueError, match="zip"):
        found.show(studies, sketches[:1], pictures)
