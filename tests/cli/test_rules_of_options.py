"""What options of commands are where nobody gives them, their bounds, and which of them go with which others."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from spindle.cli.batch import NO_JOBS
from spindle.cli.capture import CaptureQuestion
from spindle.cli.characterise import CharacterShown
from spindle.cli.convert import ConvertOptions
from spindle.cli.designs import NO_DESIGN, DesignOptions
from spindle.cli.drive import DriveCommand
from spindle.cli.drive_fit import FitOptions
from spindle.cli.drive_question import ONE_AFTER_ANOTHER, DriveQuestion
from spindle.cli.find_question import FindQuestion
from spindle.cli.measure import A_MINUTE, MeasureOptions, MeasureQuestion
from spindle.cli.measure_drive import MeasureDriveOptions
from spindle.cli.new import Copies, NewFile
from spindle.cli.sweep import SweepQuestion
from spindle.cli.tepe import TepeQuestion
from spindle.cli.workers import HERE, WorkerOptions
from spindle.questions.field import flat
from spindle.sim.error import UserError

LATIN, KEPT = {"latin": ("x=1:2",), "sample": 4}, {"store": "kept"}
MILLION = 10**6


@pytest.mark.parametrize(("question", "usual"), [
    (NO_JOBS, {}), (NO_DESIGN, {"sample_seed": 1}), (HERE, {}), (CaptureQuestion(), {"seconds": 60}),
    (CharacterShown(), {"as_": "fio3", "seed": "1"}), (ConvertOptions(), {}), (NewFile(), {}), (Copies(), {}),
    (ONE_AFTER_ANOTHER, {"scheduler": "fcfs"}), (DriveCommand(), {"question": DriveQuestion()}),
    (FitOptions(), {"held_out": 0.5, "host": "auto", "chunk": 512 << 10}), (TepeQuestion(), {}),
    (A_MINUTE, {"size": 10 << 20, "seconds": 60.0}), (MeasureOptions(), {"question": MeasureQuestion()}),
    (MeasureDriveOptions(), {"seconds": 5.0}),
], ids=lambda each: type(each).__name__)  # fmt: skip
def test_options_that_nobody_gives_are_empty_but_these(question: Any, usual: dict[str, Any]) -> None:
    found = {each.name: getattr(question, each.name) for each in fields(question)}
    assert {name: value for name, value in found.items() if value not in ("", (), 0, False, None)} == usual


@pytest.mark.parametrize(("question", "beside", "name", "least", "most"), [
    (CaptureQuestion, {}, "seconds", 1, 86400), (WorkerOptions, {}, "workers", 1, 1024),
    (DesignOptions, {"latin": ("x=1:2",)}, "sample", 1, MILLION),
    (DesignOptions, LATIN, "sample_seed", 0, 10**15), (FitOptions, {}, "held_out", 0.0, 0.9),
    (FitOptions, {}, "drives", 0, 1024), (FitOptions, {}, "capacity", 0, None),
    (MeasureQuestion, {}, "size", 1, None), (MeasureQuestion, {}, "seconds", 0.1, 3600.0),
    (MeasureDriveOptions, {}, "seconds", 0.1, 600.0),
])  # fmt: skip
def test_numbers_have_bounds(
    question: Callable[..., Any], beside: dict[str, Any], name: str, least: float, most: float | None
) -> None:
    ask, step = flat(question), 1 if isinstance(least, int) else 1e-6
    for good in (least, most if most is not None else least):
        assert getattr(ask(**beside, **{name: good}), name) == good
    for bad in (least - step, *(() if most is None else (most + step,))):
        with pytest.raises(UserError, match=f"^{name} must be "):
            ask(**beside, **{name: bad})


@pytest.mark.parametrize(("question", "name", "others", "beside"), [
    (SweepQuestion, "part", ["out", "plot"], KEPT), (SweepQuestion, "batch", ["part", "cluster", "workers"], KEPT),
    (SweepQuestion, "design", ["latin", "sobol"], {"sample": 4}), (SweepQuestion, "latin", ["sobol"], {"sample": 4}),
    (SweepQuestion, "workers", ["cluster"], {}), (FindQuestion, "workers", ["cluster"], {}),
    (DriveCommand, "errors", ["open", "chains", "readings", "scheduler", "bus", "out", "plot"], {}),
    (DriveCommand, "all", ["sheet", "errors", "open", "chains", "readings", "scheduler", "bus", "out", "plot"], {}),
    (DriveCommand, "readings", ["scheduler", "out", "plot"], {"open": True}),
    (MeasureOptions, "from_", ["folder", "size", "seconds", "quick", "out"], {}),
    (MeasureOptions, "seconds", ["quick"], {}),
    (MeasureDriveOptions, "from_", ["drive", "seconds", "write_too", "destroy", "kept"], {}),
])  # fmt: skip
def test_some_exclude_others(
    question: Callable[..., Any], name: str, others: list[str], beside: dict[str, Any]
) -> None:
    """What an excluded option needs itself is given, too, and comes later, so that this rule is the first broken."""
    assert set(others) == set(_asked(question)[name].excludes)
    for other in others:
        with pytest.raises(UserError, match=rf"^{name} and .* exclude each other; "):
            flat(question)(**{name: "1/2"}, **{other: "yes"}, **beside)


@pytest.mark.parametrize(("question", "name", "needed", "says"), [
    (SweepQuestion, "part", ["store"], "jobs; store is the folder that all see"),
    (SweepQuestion, "batch", ["store"], "jobs; store is the folder that all see"),
    (SweepQuestion, "latin", ["sample"], "points; sample says how many"),
    (SweepQuestion, "sobol", ["sample"], "points; sample says how many"),
    (SweepQuestion, "sample", ["latin", "sobol"], "ranges; latin NAME=LOW:HIGH or sobol gives them"),
    (SweepQuestion, "sample_seed", ["sample"], "points that are drawn; sample says how many"),
    (SweepQuestion, "trusted", ["cluster"], "the network of a cluster"),
    (CharacterShown, "as_", ["synthetic"], "synthetic"),
    (DriveCommand, "rules", ["all"], "a FOLDER of drives, all but one of which choose a rule; all names it"),
    *((DriveCommand, name, ["open"], "an open loop, where there is a queue; open makes one")
      for name in ("scheduler", "chains", "readings")),
    (FitOptions, "chunk", ["raid"], "an array; raid gives its level"),
    (FitOptions, "json", ["out"], "a drive file; out names it"),
    (MeasureDriveOptions, "destroy", ["write_too"], "confirming write_too, without which nothing is written"),
    (MeasureDriveOptions, "json", ["out"], "a drive file; out names it"),
])  # fmt: skip
def test_some_need_others(question: Callable[..., Any], name: str, needed: list[str], says: str) -> None:
    with pytest.raises(UserError) as error:
        flat(question)(**{name: "x"})
    assert str(error.value) == f"{name} is for {says}"
    assert list(_asked(question)[name].needs) == needed


def _asked(question: Callable[..., Any]) -> dict[str, Any]:
    """How each option of *question* is asked for, of its groups too."""
    parameters = flat(question).__signature__.parameters  # type: ignore[attr-defined]
    return {name: each.annotation.__metadata__[0] for name, each in parameters.items()}
