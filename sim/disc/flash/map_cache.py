"""The part of the map that the controller has in memory: pages of entries, the one used longest ago leaves.

After DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009), with whole pages of the map instead of single entries.
"""

ENTRY_BYTES = 4


class MapCache:
    """*pages* pages of the map, each of the entries of *per_page* units; None is all of the map."""

    def __init__(self, pages: int | None, per_page: int) -> None:
        self.hits = self.misses = self.write_backs = 0
        self._pages = pages
        self._per_page = per_page
        self._dirty: dict[int, bool] = {}

    def page(self, unit: int) -> int:
        return unit // self._per_page

    def use(self, unit: int, changes: bool) -> tuple[bool, int | None]:
        """Whether the page of *unit* must be read first, and which page must be written to make room for it."""
        if self._pages is None:
            self.hits += 1
            return False, None
        page = unit // self._per_page
        dirty = self._dirty.pop(page, None)
        out: int | None = None
        if dirty is None:
            self.misses += 1
            if len(self._dirty) >= self._pages:
                oldest = next(iter(self._dirty))
                out = oldest if self._dirty.pop(oldest) else None
                self.write_backs += out is not None
        else:
            self.hits += 1
        self._dirty[page] = changes or bool(dirty)
        return dirty is None, out
