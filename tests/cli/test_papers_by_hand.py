"""Commands on papers by hand: which studies are run and shown, where verdicts are kept, and options of other commands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import claims, experiment, papers
from spindle.cli.effort import EffortOptions
from spindle.cli.main import main
from spindle.cli.paper_questions import ClaimsQuestion
from spindle.cli.workers import WorkerOptions
from spindle.sim.error import UserError


@dataclass
class MadeJudge:
    """A judge that writes down what it is told, in *told*."""

    system: Any
    effort: Any
    results: Path
    told: list[Any]

    claims = (SimpleNamespace(study="b"),)

    def replicate(self, studies: Sequence[Any]) -> None:
        self.told.append((self.system.name, [each.name for each in studies]))

    def save(self) -> None:
        self.told.append("saved")

    def sketches(self, studies: Sequence[Any]) -> list[str]:
        return [f"sketch of {each.name}" for each in studies]

    def show(self, studies: Sequence[Any], sketches: list[str], pictures: list[str]) -> list[Any]:
        self.told.append((sketches, pictures))
        return [SimpleNamespace(name=f"toy/{each.name}", caption=f"what {each.name} shows") for each in studies]

    def verdicts(self) -> pd.DataFrame:
        return pd.DataFrame({"system": [self.system.name], "id": ["A"]})


def toy(name: str = "toy", has_claims: object = Path("c")) -> Any:
    studies = [SimpleNamespace(name=each, figure=None if each == "bare" else each) for each in ("a", "b", "bare")]
    return SimpleNamespace(name=name, studies=studies, claims=has_claims, models=f"{name} 3")


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What judges are told; there are two systems."""
    monkeypatch.chdir(tmp_path)
    found: list[Any] = []
    for module in (experiment, claims):
        monkeypatch.setattr(module, "Judged", lambda *given: found.append(given[1:]) or MadeJudge(*given, told=found))
    monkeypatch.setattr(experiment, "find_system", toy)
    monkeypatch.setattr(experiment, "draw_all", lambda sketches, workers: [f"{each} by {workers}" for each in sketches])
    monkeypatch.setattr(claims, "systems", lambda name: [toy("one"), toy("two")] if name is None else [toy(name)])
    monkeypatch.setattr(claims, "rows_of", lambda frame: f"{len(frame)} rows")
    monkeypatch.setattr(claims, "paint", lambda text: f"In colours: {text}")
    monkeypatch.setattr(claims, "scoreboard", lambda frame, names: f"scoreboard of {len(frame)}, {names}")
    return found


@pytest.mark.parametrize(("names", "shown"), [([], ["a", "b"]), (["b"], ["b"]), (["b", "a"], ["b", "a"])])
def test_studies_are_run_and_shown_in_the_order_of_their_names(
    names: list[str], shown: list[str], told: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "toy", *names, "--workers=3", "--quick", "--results=there"]) == 0
    assert capsys.readouterr().out == "".join(f"\ntoy/{each}: what {each} shows\n" for each in shown)
    (effort, place), *rest = told
    sketches = [f"sketch of {each}" for each in shown]
    assert (effort.quick, effort.workers, place) == (True, 3, Path("there"))
    assert rest == [("toy", shown), "saved", (sketches, [f"{each} by 3" for each in sketches])]


@pytest.mark.parametrize(("words", "says"), [
    (["bare"], "unknown study 'bare'"), (["a", "c"], "unknown study 'c'"), (["a", "--nosuch"], "unknown option"),
])  # fmt: skip
def test_a_study_without_a_picture_is_none(
    words: list[str], says: str, told: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "toy", *words]) == 2
    assert says in capsys.readouterr().err
    assert told == []


