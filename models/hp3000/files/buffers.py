"""A few buffers for blocks of files: the blocks used last stay."""

from collections import OrderedDict
from collections.abc import Hashable


class Buffers:
    """*limit* blocks at most."""

    __slots__ = ("_blocks", "hits", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.hits = 0
        self._blocks: OrderedDict[Hashable, None] = OrderedDict()

    def have(self, block: Hashable) -> bool:
        """Whether *block* is in a buffer; if not, one is given to it, which the caller fills."""
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
    """IMAGE's: 8, or three more than the most *paths* of a set, and one more for each two users up to 18.

    TurboIMAGE manual, p. 682: b for 1 to 2 users, b+1 for 3 to 4, and so on, b+9 for 19 to 120.
    """
    return max(paths + 3, 8) + min((max(users, 1) - 1) // 2, 9)
