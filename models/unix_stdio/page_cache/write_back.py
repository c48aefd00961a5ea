"""Simulates Linux's write-back: dirty pages are written when they are old or many; a writer of too many must wait."""

from collections.abc import Callable, Sequence
from math import floor

import simpy

from spindle.models.unix_stdio.disc import FileDisc
from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.parameters import PAGE, UnixParameters
from spindle.sim.clock import Account, Daemon, Gate, Phase, Wait, pause
from spindle.sim.parts import register
from spindle.sim.request import Request, wait_for

AT_A_TIME = 1024
"""Pages of a file that the kernel writes before it checks again if that is enough."""

Filled = tuple[int, int]
"""A page, and the number of its bytes that were written."""


class PageWriteBack:
    """The dirty pages of one file, and the daemon that writes them.

    It looks every *period* seconds, and writes all pages if the first is older than *expiry*. Above *background* bytes,
    dirty or being written, it writes at once; above *limit* the program waits for it.
    """

    name = "page cache"

    def __init__(
        self, env: simpy.Environment, disc: FileDisc, parameters: UnixParameters, at_risk: WriteHistory
    ) -> None:
        self._env = env
        self._disc = disc
        self._parameters = parameters
        self._at_risk = at_risk
        self._limit = parameters.limit * parameters.memory
        background = parameters.background * parameters.memory
        self._background = background if background < self._limit else self._limit / 2
        self._dirty: dict[int, float] = {}
        self._under_way = 0
        self._filled: dict[int, int] = {}
        self._busy = False
        self._gate: Gate | None = None
        self.sizes: list[int] = []
        """Bytes of each write to the disc, in order."""
        Daemon(env, self._look())
        register(env, self)

    def wrote(self, page: int, length: int) -> None:
        """Note *length* more bytes in *page*."""
        self._filled[page] = self._filled.get(page, 0) + length
        self._dirty.setdefault(page, self._env.now)

    @property
    def unsafe(self) -> bool:
        """True if anything is dirty or under way."""
        return bool(self._dirty or self._under_way)

    def balance(self, account: Account) -> Wait:
        """Start writing back after a write if much is dirty, and wait if too much is."""
        if self._bytes() > self._background and not self._busy:
            self._env.process(self._write_until(self._background))
        if self._bytes() > self._limit:
            start = self._env.now
            while self._bytes() > self._limit:
                if self._gate is None:
                    self._gate = Gate(self._env, "dirty pages to be written")
                yield self._gate
            account.charge(Phase.WRITE_WAIT, start, self._env.now)

    def _bytes(self) -> int:
        return (len(self._dirty) + self._under_way) * PAGE

    def _look(self) -> Wait:
        while True:
            yield pause(self._env, self._parameters.period)
            oldest = next(iter(self._dirty.values()), self._env.now)
            # An age of exactly *expiry* is enough; the clock's rounding must not make pages wait another period.
            if self._env.now - oldest >= self._parameters.expiry - 1e-6 and not self._busy:
                yield from self._write_until(0.0)

    def _write_until(self, enough: float) -> Wait:
        self._busy = True
        while self._dirty and self._bytes() > enough:
            yield from self.write_out(sorted(self._dirty)[:AT_A_TIME], self._disc.background, self._at_next_commit)
        self._busy = False

    def write_out(self, pages: Sequence[int], account: Account, written: Callable[[list[Filled]], None]) -> Wait:
        """Write sorted *pages*, neighbours together, and wait for the disc; pass each request's pages to *written*."""
        requests: list[tuple[Request, range]] = []
        for first, many in _runs(pages):
            for request in self._disc.store(first * PAGE, many * PAGE):
                span = request.access.span
                begin = (span.first - self._disc.start) // PAGE
                requests.append((request, range(begin, begin + span.length // PAGE)))
                self.sizes.append(span.length)
        for page in pages:
            self._dirty.pop(page, None)
        self._under_way += len(pages)
        filled = {page: self._filled[page] for page in pages}
        for request, these in requests:
            yield from wait_for(request, account)
            self._under_way -= len(these)
            written([(page, filled[page]) for page in these])
            if self._gate is not None:
                self._gate.succeed()
                self._gate = None

    def _at_next_commit(self, pages: list[Filled]) -> None:
        every = self._parameters.commit
        self._at_risk.note_stored((floor(self._disc.permanent_at() / every) + 1) * every, pages)

    def levels(self) -> dict[str, float]:
        return {"unwritten_bytes": float(self._bytes())}

    def commit(self, pages: Sequence[int]) -> None:
        """Note that the metadata of *pages*, already written, are on the disc now."""
        self._at_risk.note_stored(self._env.now, [(page, self._filled[page]) for page in pages])


def _runs(pages: Sequence[int]) -> list[tuple[int, int]]:
    """Group sorted *pages* into runs of neighbours: (first, number)."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((page, 1))
    return runs
