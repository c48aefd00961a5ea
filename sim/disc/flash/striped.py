"""A sheet whose dies work in step, for requests that are far larger than a page: the same rates in far fewer pieces."""

from dataclasses import replace

from spindle.sim.disc.flash.sheet import FlashType


def striped(sheet: FlashType, granule: int) -> FlashType:
    """*sheet* with units as near below *granule* bytes as dies and rows of pages, doubled in turn, can make them.

    First the ways of a channel go together, then channels, whose buses add up, then rows of pages one behind another.
    What is read or written in whole units moves as fast as on the drive itself: a page of each die at a time. Only the
    first bytes of rows that go together come later, by the time to read the others; and the buffer takes a unit a
    die and one more at least, so that one is filled while others are written.
    """
    nand = sheet.nand
    left = max(1, granule // (nand.planes * nand.page_bytes))
    ways = _doubled(nand.ways, left)
    channels = _doubled(nand.channels, left // ways)
    rows = _doubled(nand.pages, left // (ways * channels))
    page = nand.planes * nand.page_bytes * ways * channels * rows
    merged = replace(nand, ways=nand.ways // ways, channels=nand.channels // channels, planes=1, page_bytes=page,
                     pages=nand.pages // rows, read=nand.read * rows, program=nand.program * rows,
                     bus=nand.bus * channels)  # fmt: skip
    return replace(sheet, nand=merged, unit=page, capacity=sheet.capacity // page * page,
                   buffer=max(sheet.buffer, (merged.dies + 1) * page), map_pages=None)  # fmt: skip


def _doubled(whole: int, most: int) -> int:
    """The largest power of two that divides *whole* and is not above *most*; 1 where none is."""
    factor = 1
    while whole % (2 * factor) == 0 and 2 * factor <= most:
        factor *= 2
    return factor
