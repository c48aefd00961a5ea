"""The studies of the laptop, in the order of the chapter, from a file for each theme."""

from spindle.models.windows_nt.studies import (
    chapter_4,
    desktop,
    figure_6_2,
    forty_years,
    growth,
    mechanisms,
    open_questions,
    side_by_side,
    table_6_2,
    trimming,
    updates,
)
from spindle.studies.study import Study

STUDIES: tuple[Study, ...] = (
    *figure_6_2.STUDIES, *table_6_2.STUDIES, *growth.STUDIES, *updates.STUDIES, *side_by_side.STUDIES,
    *trimming.STUDIES, *open_questions.STUDIES, *chapter_4.STUDIES, *desktop.STUDIES,
    *mechanisms.STUDIES, *forty_years.STUDIES,
)  # fmt: skip
