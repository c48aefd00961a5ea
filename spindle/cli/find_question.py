"""The options of ``spindle find``: the setting to search, the condition to meet, and the bounds of the search."""

from dataclasses import dataclass

from spindle.cli import plotting
from spindle.cli.run_options import AS_IT_IS, SystemOptions
from spindle.cli.workers import HERE, WorkerOptions
from spindle.questions.field import ask
from spindle.questions.settings import Words
from spindle.questions.words import MAX_COUNT

WIDENING = 8
"""By default a search goes from the usual value divided by this to the usual value times this."""


@dataclass(frozen=True)
class FindQuestion:
    """Options of ``spindle find``: the setting to search, the condition, and how precise the answer shall be."""

    named: SystemOptions = AS_IT_IS
    name: str = ask("", "the argument or parameter to search, a number", first="1", metavar="name")
    where: str = ask("", 'such as "response_p95 <= 2"', metavar="CONDITION", required=True)
    between: str = ask("", f"default usual value / {WIDENING} to usual value * {WIDENING}", metavar="LOW:HIGH")
    against: Words = ask((), "values of the run that a gain is against; default none", metavar="NAME=VALUE")
    seeds: int | None = ask(None, "replications near the answer; default 10, of a trace 1", least=2, most=MAX_COUNT)
    most: int = ask(40, "most replications", least=1, most=MAX_COUNT)
    precision: float = ask(0.05, "of the answer, to either side", metavar="P")
    store: str = ask("", "keep finished runs there, and reuse them", metavar="FOLDER")
    plot: str = plotting.plot_field()
    json: bool = ask(False, "the answer and the curve that was probed, as JSON")
    runners: WorkerOptions = HERE
