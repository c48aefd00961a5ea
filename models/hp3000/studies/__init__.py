"""The studies of the HP3000 in the order of the paper, a file for each theme."""

from spindle.models.hp3000.studies import (
    batch,
    competition,
    explanations,
    fetch,
    fit_map,
    forty_years,
    image_load,
    improvement_rates,
    load_kinds,
    loads,
    mechanisms,
    memory,
    misfits,
    operation,
    processor,
    series_work,
)
from spindle.studies.study import Study

THEMES = (
    series_work, loads, explanations, fetch, memory, competition, processor, load_kinds, misfits, batch, operation,
    fit_map, improvement_rates, image_load, mechanisms, forty_years,
)  # fmt: skip
STUDIES: tuple[Study, ...] = tuple(study for theme in THEMES for study in theme.STUDIES)
