"""Tests by hand the page of a run of the loader of training data, and the runs, measures and tables of its studies."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.models.ml_loader import studies
from spindle.models.ml_loader.machine import DRIVES
from spindle.models.ml_loader.parameters import TRAINED_MODELS, find_model
from spindle.models.ml_loader.studies import (
    DRIVE_NAMES,
    EPOCH_WINDOW,
    FED_CLAIMS,
    NUMBERS,
    POINTS,
    caption,
    count_fed,
    measures,
    picture,
    point_runs,
    table,
    train,
)
from spindle.models.ml_loader.system import page
from spindle.sim.error import UserError
from spindle.studies.study import SeedRows

SAID: dict[str, Any] = {"model": "unet3d", "accelerators": 3, "gpu": "h100", "steps": 40, "threads": 24,
                        "checkpoint_every": 0, "raid": "", "drives": None}  # fmt: skip


def shown(said: dict[str, Any], written: float = 0.0) -> list[str]:
    result: Any = SimpleNamespace(
        parameters={**SAID, **said}, seed=9, response=lambda: {"response_mean": 0.25, "response_p95": 0.5},
        extras={"accelerator_utilisation": 0.875, "samples_rate": 1234.56, "bytes_rate": 2.5e12, "makespan": 12.0,
                "disc_busy": 0.125, "number_at_drive": 3.25, "bytes_written": written, "checkpoint_share": 0.0625})
    return page(result).splitlines()


LINES = [
    "unet3d on 3 h100, 40 steps, 24 threads each, seed 9",
    "accelerator utilisation 87.50%",
    "1,234.6 samples/s, 2,500,000 MB/s, in 12 s",
    "drive busy 12.5%, 3.2 requests there on the mean",
    "wait for a batch: mean 0.25 s, p95 0.5 s",
]


def test_the_page_line_by_line() -> None:
    lines = shown({})
    assert lines == LINES
    assert shown({"compute": 0.162})[0] == "unet3d on 3 of 0.162 s a batch, 40 steps, 24 threads each, seed 9"
    assert shown({"compute": None})[0] == LINES[0]
    assert shown({"checkpoint_every": 5000})[5:] == ["no checkpoint: the first is due after 5,000 steps"]
    assert shown({"checkpoint_every": 5}, 1.5e12)[5:] == ["checkpoints: 1,500.00 GB written, 6.25% of the time"]
    assert shown({"raid": "0", "drives": 4})[3] != LINES[3]
    assert shown({"raid": "0", "drives": 4})[3].startswith(LINES[3])


def test_batches_ahead_are_by_workers_or_by_threads() -> None:
    unet, resnet, cosmo = (find_model(name) for name in ("unet3d", "resnet50", "cosmoflow"))
    assert [unet.batches_ahead(threads, 2) for threads in (1, 24)] == [2, 48]
    assert unet.batches_ahead(24, 3) == 72
    assert [resnet.batches_ahead(threads, 2) for threads in (8, 800, 1199, 1200)] == [2, 2, 2, 3]
    assert [cosmo.batches_ahead(threads, 9) for threads in (1, 2, 3, 4)] == [2, 2, 3, 4]
    with pytest.raises(UserError, match="unknown model 'unet': did you mean unet3d"):
        find_model("unet")
    assert [each.name for each in TRAINED_MODELS.values()] == ["unet3d", "resnet50", "cosmoflow"]


def test_what_a_study_runs_is_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []

    def run(*arguments: Any, **named: Any) -> Any:
        given.append((*arguments, named))
        return SimpleNamespace(extras={"bytes_rate": 1.0})

    monkeypatch.setattr(studies, "run", run)
    row = train("micron_9400", "unet3d", "h100", 3, 7, 20, steps=409, records=9019, checkpoint_every=5, barrier=0.5)
    assert row == {"bytes_rate": 1.0}
    train("micron_9400", "unet3d", "h100", 3, 7, 20, steps=199)
    *arguments, named = given[0]
    assert arguments == ["unet3d", 3, "h100", 20, 450]
    options = named.pop("choices")
    assert options.drive is DRIVES["micron_9400"]
    assert named == {"checkpoint_every": 5, "seed": 7, "keep_rows": False, "barrier": 0.5}
    assert given[1][3:5] == (10, 0), "ten steps at least, and records only if there are any"
    assert given[1][5]["checkpoint_every"] == 0


def test_runs_are_of_each_published_result() -> None:
    assert [each.marks for each in point_runs()] == [{"claim": point.claim} for point in POINTS]
    names = ("drive", "model", "gpu", "accelerators", "steps", "records")
    assert [each.grid for each in point_runs()] == [{name: getattr(point, name) for name in names} for point in POINTS]
    assert all(each.run is train and each.window is EPOCH_WINDOW for each in point_runs())


def met(factors: dict[str, float]) -> SeedRows:
    """Utilisations that are the published ones times a factor by accelerator."""
    numbers = NUMBERS()
    return SeedRows([{"claim": point.claim, "accelerator_utilisation": numbers[point.claim] * factors[point.gpu]}
                     for point in POINTS])  # fmt: skip


@pytest.mark.parametrize(("h100", "within"), [(1.0, 1.0), (1.09, 1.0), (0.91, 1.0), (1.11, 0.0), (0.89, 0.0)])
def test_half_of_the_results_are_judged_within_a_tenth(h100: float, within: float) -> None:
    found = measures(met({"a100": 5.0, "h100": h100}))
    assert found.pop("judged_within_a_tenth") == within
    numbers = NUMBERS()
    assert found == {point.claim: numbers[point.claim] * (h100 if point.gpu == "h100" else 5.0) for point in POINTS}
    assert {point.gpu for point in POINTS} == {"a100", "h100"}


def frame() -> pd.DataFrame:
    numbers = NUMBERS()
    factors = [1.02 if point.gpu == "a100" else 1.08 if number % 2 else 0.96 for number, point in enumerate(POINTS)]
    return pd.DataFrame([{**point._asdict(), "accelerator_utilisation": numbers[point.claim] * factor,
                          "bytes_rate": 1.0} for point, factor in zip(POINTS, factors, strict=True)])  # fmt: skip


def test_the_table_has_what_was_published_beside_each_result() -> None:
    made = table(frame())
    assert list(made.columns) == ["claim", "drive", "model", "gpu", "accelerators", "accelerator_utilisation",
                                  "bytes_rate", "published"]  # fmt: skip
    assert made["published"].tolist() == [NUMBERS()[point.claim] for point in POINTS]
    said = caption(made)
    judged = [0.08 if number % 2 else 0.04 for number, point in enumerate(POINTS) if point.gpu == "h100"]
    assert "The mean error is 2.0 % for A100" in said
    assert "Submissions have as many accelerators as just pass" in said
    assert f"and {100 * sum(judged) / len(judged):.1f} % for H100, at most {100 * max(judged):.1f} %" in said


def test_the_picture_has_a_bar_for_each_result_in_the_colour_of_its_accelerator() -> None:
    axes = picture(table(frame()))
    names = [label.get_text() for label in axes.get_yticklabels()]
    first = POINTS[0]
    assert len(names) == len(POINTS)
    assert names[0] == f"{first.drive.removeprefix('micron_')}: {first.accelerators} {first.gpu.upper()}, " + {
        "unet3d": "3D U-Net", "resnet50": "ResNet-50", "cosmoflow": "CosmoFlow"}[first.model]  # fmt: skip
    of = [point.gpu for point in POINTS]
    assert [len(bars) for bars in axes.containers] == [of.count("a100"), of.count("h100")]
    widths = {round(float(bar.get_y() + bar.get_height() / 2)): float(bar.get_width())
              for bars in axes.containers for bar in bars}  # fmt: skip
    assert widths == pytest.approx(dict(enumerate(frame()["accelerator_utilisation"])))
    assert axes.get_xlim() == pytest.approx((0.0, 1.02), abs=0.001)
    assert axes.get_xlabel() == "accelerator utilisation"
    assert axes.get_title(loc="left")


def test_a_drive_feeds_as_many_as_pass() -> None:
    reached = (0.99, 0.9, 0.89), (0.5, 0.4, 0.3), (0.9, 0.9, 0.9)
    rows = SeedRows([{"drive": drive, "accelerators": count, "accelerator_utilisation": share}
                     for drive, shares in zip(FED_CLAIMS, reached, strict=True)
                     for count, share in enumerate(shares, 1)])  # fmt: skip
    assert count_fed(rows) == {"micron_6500": 2.0, "micron_9400": 0.0, "micron_9550": 3.0}
    assert DRIVE_NAMES["micron_9550"] == "Micron 9550"
