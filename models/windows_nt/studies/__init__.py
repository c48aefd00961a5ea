"""The studies of the laptop, in the order of the chapter: a file a theme."""

from spindle.models.windows_nt.studies import (
    discs,
    forty_years,
    growth,
    laptop,
    mechanisms,
    readings,
    sides,
    sizes,
    table,
    trimming,
    updates,
)
from spindle.studies.study import Study

STUDIES: tuple[Study, ...] = (
    *laptop.STUDIES, *table.STUDIES, *growth.STUDIES, *updates.STUDIES, *sides.STUDIES, *sizes.STUDIES,
    *trimming.STUDIES, *readings.STUDIES, *discs.STUDIES, *mechanisms.STUDIES, *forty_years.STUDIES,
)  # fmt: skip
