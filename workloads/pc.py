"""Makes synthetic traces of personal computers, in place of the two traces of Kim's paper, which are not public.

The paper is on the cache policy FAC. The synthetic traces share with its traces only the few numbers published there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from heapq import merge
from itertools import count as counting
from itertools import islice
from math import gcd, isfinite
from typing import NamedTuple

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.streams import Exponential, stream
from spindle.sim.units import GIB, KIB, MS
from spindle.workloads.traces.record import Record

# The load of a personal computer: published numbers, and assumed ones.

PC_SHARES = ("random", "reads", "hot_places", "hot_uses", "once", "skew", "busy_rare", "busy_40", "busy_60", "busy_80")
"""Fields of PcLoad that are shares, from MIN_SHARE to 1."""
MIN_SHARE = 0.001
"""Least share; hot places are at most all but this share of the places, so that some are cold."""


@dataclass(frozen=True)
class PcLoad:
    """The load of a personal computer; a *random* share of its requests does not begin where the one before ended.

    That share is from Kim (IEICE Electron. Express 2014). The other requests continue through a file of *file* bytes:
    the mean size on 60 000 Windows PCs (Agrawal and others 2007).

    From the description of another PC (NTU: Windows XP on FAT32, a month of web, mail, films and games): *reads*, 74 %
    of the requests on 26 % of the addresses (*hot_uses*, *hot_places*), and *gap*, the mean time between requests. A
    request is a *cluster*, which is its mean size there.

    From trace P3 of a Windows NT workstation (Megiddo and Modha, FAST 2003), all of it: the share of requests to a
    place that is used *once*, and the *skew* of Zipf's law among the other places; both are alike within runs and
    outside.

    Requests come one by one, *calm* seconds apart at least and twice that on average, or in bursts of *burst* at one
    instant, each followed by a pause. The share of a place's uses in bursts depends on its number of uses: less than 40
    (*busy_rare*), 40 to 60, 60 to 80, or more. With these, with *burst* and with *span*, the bytes of the drive over
    which all places are scattered, requests have the access times of Kim's figure 1.

    Places are used in any order, unless there are *phases*, each with places of its own.
    """

    random: float = 0.697
    reads: float = 0.48
    hot_places: float = 0.26
    hot_uses: float = 0.74
    once: float = 0.086
    skew: float = 0.49
    cluster: int = 4 * KIB
    file: int = 189 * KIB
    span: int = 180 * GIB
    gap: float = 32 * MS
    calm: float = 9 * MS
    burst: int = 20
    busy_rare: float = 0.39
    busy_40: float = 0.55
    busy_60: float = 0.59
    busy_80: float = 0.48
    phases: int = 1

    def __post_init__(self) -> None:
        for name in PC_SHARES:
            most = 1.0 - MIN_SHARE if name in ("hot_places", "once", "skew") else 1.0
            if not MIN_SHARE <= getattr(self, name) <= most:
                raise UserError(f"{name} of a PC's trace must be a share from {MIN_SHARE:g} to {most:g}, not "
                                f"{getattr(self, name)!r}")  # fmt: skip
        low = (1.0 - self.once) * self.hot_places ** (1.0 - self.skew)
        high = 1.0 - self.once * (1.0 - self.hot_places)
        if not low < self.hot_uses < high:
            raise UserError(f"hot_uses of a PC's trace must be between {low:.3g} and {high:.3g}, which once, skew and "
                            f"hot_places leave, not {self.hot_uses!r}")  # fmt: skip
        for number in fields(self):
            value = getattr(self, number.name)
            if not (isfinite(value) and value > 0 and (number.type is not int or value == int(value))):
                raise UserError(f"{number.name} of a PC's trace must be positive, not {value!r}")

    @property
    def reused_places(self) -> float:
        """Count the places used more than once, for each request. As many make the hottest *hot_places* of all places
        have *hot_uses* of the requests, by Zipf's law.
        """
        whole = self.hot_uses / (1.0 - self.once)
        if whole > 1.0:  # the hot ones are all places used again, and some that are used once
            return (1.0 - self.once * (1.0 - self.hot_places) - self.hot_uses) / (1.0 - self.hot_places)
        share: float = whole ** (1.0 / (1.0 - self.skew))  # of the places used again, which have all hot uses
        return self.hot_places * self.once / (share - self.hot_places)

    @property
    def run(self) -> int:
        """The clusters of a file."""
        return max(2, round(self.file / self.cluster))

    def busy(self, uses: int) -> float:
        """Return the share of its *uses* that a place has in bursts."""
        return (self.busy_rare if uses < 40 else self.busy_40 if uses < 60 else self.busy_60 if uses < 80
                else self.busy_80)


LOADS = {"pcfat32": PcLoad(random=0.697), "smalldiskmon": PcLoad(random=0.795)}
"""Loads by the names of Kim's traces, whose shares of random requests they have; his figure 1 is of PCFAT32."""


