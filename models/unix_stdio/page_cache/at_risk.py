"""Counts data at risk: bytes that a program has written, and which of them a power failure would lose."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spindle.models.unix_stdio.parameters import PAGE


class WriteMoment(NamedTuple):
    """Bytes that the program had written by an *instant*, and how many of them the kernel had."""

    instant: float
    handed_over: int
    in_kernel: int


class BytesLeft(NamedTuple):
    """The bytes that a failure of the power leaves.

    *handed_over* is the number that the program has written; *in_library* of them were in its own memory, and are lost
    if the program alone fails. *on_disc* bytes can be read again, the first *whole* of them without a gap.
    """

    handed_over: int
    in_library: int
    on_disc: int
    whole: int

    @property
    def lost_bytes(self) -> int:
        return self.handed_over - self.on_disc


class PageStored(NamedTuple):
    """The *bytes* of a *page* that are on the medium, with their metadata, from *instant* on."""

    instant: float
    page: int
    bytes: int


class WriteHistory:
    """History of a run: when the program wrote bytes, and when they were permanent."""

    def __init__(self) -> None:
        self._moments = [WriteMoment(0.0, 0, 0)]
        self._stored: list[PageStored] = []

    def handed_over(self, instant: float, in_all: int, in_kernel: int) -> None:
        self._moments.append(WriteMoment(instant, in_all, in_kernel))

    def note_stored(self, instant: float, pages: Iterable[tuple[int, int]]) -> None:
        """Note that these *pages*, each with its bytes, are safe from *instant* on."""
        self._stored += [PageStored(instant, page, filled) for page, filled in pages]

    def left_at(self, instant: float) -> BytesLeft:
        """Return the bytes left if the power fails at *instant*."""
        pages: dict[int, int] = {}
        for each in self._stored:
            if each.instant <= instant:
                pages[each.page] = max(each.bytes, pages.get(each.page, 0))
        moment = self._last(instant)
        # Of a page that was sent before its last bytes were counted, the disc may have more than was acknowledged.
        on_disc = min(sum(pages.values()), moment.handed_over)
        whole = min(_unbroken_length(pages), on_disc)
        return BytesLeft(moment.handed_over, moment.handed_over - moment.in_kernel, on_disc, whole)

    def curve(self, instants: Iterable[float]) -> Iterator[tuple[float, int]]:
        """Yield each of the rising *instants* with the bytes at risk then."""
        coming = iter(sorted(self._stored))
        each = next(coming, None)
        pages: dict[int, int] = {}
        safe = 0
        for now in instants:
            while each is not None and each.instant <= now:
                safe += max(0, each.bytes - pages.get(each.page, 0))
                pages[each.page] = max(each.bytes, pages.get(each.page, 0))
                each = next(coming, None)
            yield now, max(0, self._last(now).handed_over - safe)

    def max_risk(self) -> int:
        """Return the most bytes that were ever at risk."""
        return max(risk for _, risk in self.curve(moment.instant for moment in self._moments))

    def safe_at(self) -> float:
        """Return the instant from which nothing is at risk any more."""
        return max((each.instant for each in self._stored), default=0.0)

    def _last(self, instant: float) -> WriteMoment:
        return self._moments[bisect_right(self._moments, instant, key=lambda each: each.instant) - 1]


def _unbroken_length(pages: dict[int, int]) -> int:
    """Return the length of the file from its front to the first gap."""
    page = whole = 0
    while page in pages:
        whole = page * PAGE + pages[page]
        if pages[page] < PAGE:
            break
        page += 1
    return whole
