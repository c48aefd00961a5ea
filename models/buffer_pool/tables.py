"""Places pgbench's tables and B-tree indexes on pages, finds the pages of a row, and draws rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from spindle.models.buffer_pool.parameters import PoolParameters
from spindle.sim.error import UserError
from spindle.sim.streams import pick

ACCOUNTS, TELLERS, BRANCHES = 100_000, 10, 1
"""Rows of each table by scale (PostgreSQL 15 manual, pgbench: Notes)."""
HISTORY_PAGES = 1 << 17
"""Pages of pgbench_history, which is overwritten once it is full; no run of minutes fills it."""


@dataclass
class Relation:
    """A table's rows or an index: *pages* from page *first* on, with the number of *hits* and of pages *read*."""

    name: str
    first: int
    pages: int
    hits: int = 0
    read: int = 0


class Table:
    """A table: *rows* in a heap, and a B-tree index by row number, with the leaves first and the root last."""

    def __init__(self, name: str, first: int, rows: int, parameters: PoolParameters) -> None:
        self.rows = rows
        self._on_page = parameters.account_rows
        self.heap = Relation(name, first, -(-rows // self._on_page))
        levels = [-(-rows // parameters.leaf_rows)]
        while levels[-1] > 1:
            levels.append(-(-levels[-1] // parameters.inner_rows))
        self.index = Relation(f"{name}_index", self.heap.first + self.heap.pages, sum(levels))
        starts = [self.index.first]
        for pages in levels[:-1]:
            starts.append(starts[-1] + pages)
        spans = [parameters.leaf_rows * parameters.inner_rows**level for level in range(len(levels))]
        self._levels = list(zip(reversed(starts), reversed(spans), strict=True))
        self.end = self.index.first + self.index.pages

    def descent(self, row: int) -> Iterator[int]:
        """Return the pages of the index on the way to *row*, from the root on."""
        return (start + row // span for start, span in self._levels)

    def page(self, row: int) -> int:
        return self.heap.first + row // self._on_page


class Tables:
    """pgbench's four tables at *scale*."""

    def __init__(self, scale: int, parameters: PoolParameters) -> None:
        self.accounts = Table("accounts", 0, ACCOUNTS * scale, parameters)
        self.tellers = Table("tellers", self.accounts.end, TELLERS * scale, parameters)
        self.branches = Table("branches", self.tellers.end, BRANCHES * scale, parameters)
        self.history = Relation("history", self.branches.end, HISTORY_PAGES)
        self.scanned = Relation("scanned", self.accounts.heap.first, self.accounts.heap.pages)
        """The pages of accounts once more, to count reads of sequential scans by themselves."""
        self._rows_of_history = parameters.history_rows
        self._inserted = 0
        self.pages = self.history.first + self.history.pages

    def relations(self) -> list[Relation]:
        """List the tables and indexes that transactions read and write."""
        tables = (self.accounts, self.tellers, self.branches)
        return [*(each for table in tables for each in (table.heap, table.index)), self.history]

    def insert(self) -> tuple[int, bool]:
        """Append a row to the history; return its page, and whether it is the first row there."""
        page, place = divmod(self._inserted, self._rows_of_history)
        self._inserted += 1
        return self.history.first + page % self.history.pages, place == 0

    def reading(self) -> dict[str, float]:
        each = [*self.relations(), self.scanned]
        return {**{f"{one.name}_hits": float(one.hits) for one in each},
                **{f"{one.name}_read": float(one.read) for one in each}}  # fmt: skip


def draw(random: Random, count: int, skew: float) -> int:
    """Draw a number below *count*: uniformly, or by Zipf's law with the exponent *skew*, the smallest the most often.

    By Devroye, Non-Uniform Random Variate Generation (1986), p. 551, as pgbench does.
    """
    if not skew:
        return pick(random, count)
    b = 2.0 ** (skew - 1.0)
    while True:
        u, v = 1.0 - random.random(), random.random()
        x = u ** (-1.0 / (skew - 1.0))
        if x < count + 1.0:
            x = float(int(x))
            t = (1.0 + 1.0 / x) ** (skew - 1.0)
            if v * x * (t - 1.0) / (b - 1.0) <= t / b:
                return int(x) - 1


def check_skew(skew: float) -> None:
    """Raise UserError for an exponent that draw() does not take."""
    if skew and not skew >= 1.001:
        raise UserError(f"skew must be 0, which is uniform, or from 1.001 to 10, as pgbench's, not {skew!r}")
