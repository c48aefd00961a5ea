"""``spindle sensitivity`` by hand: how many runs it announces, which are made and kept, and what is drawn together."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import sensitivity as command
from spindle.cli.judged import FULL, QUICK, USUAL, Effort
from spindle.cli.main import main
from spindle.cli.paper_questions import SensitivityQuestion
from spindle.sim.error import UserError
from spindle.studies.claims.global_sensitivity import JointDesign
from spindle.studies.claims.sensitivity import Variant


def study(name: str, points: int, quick: int = 1) -> Any:
    """A study of so many points, fewer in a quick look, and of as many seeds as are asked for."""
    return SimpleNamespace(name=name, points=lambda short=False: range(quick if short else points),
                           seeds=lambda count: range(count))  # fmt: skip


STUDIES = [study("a", 3, 2), study("b", 5), study("unclaimed", 100)]
SYSTEM: Any = SimpleNamespace(name="toy", studies=STUDIES, parameters="parameters")
CLAIMS = [SimpleNamespace(study=name) for name in "aba"]
TRIED = [Variant("load", 0.5, 0.4, 0.2), Variant("load", 2.0, 0.4, 0.8), Variant("discs", 2.0, 1, 2)]
SAME = [Variant("discs", 0.5, 1, 1), Variant("share", 2.0, 1.0, 1.0)]


@dataclass
class MadeJudge:
    """A judge of an *effort*, which writes down that it has *saved*."""

    system: Any
    effort: Effort
    folder: Path
    told: list[Any]

    book = "book"
    claims = (*CLAIMS, SimpleNamespace(study="b"))  # the last of which gets no verdict

    def save(self) -> None:
        self.told.append("saved")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is computed, written, drawn and saved, in order."""
    found: list[Any] = []
    for name, value in {"variants": TRIED, "same_variants": SAME}.items():
        monkeypatch.setattr(command, name, lambda parameters, value=value: value if parameters == "parameters" else [])
    monkeypatch.setattr(command, "scored_claims", lambda system: CLAIMS if system is SYSTEM else [])
    monkeypatch.setattr(command, "find_system", {"toy": SYSTEM}.__getitem__)
    monkeypatch.setattr(command, "Judged", lambda system, effort, place: MadeJudge(
        system, effort, place / system.name, found))  # fmt: skip
    monkeypatch.setattr(command, "sensitivity", lambda *given: found.append(given) or "frame")
    monkeypatch.setattr(command, "global_sensitivity", lambda *given: found.append(given) or "frame")
    for name in ("write_sensitivity", "save"):
        monkeypatch.setattr(command, name, lambda *given: found.append(given))
    for name in ("sensitivity_board", "global_board", "stability", "remark", "_indices_page"):
        monkeypatch.setattr(command, name, lambda frame, name=name: f"{name} of {frame}")
    monkeypatch.setattr(command, "findings", lambda frame: [f"found in {frame}", "more"])
    return found


SAID = ("left out, as the change has no effect on the value: discs halved (1), share doubled (1)",
        "the runs are so short that verdicts may differ from those of spindle claims, and many stay undecided")


