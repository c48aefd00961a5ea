"""The kernel's search for the nearest page that is not cached; it miscounts where it begins within a large folio.

A file's folios hang in a tree whose leaves have 64 slots, a folio of up to 32 pages having one slot a page, and a
larger one a slot of its parent for each 64. To look up a page within a folio leads to the folio's first slot; the
walk goes on from there, slot by slot, while its page numbers go on from the page that was looked up. So it reports
a gap as many pages too far away as it began within a folio, until it crosses into another leaf, where slot and
number agree again. So the kernel's tree behaves (lib/xarray.c, read for its rules), which the counts of device
reads confirm: without it 10 of the 51 measured cells miss by 13 to 35 %.
"""

from spindle.models.unix_stdio.page_cache.folios import Folios

LEAF = 64
"""Slots of a leaf."""


class CacheWalk:
    """A walk over cached pages: *page* is its place as computed, *slot* the actual one, which holds a folio or not."""

    def __init__(self, folios: Folios, page: int) -> None:
        self._folios = folios
        folio = folios.get(page)
        self.page = page
        self.is_cached = folio is not None
        self._slot = page if folio is None else folio.first
        self._in_parent = folio is not None and folio.pages >= LEAF

    def step(self, by: int) -> None:
        """Go one page on (*by* 1) or back (-1)."""
        self.page += by
        if self._in_parent:
            if self._slot // LEAF != self.page // LEAF:
                self._enter(self._slot // LEAF + by)
        elif (self._slot + by) // LEAF == self._slot // LEAF:
            self._slot += by
            self.is_cached = self._slot in self._folios
        else:
            self._enter(self._slot // LEAF + by)

    def _enter(self, leaf: int) -> None:
        """Enter another leaf, at the place of the computed page; or a large folio in its stead."""
        self._slot = leaf * LEAF
        large = self._folios.get(self._slot)
        self._in_parent = large is not None and large.pages >= LEAF
        if not self._in_parent:
            self._slot += self.page % LEAF
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
    """Return the same going backwards; -1 where all pages down to the front of the file are cached."""
    walk = CacheWalk(folios, page)
    for _ in range(most):
        if not walk.is_cached or walk.page < 0:
            return walk.page
        walk.step(-1)
    return page - most
