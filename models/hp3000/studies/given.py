"""What the paper states and the model takes as it is, and what a read takes on an idle machine."""

from collections.abc import Mapping

from models.hp3000.runs.alone import given, reads
from sim.study.study import UNTIMED, Runs, SeedRows, Study


def numbers(rows: SeedRows) -> Mapping[str, float]:
    return {name: value for name, value in rows.one().items() if name != "seed"}


STUDIES = (
    Study("hit_time", "A hit, a miss and an uncached access on a machine that has nothing else to do.",
          [Runs(reads, UNTIMED)], measures=numbers),
    Study("given", "Inputs of the model that the paper prints.", [Runs(given, UNTIMED)], measures=numbers),
)  # fmt: skip
