"""Options on where many runs are made, for every command that makes some: processes of this machine, or a cluster."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spindle.questions.field import ask

if TYPE_CHECKING:
    from spindle.studies.sweep.executor import Workers

MAX_WORKERS = 1024
"""Most processes."""


@dataclass(frozen=True)
class WorkerOptions:
    """Options on where runs are made: processes of this machine, one for each core by default, or a *cluster*."""

    workers: int | None = ask(None, "processes; default one for each core", least=1, most=MAX_WORKERS,
                              excludes=("cluster",), why="a cluster has the workers that it has")
    cluster: str = ask("", "a Dask scheduler instead, such as tls://host:8786; its workers need Spindle, and must see "
                           "the folders of results; default none", metavar="ADDRESS")
    trusted: bool = ask(False, "nobody else is on the network of the tcp:// cluster", needs=("cluster",),
                        because="the network of a {}")  # fmt: skip

    def where(self) -> "Workers":
        """Return the number of processes or the cluster; None means one process for each core."""
        if not self.cluster:
            return self.workers
        from spindle.studies.sweep.cluster import Dask

        return Dask(self.cluster, self.trusted)


HERE = WorkerOptions()
"""One process of this machine for each core."""
