"""Registers the loader of training data as a system of Spindle: its run, parameters, parts by name, result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.ml_loader.machine import DRIVES, MlOptions
from spindle.models.ml_loader.parameters import TRAINED_MODELS, MlParameters
from spindle.models.ml_loader.run import run
from spindle.questions.array import array_words
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.system import System, words_of

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": DRIVES}


def page(result: Result) -> str:
    """Return *result* as text for a screen of 80 columns."""
    said, extras = result.parameters, result.extras
    waits = result.response()
    compute = said.get("compute")
    kind = f"of {quantity(compute, 's')} a batch" if isinstance(compute, float) else said["gpu"]
    lines = [f"{said['model']} on {said['accelerators']} {kind}, {said['steps']} steps, "
             f"{said['threads']} threads each, seed {result.seed}",
             f"accelerator utilisation {extras['accelerator_utilisation']:.2%}",
             f"{extras['samples_rate']:,.1f} samples/s, {extras['bytes_rate'] / 1e6:,.0f} MB/s, in "
             f"{quantity(extras['makespan'], 's')}",
             f"drive busy {extras['disc_busy']:.1%}, {extras['number_at_drive']:.1f} requests there on the mean"
             f"{array_words(said)}",
             f"wait for a batch: mean {quantity(waits['response_mean'], 's')}, p95 "
             f"{quantity(waits['response_p95'], 's')}"]
    if extras["bytes_written"]:
        lines.append(f"checkpoints: {extras['bytes_written'] / 1e9:,.2f} GB written, "
                     f"{extras['checkpoint_share']:.2%} of the time")
    elif said["checkpoint_every"]:
        lines.append(f"no checkpoint: the first is due after {said['checkpoint_every']:,} steps")
    return "\n".join(lines)


MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "ml_loader", MODEL, run, MlParameters(), parts=PARTS, choose=MlOptions,
    page=page, words={"model": words_of(TRAINED_MODELS), "gpu": words_of(TRAINED_MODELS["unet3d"].compute)},
)  # fmt: skip
