"""The views through which the cache sees files, and its counts of copy reads."""

from models.windows_nt.memory.page import PAGE, FileSection

VIEW = 256 * 1024
PAGES = VIEW // PAGE
"""A view begins at a multiple of so many pages."""


class Views:
    """At most *most* views; the one that was used longest ago makes room for another."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._mapped: dict[tuple[FileSection, int], None] = {}
        self.mapped = self.unmapped = 0

    def use(self, section: FileSection, view: int) -> tuple[bool, tuple[FileSection, int] | None]:
        """Whether the *view* of *section* had to be mapped, and which one had to go for it."""
        key = section, view
        if key in self._mapped:
            del self._mapped[key]
            self._mapped[key] = None
            return False, None
        self._mapped[key] = None
        self.mapped += 1
        if len(self._mapped) <= self._most:
            return True, None
        gone = next(iter(self._mapped))
        self.unmap(gone)
        return True, gone

    def unmap(self, key: tuple[FileSection, int]) -> None:
        """View *key* is no longer seen, if it was."""
        if self._mapped.pop(key, self) is not self:
            self.unmapped += 1

    def __len__(self) -> int:
        return len(self._mapped)


class CopyReadCounts:
    """A hit is a request that needed no disc, nor waited for a read under way."""

    __slots__ = ("sync", "asynchronous", "sync_hits", "asynchronous_hits")

    def __init__(self) -> None:
        self.sync = self.asynchronous = 0
        self.sync_hits = self.asynchronous_hits = 0

    def count(self, hit: bool, waits: bool) -> None:
        """Count one request, of a caller that *waits* for the disc or does not."""
        if waits:
            self.sync += 1
            self.sync_hits += hit
        else:
            self.asynchronous += 1
            self.asynchronous_hits += hit

    def reading(self, name: str) -> dict[str, float]:
        return {
            f"sync_{name}": float(self.sync), f"async_{name}": float(self.asynchronous),
            name: float(self.sync + self.asynchronous), f"{name}_hits": float(self.sync_hits + self.asynchronous_hits),
        }
