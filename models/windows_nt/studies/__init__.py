"""The studies of the laptop, in the order of the chapter: a file a theme."""

from spindle.models.windows_nt.studies import (
    discs,
    forty_years,
    growth,
    readings,
    sides,
    sizes,
    table,
    trimming,
    updates,
)
from spindle.studies.study import Study

STUDIES: tuple[Study, ...] = (
    *table.STUDIES, *growth.STUDIES, *updates.STUDIES, *sides.STUDIES, *sizes.STUDIES, *trimming.STUDIES,
    *readings.STUDIES, *discs.STUDIES, *forty_years.STUDIES,
)  # fmt: skip
