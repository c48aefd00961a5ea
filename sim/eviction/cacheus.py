"""Cacheus evicts by scan-resistant LRU or churn-resistant LFU, drawn by weights that learn from wrong evictions."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from math import exp, log, sqrt
from random import Random

from spindle.sim.eviction.policy import Bounded, MayGo, Ranking, first_that_may_go
from spindle.sim.streams import stream

RECENCY, FREQUENCY = 0, 1
PROBATION_SHARE = 0.01
"""Share of the capacity that is for probation at first."""
MAX_WEIGHT = 0.99
MIN_RATE, MAX_RATE = 0.001, 1.0
"""Rates of learning."""
IDLE_PERIODS = 10
"""Periods without hits, or each with fewer hits than the one before, after which the rate is reset."""
RATE_DIGITS = 3
"""Decimals to which ratios and rates are compared."""


class _Rate:
    """The rate of learning: it changes in one direction while the hits of each *period* grow, else in the other."""

    def __init__(self, period: int, random: Random) -> None:
        self.now = self._before = self._first = sqrt(2.0 * log(2.0) / period)
        self._first = min(max(self._first, MIN_RATE), MAX_RATE)
        self._earlier = 0.0
        self._period, self._random = period, random
        self.hits = self._moment = 0
        self._ratio = 0.0
        self._idle = self._falling = 0

    def tick(self) -> None:
        """Count a reference, and adapt the rate at the end of a period."""
        self._moment += 1
        if self._moment % self._period:
            return
        ratio = round(self.hits / self._period, RATE_DIGITS)
        better = round(ratio - self._ratio, RATE_DIGITS)
        step = round(self._before, RATE_DIGITS) - round(self._earlier, RATE_DIGITS)
        self._adapt(step, better, ratio)
        self._earlier, self._before = self._before, self.now
        self._ratio, self.hits = ratio, 0

    def _adapt(self, step: float, better: float, ratio: float) -> None:
        if step * better:
            change = abs(self.now * step)
            self.now = min(self.now + change, MAX_RATE) if step * better > 0 else max(self.now - change, MIN_RATE)
            self._idle = self._falling = 0
        elif better <= 0:
            self._idle += better < 0 or ratio <= 0
            self._falling += better < 0
            if self._idle >= IDLE_PERIODS:
                self.now, self._idle = self._first, 0
            elif better < 0 and self._falling >= IDLE_PERIODS:
                self.now, self._falling = self._first, 0
            elif better < 0:
                self._wander()

    def _wander(self) -> None:
        if self.now >= MAX_RATE:
            self.now = 0.9
        elif self.now <= MIN_RATE:
            self.now = 0.005
        else:
            up = self._random.random() < 0.5
            self.now = min(self.now * 1.25, MAX_RATE) if up else max(self.now * 0.75, MIN_RATE)


@dataclass(slots=True)
class _Entry:
    """An entry's uses; *demoted*: it was moved from the safe list to probation; *fresh*: it had no ghost at first."""

    uses: int
    fresh: bool
    demoted: bool = False


