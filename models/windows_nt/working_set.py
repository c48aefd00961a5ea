"""Keeps the working sets of Windows NT, their pages and file sections, and lists of page frames outside working sets.

It takes no time: ``memory.py`` serves faults, trims sets, and writes and zeroes pages.
"""

from collections.abc import Iterable, Iterator

from spindle.sim.clock import Account, Wait
from spindle.sim.request import WRITE, Access, BlockDevice, Hint, Request, Span

# Pages, and the sections that they belong to: a file, or the private memory of a process.

PAGE = 4096
"""Bytes of a page."""
PAGE_SHIFT = 12
"""A page has ``1 << PAGE_SHIFT`` bytes: byte ``first`` lies in page ``first >> PAGE_SHIFT``."""


class Page:
    """A page in memory: page *number* of *section*, in *users* working sets.

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
    """A file, or the *private* memory of a process, as pages at *extent* of the disc.

    *unwritten* are the pages that the cache manager has yet to write, by number. Bytes from *valid* on have never been
    written, and are not read from the disc. Private memory has its place in the page file, which is given to pages as
    they are written.
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
        """Return the number of pages; the file may end within the last."""
        return -(-self.size // PAGE)

    def span(self, number: int, count: int) -> Span:
        """Return the bytes on the disc of *count* pages from *number* on."""
        return Span(self.extent.first + number * PAGE, count * PAGE)

    def write(self, device: BlockDevice, first: int, count: int, account: Account) -> Wait:
        """Write *count* pages in a row from page *first* on to their place on the disc."""
        span = self.span(first, count)
        yield from device.write(Access(WRITE, span, self.extent, self, Hint.NONE, False, account))

    def absent(self, number: int, most: int) -> int:
        """Return the number of pages from *number* on that are not in memory and not coming, up to *most*."""
        pages = self.pages
        for count in range(most):
            if number + count in pages:
                return count
        return most


def pages_of(first: int, length: int) -> range:
    """Return the numbers of the pages that hold *length* bytes from *first* on."""
    return range(first >> PAGE_SHIFT, (first + length - 1 >> PAGE_SHIFT) + 1)


def runs(numbers: Iterable[int], most: int) -> Iterator[tuple[int, int]]:
    """Group *numbers*, in their order, into (first, count) of those in a row, at most *most* at a time."""
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


# The lists of page frames that no working set holds: zeroed, free, standby and modified.

class PageLists:
    """The lists of *frames* page frames, all zeroed at first. Available Bytes are the first three lists.

    A claim gets a free frame, else a zeroed one, else that of the page longest on standby, which is lost.
    """

    def __init__(self, frames: int) -> None:
        self.zeroed = frames
        self.free = 0
        self.standby: dict[Page, None] = {}
        self.modified: dict[Page, None] = {}

    @property
    def available(self) -> int:
        """Return the number of frames that can be used without writing anything."""
        return self.zeroed + self.free + len(self.standby)

    @property
    def available_bytes(self) -> int:
        return self.available * PAGE

    def take(self) -> None:
        """Take a frame; the caller has seen that one is available."""
        if self.free:
            self.free -= 1
        elif self.zeroed:
            self.zeroed -= 1
        else:
            self._take_from_standby()

    def take_zeroed(self) -> bool:
        """Take a frame, a zeroed one if there is any; return whether it has yet to be zeroed."""
        if self.zeroed:
            self.zeroed -= 1
            return False
        self.take()
        return True

    def _take_from_standby(self) -> None:
        page = next(iter(self.standby))
        del self.standby[page]
        del page.section.pages[page.number]

    def leave(self, page: Page) -> None:
        """List *page*, which no working set holds any more: it stands by, or waits to be written."""
        if page.dirty:
            self.modified[page] = None
        elif not page.writing:
            self.standby[page] = None

    def return_from(self, page: Page) -> None:
        """Take *page*, which a soft fault wants again, off the list that it is on."""
        if page in self.standby:
            del self.standby[page]
        else:
            self.modified.pop(page, None)

    def finish_write(self, page: Page) -> None:
        """Note that *page* is on the disc; it may have been deleted meanwhile."""
        page.writing = False
        if not page.dirty and not page.users and page.section.pages.get(page.number) is page:
            self.standby[page] = None

    def delete(self, page: Page) -> None:
        """Free the frame of *page*, which is not needed again."""
        self.return_from(page)
        del page.section.pages[page.number]
        self.free += 1


class WorkingSet:
    """A working set: *pages* in the order in which they entered, each marked if used since the last trimming pass.

    Trimming leaves *minimum* pages; with a higher *favour* it is later and takes fewer pages. With a *maximum*, a page
    that enters evicts the oldest. *share* is the part of the set that the trimmer takes next;
    when *trimmed* pages were last taken, the set had had *faults_before* faults.
    """

    def __init__(self, name: str, minimum: int, favour: int, maximum: int | None = None) -> None:
        self.name = name
        self.pages: dict[Page, bool] = {}
        self.minimum = minimum
        self.maximum = maximum
        self.favour = favour
        self.active_at = 0.0
        self.faults = 0
        self.soft_faults = 0
        self.share = 0.0
        self.trimmed = 0
        self.faults_before = 0

    def __len__(self) -> int:
        return len(self.pages)

    def uses(self, page: Page) -> bool:
        """Return whether *page* is in the set; if so, mark it as used now."""
        if page not in self.pages:
            return False
        self.pages[page] = True
        return True

    def oldest(self) -> Page:
        return next(iter(self.pages))
