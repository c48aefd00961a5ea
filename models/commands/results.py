"""``spindle experiment``, ``claims`` and ``report``: everything that writes into results/."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from models.commands import workers
from models.commands.arguments import Parser, folder, system, systems
from models.commands.scoreboard import painted, rows_of, scoreboard
from sim.claims.claims import read_claims
from sim.claims.verdicts import score
from sim.error import UserError, unknown
from sim.output.tables import read_table, write_table
from sim.plots.curves import save, svg
from sim.report.report import Figure
from sim.study.system import Effort, Experiment, System
from sim.sweep.fingerprint import fingerprint

QUICK = Effort(replications=5, minutes=1.0, warm_up=1.2)
USUAL = Effort(replications=5, minutes=4.0, warm_up=2.0)
FULL = Effort(replications=10, minutes=30.0, warm_up=5.0)
RESULTS = Path("results")


class Judging(NamedTuple):
    """A claim is judged by *most* replications at most, so many *first*, each *length* of its trial's minutes."""

    most: int
    first: int
    length: float = 1.0

    def __str__(self) -> str:
        seeds = f"seeds 1 to {self.first}"
        if self.most > self.first:
            seeds += f", and on to {self.most} while a claim is undecided"
        if self.length < 1.0:
            seeds += f", each run {self.length:g} of its length: verdicts may differ from those of full length"
        return seeds


JUDGING = {QUICK: Judging(3, 3, 0.1), USUAL: Judging(5, 5, 0.25), FULL: Judging(20, 20)}


def effort_options(parser: Parser) -> None:
    parser.add_argument("--quick", action="store_true", help="short runs: minutes instead of an hour")
    parser.add_argument("--full", action="store_true", help="long runs, more replications")
    workers.add_options(parser, "its workers need Spindle, and with sensitivity and ensemble must see --results")
    parser.add_argument("--results", metavar="DIR", help="default: results, or results/quick with --quick")


def effort_of(taken: Namespace) -> tuple[Effort, Effort]:
    """What the options ask for, and by which of the three it is known."""
    if taken.quick and taken.full:
        raise UserError("--quick and --full contradict each other")
    known = QUICK if taken.quick else FULL if taken.full else USUAL
    return replace(known, workers=workers.workers(taken)), known


def results_of(taken: Namespace) -> Path:
    """Where results go: quick ones apart, so that they never replace those that were made with care."""
    return Path(taken.results or (RESULTS / "quick" if taken.quick else RESULTS))


def main(arguments: Sequence[str]) -> int:
    examples = ("  spindle experiment hp3000 hit_ratio_vs_fetch --quick\n"
                "  spindle experiment max_iv hit_ratio_vs_sectors response_vs_users")  # fmt: skip
    parser = Parser("experiment", "Experiments of a system, as CSV and PNG; all of them where none is named.", examples)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("name", nargs="*", default=[], help="default: all")
    effort_options(parser)
    taken = parser.take(arguments)
    chosen = system(taken.system)
    by_name = {experiment.name: experiment for experiment in chosen.experiments}
    for name in taken.name:
        if name not in by_name:
            raise unknown("experiment", name, by_name)
    effort, _ = effort_of(taken)
    for name in taken.name or by_name:
        perform(chosen, by_name[name], effort, results_of(taken))
    return 0


def perform(chosen: System, experiment: Experiment, effort: Effort, results: Path) -> Figure:
    """Run *experiment*, write its table and its picture, and return the picture."""
    path = folder("--results", results / chosen.name) / experiment.name
    print(f"{chosen.name} {experiment.name}", flush=True)
    frame = experiment.run(effort)
    write_table(frame, path.with_suffix(".csv"), provenance(chosen, effort) | {"experiment": experiment.name})
    axes = experiment.draw(frame)
    save(axes, path.with_suffix(".png"))
    caption = _caption(experiment, frame)
    print(f"  {path}.csv and .png: {caption}", flush=True)
    return Figure(svg(axes), caption)


def kept(chosen: System, experiment: Experiment) -> Figure | None:
    """The picture of the table that an earlier run of *experiment* left in results/; None where there is none."""
    path = RESULTS / chosen.name / f"{experiment.name}.csv"
    if not path.exists():
        return None
    frame = read_table(path)
    said = frame.attrs["provenance"]
    print(f"{chosen.name} {experiment.name}\n  as kept in {path}", flush=True)
    made = f"Kept from an earlier run: seeds {said.get('seeds')}, {said.get('minutes')}."
    if said.get("parameters") != fingerprint(chosen.parameters).hex():
        made += f" Parameters were changed since: run spindle experiment {chosen.name} {experiment.name} again."
    return Figure(svg(experiment.draw(frame)), f"{_caption(experiment, frame)} {made}")


def _caption(experiment: Experiment, frame: pd.DataFrame) -> str:
    return f"{experiment.shows} {experiment.remark(frame)}".rstrip()


def provenance(chosen: System, effort: Effort) -> dict[str, object]:
    """What a table says about where it comes from."""
    seeds = effort.seeds
    return {
        "system": chosen.name, "spindle": version("spindle"), "parameters": fingerprint(chosen.parameters).hex(),
        "seeds": f"{seeds[0]}..{seeds[-1]}",
        "minutes": f"{effort.minutes:g} after {effort.warm_up:g} of warm-up, where the experiment does not say",
    }  # fmt: skip


def claims(arguments: Sequence[str]) -> int:
    examples = "  spindle claims hp3000 --quick\n  spindle claims"
    parser = Parser("claims", "Hold the simulation to the numbers that the papers print.", examples)
    parser.add_argument("system", nargs="?", help="default: all")
    effort_options(parser)
    taken = parser.take(arguments)
    effort, known = effort_of(taken)
    chosen = systems(taken.system)
    frame = judged(chosen, effort, JUDGING[known], results_of(taken))
    print(painted(f"{rows_of(frame)}\n\n{scoreboard(frame, [each.name for each in chosen])}"))
    return 0


def judged(chosen: Sequence[System], effort: Effort, judging: Judging, results: Path) -> pd.DataFrame:
    """The claims of the systems *chosen*, judged and written to claims.csv."""
    place = folder("--results", results if len(chosen) != 1 else results / chosen[0].name)
    frames = []
    for each in chosen:
        print(f"{each.name} claims", flush=True)
        trials = {name: partial(trial, length=judging.length) for name, trial in each.trials.items()}
        seeds = range(1, judging.most + 1)
        frames.append(score(read_claims(each.claims), trials, seeds, judging.first, effort.workers, effort.progress))
    frame = pd.concat(frames, ignore_index=True)
    said = {
        "spindle": version("spindle"), "replications": f"{judging.first} to {judging.most}",
        "length": f"{judging.length:g} of each trial's minutes",
    }  # fmt: skip
    write_table(frame, place / "claims.csv", said)
    return frame
