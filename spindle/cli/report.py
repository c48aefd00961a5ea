"""Answers ``spindle report``: writes one page with all studies and claims, and the last ensembles and sensitivities."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version as installed
from itertools import chain, islice
from pathlib import Path
from platform import machine, python_version, system

import pandas as pd

from spindle.cli.ensemble import read_members
from spindle.cli.judged import GLANCE, RUNS_STORE, Effort, Judged, effort_of, last_kept, verify, write_claims
from spindle.cli.named_files import folder
from spindle.cli.paper_questions import ReportQuestion
from spindle.cli.printing import complain
from spindle.output.origin import commit, source
from spindle.sim.parameter import describe
from spindle.studies.claims import ensemble_bands as bands
from spindle.studies.claims.ensemble import member_trial
from spindle.studies.claims.global_sensitivity import read_global, remark
from spindle.studies.claims.sensitivity import newer_claims, read_sensitivity, stability
from spindle.studies.claims.verdicts import independent
from spindle.studies.drawing import Drawn, Sketch, draw_all
from spindle.studies.plots.files import svg
from spindle.studies.report.report import Hero, Panel, SystemSection, write_report
from spindle.studies.report.sensitivity_board import (
    CAPTION,
    GLOBAL_CAPTION,
    PAIRS_CAPTION,
    ensemble_pairs,
    ensemble_strips,
    global_board,
    sensitivity_board,
)
from spindle.studies.sweep.store import remove_idle
from spindle.system import System
from spindle.systems import systems
from spindle.version import VERSION

PACKAGES = ("simpy", "numpy", "scipy", "pandas", "matplotlib", "loky", "pyyaml", "lark", "jinja2")
"""Packages that numbers and pictures depend on; the report names their versions."""
QUICK_REMARK = ("A quick look: short windows and one seed. The titles of pictures say what long runs showed; these "
                 "may show something else, and judge nothing.")  # fmt: skip
"""The remark at the head of a quick report."""
FIRST_PICTURE = "hp3000/response_vs_terminals"
"""The study whose picture the report begins with."""


def make_report(asked: ReportQuestion) -> int:
    """Run what is not kept, judge all claims, and write the report into the results; the exit status."""
    effort, results = effort_of(asked.effort, asked.runners), folder("--results", asked.effort.place)
    began = time.monotonic()
    judged = [_judge(each, effort, results) for each in systems(None)]
    print(_first_words(judged, results), flush=True)
    verify(judged, results / RUNS_STORE)
    for each in judged:
        _replicate(each)
    remove_idle(results / RUNS_STORE)
    sections = _sections(judged, results)
    frame = write_claims([each.verdicts() for each in judged], results)
    parameters = {each.system.name: describe(each.system.parameters) for each in judged}
    short = any(each.effort.quick for each in judged)
    hero = None if short else _hero(sections, frame, judged)
    warning = QUICK_REMARK if short else ""
    write_report(results / "report.html", sections, frame, parameters, _origin_rows(judged, effort), hero, warning)
    print(f"{results / 'report.html'}: open it in a browser (made in {time.monotonic() - began:.0f} s)")
    return 0


def _judge(system: System, effort: Effort, results: Path) -> Judged:
    """Return the judge of *system*; a quick report shows kept runs, and short windows only where none are kept."""
    judged = Judged(system, replace(GLANCE, workers=effort.workers) if effort.quick else effort, results)
    return judged if not effort.quick or judged.is_kept() else Judged(system, effort, results)


def _first_words(judged: Sequence[Judged], results: Path) -> str:
    """Return a sentence on what is computed first, some of the kept runs or all runs, and how long that takes."""
    drawn = sum(len(each.first) for each in judged if each.is_compared)
    others = [each.system.name for each in judged if not (each.is_compared and each.is_kept())]
    return "; ".join(filter(None, [f"{drawn} kept runs, drawn to be computed again" if drawn else "",
                                   f"all runs of {', '.join(others)}, not kept in {results}: "
                                   f"{_usual_time(judged)}" if others else ""]))  # fmt: skip


def _usual_time(judged: Sequence[Judged]) -> str:
    """Return words on how long runs take that are not kept."""
    return "minutes" if all(each.effort.quick for each in judged) else "hours; --quick takes minutes"


def _replicate(judged: Judged) -> None:
    """Run the remaining seeds of all studies, except runs that are kept."""
    print(f"{judged.system.name}", flush=True)
    judged.replicate(judged.system.studies)
    judged.save()


def _sections(judged: Sequence[Judged], results: Path) -> list[SystemSection]:
    """Return a section of the report for each system; pictures are drawn for all systems at once."""
    sketches = [each.sketches(each.system.studies) for each in judged]
    pictures = iter(draw_all([*chain(*sketches)], judged[0].effort.workers))
    return [_section(each, own, list(islice(pictures, len(own))), results)
            for each, own in zip(judged, sketches, strict=True)]  # fmt: skip


def _section(
    judged: Judged, sketches: Sequence[Sketch], pictures: Sequence[Drawn], results: Path
) -> SystemSection:
    each = judged.system
    figures = [*judged.show(each.studies, sketches, pictures), *_ensemble(each, results)]
    return SystemSection(each.name, each.title, each.paper, each.question, figures,
                         list(_assumptions(each, results)))  # fmt: skip


def _hero(sections: Sequence[SystemSection], claims: pd.DataFrame, judged: Sequence[Judged]) -> Hero | None:
    """Return the report's first picture, of the HP3000, with its numbers; None without it."""
    panel = next((each for section in sections for each in section.figures if each.name == FIRST_PICTURE), None)
    if panel is None:
        return None
    means = {row["id"]: (row["simulated"], row["published"]) for row in claims.to_dict("records")}
    (uncached, measured), (cached, measured_cached) = means["B33"], means["B34"]
    held, total = independent(claims)["all"]
    runs = sum(each.book.computed + each.book.taken for each in judged)
    return Hero(panel, [
        (f"{uncached:.2f} to {cached:.2f} s", "mean response of 101 terminals without and with disc caching; "
         f"measured in 1983: {measured:g} and {measured_cached:g} s"),
        (f"{held} of {total}", "predictions of the papers' numbers and curves, to which nothing was fitted, hold"),
        (f"{runs:,}", "runs lie behind this page; each was checked against the laws of its queues and its memory"),
    ])  # fmt: skip


