"""The studies of Max-IV: a file a theme, in the order of the paper."""

from models.max_iv.studies import (
    day,
    drives,
    forty_years,
    hashing,
    instead,
    lines,
    paper,
    searched,
    shell,
    shots,
    size,
    users,
    what_ifs,
)

STUDIES = (
    *users.STUDIES,
    *size.STUDIES,
    *what_ifs.STUDIES,
    *searched.STUDIES,
    *day.STUDIES,
    *hashing.STUDIES,
    *lines.STUDIES,
    *drives.STUDIES,
    *shell.STUDIES,
    *shots.STUDIES,
    *instead.STUDIES,
    *paper.STUDIES,
    *forty_years.STUDIES,
)
