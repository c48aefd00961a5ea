"""Defines the numbers of flash on which times depend (knobs), and makes a sheet from them."""

from dataclasses import dataclass
from math import ceil

from spindle.sim.disc.flash.sheet import MAX_UNITS_OF_BLOCK, FlashType, Front, Nand, nvme, sata
from spindle.sim.units import KIB, MS, US

UNIT = 4 * KIB
"""Bytes of a unit, of which the map of a drive has entries."""
PAGES_OF_BLOCK = 256
LARGEST_PAGE = 16 * KIB
SPARE_FACTOR = 1.07
"""Bytes of flash for each byte of capacity, as is usual."""
SPARE_BLOCKS = 6
MAX_BLOCKS = 1 << 20
QUEUE_ENTRIES = 128


@dataclass(frozen=True)
class FlashKnobs:
    """The numbers of flash that reads determine, which a fit turns.

    The controller takes *command* seconds, for *queues* commands at a time; a page is sensed in *read* seconds. A unit
    takes *unit* seconds on one of the *channels*, each with *ways* dies; *stripe* units of the host are together on one
    die; *rate* is bytes a second of the link.
    """

    command: float
    read: float
    unit: float
    rate: float
    queues: int
    channels: int
    ways: int
    stripe: int

    @property
    def dies(self) -> int:
        return self.channels * self.ways

    def sheet(self, name: str, capacity: int, writes: "WriteKnobs | None" = None) -> FlashType:
        """Build the sheet. Planes, pages of a stripe and spare flash, which reads do not determine, are usual ones."""
        page = min(self.stripe * UNIT, LARGEST_PAGE)
        planes = self.stripe * UNIT // page
        writes = writes or WriteKnobs(self.command, self.rate)
        pages = _pages(capacity, self.stripe)
        block = planes * pages * page
        row = self.dies * block
        blocks = max(ceil(capacity * SPARE_FACTOR / row), ceil(capacity / row) + SPARE_BLOCKS)
        nand = Nand(self.channels, self.ways, planes, blocks, pages, page, self.read, writes.program, 3 * MS,
                    UNIT / self.unit)  # fmt: skip
        return FlashType(name, nand, self._front(writes), capacity // UNIT * UNIT)

    def _front(self, writes: "WriteKnobs") -> Front:
        write = writes.rate, writes.command
        if self.queues == 1:
            return sata(self.rate, self.command, write)
        return nvme(self.rate, self.command, self.queues, QUEUE_ENTRIES, write)


def _pages(capacity: int, stripe: int) -> int:
    """Return the pages of a block; more than usual if there would be more blocks than a simulation should have."""
    pages = PAGES_OF_BLOCK
    while capacity > MAX_BLOCKS * pages * stripe * UNIT and 2 * pages * stripe <= MAX_UNITS_OF_BLOCK:
        pages *= 2
    return pages


@dataclass(frozen=True)
class WriteKnobs:
    """The numbers of flash that writes determine: seconds of *command* and *program* of a stripe; the link's *rate*."""

    command: float
    rate: float
    program: float = 700 * US
