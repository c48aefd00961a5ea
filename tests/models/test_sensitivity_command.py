"""``spindle sensitivity`` on Max-IV's claims and parameters, with trials that simulate nothing."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from models.__main__ import main
from models.commands import sensitivity as command
from models.max_iv.system import SYSTEM
from sim.claims.sensitivity import read_sensitivity, scored
from sim.claims.variant import variants
from sim.study.system import System
from sim.sweep.sweep import PointFailed

PUBLISHED = {claim.measure: claim.published for claim in scored(SYSTEM)}


def as_published(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Every claim holds, but J01 where tools compute for longer."""
    return PUBLISHED | ({"cpu_busy": 0.5} if parameters.get("tool_cpu", 0.0) == 0.8 else {})


def breaks(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    raise ZeroDivisionError("by nothing")


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> System:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    chosen = replace(SYSTEM, trials=dict.fromkeys(SYSTEM.trials, as_published))
    monkeypatch.setattr(command, "system", lambda name: chosen)
    monkeypatch.setattr(command, "QUICK", command.Extent(2, 0.5))
    return chosen


def test_it_says_which_verdict_flips_and_how_many_stand(given: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "max_iv", "--quick", "--workers", "1"]) == 0
    out, err = capsys.readouterr()
    said = out.splitlines()
    count, tried = len(scored(SYSTEM)), variants(SYSTEM.parameters)
    runs = (1 + len(tried)) * len({claim.experiment for claim in scored(SYSTEM)}) * 2
    assert said[0] == (
        f"max_iv sensitivity: {count} claims, as assumed and in {len(tried)} variants of "
        f"{len({each.parameter for each in tried})} parameters; {runs} trials of 0.5 of their length"
    )
    assert said[1].startswith("left out, for it stays what it is: discs halved (1)")
    assert [line for line in said if "->" in line] == [
        "doubled tool_cpu (0.4 to 0.8):        J01   holds -> fails  0.3 -> 0.5, bounds 0 to 0.3"
    ]
    assert f"{count - 1} of {count} verdicts stand whatever assumption is halved or doubled" in out
    assert err == ""
    made = sorted(path.as_posix() for path in Path("results").rglob("*") if path.is_file())
    assert made == [f"results/quick/max_iv/sensitivity.{kind}" for kind in ("csv", "png")]
    kept = read_sensitivity(Path("results/quick/max_iv/sensitivity.csv"), given)
    assert kept is not None
    assert not kept.stale
    assert kept.frame["flips"].sum() == 1


def test_a_trial_that_breaks_down_ends_it_in_one_line(
    given: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = replace(given, trials=dict.fromkeys(SYSTEM.trials, breaks))
    monkeypatch.setattr(command, "system", lambda name: broken)
    assert main(["sensitivity", "max_iv", "--quick", "--workers", "1"]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "variant=as assumed" in err
    assert "ZeroDivisionError: by nothing" in err
    assert not Path("results/quick/max_iv/sensitivity.csv").exists()
    assert PointFailed.__name__ not in err
