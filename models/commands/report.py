"""``spindle report``: every experiment and every claim, on one page."""

import time
from collections.abc import Sequence
from importlib.metadata import version as installed
from pathlib import Path
from platform import machine, python_version, system

from models.commands.arguments import Parser, folder, systems
from models.commands.ensemble import recorded
from models.commands.results import JUDGING, RESULTS, effort_of, effort_options, judged, kept, perform, results_of
from sim.claims.sensitivity import read_sensitivity, stand
from sim.output.origin import commit, source, version
from sim.parameter import describe
from sim.plots.breakdown_bars import breakdown
from sim.plots.curves import svg
from sim.report.report import Figure, Section, write_report
from sim.report.sensitivity_board import CAPTION, sensitivity_board
from sim.study.system import Effort, Experiment, System

PACKAGES = ("simpy", "numpy", "scipy", "pandas", "matplotlib", "joblib", "pyyaml", "lark", "jinja2")
"""Those that take part in a number or a picture."""


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle report --quick\n  spindle report --full --results elsewhere"
    parser = Parser("report", "Everything that Spindle knows, as results/report.html.", examples)
    effort_options(parser)
    taken = parser.take(arguments)
    effort, known = effort_of(taken)
    results = folder("--results", results_of(taken))
    option = " --quick" if taken.quick else " --full" if taken.full else ""
    began = time.monotonic()
    found = systems(None)
    sections = [_section(each, effort, results, taken.full) for each in found]
    frame = judged(found, effort, JUDGING[known], results)
    parameters = {each.name: describe(each.parameters) for each in found}
    write_report(results / "report.html", sections, frame, parameters, _made(known, option))
    print(f"{results / 'report.html'}: open it in a browser (made in {time.monotonic() - began:.0f} s)")
    return 0


def _section(each: System, effort: Effort, results: Path, full: bool) -> Section:
    figures = [_figure(each, experiment, effort, results, full) for experiment in each.experiments]
    figures += _ensemble(each, results)
    parts = breakdown(each.breakdown(effort), "run", title="Where the time of a response goes")
    anatomy = [Figure(svg(parts), each.anatomy)]
    return Section(each.name, each.title, each.paper, each.question, figures, anatomy, _assumptions(each, results))


def _figure(each: System, experiment: Experiment, effort: Effort, results: Path, full: bool) -> Figure:
    """A slow experiment is shown as it was kept, where it was, unless everything is to be run."""
    shown = None if full or not experiment.slow else kept(each, experiment)
    return shown or perform(each, experiment, effort, results)


def _ensemble(each: System, results: Path) -> list[Figure]:
    """What spindle ensemble recorded last; it takes half an hour, and is not made anew."""
    found = recorded((results, RESULTS), each)
    if each.ensemble is None or found is None:
        return []
    frame, stale = found
    said = " Made before parameters were changed: run spindle ensemble again." if stale else ""
    return [Figure(svg(each.ensemble.draw(frame)), f"{each.ensemble.shows} {each.ensemble.remark(frame)}{said}")]


def _assumptions(each: System, results: Path) -> Figure | None:
    """What spindle sensitivity found last: it takes longer than everything else together, and is not made anew."""
    places = (place / each.name / "sensitivity.csv" for place in (results, RESULTS))
    last = next((found for path in places if (found := read_sensitivity(path, each)) is not None), None)
    if last is None:
        return None
    stale = " Made before claims or parameters were changed: run spindle sensitivity again." if last.stale else ""
    return Figure(svg(sensitivity_board(last.frame)), f"{stand(last.frame)} {CAPTION}{stale}")


def _made(known: Effort, option: str) -> dict[str, object]:
    """Only what decides the numbers: neither the day nor the time it took, nor how many processes shared the work."""
    return {
        "command": f"spindle report{option}",
        "Spindle": f"{version()}, commit {commit()}, source {source()}",
        "Python": f"{python_version()} on {system()} {machine()}",
        "packages": ", ".join(f"{name} {installed(name)}" for name in PACKAGES),
        "experiments": f"seeds 1 to {known.replications}, the same for every configuration",
        "a replication": f"{known.minutes:g} minutes after {known.warm_up:g} of warm-up, unless a caption says other",
        "claims": str(JUDGING[known]),
    }
