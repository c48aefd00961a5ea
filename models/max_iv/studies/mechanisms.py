"""Switches off one by one the mechanisms that Jacobson names: the cache, its parts, drives, file system, shell."""

from pathlib import Path
from typing import Any

from spindle.models.max_iv.studies.trials import minutes
from spindle.models.max_iv.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, ablation, read_mechanisms

MACHINE = AblatedSystem(SYSTEM)
LOST = "lost_characters"
MECHANISMS = read_mechanisms(Path(__file__).parents[1] / "mechanisms.toml")


def run_with_options(options: str, seed: object, minutes: float, warm_up: float, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, ("response_mean", LOST), seed=seed, minutes=minutes, warm_up=warm_up, **parameters)


STUDIES = (ablation("max_iv", run_with_options, minutes(6.0, warm_up=3.0, shorter=1.5), MECHANISMS),)
