"""LHD evicts, from a sample, the entry with the lowest hit density: expected hits over the room and time it takes."""

from array import array
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import add

from spindle.sim.eviction.policy import Bounded, MayGo, first_that_may_go
from spindle.sim.streams import stream

MAX_AGE, AGE_CLASSES = 20_000, 16
"""Ages, and classes of entries; the authors' program has classes for each of 16 applications, and uses the second's."""
EWMA_DECAY = 0.9
"""Weight of the past in exponentially weighted moving averages."""
LEARNING_PERIOD = 1 << 20
"""References of a period, after which densities are computed anew."""
SAMPLE_SIZE, FIRST_SAMPLE_SIZE, FIRST_PERIODS = 32, 8, 50
"""Sampled entries, of which the worst goes; fewer in the first periods."""
RECENT_NEWCOMERS = 8
"""Newcomers of low density that are looked at beside the sample: the last of them."""
EXPLORED_SHARE, EXPLORERS_ONE_IN = 0.01, 32
"""Share of the room for explorers, entries that stay whatever their density; and uses of which one makes one."""
MIN_EVENTS = 1e-5
"""Hits and evictions from an age on, below which its density is 0."""
FITTED_PERIODS = (5, 25)
"""Periods at whose end the unit of age is fitted to the number of entries."""
FIRST_SHIFT = 10
TOLERATED_ERROR = 0.01
OLDEST_DENSITY = -3.4028234663852886e38
"""Density of the oldest entries, lower than any other: the lowest number in single precision."""


@dataclass(slots=True)
class _Entry:
    """An entry's size, its moment of last use, and its ages at its last two hits."""

    key: Hashable
    size: int
    used: int = 0
    age: int = 0
    age_before: int = MAX_AGE
    explorer: bool = False


class _Ages:
    """One class of entries: hits and evictions by age, and the density expected from each age on."""

    def __init__(self, number: int) -> None:
        self.hits = array("d", bytes(8 * MAX_AGE))
        self.evictions = array("d", bytes(8 * MAX_AGE))
        self.densities = array("d", _first_densities(number))

    def decay(self) -> None:
        for counts in (self.hits, self.evictions):
            end = _end(counts)
            counts[:end] = array("d", [EWMA_DECAY * count for count in counts[:end]])

    def model(self) -> None:
        """Compute by age the hits over the time expected of an entry of that age, by sums from the oldest age."""
        end = max(_end(self.hits), _end(self.evictions))
        events = _from_oldest(map(add, self.hits[:end], self.evictions[:end]))
        sums = zip(events, _from_oldest(self.hits[:end]), _from_oldest(events), strict=True)
        densities = [hits / lifetime if event > MIN_EVENTS else 0.0 for event, hits, lifetime in sums]
        self.densities[:-1] = array("d", [*densities, *[0.0] * MAX_AGE][: MAX_AGE - 1])

    def rescale(self, shift: int) -> None:
        """Count ages in a unit that is 2 ** *shift* times as long."""
        self.hits, self.evictions = _rescale(self.hits, shift), _rescale(self.evictions, shift)


@cache
def _first_densities(number: int) -> "array[float]":
    """Return the densities of class *number* before the first period ends: the older, the lower."""
    return array("d", [(AGE_CLASSES + number + 1) / (age + 1) for age in range(MAX_AGE)])


def _end(counts: "array[float]") -> int:
    """Return an age from which on *counts* are 0; most of them are."""
    return len(counts.tobytes().rstrip(b"\0")) // counts.itemsize + 1


def _from_oldest(counts: Iterable[float]) -> "array[float]":
    """Return for each age the sum of *counts* from that age on."""
    sums = array("d", accumulate(reversed([*counts])))
    sums.reverse()
    return sums


def _rescale(counts: "array[float]", shift: int) -> "array[float]":
    if shift < 0:
        made = array("d", [counts[age >> -shift] / (1 << -shift) for age in range(MAX_AGE)])
        made[-1] = counts[-1] + sum(counts[MAX_AGE >> -shift : -1])
        return made
    step = 1 << shift
    made = array("d", [sum(counts[age : age + step]) for age in range(0, MAX_AGE - step + 1, step)])
    made.extend([0.0] * (MAX_AGE - len(made)))
    made[-1] = counts[-1]
    return made


