"""What users saw: rows of transactions, and sums over the window that need no rows."""

from collections.abc import Iterable
from math import fsum, inf, isnan, nan, ulp

from sim.account import PARTS, Phase
from sim.measure.laws import LawBroken
from sim.measure.quantiles import Quantiles, percentile
from sim.terminal import Transaction


class Recorder:
    """Collects transactions. Those answered from *start* on, until it is closed, are kept (where *keep*) and summed.

    Memory stays flat without rows: then only count, sum, sum of squares, extremes and counted percentiles remain.
    """

    def __init__(self, start: float = 0.0, keep: bool = True) -> None:
        self._start = start
        self._keep = keep
        self.rows: list[Transaction] = []
        self.quantiles = Quantiles()
        self.count = 0
        self.total = 0.0
        self.squares = 0.0
        self.shortest = inf
        self.longest = -inf
        self.parts = [0.0] * PARTS
        self.clipped = 0.0
        self._closed = False

    def record(self, row: Transaction, charges: int) -> None:
        """Take *row* down; LawBroken where its *charges* do not add up to its response."""
        _, name, began, responded, _, parts = row
        response = responded - began
        error = abs(fsum(parts) - response)
        if error > 1e-9 * response + 8 * (charges + 1) * ulp(responded):
            terms = ", ".join(f"{part.name.lower()} {parts[part]:.6f}" for part in Phase if parts[part])
            raise LawBroken(f"{row.terminal} {name}: a response of {response!r} s is not the sum of its parts: {terms}")
        if responded < self._start or self._closed:
            return
        self.clipped += responded - max(began, self._start)
        self.count += 1
        self.total += response
        self.squares += response * response
        self.shortest = min(self.shortest, response)
        self.longest = max(self.longest, response)
        sums = self.parts
        for part, seconds in enumerate(parts):
            if seconds:
                sums[part] += seconds
        if self._keep:
            self.rows.append(row)
        else:
            self.quantiles.add(response)

    def close(self, under_way: Iterable[tuple[Transaction, int]], now: float) -> None:
        """The window ends: count what is *under_way*, answered but still printing, or waiting and clipped at *now*."""
        for row, charges in under_way:
            if isnan(row.responded):
                self.clipped += now - max(row.began, self._start)
            else:
                self.record(row, charges)
        self._closed = True

    def percentiles(self, *shares: float) -> list[float]:
        """Responses by the share that is at most as long: exact where there are rows, else as near as counts come."""
        if self._keep:
            values = sorted(row.responded - row.began for row in self.rows)
            return [percentile(values, share) for share in shares]
        if not self.count:
            return [nan for _ in shares]
        return [min(max(self.quantiles.quantile(share), self.shortest), self.longest) for share in shares]

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else nan
