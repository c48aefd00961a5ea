"""The disc's one volume: where its files lie, and the file system's own data."""

from models.windows_nt.memory.page import PAGE, FileSection
from sim.error import UserError
from sim.request import Span
from sim.units import KIB

METADATA = 256 * KIB
MOST = 4
"""Neither takes more than a quarter of the disc."""


class NtVolume:
    """Files one after the other and in one piece each, as on a disc that has just been formatted.

    Before people's files lie the *system*'s and the *page_file*, of so many bytes each.
    """

    def __init__(self, capacity: int, system: int, page_file: int) -> None:
        self._capacity = capacity
        self._next = 0
        self.sections: dict[str, FileSection] = {}
        self._privates: list[FileSection] = []
        self.metadata = self.create("file allocation table", METADATA)
        quarter = capacity // MOST // PAGE * PAGE
        self._next += min(system // PAGE * PAGE, quarter)
        self._page_file = self._next
        self._page_file_end = self._next = self._next + min(page_file // PAGE * PAGE, quarter)

    def create(self, name: str, size: int, empty: bool = False) -> FileSection:
        """The file *name* of *size* bytes, or the one of that name that is there; *empty* where none is written yet."""
        if name not in self.sections:
            length = -(-size // PAGE) * PAGE
            if self._next + length > self._capacity:
                raise UserError(f"file {name} of {size} bytes does not fit on a disc of {self._capacity} bytes")
            self.sections[name] = FileSection(name, Span(self._next, length), size, 0 if empty else size)
            self._next += length
        return self.sections[name]

    def private(self, name: str, pages: int) -> FileSection:
        """Memory of a process, for which there is room in the page file."""
        length = pages * PAGE
        if self._page_file + length > self._page_file_end:
            raise UserError(f"{name}: {pages} pages are more than are left of the page file")
        section = FileSection(name, Span(self._page_file, length), private=True)
        self._page_file += length
        self._privates.append(section)
        return section

    def all(self) -> list[FileSection]:
        """Everything that may have pages in memory."""
        return [*self.sections.values(), *self._privates]