class Lhd(Bounded):
    """Beckmann, Chen and Cidon, "LHD: improving cache hit rate by maximizing hit density", NSDI 2018.

    Of a sample the entry goes that has the lowest hit density: the hits expected of it, by its age and its class, over
    the time and the room that it is expected to take. An entry's class goes by its ages at its last two hits. A few
    entries are explorers: they stay, so that old ones are observed too. Constants are those of the authors' program,
    and hit counts are equal with the same draws, in double precision. Densities are computed anew each *period*.
    """

    def __init__(self, capacity: int, period: int = LEARNING_PERIOD) -> None:
        super().__init__(capacity)
        self._period, self._left, self._periods = period, period, 0
        self._classes = [_Ages(number) for number in range(AGE_CLASSES)]
        self._entries: list[_Entry] = []
        self._places: dict[Hashable, int] = {}
        self._newcomers: list[Hashable] = [None] * RECENT_NEWCOMERS
        self._newest = 0
        self._now, self._shift = 0, FIRST_SHIFT
        self._entries_seen = self._weight = 0.0
        self._density_of_victims = 0.0
        self._budget = int(EXPLORED_SHARE * capacity)
        self._samples, self._explorers = stream(0, "lhd samples"), stream(0, "lhd explorers")
        self._sample: list[Hashable] | None = None
        """Keys of which the next victim is one; None after a change."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._places)
        entry = _Entry(key, max(1, size))
        self._places[key] = len(self._entries)
        self._entries.append(entry)
        explores = self._use(entry)
        if not explores and self._density(entry) < self._density_of_victims:
            self._newcomers[self._newest % RECENT_NEWCOMERS] = key
            self._newest += 1
        self._pass()

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        entry = self._entries[self._places[key]]
        age = self._age(entry)
        self._class(entry).hits[age] += 1
        if entry.explorer:
            self._budget += entry.size
        entry.age_before, entry.age = entry.age, age
        self._use(entry)
        self._pass()

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        if not self._entries:
            return None
        if self._sample is None:
            count = SAMPLE_SIZE if self._periods > FIRST_PERIODS else FIRST_SAMPLE_SIZE
            self._sample = [*self._draw(count), *(key for key in self._newcomers if key in self._places)]
        key = self._worst(key for key in self._sample if may_go is None or may_go(key))
        return first_that_may_go((entry.key for entry in self._entries), may_go) if key is None else key

    def remove(self, key: Hashable, evicted: bool) -> None:
        place = self._places[key]
        entry = self._entries[place]
        if evicted:
            self._density_of_victims = EWMA_DECAY * self._density_of_victims + (1 - EWMA_DECAY) * self._density(entry)
            self._class(entry).evictions[self._age(entry)] += 1
        if entry.explorer:
            self._budget += entry.size
        del self._places[key]
        last = self._entries.pop()
        if last is not entry:
            self._entries[place] = last
            self._places[last.key] = place
        self._sample = None

    def __len__(self) -> int:
        return len(self._entries)

    def _draw(self, count: int) -> list[Hashable]:
        """Draw *count* residents, with repetition."""
        among = len(self._entries)
        return [self._entries[int(self._samples.random() * among)].key for _ in range(count)]

    def _explores(self) -> bool:
        return self._explorers.random() * EXPLORERS_ONE_IN < 1.0

    def _use(self, entry: _Entry) -> bool:
        """Note a use of *entry*, and draw whether it makes an explorer."""
        entry.used = self._now
        explores = self._explores()
        entry.explorer = explores and self._budget > 0 and self._periods < FIRST_PERIODS
        if entry.explorer:
            self._budget -= entry.size
        self._sample = None
        return explores

    def _pass(self) -> None:
        """Let the time of one reference pass."""
        self._now += 1
        self._left -= 1
        if not self._left:
            self._learn()
            self._left = self._period
            self._periods += 1

    def _age(self, entry: _Entry) -> int:
        return min(MAX_AGE - 1, (self._now - entry.used) >> self._shift)

    def _class(self, entry: _Entry) -> _Ages:
        age = entry.age + entry.age_before
        number = 0
        while age < MAX_AGE and number < AGE_CLASSES - 1:
            age <<= 1
            number += 1
        return self._classes[number]

    def _density(self, entry: _Entry) -> float:
        age = self._age(entry)
        if age == MAX_AGE - 1:
            return OLDEST_DENSITY
        density = self._class(entry).densities[age] / entry.size
        return density + 1.0 if entry.explorer else density

    def _worst(self, keys: Iterable[Hashable]) -> Hashable | None:
        """The first of *keys* with the lowest density."""
        entries, places = self._entries, self._places
        return min(keys, key=lambda key: self._density(entries[places[key]]), default=None)

    def _learn(self) -> None:
        for each in self._classes:
            each.decay()
        self._fit_ages()
        for each in self._classes:
            each.model()

    def _fit_ages(self) -> None:
        """At the end of the FITTED_PERIODS, choose a unit of age in which few entries exceed the last age."""
        self._entries_seen = self._entries_seen * EWMA_DECAY + len(self)
        self._weight = self._weight * EWMA_DECAY + 1.0
        if self._periods not in FITTED_PERIODS:
            return
        best = self._entries_seen / self._weight / (TOLERATED_ERROR * MAX_AGE)
        shift = 1
        while 1 << shift < best:
            shift += 1
        change, self._shift = shift - self._shift, shift
        self._entries_seen *= 8
        self._weight *= 8
        for each in self._classes:
            each.rescale(change)
