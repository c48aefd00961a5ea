"""The loader of training data as a system of Spindle: options and parts, the page to play with, a result as text."""

from collections.abc import Mapping
from typing import Any

from spindle.models.ml_loader.machine import DRIVES, MlOptions
from spindle.models.ml_loader.parameters import MODELS, MlParameters
from spindle.models.ml_loader.run import run
from spindle.playable import Offered, Playable, shipped_system, words_of
from spindle.questions.array import array_words
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": DRIVES}


PLAYABLE = Playable(
    run=run,
    parameters=MlParameters(),
    parts=PARTS,
    choose=MlOptions,
    offered={
        "model": Offered(f"the model that is trained: {', '.join(MODELS)}", words=words_of(MODELS)),
        "accelerators": Offered("how many train together", [str(each) for each in (1, 2, 3, 4, 5, 6, 8, 12, 16, 32)]),
        "gpu": Offered("the kind of accelerator: a100, h100", words=words_of(MODELS["unet3d"].compute)),
        "steps": Offered("steps of an accelerator, a batch each", [str(each) for each in (10, 20, 50, 100, 200, 300)]),
        "checkpoint_every": Offered("steps between checkpoints; 0 is never",
                                    [str(each) for each in (0, 5, 10, 20, 50)]),
    },
    begin={"steps": "20"},
    vary=("accelerators", ("1", "2", "4", "8")),
    curves=("accelerator_utilisation", "bytes_rate"),
    window="0s:1s",
    tour={
        "How many accelerators does one drive feed?": ("accelerators", "1,2,4,8", {}),
        "What does a quicker drive gain?": ("drive", "micron_6500,micron_9400,micron_9550", {"accelerators": "4"}),
        "What does training wait for checkpoints?": ("checkpoint_every", "0,5,10", {}),
        "Does a quicker accelerator want a quicker drive?": ("gpu", "a100,h100", {"accelerators": "4"}),
        "Which model asks most of a drive?": ("model", "unet3d,resnet50,cosmoflow", {"accelerators": "4"}),
    },
)


def page(result: Result) -> str:
    """Lay *result* out for a screen of 80 columns."""
    said, extras = result.parameters, result.extras
    waits = result.response()
    lines = [f"{said['model']} on {said['accelerators']} {said['gpu']}, {said['steps']} steps, "
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
    return "\n".join(lines)


MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "ml_loader", MODEL, PLAYABLE,
    page=page,
    says={
        "records": "records of an epoch, which then give the number of steps",
        "threads": "threads that read for each accelerator; 0 is the number in DLIO's configuration",
    },
    answers=("accelerator_utilisation", "samples_rate", "bytes_rate", "disc_busy", "checkpoint_share"),
)
