"""One die: where each of its units lies, how many of each block are valid, and the cleaning of blocks.

Units of the host keep to their die. Counts and places are integers in arrays: of the map in chunks, and of a block,
once something was written there, so that memory grows with what was written and not with the drive.
"""

from array import array
from collections import deque

from sim.disc.flash.cleaning import Chooser

CHUNK = 64
"""Units of a piece of the map."""
UNMAPPED = array("q", [-1]) * CHUNK
NOWHERE = -1


class Die:
    """*blocks* of *size* units; cleaning begins when fewer than *reserve* are empty.

    A write, or a copy when a block is cleaned, takes the next unit of an open block; the host and cleaning fill
    blocks of their own.
    """

    def __init__(self, blocks: int, size: int, reserve: int, choose: Chooser) -> None:
        self.blocks, self.size = blocks, size
        self.valid = array("q", bytes(8 * blocks))
        self.filled = array("q", bytes(8 * blocks))
        self.wear = array("q", bytes(8 * blocks))
        self.written = self.copied = self.erased = self.trimmed = self.mapped = 0
        self._map: dict[int, array[int]] = {}
        self._units: dict[int, array[int]] = {}
        self._empty = deque(range(blocks))
        self._full: dict[int, None] = {}
        self._reserve = reserve
        self._choose = choose
        self._host = self._open()
        self._copies = self._open()

    def _open(self) -> int:
        """An empty block; the one that was emptied longest ago, so that they wear in turn."""
        block = self._empty.popleft()
        self._units[block] = array("q")
        return block

    def where(self, unit: int) -> int:
        """The place of *unit* on the die; NOWHERE before it was written, or after it was trimmed."""
        chunk = self._map.get(unit // CHUNK)
        return NOWHERE if chunk is None else chunk[unit % CHUNK]

    def _chunk(self, unit: int) -> "array[int]":
        """The piece of the map with *unit*."""
        number = unit // CHUNK
        chunk = self._map.get(number)
        if chunk is None:
            chunk = self._map[number] = UNMAPPED[:]
        return chunk

    def write(self, unit: int) -> tuple[int, int]:
        """Put *unit* behind the last one written; how many units were copied and blocks erased for it."""
        self._drop(unit)
        block = self._host
        units, valid = self._units[block], self.valid
        self._chunk(unit)[unit % CHUNK] = block * self.size + len(units)
        units.append(unit)
        valid[block] += 1
        self.mapped += 1
        if len(units) < self.size:
            self.written += 1
            return 0, 0
        self._host = self._close(block)
        self.written += 1
        copied, erased = self.copied, self.erased
        while len(self._empty) < self._reserve:
            self._clean()
        return self.copied - copied, self.erased - erased

    def trim(self, unit: int) -> None:
        """Forget *unit*."""
        if self._drop(unit):
            self._chunk(unit)[unit % CHUNK] = NOWHERE
            self.trimmed += 1

    def _drop(self, unit: int) -> bool:
        chunk = self._map.get(unit // CHUNK)
        if chunk is None or (place := chunk[unit % CHUNK]) == NOWHERE:
            return False
        self.valid[place // self.size] -= 1
        self.mapped -= 1
        return True

    def _close(self, block: int) -> int:
        """*block* is full; the one that is open then."""
        self._full[block] = None
        self.filled[block] = self.written
        return self._open()

    def _clean(self) -> None:
        """Copy what is valid of the victim, and erase it."""
        victim = self._choose(list(self._full), self.valid, self.filled, self.written)
        del self._full[victim]
        chunks, first = self._map, victim * self.size
        valid = [unit for place, unit in enumerate(self._units.pop(victim), first)
                 if chunks[unit // CHUNK][unit % CHUNK] == place]  # fmt: skip
        while valid:
            valid = self._copy(valid)
        self.valid[victim] = 0
        self.wear[victim] += 1
        self.erased += 1
        self._empty.append(victim)

    def _copy(self, moved: list[int]) -> list[int]:
        """Put *moved* behind the copies of the open block; those that it has no room for."""
        block, chunks = self._copies, self._map
        units = self._units[block]
        begin, room = len(units), self.size - len(units)
        for place, unit in enumerate(moved[:room], block * self.size + begin):
            chunks[unit // CHUNK][unit % CHUNK] = place
        units.extend(moved[:room])
        self.valid[block] += len(units) - begin
        self.copied += len(units) - begin
        if len(units) == self.size:
            self._copies = self._close(block)
        return moved[room:]

    def faults(self) -> list[str]:
        """What contradicts itself: every unit lies in one place, which says so; counts add up; nothing is lost."""
        count = [0] * self.blocks
        for number, chunk in self._map.items():
            for offset, place in enumerate(chunk):
                if place != NOWHERE:
                    block, within = divmod(place, self.size)
                    count[block] += 1
                    if block not in self._units or self._units[block][within] != number * CHUNK + offset:
                        return [f"unit {number * CHUNK + offset} is not where the map has it"]
        opened = len(self._full) + 2
        programmed = sum(map(len, self._units.values()))
        laws = {
            "valid units by block against the map": count == list(self.valid),
            "valid units against the map": sum(count) == self.mapped,
            "empty, open and full blocks against all": len(self._empty) + opened == self.blocks,
            "units programmed against writes, copies and erased blocks":
                programmed == self.written + self.copied - self.erased * self.size,
            "wear against erased blocks": sum(self.wear) == self.erased,
            "empty blocks hold no unit": not any(block in self._units for block in self._empty),
        }  # fmt: skip
        return [law for law, kept in laws.items() if not kept]
