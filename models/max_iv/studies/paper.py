"""What follows from the paper's own numbers, and from the sheets of its drives, without a load."""

from collections.abc import Mapping

from models.max_iv.runs.drives import sheets
from models.max_iv.runs.paper import arithmetic
from sim.study.study import UNTIMED, Runs, SeedRows, Study


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if isinstance(value, float)}


STUDIES = (
    Study("disc_table", "The drives by their sheets, and single accesses to a 4138.", [Runs(sheets, UNTIMED)],
          measures=numbers),
    Study("arithmetic", "The paper's own numbers put together.", [Runs(arithmetic, UNTIMED)], measures=numbers),
)  # fmt: skip
