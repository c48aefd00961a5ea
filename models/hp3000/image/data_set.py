"""The data sets of the data base: what kinds there are, how they hang together, and where references to one go."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sim.file import File, OpenFile
from sim.streams import pick


@dataclass(frozen=True)
class Family:
    """*count* data sets of one kind. Each entry hangs in a chain of each of *paths*, families of masters."""

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

MOST_PATHS = max(len(family.paths) for family in FAMILIES.values())


@dataclass(frozen=True)
class ReferenceLocality:
    """Where references go.

    An answer begins with probability *near* at the block behind the one that its user had last in a family: IMAGE
    places a master whose key is a whole number by that number, so that the next key is the next entry, and fills a
    detail set in the order of time, so that entries which were put together lie together. Otherwise it begins
    anywhere, *hot_share* of the time within the first *hot_size* of a data set, which are used again and again.
    The answer stays where it began; a chain or a serial reader leaves its block with probability *step*.
    """

    near: float
    hot_share: float
    hot_size: float
    step: float


class DataSet:
    """A file of blocks."""

    def __init__(self, number: int, file: File, block_bytes: int) -> None:
        self.number = number
        self.file = OpenFile(file)
        self.blocks = file.size // block_bytes

    def place(self, random: Random, locality: ReferenceLocality) -> int:
        """A block far from where the user was; the hot ones lie together."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)

    def linked(self, block: int, random: Random, locality: ReferenceLocality) -> int:
        """Where an entry lies that is beside one in *block* in a chain: put just before it, or long ago."""
        return (block - 1) % self.blocks if random.random() < locality.near else self.place(random, locality)


DataSets = Mapping[str, Sequence[DataSet]]
"""By family."""

Place = tuple[DataSet, int]
"""A block of a data set."""


class Standing:
    """A user's position in each family that this answer has touched, *now*, and those of earlier answers, *before*."""

    def __init__(self) -> None:
        self.now: dict[str, Place] = {}
        self.before: dict[str, Place] = {}

    def begin(self) -> None:
        """A new answer begins, in each family where the user has left off or somewhere else."""
        self.before |= self.now
        self.now.clear()
