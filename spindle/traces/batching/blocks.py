"""Allocates a language model's memory for keys and values (KV) in blocks, which sequences of equal prefixes share."""

from collections.abc import Sequence

Name = object
"""Identifies the contents of a block together with all tokens before it; equal for equal prefixes."""


class KvBlocks:
    """A pool of *room* blocks, taken in the order in which they became free; until taken, each keeps its contents.

    The last block of a sequence becomes free first, so that beginnings of prompts are kept longest. Without *prefixes*
    nothing is shared.
    """

    def __init__(self, room: int, prefixes: bool) -> None:
        self._prefixes = prefixes
        self._free: dict[int, None] = dict.fromkeys(range(room))
        self._name_of: dict[int, Name] = {}
        self._block_of: dict[Name, int] = {}
        self._users: dict[int, int] = {}

    @property
    def free(self) -> int:
        return len(self._free)

    def prefix(self, names: Sequence[Name]) -> list[int]:
        """Return the blocks with the longest prefix of *names*."""
        blocks: list[int] = []
        for name in names:
            if (block := self._block_of.get(name)) is None:
                break
            blocks.append(block)
        return blocks

    def can_take(self, shared: Sequence[int], fresh: int) -> bool:
        """Tell if *fresh* blocks are free beside the *shared* ones."""
        return fresh + sum(block in self._free for block in shared) <= len(self._free)

    def share(self, blocks: Sequence[int]) -> None:
        for block in blocks:
            self._free.pop(block, None)
            self._users[block] += 1

    def take(self, wanted: int) -> list[int]:
        """Take *wanted* free blocks, and forget their contents."""
        taken = []
        for _ in range(wanted):
            block = next(iter(self._free))
            del self._free[block]
            self._forget(block)
            self._users[block] = 1
            taken.append(block)
        return taken

    def name(self, block: int, name: Name) -> None:
        """Give the full *block* its *name*; the first block of a name is the one that other sequences share."""
        if self._prefixes and name not in self._block_of:
            self._block_of[name], self._name_of[block] = block, name

    def release(self, blocks: Sequence[int]) -> None:
        for block in reversed(blocks):
            self._users[block] -= 1
            if not self._users[block]:
                self._free[block] = None

    def _forget(self, block: int) -> None:
        name = self._name_of.pop(block, None)
        if name is not None:
            del self._block_of[name]
