"""Switches off one by one the mechanisms that Kim names: the cache, NCQ (tags), and the parts of FAC, his policy."""

from pathlib import Path
from typing import Any

from spindle.models.sata_ncq.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, ablation, read_mechanisms
from spindle.studies.study import StudyWindow

MACHINE = AblatedSystem(SYSTEM)
TIME_MEASURE = "total_service"
MECHANISMS = read_mechanisms(Path(__file__).parents[1] / "mechanisms.toml")


def run_with_options(options: str, seed: object, requests: int, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, (TIME_MEASURE,), seed=seed, requests=requests, keep_rows=False, **parameters)


SAVING_WINDOW = StudyWindow({"requests": 8_000}, {"requests": 8_000})
"""A quick look has one seed, and as many requests: the cache is a share of the blocks that they use."""
STUDIES = (ablation("sata_ncq", run_with_options, SAVING_WINDOW, MECHANISMS),)
