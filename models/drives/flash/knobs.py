"""What a fit of flash turns: the numbers of a sheet that the times of reads hang on, and the sheet that they make."""

from dataclasses import dataclass
from math import ceil

from sim.disc.flash.sheet import MOST_UNITS_OF_BLOCK, FlashType, Front, Nand, nvme, sata
from sim.units import KIB, MS, US

UNIT = 4 * KIB
PAGES = 256
LARGEST_PAGE = 16 * KIB
SPARE = 1.07
"""Flash for each byte of the host's, as is usual of drives."""
SPARE_BLOCKS = 6
MANY_BLOCKS = 1 << 20
ENTRIES = 128


@dataclass(frozen=True)
class FlashKnobs:
    """The controller takes *command* seconds, for *queues* commands at a time; a page is sensed in *read* seconds.

    *unit* is the seconds of a unit on one of the *channels*, each with *ways* dies; *stripe* units of the host lie
    together on one die; *rate* is bytes a second of the link.
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
        """What reads do not tell is as is usual: how the stripe is made of planes and pages, and what is spare."""
        page = min(self.stripe * UNIT, LARGEST_PAGE)
        planes = self.stripe * UNIT // page
        writes = writes or WriteKnobs(self.command, self.rate)
        pages = _pages(capacity, self.stripe)
        block = planes * pages * page
        blocks = max(ceil(capacity * SPARE / (self.dies * block)), ceil(capacity / (self.dies * block)) + SPARE_BLOCKS)
        nand = Nand(self.channels, self.ways, planes, blocks, pages, page, self.read, writes.program, 3 * MS,
                    UNIT / self.unit)  # fmt: skip
        return FlashType(name, nand, self._front(writes), capacity // UNIT * UNIT)

    def _front(self, writes: "WriteKnobs") -> Front:
        write = writes.rate, writes.command
        if self.queues == 1:
            return sata(self.rate, self.command, write)
        return nvme(self.rate, self.command, self.queues, ENTRIES, write)


def _pages(capacity: int, stripe: int) -> int:
    """Of a block; more than is usual where there would be more blocks than a simulation should have."""
    pages = PAGES
    while capacity > MANY_BLOCKS * pages * stripe * UNIT and 2 * pages * stripe <= MOST_UNITS_OF_BLOCK:
        pages *= 2
    return pages


@dataclass(frozen=True)
class WriteKnobs:
    """The controller takes *command* seconds for a write, the link *rate* bytes a second, and a stripe *program*."""

    command: float
    rate: float
    program: float = 700 * US
