"""The big partition of a data base: short tables strewn over it, and room for what shots bring."""

from random import Random

from sim.streams import pick


class Partition:
    """Sectors *first* to *end* of a disc, with *tables* of one sector each.

    To Max-IV all of it is one file, so a table's position in it (its FPI) is anything.
    """

    def __init__(self, first: int, end: int, tables: int, random: Random) -> None:
        self.first = first
        self._end = end
        self._random = random
        self._next = first + (end - first) // 2
        self.tables = [first + pick(random, end - first) for _ in range(tables)]

    def table(self) -> int:
        """A table, the first ones more often than the last: as often as 1, 1/2, 1/3 and so on."""
        count = len(self.tables)
        return self.tables[min(count - 1, int((count + 1) ** self._random.random()) - 1)]

    def other(self) -> int:
        """A sector that nobody reads again soon."""
        return self.first + pick(self._random, self._end - self.first)

    def result(self) -> int:
        """Where the next result is written, one behind the other."""
        self._next = self._next + 1 if self._next + 1 < self._end else self.first
        return self._next
