"""Judges the claims of a system: runs its studies, or takes kept runs, and writes tables, pictures and verdicts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import pandas as pd

from spindle.cli.effort import EffortOptions
from spindle.cli.named_files import folder
from spindle.cli.printing import complain
from spindle.cli.workers import WorkerOptions
from spindle.folders import RESULTS
from spindle.output.files import write_whole
from spindle.output.kept_tables import keep_table, read_origins
from spindle.output.origin import source
from spindle.sim.error import UserError
from spindle.studies.claims.claims import Claim, read_claims
from spindle.studies.claims.verdicts import MAX_SEEDS, SeedCount, check_studies, replicate, score
from spindle.studies.drawing import Drawn, Sketch
from spindle.studies.kept_runs import KeptRuns, Wanted
from spindle.studies.report.report import Panel
from spindle.studies.run_book import RunBook, make_together
from spindle.studies.study import Figure, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.store import remove_idle
from spindle.system import System
from spindle.web.play.links import link_of

RUNS_TABLE = "runs"
"""Name of the kept table with a row for each run."""
RUNS_STORE = "runs.sweep"
"""Name of the folder with the finished runs of a command that is under way."""
T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """The effort of a command: *replications*; *quick*, short windows and no verdicts; *anew*, without kept runs.

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
"""One run of each study in short windows."""
GLANCE = Effort("--quick", SeedCount(5, 5), draws=1)
"""A quick report of kept runs, of which one is computed again and compared."""
USUAL = Effort("", SeedCount(5, 5))
"""Five replications; kept runs are used."""
FULL = Effort("--full", SeedCount(10, MAX_SEEDS), anew=True)
"""Ten replications or more, all computed anew."""


def effort_of(asked: EffortOptions, workers: WorkerOptions) -> Effort:
    """Return the effort that *asked* names, on *workers*."""
    return replace(QUICK if asked.quick else FULL if asked.full else USUAL, workers=workers.where())


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
    """Join the claims of all *frames*, keep them in the folder *place*, and return them."""
    frame = pd.concat(frames, ignore_index=True)
    keep_table(frame, place / "claims.csv", {})
    return frame


def verify(judged: Sequence["Judged"], store: Path) -> None:
    """Compute the first runs of all systems in one sweep; a killed one is resumed from its *store*."""
    wanted = {each.book: each.first for each in judged}
    make_together(wanted, live=True, store=store)
    for each in judged:
        each.compare()


class Judged:
    """Judges a *system*: reads its claims, takes the runs that are kept below *results*, and makes other runs."""

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
        self._store = self.folder / RUNS_STORE
        self.book = RunBook(self._kept, effort.workers, effort.progress, effort.anew, self._store)
        self._counts: dict[str, int] = {}

    def _runs(self) -> Path:
        """The folder of the kept rows; outside results/ it begins as a copy of the rows that the project ships."""
        path = self.folder / RUNS_TABLE
        return path if path.exists() else RESULTS / self.system.name / RUNS_TABLE

    @property
    def is_compared(self) -> bool:
        """True if kept runs are shown, and some of them computed again."""
        return self._kept is not None and not self.effort.anew

    @cached_property
    def first(self) -> list[Wanted]:
        """Return the runs to compute first: first seeds of all studies, or kept runs drawn by a digest of source."""
        effort, studies = self.effort, self.system.studies
        if self._kept is not None and not effort.anew:
            return self._kept.draw(studies, source(), effort.draws)
        return [(point, seed) for study in studies for point in study.points(effort.quick)
                for seed in study.seeds(effort.replications.first)]  # fmt: skip

    def is_kept(self) -> bool:
        """Tell if the first seed of every study is kept, so that the system can be shown without a run."""
        return all(self.book.kept_seeds(study.points(), 1) for study in self.system.studies)

    def compare(self) -> None:
        """Use kept runs only if the runs that were drawn give the same numbers when they are computed again."""
        for run in self.book.differing[:3]:
            place = f"models/{self.system.name}/system.py"
            print(f"{self.system.name}: {run} is not what was kept: everything is computed anew; "
                  f"if the model was changed on purpose, raise MODEL in {place}", flush=True)
        self.book.anew = self.book.anew or bool(self.book.differing)

    def save(self) -> None:
        """Keep all runs of the system's studies; remove the store of a killed command, not that of a running one."""
        if self._kept is not None and self.effort.draws is None:
            seeds = range(1, MAX_SEEDS + 1)
            self._kept.save(folder("--results", self.folder / RUNS_TABLE), {
                study.name: [(point, seed) for point in study.points() for seed in seeds]
                for study in self.system.studies})  # fmt: skip
        remove_idle(self._store)

    def replicate(self, studies: Sequence[Study]) -> None:
        """Run *studies* for all seeds of the effort, except runs that are kept."""
        effort, names = self.effort, {study.name for study in studies}
        claims = [claim for claim in self.claims if claim.study in names]
        self._counts |= replicate(studies, claims, self.book, effort.replications, effort.quick)

    def verdicts(self) -> pd.DataFrame:
        return score(self.claims, self.system.studies, self.book, self._counts, self.effort.quick)

    def sketches(self, studies: Sequence[Study]) -> list[Sketch]:
        """Return what is to be drawn of *studies*, which have been run."""
        return [Sketch(figure, self._table(study, figure)) for study in studies if (figure := study.figure) is not None]

    def show(self, studies: Sequence[Study], sketches: Sequence[Sketch], pictures: Sequence[Drawn]) -> list[Panel]:
        """Write the tables and the pictures of *studies*; return the pictures with their captions."""
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
        """Return the origin of a table: what it was made from, without day and machine."""
        windows = [runs.window.quick if self.effort.quick else runs.window.usual for runs in study.runs]
        length = "; ".join(dict.fromkeys(", ".join(f"{k} {v:g}" for k, v in each.items()) for each in windows))
        return {"system": self.system.name, "study": study.name, "seeds": f"1..{count}", "window": length or "none"}
