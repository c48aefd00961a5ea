"""The host that asks the drives of a replay or a load: its I/O engine, and a CPU for each of its jobs."""

from dataclasses import dataclass

from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.sim.cpu import MAX_CORES
from spindle.sim.io_engine import ENGINES


@dataclass(frozen=True)
class HostOptions:
    """The engine by which requests go to the drives; without one that takes no time."""

    engine: str = ask("", "the host's I/O engine, by fio's name, which takes CPU time; none takes no time; spdk has no "
                          "kernel, so no scheduler", words=("", *ENGINES), noun="engine", metavar="NAME")  # fmt: skip
    cpus: int = ask(1, "CPUs that submit requests, as numjobs of fio", least=1, most=MAX_CORES, needs=("engine",),
                    because="an engine; {} names it")  # fmt: skip

    def text(self) -> str:
        """Return the words of a page; none without an engine."""
        return f", by {self.engine} on {plural(self.cpus, 'CPU')}" if self.engine else ""

    def settings(self) -> dict[str, str | int]:
        """Return the part of an answer's settings; none without an engine."""
        return {"engine": self.engine, "cpus": self.cpus} if self.engine else {}


NO_ENGINE = HostOptions()
