"""Simulates Linux's search for the nearest page that is not cached, which miscounts when it begins in a large folio.

A file's folios hang in a tree whose leaves have 64 slots, a folio of up to 32 pages having one slot a page, and a
larger one a slot of its parent for each 64. Looking up a page within a folio finds the folio's first slot; the
walk continues from there, slot by slot, but counts page numbers from the page that was looked up. So the gap that it
reports is too far by the pages that it began behind the first of the folio, until it enters another leaf, where slot
and number agree again. The kernel's tree behaves so (lib/xarray.c), which the counts of device reads confirm:
without it 10 of the 51 measured cells miss by 13 to 35 %.
"""

from spindle.models.unix_stdio.page_cache.folios import Folios

LEAF_SLOTS = 64
"""Slots of a leaf of the kernel's tree."""


class CacheWalk:
    """A walk over cached pages: *page* is the place that it computes, *slot* the actual one, which may be empty."""

    def __init__(self, folios: Folios, page: int) -> None:
        self._folios = folios
        folio = folios.get(page)
        self.page = page
        self.is_cached = folio is not None
        self._slot = page if folio is None else folio.first
        self._in_parent = folio is not None and folio.pages >= LEAF_SLOTS

    def step(self, by: int) -> None:
        """Go one page on (*by* 1) or back (-1)."""
        self.page += by
        if self._in_parent:
            if self._slot // LEAF_SLOTS != self.page // LEAF_SLOTS:
                self._enter(self._slot // LEAF_SLOTS + by)
        elif (self._slot + by) // LEAF_SLOTS == self._slot // LEAF_SLOTS:
            self._slot += by
            self.is_cached = self._slot in self._folios
        else:
            self._enter(self._slot // LEAF_SLOTS + by)

    def _enter(self, leaf: int) -> None:
        """Enter another leaf, at the slot of the computed page; or the large folio that is there instead."""
        self._slot = leaf * LEAF_SLOTS
        large = self._folios.get(self._slot)
        self._in_parent = large is not None and large.pages >= LEAF_SLOTS
        if not self._in_parent:
            self._slot += self.page % LEAF_SLOTS
        self.is_cached = self._slot in self._folios


def next_gap(folios: Folios, page: int, most: int) -> int:
    """Return the first page from *page* on that seems absent; ``page + most`` if none of *most* pages does."""
    walk = CacheWalk(folios, page)
    for _ in range(most):
        if not walk.is_cached:
            return walk.page
        walk.step(1)
    return page + most


def previous_gap(folios: Folios, page: int, most: int) -> int:
    """Return the first page from *page* backwards that seems absent; -1 if all pages down to the first are cached."""
    walk = CacheWalk(folios, page)
    for _ in range(most):
        if not walk.is_cached or walk.page < 0:
            return walk.page
        walk.step(-1)
    return page - most
