"""What is fitted to the uncached machine, and a member's runs with it."""

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from math import exp, log
from typing import Any

from models.hp3000.ensemble.member import Member
from models.hp3000.machine import Choices
from models.hp3000.parameters import Parameters
from models.hp3000.run import run
from models.hp3000.runs.other_work import OtherWork

PHASES = 4
"""Of a programmer's round of some six minutes, so that a short run sees all of it."""


@dataclass(frozen=True)
class Knobs:
    """The four numbers that are fitted, each as a multiple of what the default machine has.

    *pace* multiplies the clerks' think and typing times, *computing* the CPU time of data base calls and programs,
    *touching* the calls that touch a block, at the cost of those that do not, *records* those of development files.
    """

    pace: float = 1.0
    computing: float = 1.0
    touching: float = 1.0
    records: float = 1.0

    @property
    def logs(self) -> list[float]:
        return [log(each) for each in astuple(self)]

    @staticmethod
    def of(logs: Sequence[float]) -> "Knobs":
        return Knobs(*(exp(each) for each in logs))

    def settings(self) -> dict[str, float]:
        """As parameters of a run."""
        usual = Parameters()
        return {
            "pace_scale": self.pace, "call_cpu": usual.call_cpu * self.computing, "compute_scale": self.computing,
            "development_scale": self.computing, "touch_scale": self.touching,
            "records_scale": usual.records_scale * self.records,
        }  # fmt: skip

    def row(self) -> dict[str, float]:
        return asdict(self)


NAMES = tuple(each.name for each in fields(Knobs))


def simulate(
    member: Member, knobs: Knobs, terminals: int, development: int, caching: bool, seed: int, minutes: float,
    warm_up: float, other_work: float = 0.0, **changes: Any,
) -> dict[str, float]:  # fmt: skip
    """The summary of one run of *member*, with the *changes* that an experiment makes to its parameters."""
    if other_work:
        changes["watch"] = OtherWork(other_work, seed)
    result = run(
        terminals, development, caching, seed, minutes, warm_up, keep_rows=False,
        choices=Choices(hold=member.hold, alignment=member.alignment),
        **{**member.settings(), **knobs.settings(), "phases": PHASES, **changes},
    )
    summary = result.summary()
    return summary | {"paused": summary["paused_disc"] + summary["paused_swap"]}
