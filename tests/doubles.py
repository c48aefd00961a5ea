"""What stands in for a part of a run in the tests of several rooms: a log that keeps its rows, a fixed draw, a policy
that is broken.
"""

from collections.abc import Hashable
from random import Random

from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import MayGo
from spindle.sim.terminal import Transaction


class KeptRows:
    """A log that keeps the rows, and how many charges each had."""

    def __init__(self) -> None:
        self.rows: list[Transaction] = []
        self.charges: list[int] = []

    def record(self, row: Transaction, charges: int) -> None:
        self.rows.append(row)
        self.charges.append(charges)


class Same(Random):
    """Every uniform is the same."""

    def __init__(self, value: float) -> None:
        super().__init__(0)
        self._value = value

    def random(self) -> float:
        return self._value


class ChoosesNothing:
    """A policy that never has a victim; *TOLD* is how it is refused."""

    TOLD = r"^policy ChoosesNothing chooses nothing to evict, though an entry may go$"

    def __init__(self) -> None:
        self._entries = Lru()
        self.insert, self.touch, self.remove = self._entries.insert, self._entries.touch, self._entries.remove

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> None:
        return None

    def __len__(self) -> int:
        return len(self._entries)
