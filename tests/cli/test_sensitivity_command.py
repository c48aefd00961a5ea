"""``spindle sensitivity`` on a made-up system, whose runs simulate nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from spindle.cli import sensitivity as command
from spindle.cli.judged import QUICK, Judged
from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.sim.parameter import Rule, assumed, cited
from spindle.studies.claims.global_sensitivity import read_global
from spindle.studies.claims.sensitivity import read_sensitivity
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study
from spindle.studies.sweep.store import Store
from spindle.system import System

CLAIMS = """
[[claim]]
id = "A"
paper = "a paper"
says = "a load below one half"
published = 0.4
low = 0.0
high = 0.5
unit = "1"
role = "predicted"
study = "loads"
measure = "load"
note = "a bound"

[[claim]]
id = "B"
paper = "a paper"
says = "there is a load"
role = "shape"
study = "loads"
measure = "there"
"""


@dataclass(frozen=True)
class Parameters:
    load: float = assumed(0.4, "nobody says")
    mips: float = cited(1.0, "p. 1")
    discs: int = assumed(1, "nobody says", rule=Rule(1, 16))
    line: float = assumed(2.0, "nobody says")


def loads(seed: int, load: float = 0.4, discs: int = 1, line: float = 2.0) -> Mapping[str, float]:
    if line < 2.0:
        raise UserError(f"line must be at least 2, not {line:g}")
    return {"load of one": load, "there": float(load > 0.0)}


def breaks(seed: int, **parameters: object) -> Mapping[str, float]:
    raise ZeroDivisionError("by nothing")


def measured(rows: SeedRows) -> Mapping[str, float]:
    return {"load": rows.one()["load of one"], "there": rows.one()["there"]}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> System:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.toml").write_text(CLAIMS)
    study = Study("loads", [Runs(loads, UNTIMED)], measures=measured)
    system = System("toy", "Toy", loads, Parameters(), "a paper", "why?", [study], tmp_path / "claims.toml", {}, dict)
    monkeypatch.setattr(command, "find_system", lambda name: system)
    return system


def test_it_says_which_verdict_flips_and_how_many_stand(toy: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "toy", "--quick", "--workers", "1"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    # As assumed and five variants, for two seeds each.
    assert lines[:2] == [
        "toy sensitivity: 2 claims, as assumed and in 5 variants of 3 parameters; at most 12 runs",
        "left out, as the change has no effect on the value: discs halved (1)",
    ]
    assert [line for line in lines if "->" in line or "impossible" in line] == [
        "doubled load (0.4 to 0.8): A     holds -> fails  0.4 -> 0.8, bounds 0 to 0.5",
        "halved line (2 to 1): impossible: line must be at least 2, not 1",
    ]
    assert "0 of 2 verdicts stand whatever assumption is halved or doubled" not in out
    assert err == ""
    made = sorted(path.as_posix() for path in Path("results").rglob("*") if path.is_file())
    assert made == [f"results/quick/toy/{name}" for name in ("origins.json", "sensitivity.csv", "sensitivity.png")]
    kept = read_sensitivity(Path("results/quick/toy/sensitivity.csv"), toy)
    assert kept is not None
    assert not kept.stale
    assert kept.frame["flips"].sum() == 1


def test_what_moves_most_is_drawn_together(toy: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "toy", "--quick", "--workers", "1"]) == 0
    capsys.readouterr()
    parameters = "--studies", "loads", "--parameters", "load,discs"
    assert main(["sensitivity", "toy", "--global", *parameters, "--points", "32", "--quick", "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "toy sensitivity: load, discs drawn together, 32 points for loads; 256 runs"
    assert lines[-2:] == [
        "load, discs drawn together for loads: of 2 numbers 1 move, load alone does most to 1; none act together on "
        "any number, as far as these points show.",
        "results/quick/toy/sensitivity_global.csv and .png",
    ]
    kept = read_global(Path("results/quick/toy/sensitivity_global.csv"), toy)
    assert kept is not None
    assert kept.frame["first"].tolist() == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=0.15)


@pytest.mark.parametrize(("options", "says"), [
    ("--points=8", "--points is for --global"),
    ("--global --studies=loads --parameters=load,discs --points=6",
     "a Sobol sequence has a power of 2 of points, such as 4 or 8, not 6"),
    ("--global --points=many", "--points must be a whole number, not 'many'"),
    ("--global --studies=lods", "unknown study 'lods': did you mean loads?"),
    ("--global --parameters=load,mips", "unknown assumed parameter 'mips': there are discs, line, load"),
    ("--global --parameters=load --studies=loads", "together are two parameters or more, not load"),
    ("--global", "no two assumed parameters of toy move claims of one study, each by itself: name --studies and "
     "--parameters"),
])  # fmt: skip
def test_what_cannot_be_drawn_together_is_refused(
    options: str, says: str, toy: System, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some of it hangs on what was found one at a time."""
    main(["sensitivity", "toy", "--quick", "--workers", "1"])
    capsys.readouterr()
    assert main(["sensitivity", "toy", *options.split(), "--quick", "--workers", "1"]) == 2
    assert capsys.readouterr().err == f"spindle: {says}\n"


def test_what_matters_most_has_to_be_known(toy: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "toy", "--global", "--parameters=load,discs"]) == 2
    assert capsys.readouterr().err == (
        "spindle: what matters most is not known: run spindle sensitivity toy, or name --studies and --parameters\n"
    )


def test_what_the_report_needs_too_is_run_once(toy: System) -> None:
    assert main(["sensitivity", "toy", "--workers", "1"]) == 0
    assert list(Path("results/toy/runs").iterdir())


def test_a_command_leaves_the_store_of_one_that_is_running(toy: System) -> None:
    running = Store(Path("results/toy/runs.sweep"), "sweep of another command")
    judged = Judged(toy, QUICK, Path("results"))
    judged.save()
    assert running.folder.exists()
    running.close()
    judged.save()
    assert not running.folder.exists()


def test_a_run_that_breaks_down_ends_it(
    toy: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = replace(toy, studies=[replace(toy.studies[0], runs=[Runs(breaks, UNTIMED)])])
    monkeypatch.setattr(command, "find_system", lambda name: broken)
    assert main(["sensitivity", "toy", "--quick", "--workers", "1"]) == 1
    err = capsys.readouterr().err
    assert "ZeroDivisionError: by nothing" in err
    assert err.count("\n") == 1
    assert not Path("results/quick/toy/sensitivity.csv").exists()
