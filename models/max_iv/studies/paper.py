"""What follows from the paper's own numbers, and from the sheets of its drives, without a load."""

from collections.abc import Mapping

from spindle.models.max_iv.studies.drives import sheets
from spindle.models.max_iv.studies.paper_runs import arithmetic
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if isinstance(value, float)}


STUDIES = (
    Study("disc_table", "The drives by their sheets, and single accesses to a 4138.", [Runs(sheets, UNTIMED)],
          measures=numbers),
    Study("arithmetic", "The paper's own numbers put together.", [Runs(arithmetic, UNTIMED)], measures=numbers),
)  # fmt: skip
