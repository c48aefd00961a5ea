"""The report as a command writes it: the same numbers give the same bytes, and it says what was asked for."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from models.__main__ import main
from models.commands import report, results
from models.commands.results import FULL, QUICK, USUAL, Judging, judged
from sim.account import Phase
from sim.claims.sensitivity import sensitivity, write_sensitivity
from sim.parameter import assumed
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment, System

CLAIMS = """[[claim]]
id = "A1"
paper = "p"
says = "it is the seed"
role = "predicted"
unit = "1"
published = 2.0
experiment = "e"
measure = "m"
"""


@dataclass(frozen=True)
class Parameters:
    mips: float = assumed(1.0, "nobody knows")


def line(effort: Effort) -> pd.DataFrame:
    return pd.DataFrame({"x": effort.seeds, "y": effort.seeds})


def trial(seed: Any, **_: object) -> dict[str, float]:
    return {"m": float(seed)}


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One system, which takes no time."""
    claims = tmp_path / "tiny" / "claims.toml"
    claims.parent.mkdir()
    claims.write_text(CLAIMS)
    experiment = Experiment("line", "A line.", line, partial(curve, x="x", y="y"))
    bars = pd.DataFrame([{"run": "cached", **{f"part_{part.name.lower()}": 1.0 for part in Phase}}])
    system = System("tiny", "Tiny", "A paper", "How small?", trial, Parameters(), [experiment], {"e": trial},
                    claims, {}, dict, lambda effort: bars, "All of it is CPU.")  # fmt: skip
    monkeypatch.setattr(report, "systems", lambda name: [system])
    monkeypatch.setattr(results, "system", lambda name: system)


@pytest.mark.usefixtures("tiny")
def test_what_hangs_on_assumptions_is_shown_and_its_age_told(tmp_path: Path) -> None:
    """Where the command found it once: the report does not make it anew."""
    page, table = tmp_path / "report.html", tmp_path / "tiny" / "sensitivity.csv"
    arguments = ["report", "--quick", "--workers=1", "--results", str(tmp_path)]
    assert main(arguments) == 0
    assert "What hangs on assumptions" not in page.read_text()
    chosen = report.systems(None)[0]
    write_sensitivity(table, sensitivity(chosen, [1, 2], workers=1, progress=False), chosen, {})
    assert main(arguments) == 0
    assert "What hangs on assumptions" in page.read_text()
    assert "run spindle sensitivity again" not in page.read_text()
    chosen.claims.write_text(CLAIMS.replace("2.0", "3.0"))
    assert main(arguments) == 0
    assert "run spindle sensitivity again" in page.read_text()


@pytest.mark.usefixtures("tiny")
def test_a_slow_experiment_is_shown_as_it_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "kept")
    chosen = report.systems(None)[0]
    slow = replace(chosen, experiments=[replace(chosen.experiments[0], slow=True)])
    monkeypatch.setattr(report, "systems", lambda name: [slow])
    page = tmp_path / "report.html"

    def said(*options: str) -> str:
        assert main(["report", "--workers=1", "--results", str(tmp_path), *options]) == 0
        return page.read_text()

    assert "Kept from" not in said("--quick")  # nothing was kept, so that it was run
    assert main(["experiment", "--results", str(tmp_path / "kept"), "tiny"]) == 0
    assert "Kept from an earlier run: seeds 1..5" in said("--quick")
    assert "Kept from an earlier run" in said()
    assert "Parameters were changed" not in page.read_text()
    assert "Kept from" not in said("--full")
    monkeypatch.setattr(report, "systems", lambda name: [replace(slow, parameters=Parameters(mips=2.0))])
    assert "run spindle experiment tiny line again" in said("--quick")


@pytest.mark.usefixtures("tiny")
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    for place in ("a", "b"):
        assert main(["report", "--quick", "--workers=1", "--results", str(tmp_path / place)]) == 0
    first, second = ((tmp_path / place / "report.html").read_bytes() for place in ("a", "b"))
    assert first == second
    for words in (b"<code>spindle report --quick</code>", b"How small?", b"nobody knows", b"it is the seed"):
        assert words in first
    assert str(tmp_path).encode() not in first


NOISY = ": verdicts may differ from those of full length"


@pytest.mark.parametrize(("effort", "option", "seeds", "claims"), [
    (QUICK, " --quick", "seeds 1 to 5, the", f"seeds 1 to 3, each run 0.1 of its length{NOISY}"),
    (USUAL, "", "seeds 1 to 5, the", f"seeds 1 to 5, each run 0.25 of its length{NOISY}"),
    (FULL, " --full", "seeds 1 to 10, the", "seeds 1 to 20"),
])  # fmt: skip
def test_what_was_done_is_said(effort: Effort, option: str, seeds: str, claims: str) -> None:
    said = report._made(effort, option)
    assert said["command"] == f"spindle report{option}"
    assert str(said["experiments"]).startswith(seeds)
    assert str(said["a replication"]).startswith(f"{effort.minutes:g} minutes after {effort.warm_up:g} of warm-up")
    assert said["claims"] == claims


def test_a_claim_is_judged_by_runs_of_the_length_of_the_effort(tmp_path: Path) -> None:
    claims = tmp_path / "claims.toml"
    claims.write_text(CLAIMS)
    system = System("tiny", "Tiny", "A paper", "How short?", trial, Parameters(), [], {"e": length_of},
                    claims, {}, dict, lambda effort: pd.DataFrame(), "")  # fmt: skip
    frame = judged([system], Effort(workers=1, progress=False), Judging(2, 2, 0.25), tmp_path)
    assert frame["simulated"].tolist() == [0.25]
    assert "length: 0.25" in (tmp_path / "tiny" / "claims.csv").read_text()


def length_of(seed: object, length: float = 1.0) -> dict[str, float]:
    return {"m": length}
