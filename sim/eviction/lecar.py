"""LeCaR draws for each eviction LRU or LFU by their weights; the one that evicted a key which returns loses weight."""

from collections import OrderedDict
from collections.abc import Hashable
from math import exp

from spindle.sim.error import UserError
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import Bounded, MayGo
from spindle.sim.streams import stream

RECENCY, FREQUENCY = 0, 1


class LeCar(Bounded):
    """Vietri, Rodriguez, Martinez et al., "Driving cache replacement with ML-based LeCaR", HotStorage 2018.

    Each eviction is drawn to be by LRU or by LFU, by their weights. An evicted key leaves a ghost in the history of the
    expert that chose it, at most *capacity* in each, or none if both would have chosen it. A key that returns to its
    ghost takes weight off that expert: the more, the sooner, by *learning* 0.45 and a *discount* of 0.005 over as many
    uses as the capacity, as in the paper. Uses of evicted keys are forgotten (assumed). Each eviction takes one draw of
    a separate random stream, so that asking again gives the same choice.
    """

    def __init__(self, capacity: int, learning: float = 0.45, discount: float = 0.005) -> None:
        super().__init__(capacity)
        if not 0.0 <= learning <= 10.0 or not 0.0 < discount <= 1.0:
            raise UserError("policy LeCar learns by 0 to 10 and discounts to more than 0, up to 1, "
                            f"not {learning!r} and {discount!r}")
        self._experts = (Lru(), Lfu())
        self._weights = [0.5, 0.5]
        self._histories: tuple[OrderedDict[Hashable, int], ...] = (OrderedDict(), OrderedDict())
        self._learning, self._discount = learning, discount ** (1.0 / capacity)
        self._random = stream(0, "lecar")
        self._draw = self._random.random()
        self._now = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self._admit(key, is_here=False)  # the experts look
        for expert in self._experts:
            expert.insert(key)
        self._regret(key)
        self._now += 1

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        for expert in self._experts:
            expert.touch(key)
        self._now += 1

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return self._experts[self._choose_expert()].choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        chosen = self._choose_expert()
        agree = evicted and self._experts[1 - chosen].choose() == key
        for expert in self._experts:
            expert.remove(key, evicted)
        if not evicted:
            return
        self._draw = self._random.random()
        if not agree:
            history = self._histories[chosen]
            history[key] = self._now
            if len(history) > self._capacity:
                history.popitem(last=False)

    def __len__(self) -> int:
        return len(self._experts[RECENCY])

    def _choose_expert(self) -> int:
        return RECENCY if self._draw < self._weights[RECENCY] else FREQUENCY

    def _regret(self, key: Hashable) -> None:
        """Shift weight from the expert that evicted *key* wrongly to the other; the two add up to 1."""
        for expert, history in enumerate(self._histories):
            if key in history:
                reward = self._discount ** (self._now - history.pop(key))
                weights = self._weights
                weights[1 - expert] *= exp(self._learning * reward)
                self._weights = [weight / sum(weights) for weight in weights]
