"""The studies of Max-IV: a file a theme, in the order of the paper."""

from spindle.models.max_iv.studies import (
    day,
    drives,
    forty_years,
    hashing,
    instead,
    lines,
    mechanisms,
    paper,
    shell,
    shots,
    size,
    users,
    what_ifs,
)
from spindle.studies.study import Study

THEMES = (users, size, what_ifs, day, hashing, lines, drives, shell, shots, instead, paper,
          mechanisms, forty_years)
STUDIES: tuple[Study, ...] = tuple(study for theme in THEMES for study in theme.STUDIES)
