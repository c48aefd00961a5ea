"""Pages, and the sections that they are pages of: a file, or what a process has for itself."""

from collections.abc import Iterable, Iterator

from sim.account import Account
from sim.clock import Wait
from sim.request import WRITE, Access, BlockDevice, Hint, Request, Span

PAGE = 4096
SHIFT = 12
"""A page has ``1 << SHIFT`` bytes: byte ``first`` lies in page ``first >> SHIFT``."""


class Page:
    """Page *number* of *section* while it is in memory, in *users* working sets.

    *coming* is the read that brings it in, *writing* whether its frame is being written. *dirty* is the memory
    manager's: its contents are newer than on the disc.
    """

    __slots__ = ("section", "number", "users", "dirty", "coming", "writing")

    def __init__(self, section: "FileSection", number: int) -> None:
        self.section = section
        self.number = number
        self.users = 0
        self.dirty = False
        self.coming: Request | None = None
        self.writing = False


class FileSection:
    """The *extent* of the disc, as pages; a process's own memory lies in the page file.

    *unwritten* are the pages that the cache manager has yet to write, by number. Bytes from *valid* on have never been
    written, and are not read from the disc. A *private* one has its place in the page file, which is given to
    pages as they are written.
    """

    def __init__(
        self, name: str, extent: Span, size: int | None = None, valid: int | None = None, private: bool = False
    ) -> None:
        if extent.first % PAGE or extent.length % PAGE or extent.length <= 0:
            raise ValueError(f"section {name}: {extent} is not of whole pages")
        self.name = name
        self.extent = extent
        self.size = extent.length if size is None else size
        self.valid = self.size if valid is None else valid
        self.private = private
        self.pages: dict[int, Page] = {}
        self.unwritten: dict[int, None] = {}

    @property
    def count(self) -> int:
        """Pages, of the last of which the file may have only a part."""
        return -(-self.size // PAGE)

    def span(self, number: int, count: int) -> Span:
        """Where *count* pages from *number* on lie on the disc."""
        return Span(self.extent.first + number * PAGE, count * PAGE)

    def write(self, device: BlockDevice, first: int, count: int, account: Account) -> Wait:
        """Pages in a row go to where they lie."""
        span = self.span(first, count)
        yield from device.write(Access(WRITE, span, self.extent, self, Hint.NONE, False, account))

    def absent(self, number: int, most: int) -> int:
        """How many pages from *number* on are not in memory and not coming, up to *most*."""
        pages = self.pages
        for count in range(most):
            if number + count in pages:
                return count
        return most


def pages_of(first: int, length: int) -> range:
    """The numbers of the pages that hold *length* bytes from *first* on."""
    return range(first >> SHIFT, (first + length - 1 >> SHIFT) + 1)


def runs(numbers: Iterable[int], most: int) -> Iterator[tuple[int, int]]:
    """*numbers* in their order as (first, count) of those in a row, at most so many at a time."""
    first = count = 0
    for number in numbers:
        if count and (number != first + count or count == most):
            yield first, count
            count = 0
        if not count:
            first = number
        count += 1
    if count:
        yield first, count
