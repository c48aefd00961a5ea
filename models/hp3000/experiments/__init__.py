"""What the HP3000's experiments vary, and how their results are drawn: a file a theme, in the order of the paper."""

from models.hp3000.experiments import (
    batch,
    blocks,
    fetch,
    fit_map,
    ldevs,
    loads,
    locality,
    mechanism,
    memory,
    mix,
    processor,
    questions,
    rates,
    safety,
    series_work,
    tuning,
)
from models.hp3000.experiments.anatomy import breakdown
from models.hp3000.experiments.hybrid import CACHED, SECTOR, hybrid
from models.hp3000.experiments.loads import draw_response_vs_terminals, response_vs_terminals

__all__ = [
    "CACHED", "EXPERIMENTS", "SECTOR", "breakdown", "draw_response_vs_terminals", "hybrid", "response_vs_terminals",
]  # fmt: skip

EXPERIMENTS = (
    *series_work.EXPERIMENTS,
    *loads.EXPERIMENTS,
    *mechanism.EXPERIMENTS,
    *fetch.EXPERIMENTS,
    *memory.EXPERIMENTS,
    *processor.EXPERIMENTS,
    *mix.EXPERIMENTS,
    *blocks.EXPERIMENTS,
    *locality.EXPERIMENTS,
    *batch.EXPERIMENTS,
    *safety.EXPERIMENTS,
    *ldevs.EXPERIMENTS,
    *tuning.EXPERIMENTS,
    *questions.EXPERIMENTS,
    *fit_map.EXPERIMENTS,
    *rates.EXPERIMENTS,
)
