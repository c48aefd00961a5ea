"""An open file of records of one size, several to a block: the process's buffers, and its position."""

from collections.abc import Iterable
from random import Random

from models.hp3000.files.buffers import Buffers
from models.hp3000.memory.segments import MpeSegment
from sim.account import Account
from sim.clock import Wait
from sim.file import OpenFile
from sim.machine import Machine
from sim.streams import pick


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
        """The blocks of the next *count* records, each once; moves on."""
        return self._pass(count, self._blocked - 1)

    def filled(self, count: int) -> Iterable[int]:
        """The blocks of which the next *count* records are the last; moves on."""
        return self._pass(count, 0)

    def _pass(self, count: int, lacking: int) -> Iterable[int]:
        """The blocks that *count* records pass, one that lacks no more than so many records of that among them."""
        blocked, blocks = self._blocked, self.blocks
        first = self._next
        end = first + count
        self._next = end % (blocks * blocked)
        passed = range(first // blocked, (end + lacking) // blocked if count else 0)
        return passed if passed.stop <= blocks else (block % blocks for block in passed)

    def nearby(self, count: int, near: float, random: Random) -> Iterable[int]:
        """The blocks of *count* records, as an editor wants them: behind its line with probability *near*, or from
        any other line on; moves on."""
        if random.random() >= near:
            self._next = pick(random, self.blocks * self._blocked)
        return self._pass(count, self._blocked - 1)

    def read(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.read(self._file, block * self._block, self._block, account)

    def write(self, machine: Machine, block: int, account: Account) -> Wait:
        return machine.write(self._file, block * self._block, self._block, account)
