"""Maps views, the windows of 256 KB through which the cache of Windows NT accesses files."""

from spindle.models.windows_nt.working_set import PAGE, FileSection

VIEW_BYTES = 256 * 1024
"""Bytes of a view."""
VIEW_PAGES = VIEW_BYTES // PAGE
"""Pages of a view, which begins at a multiple of them."""


class Views:
    """The mapped views, at most *most*; the one used longest ago is unmapped for another."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._mapped: dict[tuple[FileSection, int], None] = {}
        self.mapped = self.unmapped = 0

    def use(self, section: FileSection, view: int) -> tuple[bool, tuple[FileSection, int] | None]:
        """Use the *view* of *section*; return whether it had to be mapped, and the view that was unmapped for it."""
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
        """Unmap view *key* if it is mapped."""
        if self._mapped.pop(key, self) is not self:
            self.unmapped += 1

    def __len__(self) -> int:
        return len(self._mapped)
