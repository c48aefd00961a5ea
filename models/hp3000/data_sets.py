"""The data sets of the data base: their kinds, the chains between them, and the places of references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from spindle.sim.machine import File, OpenFile
from spindle.sim.streams import pick


@dataclass(frozen=True)
class Family:
    """*count* data sets of one kind. Each entry is in one chain per path; *paths* names the families of masters."""

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


@dataclass(frozen=True)
class ReferenceLocality:
    """Locality of references to a data base.

    An answer begins with probability *near* at the block behind the one that its user had last in a family: IMAGE
    places a master whose key is a whole number by that number, so that the next key is the next entry, and fills a
    detail set in the order of time, so that entries which were put together lie together. Otherwise it begins
    anywhere, *hot_share* of the time within the first *hot_size* of a data set, which are used again and again.
    The answer stays where it began; a chain or a serial reader leaves its block with probability *step*. With
    *put_entries* a new entry goes behind the last of its set, so many to a block, and its chain's last entry lies where
    the answer is; with 0 it goes where the answer is.
    """

    near: float
    hot_share: float
    hot_size: float
    step: float
    put_entries: int = 0


class DataSet:
    """Data set *number*: a file of blocks."""

    def __init__(self, number: int, file: File, block_bytes: int) -> None:
        self.number = number
        self.file = OpenFile(file)
        self.blocks = file.size // block_bytes
        self._puts = 0

    def put_behind(self, entries: int) -> int:
        """Return the block of a new entry behind the last, *entries* to a block, and count it."""
        block = self._puts // entries % self.blocks
        self._puts += 1
        return block

    def place(self, random: Random, locality: ReferenceLocality) -> int:
        """Draw a block, wherever the user was: of the hot ones, which come first, or of all."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)

    def chain_neighbour(self, block: int, random: Random, locality: ReferenceLocality) -> int:
        """Draw the block of an entry that is next to one in *block* in a chain: put just before it, or long ago."""
        return (block - 1) % self.blocks if random.random() < locality.near else self.place(random, locality)


DataSets = Mapping[str, Sequence[DataSet]]
"""Data sets by family."""

Place = tuple[DataSet, int]
"""A block of a data set."""


class Positions:
    """A user's position in each family that this answer has touched, *now*, and those of earlier answers, *before*."""

    def __init__(self) -> None:
        self.now: dict[str, Place] = {}
        self.before: dict[str, Place] = {}

    def begin(self) -> None:
        """Begin an answer, which starts in each family behind the user's last position or somewhere else."""
        self.before |= self.now
        self.now.clear()
