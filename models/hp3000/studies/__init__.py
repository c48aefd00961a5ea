"""The studies of the HP3000 in the order of the paper, a file for each theme."""

from spindle.models.hp3000.studies import (
    batch,
    competition,
    explanations,
    fetch,
    fit_map,
    forty_years,
    idle_machine,
    image_load,
    improvement_rates,
    load_kinds,
    loads,
    mechanisms,
    memory,
    misfits,
    operation,
    ported_work,
    power_failures,
    processor,
    tuning,
    unit_test,
)
from spindle.studies.study import Study

THEMES = (
    idle_machine, ported_work, unit_test, loads, explanations, fetch, memory, competition, processor, load_kinds,
    misfits, batch, power_failures, operation, tuning, fit_map, improvement_rates, image_load, mechanisms, forty_years,
)  # fmt: skip
STUDIES: tuple[Study, ...] = tuple(study for theme in THEMES for study in theme.STUDIES)
