"""``spindle sensitivity --global``: the effect on claims when assumed parameters change together."""

from argparse import Namespace
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from spindle.cli.arguments import ArgumentParser
from spindle.cli.results import Judged, left_in
from spindle.settings import whole_number
from spindle.sim.error import UserError, unknown
from spindle.studies.claims.global_sensitivity import JointDesign, global_sensitivity, remark, screen_design
from spindle.studies.claims.sensitivity import read_sensitivity, scored_claims, variants, write_sensitivity
from spindle.studies.plots.style import save
from spindle.studies.report.boards import global_board

OPTIONS = ("studies", "parameters", "points")
PARAMETERS, SEEDS = 4, 2
"""Drawn together where none are named; two seeds give the spread by chance."""
QUICK, USUAL, FULL = 16, 64, 256
"""Rows of the design, each run for two drawings of all parameters and once for each."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--global", dest="together", action="store_true",
                        help="draw the parameters together, between half and double: Sobol indices")  # fmt: skip
    parser.add_argument("--studies", metavar="NAME,...", help="with --global; default the one on which most hangs")
    most = f"with --global; default the {PARAMETERS} that matter most there, one at a time"
    parser.add_argument("--parameters", metavar="NAME,...", help=most)
    points = f"with --global, a power of 2; default {USUAL}; --quick {QUICK}, --full {FULL}"
    parser.add_argument("--points", metavar="N", help=points)


def is_wanted(options: Namespace) -> bool:
    for name in OPTIONS:
        if getattr(options, name) is not None and not options.together:
            raise UserError(f"--{name} needs --global")
    return bool(options.together)


def run(options: Namespace, judged: Judged, results: Path) -> int:
    system, effort, path = judged.system, judged.effort, judged.folder / "sensitivity_global"
    design = _design(options, judged, results)
    studies = ",".join(study.name for study in design.studies)
    print(f"{system.name} sensitivity: {', '.join(design.parameters)} drawn together, {design.points} points for "
          f"{studies}; {design.runs()} runs", flush=True)  # fmt: skip
    frame = global_sensitivity(system, design, judged.book, effort.quick)
    metadata = {"system": system.name, "studies": studies, "points": design.points, "seeds": f"1..{design.seeds}"}
    write_sensitivity(path.with_suffix(".csv"), frame, system, metadata)
    save(global_board(frame), path.with_suffix(".png"))
    judged.save()
    print(f"{_page(frame)}\n\n{remark(frame)}\n{path}.csv and .png")
    return 0


def _design(options: Namespace, judged: Judged, results: Path) -> JointDesign:
    """Plan the design: the named studies and parameters, or those that matter most in the table of one at a time."""
    system, effort = judged.system, judged.effort
    usual = QUICK if effort.quick else FULL if effort.anew else USUAL
    points = usual if options.points is None else whole_number("--points", options.points)
    by_name = {study.name: study for study in system.studies if study.name in {each.study for each in judged.claims}}
    studies = _choose_names("study", options.studies, by_name)
    assumed = {each.parameter for each in variants(system.parameters)}
    parameters = _choose_names("assumed parameter", options.parameters, assumed)
    if not (studies and parameters):
        alone = left_in(results, system, read_sensitivity, "sensitivity.csv")
        if alone is None:
            raise UserError(f"what matters most is not known: run spindle sensitivity {system.name}, or name --studies "
                            "and --parameters")  # fmt: skip
        table = alone.frame[alone.frame["parameter"].isin(assumed)]
        sizes = {name: len(study.points(effort.quick)) for name, study in by_name.items()}
        screen = screen_design(table, scored_claims(system), sizes, studies, len(parameters) or PARAMETERS)
        studies, parameters = studies or screen[0], parameters or screen[1]
        if not studies or len(parameters) < 2:
            raise UserError(f"no two assumed parameters of {system.name} move claims of one study, each by itself: "
                            "name --studies and --parameters")  # fmt: skip
    return JointDesign([by_name[name] for name in studies], parameters, points, SEEDS)


def _choose_names(what: str, text: str | None, choices: Collection[str]) -> list[str]:
    names = [] if text is None else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in choices:
            raise unknown(what, name, choices)
    return names


def _page(frame: pd.DataFrame) -> str:
    shown = frame[frame["spread"] > 0.0]
    columns = ["id", "measure", "parameter", "first", "first_low", "first_high", "total", "total_low", "total_high",
               "chance", "together"]  # fmt: skip
    return str(shown[columns].to_string(index=False, float_format=lambda value: f"{value:.2f}"))
