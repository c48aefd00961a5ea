"""``spindle sensitivity --global``: what assumed parameters do to claims when they change together."""

from argparse import Namespace
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from models.commands.arguments import ArgumentParser
from models.commands.results import Judged, left_in
from models.commands.values import whole
from sim.claims.global_sensitivity import JointDesign, global_sensitivity, remark, screened
from sim.claims.sensitivity import read_sensitivity, scored, write_sensitivity
from sim.claims.variant import variants
from sim.error import UserError, unknown
from sim.plots.pictures import save
from sim.report.global_board import global_board

OPTIONS = ("studies", "parameters", "points")
PARAMETERS, SEEDS = 4, 2
"""Drawn together where none are named; with two seeds it is known what chance does."""
QUICK, USUAL, FULL = 16, 64, 256
"""Rows of the design, each run for two drawings of all parameters and once for each."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--global", dest="together", action="store_true",
                        help="draw the parameters together, between half and double: Sobol indices")  # fmt: skip
    parser.add_argument("--studies", metavar="NAME,...", help="with --global; default: the one on which most hangs")
    most = f"with --global; default: the {PARAMETERS} that matter most there, one at a time"
    parser.add_argument("--parameters", metavar="NAME,...", help=most)
    points = f"with --global, a power of 2; default: {USUAL}; --quick {QUICK}, --full {FULL}"
    parser.add_argument("--points", metavar="N", help=points)


def is_wanted(taken: Namespace) -> bool:
    for name in OPTIONS:
        if getattr(taken, name) is not None and not taken.together:
            raise UserError(f"--{name} needs --global")
    return bool(taken.together)


def run(taken: Namespace, judged: Judged, results: Path) -> int:
    chosen, effort, path = judged.system, judged.effort, judged.folder / "sensitivity_global"
    design = _design(taken, judged, results)
    studies = ",".join(study.name for study in design.studies)
    print(f"{chosen.name} sensitivity: {', '.join(design.parameters)} drawn together, {design.points} points for "
          f"{studies}; {design.runs()} runs", flush=True)  # fmt: skip
    frame = global_sensitivity(chosen, design, judged.book, effort.quick)
    said = {"system": chosen.name, "studies": studies, "points": design.points, "seeds": f"1..{design.seeds}"}
    write_sensitivity(path.with_suffix(".csv"), frame, chosen, said)
    save(global_board(frame), path.with_suffix(".png"))
    judged.save()
    print(f"{_page(frame)}\n\n{remark(frame)}\n{path}.csv and .png")
    return 0


def _design(taken: Namespace, judged: Judged, results: Path) -> JointDesign:
    """What is named, and for what is not, what matters most by the table of one at a time."""
    chosen, effort = judged.system, judged.effort
    usual = QUICK if effort.quick else FULL if effort.anew else USUAL
    points = usual if taken.points is None else whole("--points", taken.points)
    by_name = {study.name: study for study in chosen.studies if study.name in {each.study for each in judged.claims}}
    studies = _named("study", taken.studies, by_name)
    assumed = {each.parameter for each in variants(chosen.parameters)}
    parameters = _named("assumed parameter", taken.parameters, assumed)
    if not (studies and parameters):
        alone = left_in(results, chosen, read_sensitivity, "sensitivity.csv")
        if alone is None:
            raise UserError(f"what matters most is not known: run spindle sensitivity {chosen.name}, or name --studies "
                            "and --parameters")  # fmt: skip
        table = alone.frame[alone.frame["parameter"].isin(assumed)]
        sizes = {name: len(study.points(effort.quick)) for name, study in by_name.items()}
        screen = screened(table, scored(chosen), sizes, studies, len(parameters) or PARAMETERS)
        studies, parameters = studies or screen[0], parameters or screen[1]
        if not studies or len(parameters) < 2:
            raise UserError(f"no two assumed parameters of {chosen.name} move claims of one study, each by itself: "
                            "name --studies and --parameters")  # fmt: skip
    return JointDesign([by_name[name] for name in studies], parameters, points, SEEDS)


def _named(what: str, text: str | None, known: Collection[str]) -> list[str]:
    names = [] if text is None else list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in known:
            raise unknown(what, name, known)
    return names


def _page(frame: pd.DataFrame) -> str:
    shown = frame[frame["spread"] > 0.0]
    columns = ["id", "measure", "parameter", "first", "first_low", "first_high", "total", "total_low", "total_high",
               "chance", "together"]  # fmt: skip
    return str(shown[columns].to_string(index=False, float_format=lambda value: f"{value:.2f}"))
