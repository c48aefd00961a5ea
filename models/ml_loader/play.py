"""The loader of training data for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.ml_loader.drives import DRIVES
from spindle.models.ml_loader.machine import MlOptions
from spindle.models.ml_loader.parameters import MODELS, MlParameters
from spindle.models.ml_loader.run import run
from spindle.playable import Offered, Playable

PARTS: Mapping[str, Mapping[str, Any]] = {"drive": DRIVES}


PLAYABLE = Playable(
    run=run,
    parameters=MlParameters(),
    parts=PARTS,
    choose=MlOptions,
    offered={
        "model": Offered("that is trained", words={name: name for name in MODELS}),
        "accelerators": Offered("that train it together", [str(each) for each in (1, 2, 3, 4, 5, 6, 8, 12, 16, 32)]),
        "gpu": Offered("the kind of accelerator", words={name: name for name in MODELS["unet3d"].compute}),
        "steps": Offered("of each accelerator, one batch each", [str(each) for each in (10, 20, 50, 100, 200, 300)]),
        "checkpoint_every": Offered("so many steps; 0 is never", [str(each) for each in (0, 5, 10, 20, 50)]),
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
