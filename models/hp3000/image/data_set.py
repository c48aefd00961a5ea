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

    A call by key stays with probability *stay* at the block that its user had last in that family;
    otherwise *hot_share* of them go to *hot_size* of a data set. A chain or a serial reader leaves its block
    with probability *step*.
    """

    stay: float
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
        """A block chosen by key: most likely one of the hot ones, which lie together."""
        hot = max(1, int(self.blocks * locality.hot_size))
        return pick(random, hot) if random.random() < locality.hot_share else pick(random, self.blocks)


DataSets = Mapping[str, Sequence[DataSet]]
"""By family."""

Standing = dict[str, tuple[DataSet, int]]
"""Where a user stands in each family: in which data set, at which block."""
