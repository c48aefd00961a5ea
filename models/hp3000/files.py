"""Models open files of MPE, the HP3000's operating system, and their blocks in buffers of the process.

A KSAM file is read by key, through a tree of key blocks. Other files have several records in a block.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from random import Random

from spindle.models.hp3000.memory import MpeSegment
from spindle.sim.clock import Account, Wait
from spindle.sim.machine import Machine, OpenFile
from spindle.sim.streams import pick
from spindle.sim.units import KIB

# A few buffers for blocks of files: the block used longest ago is replaced.

class Buffers:
    """Buffers of a process or a data base, for at most *limit* blocks."""

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
    """Return the number of buffers that IMAGE, HP's data base, has if none is given.

    It is b = 8, or three more than the most *paths* (chains) of an entry if that is more. Each two further users add
    one buffer, at most nine.

    TurboIMAGE manual, p. 682: b for 1 to 2 users, b+1 for 3 to 4, and so on, b+9 for 19 to 120.
    """
    return max(paths + 3, 8) + min((users - 1) // 2, 9)


# An open KSAM file: a tree of key blocks, some of them in the process's buffers, and records behind it.

KEY_BLOCK_BYTES = 2 * KIB
"""Bytes of a key block: 1024 words (KSAM manual, app. B)."""

KSAM_RECORD_BYTES = 256
"""Bytes of a record and of its block: 128 words (KSAM manual, app. B)."""

KEY_ENTRY_BYTES = 28
"""Bytes of a key with its pointers: assumed."""

FILLED_SHARE = 0.75
"""Share of a key block that is filled: assumed, between a half and all."""

KEYS_A_BLOCK = int(KEY_BLOCK_BYTES * FILLED_SHARE / KEY_ENTRY_BYTES)
"""Keys in each block of the tree."""


def tree(records: int) -> list[int]:
    """Return the number of key blocks on each level, from the root on."""
    levels = [-(-records // KEYS_A_BLOCK)]
    while levels[0] > 1:
        levels.insert(0, -(-levels[0] // KEYS_A_BLOCK))
    return levels


def size(records: int) -> int:
    """Return the bytes of a file of *records* records."""
    return sum(tree(records)) * KEY_BLOCK_BYTES + records * KSAM_RECORD_BYTES


class KsamFile:
    """An open KSAM *file* of *records* records, with *buffers* for key blocks in an extra data *segment*."""

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
                yield from machine.read(self._file, block * KEY_BLOCK_BYTES, KEY_BLOCK_BYTES, account)
        behind = sum(self._levels) * KEY_BLOCK_BYTES
        yield from machine.read(self._file, behind + record * KSAM_RECORD_BYTES, KSAM_RECORD_BYTES, account)


class RecordFile:
    """An open *file* with *blocked* records of *record* bytes in a block, and *buffers* in an extra data *segment*.

    A record in a buffer costs no access. After the end of the file its reader continues at the beginning.
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
        any other line on; and move on.
        """
        if random.random() >= near:
            self._next = pick(random, self.blocks * self._blocked)
        return self._pass(count, self._blocked - 1)

    def read(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.read(self._file, block * self._block, self._block, account)

    def write(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.write(self._file, block * self._block, self._block, account)
