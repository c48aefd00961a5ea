"""Options of the commands on papers: how much is computed (``--quick``, ``--full``), and the folder of results."""

from dataclasses import dataclass
from pathlib import Path

from spindle.folders import RESULTS
from spindle.questions.field import ask


@dataclass(frozen=True)
class EffortOptions:
    """Options on how much is computed: short runs, the usual ones, or all anew; and the folder of results."""

    quick: bool = ask(False, "short windows, one seed: a look, not a verdict")
    full: bool = ask(False, "compute everything anew, with more replications", excludes=("quick",))
    results: str = ask("", "default results, or results/quick with --quick", metavar="DIR")

    @property
    def place(self) -> Path:
        """The folder of results; quick results have their own, so that they never replace those behind verdicts."""
        return Path(self.results) if self.results else RESULTS / "quick" if self.quick else RESULTS


EFFORT = EffortOptions()
"""The usual effort, with results in the usual folder."""
