"""FlashType describes a solid-state drive: its flash, its host interface (front), and its rule of cleaning.

Cleaning is garbage collection. ``merge_dies`` makes a description coarser, for requests far larger than a page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import NamedTuple, Protocol

from spindle.sim.error import UserError
from spindle.sim.parameter import ParameterSource
from spindle.sim.streams import pick, stream

# Which block of a die is emptied when it runs out of empty ones: the victim of garbage collection.

class Chooser(Protocol):
    def __call__(self, full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
        """Choose the block of *full* to clean.

        By block, *valid* is its valid units, and *written* the die's count of writes when it was filled; *now* is the
        present count.
        """


class Cleaning(Protocol):
    """A rule of cleaning; each die has its own chooser, which may keep state."""

    def chooser(self, die: int, units: int) -> Chooser:
        """Build the chooser of die number *die*, whose blocks have *units* units."""


@dataclass(frozen=True)
class Greedy:
    """A rule that cleans the block with the fewest valid units; among equals the one that was filled first."""

    def chooser(self, die: int, units: int) -> Chooser:
        return fewest_valid


def fewest_valid(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
    fewest = min([valid[block] for block in full])
    return min([block for block in full if valid[block] == fewest], key=written.__getitem__)


@dataclass(frozen=True)
class CostBenefit:
    """A rule: cleans the block with the most age x free / (2 x valid). Kawaguchi, Nishioka & Motoda (USENIX 1995)."""

    def chooser(self, die: int, units: int) -> Chooser:
        def choose(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
            return max(full, key=lambda block: ((now - written[block] + 1) * (units - valid[block])
                                                / (2.0 * valid[block] or 1e-9), -written[block]))  # fmt: skip

        return choose


@dataclass(frozen=True)
class Choices:
    """A rule that cleans the best of *d* blocks drawn at random.

    If every drawn block is wholly valid, one is copied without gain, and *d* are drawn again.

    Van Houdt, A mean field model for a class of garbage collection algorithms in flash-based solid state drives
    (SIGMETRICS 2013).
    """

    d: int
    seed: int = 1

    def __post_init__(self) -> None:
        if self.d < 1:
            raise UserError(f"cleaning: d {self.d} must be at least 1")

    def chooser(self, die: int, units: int) -> Chooser:
        random: Random = stream(self.seed, f"cleaning {die}")

        def choose(full: Sequence[int], valid: Sequence[int], written: Sequence[int], now: int) -> int:
            return fewest_valid([full[pick(random, len(full))] for _ in range(self.d)], valid, written, now)

        return choose


MAX_BLOCKS = 1 << 24
MAX_UNITS_OF_BLOCK = 1 << 16
MAX_UNITS = 1 << 36
"""A geometry beyond these is taken for a typing error."""


@dataclass(frozen=True)
class Nand:
    """The flash of a drive: *channels* with *ways* dies each, whose *planes* work together; seconds, bytes a second.

    A page of *page_bytes* is read in *read* and written in *program*; a block of *pages* is emptied in *erase*.
    """

    channels: int
    ways: int
    planes: int
    blocks: int
    """Blocks of a plane."""
    pages: int
    page_bytes: int
    read: float
    program: float
    erase: float
    bus: float

    def __post_init__(self) -> None:
        for name in ("channels", "ways", "planes", "blocks", "pages", "page_bytes"):
            if getattr(self, name) < 1:
                raise UserError(f"flash: {name} {getattr(self, name)} must be at least 1")
        for name in ("read", "program", "erase", "bus"):
            if not 0.0 < getattr(self, name) < inf:
                raise UserError(f"flash: {name} {getattr(self, name)} must be positive and finite")
        if self.dies * self.blocks > MAX_BLOCKS:
            raise UserError(f"flash: {self.dies} dies of {self.blocks} blocks are more than {MAX_BLOCKS} blocks")

    @property
    def dies(self) -> int:
        return self.channels * self.ways


@dataclass(frozen=True)
class Front:
    """The host interface: at most *tags* commands at a time, in *queues* queues; a *rate* is bytes a second.

    The controller takes *command* seconds to handle a command, for as many at a time as there are queues.
    """

    name: str
    tags: int
    queues: int
    command: float
    rate: float
    write_command: float
    write_rate: float
    write_handling: float | None = None
    """Seconds that the controller is busy with a write; None is *write_command*, shared among the *queues*."""

    def __post_init__(self) -> None:
        if self.write_handling is not None and not 0.0 <= self.write_handling < inf:
            raise UserError(f"front {self.name}: write_handling {self.write_handling} must be finite and not negative")
        for name in ("tags", "queues"):
            if getattr(self, name) < 1:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be at least 1")
        for name in ("command", "write_command"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be finite and not negative")
        for name in ("rate", "write_rate"):
            if not 0.0 < getattr(self, name) < inf:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be positive and finite")

    def limit_rate(self, rate: float) -> "Front":
        """Return the interface behind a link of at most *rate* bytes a second."""
        return replace(self, rate=min(rate, self.rate), write_rate=min(rate, self.write_rate))


def sata(rate: float, command: float, write: tuple[float, float] | None = None) -> Front:
    """SATA with native command queueing: a queue of 32 tags. *write*: rate and command time of writes, if other."""
    write_rate, write_command = write or (rate, command)
    return Front("SATA", 32, 1, command, rate, write_command, write_rate)


def nvme(
    rate: float, command: float, queues: int = 8, entries: int = 128, write: tuple[float, float] | None = None
) -> Front:
    """NVMe: *queues* queue pairs of *entries* entries, one pair for each core of the host."""
    write_rate, write_command = write or (rate, command)
    return Front("NVMe", queues * entries, queues, command, rate, write_command, write_rate)


class FlatLayout(NamedTuple):
    """The layout of a drive without tracks: bytes that can be written at once, and bytes in all."""

    sector_bytes: int
    capacity: int


@dataclass(frozen=True)
class FlashType:
    """A type of solid-state drive: *capacity* bytes for the host; more bytes of the flash are its over-provisioning.

    A block here is the blocks of all planes of a die together. The map has an entry for each *unit* bytes; of its pages
    *map_pages* are cached, all if None. *buffer* bytes of writes are reported before they are on the flash.

    >>> SAMSUNG_960_PRO.nand.channels, isinstance(SAMSUNG_960_PRO, FlashType)
    (8, True)
    """

    name: str
    nand: Nand
    front: Front
    capacity: int
    unit: int = 4096
    sector_bytes: int = 512
    buffer: int = 1 << 20
    map_pages: int | None = None
    cleaning: Cleaning = field(default_factory=Greedy)
    reserve: int = 2
    """Number of empty blocks of a die below which cleaning begins."""
    buffer_survives: bool = False
    """True if capacitors keep the buffer when power fails, so that a write is safe once it is there."""
    flush: int = 1
    """Units that are flushed together from a full buffer; a host that fills it waits until they are programmed."""
    preempted: bool = True
    """True if requests interrupt cleaning after each copied stripe; else a block is cleaned as a whole first."""
    filled: float = 0.0
    """Share of the capacity, from its beginning, that was written at random for long when a run begins."""
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)
    notes: str = field(default="", compare=False, repr=False)
    year: int | None = field(default=None, compare=False, repr=False, metadata={"added": True})
    """Year of the drive, if its sheet has one."""

    def __post_init__(self) -> None:
        self._check_units()
        if self.map_pages is not None and self.map_pages < 1:
            raise UserError(f"flash {self.name}: map_pages {self.map_pages} must be at least 1")
        if self.reserve < 2:
            raise UserError(f"flash {self.name}: reserve {self.reserve} must be at least 2")
        if self.buffer < self.unit:
            raise UserError(f"flash {self.name}: a buffer of {self.buffer} bytes has no room for a unit of {self.unit}")
        if not 0.0 <= self.filled <= 1.0:
            raise UserError(f"flash {self.name}: filled {self.filled} must be a share from 0 to 1")
        if not 1 <= self.flush <= self.buffer // self.unit:
            raise UserError(f"flash {self.name}: flush {self.flush} must be at least 1 unit, and at most the buffer's "
                            f"{self.buffer // self.unit}")  # fmt: skip
        spare = self.nand.blocks * self.block_units - self.die_units
        if spare < (self.reserve + 2) * self.block_units:
            raise UserError(f"flash {self.name}: over-provisioning of {spare / self.block_units:.2f} blocks a die; "
                            f"below {self.reserve + 2} cleaning would never end")  # fmt: skip

    def _check_units(self) -> None:
        if self.sector_bytes < 1 or self.unit < 1 or self.unit % self.sector_bytes or self.nand.page_bytes % self.unit:
            raise UserError(f"flash {self.name}: a unit of {self.unit} bytes must be whole sectors of "
                            f"{self.sector_bytes}, and a page of {self.nand.page_bytes} whole units")  # fmt: skip
        if not 0 < self.capacity <= MAX_UNITS * self.unit or self.capacity % self.unit:
            raise UserError(f"flash {self.name}: capacity {self.capacity} must be whole units of {self.unit} bytes, "
                            f"and at most {MAX_UNITS * self.unit}")  # fmt: skip
        if self.block_units > MAX_UNITS_OF_BLOCK:
            raise UserError(f"flash {self.name}: {self.block_units} units a block are more than {MAX_UNITS_OF_BLOCK}")

    @property
    def layout(self) -> FlatLayout:
        return FlatLayout(self.sector_bytes, self.capacity)

    @property
    def stripe(self) -> int:
        """Units that are written together: a page of each plane of a die."""
        return self.nand.planes * self.nand.page_bytes // self.unit

    @property
    def block_units(self) -> int:
        return self.stripe * self.nand.pages

    @property
    def die_units(self) -> int:
        """Return the most units of the host on a die."""
        stripes = -(-self.capacity // (self.unit * self.stripe))
        return -(-stripes // self.nand.dies) * self.stripe


# Dies that work in step, for requests that are far larger than a page: the same rates in far fewer pieces.

def merge_dies(sheet: FlashType, granule: int) -> FlashType:
    """Return *sheet* with dies and rows of pages merged, so that a unit is at most, and nearly, *granule* bytes.

    Each merge doubles the unit: first of the ways of a channel, then of channels, whose buses add up, then of rows of
    pages one behind another. Whole units are read and written as fast as on the drive itself: a page of each die at a
    time. Only the first bytes of merged rows come later, by the time to read the others; and the buffer takes a unit a
    die and one more at least, so that one is filled while others are written.
    """
    nand = sheet.nand
    left = max(1, granule // (nand.planes * nand.page_bytes))
    ways = _doublings(nand.ways, left)
    channels = _doublings(nand.channels, left // ways)
    rows = _doublings(nand.pages, left // (ways * channels))
    page = nand.planes * nand.page_bytes * ways * channels * rows
    merged = replace(nand, ways=nand.ways // ways, channels=nand.channels // channels, planes=1, page_bytes=page,
                     pages=nand.pages // rows, read=nand.read * rows, program=nand.program * rows,
                     bus=nand.bus * channels)  # fmt: skip
    return replace(sheet, nand=merged, unit=page, capacity=sheet.capacity // page * page,
                   buffer=max(sheet.buffer, (merged.dies + 1) * page), map_pages=None)  # fmt: skip


def _doublings(whole: int, most: int) -> int:
    """Return the largest power of two that divides *whole* and is not above *most*, at least 1."""
    factor = 1
    while whole % (2 * factor) == 0 and 2 * factor <= most:
        factor *= 2
    return factor
