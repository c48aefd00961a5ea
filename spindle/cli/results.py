"""Run and judge studies, and keep their tables and pictures in results/: ``spindle experiment`` and ``claims``."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size, rmtree
from typing import Any, TypeVar

import pandas as pd

from spindle.cli.arguments import folder, named_folder, workers_of
from spindle.cli.printing import complain, paint
from spindle.folders import RESULTS
from spindle.output.files import write_whole
from spindle.output.kept_tables import keep_table, read_origins
from spindle.output.origin import source
from spindle.output.tables import TableFile, number
from spindle.sim.error import UserError, unknown
from spindle.studies.claims.claims import Claim, read_claims
from spindle.studies.claims.verdicts import (
    MAX_SEEDS,
    ROLES,
    SeedCount,
    check_studies,
    headline,
    parts_of_score,
    replicate,
    score,
    tally,
)
from spindle.studies.drawing import Drawn, Sketch, draw_all
from spindle.studies.kept_runs import KeptRuns, RunBook, Wanted, make_together
from spindle.studies.report.report import Panel
from spindle.studies.study import Figure, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.system import System
from spindle.systems import find_system, systems
from spindle.version import VERSION
from spindle.web.play.request import link_of

# Claims as a terminal shows them: every one of them, and the scoreboard with those that do not hold.

FALLBACK = (100, 24)
"""Columns and lines where the size of the terminal is unknown."""


def rows_of(claims: pd.DataFrame) -> str:
    """A line for each of *claims*: what was published, what is allowed, what was simulated."""
    titles = ("id", "role", "verdict", "published", "unit", "bounds", "simulated", "95 % interval")
    return "\n".join(_table([titles, *map(_row, claims.to_dict("records"))], right=(3, 6)))


def _row(claim: Mapping[Any, Any]) -> tuple[str, ...]:
    unit = "" if claim["unit"] == "1" else str(claim["unit"])
    return (
        str(claim["id"]), str(claim["role"]), str(claim["verdict"]), _number(claim["published"]), unit,
        _range(claim["low"], claim["high"]), _number(claim["simulated"]), _range(claim["ci_low"], claim["ci_high"]),
    )  # fmt: skip


def _number(value: object) -> str:
    return number(float(f"{value:.4g}")) if isinstance(value, float | int) else ""


def _range(low: object, high: object) -> str:
    return f"{_number(low)} .. {_number(high)}" if _number(low) else ""


def scoreboard(claims: pd.DataFrame, systems: Sequence[str]) -> str:
    """A line for each of *systems*, how many of its claims hold by role; then those that do not, with their text."""
    tallies = {name: tally(claims[claims["system"].eq(name)]) for name in systems}
    counts = [(name, *each.held.values()) for name, each in tallies.items()]
    parts = parts_of_score(claims) if len(systems) > 1 else ""
    lines = [*filter(None, [headline(claims), parts]), *_table([("scoreboard", *map(str, ROLES)), *counts])]
    lines.append("A claim holds if the whole 95 % interval lies within its bounds; contradictory and unasked ones "
                 "are not scored.")
    missed = [
        (name, row["id"], row["role"], row["verdict"], row["says"])
        for name, each in tallies.items() for row in each.missed
    ]  # fmt: skip
    return "\n".join([*lines, "", "what does not hold", *_table(missed)] if missed else lines)


def _table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Align *rows* in columns two spaces apart, those in *right* to the right, cut to the terminal's width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [f">{width}" if place in right else f"<{width}" for place, width in enumerate(widths)]
    return [_short("  ".join(map(format, row, aligned)).rstrip()) for row in rows]


def _short(line: str) -> str:
    width = get_terminal_size(FALLBACK).columns
    return line if len(line) <= width else f"{line[: max(1, width - 3)].rstrip()}..."


RUNS = "runs"
STORE = "runs.sweep"
"""Finished runs of a command that is under way."""
T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """Effort of a command: *replications*; *quick*: short windows, which judge nothing; *anew*: no kept runs.

    *draws* is the number of kept runs of a system that are computed again, and compared; None: one of each study.
    """

    option: str
    replications: SeedCount
    quick: bool = False
    anew: bool = False
    draws: int | None = None
    workers: Workers = None
    progress: bool = True


QUICK = Effort("--quick", SeedCount(1, 1), quick=True)
GLANCE = Effort("--quick", SeedCount(5, 5), draws=1)
"""A quick report of kept runs."""
USUAL = Effort("", SeedCount(5, 5))
FULL = Effort("--full", SeedCount(10, MAX_SEEDS), anew=True)


def effort_of(options: Namespace) -> Effort:
    if options.quick and options.full:
        raise UserError("--quick and --full contradict each other")
    return replace(QUICK if options.quick else FULL if options.full else USUAL, workers=workers_of(options))


def results_of(options: Namespace) -> Path:
    """Return the folder of results; quick ones lie apart, so that they never replace those behind verdicts."""
    if options.results is not None:
        return named_folder("--results", options.results)
    return RESULTS / "quick" if options.quick else RESULTS


def run_studies(options: Namespace) -> int:
    system = find_system(options.system)
    by_name = {study.name: study for study in system.studies if study.figure is not None}
    if not by_name:
        raise UserError(f"{options.system} has no studies; spindle run and sweep take it")
    for name in options.name:
        if name not in by_name:
            raise unknown("study", name, by_name)
    studies = [by_name[name] for name in options.name] or list(by_name.values())
    judged = Judged(system, effort_of(options), results_of(options))
    judged.replicate(studies)
    judged.save()
    sketches = judged.sketches(studies)
    for panel in judged.show(studies, sketches, draw_all(sketches, judged.effort.workers)):
        print(f"\n{panel.name}: {panel.caption}")
    return 0


def judge_claims(options: Namespace) -> int:
    export = None if options.export is None else TableFile(Path(options.export))
    selection, results, effort = systems(options.system), results_of(options), effort_of(options)
    if options.system is not None and selection[0].claims is None:
        raise UserError(f"{options.system} has no paper, and so no claims")
    frames = []
    for judged in [Judged(each, effort, results) for each in selection]:
        print(f"{judged.system.name} claims", flush=True)
        named = {claim.study for claim in judged.claims}
        judged.replicate([study for study in judged.system.studies if study.name in named])
        judged.save()
        frames.append(judged.verdicts())
    frame = _kept_claims(frames, options, results)
    if export is not None:
        export.save(add_versions(frame, {each.name: each.models for each in selection}))
    print(paint(f"{rows_of(frame)}\n\n{scoreboard(frame, [each.name for each in selection])}"))
    return 0


def add_versions(claims: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    """Return *claims* with the command that judges each, and the versions of what did: a table for others to join."""
    commands = "spindle claims " + claims["system"]
    return claims.assign(command=commands, models=claims["system"].map(models), version=VERSION)


def _kept_claims(frames: Sequence[pd.DataFrame], options: Namespace, results: Path) -> pd.DataFrame:
    """All claims; those of all systems are kept in *results*, those of one only where a folder was named for them."""
    if options.system is None or options.results is not None:
        return write_claims(frames, folder("--results", results / (options.system or "")))
    return pd.concat(frames, ignore_index=True)


def last_kept(results: Path, system: System, read: Callable[[Path, System], T | None], name: str) -> T | None:
    """Read the table *name* with *read* from *results*, or from the results that the project ships.

    A damaged one is reported and not shown.
    """
    for place in dict.fromkeys((results, RESULTS)):
        try:
            if (last := read(place / system.name / name, system)) is not None:
                return last
        except UserError as error:
            complain(f"{error}; it is not shown")
    return None


def write_claims(frames: Sequence[pd.DataFrame], place: Path) -> pd.DataFrame:
    frame = pd.concat(frames, ignore_index=True)
    keep_table(frame, place / "claims.csv", {})
    return frame


def verify(judged: Sequence["Judged"], store: Path) -> None:
    """Compute the first runs of all, in one sweep that goes on from its *store* if it is killed."""
    wanted = {each.book: each.first for each in judged}
    make_together(wanted, live=True, store=store)
    for each in judged:
        each.compare()


class Judged:
    """A *system* under judgement: its claims, and the runs of its studies, kept below *results* or made."""

    def __init__(self, system: System, effort: Effort, results: Path) -> None:
        self.system = system
        self.effort = effort
        self.folder = folder("--results", results / system.name)
        read_origins(self.folder)  # errors in it are reported before anything is computed
        self.claims: list[Claim] = read_claims(system.claims)
        check_studies(self.claims, system.studies)
        self._kept = None if effort.quick else KeptRuns(self._runs(), system.models)
        for note in self._kept.notes if self._kept is not None else ():
            print(note, flush=True)
        self._store = self.folder / STORE
        self.book = RunBook(self._kept, effort.workers, effort.progress, effort.anew, self._store)
        self._counts: dict[str, int] = {}

    def _runs(self) -> Path:
        """Folder of the kept rows; outside results/ they begin as a copy of those that travel with the project."""
        path = self.folder / RUNS
        return path if path.exists() else RESULTS / self.system.name / RUNS

    @property
    def is_compared(self) -> bool:
        """True if kept runs are shown, and some of them computed again."""
        return self._kept is not None and not self.effort.anew

    @cached_property
    def first(self) -> list[Wanted]:
        """Return the runs to compute at once: those of all seeds, or kept ones that are drawn by the source."""
        effort, studies = self.effort, self.system.studies
        if self._kept is not None and not effort.anew:
            return self._kept.draw(studies, source(), effort.draws)
        return [(point, seed) for study in studies for point in study.points(effort.quick)
                for seed in study.seeds(effort.replications.first)]  # fmt: skip

    def is_kept(self) -> bool:
        """Tell if the first seed of every study is kept, so that the system can be shown without a run."""
        return all(self.book.kept_seeds(study.points(), 1) for study in self.system.studies)

    def compare(self) -> None:
        """Use kept runs only if those that were drawn are equal to what was computed."""
        for each in self.book.differing[:3]:
            place = f"models/{self.system.name}/system.py"
            print(f"{self.system.name}: {each} is not what was kept: everything is computed anew; "
                  f"if the model was changed on purpose, raise MODEL in {place}", flush=True)
        self.book.anew = self.book.anew or bool(self.book.differing)

    def save(self) -> None:
        """Keep all runs of the system's studies, and remove the store from which a killed command would go on."""
        if self._kept is not None and self.effort.draws is None:
            seeds = range(1, MAX_SEEDS + 1)
            self._kept.save(folder("--results", self.folder / RUNS), {
                study.name: [(point, seed) for point in study.points() for seed in seeds]
                for study in self.system.studies})  # fmt: skip
        rmtree(self._store, ignore_errors=True)

    def replicate(self, studies: Sequence[Study]) -> None:
        """Have *studies* run for the seeds of the effort."""
        effort, names = self.effort, {study.name for study in studies}
        claims = [claim for claim in self.claims if claim.study in names]
        self._counts |= replicate(studies, claims, self.book, effort.replications, effort.quick)

    def verdicts(self) -> pd.DataFrame:
        return score(self.claims, self.system.studies, self.book, self._counts, self.effort.quick)

    def sketches(self, studies: Sequence[Study]) -> list[Sketch]:
        """Return the sketches of *studies*, which have been run."""
        return [Sketch(figure, self._table(study, figure)) for study in studies if (figure := study.figure) is not None]

    def show(self, studies: Sequence[Study], sketches: Sequence[Sketch], pictures: Sequence[Drawn]) -> list[Panel]:
        """Write the tables and the pictures of *studies*; return the pictures."""
        shown = [study for study in studies if study.figure is not None]
        return [self._panel(*each) for each in zip(shown, sketches, pictures, strict=True)]

    def _table(self, study: Study, figure: Figure) -> pd.DataFrame:
        seeds = study.seeds(self._counts[study.name])
        return figure.table(self.book.frame(study.points(self.effort.quick), seeds))

    def _panel(self, study: Study, sketch: Sketch, picture: Drawn) -> Panel:
        path, name = self.folder / study.name, f"{self.system.name}/{study.name}"
        keep_table(sketch.table, path.with_suffix(".csv"), self._provenance(study, self._counts[study.name]))
        write_whole(path.with_suffix(".png"), picture.png)
        text = f"{sketch.caption()} {study.shows}".strip()
        print(f"{self.system.name} {study.name}: {path}.csv and .png", flush=True)
        made = f"spindle experiment {name.replace('/', ' ')}"
        return Panel(picture.svg, text, study.shows, name, made, link_of(self.system, study))

    def _provenance(self, study: Study, count: int) -> Mapping[str, object]:
        """The origin of a table, independent of day and machine."""
        windows = [runs.window.quick if self.effort.quick else runs.window.usual for runs in study.runs]
        length = "; ".join(dict.fromkeys(", ".join(f"{k} {v:g}" for k, v in each.items()) for each in windows))
        return {"system": self.system.name, "study": study.name, "seeds": f"1..{count}", "window": length or "none"}
