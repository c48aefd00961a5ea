"""Compares simulated responses with queueing theory (mean value analysis), from the demands measured in each run.

The network is the CPU, the drives, and terminals that think; a response is a customer. Background work (read-ahead,
write-backs, work of a program after its reply) is taken for an open class, which in a mixed network in product form
slows each station for the customers by 1 / (1 - its utilisation) (Lazowska et al. 1984, ch. 7). No run records which
drive a response waited for, so its disc work is divided over the drives by their demands. Theory omits waits for locks,
memory and writes of others, which no network in product form has: the gap to the simulation is their cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf, nan
from typing import TYPE_CHECKING, Any

from spindle.sim.clock import Phase
from spindle.sim.cpu import WORK
from spindle.sim.error import UserError, check_known

if TYPE_CHECKING:
    import pandas as pd

# Mean value analysis: throughput and response of closed queueing networks in product form.
#
# A station is FCFS with exponential service times, or processor sharing; a delay has no queue. Exact for one class
# (Reiser & Lavenberg, JACM 1980). Beside it the least response, which no network of such demands can beat, whatever its
# services and its order of service (Denning & Buzen, Computing Surveys 1978; Lazowska and others, Quantitative System
# Performance, ch. 5).

def check_network(users: int, delay: float, demands: Sequence[float]) -> None:
    """Raise UserError unless the network is possible: it has customers, and times are not negative nor all zero."""
    if users < 1:
        raise UserError(f"users of a closed network must be at least 1, not {users!r}")
    for seconds in (delay, *demands):
        if not 0.0 <= seconds < inf:
            raise UserError(f"a demand and a delay must be finite and not negative, not {seconds!r} s")
    if not delay + fsum(demands) > 0.0:
        raise UserError("a closed network without any demand or delay has an endless throughput")


@dataclass(frozen=True)
class Solution:
    """The solution of a network: responses a second, and the seconds of a response at each station (*residences*).

    *delay* is the part of the *response* that is spent at no station.
    """

    throughput: float
    delay: float
    residences: tuple[float, ...]

    @property
    def response(self) -> float:
        return self.delay + fsum(self.residences)

    @property
    def queues(self) -> tuple[float, ...]:
        """The mean number at each station, in service or waiting, by Little's law."""
        return tuple(self.throughput * residence for residence in self.residences)


def mva(users: int, think: float, demands: Sequence[float], delay: float = 0.0) -> Solution:
    """Solve the network of *users* who *think* between responses, with *demands* at the stations and *delay* besides.

    An arriving customer sees the network with one user fewer; so users are added one after the other.

    >>> round(mva(20, 10.0, [0.4, 0.2]).response, 2)
    1.37
    """
    check_network(users, think + delay, demands)
    queues: tuple[float, ...] = (0.0,) * len(demands)
    for count in range(1, users + 1):
        residences = tuple([demand * (1.0 + queue) for demand, queue in zip(demands, queues, strict=True)])
        throughput = count / (think + delay + fsum(residences))
        queues = tuple([throughput * residence for residence in residences])
    return Solution(throughput, delay, residences)


def least_response(users: int, think: float, work: float, busiest: float) -> float:
    """Return the bound of a response: its own *work*, or the time in which the *busiest* station serves all users."""
    return max(work, users * busiest - think)


DISC_WORK = (Phase.OVERHEAD, Phase.SEEK, Phase.ROTATION, Phase.TRANSFER, Phase.CHANNEL)
NO_STATION = (Phase.LOCK, Phase.MEMORY, Phase.WRITE_WAIT)
CPU_DEMAND = "demand_cpu"
STATIONS = (CPU_DEMAND, "demand_drive")
"""Prefixes of the columns of stations. A channel is not a station: a drive is busy while it waits for it."""


def column(phase: Phase) -> str:
    return f"part_{phase.name.lower()}"


