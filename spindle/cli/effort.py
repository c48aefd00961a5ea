"""The effort of the commands on papers, and the folder of their results, as options."""

from dataclasses import dataclass
from pathlib import Path

from spindle.folders import RESULTS
from spindle.questions.field import ask


@dataclass(frozen=True)
class EffortOptions:
    """A look, the usual effort, or everything anew; and where results lie."""

    quick: bool = ask(False, "short windows, one seed: a look, not a verdict")
    full: bool = ask(False, "compute everything anew, with more replications", excludes=("quick",))
    results: str = ask("", "default results, or results/quick with --quick", metavar="DIR")

    @property
    def place(self) -> Path:
        """The folder of results; quick ones lie apart, so that they never replace those behind verdicts."""
        return Path(self.results) if self.results else RESULTS / "quick" if self.quick else RESULTS


EFFORT = EffortOptions()
