"""``spindle sensitivity``: how much the verdicts of the claims depend on assumed numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from spindle.cli import joint_sensitivity as joint
from spindle.cli.arguments import ArgumentParser
from spindle.cli.results import FULL, Judged, effort_of, effort_options, results_of
from spindle.studies.claims.sensitivity import (
    IMPOSSIBLE,
    left_out,
    scored_claims,
    sensitivity,
    stand,
    variants,
    write_sensitivity,
)
from spindle.studies.claims.verdicts import Verdict
from spindle.studies.plots.style import save
from spindle.studies.report.boards import sensitivity_board
from spindle.studies.system import System
from spindle.systems import find_system

WORDS = {0.5: "halved", 2.0: "doubled"}


SEEDS = {True: 2, False: 3}
"""Of a quick look, and of one that verdicts are judged by: every variant of every parameter is run."""


def main(arguments: Sequence[str]) -> int:
    examples = ("  spindle sensitivity hp3000 --quick\n  spindle sensitivity max_iv\n"
                "  spindle sensitivity windows_nt --global --studies random_update --points 32")  # fmt: skip
    parser = ArgumentParser(
        "sensitivity", "Judge every claim of a system again with each of its assumed parameters halved\n"
                       "and doubled, one at a time: which verdicts flip.", examples)  # fmt: skip
    parser.add_argument("system", help="see: spindle list")
    joint.add_options(parser)
    effort_options(parser)
    options = parser.take(arguments)
    judged = Judged(find_system(options.system), effort_of(options), results_of(options))
    if joint.is_wanted(options):
        return joint.run(options, judged, results_of(options))
    effort, system = judged.effort, judged.system
    seeds = SEEDS[effort.quick] if not effort.anew else FULL.replications.first
    path = judged.folder / "sensitivity"
    print("\n".join(_plan(system, seeds, effort.quick)), flush=True)
    frame = sensitivity(system, seeds, judged.book, effort.quick)
    write_sensitivity(path.with_suffix(".csv"), frame, system, {"system": system.name, "seeds": f"1..{seeds}"})
    save(sensitivity_board(frame), path.with_suffix(".png"))
    judged.save()
    print("\n".join([*findings(frame), "", stand(frame), f"{path}.csv and .png"]))
    return 0


def _plan(system: System, seeds: int, quick: bool) -> Iterator[str]:
    tried, claims = variants(system.parameters), scored_claims(system)
    named = {claim.study for claim in claims}
    runs = sum(len(study.points()) for study in system.studies if study.name in named) * (1 + len(tried)) * seeds
    yield (
        f"{system.name} sensitivity: {len(claims)} claims, as assumed and in {len(tried)} variants of "
        f"{len({each.parameter for each in tried})} parameters; at most {runs} runs"
    )
    same = [f"{each.parameter} {WORDS[each.factor]} ({each.usual:g})" for each in left_out(system.parameters)]
    if same:
        yield f"left out, for it stays what it is: {', '.join(same)}"
    if quick:
        yield "so short that verdicts may differ from those of spindle claims, and much stays undecided"


def findings(frame: pd.DataFrame) -> Iterator[str]:
    """A line for each verdict that flips, and what flips none."""
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
    yield f"flip nothing: {', '.join(still) or 'none of them'}"
    open_ = frame.loc[frame["base_verdict"].eq(str(Verdict.UNDECIDED)), "id"].unique()
    if len(open_):
        yield f"undecided as assumed, with this number and length of replications: {', '.join(open_)}"


def _rows(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")


def _label(row: dict[Any, Any]) -> str:
    return f"{WORDS[row['factor']]} {row['parameter']} ({row['usual']:g} to {row['value']:g})"
