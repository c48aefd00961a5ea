"""The four misfits, each without and with caching, and blocks that are read once."""

from collections.abc import Mapping

from models.hp3000.runs.misfits import MISFITS, measured
from models.hp3000.runs.proportions import BLOCK, lists
from models.hp3000.studies.common import MIXED, ORDERS, PAIR, QUICK
from sim.study.gains import shorter
from sim.study.study import Runs, SeedRows, Study, StudyWindow

WINDOWS = {
    "busy": MIXED, "pressed": StudyWindow({"minutes": 15.0, "warm_up": 10.0}, QUICK),
    "scattered": ORDERS, "block": ORDERS,
}  # fmt: skip
"""A machine that swaps all the time takes longer to get there."""
ONCE = StudyWindow({"minutes": 20.0, "warm_up": 3.0}, QUICK)


def pairs() -> list[Runs]:
    return [
        Runs(each.run, WINDOWS[name], {"misfit": name}, terminals=each.terminals, caching=PAIR, **each.changes)
        for name, each in MISFITS.items()
    ]


def misfits(rows: SeedRows) -> Mapping[str, float]:
    """The four conditions; what each gains, and how far it is met."""
    measures: dict[str, float] = {}
    for name in MISFITS:
        measures |= measured(name, *(rows.one(misfit=name, caching=caching) for caching in PAIR))
    return measures


def read_once(rows: SeedRows) -> Mapping[str, float]:
    """21 clerks who list blocks as large as a fetch, and nothing again: what is gained, and how often a read hits."""
    plain, cached = (rows.one(caching=caching) for caching in PAIR)
    return {"gain": shorter(plain, cached), "hit_ratio": cached["hit_ratio"]}


STUDIES = (
    Study("misfits", "What caching gains in each of the four conditions where it should not pay.", pairs(),
          measures=misfits),
    Study("read_once", "What caching gains where a block is as large as a fetch and nothing is used again.",
          [Runs(lists, ONCE, block=BLOCK, caching=PAIR)], measures=read_once),
)  # fmt: skip