def test_a_system_without_pictures_has_no_studies(
    told: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(experiment, "find_system", lambda name: SimpleNamespace(studies=toy(name).studies[2:]))
    assert main(["experiment", "bare"]) == 2
    assert (told, capsys.readouterr().err) == ([], "spindle: bare has no studies; spindle run and sweep take it\n")


@pytest.mark.parametrize("word", ["--terminals=3", "--set", "--warm-up"])
def test_settings_of_a_run_are_none_of_a_study(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([word, "hp3000"], ["hp3000", "a", word]):
        assert main(["experiment", *words]) == 2
        option = word.partition("=")[0]
        assert capsys.readouterr().err == (
            f"spindle: {option} is an option of run, sweep and find; a study has its own runs\n")
    assert main(["claims", "hp3000", word]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: unknown option '{option}': ")
    papers._check_options([word])
    papers._check_options(["nosuch", word])
    papers._check_options(["hp3000", "--quick", "terminals"])
    papers._check_options(["hp3000"])


def test_claims_of_a_system_are_judged_by_their_studies(told: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "one", "--full", "--workers=2", "--export=e.csv"]) == 0
    assert capsys.readouterr().out == "one claims\nIn colours: 1 rows\n\nscoreboard of 1, ['one']\n"
    (effort, place), *rest = told
    assert (effort.anew, effort.workers, place) == (True, 2, Path("results"))
    assert rest == [("one", ["b"]), "saved"]
    assert not Path("results", "claims.csv").exists()
    assert not Path("results", "one", "claims.csv").exists()
    table = pd.read_csv("e.csv")
    assert (table["command"].tolist(), table["models"].tolist()) == (["spindle claims one"], ["one 3"])


def test_a_system_without_a_paper_has_no_claims(
    told: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claims, "systems", lambda name: [toy("bare", None), toy("two")] if name is None else [
        toy(name, None)])  # fmt: skip
    assert main(["claims", "bare"]) == 2
    assert (told, capsys.readouterr().err) == ([], "spindle: bare has no paper, and so no claims\n")
    assert main(["claims", "two", "--export=e.gif"]) == 2
    assert (told, capsys.readouterr().err.count("e.gif")) == ([], 1), "nothing is run for what cannot be written"
    assert main(["claims"]) == 0
    assert capsys.readouterr().out.endswith("scoreboard of 2, ['bare', 'two']\n")


def test_claims_of_all_systems_are_kept_together(
    told: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claims, "print", lambda text, flush=False: print(text, "at once" * flush), raising=False)
    assert main(["claims", "--workers=1", "--export=e.csv"]) == 0
    assert capsys.readouterr().out == (
        "one claims at once\ntwo claims at once\nIn colours: 2 rows\n\nscoreboard of 2, ['one', 'two'] \n")
    for path in (Path("results", "claims.csv"), Path("e.csv")):
        assert pd.read_csv(path)["system"].tolist() == ["one", "two"]
    assert told[2:] == [("one", ["b"]), "saved", ("two", ["b"]), "saved"], "all are read before any is run"


@pytest.mark.parametrize(("system", "results", "kept"), [
    (None, "", "results/claims.csv"), (None, "r", "r/claims.csv"), ("toy", "", None), ("toy", "r", "r/toy/claims.csv"),
])  # fmt: skip
def test_verdicts_are_kept_where_a_folder_is_named(
    system: str | None, results: str, kept: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frames = [pd.DataFrame({"id": [each]}) for each in "AB"]
    asked = ClaimsQuestion(system, EffortOptions(results=results), WorkerOptions())
    assert claims._kept_claims(frames, asked)["id"].to_dict() == {0: "A", 1: "B"}
    assert [path.as_posix() for path in Path().rglob("claims.csv")] == ([] if kept is None else [kept])
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"^--results: cannot make the folder "):
        claims._kept_claims(frames, ClaimsQuestion(None, EffortOptions(results="file/r"), WorkerOptions()))


@pytest.mark.parametrize(("name", "module", "function"), [
    (name, f"spindle.cli.{name}", function) for name, (_, function) in papers.QUESTIONS_AND_FUNCTIONS.items()])
def test_each_command_is_answered_by_its_module(
    name: str, module: str, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(papers, "import_module", lambda path: SimpleNamespace(
        **{function: lambda question: asked.append((path, question)) or 5}))  # fmt: skip
    words = [] if name == "report" else ["hp3000"]
    assert main([name, *words, "--quick"]) == 5
    ((path, question),) = asked
    assert (path, type(question), question.effort.quick) == (module, papers.QUESTIONS_AND_FUNCTIONS[name][0], True)


def test_a_quick_look_has_a_folder_of_its_own() -> None:
    places = [each.place.as_posix() for each in (EffortOptions(), EffortOptions(full=True), EffortOptions(quick=True),
                                                 EffortOptions(quick=True, results="r"))]  # fmt: skip
    assert places == ["results", "results", "results/quick", "r"]
