"""An open KSAM file: a tree of key blocks, some of them in the process's buffers, and records behind it."""

from random import Random

from models.hp3000.files.buffers import Buffers
from models.hp3000.memory.segments import MpeSegment
from sim.account import Account
from sim.clock import Wait
from sim.file import OpenFile
from sim.machine import Machine
from sim.streams import pick
from sim.units import KIB

KEY_BLOCK = 2 * KIB
"""1024 words (KSAM manual, app. B)."""

RECORD = 256
"""128 words, one a block (KSAM manual, app. B)."""

ENTRY = 28
"""Bytes of a key and its pointers: assumed."""

FULL = 0.75
"""How full the blocks of a grown tree are: assumed, between a half and all."""

FANOUT = int(KEY_BLOCK * FULL / ENTRY)


def tree(records: int) -> list[int]:
    """How many key blocks there are on each level, from the root on."""
    levels = [-(-records // FANOUT)]
    while levels[0] > 1:
        levels.insert(0, -(-levels[0] // FANOUT))
    return levels


def size(records: int) -> int:
    """Bytes of a file of so many records."""
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
        """Look up a record by its key, and read it: with probability *near* that of the next key, which lies behind
        the last one in a file that was loaded in the order of its keys, and otherwise any."""
        self._last = record = (
            (self._last + 1) % self._records if random.random() < near else pick(random, self._records)
        )
        for block in self.path(record):
            if not self._buffers.have(block):
                yield from machine.read(self._file, block * KEY_BLOCK, KEY_BLOCK, account)
        behind = sum(self._levels) * KEY_BLOCK
        yield from machine.read(self._file, behind + record * RECORD, RECORD, account)
