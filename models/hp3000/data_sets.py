"""Describes the files (data sets) of an IMAGE data base, HP's own, and draws the blocks to which calls refer.

A master set has an entry for each key. A detail set has entries that a master entry links in a chain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from spindle.sim.machine import File, OpenFile
from spindle.sim.streams import pick


@dataclass(frozen=True)
class Family:
    """Data sets of one kind, *count* of them, such as all that store orders.

    *paths* names the families of master sets; each entry is in a chain of one master entry of each. Masters have none.
    """

    count: int
    paths: tuple[str, ...] = ()


FAMILIES: Mapping[str, Family] = {
    "CUSTOMER": Family(8),
    "PART": Family(8),
    "ORDER": Family(14, ("CUSTOMER",)),
    "STOCK": Family(10, ("PART",)),
    "INVOICE": Family(14, ("CUSTOMER",)),
    "CONTROL": Family(2),
}
"""56 data sets (McBride: "a 56 data-set IMAGE database"); how they divide, and their paths, are assumed."""

MAX_PATHS = max(len(family.paths) for family in FAMILIES.values())
"""The most chains that one entry is in; IMAGE's default number of buffers depends on it."""


@dataclass(frozen=True)
class ReferenceLocality:
    """Probabilities that decide which blocks of a data base an answer refers to.

    - *near*: the answer begins at the block after the one that its user had last in the family. IMAGE places a master
      entry by its key if that is a whole number, so that the next key is the next entry; it fills a detail set in the
      order of time, so that entries of one time are together.
    - *hot_share*: an answer that is not near begins in the hot part of a data set, which is its first *hot_size*, a
      share of its blocks. Else it begins anywhere in the set.
    - *step*: the next entry of a chain, or of a serial read, is in another block. Else the answer stays in its block.

    With *put_entries* above 0 a new entry goes after the last entry of its set, as many to a block as that; the entry
    before it in its chain is in the answer's block. With 0 the new entry itself goes there.
    """

    near: float
    hot_share: float
    hot_size: float
    step: float
    put_entries: int = 0


class DataSet:
    """One data set: a *file* of blocks, with a *number* within the data base."""

    def __init__(self, number: int, file: File, block_bytes: int) -> None:
        self.number = number
        self.file = OpenFile(file)
        self.blocks = file.size // block_bytes
        self._puts = 0

    def put_behind(self, entries: int) -> int:
        """Append an entry after the last, *entries* to a block; return its block."""
        block = self._puts // entries % self.blocks
        self._puts += 1
        return block

    def place(self, random: Random, locality: ReferenceLocality) -> int:
        """Draw a block, whatever the user's position: of the hot part of the set, its first blocks, or of all."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)

    def chain_neighbour(self, block: int, random: Random, locality: ReferenceLocality) -> int:
        """Draw the block of an entry that is next in a chain to one in *block*: the block before it, or any."""
        return (block - 1) % self.blocks if random.random() < locality.near else self.place(random, locality)


DataSets = Mapping[str, Sequence[DataSet]]
"""Data sets by family."""

Place = tuple[DataSet, int]
"""A block of a data set."""


class Positions:
    """The positions of a user in the data base by family: of this answer, *now*, and of earlier answers, *before*."""

    def __init__(self) -> None:
        self.now: dict[str, Place] = {}
        self.before: dict[str, Place] = {}

    def begin(self) -> None:
        """Begin an answer: its predecessor's positions become earlier ones."""
        self.before |= self.now
        self.now.clear()
