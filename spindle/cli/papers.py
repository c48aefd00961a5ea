"""Runs the commands on papers, such as ``spindle claims``: reads the options first, then imports what takes a second.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from spindle.cli.fields import take_fields
from spindle.cli.paper_questions import (
    ClaimsQuestion,
    EnsembleQuestion,
    ExperimentQuestion,
    ReportQuestion,
    SensitivityQuestion,
)
from spindle.questions.field import option_of
from spindle.sim.error import UserError

QUESTIONS_AND_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "experiment": (ExperimentQuestion, "run_studies"), "claims": (ClaimsQuestion, "judge_claims"),
    "sensitivity": (SensitivityQuestion, "change_parameters"), "ensemble": (EnsembleQuestion, "fit_members"),
    "report": (ReportQuestion, "make_report"),
}  # fmt: skip
"""The options of each command, and the function that answers it, in the module of the command's name."""


def answer_paper(name: str, arguments: Sequence[str]) -> int:
    """Read the options of the command *name* from *arguments*, and answer it; the exit status."""
    question, function = QUESTIONS_AND_FUNCTIONS[name]
    if name == "experiment":
        _check_options(arguments)
    asked = take_fields(name, question, arguments)
    status: int = getattr(import_module(f"spindle.cli.{name}"), function)(asked)
    return status


def _check_options(arguments: Sequence[str]) -> None:
    """Raise UserError for a setting of runs, which ``experiment`` does not take: a study sets them itself."""
    from spindle.systems import find_system, system_names

    systems = [word for word in arguments if word in system_names()]
    if not systems or len(arguments) == 1:
        return
    from spindle.studies.settings import settings_of

    known = {option_of(name) for name in (*settings_of(find_system(systems[0])), "set")}
    for option in (word.partition("=")[0] for word in arguments):
        if option in known:
            raise UserError(f"{option} is an option of run, sweep and find; a study has its own runs")


experiment, claims, sensitivity, ensemble, report = (partial(answer_paper, name) for name in QUESTIONS_AND_FUNCTIONS)
