"""Options for the host that sends requests to the drives of a replay or load: its I/O engine, and its CPUs."""

from dataclasses import dataclass

from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.sim.cpu import MAX_CORES
from spindle.sim.io_engine import ENGINES


@dataclass(frozen=True)
class HostOptions:
    """Options for the host: the engine by which it submits requests; without one, to submit takes no time."""

    engine: str = ask("", "the host's I/O engine, by fio's name, which takes CPU time; none takes no time; spdk has no "
                          "kernel, so no scheduler", words=("", *ENGINES), noun="engine", metavar="NAME")  # fmt: skip
    cpus: int = ask(1, "CPUs that submit requests, as numjobs of fio", least=1, most=MAX_CORES, needs=("engine",),
                    because="an engine; {} names it")  # fmt: skip

    def text(self) -> str:
        """Return words on the engine for the text of an answer; '' without one."""
        return f", by {self.engine} on {plural(self.cpus, 'CPU')}" if self.engine else ""

    def settings(self) -> dict[str, str | int]:
        """Return the engine as settings of an answer; none without one."""
        return {"engine": self.engine, "cpus": self.cpus} if self.engine else {}


NO_ENGINE = HostOptions()
"""A host that takes no time to submit requests."""
