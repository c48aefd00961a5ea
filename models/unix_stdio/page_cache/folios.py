"""Keeps the folios of a file: Linux's units of the page cache, of up to 512 pages that were read or written at once."""

from collections.abc import Iterator

from spindle.sim.request import Request

MAX_FOLIO_ORDER = 9
"""A folio has at most two to the power of this pages (2 MiB); what a page table of x86 holds."""


class Folio:
    """One folio: *pages* pages from page *first* on, a power of two and aligned to it.

    A read of a *marked* folio triggers further read-ahead. It is being read while *request* is under way.
    """

    __slots__ = ("first", "pages", "marked", "request")

    def __init__(self, first: int, pages: int, marked: bool = False) -> None:
        self.first = first
        self.pages = pages
        self.marked = marked
        self.request: Request | None = None

    @property
    def is_read(self) -> bool:
        return self.request is None or self.request.processed


class Folios:
    """The folios of one file, by page."""

    def __init__(self) -> None:
        self.by_page: dict[int, Folio] = {}

    def __contains__(self, page: int) -> bool:
        return page in self.by_page

    def get(self, page: int) -> Folio | None:
        return self.by_page.get(page)

    def add(self, folio: Folio) -> None:
        for page in range(folio.first, folio.first + folio.pages):
            self.by_page[page] = folio

    def free(self, first: int, pages: int) -> bool:
        """Return whether none of these pages is cached."""
        return not any(page in self.by_page for page in range(first, first + pages))


def largest(page: int, end: int, most: int = MAX_FOLIO_ORDER) -> int:
    """Return the pages of the largest folio, at most 2 to the power *most*, that begins at *page* and ends by *end*."""
    alignment = (page & -page).bit_length() - 1 if page else most
    return 1 << min(most, alignment, (end - page).bit_length() - 1)


def warm_folios(pages: int) -> Iterator[Folio]:
    """Return the folios of a file that was read before."""
    return (Folio(page, 1) for page in range(pages))
