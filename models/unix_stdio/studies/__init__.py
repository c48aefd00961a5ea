"""The studies of the lecture's programs, in the order of the report, from a file for each theme."""

from spindle.models.unix_stdio.studies import forty_years, machines, mechanisms, rates, read_ahead, risk
from spindle.studies.study import Study

STUDIES: tuple[Study, ...] = (
    *rates.STUDIES, *read_ahead.STUDIES, *machines.STUDIES, *risk.STUDIES,
    *mechanisms.STUDIES, *forty_years.STUDIES,
)  # fmt: skip
