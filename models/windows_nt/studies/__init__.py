"""What is asked of the laptop, in the order of the chapter: a file a theme."""

from models.windows_nt.studies import discs, growth, sides, sizes, table, updates
from sim.study.study import Study

STUDIES: tuple[Study, ...] = (
    *table.STUDIES, *growth.STUDIES, *updates.STUDIES, *sides.STUDIES, *sizes.STUDIES, *discs.STUDIES,
)  # fmt: skip