# The places of a personal computer's drive that are used: number of uses, length of runs in clusters, and first byte.

SILVER = 0.4142135623730950
"""Step of a walk round all places, as a share of their number, that spreads evenly."""


class ClusterRun(NamedTuple):
    """*uses* of a run of *length* clusters from byte *first* on."""

    uses: int
    length: int
    first: int


@lru_cache(maxsize=8)
def places(load: PcLoad, requests: int) -> Sequence[ClusterRun]:
    """Return the places for *requests* requests in all, hottest first. They are files read again and files read once,
    which are runs, and single clusters of both kinds.
    """
    sequential = (1.0 - load.random) / (1.0 - 1.0 / load.run)
    files = _popular(load, requests * sequential / load.run)
    singles = _popular(load, requests * (1.0 - sequential))
    streams = round(load.once * requests * sequential / load.run)
    cold = requests - sum(singles) - load.run * (sum(files) + streams)
    kinds = [(files, load.run), (singles, 1), ([1] * streams, load.run), ([1] * cold, 1)]
    runs = sorted(((uses, length) for each, length in kinds for uses in each), key=lambda run: -run[0])
    return tuple(ClusterRun(uses, length, first * load.cluster)
                 for (uses, length), first in zip(runs, _scatter_runs(load, requests, runs), strict=True))


def _popular(load: PcLoad, uses: float) -> list[int]:
    """Return the number of uses of each place that is used again, out of *uses* in all."""
    count = max(1, round(load.reused_places * uses))
    again = (1.0 - load.once) * uses
    if again < 2 * count:
        return []
    scale, so_far, given = again / sum((rank + 0.5) ** -load.skew for rank in range(count)), 0.0, 0
    counts = []
    for rank in range(count):
        so_far += scale * (rank + 0.5) ** -load.skew
        counts.append(round(so_far) - given)
        given += counts[-1]
    return counts


def _scatter_runs(load: PcLoad, requests: int, runs: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Return the first cluster of each of *runs*, over the whole span, in an order independent of their uses."""
    count = len(runs)
    apart = load.span // load.cluster // count
    if apart < max(length for _, length in runs):
        raise UserError(f"span of a PC's trace must have room for {count} places of {load.cluster} bytes, which "
                        f"{requests} requests have at least, not be {load.span!r}")  # fmt: skip
    step = next(step for step in counting(max(1, round(SILVER * count))) if gcd(step, count) == 1)
    return (rank * step % count * apart for rank in range(count))


# The requests of a synthetic personal computer: its places in some order, one by one and in bursts.

class _Use(NamedTuple):
    when: float
    """Point of the trace, from 0 at its beginning to 1 at its end."""
    op: Op
    place: ClusterRun


class _Group(NamedTuple):
    """Uses that come one by one, or at one instant."""

    when: float
    burst: bool
    uses: list[_Use]


def pc_trace(load: PcLoad, seed: object, requests: int) -> Iterator[Record]:
    """Make up *requests* requests; the same *seed* gives the same ones."""
    groups = merge(*_groups(load, seed, requests), key=lambda group: group.when)
    return islice(_add_times(load, seed, list(groups)), requests)


def _groups(load: PcLoad, seed: object, requests: int) -> tuple[list[_Group], list[_Group]]:
    calm, busy = _uses(load, seed, requests)
    return [_Group(use.when, False, [use]) for use in calm], list(_bursts(busy, load.burst))


def _uses(load: PcLoad, seed: object, requests: int) -> tuple[list[_Use], list[_Use]]:
    """Return all uses of all places in their order: those outside bursts, and those in bursts."""
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


def _add_times(load: PcLoad, seed: object, groups: list[_Group]) -> Iterator[Record]:
    random = stream(seed, "pc trace/gaps")
    pause, now = Exponential(_pause(load, groups)), 0.0
    for group in groups:
        for _, op, place in group.uses:
            for number in range(place.length):
                yield Record(now, "", op, place.first + number * load.cluster, load.cluster)
                if not group.burst:
                    now += load.calm * (1.0 + 2.0 * random.random())
        if group.burst:
            now += pause.draw(random)


def _pause(load: PcLoad, groups: list[_Group]) -> float:
    """Return the mean pause after a burst that keeps requests *gap* apart on average; at least a calm gap."""
    lengths = [(group.burst, sum(use.place.length for use in group.uses)) for group in groups]
    calm = sum(length for burst, length in lengths if not burst) * 2.0 * load.calm
    bursts = sum(burst for burst, _ in lengths)
    return max(load.calm, (sum(length for _, length in lengths) * load.gap - calm) / max(1, bursts))
