"""The questions put to the HP3000, in the order of the paper: a file a theme."""

from collections.abc import Sequence

from models.hp3000.studies import (
    batch,
    blocks,
    fetch,
    fit_map,
    forty_years,
    given,
    ldevs,
    loads,
    locality,
    mechanism,
    memory,
    misfits,
    mix,
    optimum,
    processor,
    questions,
    rates,
    safety,
    series_work,
    tuning,
)
from sim.study.study import Study

THEMES = (
    given, series_work, loads, mechanism, fetch, optimum, memory, processor, mix, blocks, locality, misfits, batch,
    safety, ldevs, tuning, questions, fit_map, rates,
    forty_years,
)  # fmt: skip
STUDIES: Sequence[Study] = tuple(study for theme in THEMES for study in theme.STUDIES)
