"""Bitmap, the write-intent bitmap of md (Linux's RAID): a write waits until the bits of its regions are written."""

from collections import Counter
from collections.abc import Iterable

import simpy

from spindle.sim.clock import Account, pause
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.raid.members import Members
from spindle.sim.disc.raid.stripes import Then
from spindle.sim.request import Request, Span

# The rules are those of Linux's md, drivers/md/md-bitmap.c and raid5.c. ``md_bitmap_startwrite`` sets the bits of a
# write in memory. The thread of the array (``raid5d``) writes all pages with new bits at once (``md_bitmap_unplug``)
# and waits for them; meanwhile no write begins or goes on, and those that come are the next batch. A bit is cleared at
# the second run of the daemon (``md_bitmap_daemon_work``) after the last write of its region, and its page is written
# at the third, for which nothing waits. While a drive has failed no bit is cleared (``md_bitmap_endwrite``). Not
# followed: that the thread does 8 stripes at most between two batches (MAX_STRIPE_BATCH); the superblocks, written when
# an array becomes active or clean.

DAEMON_SLEEP = 5.0
"""Seconds between runs of the daemon: mdadm's DEFAULT_BITMAP_DELAY."""
RUNS_UNTIL_CLEARED = 2
"""Runs of the daemon before a bit is cleared: a counter goes from 2 to 1, and from 1 to 0."""


class Bitmap:
    """The bitmap of an array of type *kind*, at the beginning of all its *members*, behind the superblock."""

    def __init__(self, env: simpy.Environment, kind: RaidType, members: Members) -> None:
        self.written = 0
        """Pages written on each drive."""
        self._env = env
        self._kind = kind
        self._members = members
        self._account = Account("bitmap")
        self._under_way: Counter[int] = Counter()
        self._left: dict[int, int] = {}
        """By region whose bit is set, the runs of the daemon until it is cleared."""
        self._new: set[int] = set()
        self._cleared: set[int] = set()
        """Pages with bits that were set, and that were cleared, since they were written."""
        self._waiting: list[Then] = []
        self._batch: list[Then] = []
        self._writing = self._waited_for = self._runs = False

    def begin(self, regions: Iterable[int], then: Then) -> None:
        """Set the bits of *regions*, and call *then* when they are on the drives."""
        for region in regions:
            if region not in self._left:
                self._new.add(self._kind.bitmap_page(region))
            self._left[region] = RUNS_UNTIL_CLEARED
            self._under_way[region] += 1
        self._run_daemon()
        if not self._must_wait:
            then()
            return
        self._waiting.append(then)
        self._write()

    def end(self, regions: Iterable[int]) -> None:
        """Note that a write to *regions* is done."""
        for region in regions:
            self._under_way[region] -= 1

    def step(self, then: Then) -> None:
        """Call *then*, the next step of a write, as soon as the array's thread does not wait for pages."""
        if not self._must_wait:
            then()
        else:
            (self._batch if self._waited_for else self._waiting).append(then)

    @property
    def _must_wait(self) -> bool:
        """Tell if the array's thread waits for pages."""
        return self._waited_for or bool(self._new)

    def _write(self) -> None:
        """Write the pages with new bits, for all that wait, unless some are being written; they are then the next."""
        if self._writing:
            return
        if self._new:
            self._batch, self._waiting = self._waiting, []
            self._waited_for = True
            pages, self._new = self._new, set()
            self._cleared -= pages
            self._ask(pages)
            return
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    def _ask(self, pages: set[int]) -> None:
        """Write *pages* on all drives, behind the superblock, which has the second page."""
        size = self._kind.page
        self._writing = True
        self.written += len(pages)
        spans = [Span((2 + page) * size, size) for page in sorted(pages)]
        self._members.write_reserved(spans, self._account, self._end_pages)

    def _end_pages(self, _: Request) -> None:
        self._writing = self._waited_for = False
        batch, self._batch = self._batch, []
        for then in batch:
            then()
        self._write()

    # The daemon, which runs as long as there is something to clear.

    def _run_daemon(self) -> None:
        if not self._runs:
            self._runs = True
            pause(self._env, DAEMON_SLEEP).callbacks.append(self._clear)

    def _clear(self, _: simpy.Event) -> None:
        """Write the pages with bits cleared at the last run, and clear the bits whose time has come."""
        self._runs = False
        pages = set() if self._writing else self._cleared.copy()
        if not self._members.is_degraded:
            for region in [region for region in self._left if not self._under_way[region]]:
                self._count_down(region)
        self._cleared -= pages
        if pages:
            self._ask(pages)
        if self._cleared or (self._left and not self._members.is_degraded):
            self._run_daemon()

    def _count_down(self, region: int) -> None:
        self._left[region] -= 1
        if not self._left[region]:
            del self._left[region], self._under_way[region]
            self._cleared.add(self._kind.bitmap_page(region))
