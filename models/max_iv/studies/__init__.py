"""The studies of Max-IV in the order of the paper, a file for each theme."""

from spindle.models.max_iv.studies import (
    alternatives,
    contents,
    drives,
    forty_years,
    hashing,
    lines,
    mechanisms,
    shell,
    shots,
    size,
    two_hours,
    users,
    what_ifs,
)
from spindle.studies.study import Study

THEMES = (users, size, what_ifs, two_hours, hashing, contents, lines, drives, shell, shots, alternatives, mechanisms,
          forty_years)
STUDIES: tuple[Study, ...] = tuple(study for theme in THEMES for study in theme.STUDIES)