class Cacheus(Bounded):
    """Rodriguez, Yusuf, Lyons et al., "Learning cache replacement with CACHEUS", FAST 2021.

    Scan-resistant LRU has two lists: newcomers are on probation, and an entry used there becomes safe; the least recent
    of probation goes. Churn-resistant LFU takes the least often used, of equals the most recent. Each eviction is drawn
    to be by one of the two, by their weights; ghosts of either, half the *capacity* each, take weight off it when they
    return. Uses of demoted entries and returns of fresh ones move the border between the lists. Hit counts are those of
    the authors' program with the same draws, in double precision.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._random = stream(0, "cacheus")
        self._rate = _Rate(capacity, self._random)
        self._safe: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._probation: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._frequencies = Ranking()
        self._ghosts: tuple[OrderedDict[Hashable, _Entry], ...] = (OrderedDict(), OrderedDict())
        self._most_probation = max(1, int(PROBATION_SHARE * capacity + 0.5))
        self._weight = 0.5
        """Weight of recency; frequency has the rest."""
        self._demoted = self._fresh = 0
        """Counts of residents on probation that were demoted, and of ghosts of recency that were fresh."""
        self._now = 0
        self._draw: float | None = None
        self._coming: OrderedDict[Hashable, tuple[_Entry | None, bool]] = OrderedDict()
        """By key being fetched: the ghost's entry, if there was one, and whether the cache was full."""

    @property
    def _most_safe(self) -> int:
        return self._capacity - self._most_probation

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, key in self._frequencies)
        self._meet(key)
        (known, full), self._draw = self._coming.pop(key), None
        if known is not None:
            self._enter(self._safe, key, _Entry(known.uses, fresh=False))
        elif len(self._safe) < self._most_safe and not self._probation:
            self._enter(self._safe, key, _Entry(1, fresh=False))
            return
        elif len(self._probation) < self._most_probation and not full:
            self._enter(self._probation, key, _Entry(1, fresh=False))
            return
        else:
            self._enter(self._probation, key, _Entry(1, fresh=True))
        while self._safe and len(self._safe) >= self._most_safe:
            self._demote()

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        entry = self._safe.get(key) or self._probation[key]
        self._tick()
        self._draw = None
        entry.uses += 1
        self._frequencies.put(key, entry.uses, -self._now)
        if key in self._safe:
            self._safe.move_to_end(key)
        else:
            self._save(key, entry)
        self._rate.hits += 1

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        if incoming is not None:
            self._meet(incoming)
        recent = first_that_may_go(self._probation, may_go)
        if recent is None:
            recent = first_that_may_go(self._safe, may_go)
        return recent if self._chosen() == RECENCY else self._frequencies.lowest(may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        entry = self._safe.get(key) or self._probation[key]
        expert = self._chosen()
        other = self._frequencies.lowest(None) if expert == RECENCY else next(iter(self._probation), None)
        (self._safe if key in self._safe else self._probation).pop(key)
        self._frequencies.remove(key)
        self._draw = None
        self._demoted -= entry.demoted
        if evicted and other != key:
            self._remember(expert, key, entry)

    def __len__(self) -> int:
        return len(self._frequencies)

    def _tick(self) -> None:
        self._now += 1
        self._rate.tick()

    def _chosen(self) -> int:
        if self._draw is None:
            self._draw = self._random.random()
        return RECENCY if self._draw < self._weight else FREQUENCY

    def _meet(self, key: Hashable) -> None:
        """Note a miss of *key*, once until it is entered; its ghost changes the weights."""
        if key in self._coming:
            return
        self._tick()
        known = None
        for expert, ghosts in enumerate(self._ghosts):
            if key in ghosts:
                known = ghosts.pop(key)
                if expert == RECENCY and known.fresh:
                    self._fresh -= 1
                    self._widen_probation()
                self._regret(expert)
                break
        self._coming[key] = known, len(self) >= self._capacity
        while len(self._coming) > self._capacity:
            self._coming.popitem(last=False)

    def _regret(self, expert: int) -> None:
        weights = [self._weight, 1.0 - self._weight]
        weights[expert] *= exp(-self._rate.now)
        share = weights[RECENCY] / sum(weights)
        self._weight = min(MAX_WEIGHT, max(1.0 - MAX_WEIGHT, share))

    def _enter(self, into: OrderedDict[Hashable, _Entry], key: Hashable, entry: _Entry) -> None:
        into[key] = entry
        self._frequencies.put(key, entry.uses, -self._now)

    def _save(self, key: Hashable, entry: _Entry) -> None:
        """Move an *entry* that was used on probation into the safe list."""
        if entry.demoted:
            wider = max(1, int(self._fresh / max(1, self._demoted) + 0.5))
            self._most_probation = self._capacity - min(self._capacity - 1, self._most_safe + wider)
            entry.demoted = False
            self._demoted -= 1
        del self._probation[key]
        if self._safe and len(self._safe) >= self._most_safe:
            self._demote()
        self._safe[key] = entry

    def _widen_probation(self) -> None:
        wider = max(1, int(self._demoted / max(1, self._fresh) + 0.5))
        self._most_probation = min(self._capacity - 1, self._most_probation + wider)

    def _demote(self) -> None:
        key, entry = self._safe.popitem(last=False)
        entry.demoted = True
        self._demoted += 1
        self._probation[key] = entry

    def _remember(self, expert: int, key: Hashable, entry: _Entry) -> None:
        ghosts, most = self._ghosts[expert], self._capacity // 2
        if not most:
            return
        self._fresh += expert == RECENCY and entry.fresh
        if len(ghosts) >= most:
            _, oldest = ghosts.popitem(last=False)
            self._fresh -= expert == RECENCY and oldest.fresh
        ghosts[key] = entry
