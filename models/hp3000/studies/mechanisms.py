"""The mechanisms that McBride and Boles name, switched off one by one: caching, fetches, posting, lock, competition."""

from pathlib import Path
from typing import Any

from spindle.models.hp3000.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, ablation, read_mechanisms
from spindle.studies.study import StudyWindow

MACHINE = AblatedSystem(SYSTEM)
WORTH_WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 2.0}, {"minutes": 1.5, "warm_up": 2.0})
"""Windows of the runs. In a quick look too all log on and memory fills, so that gains and losses have the same sign."""
MECHANISMS = read_mechanisms(Path(__file__).parents[1] / "mechanisms.toml")


def run_with_options(options: str, seed: object, minutes: float, warm_up: float, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, ("response_mean",), seed=seed, minutes=minutes, warm_up=warm_up, keep_rows=False,
                           **parameters)


STUDIES = (ablation("hp3000", run_with_options, WORTH_WINDOW, MECHANISMS),)
