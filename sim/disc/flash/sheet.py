"""The data sheet of a solid-state drive: its flash, its front to the host, and what its controller does with both."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from sim.disc.flash.cleaning import Cleaning, Greedy
from sim.error import UserError
from sim.parameter import ParameterSource

MOST_BLOCKS = 1 << 24
MOST_UNITS_OF_BLOCK = 1 << 16
MOST_UNITS = 1 << 36
"""Beyond these a geometry is a slip of the pen."""


@dataclass(frozen=True)
class Nand:
    """The flash: *channels* with *ways* dies each, whose *planes* work together; seconds, and bytes a second of a bus.

    A page of *page_bytes* is read in *read* and written in *program*; a block of *pages* is emptied in *erase*.
    """

    channels: int
    ways: int
    planes: int
    blocks: int
    """Of a plane."""
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
        if self.dies * self.blocks > MOST_BLOCKS:
            raise UserError(f"flash: {self.dies} dies of {self.blocks} blocks are more than {MOST_BLOCKS} blocks")

    @property
    def dies(self) -> int:
        return self.channels * self.ways


@dataclass(frozen=True)
class Front:
    """The way to the host: at most *tags* commands at a time, in *queues* queues; a *rate* is bytes a second.

    The controller takes *command* seconds to handle a command, for as many at a time as there are queues.
    """

    name: str
    tags: int
    queues: int
    command: float
    rate: float
    write_command: float
    write_rate: float

    def __post_init__(self) -> None:
        for name in ("tags", "queues"):
            if getattr(self, name) < 1:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be at least 1")
        for name in ("command", "write_command"):
            if not 0.0 <= getattr(self, name) < inf:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be finite and not negative")
        for name in ("rate", "write_rate"):
            if not 0.0 < getattr(self, name) < inf:
                raise UserError(f"front {self.name}: {name} {getattr(self, name)} must be positive and finite")

    def no_faster(self, rate: float) -> "Front":
        """The same behind something that moves no more than *rate* bytes a second."""
        return replace(self, rate=min(rate, self.rate), write_rate=min(rate, self.write_rate))


def sata(rate: float, command: float, write: tuple[float, float] | None = None) -> Front:
    """Native command queueing: one queue of 32 tags. *write* are the two of a write, where they are others."""
    write_rate, write_command = write or (rate, command)
    return Front("SATA", 32, 1, command, rate, write_command, write_rate)


def nvme(
    rate: float, command: float, queues: int = 8, entries: int = 128, write: tuple[float, float] | None = None
) -> Front:
    """Queue pairs of so many *entries*, each of which a core of the host has to itself."""
    write_rate, write_command = write or (rate, command)
    return Front("NVMe", queues * entries, queues, command, rate, write_command, write_rate)


class FlatLayout(NamedTuple):
    """Bytes that can be written at once, and bytes in all; there are no tracks."""

    sector_bytes: int
    capacity: int


@dataclass(frozen=True)
class FlashType:
    """*capacity* bytes for the host; what the flash has beyond that is its over-provisioning.

    A block here is that of all planes of a die together. The map has an entry for each *unit* bytes; of its pages,
    *map_pages* are cached, or all where it is None. *buffer* bytes of writes are reported before they are on the flash.
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
    """Empty blocks of a die below which cleaning begins."""
    buffer_survives: bool = False
    """Whether capacitors keep the buffer when power fails, so that a write is safe once it is there."""
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)
    notes: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_units()
        if self.map_pages is not None and self.map_pages < 1:
            raise UserError(f"flash {self.name}: map_pages {self.map_pages} must be at least 1")
        if self.reserve < 2:
            raise UserError(f"flash {self.name}: reserve {self.reserve} must be at least 2")
        if self.buffer < self.unit:
            raise UserError(f"flash {self.name}: a buffer of {self.buffer} bytes has no room for a unit of {self.unit}")
        spare = self.nand.blocks * self.block_units - self.die_units
        if spare < (self.reserve + 2) * self.block_units:
            raise UserError(f"flash {self.name}: over-provisioning of {spare / self.block_units:.2f} blocks a die; "
                            f"below {self.reserve + 2} cleaning would never end")  # fmt: skip

    def _check_units(self) -> None:
        if self.sector_bytes < 1 or self.unit < 1 or self.unit % self.sector_bytes or self.nand.page_bytes % self.unit:
            raise UserError(f"flash {self.name}: a unit of {self.unit} bytes must be whole sectors of "
                            f"{self.sector_bytes}, and a page of {self.nand.page_bytes} whole units")  # fmt: skip
        if not 0 < self.capacity <= MOST_UNITS * self.unit or self.capacity % self.unit:
            raise UserError(f"flash {self.name}: capacity {self.capacity} must be whole units of {self.unit} bytes, "
                            f"and at most {MOST_UNITS * self.unit}")  # fmt: skip
        if self.block_units > MOST_UNITS_OF_BLOCK:
            raise UserError(f"flash {self.name}: {self.block_units} units a block are more than {MOST_UNITS_OF_BLOCK}")

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
        """Units of the host on a die, at most."""
        stripes = -(-self.capacity // (self.unit * self.stripe))
        return -(-stripes // self.nand.dies) * self.stripe

    @property
    def over_provisioning(self) -> float:
        """What the flash has beyond *capacity*, as a share of *capacity*."""
        whole = self.nand.dies * self.nand.blocks * self.block_units * self.unit
        return whole / self.capacity - 1.0