BEYOND = ("beyond_mva", *(f"beyond_{phase.name.lower()}" for phase in NO_STATION), "beyond_cpu_wait", "beyond_queue")
"""Columns of the seconds by which simulated responses are longer than theory: the first in all, the others by cause."""
MVA = ("bound", "mva", "unwaited")


def add_theory(frame: "pd.DataFrame", users: str) -> "pd.DataFrame":
    """Add the columns MVA and BEYOND to *frame*, row by row; *users* names the column with their number.

    ``bound`` is the least response that the demands allow, ``mva`` that of the network, ``unwaited`` the background
    work a response.
    """
    needed = (users, "response_mean", "throughput", "think", CPU_DEMAND, *map(column, Phase))
    check_known("column", [*frame.columns], *needed)
    stations = [name for name in demands_in(frame) if name.startswith(STATIONS)]
    analysis = [
        _theory(row, int(row[users]), stations, max(row[name] for name in demands_in(frame)))
        for row in frame.to_dict("records")
    ]
    return frame.assign(**{name: [row[name] for row in analysis] for name in (*MVA, *BEYOND)})


def summarise_beside(frame: "pd.DataFrame", users: str, by: Sequence[str], values: Sequence[str]) -> "pd.DataFrame":
    """Return a row for each point, as summarise makes it, with *values* and theory, which is solved for each run."""
    from spindle.studies.statistics import summarise

    full = add_theory(frame, users)
    table = summarise(full, by, [*values, "beyond_mva"])
    return with_means(table, full, by, [*MVA, *BEYOND[1:], "think", *demands_in(full)])


def with_means(table: "pd.DataFrame", frame: "pd.DataFrame", by: Sequence[str], names: Sequence[str]) -> "pd.DataFrame":
    """Return *table* with the means of *names* in *frame* over the replications, without intervals."""
    means = frame.groupby(list(by), dropna=False)[list(names)].mean().reset_index()
    return table.merge(means, on=list(by))


def demands_in(frame: "pd.DataFrame") -> list[str]:
    """Return the columns of demands, the CPU's first."""
    names = [str(name) for name in frame.columns if str(name).startswith("demand_")]
    return sorted(names, key=lambda name: name != CPU_DEMAND)


def _theory(row: dict[Any, Any], users: int, stations: Sequence[str], busiest: float) -> dict[str, float]:
    """Solve the network of one run, and return MVA and BEYOND; *busiest* is the largest demand of a part."""
    seconds_of = {each: float(row[column(each)]) for each in Phase}
    think, throughput, line = float(row["think"]), float(row["throughput"]), seconds_of[Phase.LINE]
    if think != think:
        return dict.fromkeys((*MVA, *BEYOND), nan)
    demands = [float(row[name]) for name in stations]
    waited = _station_waits(seconds_of, demands)
    unwaited = [max(0.0, every - own) for every, own in zip(demands, waited, strict=True)]
    others = throughput * (users - 1) / users  # a customer does not meet its own background work
    network = mva(users, think, [own / (1.0 - others * rest) for own, rest in zip(waited, unwaited, strict=True)], line)
    waits = [residence - own for residence, own in zip(network.residences, waited, strict=True)]
    return {
        "bound": least_response(users, think, line + fsum(waited), busiest),
        "mva": network.response, "unwaited": fsum(unwaited),
        "beyond_mva": float(row["response_mean"]) - network.response,
        **{f"beyond_{each.name.lower()}": seconds_of[each] for each in NO_STATION},
        "beyond_cpu_wait": seconds_of[Phase.CPU_WAIT] - waits[0],
        "beyond_queue": seconds_of[Phase.QUEUE] - fsum(waits[1:]),
    }  # fmt: skip


def _station_waits(seconds_of: Mapping[Phase, float], demands: Sequence[float]) -> list[float]:
    """Return the wait of a response for each of *demands*; all drives get the same share: phases name no drive."""
    drives = fsum(demands[1:])
    share = fsum(seconds_of[each] for each in DISC_WORK) / drives if drives else 0.0
    return [fsum(seconds_of[each] for each in WORK), *(share * demand for demand in demands[1:])]
