"""The questions put to the HP3000, in the order of the paper: a file a theme."""

from spindle.models.hp3000.studies import (
    batch,
    competition,
    fetch,
    fit_map,
    forty_years,
    kinds,
    loads,
    mechanism,
    mechanisms,
    memory,
    misfits,
    operation,
    processor,
    questions,
    rates,
    series_work,
)
from spindle.studies.study import Study

THEMES = (
    series_work, loads, mechanism, fetch, memory, competition, processor, kinds, misfits, batch, operation, questions,
    fit_map, rates, mechanisms, forty_years,
)  # fmt: skip
STUDIES: tuple[Study, ...] = tuple(study for theme in THEMES for study in theme.STUDIES)
