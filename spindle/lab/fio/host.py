"""The host's share of fio's times: what it takes to submit a request, and what it takes of those that it queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from spindle.lab.fio.load import LoadAnswer
from spindle.lab.fio.points import FioPoint
from spindle.sim.request import READ, Op

TAGS = 32
"""Of a drive behind SATA; who has more under way queues in the host."""
QUANTUM = 8
"""Requests of a process, of several, from which on Linux's CFQ lets it go on alone: its default quantum."""
SLOWED = 0.93
"""Of the throughput without such a queue: what is less belongs to the host."""


@dataclass(frozen=True)
class HostShare:
    """*submit* seconds of each response are fio's own system call, which its percentiles leave out.

    *caps* are the requests a second that the host's own queue lets through where several processes have at least
    QUANTUM under way each; none where it costs nothing.
    """

    submit: float
    caps: Mapping[Op, float]

    def of(self, point: FioPoint, device: LoadAnswer) -> LoadAnswer:
        """The answer that fio sees at *point* where the *device* answers so."""
        cap = self.caps.get(point.op, device.iops) if queued_by_process(point) else device.iops
        slowed = max(1.0, device.iops / cap)
        quantiles = {share: max(0.0, slowed * seconds - self.submit) for share, seconds in device.quantiles.items()}
        return LoadAnswer(device.iops / slowed, slowed * device.mean, quantiles)


def queued_by_process(point: FioPoint) -> bool:
    return point.level > TAGS and point.jobs > 1 and point.depth >= QUANTUM


def host_share(points: Sequence[FioPoint]) -> HostShare:
    """The host as fitted *points* tell it."""
    alone = [each for each in points if each.op is READ and each.level == 1 and 0.50 in each.quantiles]
    submit = min((max(0.0, each.mean - each.quantiles[0.50]) for each in alone), default=0.0)
    caps = {}
    for op in Op:
        many = [each for each in points if each.op is op and each.level > TAGS]
        queued = [each.iops for each in many if queued_by_process(each)]
        free = [each.iops for each in many if not queued_by_process(each)]
        if queued and free and median(queued) < SLOWED * median(free):
            caps[op] = median(queued)
    return HostShare(submit, caps)