@pytest.mark.parametrize(("seeds", "quick", "runs", "lines"), [(2, True, 64, 3), (3, False, 96, 2)])
def test_a_plan_counts_the_runs_of_studies_with_claims(
    seeds: int, quick: bool, runs: int, lines: int, told: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight points as assumed and in three variants, for each seed."""
    head = ("toy sensitivity: 3 claims, as assumed and in 3 variants of 2 parameters; "
            f"at most {runs} runs")  # fmt: skip
    assert [*command._plan(SYSTEM, seeds, quick)] == [head, *SAID][:lines]
    monkeypatch.setattr(command, "same_variants", lambda parameters: [])
    assert [*command._plan(SYSTEM, seeds, quick)] == [head, *SAID[1:lines - 1]]


@pytest.mark.parametrize(("words", "effort", "seeds"), [
    ([], USUAL, 3), (["--quick"], QUICK, 2), (["--full"], FULL, 10)])
def test_verdicts_are_judged_drawn_and_kept(
    words: list[str], effort: Effort, seeds: int, told: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sensitivity", "toy", "--results=r", "--workers=2", *words]) == 0
    assert told == [(SYSTEM, seeds, "book", effort.quick),
                    (Path("r/toy/sensitivity.csv"), "frame", SYSTEM, {"system": "toy", "seeds": f"1..{seeds}"}),
                    ("sensitivity_board of frame", Path("r/toy/sensitivity.png")), "saved"]  # fmt: skip
    plan = [*command._plan(SYSTEM, seeds, effort.quick)]
    assert capsys.readouterr().out.splitlines() == [
        *plan, "found in frame", "more", "", "stability of frame", "r/toy/sensitivity.csv and .png"]


def test_a_plan_is_said_before_anything_is_run(told: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "print", lambda text, flush=False: told.append((text.partition(":")[0], flush)),
                        raising=False)  # fmt: skip
    assert main(["sensitivity", "toy", "--results=r"]) == 0
    assert told[0] == ("toy sensitivity", True)
    told.clear()
    assert main(["sensitivity", "toy", "--results=r", "--global", "--studies=a", "--parameters=load,discs"]) == 0
    assert (told[0], told[1][1].points) == (("toy sensitivity", True), 64)


def test_what_is_drawn_together_is_judged_drawn_and_kept(told: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Eight points and two drawings, and one more for each of two parameters: 32 rows, by 8 points and 2 seeds."""
    words = ["--global", "--studies=b,a", "--parameters=load,discs", "--points=8", "--quick"]
    assert main(["sensitivity", "toy", "--results=r", *words]) == 0
    (computed, written, drawn, saved) = told
    design = JointDesign([STUDIES[1], STUDIES[0]], ["load", "discs"], 8, 2)
    assert computed == (SYSTEM, design, "book", True)
    assert written == (Path("r/toy/sensitivity_global.csv"), "frame", SYSTEM, {
        "system": "toy", "studies": "b,a", "points": 8, "seeds": "1..2"})  # fmt: skip
    assert (drawn, saved) == (("global_board of frame", Path("r/toy/sensitivity_global.png")), "saved")
    assert capsys.readouterr().out.splitlines() == [
        "toy sensitivity: load, discs drawn together, 8 points for b,a; 512 runs", "_indices_page of frame", "",
        "remark of frame", "r/toy/sensitivity_global.csv and .png"]


TABLE = pd.DataFrame({"parameter": ["load", "discs", "gone"]})
Plan = Callable[..., tuple[list[str], Any, int]]


@pytest.fixture
def plan(told: list[Any], monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Plans a design; what is kept names the most important, of those that are still assumed."""
    def screen(table: pd.DataFrame, claims: Any, sizes: Any, studies: list[str], most: int) -> Any:
        told.append((table["parameter"].tolist(), claims, sizes, studies, most))
        return ["a"], ["load", "discs"][:most]

    monkeypatch.setattr(command, "last_kept", lambda *given: told.append(given) or SimpleNamespace(frame=TABLE))
    monkeypatch.setattr(command, "screen_design", screen)

    def ask(effort: Effort = USUAL, **more: Any) -> tuple[list[str], Any, int]:
        asked = replace(SensitivityQuestion("toy"), global_=True, **more)
        design = command._plan_design(asked, MadeJudge(SYSTEM, effort, Path("r"), told))  # type: ignore[arg-type]
        return [each.name for each in design.studies], design.parameters, design.points

    return ask


@pytest.mark.parametrize(("effort", "asked", "points"), [
    (USUAL, None, 64), (QUICK, None, 16), (FULL, None, 256), (QUICK, 4, 4), (FULL, 2, 2)])
def test_points_are_as_many_as_the_effort_takes(effort: Effort, asked: int | None, points: int, plan: Plan) -> None:
    assert plan(effort, points=asked) == (["a"], ["load", "discs"], points)


@pytest.mark.parametrize(("effort", "studies", "parameters", "design", "most"), [
    (USUAL, "", "", (["a"], ["load", "discs"]), 4), (USUAL, "b", "", (["b"], ["load", "discs"]), 4),
    (QUICK, "", "discs,load", (["a"], ["discs", "load"]), 2),
])  # fmt: skip
def test_what_is_not_named_is_what_matters_most_one_at_a_time(
    effort: Effort, studies: str, parameters: str, design: tuple[list[str], list[str]], most: int, plan: Plan,
    told: list[Any]
) -> None:  # fmt: skip
    assert plan(effort, studies=studies, parameters=parameters)[:2] == design
    asked, screened = told
    assert asked == (Path("results"), SYSTEM, command.read_sensitivity, "sensitivity.csv")
    sizes = {"a": 2, "b": 1} if effort.quick else {"a": 3, "b": 5}
    assert screened == (["load", "discs"], CLAIMS, sizes, studies.split(",") if studies else [], most)


def test_what_is_named_is_looked_for_nowhere(plan: Plan, told: list[Any]) -> None:
    assert plan(studies="b", parameters="discs,load") == (["b"], ["discs", "load"], 64)
    assert told == []


@pytest.mark.parametrize(("kept", "screened", "says"), [
    (False, None, "what matters most is not known: run spindle sensitivity toy, or name --studies and --parameters"),
    (True, ([], ["load", "discs"]), "no two assumed parameters of toy move claims of one study, each by itself"),
    (True, (["a"], ["load"]), "no two assumed parameters of toy move claims of one study, each by itself"),
])  # fmt: skip
def test_what_matters_most_may_be_unknown(
    kept: bool, screened: Any, says: str, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "last_kept", lambda *_: SimpleNamespace(frame=TABLE) if kept else None)
    monkeypatch.setattr(command, "screen_design", lambda *_: screened)
    with pytest.raises(UserError, match=f"^{says}"):
        plan()


@pytest.mark.parametrize(("words", "says"), [
    ({"studies": "unclaimed"}, "unknown study 'unclaimed': there are a, b"),
    ({"parameters": "load,mips"}, "unknown assumed parameter 'mips': there are discs, load"),
])  # fmt: skip
def test_names_are_of_studies_with_claims_and_of_assumed_parameters(
    words: dict[str, str], says: str, plan: Plan
) -> None:
    with pytest.raises(UserError, match=f"^{says}$"):
        plan(**words)
