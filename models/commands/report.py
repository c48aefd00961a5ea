"""``spindle report``: every experiment and every claim, on one page."""

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from models.commands.arguments import Parser, systems
from models.commands.results import CLAIM_SEEDS, effort_of, effort_options, judged, perform, results_of
from sim.experiment.anatomy import breakdown
from sim.experiment.plots import svg
from sim.experiment.report import Figure, Section, write_report
from sim.experiment.system import Effort, System
from sim.parameter import describe


def main(arguments: Sequence[str]) -> int:
    examples = "  spindle report --quick\n  spindle report --full --results elsewhere"
    parser = Parser("report", "Everything that Spindle knows, as results/report.html.", examples)
    effort_options(parser)
    taken = parser.take(arguments)
    effort, known = effort_of(taken)
    results = results_of(taken)
    began = time.monotonic()
    found = systems(None)
    sections = [_section(each, effort, results) for each in found]
    frame = judged(found, effort, CLAIM_SEEDS[known], results)
    parameters = {each.name: describe(each.parameters) for each in found}
    write_report(results / "report.html", sections, frame, parameters, _made(effort))
    print(f"{results / 'report.html'}: open it in a browser (made in {time.monotonic() - began:.0f} s)")
    return 0


def _section(each: System, effort: Effort, results: Path) -> Section:
    figures = [perform(each, experiment, effort, results) for experiment in each.experiments]
    parts = breakdown(each.breakdown(effort), "run", title="Where the time of a response goes")
    return Section(each.name, each.title, each.paper, each.question, figures, [Figure(svg(parts), each.anatomy)])


def _made(effort: Effort) -> dict[str, object]:
    packages = ("simpy", "pandas", "matplotlib", "numpy", "scipy")
    return {
        "Spindle": version("spindle"),
        "Python": python_version(),
        **{name: version(name) for name in packages},
        "replications": f"seeds 1 to {effort.replications}, the same for every configuration",
        "a replication": f"{effort.minutes:g} minutes after {effort.warm_up:g} of warm-up, unless a caption says other",
        "command": "make report",
    }
