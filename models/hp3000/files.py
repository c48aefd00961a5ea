"""Open files of MPE, which keep blocks in buffers of the process. They are KSAM files, read by key through a tree of
key blocks, and files of blocked records.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from random import Random

from spindle.models.hp3000.memory import MpeSegment
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import Machine, OpenFile
from spindle.sim.streams import pick
from spindle.sim.units import KIB

# A few buffers for blocks of files: the block used longest ago gives way.

class Buffers:
    """Buffers for *limit* blocks at most."""

    __slots__ = ("_blocks", "hits", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.hits = 0
        self._blocks: OrderedDict[Hashable, None] = OrderedDict()

    def have(self, block: Hashable) -> bool:
        """Tell if *block* is in a buffer; if not, assign one to it, which the caller fills."""
        blocks = self._blocks
        if block in blocks:
            self.hits += 1
            blocks.move_to_end(block)
            return True
        blocks[block] = None
        if len(blocks) > self.limit:
            blocks.popitem(False)
        return False


def default_buffers(users: int, paths: int) -> int:
    """IMAGE's default: 8, or three more than the most *paths* of a set, and one more for each two users up to 18.

    TurboIMAGE manual, p. 682: b for 1 to 2 users, b+1 for 3 to 4, and so on, b+9 for 19 to 120.
    """
    return max(paths + 3, 8) + min((max(users, 1) - 1) // 2, 9)


# An open KSAM file: a tree of key blocks, some of them in the process's buffers, and records behind it.

KEY_BLOCK = 2 * KIB
"""1024 words (KSAM manual, app. B)."""

RECORD = 256
"""128 words, one a block (KSAM manual, app. B)."""

ENTRY = 28
"""Bytes of a key and its pointers: assumed."""

FULL = 0.75
"""Share of each block that is filled in a grown tree: assumed, between a half and all."""

FANOUT = int(KEY_BLOCK * FULL / ENTRY)


def tree(records: int) -> list[int]:
    """Return the number of key blocks on each level, from the root on."""
    levels = [-(-records // FANOUT)]
    while levels[0] > 1:
        levels.insert(0, -(-levels[0] // FANOUT))
    return levels


def size(records: int) -> int:
    """Return the bytes of a file of *records* records."""
    return sum(tree(records)) * KEY_BLOCK + records * RECORD


class KsamFile:
    """*file* of *records*; the key block *buffers* lie in an extra data *segment*."""

    def __init__(self, file: OpenFile, records: int, buffers: Buffers, segment: MpeSegment) -> None:
        self._file = file
        self._records = records
        self._last = -1
        self._levels = tree(records)
        self._buffers = buffers
        self.segments = (segment,)

    def path(self, record: int) -> list[int]:
        """The key blocks on the way to *record*, from the root on, by their number in the file."""
        blocks, first = [], 0
        for count in self._levels:
            blocks.append(first + record * count // self._records)
            first += count
        return blocks

    def find(self, machine: Machine, near: float, random: Random, account: Account) -> Wait:
        """Look up a record by its key, and read it. With probability *near* it is the record behind the last one, as
        the file was loaded in the order of its keys, and otherwise any.
        """
        self._last = record = (
            (self._last + 1) % self._records if random.random() < near else pick(random, self._records)
        )
        for block in self.path(record):
            if not self._buffers.have(block):
                yield from machine.read(self._file, block * KEY_BLOCK, KEY_BLOCK, account)
        behind = sum(self._levels) * KEY_BLOCK
        yield from machine.read(self._file, behind + record * RECORD, RECORD, account)


class RecordFile:
    """*file* with *blocked* records of *record* bytes a block; the *buffers* lie in an extra data *segment*.

    A record in a buffer costs no access. From the end of the file its reader goes on at its beginning.
    """

    def __init__(self, file: OpenFile, record: int, blocked: int, buffers: Buffers, segment: MpeSegment) -> None:
        self._file = file
        self._blocked = blocked
        self._block = record * blocked
        self.buffers = buffers
        self.segments = (segment,)
        self.blocks = file.file.size // self._block
        self._next = 0

    def following(self, count: int) -> Iterable[int]:
        """Return the blocks of the next *count* records, each once, and move on."""
        return self._pass(count, self._blocked - 1)

    def complete_blocks(self, count: int) -> Iterable[int]:
        """Return the blocks that the next *count* records complete, and move on."""
        return self._pass(count, 0)

    def _pass(self, count: int, lacking: int) -> Iterable[int]:
        """Return the blocks that *count* records pass, and one that lacks at most *lacking* records, and move on."""
        blocked, blocks = self._blocked, self.blocks
        first = self._next
        end = first + count
        self._next = end % (blocks * blocked)
        passed = range(first // blocked, (end + lacking) // blocked if count else 0)
        return passed if passed.stop <= blocks else (block % blocks for block in passed)

    def nearby(self, count: int, near: float, random: Random) -> Iterable[int]:
        """Return the blocks of *count* records for an editor, behind its last line with probability *near*, or from
        any other line on; and move on."""
        if random.random() >= near:
            self._next = pick(random, self.blocks * self._blocked)
        return self._pass(count, self._blocked - 1)

    def read(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.read(self._file, block * self._block, self._block, account)

    def write(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.write(self._file, block * self._block, self._block, account)