def _ensemble(each: System, results: Path) -> list[Panel]:
    """Return the pictures of the last kept ensemble; a new one would take half an hour."""
    last = last_kept(results, each, read_members, "ensemble.csv")
    if each.ensemble is None or last is None:
        return []
    name, made = f"{each.name}/ensemble", f"spindle ensemble {each.name}"
    if not _fresh(name, last.stale, made):
        return []
    bench = member_trial(each)
    text = f"{bands.remark(bench, last.frame)} {each.ensemble.shows}"
    panels = [Panel(svg(ensemble_strips(bench, last.frame)), text, each.ensemble.shows, name, made)]
    pairs = ensemble_pairs(bench, last.frame)
    if pairs is not None:
        met = "Which claims the same machine meets."
        panels.append(Panel(svg(pairs), PAIRS_CAPTION, met, f"{name}_together", made))
    return panels


def _assumptions(each: System, results: Path) -> Iterator[Panel]:
    """Yield the pictures of the last kept sensitivity tables; new ones would take longer than all other parts."""
    alone = last_kept(results, each, read_sensitivity, "sensitivity.csv")
    made = f"spindle sensitivity {each.name}"
    if alone is not None and _fresh(f"{each.name}/sensitivity", alone.stale, made):
        newer = newer_claims(each, alone.frame)
        since = f"Claims that are newer than this table, and not in it: {', '.join(newer)}." if newer else ""
        words = f"{stability(alone.frame)} {since} {CAPTION}"
        alt = "Each claim against each assumed parameter, halved and doubled."
        yield Panel(svg(sensitivity_board(alone.frame)), words, alt, f"{each.name}/sensitivity", made)
    together = last_kept(results, each, read_global, "sensitivity_global.csv")
    made += " --global"
    if together is not None and _fresh(f"{each.name}/sensitivity_global", together.stale, made):
        words, alt = f"{remark(together.frame)} {GLOBAL_CAPTION}", "Sobol' indices of each assumed parameter."
        yield Panel(svg(global_board(together.frame)), words, alt, f"{each.name}/sensitivity_global", made)


def _fresh(name: str, stale: bool, made: str) -> bool:
    """Tell if a kept table is not *stale*; else print the command that makes it anew."""
    if stale:
        complain(f"{name} was made before claims or parameters were changed, and is not shown: {made}")
    return not stale


def _origin_rows(judged: Sequence[Judged], effort: Effort) -> dict[str, object]:
    """Return what the numbers depend on, by name: versions, replications; neither the day nor the processes used."""
    short = [each.system.name for each in judged if each.effort.quick]
    return {
        "command": f"spindle report {effort.option}".rstrip(),
        "Spindle": f"{VERSION}, commit {commit()}, source {source()}",
        "Python": f"{python_version()} on {system()} {machine()}",
        "packages": ", ".join(f"{name} {installed(name)}" for name in PACKAGES),
        "replications": f"{', '.join(dict.fromkeys(str(each.effort.replications) for each in judged))}, the same for "
                        "every configuration of a system; more where more are kept",
        "windows": f"short ones of {', '.join(short)}: nothing of these is a verdict" if short
                   else "as each study needs, at full length",
        "runs": _runs(judged),
    }


def _runs(judged: Sequence[Judged]) -> str:
    """Return a sentence on how many runs were computed for the report, and whether they equal the kept ones."""
    books = [each.book for each in judged]
    computed, reused, equal, identical = (sum(getattr(book, name) for book in books)
                                          for name in ("computed", "taken", "equal", "identical"))  # fmt: skip
    differing = sum(len(book.differing) for book in books)
    drawn = ", drawn from those of each study," if any(each.is_compared and each.first for each in judged) else ""
    kept = f"; {reused} are kept, of the same model on the same kind of platform" if reused else ""
    digits = "the last digit" if identical == equal else "eleven digits"
    compared = f", {equal} of them equal to what was kept, to {digits}" if equal else ""
    parted = f", {differing} of them not equal to what was kept" if differing else ""
    return f"{computed} of {computed + reused}{drawn} were computed for this page{compared}{parted}{kept}"
