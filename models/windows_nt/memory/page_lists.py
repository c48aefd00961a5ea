"""The lists of page frames that no working set holds: zeroed, free, standby and modified."""

from models.windows_nt.memory.page import PAGE, Page


class PageLists:
    """*frames* that are all zeroed at first. Available Bytes are the first three lists.

    A claim gets a free frame, else a zeroed one, else that of the page longest on standby, which is lost.
    """

    def __init__(self, frames: int) -> None:
        self.zeroed = frames
        self.free = 0
        self.standby: dict[Page, None] = {}
        self.modified: dict[Page, None] = {}
        self.repurposed = 0

    @property
    def available(self) -> int:
        """Frames that can be had without writing anything."""
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
        """The same, a zeroed one if there is any; whether it has yet to be zeroed."""
        if self.zeroed:
            self.zeroed -= 1
            return False
        self.take()
        return True

    def _take_from_standby(self) -> None:
        page = next(iter(self.standby))
        del self.standby[page]
        del page.section.pages[page.number]
        self.repurposed += 1

    def leave(self, page: Page) -> None:
        """No working set holds *page* any more: it stands by, or waits to be written."""
        if page.dirty:
            self.modified[page] = None
        elif not page.writing:
            self.standby[page] = None

    def return_from(self, page: Page) -> None:
        """*page* is wanted again, a soft fault: it comes off whatever list it is on."""
        if page in self.standby:
            del self.standby[page]
        else:
            self.modified.pop(page, None)

    def written(self, page: Page) -> None:
        """*page* is on the disc; it may have been deleted meanwhile."""
        page.writing = False
        if not page.dirty and not page.users and page.section.pages.get(page.number) is page:
            self.standby[page] = None

    def delete(self, page: Page) -> None:
        """Free the frame of *page*, which is not needed again."""
        self.return_from(page)
        del page.section.pages[page.number]
        self.free += 1
