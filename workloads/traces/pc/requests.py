"""The requests of a made-up personal computer: its places in some order, one by one and in bursts."""

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from random import Random
from typing import NamedTuple

from sim.request import READ, WRITE, Op
from sim.streams import Exponential, stream
from workloads.traces.pc.load import PcLoad
from workloads.traces.pc.places import ClusterRun, places
from workloads.traces.record import Record


class _Use(NamedTuple):
    when: float
    """Where in the trace, from 0 at its beginning to 1 at its end."""
    op: Op
    place: ClusterRun


class _Group(NamedTuple):
    """Uses that come one by one, or at one instant."""

    when: float
    burst: bool
    uses: list[_Use]


def pc_trace(load: PcLoad, seed: object, requests: int) -> Iterator[Record]:
    """So many *requests*, made up; the same *seed* gives the same ones."""
    groups = merge(*_groups(load, seed, requests), key=lambda group: group.when)
    return islice(_timed(load, seed, list(groups)), requests)


def _groups(load: PcLoad, seed: object, requests: int) -> tuple[list[_Group], list[_Group]]:
    calm, busy = _uses(load, seed, requests)
    return [_Group(use.when, False, [use]) for use in calm], list(_bursts(busy, load.burst))


def _uses(load: PcLoad, seed: object, requests: int) -> tuple[list[_Use], list[_Use]]:
    """All uses of all places in their order: those outside bursts, and those in bursts."""
    orders, kinds, bursts = (stream(seed, f"pc trace/{name}") for name in ("order", "kind", "burst"))
    parted: tuple[list[_Use], list[_Use]] = [], []
    for place in places(load, requests):
        phase, busy = int(orders.random() * load.phases), load.busy(place.uses)
        for _ in range(place.uses):
            when = (phase + orders.random()) / load.phases
            op = READ if kinds.random() < load.reads else WRITE
            parted[bursts.random() < busy].append(_Use(when, op, place))
    for uses in parted:
        uses.sort(key=lambda use: use.when)
    return parted


def _bursts(uses: list[_Use], most: int) -> Iterator[_Group]:
    burst: list[_Use] = []
    held = 0
    for use in uses:
        burst.append(use)
        held += use.place.length
        if held >= most:
            yield _Group(burst[0].when, True, burst)
            burst, held = [], 0
    if burst:
        yield _Group(burst[0].when, True, burst)


def _timed(load: PcLoad, seed: object, groups: list[_Group]) -> Iterator[Record]:
    random = stream(seed, "pc trace/gaps")
    pause, now = Exponential(_pause(load, groups)), 0.0
    for group in groups:
        for _, op, place in group.uses:
            for number in range(place.length):
                yield Record(now, "", op, place.first + number * load.cluster, load.cluster)
                if not group.burst:
                    now += _calm(load, random)
        if group.burst:
            now += pause.draw(random)


def _calm(load: PcLoad, random: Random) -> float:
    return load.calm * (1.0 + 2.0 * random.random())


def _pause(load: PcLoad, groups: list[_Group]) -> float:
    """The mean pause after a burst with which requests come *gap* apart on average; at least as long as a calm gap."""
    lengths = [(group.burst, sum(use.place.length for use in group.uses)) for group in groups]
    calm = sum(length for burst, length in lengths if not burst) * 2.0 * load.calm
    bursts = sum(burst for burst, _ in lengths)
    return max(load.calm, (sum(length for _, length in lengths) * load.gap - calm) / max(1, bursts))
