"""The options of the commands on papers: experiment, claims, sensitivity, ensemble and report."""

from dataclasses import dataclass

from spindle.cli.effort import EFFORT, EffortOptions
from spindle.cli.workers import HERE, WorkerOptions
from spindle.questions.field import ask
from spindle.questions.settings import Words

QUICK_MEMBERS, USUAL_MEMBERS, FULL_MEMBERS, MAX_MEMBERS = 4, 40, 200, 100_000
"""Machines of an ensemble that are tried besides the default one: with --quick, usually, with --full, and at most."""
JOINT_PARAMETERS = 4
"""Parameters that ``sensitivity --global`` draws together where none are named."""
FEW_POINTS, USUAL_POINTS, ALL_POINTS = 16, 64, 256
"""Points at which parameters are drawn together: with --quick, usually, and with --full."""
NEEDS_GLOBAL = ("global_",)
"""What an option needs that has no meaning without --global."""


@dataclass(frozen=True)
class ExperimentQuestion:
    """Options of ``spindle experiment``: a system, and its studies to run and draw."""

    system: str = ask("", "see: spindle list", first="1", metavar="system")
    name: Words = ask((), "studies; default all", first="*", metavar="name")
    effort: EffortOptions = EFFORT
    runners: WorkerOptions = HERE


@dataclass(frozen=True)
class ClaimsQuestion:
    """Options of ``spindle claims``: one system whose claims are judged, or all."""

    system: str | None = ask(None, "default all; the claims of one are kept only with --results", first="?",
                             metavar="system")
    effort: EffortOptions = EFFORT
    runners: WorkerOptions = HERE
    export: str = ask("", "with commands and versions, or .csv; default none", metavar="FILE.parquet")


@dataclass(frozen=True)
class SensitivityQuestion:
    """Options of ``spindle sensitivity``: whether assumed parameters are changed one at a time or together."""

    system: str = ask("", "see: spindle list", first="1", metavar="system")
    global_: bool = ask(False, "draw the parameters together, between half and double: Sobol indices")
    studies: str = ask("", "with --global; default the one with most effects", metavar="NAME,...", needs=NEEDS_GLOBAL,
                       because="{}")
    parameters: str = ask("", f"with --global; default the {JOINT_PARAMETERS} that matter most there, one at a time",
                          metavar="NAME,...", needs=NEEDS_GLOBAL, because="{}")
    points: int | None = ask(None, f"with --global, a power of 2; default {USUAL_POINTS}; --quick {FEW_POINTS}, --full "
                             f"{ALL_POINTS}", needs=NEEDS_GLOBAL, because="{}")  # fmt: skip
    effort: EffortOptions = EFFORT
    runners: WorkerOptions = HERE


@dataclass(frozen=True)
class EnsembleQuestion:
    """Options of ``spindle ensemble``: a system, and how many machines with drawn parameters are tried."""

    system: str = ask("", "see: spindle list", first="1", metavar="system")
    members: int | None = ask(None, f"default {USUAL_MEMBERS}; --quick {QUICK_MEMBERS}, --full {FULL_MEMBERS}", least=1,
                              most=MAX_MEMBERS)
    effort: EffortOptions = EFFORT
    runners: WorkerOptions = HERE


@dataclass(frozen=True)
class ReportQuestion:
    """Options of ``spindle report``, which has all systems, studies and claims on one page."""

    effort: EffortOptions = EFFORT
    runners: WorkerOptions = HERE
