"""Switches off one by one the mechanisms of the lecture CS61: each layer between a program and the disc."""

from pathlib import Path
from typing import Any

from spindle.models.unix_stdio.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, ablation, read_mechanisms
from spindle.studies.study import seconds

MACHINE = AblatedSystem(SYSTEM)
TIME_MEASURE = "us_per_kb"
MECHANISMS = read_mechanisms(Path(__file__).parents[1] / "mechanisms.toml")


def run_with_options(options: str, seed: object, seconds: float, **parameters: Any) -> dict[str, float]:
    rate = MACHINE.summary(options, ("rate",), seed=seed, seconds=seconds, keep_rows=False, **parameters)["rate"]
    return {TIME_MEASURE: 1024e6 / rate}


STUDIES = (ablation("unix_stdio", run_with_options, seconds(100.0), MECHANISMS, replications=1),)
