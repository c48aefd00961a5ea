"""Answers ``spindle sensitivity``: judges claims anew with assumed parameters changed, one at a time or together."""

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from spindle.cli.judged import FULL, Judged, effort_of, last_kept
from spindle.cli.paper_questions import ALL_POINTS, FEW_POINTS, JOINT_PARAMETERS, USUAL_POINTS, SensitivityQuestion
from spindle.sim.error import UserError, check_known
from spindle.studies.claims.global_sensitivity import JointDesign, global_sensitivity, remark, screen_design
from spindle.studies.claims.sensitivity import (
    IMPOSSIBLE,
    read_sensitivity,
    same_variants,
    scored_claims,
    sensitivity,
    stability,
    variants,
    write_sensitivity,
)
from spindle.studies.claims.verdicts import Verdict
from spindle.studies.plots.files import save
from spindle.studies.report.sensitivity_board import global_board, sensitivity_board
from spindle.system import System
from spindle.systems import find_system

FACTOR_WORDS = {0.5: "halved", 2.0: "doubled"}
"""The word for each factor by which a parameter is changed."""
VARIANT_SEEDS = {True: 2, False: 3}
"""Number of seeds with which each changed parameter is run, by whether --quick is given."""


def change_parameters(asked: SensitivityQuestion) -> int:
    """Judge the claims with each parameter changed; print, draw and keep the verdicts; the exit status."""
    judged = Judged(find_system(asked.system), effort_of(asked.effort, asked.runners), asked.effort.place)
    if asked.global_:
        return _run_joint(asked, judged)
    effort, system = judged.effort, judged.system
    seeds = VARIANT_SEEDS[effort.quick] if not effort.anew else FULL.replications.first
    path = judged.folder / "sensitivity"
    print("\n".join(_plan(system, seeds, effort.quick)), flush=True)
    frame = sensitivity(system, seeds, judged.book, effort.quick)
    write_sensitivity(path.with_suffix(".csv"), frame, system, {"system": system.name, "seeds": f"1..{seeds}"})
    save(sensitivity_board(frame), path.with_suffix(".png"))
    judged.save()
    print("\n".join([*findings(frame), "", stability(frame), f"{path}.csv and .png"]))
    return 0


def _plan(system: System, seeds: int, quick: bool) -> Iterator[str]:
    tried, claims = variants(system.parameters), scored_claims(system)
    named = {claim.study for claim in claims}
    runs = sum(len(study.points()) for study in system.studies if study.name in named) * (1 + len(tried)) * seeds
    yield (
        f"{system.name} sensitivity: {len(claims)} claims, as assumed and in {len(tried)} variants of "
        f"{len({each.parameter for each in tried})} parameters; at most {runs} runs"
    )
    same = [f"{each.parameter} {FACTOR_WORDS[each.factor]} ({each.usual:g})"
            for each in same_variants(system.parameters)]  # fmt: skip
    if same:
        yield f"left out, as the change has no effect on the value: {', '.join(same)}"
    if quick:
        yield "the runs are so short that verdicts may differ from those of spindle claims, and many stay undecided"


def findings(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a line for each verdict that changes, and one on the parameters that change none."""
    width = max(len(_label(row)) for row in _rows(frame))
    yield ""
    for row in _rows(frame[frame["flips"]]):
        yield (
            f"{_label(row) + ':':<{width + 1}} {row['id']:<5} {row['base_verdict']:<5} -> {row['verdict']:<5}  "
            f"{row['base']:.3g} -> {row['simulated']:.3g}, bounds {row['low']:.3g} to {row['high']:.3g}"
        )
    for row in _rows(frame[frame["verdict"].eq(IMPOSSIBLE)].drop_duplicates(["parameter", "factor", "why"])):
        yield f"{_label(row)}: impossible: {row['why']}"
    moving = frame.loc[frame["flips"], "parameter"]
    still = [name for name in frame["parameter"].unique() if name not in set(moving)]
    yield f"flip nothing: {', '.join(still) or 'none'}"
    open_ = frame.loc[frame["base_verdict"].eq(str(Verdict.UNDECIDED)), "id"].unique()
    if len(open_):
        yield f"undecided as assumed, with this number and length of replications: {', '.join(open_)}"


def _rows(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")


def _label(row: dict[Any, Any]) -> str:
    return f"{FACTOR_WORDS[row['factor']]} {row['parameter']} ({row['usual']:g} to {row['value']:g})"


# ``--global``: how much each assumed parameter contributes when all are changed together.

JOINT_SEEDS = 2
"""Number of seeds of each point; two give the spread by chance."""


def _run_joint(asked: SensitivityQuestion, judged: Judged) -> int:
    system, effort, path = judged.system, judged.effort, judged.folder / "sensitivity_global"
    design = _plan_design(asked, judged)
    studies = ",".join(study.name for study in design.studies)
    print(f"{system.name} sensitivity: {', '.join(design.parameters)} drawn together, {design.points} points for "
          f"{studies}; {design.runs()} runs", flush=True)  # fmt: skip
    frame = global_sensitivity(system, design, judged.book, effort.quick)
    metadata = {"system": system.name, "studies": studies, "points": design.points, "seeds": f"1..{design.seeds}"}
    write_sensitivity(path.with_suffix(".csv"), frame, system, metadata)
    save(global_board(frame), path.with_suffix(".png"))
    judged.save()
    print(f"{_indices_page(frame)}\n\n{remark(frame)}\n{path}.csv and .png")
    return 0


def _plan_design(asked: SensitivityQuestion, judged: Judged) -> JointDesign:
    """Plan the runs: of the named studies and parameters, or those with most effect when changed one at a time."""
    system, effort = judged.system, judged.effort
    usual = FEW_POINTS if effort.quick else ALL_POINTS if effort.anew else USUAL_POINTS
    points = usual if asked.points is None else asked.points
    by_name = {study.name: study for study in system.studies if study.name in {each.study for each in judged.claims}}
    studies = _choose_names("study", asked.studies, by_name)
    assumed = {each.parameter for each in variants(system.parameters)}
    parameters = _choose_names("assumed parameter", asked.parameters, assumed)
    if not (studies and parameters):
        alone = last_kept(asked.effort.place, system, read_sensitivity, "sensitivity.csv")
        if alone is None:
            raise UserError(f"what matters most is not known: run spindle sensitivity {system.name}, or name --studies "
                            "and --parameters")  # fmt: skip
        table = alone.frame[alone.frame["parameter"].isin(assumed)]
        sizes = {name: len(study.points(effort.quick)) for name, study in by_name.items()}
        screen = screen_design(table, scored_claims(system), sizes, studies, len(parameters) or JOINT_PARAMETERS)
        studies, parameters = studies or screen[0], parameters or screen[1]
        if not studies or len(parameters) < 2:
            raise UserError(f"no two assumed parameters of {system.name} move claims of one study, each by itself: "
                            "name --studies and --parameters")  # fmt: skip
    return JointDesign([by_name[name] for name in studies], parameters, points, JOINT_SEEDS)


def _choose_names(what: str, text: str, choices: Collection[str]) -> list[str]:
    names = list(dict.fromkeys(text.split(","))) if text else []
    check_known(what, choices, *names)
    return names


def _indices_page(frame: pd.DataFrame) -> str:
    shown = frame[frame["spread"] > 0.0]
    columns = ["id", "measure", "parameter", "first", "first_low", "first_high", "total", "total_low", "total_high",
               "chance", "together"]  # fmt: skip
    return str(shown[columns].to_string(index=False, float_format=lambda value: f"{value:.2f}"))
