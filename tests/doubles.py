"""What stands in for a part of a run in the tests of several rooms: a log that keeps its rows, and a fixed draw."""

from random import Random

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
