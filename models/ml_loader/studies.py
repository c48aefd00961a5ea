"""Studies of MLPerf Storage v1.0, a benchmark: utilisation at published points, accelerators a drive, checkpoints."""

import csv
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.ml_loader.machine import DRIVES, MlOptions
from spindle.models.ml_loader.run import run
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.axes import row_axes
from spindle.studies.plots.claim_points import with_points
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, GREEN
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Row, Runs, SeedRows, Study, StudyWindow

NUMBERS = partial(published_by_id, Path(__file__).with_name("claims.toml"))


class Published(NamedTuple):
    """A submitted result: *claim* has its utilisation; its epoch has *steps* steps, or *records* if they are large."""

    claim: str
    drive: str
    model: str
    gpu: str
    accelerators: int
    steps: int
    records: int = 0


with Path(__file__).with_name("published.csv").open(encoding="utf-8", newline="") as _file:
    POINTS = [Published._make([*row[:4], *map(int, row[4:])]) for row in csv.reader(_file) if row[0] != "claim"]
"""The published results; with so many steps that batches read before the first step are less than 2 % of all."""
PASS_UTILISATION = {"unet3d": 0.9, "resnet50": 0.9, "cosmoflow": 0.7}
"""The utilisation that a submission has to reach (rules of MLPerf Storage v1.0)."""
FED_CLAIMS = {"micron_6500": "ML-N1", "micron_9400": "ML-N2", "micron_9550": "ML-N3"}
"""Claims on the number of H100 for which a drive is enough, training 3D U-Net, by drive."""
DRIVE_NAMES = {drive: drive.replace("_", " ").capitalize() for drive in FED_CLAIMS}
MODEL_NAMES = {"cosmoflow": "CosmoFlow", "resnet50": "ResNet-50", "unet3d": "3D U-Net"}
GPU_NAMES = {"a100": ("A100, fitted", BLUE), "h100": ("H100, judged", GREEN)}
"""Names and colours in the picture, by accelerator."""
EPOCH_WINDOW = StudyWindow({"shorter": 1}, {"shorter": 20})
CHECKPOINT_STATES = (1.0, 3.0, 10.0)
"""Bytes of a checkpoint as multiples of the model's."""


def train(
    drive: str, model: str, gpu: str, accelerators: int, seed: object, shorter: int, steps: int = 0, records: int = 0,
    checkpoint_every: int = 0, **parameters: Any,
) -> Row:  # fmt: skip
    """Train an epoch of *records*, or *steps*; both are divided by *shorter*."""
    result = run(model, accelerators, gpu, max(10, steps // shorter), records // shorter if records else 0,
                 checkpoint_every=checkpoint_every, seed=seed, choices=MlOptions(DRIVES[drive]), keep_rows=False,
                 **parameters)  # fmt: skip
    return result.extras


def point_runs() -> list[Runs]:
    return [Runs(train, EPOCH_WINDOW, {"claim": each.claim}, **{name: value for name, value in each._asdict().items()
                                                            if name != "claim"}) for each in POINTS]


def measures(rows: SeedRows) -> Mapping[str, float]:
    numbers = NUMBERS()
    utilisation = {each.claim: float(rows.one(claim=each.claim)["accelerator_utilisation"]) for each in POINTS}
    off = [abs(utilisation[each.claim] / numbers[each.claim] - 1.0) for each in POINTS if each.gpu == "h100"]
    return {**utilisation, "judged_within_a_tenth": float(max(off) <= 0.1)}


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each point."""
    numbers = NUMBERS()
    rows = frame[["claim", "drive", "model", "gpu", "accelerators", "accelerator_utilisation", "bytes_rate"]]
    return rows.assign(published=rows["claim"].map(numbers)).reset_index(drop=True)


@with_points(NUMBERS, lambda numbers: [(numbers[each.claim], float(place)) for place, each in enumerate(POINTS)])
def picture(table: pd.DataFrame) -> Axes:
    names = [f"{DRIVE_NAMES[row['drive']].removeprefix('Micron ')}: {row['accelerators']} {row['gpu'].upper()}, "
             f"{MODEL_NAMES[row['model']]}" for row in table.to_dict("records")]  # fmt: skip
    with row_axes(names, 5.2, x_label="accelerator utilisation",
                  title="Utilisation where accelerators just pass") as ax:  # fmt: skip
        for gpu, (name, colour) in GPU_NAMES.items():
            places = [place for place, each in enumerate(table["gpu"]) if each == gpu]
            ax.barh(places, table["accelerator_utilisation"].to_numpy(float)[places], 0.62, color=colour, label=name)
        ax.set_xlim(0.0, 1.02)
        legend_below(ax)
    return ax


def caption(table: pd.DataFrame) -> str:
    off = (table["accelerator_utilisation"] / table["published"] - 1.0).abs()
    errors = {gpu: 100.0 * off[table["gpu"] == gpu] for gpu in ("a100", "h100")}
    return (f"The mean error is {errors['a100'].mean():.1f} % for A100, to which three numbers were fitted, and "
            f"{errors['h100'].mean():.1f} % for H100, at most {errors['h100'].max():.1f} %. Submissions have as many "
            "accelerators as just pass, so that utilisations lie near 0.9 and 0.7 whatever the drive is.")


def count_fed(rows: SeedRows) -> Mapping[str, float]:
    """Return the largest number of H100 with which each drive passes."""
    return {drive: float(max((row["accelerators"] for row in rows.select(drive=drive)
                              if row["accelerator_utilisation"] >= PASS_UTILISATION["unet3d"]), default=0))
            for drive in FED_CLAIMS}


counts = partial(summarise, by=["drive", "accelerators"], values=["accelerator_utilisation"])

draw_counts = with_points(
    NUMBERS, lambda numbers: [(numbers[claim], PASS_UTILISATION["unet3d"]) for claim in FED_CLAIMS.values()])(
    partial(curve, x="accelerators", y="accelerator_utilisation", by="drive", names=DRIVE_NAMES,
            x_label="H100 that train 3D U-Net", y_label="accelerator utilisation",
            title="A Micron 9550 feeds four H100, the others two"))

checkpoints = partial(summarise, by=["drive", "state"], values=["checkpoint_share", "accelerator_utilisation"])

draw_checkpoints = partial(curve, x="state", y="checkpoint_share", by="drive", names=DRIVE_NAMES,
                           x_label="bytes of a checkpoint, multiple of the model's",
                           y_label="share of the time for checkpoints",
                           title="Checkpoints cost least on a Micron 9550")

STUDIES = (
    Study("published", point_runs(), Figure(table, picture, caption), measures, replications=1),
    Study("fed",
          [Runs(train, EPOCH_WINDOW, drive=list(FED_CLAIMS), model="unet3d", gpu="h100", accelerators=[1, 2, 3, 4, 5],
                records=14_000)],
          Figure(counts, draw_counts), count_fed, replications=1),
    Study("checkpoints",
          [Runs(train, EPOCH_WINDOW, {"state": state}, drive=list(FED_CLAIMS), model="unet3d", gpu="h100",
                accelerators=2, steps=200, checkpoint_every=50, checkpoint_state=state) for state in CHECKPOINT_STATES],
          Figure(checkpoints, draw_checkpoints), replications=1),
)  # fmt: skip
